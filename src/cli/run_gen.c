#include "base/file.h"
#include "base/limits.h"
#include "cli/gen.h"
#include "cli/report.h"
#include "json/build.h"
#include "json/reader.h"
#include "json/writer.h"

/* A member for the arguments of an operation, where it is given. */
static void put_text(struct tr_json_writer *w, const char *name,
                     const char *value)
{
    if (value)
        tr_jw_put_string(w, name, tr_str_from(value));
}

/* "due:date:optional", "owner:ref=Person": a field as one word says it. */
static void put_field(struct tr_json_writer *w, tr_str word)
{
    tr_str part;
    tr_str type;
    bool more = tr_str_cut(word, ':', &part, &word);
    tr_jw_open(w, '{');
    tr_jw_put_string(w, "name", more ? part : word);
    if (more) {
        more = tr_str_cut(word, ':', &part, &word);
        part = more ? part : word;
        if (tr_str_cut(part, '=', &part, &type))
            tr_jw_put_string(w, "type", type);
        tr_jw_put_string(w, "kind", part);
    }
    while (more) {
        more = tr_str_cut(word, ':', &part, &word);
        tr_jw_key_str(w, more ? part : word);
        tr_jw_bool(w, true);
    }
    tr_jw_close(w, '}');
}

/* The words behind the name, as the fields of what is declared. */
static void put_fields(struct tr_json_writer *w,
                       const struct tr_cli_invocation *invocation,
                       const char *argument)
{
    tr_jw_key(w, argument);
    tr_jw_open(w, '[');
    for (size_t i = 2; i < invocation->argument_count; i++)
        put_field(w, tr_str_from(invocation->arguments[i]));
    tr_jw_close(w, ']');
}

static void put_options(struct tr_json_writer *w,
                        const struct tr_cli_invocation *invocation)
{
    static const char *const names[] = {"description", "file", "with"};
    for (size_t i = 0; i < TR_LEN(names); i++)
        put_text(w, names[i], tr_cli_invocation_option(invocation, names[i]));
    put_text(w, "before_sha256",
             tr_cli_invocation_option(invocation, "before"));
    if (tr_cli_invocation_option(invocation, "apply"))
        tr_jw_put_bool(w, "apply", true);
}

/* What is written in `text`, over what an option of JSON has. NULL after saying
 * what is wrong. */
static const struct tr_json *join(const struct tr_cli_invocation *invocation,
                                  const struct tr_json *below,
                                  const struct tr_buf *text,
                                  const struct tr_json_writer *w)
{
    const struct tr_json *above = NULL;
    const struct tr_json *all = NULL;
    struct tr_err err = {0};
    tr_str copy;
    tr_status status = tr_jw_finish(w, &err);
    if (status == TR_OK &&
        !tr_arena_copy(invocation->arena, tr_buf_str(text), &copy))
        status = tr_fail(&err, TR_E_NOMEM, "no memory for the arguments");
    if (status == TR_OK)
        status = tr_json_read(invocation->arena, copy, NULL, &above, &err);
    if (status == TR_OK)
        all = tr_json_join(invocation->arena, below, above);
    if (status == TR_OK && !all)
        status = tr_fail(&err, TR_E_NOMEM, "no memory for the arguments");
    if (status != TR_OK)
        (void)tr_cli_report_error(NULL, &err);
    return all;
}

/* The name of the operation, its name and its fields. */
static const struct tr_json *
read_arguments(const struct tr_cli_invocation *invocation,
               const struct tr_gen_op *op)
{
    const struct tr_json *below = tr_cli_gen_read_object(invocation, "input");
    const char *name = tr_gen_name_argument(op);
    const char *fields = tr_gen_fields_argument(op);
    struct tr_json_writer w;
    struct tr_buf text;
    if (!below)
        return NULL;
    tr_buf_init(&text, TR_LIMIT_CLI_OUTPUT);
    tr_jw_init(&w, &text);
    tr_jw_open(&w, '{');
    if (name && invocation->argument_count > 1)
        put_text(&w, name, invocation->arguments[1]);
    if (fields && invocation->argument_count > 2)
        put_fields(&w, invocation, fields);
    put_options(&w, invocation);
    tr_jw_close(&w, '}');
    const struct tr_json *all = join(invocation, below, &text, &w);
    tr_buf_done(&text);
    return all;
}

/* gen app FOLDER makes the folder's app; the others change one that is there.
 */
static const char *folder_of(const struct tr_cli_invocation *invocation,
                             const struct tr_gen_op *op)
{
    const char *folder = tr_cli_invocation_option(invocation, "app");
    bool is_named = !tr_gen_name_argument(op) && invocation->argument_count > 1;
    if (is_named)
        return invocation->arguments[1];
    return folder ? folder : ".";
}

static int run(const struct tr_cli_invocation *invocation,
               const struct tr_cli_gen *asked)
{
    struct tr_gen_call call;
    if (!asked->arguments || !tr_cli_gen_run(asked, &call))
        return TR_CLI_EXIT_FAILED;
    return tr_cli_gen_print(invocation, &call);
}

int tr_cli_run_gen(const struct tr_cli_invocation *invocation)
{
    char name[64];
    int len = snprintf(name, sizeof(name), "gen.%s", invocation->arguments[0]);
    struct tr_cli_gen asked = {.arena = invocation->arena};
    if (len > 0 && (size_t)len < sizeof(name))
        asked.op = tr_gen_find(tr_str_from(name));
    if (!asked.op)
        return tr_cli_report_usage(
            "there is no generator '%s': app, node-type, shape, capability, "
            "resource, prompt or policy",
            invocation->arguments[0]);
    if (invocation->argument_count > 2 && !tr_gen_fields_argument(asked.op))
        return tr_cli_report_usage("gen %s takes no fields",
                                   invocation->arguments[0]);
    asked.folder = folder_of(invocation, asked.op);
    asked.arguments = read_arguments(invocation, asked.op);
    return run(invocation, &asked);
}

static bool put_new_text(struct tr_json_writer *w,
                         const struct tr_cli_invocation *invocation)
{
    const char *from = tr_cli_invocation_option(invocation, "text");
    tr_str text;
    struct tr_err err;
    if (tr_cli_invocation_option(invocation, "delete")) {
        tr_jw_put_bool(w, "delete", true);
        return true;
    }
    if (tr_file_read(invocation->arena, from ? from : "-", TR_LIMIT_GEN_FILE,
                     &text, &err) != TR_OK) {
        (void)tr_cli_report_error(NULL, &err);
        return false;
    }
    tr_jw_put_string(w, "text", text);
    return true;
}

int tr_cli_run_app_edit(const struct tr_cli_invocation *invocation)
{
    const char *folder = tr_cli_invocation_option(invocation, "app");
    struct tr_cli_gen asked = {
        .op = tr_gen_find(TR_STR("app.edit")),
        .folder = folder ? folder : ".",
        .arena = invocation->arena,
    };
    struct tr_json_writer w;
    struct tr_buf text;
    tr_buf_init(&text, 8 * TR_LIMIT_GEN_FILE);
    tr_jw_init(&w, &text);
    tr_jw_open(&w, '{');
    put_text(&w, "path", invocation->arguments[0]);
    bool is_read = put_new_text(&w, invocation);
    put_options(&w, invocation);
    tr_jw_close(&w, '}');
    if (is_read)
        asked.arguments = join(invocation, NULL, &text, &w);
    tr_buf_done(&text);
    return run(invocation, &asked);
}

int tr_cli_run_app_source(const struct tr_cli_invocation *invocation)
{
    const char *folder = tr_cli_invocation_option(invocation, "app");
    struct tr_cli_gen asked = {
        .op = tr_gen_find(TR_STR("app.source")),
        .folder = folder ? folder : ".",
        .arena = invocation->arena,
    };
    struct tr_json_writer w;
    struct tr_buf text;
    tr_buf_init(&text, TR_LIMIT_CLI_OUTPUT);
    tr_jw_init(&w, &text);
    tr_jw_open(&w, '{');
    if (invocation->argument_count) {
        tr_jw_key(&w, "paths");
        tr_jw_open(&w, '[');
        for (size_t i = 0; i < invocation->argument_count; i++)
            tr_jw_string(&w, tr_str_from(invocation->arguments[i]));
        tr_jw_close(&w, ']');
    }
    tr_jw_close(&w, '}');
    asked.arguments = join(invocation, NULL, &text, &w);
    tr_buf_done(&text);
    return run(invocation, &asked);
}

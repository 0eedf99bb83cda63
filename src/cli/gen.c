#include "cli/gen.h"

#include "base/file.h"
#include "base/limits.h"
#include "cap/snapshot.h"
#include "cli/report.h"
#include "fields/check.h"
#include "fields/pattern.h"
#include "json/reader.h"
#include "json/writer.h"
#include "server/app.h"

#include <unistd.h>

/* Of what the generators change, app.lua alone is tried. */
static tr_status loads(void *context, const struct tr_gen_file *files,
                       size_t count, struct tr_err *err)
{
    struct tr_server_app *app = context;
    const struct tr_cap_snapshot *snapshot = NULL;
    for (size_t i = 0; i < count; i++) {
        if (tr_str_eq(files[i].path, TR_STR("app.lua")))
            return tr_server_app_try(app, files[i].text, err);
    }
    if (count)
        return TR_OK;
    tr_status status = tr_server_app_load(app, &snapshot, err);
    tr_cap_snapshot_unpin(snapshot);
    return status;
}

static bool report_fields(const struct tr_field_errors *errors)
{
    for (size_t i = 0; i < errors->count; i++) {
        tr_str message = errors->items[i].message;
        (void)fputs("trails: ", stderr);
        tr_cli_report_show(stderr, message);
        (void)fputc('\n', stderr);
    }
    return false;
}

static bool report(struct tr_gen_call *call, tr_status status,
                   const struct tr_err *err)
{
    if (status == TR_E_VALIDATION && call->errors.count)
        return report_fields(&call->errors);
    (void)tr_cli_report_error(NULL, err);
    return false;
}

/* The arguments as the operation takes them. */
static tr_status check(const struct tr_cli_gen *asked, struct tr_gen_call *call,
                       struct tr_err *err)
{
    struct tr_field_patterns patterns = {0};
    struct tr_shape_checked checked = {0};
    const struct tr_shape *shape = NULL;
    tr_status status =
        tr_gen_input(asked->op, asked->arena, &patterns, &shape, err);
    if (status == TR_OK)
        status = tr_shape_check_input(shape, asked->arguments, asked->arena,
                                      &checked, err);
    call->arguments = checked.value;
    call->errors = checked.errors;
    tr_field_patterns_done(&patterns);
    return status;
}

static bool run(struct tr_gen_call *call, const struct tr_gen_project *project)
{
    struct tr_err err = {0};
    call->project = project;
    tr_status status = tr_gen_run(call, &err);
    call->project = NULL;
    return status == TR_OK ? true : report(call, status, &err);
}

/* An app whose settings cannot be read is changed all the same: it may be what
 * mends them. */
static bool run_in_app(const struct tr_cli_gen *asked, struct tr_gen_call *call)
{
    struct tr_server_app app;
    char name[64];
    struct tr_err unused;
    struct tr_gen_project project = {.folder = asked->folder};
    bool is_open = asked->op->word &&
                   tr_server_app_open(&app, asked->folder, &unused) == TR_OK;
    tr_server_app_folder_name(asked->folder, name);
    project.name = tr_str_from(is_open ? app.name : name);
    project.loads = is_open ? loads : NULL;
    project.context = is_open ? &app : NULL;
    bool is_done = run(call, &project);
    if (is_open)
        tr_server_app_close(&app);
    return is_done;
}

bool tr_cli_gen_run(const struct tr_cli_gen *asked, struct tr_gen_call *out)
{
    struct tr_err err = {0};
    *out = (struct tr_gen_call){.op = asked->op, .arena = asked->arena};
    tr_status status = check(asked, out, &err);
    return status == TR_OK ? run_in_app(asked, out) : report(out, status, &err);
}

/* The lines of a diff, each in the colour of what it says. */
static void put_diff(struct tr_buf *out, tr_str diff, bool with_colours)
{
    tr_str line;
    while (tr_str_cut(diff, '\n', &line, &diff)) {
        size_t start = out->len;
        char c = line.len ? line.ptr[0] : ' ';
        const char *colour = !with_colours ? ""
                             : c == '+'    ? "\033[32m"
                             : c == '-'    ? "\033[31m"
                             : c == '@'    ? "\033[36m"
                                           : "";
        tr_buf_put(out, tr_str_from(colour));
        start = out->len;
        tr_buf_put(out, line);
        if (with_colours)
            tr_cli_report_put_lines(out, start);
        tr_buf_put(out, *colour ? TR_STR("\033[0m\n") : TR_STR("\n"));
    }
}

static void put_people(struct tr_buf *out, const struct tr_gen_call *call)
{
    bool with_colours = tr_file_takes_colours(STDOUT_FILENO);
    for (size_t i = 0; i < call->diff_count; i++)
        put_diff(out, call->diffs[i].unified_diff, with_colours);
    for (size_t i = 0; i < call->file_count; i++) {
        const struct tr_gen_file *file = &call->files[i];
        tr_buf_putf(out, "%.64s %10zu  %.*s\n",
                    file->sha256[0] ? file->sha256 : "-", file->bytes,
                    TR_FMT(file->path));
    }
}

static void say_what_happened(const struct tr_gen_call *call)
{
    if (!call->op->writes)
        return;
    if (!call->diff_count)
        (void)fputs("trails: it is as it should be: nothing to change\n",
                    stderr);
    else if (!call->applied)
        (void)fputs("trails: nothing is written yet: --apply does it\n",
                    stderr);
}

int tr_cli_gen_print(const struct tr_cli_invocation *invocation,
                     const struct tr_gen_call *call)
{
    bool as_json = tr_cli_invocation_option(invocation, "json") != NULL;
    struct tr_json_writer w;
    struct tr_buf out;
    struct tr_err err;
    tr_buf_init(&out, 4 * TR_LIMIT_CLI_OUTPUT);
    tr_status status = TR_OK;
    if (as_json) {
        tr_jw_init(&w, &out);
        tr_gen_write(&w, call);
        status = tr_jw_finish(&w, &err);
        tr_buf_putc(&out, '\n');
    } else {
        put_people(&out, call);
    }
    int exit_code = status == TR_OK ? tr_cli_report_output(&out)
                                    : tr_cli_report_error(NULL, &err);
    tr_buf_done(&out);
    if (exit_code == 0 && !as_json)
        say_what_happened(call);
    return exit_code;
}

const struct tr_json *
tr_cli_gen_read_object(const struct tr_cli_invocation *invocation,
                       const char *option)
{
    const char *given = tr_cli_invocation_option(invocation, option);
    const char *path = given && *given == '@' ? given + 1 : given;
    bool is_file = path != given || (given && strcmp(given, "-") == 0);
    const struct tr_json *value = NULL;
    tr_str text = tr_str_from(given ? given : "{}");
    struct tr_err err;
    if (is_file && tr_file_read(invocation->arena, path, TR_LIMIT_HTTP_BODY,
                                &text, &err) != TR_OK) {
        (void)tr_cli_report_error(NULL, &err);
        return NULL;
    }
    if (tr_json_read(invocation->arena, text, NULL, &value, &err) != TR_OK) {
        char name[64];
        (void)snprintf(name, sizeof(name), "--%s", option);
        (void)tr_cli_report_error(is_file ? path : name, &err);
        return NULL;
    }
    if (value->kind != TR_JSON_OBJECT) {
        (void)tr_cli_report_usage("--%s must be an object", option);
        return NULL;
    }
    return value;
}

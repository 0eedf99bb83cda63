#include "config/settings.h"
#include "gen/inside.h"
#include "gen/scaffold.h"

/* "hello" without, "hello-types" with types. */
static void name_scaffold(tr_str with, char out[64])
{
    (void)snprintf(out, 64, "hello%s%.*s", with.len ? "-" : "", TR_FMT(with));
}

static tr_status fail_memory(struct tr_err *err)
{
    return tr_fail(err, TR_E_NOMEM, "no memory for an app");
}

/* The name stands in every IRI that the app makes, so it is written down: it
 * stays when the folder is called otherwise. */
static tr_status write_settings(struct tr_gen_call *call, tr_str text,
                                tr_str *out, struct tr_err *err)
{
    tr_str name = call->project->name;
    struct tr_buf whole;
    tr_buf_init(&whole, TR_LIMIT_TOML_BYTES);
    tr_buf_put(&whole, text);
    tr_buf_putf(&whole,
                "\n[project]\n"
                "name = \"%.*s\"   # in every IRI: trails://%.*s/...\n",
                TR_FMT(name), TR_FMT(name));
    tr_status status = tr_buf_check(&whole, err);
    if (status == TR_OK && !tr_arena_copy(call->arena, tr_buf_str(&whole), out))
        status = fail_memory(err);
    tr_buf_done(&whole);
    return status;
}

static tr_status add_file(struct tr_gen_call *call,
                          const struct tr_gen_scaffold_file *file,
                          struct tr_err *err)
{
    struct tr_gen_file old;
    tr_str path = tr_str_from(file->path);
    tr_str text = file->text;
    bool is_there;
    TR_TRY(tr_gen_read_named(call, "with", path, &old, &is_there, err));
    if (is_there)
        return tr_fail(err, TR_E_CONFLICT,
                       "%s is there already: an app begins in a folder that "
                       "has none",
                       file->path);
    if (tr_str_eq(path, TR_STR("trails.toml")))
        TR_TRY(write_settings(call, file->text, &text, err));
    return tr_gen_add_diff(call, path, NULL, &text, err);
}

tr_status tr_gen_run_app(struct tr_gen_call *call, struct tr_err *err)
{
    char folder[64];
    const char *why = tr_config_check_project(call->project->name);
    if (why)
        return tr_fail(err, TR_E_INVALID, "the name '%.*s' of a project %s",
                       TR_FMT(call->project->name), why);
    name_scaffold(tr_gen_argument_text(call, "with"), folder);
    for (size_t i = 0; i < tr_gen_scaffold_files_count; i++) {
        if (strcmp(tr_gen_scaffold_files[i].folder, folder) == 0)
            TR_TRY(add_file(call, &tr_gen_scaffold_files[i], err));
    }
    return TR_OK;
}

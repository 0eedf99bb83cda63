#include "base/diff.h"
#include "base/text.h"
#include "base/vec.h"
#include "gen/apply.h"
#include "gen/inside.h"
#include "gen/path.h"
#include "json/build.h"

#include <errno.h>
#include <stdarg.h>
#include <sys/stat.h>

static tr_status fail_memory(struct tr_err *err)
{
    return tr_fail(err, TR_E_NOMEM, "no memory for a change of files");
}

const struct tr_json *tr_gen_argument(const struct tr_gen_call *call,
                                      const char *name)
{
    const struct tr_json *value =
        tr_json_find(call->arguments, tr_str_from(name));
    return value && value->kind != TR_JSON_NULL ? value : NULL;
}

tr_str tr_gen_argument_text(const struct tr_gen_call *call, const char *name)
{
    return tr_json_text(tr_gen_argument(call, name));
}

bool tr_gen_argument_is(const struct tr_gen_call *call, const char *name)
{
    bool truth = false;
    return tr_json_bool(tr_gen_argument(call, name), &truth) && truth;
}

tr_status tr_gen_refuse(struct tr_gen_call *call, const char *field,
                        const char *code, struct tr_err *err,
                        const char *format, ...)
{
    char message[TR_LIMIT_MESSAGE_BYTES];
    const struct tr_json *value = tr_gen_argument(call, field);
    int len = snprintf(message, sizeof(message), "%s ", field);
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(message + len, sizeof(message) - (size_t)len, format,
                    arguments);
    va_end(arguments);
    tr_str text = tr_utf8_cut(tr_str_from(message), sizeof(message));
    struct tr_field_error error = {
        .field = tr_str_from(field),
        .code = tr_str_from(code),
        .message = text,
        .value = value && value->kind == TR_JSON_STRING ? *value
                                                        : (struct tr_json){0},
    };
    if (!tr_field_errors_add(call->arena, &call->errors, &error))
        return fail_memory(err);
    return tr_field_errors_verdict(&call->errors, err);
}

/* Of one file; the arena has it. */
static tr_status write_diff(struct tr_gen_call *call, struct tr_gen_diff *diff,
                            const struct tr_gen_file *before,
                            struct tr_err *err)
{
    char from_name[TR_LIMIT_GEN_PATH + 3];
    char to_name[TR_LIMIT_GEN_PATH + 3];
    struct tr_diff_side from = {0};
    struct tr_diff_side to = {0};
    struct tr_buf text;
    (void)snprintf(from_name, sizeof(from_name), "a/%.*s", TR_FMT(diff->path));
    (void)snprintf(to_name, sizeof(to_name), "b/%.*s", TR_FMT(diff->path));
    if (before)
        from = (struct tr_diff_side){tr_str_from(from_name), before->text};
    if (diff->change != TR_GEN_DELETE)
        to = (struct tr_diff_side){tr_str_from(to_name), diff->after};
    tr_buf_init(&text, 4 * TR_LIMIT_GEN_FILE);
    tr_status status = tr_diff_unified(&text, &from, &to, err);
    if (status == TR_OK &&
        !tr_arena_copy(call->arena, tr_buf_str(&text), &diff->unified_diff))
        status = fail_memory(err);
    tr_buf_done(&text);
    return status;
}

/* What is told is JSON, which has no other texts. */
static tr_status check_text(tr_str path, tr_str text, struct tr_err *err)
{
    if (!tr_utf8_is_valid(text))
        return tr_fail(err, TR_E_INVALID, "%.*s is not UTF-8", TR_FMT(path));
    if (text.len > TR_LIMIT_GEN_FILE)
        return tr_fail(err, TR_E_LIMIT, "%.*s would be larger than %zu bytes",
                       TR_FMT(path), TR_LIMIT_GEN_FILE);
    return TR_OK;
}

tr_status tr_gen_add_diff(struct tr_gen_call *call, tr_str path,
                          const struct tr_gen_file *before, const tr_str *after,
                          struct tr_err *err)
{
    struct tr_gen_diff diff = {
        .path = path,
        .change = !before  ? TR_GEN_CREATE
                  : !after ? TR_GEN_DELETE
                           : TR_GEN_MODIFY,
    };
    if (before && after && tr_str_eq(before->text, *after))
        return TR_OK;
    if (before) {
        TR_TRY(check_text(path, before->text, err));
        memcpy(diff.before_sha256, before->sha256, sizeof(before->sha256));
    }
    if (after) {
        TR_TRY(check_text(path, *after, err));
        diff.after = *after;
        tr_gen_hash(*after, diff.after_sha256);
    }
    TR_TRY(write_diff(call, &diff, before, err));
    if (!tr_vec_room(call->arena, &call->diffs, call->diff_count,
                     &call->diff_cap, sizeof(diff)))
        return fail_memory(err);
    call->diffs[call->diff_count++] = diff;
    return TR_OK;
}

tr_status tr_gen_read_named(struct tr_gen_call *call, const char *argument,
                            tr_str path, struct tr_gen_file *out,
                            bool *is_there, struct tr_err *err)
{
    struct tr_err why = {0};
    *is_there = false;
    if (!call->tree)
        return TR_OK;
    tr_status status =
        tr_gen_tree_read(call->tree, path, call->arena, out, is_there, &why);
    if (status == TR_E_INVALID)
        return tr_gen_refuse(call, argument, "path", err, "%s", why.msg);
    if (status != TR_OK && err)
        *err = why;
    return status;
}

tr_status tr_gen_check_before(struct tr_gen_call *call,
                              const struct tr_gen_file *file,
                              struct tr_err *err)
{
    tr_str known = tr_gen_argument_text(call, "before_sha256");
    if (!known.len || (file && tr_str_eq(known, tr_str_from(file->sha256))))
        return TR_OK;
    if (!file)
        return tr_fail(err, TR_E_CONFLICT,
                       "there is no such file, and before_sha256 says that "
                       "there is");
    return tr_fail(err, TR_E_CONFLICT,
                   "%.*s has changed: before_sha256 is not its hash now",
                   TR_FMT(file->path));
}

/* The folder, locked, with what a killed process has left ended. */
static tr_status open_tree(const struct tr_gen_call *call,
                           struct tr_gen_tree *tree, struct tr_err *err)
{
    tr_status status = tr_gen_tree_open(call->project->folder, tree, err);
    if (status == TR_E_NOT_FOUND && call->op->run == tr_gen_run_app) {
        if (!tr_gen_argument_is(call, "apply"))
            return TR_OK;
        if (mkdir(call->project->folder, 0777) != 0)
            return tr_fail(err, TR_E_IO, "cannot make the folder %s: %s",
                           call->project->folder, strerror(errno));
        status = tr_gen_tree_open(call->project->folder, tree, err);
    }
    TR_TRY(status);
    TR_TRY(tr_gen_lock(tree, err));
    return tr_gen_end_intent(tree, err);
}

/* A declaration that would keep an app from loading is refused; an app that
 * does not load without it, either, is no reason. */
static tr_status try_to_load(struct tr_gen_call *call, struct tr_err *err)
{
    const struct tr_gen_project *project = call->project;
    struct tr_gen_file files[TR_LIMIT_GEN_DIFFS];
    struct tr_err why = {0};
    if (!project->loads || !call->op->word)
        return TR_OK;
    for (size_t i = 0; i < call->diff_count; i++)
        files[i] = (struct tr_gen_file){.path = call->diffs[i].path,
                                        .text = call->diffs[i].after};
    tr_status status =
        project->loads(project->context, files, call->diff_count, &why);
    if (status == TR_OK)
        return TR_OK;
    if (status == TR_E_NOMEM)
        return fail_memory(err);
    struct tr_err before = {0};
    if (project->loads(project->context, NULL, 0, &before) != TR_OK)
        return TR_OK;
    return tr_gen_refuse(call, tr_gen_name_argument(call->op), "refused", err,
                         "would keep the app from loading: %s", why.msg);
}

static tr_status run(struct tr_gen_call *call, struct tr_err *err)
{
    TR_TRY(call->op->run(call, err));
    TR_TRY(try_to_load(call, err));
    if (!call->op->writes || !tr_gen_argument_is(call, "apply"))
        return TR_OK;
    if (call->diff_count)
        TR_TRY(tr_gen_apply(call->tree, call->diffs, call->diff_count, err));
    call->applied = true;
    return TR_OK;
}

tr_status tr_gen_run(struct tr_gen_call *call, struct tr_err *err)
{
    struct tr_gen_tree tree = {.fd = -1};
    tr_status status = open_tree(call, &tree, err);
    call->tree = tree.fd < 0 ? NULL : &tree;
    if (status == TR_OK)
        status = run(call, err);
    call->tree = NULL;
    tr_gen_tree_close(&tree);
    return status;
}

static void put_hash(struct tr_json_writer *w, const char *key,
                     const char *sha256)
{
    if (sha256[0])
        tr_jw_put_string(w, key, tr_str_from(sha256));
    else
        tr_jw_put_null(w, key);
}

static void put_diff(struct tr_json_writer *w, const struct tr_gen_diff *diff)
{
    static const char *const names[] = {[TR_GEN_CREATE] = "create",
                                        [TR_GEN_MODIFY] = "modify",
                                        [TR_GEN_DELETE] = "delete"};
    tr_jw_open(w, '{');
    tr_jw_put_string(w, "path", diff->path);
    tr_jw_put_string(w, "op", tr_str_from(names[diff->change]));
    put_hash(w, "before_sha256", diff->before_sha256);
    if (diff->change == TR_GEN_DELETE)
        tr_jw_put_null(w, "after");
    else
        tr_jw_put_string(w, "after", diff->after);
    tr_jw_put_string(w, "unified_diff", diff->unified_diff);
    tr_jw_close(w, '}');
}

static void put_file(struct tr_json_writer *w, const struct tr_gen_file *file)
{
    tr_jw_open(w, '{');
    tr_jw_put_string(w, "path", file->path);
    tr_jw_put_i64(w, "bytes", (int64_t)file->bytes);
    put_hash(w, "sha256", file->sha256);
    if (file->text.ptr)
        tr_jw_put_string(w, "text", file->text);
    tr_jw_close(w, '}');
}

void tr_gen_write(struct tr_json_writer *w, const struct tr_gen_call *call)
{
    tr_jw_open(w, '{');
    if (call->op->writes)
        tr_jw_put_bool(w, "applied", call->applied);
    tr_jw_key(w, "files");
    tr_jw_open(w, '[');
    for (size_t i = 0; i < call->diff_count; i++)
        put_diff(w, &call->diffs[i]);
    for (size_t i = 0; i < call->file_count; i++)
        put_file(w, &call->files[i]);
    tr_jw_close(w, ']');
    tr_jw_close(w, '}');
}

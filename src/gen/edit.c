#include "base/text.h"
#include "base/vec.h"
#include "gen/inside.h"
#include "gen/path.h"
#include "toml/reader.h"

static tr_status refuse(struct tr_gen_call *call, const char *field,
                        const char *code, struct tr_err *err, const char *why)
{
    return tr_gen_refuse(call, field, code, err, "%s", why);
}

/*
 * Whether trails.toml has secrets, which nobody is told and no diff shows. Of a
 * text that cannot be read, whether it could have some.
 */
static bool has_secrets(tr_str path, tr_str text)
{
    const struct tr_json *root = NULL;
    struct tr_arena arena;
    bool has = false;
    if (!tr_str_eq(path, TR_STR("trails.toml")))
        return false;
    tr_arena_init(&arena, TR_LIMIT_CLI_MEMORY);
    if (tr_toml_read(&arena, text, &root, NULL) == TR_OK)
        has = tr_json_find(root, TR_STR("secrets")) != NULL;
    else
        has = memmem(text.ptr, text.len, "secrets", 7) != NULL;
    tr_arena_done(&arena);
    return has;
}

static tr_status check_secrets(struct tr_gen_call *call, tr_str path,
                               const struct tr_gen_file *before,
                               const tr_str *after, struct tr_err *err)
{
    if (before && has_secrets(path, before->text))
        return refuse(call, "path", "secret", err,
                      "names a file with [secrets]: a person edits it");
    if (after && has_secrets(path, *after))
        return refuse(call, "text", "secret", err,
                      "must not have [secrets]: a person writes them, into the "
                      "file or into TRAILS_SECRET_... of the environment");
    return TR_OK;
}

/* The two ways of saying what becomes of the file. */
static tr_status read_after(struct tr_gen_call *call, tr_str *text,
                            bool *is_kept, struct tr_err *err)
{
    const struct tr_json *given = tr_gen_argument(call, "text");
    bool goes = tr_gen_argument_is(call, "delete");
    if (goes == (given != NULL))
        return refuse(call, "text", "invalid", err,
                      "or delete = true is needed, and not both");
    *text = tr_json_text(given);
    *is_kept = !goes;
    return TR_OK;
}

/* Who replaces a file says which one: it may have been changed since. */
static tr_status check_known(struct tr_gen_call *call,
                             const struct tr_gen_file *before,
                             struct tr_err *err)
{
    TR_TRY(tr_gen_check_before(call, before, err));
    if (before && tr_gen_argument_is(call, "apply") &&
        !tr_gen_argument(call, "before_sha256"))
        return tr_gen_refuse(call, "before_sha256", "required", err,
                             "is required to replace a file that is there; it "
                             "is %s now",
                             before->sha256);
    return TR_OK;
}

tr_status tr_gen_run_edit(struct tr_gen_call *call, struct tr_err *err)
{
    struct tr_gen_file file;
    tr_str path = tr_gen_argument_text(call, "path");
    tr_str text;
    bool is_there;
    bool is_kept = false;
    const char *why = tr_gen_path_refuse(path);
    if (why)
        return refuse(call, "path", "path", err, why);
    TR_TRY(read_after(call, &text, &is_kept, err));
    TR_TRY(tr_gen_read_named(call, "path", path, &file, &is_there, err));
    if (!is_there && !is_kept)
        return refuse(call, "path", "not_found", err, "is not there");
    const struct tr_gen_file *before = is_there ? &file : NULL;
    const tr_str *after = is_kept ? &text : NULL;
    TR_TRY(check_secrets(call, path, before, after, err));
    TR_TRY(check_known(call, before, err));
    return tr_gen_add_diff(call, path, before, after, err);
}

/* Whether the text of a file is wanted, too. */
static bool is_wanted(const struct tr_gen_call *call, tr_str path)
{
    const struct tr_json *paths = tr_gen_argument(call, "paths");
    bool all = tr_gen_argument_is(call, "texts");
    for (size_t i = 0; !all && paths && i < paths->len; i++)
        all = tr_str_eq(tr_json_text(tr_json_at(paths, i)), path);
    return all;
}

/* Lists a file that was read; its text is copied where it is wanted. */
static tr_status keep_file(struct tr_gen_call *call, struct tr_gen_file *file,
                           struct tr_err *err)
{
    bool is_shown = is_wanted(call, file->path) &&
                    tr_utf8_is_valid(file->text) &&
                    !has_secrets(file->path, file->text);
    tr_str text = file->text;
    file->text = (tr_str){NULL, 0};
    if ((is_shown && !tr_arena_copy(call->arena, text, &file->text)) ||
        !tr_vec_room(call->arena, &call->files, call->file_count,
                     &call->file_cap, sizeof(*file)))
        return tr_fail(err, TR_E_NOMEM, "no memory to list the files");
    call->files[call->file_count++] = *file;
    return TR_OK;
}

static tr_status add_file(struct tr_gen_call *call, tr_str path,
                          struct tr_err *err)
{
    struct tr_gen_file file;
    struct tr_arena scratch;
    bool is_there;
    tr_arena_init(&scratch, 2 * TR_LIMIT_GEN_FILE);
    tr_status status =
        tr_gen_tree_read(call->tree, path, &scratch, &file, &is_there, err);
    bool is_large = status == TR_E_LIMIT; /* it has no hash, and no text */
    if ((status == TR_OK && is_there) || is_large)
        status = keep_file(call, &file, err);
    tr_arena_done(&scratch);
    return status == TR_E_INVALID ? TR_OK : status; /* it is none any more */
}

/* A path that is asked for, and is not there, is a mistake. */
static tr_status check_paths(struct tr_gen_call *call, struct tr_err *err)
{
    const struct tr_json *paths = tr_gen_argument(call, "paths");
    for (size_t i = 0; paths && i < paths->len; i++) {
        tr_str path = tr_json_text(tr_json_at(paths, i));
        const char *why = tr_gen_path_refuse(path);
        size_t k = 0;
        if (why)
            return tr_gen_refuse(call, "paths", "path", err, "'%.*s' %s",
                                 TR_FMT(path), why);
        while (k < call->file_count && !tr_str_eq(call->files[k].path, path))
            k++;
        if (k == call->file_count)
            return tr_gen_refuse(call, "paths", "not_found", err,
                                 "'%.*s' is not there", TR_FMT(path));
    }
    return TR_OK;
}

tr_status tr_gen_run_source(struct tr_gen_call *call, struct tr_err *err)
{
    struct tr_gen_paths paths = {0};
    TR_TRY(tr_gen_tree_list(call->tree, call->arena, &paths, err));
    for (size_t i = 0; i < paths.count; i++)
        TR_TRY(add_file(call, paths.items[i], err));
    return check_paths(call, err);
}

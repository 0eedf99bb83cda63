#include "install/wish.h"

#include "base/limits.h"
#include "base/text.h"

#include <sys/stat.h>

#define ARGS_MAX 5

static bool is_same_folder(tr_str one, const char *other)
{
    char path[TR_LIMIT_PATH_BYTES];
    struct stat a;
    struct stat b;
    if (tr_str_eq(one, tr_str_from(other)))
        return true;
    if (!one.len || one.len >= sizeof(path))
        return false;
    memcpy(path, one.ptr, one.len);
    path[one.len] = '\0';
    return stat(path, &a) == 0 && stat(other, &b) == 0 &&
           a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

tr_status tr_install_wish_check(const struct tr_install_wish *wish,
                                const struct tr_install_found *now,
                                struct tr_err *err)
{
    if (!now || !wish->folder || is_same_folder(now->folder, wish->folder))
        return TR_OK;
    if (!now->folder.len)
        return tr_fail(err, TR_E_CONFLICT,
                       "%.*s is there already, and serves no app's folder",
                       TR_FMT(wish->name));
    return tr_fail(err, TR_E_CONFLICT,
                   "%.*s is there already, for the app in %.*s",
                   TR_FMT(wish->name), TR_FMT(now->folder));
}

static tr_status check_text(const struct tr_install_wish *wish,
                            const char *what, const char *text,
                            struct tr_err *err)
{
    if (!tr_utf8_is_valid(tr_str_from(text)))
        return tr_fail(err, TR_E_INVALID,
                       "the path of %s is not UTF-8, which the file has to be",
                       what);
    if (wish->variable && strstr(text, wish->variable))
        return tr_fail(err, TR_E_INVALID,
                       "the path of %s has '%s', which would begin a variable "
                       "there: %s",
                       what, wish->variable, text);
    return TR_OK;
}

static tr_status check_texts(const struct tr_install_wish *wish,
                             struct tr_err *err)
{
    TR_TRY(check_text(wish, "the program", wish->command, err));
    TR_TRY(check_text(wish, "the app", wish->folder, err));
    if (!wish->token_file)
        return TR_OK;
    return check_text(wish, "the token's file", wish->token_file, err);
}

tr_status tr_install_wish_entry(struct tr_arena *arena,
                                const struct tr_install_wish *wish,
                                const struct tr_install_found *now,
                                struct tr_install_entry *out,
                                struct tr_err *err)
{
    TR_TRY(check_texts(wish, err));
    TR_TRY(tr_install_wish_check(wish, now, err));
    *out = (struct tr_install_entry){.name = wish->name,
                                     .command = tr_str_from(wish->command)};
    /* A folder that is only where it is started says nothing of stdio. */
    if (now && !wish->token_file && now->folder.ptr != now->cwd.ptr) {
        out->args = now->entry.args;
        out->arg_count = now->entry.arg_count;
        return TR_OK;
    }
    tr_str *args = TR_NEW_ARRAY(arena, tr_str, ARGS_MAX);
    if (!args)
        return tr_fail(err, TR_E_NOMEM, "no memory for an entry");
    args[0] = TR_STR("serve");
    args[1] = tr_str_from(wish->folder);
    args[2] = TR_STR("--stdio");
    args[3] = TR_STR("--token-file");
    args[4] = tr_str_from(wish->token_file);
    out->args = args;
    out->arg_count = wish->token_file ? ARGS_MAX : 3;
    return TR_OK;
}

/*
 * The credential of who has started the program, for a client on standard input
 * that cannot say one itself.
 */
#include "base/file.h"
#include "base/limits.h"
#include "base/time.h"
#include "server/gate.h"
#include "server/secrets.h"
#include "server/server.h"

#include <errno.h>
#include <sys/stat.h>

#define VARIABLE "TRAILS_TOKEN"

static tr_status find_variable(const struct tr_server_app *app, tr_str *out,
                               struct tr_err *err)
{
    *out = tr_str_trim(
        tr_server_credential(app->credentials, TR_SERVER_OWN_TOKEN));
    if (out->len > TR_LIMIT_BEARER_BYTES)
        return tr_fail(err, TR_E_LIMIT, VARIABLE " has at most %zu bytes",
                       TR_LIMIT_BEARER_BYTES);
    return TR_OK;
}

static tr_status read_token(struct tr_arena *arena, const char *path,
                            tr_str *out, struct tr_err *err)
{
    struct stat about;
    if (stat(path, &about) != 0)
        return tr_fail(err, TR_E_NOT_FOUND, "%s: %s", path, strerror(errno));
    if ((about.st_mode & 077) != 0)
        return tr_fail(err, TR_E_INVALID,
                       "%s can be read by others, who have the token then: "
                       "chmod 600 it, and make a new token",
                       path);
    TR_TRY(tr_file_read(arena, path, TR_LIMIT_BEARER_BYTES + 2, out, err));
    *out = tr_str_trim(*out);
    if (!out->len || out->len > TR_LIMIT_BEARER_BYTES)
        return tr_fail(err, TR_E_INVALID, "%s has no token of 1 to %zu bytes",
                       path, TR_LIMIT_BEARER_BYTES);
    return TR_OK;
}

tr_status tr_server_bring_token(const struct tr_server_opts *serve, tr_str *out,
                                struct tr_err *err)
{
    struct tr_arena *arena = &serve->app->arena;
    tr_str given = {NULL, 0};
    tr_str read = {NULL, 0};
    TR_TRY(find_variable(serve->app, &given, err));
    if (serve->token_file)
        TR_TRY(read_token(arena, serve->token_file, &read, err));
    if (given.len && read.len && !tr_str_eq(given, read))
        return tr_fail(err, TR_E_INVALID,
                       VARIABLE " and --token-file are different credentials");
    *out = read.len ? read : given;
    return TR_OK;
}

tr_status tr_server_check_brought(const struct tr_server_gate *gate,
                                  const struct tr_server_opts *serve,
                                  struct tr_access_bearer *bearer,
                                  uint64_t generation, struct tr_err *err)
{
    const struct tr_access_authority *who = NULL;
    const struct tr_access_bearer_moment now = {tr_time_now().seconds,
                                                generation};
    if (!gate->rules.brought.len)
        return TR_OK;
    tr_status status =
        tr_access_bearer_resolve(bearer, gate->rules.brought, now, &who, err);
    if (status != TR_E_UNAUTHENTICATED)
        return TR_OK; /* keys that have not come yet may still do */
    tr_err_prefix(err, "the token of %s",
                  serve->token_file ? serve->token_file : VARIABLE);
    return status;
}

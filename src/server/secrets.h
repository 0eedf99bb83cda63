/*
 * server/secrets.h - the secrets of an app and the credentials of the process:
 * taken out of trails.toml and the environment before anybody else sees either.
 */
#ifndef TR_SERVER_SECRETS_H
#define TR_SERVER_SECRETS_H

#include "base/err.h"
#include "base/str.h"

struct tr_crypto_secrets;

/*
 * Reads [secrets] of `toml` and the variables TRAILS_SECRET_..., which go
 * before it, and wipes them there; `toml` must be in memory of ours. `path` is
 * its file, which must then be its owner's alone; NULL: it is none. On success
 * *out is the caller's; NULL when there are no secrets. From the first one on
 * the process writes no core file. A text that is no TOML has none: who reads
 * it next will say so.
 */
TR_NODISCARD tr_status tr_server_secrets_take(const char *path, tr_str toml,
                                              struct tr_crypto_secrets **out,
                                              struct tr_err *err);

/*
 * Takes the variables that are credentials, and wipes them there. On success
 * *out is the caller's, who finds them by their names.
 */
#define TR_SERVER_MCP_TOKEN  TR_STR("TRAILS_MCP_TOKEN")
#define TR_SERVER_JWT_SECRET TR_STR("TRAILS_MCP_JWT_SECRET")
#define TR_SERVER_OWN_TOKEN  TR_STR("TRAILS_TOKEN")
TR_NODISCARD tr_status
tr_server_credentials_take(struct tr_crypto_secrets **out, struct tr_err *err);

/* Its text, or "". */
tr_str tr_server_credential(const struct tr_crypto_secrets *taken, tr_str name);

#endif

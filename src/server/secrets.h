/*
 * server/secrets.h - the secrets of an app: taken out of trails.toml and the
 * environment before anybody else sees either.
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

#endif

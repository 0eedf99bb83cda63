/*
 * access/token.h - tokens that trails gives out, and the tables of this folder.
 *
 * A token is "trails_" and 256 random bits. It is shown once; the store has its
 * hash. Functions that write need a transaction of TR_DB_WRITE.
 */
#ifndef TR_ACCESS_TOKEN_H
#define TR_ACCESS_TOKEN_H

#include "access/budget.h"
#include "base/arena.h"
#include "base/err.h"
#include "crypto/digest.h"

struct tr_db;

#define TR_ACCESS_TOKEN_PREFIX "trails_"

/* Digits of an id, and letters of a token. */
#define TR_ACCESS_TOKEN_ID   12
#define TR_ACCESS_TOKEN_TEXT 50

/* All of a token but its secret. */
struct tr_access_token {
    tr_str id;
    tr_str name; /* "" when it has none */
    unsigned scopes;
    int64_t created_s;
    int64_t expires_s; /* 0: never */
    int64_t revoked_s; /* 0: it is not */
    struct tr_access_budget_limits limits;
};

/* TR_E_INVALID for other than letters, digits, '.', '_', '-', '@' and '/'. */
TR_NODISCARD tr_status tr_access_token_check_name(tr_str name,
                                                  struct tr_err *err);

/*
 * What adding a token makes up: its id and its secret, both without a NUL. The
 * id of `draft` is ignored.
 */
struct tr_access_token_made {
    char id[TR_ACCESS_TOKEN_ID];
    char text[TR_ACCESS_TOKEN_TEXT];
};
TR_NODISCARD tr_status tr_access_token_add(struct tr_db *db,
                                           const struct tr_access_token *draft,
                                           struct tr_access_token_made *out,
                                           struct tr_err *err);

/*
 * The token whose text has this hash, whatever has become of it; texts are in
 * the arena. TR_E_NOT_FOUND.
 */
TR_NODISCARD tr_status tr_access_token_find(
    struct tr_db *db, const unsigned char hash[TR_CRYPTO_SHA256_BYTES],
    struct tr_arena *arena, struct tr_access_token *out, struct tr_err *err);

/* Whether it is neither revoked nor expired at this time. */
bool tr_access_token_is_valid(const struct tr_access_token *token,
                              int64_t now_s);

/* Revokes it from now on; TR_E_NOT_FOUND. It may have been revoked before. */
TR_NODISCARD tr_status tr_access_token_revoke(struct tr_db *db, tr_str id,
                                              int64_t now_s,
                                              struct tr_err *err);

/*
 * Calls `visit` for each token, the oldest first; its texts live until `visit`
 * returns, and its failure ends the visits.
 */
typedef tr_status tr_access_token_fn(void *data,
                                     const struct tr_access_token *token,
                                     struct tr_err *err);
TR_NODISCARD tr_status tr_access_token_each(struct tr_db *db,
                                            tr_access_token_fn *visit,
                                            void *data, struct tr_err *err);

/* How many tokens are valid at this time. */
TR_NODISCARD tr_status tr_access_token_count(struct tr_db *db, int64_t now_s,
                                             int64_t *out, struct tr_err *err);

/* Whether there ever was one: rows stay when tokens are revoked or expire. */
TR_NODISCARD tr_status tr_access_token_was_added(struct tr_db *db, bool *out,
                                                 struct tr_err *err);

/*
 * The tables of this folder, a part of the store's schema. Times are Unix
 * seconds.
 *
 * token   of its text only the SHA-256: a text with 256 random bits cannot be
 *         found from that. A time that is NULL is never, a limit of 0 is none
 * budget  what was used in a window of so many seconds, from `start` on
 *         (access/budget.h); an empty text stands for all
 * ended   sessions that nobody may take up again (access/ended.h)
 */
#define TR_ACCESS_SCHEMA                                                       \
    "CREATE TABLE token (id TEXT PRIMARY KEY, hash BLOB NOT NULL UNIQUE,"      \
    " name TEXT NOT NULL, scopes INTEGER NOT NULL,"                            \
    " created INTEGER NOT NULL, expires INTEGER, revoked INTEGER,"             \
    " calls_hour INTEGER NOT NULL, calls_day INTEGER NOT NULL,"                \
    " tokens_hour INTEGER NOT NULL, tokens_day INTEGER NOT NULL,"              \
    " usd_hour REAL NOT NULL, usd_day REAL NOT NULL) WITHOUT ROWID;"

#define TR_ACCESS_SCHEMA_BUDGET                                                \
    "CREATE TABLE budget (id INTEGER PRIMARY KEY, level INTEGER NOT NULL,"     \
    " capability TEXT NOT NULL, principal TEXT NOT NULL,"                      \
    " window INTEGER NOT NULL, start INTEGER NOT NULL,"                        \
    " calls INTEGER NOT NULL, tokens INTEGER NOT NULL,"                        \
    " micro_usd INTEGER NOT NULL,"                                             \
    " UNIQUE (level, capability, principal, window));"                         \
    "CREATE INDEX budget_start ON budget (start);"

#define TR_ACCESS_SCHEMA_ENDED                                                 \
    "CREATE TABLE ended (caller BLOB NOT NULL, name BLOB NOT NULL,"            \
    " made INTEGER NOT NULL, PRIMARY KEY (caller, name)) WITHOUT ROWID;"       \
    "CREATE INDEX ended_made ON ended (made);"

#endif

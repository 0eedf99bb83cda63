/*
 * access/token.h - tokens that we give out, in the store.
 *
 * A token is "trails_" and 256 random bits. It is shown once; the store has its
 * hash. Functions that write want a transaction that does.
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

/* All but its secret. */
struct tr_access_token {
    tr_str id;
    tr_str name; /* "" when it has none */
    unsigned scopes;
    int64_t created_s;
    int64_t expires_s; /* 0: never */
    int64_t revoked_s; /* 0: it is not */
    struct tr_access_budget_limits limits;
};

/* Letters, digits, '.', '_', '-', '@' and '/'; TR_E_INVALID. */
TR_NODISCARD tr_status tr_access_token_check_name(tr_str name,
                                                  struct tr_err *err);

/*
 * Adds one: `draft` is without its id, which is filled in, as the secret is;
 * both without a NUL.
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

/* Whether it counts at this time. */
bool tr_access_token_is_valid(const struct tr_access_token *token,
                              int64_t now_s);

/* From now on it does not. TR_E_NOT_FOUND; it may have been revoked before. */
TR_NODISCARD tr_status tr_access_token_revoke(struct tr_db *db, tr_str id,
                                              int64_t now_s,
                                              struct tr_err *err);

/* Each, the oldest first; texts live until `visit` returns, which may fail. */
typedef tr_status tr_access_token_fn(void *data,
                                     const struct tr_access_token *token,
                                     struct tr_err *err);
TR_NODISCARD tr_status tr_access_token_each(struct tr_db *db,
                                            tr_access_token_fn *visit,
                                            void *data, struct tr_err *err);

/* How many are valid at this time. */
TR_NODISCARD tr_status tr_access_token_count(struct tr_db *db, int64_t now_s,
                                             int64_t *out, struct tr_err *err);

/*
 * The tables, a part of the store's schema. Of a token only the SHA-256 is
 * kept: it is as random as a key, so nobody finds it from that. Times are Unix
 * seconds; NULL is never. Limits of 0 are none (access/budget.h).
 *
 * budget  what was used in a window of so many seconds, from `start` on
 *         (access/bill.h); an empty text stands for all
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

#endif

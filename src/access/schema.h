/*
 * access/schema.h - the tables of tokens, a part of the store's schema.
 *
 * Of a token only the SHA-256 is kept: it is as random as a key, so nobody
 * finds it from that. Times are Unix seconds; NULL is never. Limits of 0 are
 * none (access/budget.h).
 *
 * budget  what was used in a window of so many seconds, from `start` on
 *         (access/budget.h); an empty text stands for all
 */
#ifndef TR_ACCESS_SCHEMA_H
#define TR_ACCESS_SCHEMA_H

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

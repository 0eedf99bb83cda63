/*
 * access/schema.h - the tables of tokens, a part of the store's schema.
 *
 * Of a token only the SHA-256 is kept: it is as random as a key, so nobody
 * finds it from that. Times are Unix seconds; NULL is never. Limits of 0 are
 * none (access/budget.h).
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

#endif

/*
 * prov/schema.h - the tables of provenance, as a step of the store's schema.
 *
 * activity       those that wrote, by id: they sort by the time they began
 * activity_read  those that did not; the oldest go (prov/trim.h)
 * prov_name      what rows have as numbers: kind, version and name of what ran,
 *                and names of principals (prov/pack.h); rows never go
 * prov_state     1: the key of digests; 2: rows of activity_read
 * kept           results by idempotency key (prov/idempotency_store.h)
 */
#ifndef TR_PROV_SCHEMA_H
#define TR_PROV_SCHEMA_H

/* The first step, and what was added later. */
#define TR_PROV_SCHEMA                                                         \
    "CREATE TABLE activity (id BLOB PRIMARY KEY, what INTEGER NOT NULL,"       \
    " who INTEGER NOT NULL, more BLOB NOT NULL) WITHOUT ROWID;"                \
    "CREATE TABLE activity_read (id BLOB PRIMARY KEY, what INTEGER NOT NULL,"  \
    " who INTEGER NOT NULL, more BLOB NOT NULL) WITHOUT ROWID;"                \
    "CREATE TABLE prov_name (id INTEGER PRIMARY KEY,"                          \
    " key BLOB NOT NULL UNIQUE);"                                              \
    "CREATE TABLE prov_state (key INTEGER PRIMARY KEY, value NOT NULL);"       \
    "INSERT INTO prov_state VALUES (2, 0);"

#define TR_PROV_SCHEMA_KEPT                                                    \
    "CREATE TABLE kept (id BLOB PRIMARY KEY, args BLOB NOT NULL,"              \
    " result BLOB NOT NULL, expires INTEGER NOT NULL);"                        \
    "CREATE INDEX kept_expires ON kept (expires);"

#endif

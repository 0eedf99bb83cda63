/*
 * prov/published.h - what a store published last of each capability, and since
 * when it advises against it.
 */
#ifndef TR_PROV_PUBLISHED_H
#define TR_PROV_PUBLISHED_H

#include "base/arena.h"
#include "base/err.h"

/* The first two steps, and the one that has made one table of their tables. */
#define TR_PROV_SCHEMA_DEPRECATED                                              \
    "CREATE TABLE deprecated (id TEXT PRIMARY KEY, since INTEGER NOT NULL)"    \
    " WITHOUT ROWID"
#define TR_PROV_SCHEMA_PUBLISHED                                               \
    "CREATE TABLE published (id TEXT PRIMARY KEY, version TEXT NOT NULL,"      \
    " content TEXT NOT NULL) WITHOUT ROWID"
#define TR_PROV_SCHEMA_SINCE                                                   \
    "ALTER TABLE published ADD COLUMN deprecated INTEGER NOT NULL DEFAULT 0;"  \
    "INSERT INTO published SELECT id, '', '', since FROM deprecated"           \
    " WHERE true ON CONFLICT DO UPDATE SET deprecated = excluded.deprecated;"  \
    "DROP TABLE deprecated;"

struct tr_db;

/* Both are empty for what was never published. */
struct tr_prov_published {
    tr_str version;
    tr_str content;
};

/* That of one, in the arena; also of a store that has not taken the last step.
 */
TR_NODISCARD tr_status tr_prov_published_read(struct tr_db *db, tr_str id,
                                              struct tr_arena *arena,
                                              struct tr_prov_published *out,
                                              struct tr_err *err);

/* Both, and since when it is deprecated; in a transaction that writes. */
TR_NODISCARD tr_status tr_prov_published_write(
    struct tr_db *db, tr_str id, const struct tr_prov_published *published,
    int64_t deprecated_s, struct tr_err *err);

/* Since when it is deprecated, in Unix time; 0: it is not. */
TR_NODISCARD tr_status tr_prov_deprecated_read(struct tr_db *db, tr_str id,
                                               int64_t *out,
                                               struct tr_err *err);

/* Whether any is. */
TR_NODISCARD tr_status tr_prov_deprecated_any(struct tr_db *db, bool *out,
                                              struct tr_err *err);

#endif

/*
 * table/staging.h - what is kept of the rows of an import between its passes,
 * in a file beside the store: mistakes, ids, unique values, refs to other rows.
 */
#ifndef TR_TABLE_STAGING_H
#define TR_TABLE_STAGING_H

#include "base/arena.h"
#include "db/db.h"

struct tr_table_staging {
    struct tr_db_scratch scratch;
    struct tr_db *db;
    bool is_open;
    bool is_settled; /* hopes have been looked at */
};

/* Where something stands: the file's number, and the place in it. */
struct tr_table_spot {
    uint64_t row;
    size_t file;
    tr_place place;
};

TR_NODISCARD tr_status tr_table_staging_open(struct tr_table_staging *staging,
                                             const char *store,
                                             struct tr_err *err);
void tr_table_staging_close(struct tr_table_staging *staging);

/* A mistake, and that the row is bad. */
TR_NODISCARD tr_status tr_table_staging_tell(struct tr_table_staging *staging,
                                             const struct tr_table_spot *spot,
                                             bool is_row, tr_str why,
                                             struct tr_err *err);
TR_NODISCARD tr_status tr_table_staging_is_bad(struct tr_table_staging *staging,
                                               uint64_t row, bool *out,
                                               struct tr_err *err);

/* In the order of places, those that were not given out before. */
typedef void tr_table_told_fn(void *context, const struct tr_table_spot *spot,
                              tr_str why);
TR_NODISCARD tr_status tr_table_staging_each_told(
    struct tr_table_staging *staging, tr_table_told_fn *visit, void *context,
    struct tr_err *err);

/*
 * A name that a row has: its IRI, under the key "", or a unique value, under
 * the key of its set. When another row has it, *other is where and *taken is
 * set, and nothing is kept.
 */
struct tr_table_name {
    tr_str set;
    tr_str value;
    tr_str iri; /* of the row */
    struct tr_table_spot spot;
};
TR_NODISCARD tr_status tr_table_staging_name(struct tr_table_staging *staging,
                                             const struct tr_table_name *name,
                                             bool *taken,
                                             struct tr_table_spot *other,
                                             struct tr_err *err);

/* Fills in the IRI of the row with a set and a value, in `arena`, and its spot;
 * "" when there is none. */
TR_NODISCARD tr_status tr_table_staging_find(struct tr_table_staging *staging,
                                             struct tr_table_name *name,
                                             struct tr_arena *arena,
                                             struct tr_err *err);

/* What must turn out: that some good row has a name, or the IRI, if there is
 * one. Else `why` is told. */
struct tr_table_hope {
    tr_str set;
    tr_str value;
    tr_str iri;
    tr_str why;
    struct tr_table_spot spot;
};
TR_NODISCARD tr_status tr_table_staging_hope(struct tr_table_staging *staging,
                                             const struct tr_table_hope *hope,
                                             struct tr_err *err);

/*
 * Forgets the names of bad rows, tells the hopes that are in vain by that, of
 * rows which then are bad, too, and goes on until nothing more is in vain. It
 * may be done again when more rows are bad.
 */
TR_NODISCARD tr_status tr_table_staging_settle(struct tr_table_staging *staging,
                                               struct tr_err *err);

/* How many rows are bad, and how many mistakes were told. */
TR_NODISCARD tr_status tr_table_staging_count(struct tr_table_staging *staging,
                                              uint64_t *bad, uint64_t *told,
                                              struct tr_err *err);

#endif

/*
 * rows/seen.h - terms that a connection has seen, by id and by key; for
 * terms.c and its tests only.
 *
 * An entry is in one chain by its id and in one by its key: a tr_map has one
 * key only, and every read goes through these.
 */
#ifndef TR_ROWS_SEEN_H
#define TR_ROWS_SEEN_H

#include "base/arena.h"
#include "rows/term_id.h"

struct tr_rows_seen_entry {
    tr_rdf_id id;
    uint64_t hash; /* of the key */
    tr_str key;    /* an IRI, or the bytes of a value, of a long one without its
                      row (pack/value.h) */
    tr_rdf_term term; /* of kind NONE: it has not been asked for */
    tr_str whole;     /* of a long value: all of it, when that is known */
    uint64_t row;     /* of a long value: where all of it stands */
    struct tr_rows_seen_entry *next_by_id;
    struct tr_rows_seen_entry *next_by_key;
};

struct tr_rows_seen {
    struct tr_arena arena;
    struct tr_rows_seen_entry **by_id;
    struct tr_rows_seen_entry **by_key;
    size_t buckets; /* of each; a power of two, or 0 */
    size_t count;
    uint64_t seed;
};

void tr_rows_seen_init(struct tr_rows_seen *seen, uint64_t seed);
void tr_rows_seen_done(struct tr_rows_seen *seen);

/* Drops all entries. */
void tr_rows_seen_clear(struct tr_rows_seen *seen);

uint64_t tr_rows_seen_hash(const struct tr_rows_seen *seen, tr_str key);

/* NULL when it was not seen. */
struct tr_rows_seen_entry *tr_rows_seen_find_id(const struct tr_rows_seen *seen,
                                                tr_rdf_id id);
struct tr_rows_seen_entry *
tr_rows_seen_find_key(const struct tr_rows_seen *seen, tr_str key,
                      uint64_t hash);

/* Adds what is not there yet; the key is copied. NULL without memory. */
struct tr_rows_seen_entry *tr_rows_seen_add(struct tr_rows_seen *seen,
                                            tr_rdf_id id, tr_str key,
                                            uint64_t hash);

#endif

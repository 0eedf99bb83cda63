/*
 * rdf/term_table.h - terms as small, dense integers.
 *
 * A term is added once and keeps its id. Language tags take ids too, though
 * they are no terms. Text is copied; views given out live as long as the table.
 * It is no tr_map: with tens of millions of terms each byte of a slot counts,
 * and a slot is fetched from memory ahead of its use.
 */
#ifndef TR_RDF_TERM_TABLE_H
#define TR_RDF_TERM_TABLE_H

#include "base/arena.h"
#include "rdf/graph.h"

struct tr_rdf_term_slot {
    uint32_t hash;
    uint32_t id; /* 0 when free */
};

struct tr_rdf_term_table {
    struct tr_arena blocks; /* of text */
    char *next;             /* free text */
    char *end;
    struct tr_buf records; /* struct record, by id */
    struct tr_buf slots;   /* struct tr_rdf_term_slot, by hash */
    uint32_t slot_mask;    /* 0 before the first term */
    uint32_t bound;        /* the next id */
    uint32_t datatype;     /* id of the last literal's: it often comes again */
    uint64_t seed;
};

/* Takes no memory yet. `max_bytes` bounds text, records and slots each. */
void tr_rdf_term_table_init(struct tr_rdf_term_table *table, size_t max_bytes);
void tr_rdf_term_table_done(struct tr_rdf_term_table *table);

/* The hash of a term. It also has the term's slot fetched from memory, so that
 * tr_rdf_term_table_add need not wait for it. */
uint32_t tr_rdf_term_table_hash(const struct tr_rdf_term_table *table,
                                const tr_rdf_term *term);

/* The id of a term with that hash; the term is added when it is new. */
TR_NODISCARD tr_status tr_rdf_term_table_add(struct tr_rdf_term_table *table,
                                             const tr_rdf_term *term,
                                             uint32_t hash, uint32_t *out,
                                             struct tr_err *err);

/* The id of a term, or 0. */
uint32_t tr_rdf_term_table_find(const struct tr_rdf_term_table *table,
                                const tr_rdf_term *term);

/* False for an id that stands for no term. */
bool tr_rdf_term_table_get(const struct tr_rdf_term_table *table, tr_rdf_id id,
                           tr_rdf_term *out);

#endif

/*
 * graph/terms.h - the terms of a store, by id and by what they are.
 *
 * One per connection, and as thread-bound as that. Terms never change, so what
 * was seen once is kept: a cache, which tr_graph_terms_trim keeps small.
 */
#ifndef TR_GRAPH_TERMS_H
#define TR_GRAPH_TERMS_H

#include "graph/term_id.h"

struct tr_db;
struct tr_graph_terms;

TR_NODISCARD tr_status tr_graph_terms_create(struct tr_db *db,
                                             struct tr_graph_terms **out,
                                             struct tr_err *err);
void tr_graph_terms_free(struct tr_graph_terms *terms);

/* TR_RDF_ID_NONE when the store does not have it. Blank nodes are never there.
 */
TR_NODISCARD tr_status tr_graph_terms_find(struct tr_graph_terms *terms,
                                           const tr_rdf_term *term,
                                           tr_rdf_id *out, struct tr_err *err);

/* As tr_graph_terms_find, but adds it; in a transaction that writes. */
TR_NODISCARD tr_status tr_graph_terms_intern(struct tr_graph_terms *terms,
                                             const tr_rdf_term *term,
                                             tr_rdf_id *out,
                                             struct tr_err *err);

/* As tr_graph_terms_intern, of one that was looked for and is not in the store.
 */
TR_NODISCARD tr_status tr_graph_terms_add(struct tr_graph_terms *terms,
                                          const tr_rdf_term *term,
                                          tr_rdf_id *out, struct tr_err *err);

/* The sequence number that the next new term gets. */
TR_NODISCARD tr_status tr_graph_terms_next(struct tr_graph_terms *terms,
                                           uint64_t *out, struct tr_err *err);

/* The term of an id of this store. Valid until tr_graph_terms_trim. */
TR_NODISCARD tr_status tr_graph_terms_get(struct tr_graph_terms *terms,
                                          tr_rdf_id id, tr_rdf_term *out,
                                          struct tr_err *err);

/* Nobody uses the texts of terms any more: a large cache is dropped. */
void tr_graph_terms_trim(struct tr_graph_terms *terms);

/* First in a transaction: others may have added terms since the last. */
void tr_graph_terms_renew(struct tr_graph_terms *terms);

/*
 * What was interned since the last commit is gone, or a compaction by another
 * process has renumbered: nothing that is remembered counts any more.
 */
void tr_graph_terms_forget(struct tr_graph_terms *terms);

#endif

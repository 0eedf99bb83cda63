/*
 * graph/terms.h - the terms of a store, by id and by what they are.
 *
 * A connection has one, on its thread. Terms never change, so those that were
 * seen stay in a cache, which tr_graph_terms_trim keeps small.
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

/* As tr_graph_terms_intern, for a term that the caller has not found. */
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

/* Drops the cache when it holds more; the caller uses no texts of terms then.
 */
#define TR_GRAPH_TERMS_BYTES TR_MIB(16) /* as most have it */
void tr_graph_terms_trim(struct tr_graph_terms *terms, size_t max_bytes);

/* To be called first in a transaction: others may have added terms. */
void tr_graph_terms_renew(struct tr_graph_terms *terms);

/*
 * Drops the cache: what was interned since the last commit was undone, or ids
 * have come to mean something else (a compaction, a restored backup).
 */
void tr_graph_terms_forget(struct tr_graph_terms *terms);

#endif

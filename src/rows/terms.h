/*
 * rows/terms.h - the terms of a store, by id and by what they are.
 *
 * A connection has one, on its thread. IRIs have numbers in the store; those
 * that were seen stay in a cache. Literals have none: the store has their
 * values where they are used, and a connection numbers those that it meets.
 * tr_rows_terms_trim keeps both small.
 */
#ifndef TR_ROWS_TERMS_H
#define TR_ROWS_TERMS_H

#include "pack/key.h"
#include "rows/term_id.h"

struct tr_db;
struct tr_rows_terms;

TR_NODISCARD tr_status tr_rows_terms_create(struct tr_db *db,
                                            struct tr_rows_terms **out,
                                            struct tr_err *err);
void tr_rows_terms_free(struct tr_rows_terms *terms);

/* TR_RDF_ID_NONE when the store does not have the IRI, or the datatype of the
 * literal: another literal has an id whether a quad has it or not. Blank nodes
 * are never there. */
TR_NODISCARD tr_status tr_rows_terms_find(struct tr_rows_terms *terms,
                                          const tr_rdf_term *term,
                                          tr_rdf_id *out, struct tr_err *err);

/* As tr_rows_terms_find, but adds it; in a transaction that writes. */
TR_NODISCARD tr_status tr_rows_terms_intern(struct tr_rows_terms *terms,
                                            const tr_rdf_term *term,
                                            tr_rdf_id *out, struct tr_err *err);

/* As tr_rows_terms_intern, for a term that the caller has not found. */
TR_NODISCARD tr_status tr_rows_terms_add(struct tr_rows_terms *terms,
                                         const tr_rdf_term *term,
                                         tr_rdf_id *out, struct tr_err *err);

/* The number that the next new IRI gets. */
TR_NODISCARD tr_status tr_rows_terms_next(struct tr_rows_terms *terms,
                                          uint64_t *out, struct tr_err *err);

/* The term of an id of this store. Valid until tr_rows_terms_trim. */
TR_NODISCARD tr_status tr_rows_terms_get(struct tr_rows_terms *terms,
                                         tr_rdf_id id, tr_rdf_term *out,
                                         struct tr_err *err);

/* The id of what a statement says, from the bytes of its value. */
TR_NODISCARD tr_status tr_rows_terms_of_value(struct tr_rows_terms *terms,
                                              tr_str bytes, tr_rdf_id *out,
                                              struct tr_err *err);

/* The bytes of the value of an id (pack/value.h), of a long one without its
 * row; valid until tr_rows_terms_trim, or written to `room`. */
TR_NODISCARD tr_status tr_rows_terms_value(struct tr_rows_terms *terms,
                                           tr_rdf_id id,
                                           char room[TR_PACK_LONG_MAX],
                                           tr_str *out, struct tr_err *err);

/* All bytes of a long value; "" of others. */
TR_NODISCARD tr_status tr_rows_terms_whole(struct tr_rows_terms *terms,
                                           tr_rdf_id id, tr_str *out,
                                           struct tr_err *err);

/* The key of an id in the index by value. */
TR_NODISCARD tr_status tr_rows_terms_key(struct tr_rows_terms *terms,
                                         tr_rdf_id id, tr_pack_key *out,
                                         struct tr_err *err);

/* Drops what is large; the caller uses no texts of terms and no ids of literals
 * then. Who keeps ids asks whether the generation is still the same. */
void tr_rows_terms_trim(struct tr_rows_terms *terms);
uint64_t tr_rows_terms_generation(const struct tr_rows_terms *terms);

/* To be called first in a transaction: others may have added terms, and written
 * rows that are kept (rows/bodies.h). */
void tr_rows_terms_renew(struct tr_rows_terms *terms);

/*
 * Drops the cache: what was interned since the last commit was undone, or ids
 * have come to mean something else (a compaction, a restored backup).
 */
void tr_rows_terms_forget(struct tr_rows_terms *terms);

#endif

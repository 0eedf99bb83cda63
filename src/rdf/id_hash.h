/*
 * rdf/id_hash.h - a set of ids that takes no memory while it is small.
 *
 * The caller owns the struct; tr_rdf_id_hash_done releases what it took. It is
 * no tr_map: validation makes thousands of these, most of them with a few ids.
 */
#ifndef TR_RDF_ID_HASH_H
#define TR_RDF_ID_HASH_H

#include "base/buf.h"
#include "rdf/graph.h"

enum { TR_RDF_ID_HASH_SMALL = 16 };

struct tr_rdf_id_hash {
    tr_rdf_id few[TR_RDF_ID_HASH_SMALL]; /* until it is full */
    size_t count;
    struct tr_buf slots; /* then these: tr_rdf_id, 0 when free */
    size_t mask;
    uint64_t seed;
};

void tr_rdf_id_hash_init(struct tr_rdf_id_hash *set);
void tr_rdf_id_hash_done(struct tr_rdf_id_hash *set);

bool tr_rdf_id_hash_has(const struct tr_rdf_id_hash *set, tr_rdf_id id);

/* *is_new tells whether it was not there before. */
TR_NODISCARD tr_status tr_rdf_id_hash_add(struct tr_rdf_id_hash *set,
                                          tr_rdf_id id, bool *is_new,
                                          struct tr_err *err);

#endif

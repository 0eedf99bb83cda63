/*
 * graph/terms_inside.h - the tables of the terms that were seen; for terms.c
 * and its tests only.
 */
#ifndef TR_GRAPH_TERMS_INSIDE_H
#define TR_GRAPH_TERMS_INSIDE_H

#include "base/arena.h"
#include "base/buf.h"
#include "graph/terms.h"

/*
 * A term that was seen: in one chain by its id, in one by its key. A tr_map has
 * one key only, and every read goes through this cache.
 */
struct tr_graph_terms_entry {
    tr_rdf_id id;
    uint64_t hash; /* of the key */
    tr_str key;
    tr_rdf_term term;
    struct tr_graph_terms_entry *next_by_id;
    struct tr_graph_terms_entry *next_by_key;
};

struct tr_graph_terms {
    struct tr_db *db;
    struct tr_arena arena;
    struct tr_graph_terms_entry **by_id;
    struct tr_graph_terms_entry **by_key;
    size_t buckets; /* of each; a power of two, or 0 */
    size_t count;
    uint64_t seed;
    uint64_t next; /* the sequence number of a new term; 0: not read yet */
    struct tr_buf key;
};

#endif

/*
 * graph/overlay_inside.h - the tables of an overlay; for it and its tests only.
 *
 * They are no tr_map: an entry is in three chains at once, is turned off and on
 * without leaving them, and its key is four numbers.
 */
#ifndef TR_GRAPH_OVERLAY_INSIDE_H
#define TR_GRAPH_OVERLAY_INSIDE_H

#include "base/vec.h"
#include "graph/overlay.h"

/* A quad that was once changed; kept when that was taken back. */
struct tr_graph_overlay_entry {
    tr_rdf_ids quad;
    bool is_added; /* it is not below */
    bool is_off;   /* taken back: as below */
    struct tr_graph_overlay_entry *next_by_quad;
    struct tr_graph_overlay_entry *next_by_s;
    struct tr_graph_overlay_entry *next_by_o;
    struct tr_graph_overlay_entry *next; /* in the order of changes */
    bool is_in_part;                     /* it was changed since the mark */
    bool was_there; /* then: whether the quad was there at the mark */
    struct tr_graph_overlay_entry *next_in_part;
    void *by; /* who changed it last */
};

/* A term that is not below. */
struct tr_graph_overlay_term {
    tr_rdf_term term;
    tr_rdf_id id;
    uint64_t hash;
    struct tr_graph_overlay_term *next_by_term;
};

enum { TR_GRAPH_BY_QUAD, TR_GRAPH_BY_S, TR_GRAPH_BY_O, TR_GRAPH_ORDERS };

struct tr_graph_overlay {
    struct tr_rdf_graph base;
    const struct tr_rdf_graph *below;
    struct tr_arena *arena;
    TR_VEC(struct tr_graph_overlay_term *) made;
    struct tr_graph_overlay_term **by_term;
    size_t term_buckets;
    uint64_t seed;
    struct tr_graph_overlay_entry **tables[TR_GRAPH_ORDERS];
    size_t buckets; /* of each; a power of two, or 0 */
    size_t entry_count;
    size_t change_count; /* those that are on */
    struct tr_graph_overlay_entry *first;
    struct tr_graph_overlay_entry **last;
    struct tr_graph_overlay_entry *part; /* what was changed since the mark,
                                            newest first */
    struct inner *spare;                 /* states of closed cursors */
    void *by;                            /* who makes changes */
};

#endif

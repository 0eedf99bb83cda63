/*
 * graph/sight.h - what one call sees of a store: the common argument of reads.
 *
 * Made on the stack between tr_reader_begin and tr_reader_end, and gone with
 * them; what was read into the arena stays. Nodes are read in all graphs
 * together: a statement that stands in two of them is shown once.
 */
#ifndef TR_GRAPH_SIGHT_H
#define TR_GRAPH_SIGHT_H

#include "base/arena.h"
#include "graph/overlay.h"
#include "graph/reader.h"
#include "shape/model.h"

struct tr_sight {
    struct tr_db *db;
    struct tr_terms *terms;
    const struct tr_rdf_graph *graph; /* the stored one, or that of `changes` */
    const struct tr_overlay *changes; /* NULL: the call has changed nothing */
    const struct tr_model *model;
    struct tr_arena *arena; /* of results */
};

/* `changes` may be NULL. */
static inline struct tr_sight tr_sight_of(struct tr_reader *reader,
                                          const struct tr_overlay *changes,
                                          const struct tr_model *model,
                                          struct tr_arena *arena)
{
    return (struct tr_sight){
        .db = reader->db,
        .terms = reader->terms,
        .graph = changes ? tr_overlay_view(changes) : &reader->stored.base,
        .changes = changes,
        .model = model,
        .arena = arena,
    };
}

/* Whether the call has changed something that is said of a node. */
static inline bool tr_sight_touches(const struct tr_sight *sight,
                                    tr_rdf_id node)
{
    return sight->changes && tr_overlay_touches(sight->changes, node);
}

/* A term whose text lives until the end of the job, or in `text`. */
TR_NODISCARD static inline tr_status
tr_sight_term(const struct tr_sight *sight, tr_rdf_id id, char text[TR_ID_TEXT],
              tr_rdf_term *out, struct tr_err *err)
{
    /* The cache would keep a text for every number that was ever read. */
    if (tr_id_is_inline(id) && !tr_id_is_new(id)) {
        *out = tr_id_decode(id, text);
        if (out->kind != TR_RDF_TERM_NONE)
            return TR_OK;
    }
    return tr_rdf_graph_get(sight->graph, id, out, err);
}

#endif

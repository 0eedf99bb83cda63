/*
 * graph/read_ctx.h - what one call sees of a store: the argument that all reads
 * share.
 *
 * It is made on the stack between tr_graph_reader_begin and
 * tr_graph_reader_end, and gone with them; what was read into the arena stays.
 * Nodes are read in all graphs together: a statement that stands in two of them
 * is shown once.
 */
#ifndef TR_GRAPH_READ_CTX_H
#define TR_GRAPH_READ_CTX_H

#include "base/arena.h"
#include "graph/overlay.h"
#include "graph/reader.h"
#include "model/model.h"

struct tr_graph_read_ctx {
    struct tr_db *db;
    struct tr_graph_terms *terms;
    const struct tr_rdf_graph *graph; /* the stored one, or that of `changes` */
    const struct tr_graph_overlay
        *changes; /* NULL: the call has changed nothing */
    const struct tr_model *model;
    const struct tr_model_face *face; /* NULL: all is seen; else `model` and
                                         `graph` are the face's */
    struct tr_arena *arena;           /* of results */
    struct tr_query_scans *scans; /* where slow queries are noted, or NULL */
    const struct tr_graph_value_set *values; /* the store's indexes by value;
                                                NULL: none */
};

/* `changes` may be NULL. */
static inline struct tr_graph_read_ctx
tr_graph_read_ctx_of(struct tr_graph_reader *reader,
                     const struct tr_graph_overlay *changes,
                     const struct tr_model *model, struct tr_arena *arena)
{
    return (struct tr_graph_read_ctx){
        .db = reader->db,
        .terms = reader->terms,
        .graph =
            changes ? tr_graph_overlay_view(changes) : &reader->stored.base,
        .changes = changes,
        .model = model,
        .arena = arena,
        .values = &reader->values,
    };
}

/* Whether the call has changed something that is said of a node. */
static inline bool
tr_graph_read_ctx_touches(const struct tr_graph_read_ctx *ctx, tr_rdf_id node)
{
    return ctx->changes && tr_graph_overlay_touches(ctx->changes, node);
}

/* Whether a node may be called otherwise than its row says. */
static inline bool
tr_graph_read_ctx_relabels(const struct tr_graph_read_ctx *ctx, tr_rdf_id node)
{
    return tr_graph_read_ctx_touches(ctx, node) ||
           (ctx->face && ctx->face->has_own_labels);
}

/* A term whose text lives until the end of the job, or in `text`. */
TR_NODISCARD static inline tr_status
tr_graph_read_ctx_term(const struct tr_graph_read_ctx *ctx, tr_rdf_id id,
                       char text[TR_GRAPH_ID_TEXT], tr_rdf_term *out,
                       struct tr_err *err)
{
    /* The cache would keep a text for every number that was ever read. */
    if (tr_graph_id_is_inline(id) && !tr_graph_id_is_new(id)) {
        *out = tr_graph_id_decode(id, text);
        if (out->kind != TR_RDF_TERM_NONE)
            return TR_OK;
    }
    return tr_rdf_graph_get(ctx->graph, id, out, err);
}

#endif

#include "graph/node.h"

#include "db/db.h"
#include "graph/row.h"

static tr_status fail_memory(struct tr_err *err)
{
    return tr_fail(err, TR_E_NOMEM, "no memory for a node");
}

tr_status tr_graph_node_find(const struct tr_graph_read_ctx *ctx, tr_str iri,
                             tr_rdf_id *out, struct tr_err *err)
{
    return tr_rdf_graph_find_iri(ctx->graph, iri, out, err);
}

/* Terms that this call has made have no row. *stmt is at the row; NULL: there
 * is none. */
static tr_status find_row(const struct tr_graph_read_ctx *ctx, tr_rdf_id id,
                          const char *sql, struct tr_db_stmt **stmt,
                          struct tr_graph_stored_node *out, struct tr_err *err)
{
    bool row = false;
    *stmt = NULL;
    *out = (struct tr_graph_stored_node){0};
    if (id == TR_RDF_ID_NONE || tr_graph_id_is_new(id))
        return TR_OK;
    TR_TRY(tr_db_prepare(ctx->db, sql, stmt, err));
    tr_db_bind_i64(*stmt, 1, (int64_t)id);
    tr_status status = tr_db_stmt_step(*stmt, &row, err);
    if (!row) {
        *stmt = NULL;
        return status;
    }
    out->is_there = true;
    out->type = (tr_rdf_id)tr_db_column_i64(*stmt, 0);
    out->version = tr_db_column_i64(*stmt, 1);
    return TR_OK;
}

tr_status tr_graph_stored_node_seen(const struct tr_graph_read_ctx *ctx,
                                    tr_rdf_id id,
                                    struct tr_graph_stored_node *out,
                                    struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    TR_TRY(find_row(ctx, id, "SELECT type, version FROM node WHERE s = ?1",
                    &stmt, out, err));
    if (stmt)
        tr_db_stmt_reset(stmt);
    return TR_OK;
}

tr_status tr_graph_stored_node_read(const struct tr_graph_read_ctx *ctx,
                                    tr_rdf_id id,
                                    struct tr_graph_stored_node *out,
                                    struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    TR_TRY(find_row(ctx, id,
                    "SELECT type, version, label FROM node WHERE s = ?1", &stmt,
                    out, err));
    if (!stmt)
        return TR_OK;
    tr_str label = tr_db_column_text(stmt, 2);
    bool copied = !label.len || tr_arena_copy(ctx->arena, label, &out->label);
    tr_db_stmt_reset(stmt);
    return copied ? TR_OK : fail_memory(err);
}

tr_status tr_graph_node_exists(const struct tr_graph_read_ctx *ctx,
                               tr_rdf_id id, bool *out, struct tr_err *err)
{
    struct tr_graph_stored_node row;
    tr_rdf_ids pattern = {id, TR_RDF_ID_ANY, TR_RDF_ID_ANY, TR_RDF_ID_ANY};
    *out = false;
    if (id == TR_RDF_ID_NONE)
        return TR_OK;
    TR_TRY(tr_rdf_graph_has(ctx->graph, pattern, out, err));
    if (*out || tr_graph_read_ctx_touches(ctx, id) || ctx->face)
        return TR_OK; /* its last quad was removed, or is hidden */
    TR_TRY(tr_graph_stored_node_read(ctx, id, &row, err));
    *out = row.is_there;
    return TR_OK;
}

tr_status tr_graph_best_type_offer(const struct tr_graph_read_ctx *ctx,
                                   struct tr_graph_best_type *best,
                                   tr_rdf_id class, struct tr_err *err)
{
    char text[TR_GRAPH_ID_TEXT];
    tr_rdf_term term;
    TR_TRY(tr_graph_read_ctx_term(ctx, class, text, &term, err));
    const struct tr_model_type *type =
        term.kind == TR_RDF_TERM_IRI ? tr_model_find_iri(ctx->model, term.text)
                                     : NULL;
    size_t depth = tr_graph_type_depth(type);
    if (depth > best->depth ||
        (type && depth == best->depth &&
         tr_str_cmp(type->shape->iri, best->type->shape->iri) < 0))
        *best = (struct tr_graph_best_type){type, depth};
    return TR_OK;
}

struct classes {
    const struct tr_graph_read_ctx *ctx;
    struct tr_graph_best_type best;
};

static tr_status see_class(void *context, tr_rdf_ids row, struct tr_err *err)
{
    struct classes *classes = context;
    return tr_graph_best_type_offer(classes->ctx, &classes->best, row.o, err);
}

tr_status tr_graph_node_type(const struct tr_graph_read_ctx *ctx, tr_rdf_id id,
                             const struct tr_model_type **out,
                             struct tr_err *err)
{
    struct classes classes = {.ctx = ctx};
    tr_rdf_ids pattern = {id, TR_RDF_ID_NONE, TR_RDF_ID_ANY, TR_RDF_ID_ANY};
    TR_TRY(tr_rdf_graph_find_iri(ctx->graph, TR_STR(TR_RDF_IRI_RDF_TYPE),
                                 &pattern.p, err));
    TR_TRY(tr_rdf_graph_each(ctx->graph, pattern, see_class, &classes, err));
    *out = classes.best.type;
    return TR_OK;
}

tr_status tr_graph_node_label(const struct tr_graph_read_ctx *ctx, tr_rdf_id id,
                              tr_str *out, struct tr_err *err)
{
    struct tr_graph_stored_node stored;
    struct tr_graph_node_row row;
    if (tr_graph_read_ctx_relabels(ctx, id)) {
        TR_TRY(tr_graph_row_make(ctx->graph, ctx->model, id, ctx->arena, &row,
                                 err));
        *out = row.label;
        return TR_OK;
    }
    TR_TRY(tr_graph_stored_node_read(ctx, id, &stored, err));
    *out = stored.label;
    return TR_OK;
}

tr_status tr_graph_node_version(const struct tr_graph_read_ctx *ctx,
                                tr_rdf_id id, int64_t *out, struct tr_err *err)
{
    struct tr_graph_stored_node row;
    TR_TRY(tr_graph_stored_node_read(ctx, id, &row, err));
    *out = row.version + tr_graph_read_ctx_touches(ctx, id);
    return TR_OK;
}

/* How many fit a filter, and whether any does. */
#include "base/limits.h"
#include "db/db.h"
#include "query/candidates.h"

static tr_status count_one(void *context, tr_rdf_id node, bool *stop,
                           struct tr_err *err)
{
    struct tr_query_count *count = context;
    (void)node;
    (void)err;
    count->at_least = count->count == TR_LIMIT_COUNT;
    *stop = count->at_least;
    count->count += !*stop;
    return TR_OK;
}

/* The number of instances of a class, which every write keeps up to date. */
static tr_status read_type_count(const struct tr_graph_read_ctx *ctx,
                                 tr_rdf_id class, uint64_t *out,
                                 struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    bool row;
    TR_TRY(tr_db_prepare(
        ctx->db, "SELECT count FROM type_count WHERE type = ?1", &stmt, err));
    tr_db_bind_i64(stmt, 1, (int64_t) class);
    TR_TRY(tr_db_stmt_step(stmt, &row, err));
    *out = row ? (uint64_t)tr_db_column_i64(stmt, 0) : 0;
    tr_db_stmt_reset(stmt);
    return TR_OK;
}

/* What a face hides of a type are the instances of its private subtypes; those
 * of other private types that have its class too are counted. */
static tr_status count_type(const struct tr_graph_read_ctx *ctx,
                            const struct tr_model_type *type, tr_rdf_id class,
                            uint64_t *out, struct tr_err *err)
{
    const struct tr_model_face *face = ctx->face;
    TR_TRY(read_type_count(ctx, class, out, err));
    for (size_t i = 0; face && i < face->private_count; i++) {
        const struct tr_model_type *above = face->private_types[i]->parent;
        uint64_t hidden = 0;
        while (above && !tr_str_eq(above->name, type->name))
            above = above->parent;
        if (!above)
            continue;
        TR_TRY(tr_rdf_graph_find_iri(
            ctx->graph, face->private_types[i]->shape->iri, &class, err));
        TR_TRY(read_type_count(ctx, class, &hidden, err));
        *out -= hidden < *out ? hidden : *out;
    }
    return TR_OK;
}

tr_status tr_query_where_count(const struct tr_graph_read_ctx *ctx,
                               const struct tr_query *query,
                               struct tr_query_count *out, struct tr_err *err)
{
    struct tr_query_filter filter;
    struct tr_query_candidates candidates = {
        .ctx = ctx, .query = query, .filter = &filter};
    *out = (struct tr_query_count){0};
    TR_TRY(tr_query_filter_compile(ctx, query, &filter, err));
    if (filter.root.count == 0 && !ctx->changes)
        return count_type(ctx, query->type, filter.class, &out->count, err);
    TR_TRY(tr_query_candidates_choose(&candidates, err));
    TR_TRY(tr_query_candidates_each(&candidates, tr_query_work(query->max_work),
                                    count_one, out, err));
    out->at_least |= candidates.is_cut;
    return TR_OK;
}

static tr_status stop_at_one(void *context, tr_rdf_id node, bool *stop,
                             struct tr_err *err)
{
    bool *exists = context;
    (void)node;
    (void)err;
    *stop = *exists = true;
    return TR_OK;
}

tr_status tr_query_where_exists(const struct tr_graph_read_ctx *ctx,
                                const struct tr_query *query, bool *out,
                                struct tr_err *err)
{
    struct tr_query_filter filter;
    struct tr_query_candidates candidates = {
        .ctx = ctx, .query = query, .filter = &filter};
    size_t work = tr_query_work(query->max_work);
    *out = false;
    TR_TRY(tr_query_filter_compile(ctx, query, &filter, err));
    TR_TRY(tr_query_candidates_choose(&candidates, err));
    TR_TRY(tr_query_candidates_each(&candidates, work, stop_at_one, out, err));
    if (!*out && candidates.is_cut)
        return tr_fail(err, TR_E_LIMIT,
                       "none of the first %zu candidates fits the filter",
                       work);
    return TR_OK;
}

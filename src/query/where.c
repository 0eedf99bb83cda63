#include "base/limits.h"
#include "db/db.h"
#include "query/merge.h"
#include "query/query.h"

static tr_status open_merge(struct tr_query_merge *merge,
                            const struct tr_graph_read_ctx *ctx,
                            const struct tr_query *query, tr_str after,
                            struct tr_err *err)
{
    struct tr_query_filter filter;
    tr_rdf_id last = TR_RDF_ID_NONE;
    *merge = (struct tr_query_merge){.ctx = ctx};
    TR_TRY(tr_query_filter_compile(ctx, query, &filter, err));
    if (after.len)
        TR_TRY(tr_rdf_graph_find_iri(ctx->graph, after, &last, err));
    if (after.len && last == TR_RDF_ID_NONE)
        return tr_fail(err, TR_E_NOT_FOUND,
                       "there is no node '%.*s' to go on from", TR_FMT(after));
    return tr_query_merge_open(merge, ctx, &filter, last,
                               tr_query_work(query->max_work) + query->skip,
                               err);
}

size_t tr_query_work(size_t asked)
{
    return asked && asked < TR_LIMIT_QUERY_WORK ? asked : TR_LIMIT_QUERY_WORK;
}

size_t tr_query_page_limit(size_t asked)
{
    if (asked == 0)
        return TR_LIMIT_PAGE_DEFAULT;
    return asked < TR_LIMIT_PAGE ? asked : TR_LIMIT_PAGE;
}

static tr_status name_next(const struct tr_graph_read_ctx *ctx, tr_rdf_id id,
                           tr_str *out, struct tr_err *err)
{
    tr_rdf_term term;
    TR_TRY(tr_rdf_graph_get(ctx->graph, id, &term, err));
    return tr_arena_copy(ctx->arena, term.text, out)
               ? TR_OK
               : tr_fail(err, TR_E_NOMEM, "no memory for a page");
}

/* Goes to where the page begins. */
static tr_status skip_matches(struct tr_query_merge *merge, size_t *skip,
                              struct tr_err *err)
{
    tr_rdf_id id = TR_RDF_ID_ANY;
    while (*skip > 0 && id != TR_RDF_ID_NONE) {
        TR_TRY(tr_query_merge_next(merge, &id, err));
        *skip -= id != TR_RDF_ID_NONE;
    }
    return TR_OK;
}

static tr_status add_match(const struct tr_query_merge *merge, tr_rdf_id id,
                           struct tr_query_page *out, struct tr_err *err)
{
    tr_str label;
    size_t at = out->count++;
    out->ids[at] = id;
    if (!out->labels || tr_graph_read_ctx_relabels(merge->ctx, id) ||
        !tr_query_merge_label(merge, &label))
        return TR_OK;
    return tr_arena_copy(merge->ctx->arena, label, &out->labels[at])
               ? TR_OK
               : tr_fail(err, TR_E_NOMEM, "no memory for a page");
}

/* One more than fits tells whether there is a next page. */
static tr_status fill_page(struct tr_query_merge *merge, size_t limit,
                           struct tr_query_page *out, struct tr_err *err)
{
    const struct tr_graph_read_ctx *ctx = merge->ctx;
    tr_rdf_id id;
    TR_TRY(skip_matches(merge, &out->skip, err));
    TR_TRY(tr_query_merge_next(merge, &id, err));
    while (id != TR_RDF_ID_NONE && out->count < limit) {
        TR_TRY(add_match(merge, id, out, err));
        TR_TRY(tr_query_merge_next(merge, &id, err));
    }
    if (id != TR_RDF_ID_NONE)
        return name_next(ctx, out->ids[out->count - 1], &out->next, err);
    return merge->is_cut ? name_next(ctx, merge->last, &out->next, err) : TR_OK;
}

tr_status tr_query_where(const struct tr_graph_read_ctx *ctx,
                         const struct tr_query *query,
                         struct tr_query_page *out, struct tr_err *err)
{
    struct tr_query_merge merge;
    size_t limit = tr_query_page_limit(query->limit);
    *out = (struct tr_query_page){
        .ids = TR_NEW_ARRAY(ctx->arena, tr_rdf_id, limit), .skip = query->skip};
    if (query->with_labels)
        out->labels = TR_NEW_ARRAY(ctx->arena, tr_str, limit);
    if (!out->ids || (query->with_labels && !out->labels))
        return tr_fail(err, TR_E_NOMEM, "no memory for a page");
    tr_status status = open_merge(&merge, ctx, query, query->after, err);
    if (status == TR_OK)
        status = fill_page(&merge, limit, out, err);
    tr_query_merge_close(&merge);
    return status;
}

static tr_status count_matches(struct tr_query_merge *merge,
                               struct tr_query_count *out, struct tr_err *err)
{
    tr_rdf_id id;
    TR_TRY(tr_query_merge_next(merge, &id, err));
    while (id != TR_RDF_ID_NONE && out->count < TR_LIMIT_COUNT) {
        out->count++;
        TR_TRY(tr_query_merge_next(merge, &id, err));
    }
    out->at_least = id != TR_RDF_ID_NONE || merge->is_cut;
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
    struct tr_query_merge merge;
    *out = (struct tr_query_count){0};
    tr_status status = open_merge(&merge, ctx, query, TR_STR(""), err);
    if (status == TR_OK && merge.filter.count == 1 && !ctx->changes)
        status = count_type(ctx, query->type, merge.filter.pairs[0].o,
                            &out->count, err);
    else if (status == TR_OK)
        status = count_matches(&merge, out, err);
    tr_query_merge_close(&merge);
    return status;
}

tr_status tr_query_where_exists(const struct tr_graph_read_ctx *ctx,
                                const struct tr_query *query, bool *out,
                                struct tr_err *err)
{
    struct tr_query_merge merge;
    tr_rdf_id id = TR_RDF_ID_NONE;
    tr_status status = open_merge(&merge, ctx, query, TR_STR(""), err);
    if (status == TR_OK)
        status = tr_query_merge_next(&merge, &id, err);
    if (status == TR_OK && id == TR_RDF_ID_NONE && merge.is_cut)
        status = tr_fail(err, TR_E_LIMIT,
                         "none of the first %zu candidates fits the filter",
                         tr_query_work(query->max_work));
    tr_query_merge_close(&merge);
    *out = id != TR_RDF_ID_NONE;
    return status;
}

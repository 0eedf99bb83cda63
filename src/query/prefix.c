#include "base/limits.h"
#include "db/db.h"
#include "query/query.h"

/* Behind all texts that begin with the prefix. */
static bool make_end(const struct tr_graph_read_ctx *ctx, tr_str prefix,
                     tr_str *out)
{
    char *end = tr_arena_alloc(ctx->arena, prefix.len + 1);
    if (!end)
        return false;
    if (prefix.len)
        memcpy(end, prefix.ptr, prefix.len);
    end[prefix.len] = (char)0xFF; /* above every byte of UTF-8 */
    *out = (tr_str){end, prefix.len + 1};
    return true;
}

static tr_status open_terms(const struct tr_graph_read_ctx *ctx, tr_str prefix,
                            struct tr_db_stmt **out, struct tr_err *err)
{
    tr_str end;
    if (!make_end(ctx, prefix, &end))
        return tr_fail(err, TR_E_NOMEM, "no memory for a prefix");
    TR_TRY(tr_db_prepare(ctx->db,
                         "SELECT id FROM term WHERE key >= ?1 AND key < ?2"
                         " ORDER BY key LIMIT ?3",
                         out, err));
    tr_db_bind_blob(*out, 1, prefix);
    tr_db_bind_blob(*out, 2, end);
    tr_db_bind_i64(*out, 3, TR_LIMIT_COUNT);
    return TR_OK;
}

/* A pattern for `? rdf:type class`, whose subject is still open. */
static tr_status find_class(const struct tr_graph_read_ctx *ctx,
                            const struct tr_model_type *type, tr_rdf_ids *out,
                            struct tr_err *err)
{
    *out = (tr_rdf_ids){.g = TR_RDF_ID_ANY};
    TR_TRY(tr_rdf_graph_find_iri(ctx->graph, TR_STR(TR_RDF_IRI_RDF_TYPE),
                                 &out->p, err));
    return tr_rdf_graph_find_iri(ctx->graph, type->shape->iri, &out->o, err);
}

/* Reads up to `max`: one more than fits tells that there are more. */
static tr_status read_terms(const struct tr_graph_read_ctx *ctx,
                            struct tr_db_stmt *stmt, tr_rdf_ids pattern,
                            size_t max, struct tr_query_page *out,
                            struct tr_err *err)
{
    bool row;
    TR_TRY(tr_db_stmt_step(stmt, &row, err));
    while (row) {
        bool fits = false;
        pattern.s = (tr_rdf_id)tr_db_column_i64(stmt, 0);
        tr_status status = tr_rdf_graph_has(ctx->graph, pattern, &fits, err);
        if (status == TR_OK && fits)
            out->ids[out->count++] = pattern.s;
        if (status != TR_OK || out->count == max) {
            tr_db_stmt_reset(stmt);
            return status;
        }
        TR_TRY(tr_db_stmt_step(stmt, &row, err));
    }
    return TR_OK;
}

tr_status tr_query_prefix_find(const struct tr_graph_read_ctx *ctx,
                               const struct tr_query_prefix *prefix,
                               struct tr_query_page *out, bool *more,
                               struct tr_err *err)
{
    size_t max = prefix->limit + 1;
    struct tr_db_stmt *stmt = NULL;
    tr_rdf_ids pattern = {0};
    *out =
        (struct tr_query_page){.ids = TR_NEW_ARRAY(ctx->arena, tr_rdf_id, max)};
    if (!out->ids)
        return tr_fail(err, TR_E_NOMEM, "no memory for a page");
    TR_TRY(find_class(ctx, prefix->type, &pattern, err));
    TR_TRY(open_terms(ctx, prefix->text, &stmt, err));
    TR_TRY(read_terms(ctx, stmt, pattern, max, out, err));
    *more = out->count == max;
    out->count -= *more;
    return TR_OK;
}

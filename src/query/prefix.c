#include "base/limits.h"
#include "db/db.h"
#include "graph/term_key.h"
#include "query/query.h"

/* One of the two keys between which the keys of IRIs with the prefix lie. */
static bool make_key(const struct tr_graph_read_ctx *ctx, tr_str prefix,
                     bool is_end, tr_str *out)
{
    tr_rdf_term term = tr_rdf_term_iri(prefix);
    size_t len = tr_graph_term_key_len(&term);
    char *key = tr_arena_alloc(ctx->arena, len + 1);
    if (!key)
        return false;
    tr_graph_term_key_write(&term, TR_RDF_ID_NONE, key);
    key[len] = (char)0xFF; /* above every byte of UTF-8 */
    *out = (tr_str){key, len + is_end};
    return true;
}

static tr_status open_terms(const struct tr_graph_read_ctx *ctx, tr_str prefix,
                            struct tr_db_stmt **out, struct tr_err *err)
{
    tr_str first;
    tr_str end;
    if (!make_key(ctx, prefix, false, &first) ||
        !make_key(ctx, prefix, true, &end))
        return tr_fail(err, TR_E_NOMEM, "no memory for a prefix");
    TR_TRY(tr_db_prepare(ctx->db,
                         "SELECT id FROM term WHERE key >= ?1 AND key < ?2"
                         " ORDER BY key LIMIT ?3",
                         out, err));
    tr_db_bind_blob(*out, 1, first);
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

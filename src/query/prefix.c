#include "base/limits.h"
#include "db/db.h"
#include "graph/term_key.h"
#include "query/query.h"

/* One of the two keys between which the keys of terms with the prefix lie. */
static bool make_key(const struct tr_graph_read_ctx *ctx,
                     const struct tr_query_prefix *prefix, bool is_end,
                     tr_str *out)
{
    tr_rdf_term term = prefix->key ? tr_rdf_term_string(prefix->text)
                                   : tr_rdf_term_iri(prefix->text);
    size_t len = tr_graph_term_key_len(&term);
    char *key = tr_arena_alloc(ctx->arena, len + 1);
    if (!key)
        return false;
    tr_graph_term_key_write(&term, TR_RDF_ID_NONE, key);
    key[len] = (char)0xFF; /* above every byte of UTF-8 */
    *out = (tr_str){key, len + is_end};
    return true;
}

static tr_status open_terms(const struct tr_graph_read_ctx *ctx,
                            const struct tr_query_prefix *prefix,
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

/* What is looked for: `? rdf:type class`, and `? key term`. */
struct looking {
    const struct tr_graph_read_ctx *ctx;
    tr_rdf_ids of_type; /* its subject is open */
    tr_rdf_ids has_key; /* its object is; the predicate 0 where the IRI is
                           meant */
    size_t max;
    struct tr_query_page *out;
};

static tr_status find_ids(struct looking *l,
                          const struct tr_query_prefix *prefix,
                          struct tr_err *err)
{
    const struct tr_rdf_graph *graph = l->ctx->graph;
    l->of_type = (tr_rdf_ids){.g = TR_RDF_ID_ANY};
    l->has_key = (tr_rdf_ids){.s = TR_RDF_ID_ANY, .g = TR_RDF_ID_ANY};
    if (prefix->key)
        TR_TRY(
            tr_rdf_graph_find_iri(graph, prefix->key->iri, &l->has_key.p, err));
    TR_TRY(tr_rdf_graph_find_iri(graph, TR_STR(TR_RDF_IRI_RDF_TYPE),
                                 &l->of_type.p, err));
    return tr_rdf_graph_find_iri(graph, prefix->type->shape->iri, &l->of_type.o,
                                 err);
}

static tr_status take(struct looking *l, tr_rdf_id node, struct tr_err *err)
{
    bool fits = false;
    l->of_type.s = node;
    TR_TRY(tr_rdf_graph_has(l->ctx->graph, l->of_type, &fits, err));
    if (fits && l->out->count < l->max)
        l->out->ids[l->out->count++] = node;
    return TR_OK;
}

/* Whoever has the term as its key. */
static tr_status take_all(struct looking *l, tr_rdf_id term, struct tr_err *err)
{
    struct tr_rdf_cursor cursor;
    tr_status status = TR_OK;
    tr_rdf_ids row;
    l->has_key.o = term;
    tr_rdf_graph_match(l->ctx->graph, l->has_key, &cursor);
    while (status == TR_OK && tr_rdf_cursor_next(&cursor, &row))
        status = take(l, row.s, err);
    return tr_rdf_cursor_end(&cursor, status, err);
}

/* Reads up to `max`: one more than fits tells that there are more. */
static tr_status read_terms(struct looking *l, bool by_key,
                            struct tr_db_stmt *stmt, struct tr_err *err)
{
    bool row;
    TR_TRY(tr_db_stmt_step(stmt, &row, err));
    while (row) {
        tr_rdf_id term = (tr_rdf_id)tr_db_column_i64(stmt, 0);
        tr_status status = by_key ? take_all(l, term, err) : take(l, term, err);
        if (status != TR_OK || l->out->count == l->max) {
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
    struct looking l = {.ctx = ctx, .max = prefix->limit + 1, .out = out};
    struct tr_db_stmt *stmt = NULL;
    *out = (struct tr_query_page){
        .ids = TR_NEW_ARRAY(ctx->arena, tr_rdf_id, l.max)};
    if (!out->ids)
        return tr_fail(err, TR_E_NOMEM, "no memory for a page");
    TR_TRY(find_ids(&l, prefix, err));
    *more = false;
    if (prefix->key && l.has_key.p == TR_RDF_ID_NONE)
        return TR_OK;
    TR_TRY(open_terms(ctx, prefix, &stmt, err));
    TR_TRY(read_terms(&l, prefix->key != NULL, stmt, err));
    *more = out->count == l.max;
    out->count -= *more;
    return TR_OK;
}

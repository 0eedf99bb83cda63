#include "base/limits.h"
#include "model/value_term.h"
#include "query/query.h"

static tr_status find(const struct tr_graph_read_ctx *ctx,
                      const tr_rdf_term *term, tr_rdf_id *out,
                      struct tr_err *err)
{
    *out = TR_RDF_ID_ANY;
    return term ? tr_rdf_graph_find(ctx->graph, term, out, err) : TR_OK;
}

/* A value of a declared field is in the store as we spell it. */
static tr_status find_object(const struct tr_graph_read_ctx *ctx,
                             const struct tr_query_match *match, tr_rdf_id *out,
                             struct tr_err *err)
{
    struct tr_buf room;
    bool changed;
    if (!match->object || !match->predicate)
        return find(ctx, match->object, out, err);
    tr_rdf_term object = *match->object;
    tr_buf_init(&room, TR_LIMIT_RDF_TERM);
    tr_status status = tr_model_spell(ctx->model, match->predicate->text,
                                      &object, &room, &changed, err);
    if (status == TR_OK)
        status = find(ctx, &object, out, err);
    tr_buf_done(&room);
    return status;
}

static tr_status make_pattern(const struct tr_graph_read_ctx *ctx,
                              const struct tr_query_match *match,
                              tr_rdf_ids *out, struct tr_err *err)
{
    TR_TRY(find(ctx, match->subject, &out->s, err));
    TR_TRY(find(ctx, match->predicate, &out->p, err));
    TR_TRY(find_object(ctx, match, &out->o, err));
    out->g = TR_RDF_ID_DEFAULT_GRAPH;
    if (match->graph && match->graph->kind == TR_RDF_TERM_NONE)
        return TR_OK;
    return find(ctx, match->graph, &out->g, err);
}

/*
 * The part of a pattern that an index answers. The rest is compared here, row
 * by row, and not by a cursor, which would not count rows as work.
 */
static tr_rdf_ids indexed_part(tr_rdf_ids pattern)
{
    bool needs_scan =
        pattern.s == TR_RDF_ID_ANY && pattern.p == TR_RDF_ID_ANY &&
        pattern.o != TR_RDF_ID_ANY && tr_rows_id_is_literal(pattern.o);
    if (needs_scan)
        pattern.o = TR_RDF_ID_ANY;
    pattern.g = TR_RDF_ID_ANY;
    return pattern;
}

static tr_status copy_quad(const struct tr_graph_read_ctx *ctx, tr_rdf_ids row,
                           tr_rdf_quad *out, struct tr_err *err)
{
    TR_TRY(tr_rdf_graph_quad(ctx->graph, row, out, err));
    return tr_rdf_quad_copy(ctx->arena, out, out)
               ? TR_OK
               : tr_fail(err, TR_E_NOMEM, "no memory for quads");
}

static tr_status take_rows(const struct tr_graph_read_ctx *ctx,
                           tr_rdf_ids pattern,
                           const struct tr_query_match *match,
                           struct tr_query_matches *out, struct tr_err *err)
{
    struct tr_rdf_cursor cursor;
    tr_rdf_ids row;
    size_t limit = tr_query_page_limit(match->limit);
    size_t max_work = tr_query_work(match->max_work);
    size_t work = 0;
    tr_status status = TR_OK;
    tr_rdf_graph_match(ctx->graph, indexed_part(pattern), &cursor);
    while (status == TR_OK && !out->more && tr_rdf_cursor_next(&cursor, &row)) {
        bool fits = (pattern.o == TR_RDF_ID_ANY || pattern.o == row.o) &&
                    (pattern.g == TR_RDF_ID_ANY || pattern.g == row.g);
        if (++work > max_work)
            status = tr_fail(err, TR_E_LIMIT,
                             "the pattern has to look at more than %zu quads",
                             max_work);
        else if (fits && out->count == limit)
            out->more = true;
        else if (fits)
            status = copy_quad(ctx, row, &out->items[out->count++], err);
    }
    return tr_rdf_cursor_end(&cursor, status, err);
}

tr_status tr_query_match_quads(const struct tr_graph_read_ctx *ctx,
                               const struct tr_query_match *match,
                               struct tr_query_matches *out, struct tr_err *err)
{
    tr_rdf_ids pattern;
    *out = (struct tr_query_matches){
        .items = TR_NEW_ARRAY(ctx->arena, tr_rdf_quad,
                              tr_query_page_limit(match->limit))};
    if (!out->items)
        return tr_fail(err, TR_E_NOMEM, "no memory for quads");
    TR_TRY(make_pattern(ctx, match, &pattern, err));
    if (pattern.s == TR_RDF_ID_NONE || pattern.p == TR_RDF_ID_NONE ||
        pattern.o == TR_RDF_ID_NONE || pattern.g == TR_RDF_ID_NONE)
        return TR_OK;
    return take_rows(ctx, pattern, match, out, err);
}

#include "rdf/graph.h"

int tr_rdf_id_compare(const void *a, const void *b)
{
    tr_rdf_id x = *(const tr_rdf_id *)a;
    tr_rdf_id y = *(const tr_rdf_id *)b;
    return (x > y) - (x < y);
}

tr_status tr_rdf_graph_has(const struct tr_rdf_graph *graph, tr_rdf_ids pattern,
                           bool *out, struct tr_err *err)
{
    struct tr_rdf_cursor cursor;
    tr_rdf_ids row;
    tr_rdf_graph_match(graph, pattern, &cursor);
    bool found = tr_rdf_cursor_next(&cursor, &row);
    TR_TRY(tr_rdf_cursor_close(&cursor, err));
    *out = found;
    return TR_OK;
}

tr_status tr_rdf_graph_count(const struct tr_rdf_graph *graph,
                             tr_rdf_ids pattern, uint64_t *out,
                             struct tr_err *err)
{
    struct tr_rdf_cursor cursor;
    tr_rdf_ids row;
    uint64_t count = 0;
    tr_rdf_graph_match(graph, pattern, &cursor);
    while (tr_rdf_cursor_next(&cursor, &row))
        count++;
    TR_TRY(tr_rdf_cursor_close(&cursor, err));
    *out = count;
    return TR_OK;
}

tr_status tr_rdf_graph_quad(const struct tr_rdf_graph *graph, tr_rdf_ids row,
                            tr_rdf_quad *out, struct tr_err *err)
{
    tr_rdf_quad quad = {.graph = {.kind = TR_RDF_TERM_NONE}};
    TR_TRY(tr_rdf_graph_get(graph, row.s, &quad.subject, err));
    TR_TRY(tr_rdf_graph_get(graph, row.p, &quad.predicate, err));
    TR_TRY(tr_rdf_graph_get(graph, row.o, &quad.object, err));
    if (row.g != TR_RDF_ID_DEFAULT_GRAPH)
        TR_TRY(tr_rdf_graph_get(graph, row.g, &quad.graph, err));
    *out = quad;
    return TR_OK;
}

tr_status tr_rdf_graph_each(const struct tr_rdf_graph *graph,
                            tr_rdf_ids pattern, tr_rdf_graph_row_fn *visit,
                            void *context, struct tr_err *err)
{
    struct tr_rdf_cursor cursor;
    tr_rdf_ids row;
    tr_status walk = TR_OK;
    tr_rdf_graph_match(graph, pattern, &cursor);
    while (walk == TR_OK && tr_rdf_cursor_next(&cursor, &row))
        walk = visit(context, row, err);
    tr_status close = tr_rdf_cursor_close(&cursor, walk == TR_OK ? err : NULL);
    return walk != TR_OK ? walk : close;
}

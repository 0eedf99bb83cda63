#include "rdf/node_writer.h"

#include "base/limits.h"

static tr_status fail_memory(struct tr_err *err)
{
    return tr_fail(err, TR_E_NOMEM, "no memory to write a graph");
}

static size_t words_of(tr_rdf_id bound)
{
    return (size_t)(bound / 64 + 1);
}

static tr_status set_init(struct tr_rdf_node_writer *writer,
                          struct tr_rdf_id_set *set)
{
    set->bound = tr_rdf_graph_bound(writer->graph);
    set->words = TR_NEW_ARRAY(&writer->arena, uint64_t, words_of(set->bound));
    return set->words ? TR_OK : fail_memory(writer->err);
}

void tr_rdf_id_set_clear(struct tr_rdf_id_set *set)
{
    memset(set->words, 0, words_of(set->bound) * sizeof(*set->words));
}

static tr_status add_graph(void *context, tr_rdf_ids row, struct tr_err *err)
{
    struct tr_rdf_node_writer *writer = context;
    (void)err;
    tr_rdf_id_set_add(&writer->graphs, row.g);
    return TR_OK;
}

static tr_status find_known(struct tr_rdf_node_writer *writer)
{
    const struct tr_rdf_graph *graph = writer->graph;
    struct tr_err *err = writer->err;
    TR_TRY(tr_rdf_graph_find_iri(graph, TR_STR(TR_RDF_IRI_RDF_TYPE),
                                 &writer->type, err));
    TR_TRY(tr_rdf_graph_find_iri(graph, TR_STR(TR_RDF_IRI_RDF_FIRST),
                                 &writer->first, err));
    TR_TRY(tr_rdf_graph_find_iri(graph, TR_STR(TR_RDF_IRI_RDF_REST),
                                 &writer->rest, err));
    return tr_rdf_graph_find_iri(graph, TR_STR(TR_RDF_IRI_RDF_NIL),
                                 &writer->nil, err);
}

static tr_status prepare(struct tr_rdf_node_writer *writer)
{
    static const tr_rdf_ids any = {TR_RDF_ID_ANY, TR_RDF_ID_ANY, TR_RDF_ID_ANY,
                                   TR_RDF_ID_ANY};
    if (tr_rdf_graph_bound(writer->graph) == 0)
        return tr_fail(writer->err, TR_E_UNSUPPORTED,
                       "this graph can only be written line by line");
    TR_TRY(set_init(writer, &writer->graphs));
    TR_TRY(set_init(writer, &writer->subjects));
    TR_TRY(set_init(writer, &writer->written));
    TR_TRY(find_known(writer));
    return tr_rdf_graph_each(writer->graph, any, add_graph, writer,
                             writer->err);
}

tr_status tr_rdf_node_writer_init(struct tr_rdf_node_writer *writer,
                                  const struct tr_rdf_graph *graph,
                                  const struct tr_rdf_output *output,
                                  struct tr_err *err)
{
    *writer = (struct tr_rdf_node_writer){
        .graph = graph, .output = output, .err = err};
    tr_arena_init(&writer->arena, TR_LIMIT_GRAPH_TABLE);
    tr_buf_init(&writer->text, TR_LIMIT_GRAPH_TABLE);
    tr_rdf_prefixes_init(&writer->prefixes, &writer->arena);
    tr_status status = prepare(writer);
    if (status != TR_OK)
        tr_rdf_node_writer_done(writer);
    return status;
}

void tr_rdf_node_writer_done(struct tr_rdf_node_writer *writer)
{
    tr_buf_done(&writer->text);
    tr_arena_done(&writer->arena);
}

tr_status tr_rdf_node_writer_each(struct tr_rdf_node_writer *writer,
                                  tr_rdf_id graph, tr_rdf_subject_fn *visit)
{
    struct tr_rdf_cursor cursor;
    tr_rdf_ids row;
    tr_status status = TR_OK;
    tr_rdf_id_set_clear(&writer->subjects);
    tr_rdf_graph_match(
        writer->graph,
        (tr_rdf_ids){TR_RDF_ID_ANY, TR_RDF_ID_ANY, TR_RDF_ID_ANY, graph},
        &cursor);
    while (status == TR_OK && tr_rdf_cursor_next(&cursor, &row)) {
        if (tr_rdf_id_set_has(&writer->subjects, row.s))
            continue;
        tr_rdf_id_set_add(&writer->subjects, row.s);
        status = visit(writer, row.s, graph);
    }
    tr_status close =
        tr_rdf_cursor_close(&cursor, status == TR_OK ? writer->err : NULL);
    return status != TR_OK ? status : close;
}

static int compare_rows(const void *a, const void *b, void *type)
{
    const tr_rdf_ids *x = a;
    const tr_rdf_ids *y = b;
    tr_rdf_id first = *(const tr_rdf_id *)type;
    if (x->p != y->p) {
        if (x->p == first || y->p == first)
            return x->p == first ? -1 : 1;
        return x->p < y->p ? -1 : 1;
    }
    return (x->o > y->o) - (x->o < y->o);
}

tr_status tr_rdf_node_writer_rows(struct tr_rdf_node_writer *writer,
                                  tr_rdf_id subject, tr_rdf_id graph,
                                  struct tr_rdf_node_rows *out)
{
    tr_rdf_ids pattern = {subject, TR_RDF_ID_ANY, TR_RDF_ID_ANY, graph};
    struct tr_rdf_cursor cursor;
    uint64_t total = 0;
    size_t count = 0;
    TR_TRY(tr_rdf_graph_count(writer->graph, pattern, &total, writer->err));
    tr_rdf_ids *items = calloc((size_t)total + 1, sizeof(*items));
    if (!items)
        return fail_memory(writer->err);
    tr_rdf_graph_match(writer->graph, pattern, &cursor);
    while (count < total && tr_rdf_cursor_next(&cursor, &items[count]))
        count++;
    tr_status status = tr_rdf_cursor_close(&cursor, writer->err);
    if (status != TR_OK) {
        free(items);
        return status;
    }
    qsort_r(items, count, sizeof(*items), compare_rows, &writer->type);
    *out = (struct tr_rdf_node_rows){items, count};
    return TR_OK;
}

#include "rdf/memory_graph.h"

#include "base/ascii.h"
#include "base/limits.h"
#include "rdf/quad_index.h"
#include "rdf/term_table.h"

#include <assert.h>

struct tr_rdf_memory_graph {
    struct tr_rdf_graph view; /* first: the interface points here */
    struct tr_rdf_term_table terms;
    struct tr_rdf_quad_index index;
    struct tr_buf label; /* a renamed blank node, for the length of a call */
    struct tr_buf object_label;
    uint32_t document; /* 0 for the first */
    uint32_t subject;  /* of the quad added last, which often comes again */
    size_t count;      /* as of the last index */
};

static const struct tr_rdf_graph_ops ops;

tr_status tr_rdf_memory_graph_create(size_t max_table_bytes,
                                     struct tr_rdf_memory_graph **out,
                                     struct tr_err *err)
{
    struct tr_rdf_memory_graph *graph = calloc(1, sizeof(*graph));
    size_t max = max_table_bytes ? max_table_bytes : TR_LIMIT_GRAPH_TABLE;
    if (!graph)
        return tr_fail(err, TR_E_NOMEM, "no memory for a graph");
    graph->view.ops = &ops;
    tr_rdf_term_table_init(&graph->terms, max);
    tr_rdf_quad_index_init(&graph->index, max);
    tr_buf_init(&graph->label, TR_LIMIT_RDF_TERM);
    tr_buf_init(&graph->object_label, TR_LIMIT_RDF_TERM);
    *out = graph;
    return TR_OK;
}

void tr_rdf_memory_graph_free(struct tr_rdf_memory_graph *graph)
{
    if (!graph)
        return;
    tr_buf_done(&graph->object_label);
    tr_buf_done(&graph->label);
    tr_rdf_quad_index_done(&graph->index);
    tr_rdf_term_table_done(&graph->terms);
    free(graph);
}

void tr_rdf_memory_graph_next_document(struct tr_rdf_memory_graph *graph)
{
    graph->document++;
}

/* Whether a label looks like one that rename_label has made: d12_x. */
static bool looks_renamed(tr_str label)
{
    size_t i = 1;
    while (i < label.len && tr_ascii_is_digit(label.ptr[i]))
        i++;
    return label.len > 2 && label.ptr[0] == 'd' && i > 1 && i < label.len &&
           label.ptr[i] == '_';
}

/* Labels of the first document stay, unless they could be taken for one of
 * another: so no two nodes ever get the same name. */
static tr_status rename_label(const struct tr_rdf_memory_graph *graph,
                              struct tr_buf *buf, tr_rdf_term *term,
                              struct tr_err *err)
{
    if (term->kind != TR_RDF_TERM_BLANK ||
        (graph->document == 0 && !looks_renamed(term->text)))
        return TR_OK;
    tr_buf_clear(buf);
    tr_buf_putf(buf, "d%u_", graph->document);
    tr_buf_put(buf, term->text);
    TR_TRY(tr_buf_check(buf, err));
    term->text = tr_buf_str(buf);
    return TR_OK;
}

static tr_status intern(struct tr_rdf_memory_graph *graph,
                        const tr_rdf_term *term, uint32_t *out,
                        struct tr_err *err)
{
    tr_rdf_term renamed = *term;
    TR_TRY(rename_label(graph, &graph->label, &renamed, err));
    uint32_t hash = tr_rdf_term_table_hash(&graph->terms, &renamed);
    return tr_rdf_term_table_add(&graph->terms, &renamed, hash, out, err);
}

static bool is_last_subject(const struct tr_rdf_memory_graph *graph,
                            const tr_rdf_term *subject)
{
    tr_rdf_term last;
    return subject->kind == TR_RDF_TERM_IRI &&
           tr_rdf_term_table_get(&graph->terms, graph->subject, &last) &&
           last.kind == TR_RDF_TERM_IRI && tr_str_eq(last.text, subject->text);
}

tr_status tr_rdf_memory_graph_add(struct tr_rdf_memory_graph *graph,
                                  const tr_rdf_quad *quad, struct tr_err *err)
{
    tr_rdf_row row = {{0, 0, 0, (uint32_t)TR_RDF_ID_DEFAULT_GRAPH}};
    tr_rdf_term object = quad->object;
    TR_TRY(rename_label(graph, &graph->object_label, &object, err));
    uint32_t hash = tr_rdf_term_table_hash(&graph->terms, &object);
    if (!is_last_subject(graph, &quad->subject))
        TR_TRY(intern(graph, &quad->subject, &graph->subject, err));
    row.at[TR_RDF_PART_S] = graph->subject;
    TR_TRY(intern(graph, &quad->predicate, &row.at[TR_RDF_PART_P], err));
    TR_TRY(tr_rdf_term_table_add(&graph->terms, &object, hash,
                                 &row.at[TR_RDF_PART_O], err));
    if (quad->graph.kind != TR_RDF_TERM_NONE)
        TR_TRY(intern(graph, &quad->graph, &row.at[TR_RDF_PART_G], err));
    return tr_rdf_quad_index_add(&graph->index, &row, err);
}

tr_status tr_rdf_memory_graph_add_triple(struct tr_rdf_memory_graph *graph,
                                         tr_rdf_term subject,
                                         const char *predicate,
                                         tr_rdf_term object, struct tr_err *err)
{
    tr_rdf_quad quad = {.subject = subject,
                        .predicate = tr_rdf_term_iri(tr_str_from(predicate)),
                        .object = object};
    return tr_rdf_memory_graph_add(graph, &quad, err);
}

static tr_status sink_quad(void *context, const tr_rdf_quad *quad,
                           struct tr_err *err)
{
    return tr_rdf_memory_graph_add(context, quad, err);
}

struct tr_rdf_sink tr_rdf_memory_graph_sink(struct tr_rdf_memory_graph *graph)
{
    return (struct tr_rdf_sink){.context = graph, .quad = sink_quad};
}

tr_status tr_rdf_memory_graph_index(struct tr_rdf_memory_graph *graph,
                                    struct tr_err *err)
{
    TR_TRY(tr_rdf_quad_index_build(&graph->index, graph->terms.bound, err));
    graph->count = tr_rdf_quad_index_count(&graph->index);
    return TR_OK;
}

const struct tr_rdf_graph *
tr_rdf_memory_graph_view(const struct tr_rdf_memory_graph *graph)
{
    return &graph->view;
}

size_t tr_rdf_memory_graph_count(const struct tr_rdf_memory_graph *graph)
{
    return graph->count;
}

static const struct tr_rdf_memory_graph *
of_view(const struct tr_rdf_graph *view)
{
    return (const struct tr_rdf_memory_graph *)(const void *)view;
}

/* As a row of small ids with 0 for any; false when nothing can match. */
static bool as_row(const tr_rdf_ids *pattern, tr_rdf_row *out)
{
    const tr_rdf_id parts[TR_RDF_PARTS] = {pattern->s, pattern->p, pattern->o,
                                           pattern->g};
    for (int part = 0; part < TR_RDF_PARTS; part++) {
        if (parts[part] == TR_RDF_ID_NONE ||
            (parts[part] > UINT32_MAX && parts[part] != TR_RDF_ID_ANY))
            return false;
        out->at[part] =
            parts[part] == TR_RDF_ID_ANY ? 0 : (uint32_t)parts[part];
    }
    return true;
}

static struct tr_rdf_row_range range_of(const struct tr_rdf_graph *view,
                                        const tr_rdf_ids *pattern)
{
    const struct tr_rdf_memory_graph *graph = of_view(view);
    tr_rdf_row row;
    assert(graph->index.is_built);
    if (!as_row(pattern, &row))
        return (struct tr_rdf_row_range){NULL, NULL};
    return tr_rdf_quad_index_range(&graph->index, &row);
}

static void match(const struct tr_rdf_graph *view, struct tr_rdf_cursor *cursor)
{
    struct tr_rdf_row_range range = range_of(view, &cursor->pattern);
    cursor->own[0] = (uintptr_t)range.at;
    cursor->own[1] = (uintptr_t)range.end;
}

static bool is_wanted(tr_rdf_id wanted, uint32_t id)
{
    return wanted == id || wanted == TR_RDF_ID_ANY;
}

static bool next(struct tr_rdf_cursor *cursor, tr_rdf_ids *out)
{
    const tr_rdf_row *row = (const tr_rdf_row *)cursor->own[0];
    const tr_rdf_row *end = (const tr_rdf_row *)cursor->own[1];
    const tr_rdf_ids *pattern = &cursor->pattern;
    for (; row < end; row++) {
        if (!is_wanted(pattern->s, row->at[TR_RDF_PART_S]) ||
            !is_wanted(pattern->p, row->at[TR_RDF_PART_P]) ||
            !is_wanted(pattern->o, row->at[TR_RDF_PART_O]) ||
            !is_wanted(pattern->g, row->at[TR_RDF_PART_G]))
            continue;
        *out = (tr_rdf_ids){row->at[TR_RDF_PART_S], row->at[TR_RDF_PART_P],
                            row->at[TR_RDF_PART_O], row->at[TR_RDF_PART_G]};
        cursor->own[0] = (uintptr_t)(row + 1);
        return true;
    }
    cursor->own[0] = (uintptr_t)row;
    return false;
}

static tr_status close_cursor(struct tr_rdf_cursor *cursor, struct tr_err *err)
{
    (void)cursor;
    (void)err;
    return TR_OK;
}

static tr_status find(const struct tr_rdf_graph *view, const tr_rdf_term *term,
                      tr_rdf_id *out, struct tr_err *err)
{
    (void)err;
    *out = tr_rdf_term_table_find(&of_view(view)->terms, term);
    return TR_OK;
}

static tr_status get(const struct tr_rdf_graph *view, tr_rdf_id id,
                     tr_rdf_term *out, struct tr_err *err)
{
    if (tr_rdf_term_table_get(&of_view(view)->terms, id, out))
        return TR_OK;
    return tr_fail(err, TR_E_NOT_FOUND, "the graph has no term with id %llu",
                   (unsigned long long)id);
}

static tr_rdf_id bound(const struct tr_rdf_graph *view)
{
    return of_view(view)->terms.bound;
}

static uint64_t estimate(const struct tr_rdf_graph *view, tr_rdf_ids pattern)
{
    struct tr_rdf_row_range range = range_of(view, &pattern);
    return (uint64_t)(range.end - range.at);
}

static const struct tr_rdf_graph_ops ops = {
    .find = find,
    .get = get,
    .match = match,
    .next = next,
    .close = close_cursor,
    .bound = bound,
    .estimate = estimate,
};

/*
 * A document of shapes without those that tell of something hidden: whole
 * shapes go, with the blank nodes that belong to them and with every shape that
 * names them.
 */
#include "base/limits.h"
#include "model/inside.h"
#include "rdf/reader.h"
#include "rdf/writer.h"

struct stripping {
    const struct tr_rdf_graph *graph;
    bool *goes; /* by id: what is said of it goes, and who names it */
    bool has_changed;
    struct tr_rdf_memory_graph *rest; /* NULL while it is decided */
};

static void mark(struct stripping *s, tr_rdf_id id)
{
    s->has_changed |= !s->goes[id];
    s->goes[id] = true;
}

static tr_status decide(void *context, tr_rdf_ids row, struct tr_err *err)
{
    struct stripping *s = context;
    tr_rdf_term object;
    if (s->goes[row.p] || s->goes[row.o])
        mark(s, row.s);
    if (!s->goes[row.s])
        return TR_OK;
    TR_TRY(tr_rdf_graph_get(s->graph, row.o, &object, err));
    if (object.kind == TR_RDF_TERM_BLANK)
        mark(s, row.o);
    return TR_OK;
}

static tr_status keep(void *context, tr_rdf_ids row, struct tr_err *err)
{
    struct stripping *s = context;
    tr_rdf_quad quad;
    if (s->goes[row.s])
        return TR_OK;
    TR_TRY(tr_rdf_graph_quad(s->graph, row, &quad, err));
    return tr_rdf_memory_graph_add(s->rest, &quad, err);
}

static tr_status each_row(struct stripping *s, tr_rdf_graph_row_fn *visit,
                          struct tr_err *err)
{
    tr_rdf_ids all = {TR_RDF_ID_ANY, TR_RDF_ID_ANY, TR_RDF_ID_ANY,
                      TR_RDF_ID_ANY};
    return tr_rdf_graph_each(s->graph, all, visit, s, err);
}

/* Whether the document names something hidden; marks all that has to go. */
static tr_status find_tainted(struct stripping *s,
                              const struct tr_model_face *face, bool *found,
                              struct tr_err *err)
{
    *found = false;
    for (size_t i = 0; i < face->iri_count; i++) {
        tr_rdf_id id;
        TR_TRY(tr_rdf_graph_find_iri(s->graph, face->iris[i], &id, err));
        if (id == TR_RDF_ID_NONE)
            continue;
        mark(s, id);
        *found = true;
    }
    while (s->has_changed) {
        s->has_changed = false;
        TR_TRY(each_row(s, decide, err));
    }
    return TR_OK;
}

static tr_status write_rest(struct stripping *s, struct tr_arena *arena,
                            tr_str *out, struct tr_err *err)
{
    struct tr_buf text;
    struct tr_rdf_output output = tr_rdf_output_buf(&text);
    TR_TRY(each_row(s, keep, err));
    TR_TRY(tr_rdf_memory_graph_index(s->rest, err));
    tr_buf_init(&text, 2 * TR_LIMIT_SHAPE_FILE);
    tr_status status = tr_rdf_write(
        TR_RDF_TURTLE, tr_rdf_memory_graph_view(s->rest), NULL, &output, err);
    if (status == TR_OK)
        status = tr_buf_check(&text, err);
    if (status == TR_OK && !tr_arena_copy(arena, tr_buf_str(&text), out))
        status = tr_fail(err, TR_E_NOMEM, "no memory for a document");
    tr_buf_done(&text);
    return status;
}

static tr_status strip(const struct tr_model_making *m,
                       struct tr_rdf_memory_graph *whole,
                       const struct tr_model_face *face, tr_str *text)
{
    struct stripping s = {.graph = tr_rdf_memory_graph_view(whole)};
    bool found;
    s.goes = TR_NEW_ARRAY(&m->from->arena, bool, tr_rdf_graph_bound(s.graph));
    if (!s.goes)
        return tr_fail(m->err, TR_E_NOMEM, "no memory for a document");
    TR_TRY(find_tainted(&s, face, &found, m->err));
    if (!found)
        return TR_OK;
    TR_TRY(tr_rdf_memory_graph_create(0, &s.rest, m->err));
    tr_status status = write_rest(&s, &m->from->arena, text, m->err);
    tr_rdf_memory_graph_free(s.rest);
    return status;
}

tr_status tr_model_strip_turtle(const struct tr_model_making *m,
                                const struct tr_model_face *face,
                                struct tr_model_turtle *turtle)
{
    struct tr_rdf_memory_graph *graph;
    tr_str rest = turtle->text;
    struct tr_rdf_source source = tr_rdf_source_text(&rest, turtle->base);
    TR_TRY(tr_rdf_memory_graph_create(0, &graph, m->err));
    struct tr_rdf_sink sink = tr_rdf_memory_graph_sink(graph);
    tr_status status = tr_rdf_read(TR_RDF_TURTLE, &source, &sink, m->err);
    if (status == TR_OK)
        status = tr_rdf_memory_graph_index(graph, m->err);
    if (status == TR_OK)
        status = strip(m, graph, face, &turtle->text);
    tr_rdf_memory_graph_free(graph);
    return status;
}

/*
 * What is said of a document of shapes when it is declared, so that the place
 * can be told: whether it can be read, and whether its patterns are such that
 * clients read them as we do. All else needs the other documents.
 */
#include "fields/pattern.h"
#include "model/inside.h"
#include "rdf/reader.h"

struct checking {
    const struct tr_rdf_graph *graph;
    tr_rdf_id flags; /* sh:flags, or TR_RDF_ID_NONE */
    bool is_plain;   /* the pattern that is looked at is a plain text */
};

static tr_status look_at_flags(void *context, tr_rdf_ids row,
                               struct tr_err *err)
{
    struct checking *c = context;
    tr_rdf_term flags;
    TR_TRY(tr_rdf_graph_get(c->graph, row.o, &flags, err));
    c->is_plain = flags.text.len && memchr(flags.text.ptr, 'q', flags.text.len);
    return TR_OK;
}

static tr_status check_pattern(void *context, tr_rdf_ids row,
                               struct tr_err *err)
{
    struct checking *c = context;
    tr_rdf_ids flags = {row.s, c->flags, TR_RDF_ID_ANY, TR_RDF_ID_ANY};
    tr_rdf_term pattern;
    c->is_plain = false;
    if (c->flags != TR_RDF_ID_NONE)
        TR_TRY(tr_rdf_graph_each(c->graph, flags, look_at_flags, c, err));
    TR_TRY(tr_rdf_graph_get(c->graph, row.o, &pattern, err));
    if (c->is_plain || pattern.kind != TR_RDF_TERM_LITERAL)
        return TR_OK;
    tr_status status = tr_field_pattern_check(pattern.text, true, err);
    if (status != TR_OK)
        tr_err_prefix(err, "sh:pattern \"%.*s\"", TR_FMT(pattern.text));
    return status;
}

static tr_status check_patterns(const struct tr_rdf_graph *graph,
                                struct tr_err *err)
{
    struct checking c = {.graph = graph};
    tr_rdf_ids all = {TR_RDF_ID_ANY, TR_RDF_ID_NONE, TR_RDF_ID_ANY,
                      TR_RDF_ID_ANY};
    TR_TRY(tr_rdf_graph_find_iri(graph, TR_STR(TR_RDF_NS_SH "flags"), &c.flags,
                                 err));
    TR_TRY(tr_rdf_graph_find_iri(graph, TR_STR(TR_RDF_NS_SH "pattern"), &all.p,
                                 err));
    return all.p == TR_RDF_ID_NONE
               ? TR_OK
               : tr_rdf_graph_each(graph, all, check_pattern, &c, err);
}

tr_status tr_model_check_turtle(const struct tr_model_turtle *turtle,
                                struct tr_err *err)
{
    struct tr_rdf_memory_graph *graph;
    tr_str rest = turtle->text;
    struct tr_rdf_source source = tr_rdf_source_text(&rest, turtle->base);
    TR_TRY(tr_rdf_memory_graph_create(0, &graph, err));
    struct tr_rdf_sink sink = tr_rdf_memory_graph_sink(graph);
    tr_status status = tr_rdf_read(TR_RDF_TURTLE, &source, &sink, err);
    if (status == TR_OK)
        status = tr_rdf_memory_graph_index(graph, err);
    if (status == TR_OK)
        status = check_patterns(tr_rdf_memory_graph_view(graph), err);
    tr_rdf_memory_graph_free(graph);
    return status;
}

/*
 * fuzz/rdf_roundtrip.h - what must hold of anything that an RDF reader takes.
 */
#ifndef TR_FUZZ_RDF_ROUNDTRIP_H
#define TR_FUZZ_RDF_ROUNDTRIP_H

#include "base/limits.h"
#include "base/text.h"
#include "rdf/iri.h"
#include "rdf/memory_graph.h"
#include "rdf/reader.h"
#include "rdf/writer.h"

static inline void must(bool holds)
{
    if (!holds)
        abort();
}

static inline void check_iri(tr_str iri)
{
    must(tr_rdf_iri_scheme_len(iri) > 0);
    must(tr_rdf_iri_legal_len(iri) == iri.len);
    must(tr_utf8_is_valid(iri));
}

static inline void check_term(const tr_rdf_term *term)
{
    switch (term->kind) {
    case TR_RDF_TERM_NONE:
        break;
    case TR_RDF_TERM_IRI:
        check_iri(term->text);
        break;
    case TR_RDF_TERM_BLANK:
        must(term->text.len && tr_rdf_label_len(term->text) == term->text.len);
        break;
    case TR_RDF_TERM_LITERAL:
        must(tr_utf8_is_valid(term->text));
        check_iri(term->datatype);
        must(tr_rdf_language_len(term->language) == term->language.len);
        break;
    }
}

static inline tr_status check_and_add(void *context, const tr_rdf_quad *quad,
                                      struct tr_err *err)
{
    must(quad->predicate.kind == TR_RDF_TERM_IRI);
    must(quad->subject.kind == TR_RDF_TERM_IRI ||
         quad->subject.kind == TR_RDF_TERM_BLANK);
    must(quad->object.kind != TR_RDF_TERM_NONE);
    must(quad->graph.kind != TR_RDF_TERM_LITERAL);
    check_term(&quad->subject);
    check_term(&quad->predicate);
    check_term(&quad->object);
    check_term(&quad->graph);
    return tr_rdf_memory_graph_add(context, quad, err);
}

static inline tr_status read_bytes(enum tr_rdf_format format, tr_str text,
                                   struct tr_rdf_memory_graph *graph,
                                   struct tr_err *err)
{
    struct tr_rdf_source source =
        tr_rdf_source_text(&text, TR_STR("http://example.org/doc"));
    struct tr_rdf_sink sink = {.context = graph, .quad = check_and_add};
    TR_TRY(tr_rdf_read(format, &source, &sink, err));
    return tr_rdf_memory_graph_index(graph, err);
}

static inline struct tr_rdf_memory_graph *new_graph(void)
{
    struct tr_rdf_memory_graph *graph = NULL;
    must(tr_rdf_memory_graph_create(TR_MIB(64), &graph, NULL) == TR_OK);
    return graph;
}

/* Written in another syntax and read again, it has as many quads. */
static inline void check_roundtrip(const struct tr_rdf_memory_graph *graph,
                                   enum tr_rdf_format format)
{
    struct tr_rdf_memory_graph *again = new_graph();
    struct tr_buf text;
    tr_buf_init(&text, TR_MIB(64));
    struct tr_rdf_output output = tr_rdf_output_buf(&text);
    must(tr_rdf_write(format, tr_rdf_memory_graph_view(graph), NULL, &output,
                      NULL) == TR_OK);
    must(read_bytes(format, tr_buf_str(&text), again, NULL) == TR_OK);
    must(tr_rdf_memory_graph_count(again) == tr_rdf_memory_graph_count(graph));
    tr_buf_done(&text);
    tr_rdf_memory_graph_free(again);
}

static inline void check_error(tr_status status, const struct tr_err *err,
                               size_t size)
{
    must(status == err->code);
    must(tr_utf8_is_valid(tr_str_from(err->msg)));
    must(status == TR_E_SYNTAX || status == TR_E_LIMIT || status == TR_E_NOMEM);
    must(status == TR_E_NOMEM ||
         (err->place.line > 0 && err->place.column > 0));
    must(err->place.offset <= size);
}

/* Reads `text`; what was read must survive `other`. */
static inline void check_document(enum tr_rdf_format format, tr_str text,
                                  enum tr_rdf_format other)
{
    struct tr_rdf_memory_graph *graph = new_graph();
    struct tr_err err = {0};
    tr_status status = read_bytes(format, text, graph, &err);
    if (status == TR_OK)
        check_roundtrip(graph, other);
    else
        check_error(status, &err, text.len);
    tr_rdf_memory_graph_free(graph);
}

#endif

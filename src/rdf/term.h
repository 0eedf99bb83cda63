/*
 * rdf/term.h - RDF terms and quads, as values (RDF 1.1 Concepts, section 3),
 * and the IRIs that the code knows.
 *
 * The views in a term belong to whoever made it: a reader's terms last until
 * its sink returns, a graph's as long as the graph. Copy terms freely.
 */
#ifndef TR_RDF_TERM_H
#define TR_RDF_TERM_H

#include "base/arena.h"
#include "base/buf.h"

/*
 * IRIs that the code knows by name, as string literals.
 *
 * Use them as TR_STR(TR_RDF_IRI_RDF_TYPE) or TR_STR_INIT(TR_RDF_IRI_RDF_TYPE).
 */

#define TR_RDF_NS_RDF  "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
#define TR_RDF_NS_RDFS "http://www.w3.org/2000/01/rdf-schema#"
#define TR_RDF_NS_XSD  "http://www.w3.org/2001/XMLSchema#"
#define TR_RDF_NS_SH   "http://www.w3.org/ns/shacl#"

#define TR_RDF_IRI_RDF_TYPE        TR_RDF_NS_RDF "type"
#define TR_RDF_IRI_RDF_FIRST       TR_RDF_NS_RDF "first"
#define TR_RDF_IRI_RDF_REST        TR_RDF_NS_RDF "rest"
#define TR_RDF_IRI_RDF_NIL         TR_RDF_NS_RDF "nil"
#define TR_RDF_IRI_RDF_LANG_STRING TR_RDF_NS_RDF "langString"
#define TR_RDF_IRI_RDF_JSON        TR_RDF_NS_RDF "JSON"

#define TR_RDF_IRI_XSD_STRING    TR_RDF_NS_XSD "string"
#define TR_RDF_IRI_XSD_BOOLEAN   TR_RDF_NS_XSD "boolean"
#define TR_RDF_IRI_XSD_INTEGER   TR_RDF_NS_XSD "integer"
#define TR_RDF_IRI_XSD_DECIMAL   TR_RDF_NS_XSD "decimal"
#define TR_RDF_IRI_XSD_DOUBLE    TR_RDF_NS_XSD "double"
#define TR_RDF_IRI_XSD_DATE_TIME TR_RDF_NS_XSD "dateTime"
#define TR_RDF_IRI_XSD_DATE      TR_RDF_NS_XSD "date"
#define TR_RDF_IRI_XSD_TIME      TR_RDF_NS_XSD "time"
#define TR_RDF_IRI_XSD_DURATION  TR_RDF_NS_XSD "dayTimeDuration"
#define TR_RDF_IRI_XSD_ANY_URI   TR_RDF_NS_XSD "anyURI"

typedef enum tr_rdf_term_kind {
    TR_RDF_TERM_NONE, /* no term: as the graph of a quad, the default graph */
    TR_RDF_TERM_IRI,
    TR_RDF_TERM_BLANK,
    TR_RDF_TERM_LITERAL
} tr_rdf_term_kind;

typedef struct tr_rdf_term {
    tr_rdf_term_kind kind;
    tr_str text;     /* the IRI, the label without "_:", or the lexical form */
    tr_str datatype; /* of a literal, always an absolute IRI; else empty */
    tr_str language; /* of an rdf:langString, as it was written; else empty */
} tr_rdf_term;

/* Why a term is refused, in the words of all readers. */
#define TR_RDF_NO_STAR      "RDF-star is not read: << is no part of RDF 1.1"
#define TR_RDF_NO_LANGUAGE  "an rdf:langString needs a language tag"
#define TR_RDF_BAD_LANGUAGE "the language tag is not well-formed (BCP 47)"

typedef struct tr_rdf_quad {
    tr_rdf_term subject;
    tr_rdf_term predicate;
    tr_rdf_term object;
    tr_rdf_term graph; /* kind TR_RDF_TERM_NONE in the default graph */
} tr_rdf_quad;

static inline tr_rdf_term tr_rdf_term_iri(tr_str iri)
{
    return (tr_rdf_term){.kind = TR_RDF_TERM_IRI, .text = iri};
}

static inline tr_rdf_term tr_rdf_term_blank(tr_str label)
{
    return (tr_rdf_term){.kind = TR_RDF_TERM_BLANK, .text = label};
}

/* A literal with a datatype. */
static inline tr_rdf_term tr_rdf_term_typed(tr_str text, tr_str datatype)
{
    return (tr_rdf_term){
        .kind = TR_RDF_TERM_LITERAL, .text = text, .datatype = datatype};
}

static inline tr_rdf_term tr_rdf_term_string(tr_str text)
{
    return tr_rdf_term_typed(text, TR_STR(TR_RDF_IRI_XSD_STRING));
}

/* A literal with a language tag. */
static inline tr_rdf_term tr_rdf_term_lang(tr_str text, tr_str language)
{
    return (tr_rdf_term){.kind = TR_RDF_TERM_LITERAL,
                         .text = text,
                         .datatype = TR_STR(TR_RDF_IRI_RDF_LANG_STRING),
                         .language = language};
}

/* The same term, character by character (RDF 1.1 Concepts, section 3.3). */
bool tr_rdf_term_eq(const tr_rdf_term *a, const tr_rdf_term *b);

/* An order for sorting only: kind, text, datatype, language. */
int tr_rdf_term_cmp(const tr_rdf_term *a, const tr_rdf_term *b);

/* Copies the texts into `arena`; false when there is no memory. `out` may be
 * the same term or quad. */
TR_NODISCARD bool tr_rdf_term_copy(struct tr_arena *arena,
                                   const tr_rdf_term *term, tr_rdf_term *out);
TR_NODISCARD bool tr_rdf_quad_copy(struct tr_arena *arena,
                                   const tr_rdf_quad *quad, tr_rdf_quad *out);

/* The term in canonical N-Triples: <iri>, _:label or "text"^^<datatype>. */
void tr_rdf_term_write(struct tr_buf *out, const tr_rdf_term *term);

/* A literal without the IRI of its datatype; true when that has to follow. */
TR_NODISCARD bool tr_rdf_literal_write_start(struct tr_buf *out,
                                             const tr_rdf_term *literal);

#endif

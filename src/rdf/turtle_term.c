#include "base/ascii.h"
#include "rdf/iri.h"
#include "rdf/writer.h"

static const struct {
    tr_str name;
    tr_str iri;
} well_known[] = {
    {TR_STR_INIT("rdf"), TR_STR_INIT(TR_RDF_NS_RDF)},
    {TR_STR_INIT("rdfs"), TR_STR_INIT(TR_RDF_NS_RDFS)},
    {TR_STR_INIT("xsd"), TR_STR_INIT(TR_RDF_NS_XSD)},
    {TR_STR_INIT("sh"), TR_STR_INIT(TR_RDF_NS_SH)},
    {TR_STR_INIT("owl"), TR_STR_INIT("http://www.w3.org/2002/07/owl#")},
    {TR_STR_INIT("prov"), TR_STR_INIT("http://www.w3.org/ns/prov#")},
    {TR_STR_INIT("skos"), TR_STR_INIT("http://www.w3.org/2004/02/skos/core#")},
    {TR_STR_INIT("dcterms"), TR_STR_INIT("http://purl.org/dc/terms/")},
    {TR_STR_INIT("foaf"), TR_STR_INIT("http://xmlns.com/foaf/0.1/")},
    {TR_STR_INIT("schema"), TR_STR_INIT("http://schema.org/")},
};

tr_status tr_rdf_turtle_known_prefixes(const struct tr_rdf_prefixes *given,
                                       struct tr_rdf_prefixes *out,
                                       struct tr_err *err)
{
    tr_str iri;
    for (size_t i = 0; given && i < given->by_name.count; i++) {
        const struct tr_map_entry *entry = &given->by_name.entries[i];
        if (tr_rdf_is_prefix(entry->key))
            TR_TRY(tr_rdf_prefixes_set(out, entry->key,
                                       *(const tr_str *)entry->value, err));
    }
    for (size_t i = 0; i < TR_LEN(well_known); i++) {
        if (!tr_rdf_prefixes_find(out, well_known[i].name, &iri))
            TR_TRY(tr_rdf_prefixes_set(out, well_known[i].name,
                                       well_known[i].iri, err));
    }
    return TR_OK;
}

static void write_iri(struct tr_buf *out,
                      const struct tr_rdf_prefixes *prefixes, tr_str iri)
{
    tr_str name;
    tr_str local;
    tr_rdf_term term = tr_rdf_term_iri(iri);
    if (!tr_rdf_prefixes_shorten(prefixes, iri, &name, &local)) {
        tr_rdf_term_write(out, &term);
        return;
    }
    tr_buf_put(out, name);
    tr_buf_putc(out, ':');
    tr_buf_put(out, local);
}

static size_t count_digits(tr_str text, size_t at)
{
    size_t end = at;
    while (end < text.len && tr_ascii_is_digit(text.ptr[end]))
        end++;
    return end - at;
}

/* Turtle's INTEGER, DECIMAL and DOUBLE; NULL for what is none of them. */
static const char *number_type(tr_str text)
{
    size_t at = text.len && (text.ptr[0] == '-' || text.ptr[0] == '+');
    size_t whole = count_digits(text, at);
    size_t fraction = 0;
    at += whole;
    bool has_point = at < text.len && text.ptr[at] == '.';
    if (has_point) {
        fraction = count_digits(text, ++at);
        at += fraction;
    }
    if (at == text.len && has_point)
        return fraction ? TR_RDF_IRI_XSD_DECIMAL : NULL;
    if (at == text.len)
        return whole ? TR_RDF_IRI_XSD_INTEGER : NULL;
    if (whole + fraction == 0 || (text.ptr[at] != 'e' && text.ptr[at] != 'E'))
        return NULL;
    at++;
    at += at < text.len && (text.ptr[at] == '-' || text.ptr[at] == '+');
    size_t exponent = count_digits(text, at);
    return exponent && at + exponent == text.len ? TR_RDF_IRI_XSD_DOUBLE : NULL;
}

/* Whether the bare text means this very literal. */
static bool is_bare(const tr_rdf_term *term)
{
    if (tr_str_eq(term->datatype, TR_STR(TR_RDF_IRI_XSD_BOOLEAN)))
        return tr_str_eq(term->text, TR_STR("true")) ||
               tr_str_eq(term->text, TR_STR("false"));
    const char *type = number_type(term->text);
    return type && tr_str_eq(term->datatype, tr_str_from(type));
}

/* The IRI that stands in what is written for a term; empty when none does. */
static tr_str iri_in(const tr_rdf_term *term)
{
    if (term->kind == TR_RDF_TERM_IRI)
        return term->text;
    if (term->kind != TR_RDF_TERM_LITERAL || term->language.len ||
        is_bare(term) ||
        tr_str_eq(term->datatype, TR_STR(TR_RDF_IRI_XSD_STRING)))
        return TR_STR("");
    return term->datatype;
}

tr_status tr_rdf_turtle_use_prefix(struct tr_rdf_prefixes *used,
                                   const struct tr_rdf_prefixes *known,
                                   const tr_rdf_term *term, struct tr_err *err)
{
    tr_str iri = iri_in(term);
    tr_str name;
    tr_str local;
    tr_str start;
    if (!tr_rdf_prefixes_shorten(known, iri, &name, &local) ||
        tr_rdf_prefixes_find(used, name, &start))
        return TR_OK;
    return tr_rdf_prefixes_set(used, name,
                               (tr_str){iri.ptr, iri.len - local.len}, err);
}

static void write_literal(struct tr_buf *out,
                          const struct tr_rdf_prefixes *prefixes,
                          const tr_rdf_term *term)
{
    if (is_bare(term)) {
        tr_buf_put(out, term->text);
        return;
    }
    if (tr_rdf_literal_write_start(out, term))
        write_iri(out, prefixes, term->datatype);
}

void tr_rdf_turtle_write_term(struct tr_buf *out,
                              const struct tr_rdf_prefixes *prefixes,
                              const tr_rdf_term *term)
{
    if (term->kind == TR_RDF_TERM_IRI)
        write_iri(out, prefixes, term->text);
    else if (term->kind == TR_RDF_TERM_LITERAL)
        write_literal(out, prefixes, term);
    else
        tr_rdf_term_write(out, term);
}

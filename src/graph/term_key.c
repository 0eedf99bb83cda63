#include "graph/term_key.h"

bool tr_graph_term_key_has_datatype(const tr_rdf_term *term)
{
    return term->kind == TR_RDF_TERM_LITERAL && !term->language.len &&
           !tr_str_eq(term->datatype, TR_STR(TR_RDF_IRI_XSD_STRING));
}

static size_t start_len(const tr_rdf_term *term)
{
    if (term->kind == TR_RDF_TERM_IRI)
        return 1;
    if (term->language.len)
        return 1 + term->language.len + 1;
    return tr_graph_term_key_has_datatype(term) ? 1 + TR_GRAPH_KEY_ID_BYTES : 1;
}

size_t tr_graph_term_key_len(const tr_rdf_term *term)
{
    return start_len(term) + term->text.len;
}

static char *put_text(char *to, tr_str text)
{
    if (text.len)
        memcpy(to, text.ptr, text.len);
    return to + text.len;
}

void tr_graph_term_key_write(const tr_rdf_term *term, tr_rdf_id datatype,
                             char *to)
{
    if (term->kind == TR_RDF_TERM_IRI) {
        *to++ = TR_GRAPH_TAG_IRI;
    } else if (term->language.len) {
        *to++ = TR_GRAPH_TAG_LANG;
        to = put_text(to, term->language);
        *to++ = '\0';
    } else if (tr_graph_term_key_has_datatype(term)) {
        *to++ = TR_GRAPH_TAG_TYPED;
        for (size_t i = TR_GRAPH_KEY_ID_BYTES; i > 0; i--)
            *to++ = (char)(datatype >> 8 * (i - 1));
    } else {
        *to++ = TR_GRAPH_TAG_STRING;
    }
    (void)put_text(to, term->text);
}

tr_rdf_id tr_graph_term_key_id(const char *bytes)
{
    tr_rdf_id id = 0;
    for (size_t i = 0; i < TR_GRAPH_KEY_ID_BYTES; i++)
        id = id << 8 | (unsigned char)bytes[i];
    return id;
}

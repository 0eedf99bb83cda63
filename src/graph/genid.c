#include "graph/genid.h"

#include "rdf/iri.h"

void tr_graph_genid_start(struct tr_buf *out, tr_str project)
{
    if (!project.len)
        project = TR_STR("local");
    tr_buf_putf(out, "trails://%.*s/.well-known/genid/", TR_FMT(project));
}

bool tr_graph_genid_is_blank(tr_str start, const tr_rdf_term *term,
                             tr_rdf_term *out)
{
    if (term->kind != TR_RDF_TERM_IRI || !tr_str_starts(term->text, start))
        return false;
    tr_str label = tr_str_skip(term->text, start.len);
    if (!label.len || tr_rdf_label_len(label) != label.len)
        return false;
    *out = tr_rdf_term_blank(label);
    return true;
}

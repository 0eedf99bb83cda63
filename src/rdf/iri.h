/*
 * rdf/iri.h - IRIs: their parts, resolution and checks (RFC 3986, RFC 3987).
 */
#ifndef TR_RDF_IRI_H
#define TR_RDF_IRI_H

#include "base/buf.h"

/* Views into the IRI. Absent and empty are not the same (RFC 3986, 5.3). */
struct tr_iri_parts {
    tr_str scheme; /* empty when absent: it cannot be empty itself */
    tr_str authority;
    tr_str path;
    tr_str query;
    tr_str fragment;
    bool has_authority;
    bool has_query;
    bool has_fragment;
};

/* Splits any text, legal or not (RFC 3986, appendix B). */
void tr_iri_split(tr_str iri, struct tr_iri_parts *out);

/* Length of "scheme:" at the start, 0 when there is none. */
size_t tr_iri_scheme_len(tr_str iri);

/* What stands behind the last '#', '/' or ':': the name people know. */
tr_str tr_iri_local_name(tr_str iri);

/*
 * The first byte that no RDF syntax allows in an IRI - controls, space and
 * <>"{}|^`\ - or iri.len. The text must be UTF-8.
 */
size_t tr_iri_legal_len(tr_str iri);

/*
 * TR_OK for an absolute IRI as RFC 3987 has it; TR_E_INVALID with the reason
 * for anything else. Stricter than the RDF syntaxes: also percent escapes,
 * brackets and characters that RFC 3987 leaves out are looked at.
 */
TR_NODISCARD tr_status tr_iri_check(tr_str iri, struct tr_err *err);

/*
 * Appends `reference` resolved against `base` (RFC 3986, 5.2). A reference
 * with a scheme is appended as it is. Without a base it is left relative.
 */
void tr_iri_resolve(struct tr_buf *out, tr_str base, tr_str reference);

#endif

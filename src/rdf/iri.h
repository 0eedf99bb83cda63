/*
 * rdf/iri.h - IRIs (RFC 3986, RFC 3987): their parts, resolution and checks;
 * the prefixes that shorten them, and the characters that names may have.
 */
#ifndef TR_RDF_IRI_H
#define TR_RDF_IRI_H

#include "base/buf.h"
#include "base/err.h"
#include "base/map.h"
#include "base/str.h"

/* Views into the IRI. Absent and empty are not the same (RFC 3986, 5.3). */
struct tr_rdf_iri_parts {
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
void tr_rdf_iri_split(tr_str iri, struct tr_rdf_iri_parts *out);

/* Length of "scheme:" at the start, 0 when there is none. */
size_t tr_rdf_iri_scheme_len(tr_str iri);

/* What stands behind the last '#', '/' or ':': the name people know. */
tr_str tr_rdf_iri_local_name(tr_str iri);

/*
 * The first byte that no RDF syntax allows in an IRI - controls, space and
 * <>"{}|^`\ - or iri.len. The text must be UTF-8.
 */
size_t tr_rdf_iri_legal_len(tr_str iri);

/* The same, and notes in *seen what tr_rdf_iri_check_scanned asks for: it may
 * be called for the pieces of an IRI, one after the other. */
size_t tr_rdf_iri_scan(tr_str iri, unsigned *seen);

/*
 * TR_OK for an absolute IRI as RFC 3987 has it; TR_E_INVALID with the reason
 * for anything else. It is stricter than the grammars of the RDF syntaxes: it
 * also checks percent escapes, brackets, ports, and characters that RFC 3987
 * leaves out, as other readers of RDF do.
 */
TR_NODISCARD tr_status tr_rdf_iri_check(tr_str iri, struct tr_err *err);

/* The same for an IRI that was scanned as a whole, without another look at each
 * of its bytes. */
TR_NODISCARD tr_status tr_rdf_iri_check_scanned(tr_str iri, unsigned seen,
                                                struct tr_err *err);

/* Whether what has no scheme can be a reference: its first segment has no colon
 * (RFC 3986, 4.2). */
bool tr_rdf_iri_is_reference(tr_str reference);

/*
 * Appends `reference` resolved against `base` (RFC 3986, 5.2). A reference
 * with a scheme is appended as it is. Without a base it is left relative.
 */
void tr_rdf_iri_resolve(struct tr_buf *out, tr_str base, tr_str reference);

/*
 * Names for the starts of IRIs. Names and IRIs live in the arena; so does the
 * struct's own memory.
 */
struct tr_rdf_prefixes {
    struct tr_map by_name; /* to a tr_str in the arena */
};

void tr_rdf_prefixes_init(struct tr_rdf_prefixes *prefixes,
                          struct tr_arena *arena);

/* Adds or replaces; both are copied. */
TR_NODISCARD tr_status tr_rdf_prefixes_set(struct tr_rdf_prefixes *prefixes,
                                           tr_str name, tr_str iri,
                                           struct tr_err *err);

bool tr_rdf_prefixes_find(const struct tr_rdf_prefixes *prefixes, tr_str name,
                          tr_str *out);

/*
 * The IRI of "name:local", in `arena`. TR_E_SYNTAX without a colon,
 * TR_E_NOT_FOUND for a name that is not there.
 */
TR_NODISCARD tr_status tr_rdf_prefixes_expand(
    const struct tr_rdf_prefixes *prefixes, struct tr_arena *arena,
    tr_str curie, tr_str *out, struct tr_err *err);

/*
 * The name of the longest prefix whose rest is a plain local name (one that
 * needs no escapes); false when there is none.
 */
bool tr_rdf_prefixes_shorten(const struct tr_rdf_prefixes *prefixes, tr_str iri,
                             tr_str *name, tr_str *local);

/*
 * The characters of blank node labels and prefixed names (Turtle,
 * productions PN_CHARS_BASE to PN_LOCAL), and of language tags.
 */

bool tr_rdf_is_name_start(uint32_t code_point); /* PN_CHARS_U: '_' too */
bool tr_rdf_is_name_char(uint32_t code_point);  /* PN_CHARS */

/* Length of the BLANK_NODE_LABEL without "_:" that `s` starts with, or 0. */
size_t tr_rdf_label_len(tr_str s);

/* Length of the LANGTAG without "@" that `s` starts with, or 0. */
size_t tr_rdf_language_len(tr_str s);

/* Whether a tag is well-formed (BCP 47, 2.1), as RDF 1.1 Concepts, 3.3 wants it
 * and other readers do. */
bool tr_rdf_language_is_valid(tr_str tag);

/* Whether two tags are the same, whatever their case (RDF 1.1 Concepts, 3.3).
 */
bool tr_rdf_language_eq(tr_str a, tr_str b);

/* Whether `s` is a PN_LOCAL that needs no escapes. Empty is one. */
bool tr_rdf_is_plain_local(tr_str s);

/* Whether `s` is a PN_PREFIX, or empty. */
bool tr_rdf_is_prefix(tr_str s);

#endif

/*
 * rdf/prefixes.h - names for the starts of IRIs.
 */
#ifndef TR_RDF_PREFIXES_H
#define TR_RDF_PREFIXES_H

#include "base/err.h"
#include "base/map.h"

/* Names and IRIs live in the arena; so does the struct's own memory. */
struct tr_prefixes {
    struct tr_map by_name; /* to a tr_str in the arena */
};

void tr_prefixes_init(struct tr_prefixes *prefixes, struct tr_arena *arena);

/* Adds or replaces; both are copied. */
TR_NODISCARD tr_status tr_prefixes_set(struct tr_prefixes *prefixes,
                                       tr_str name, tr_str iri,
                                       struct tr_err *err);

bool tr_prefixes_find(const struct tr_prefixes *prefixes, tr_str name,
                      tr_str *out);

/*
 * The IRI of "name:local", in `arena`. TR_E_SYNTAX without a colon,
 * TR_E_NOT_FOUND for a name that is not there.
 */
TR_NODISCARD tr_status tr_prefixes_expand(const struct tr_prefixes *prefixes,
                                          struct tr_arena *arena, tr_str curie,
                                          tr_str *out, struct tr_err *err);

/*
 * The name of the longest prefix whose rest is a plain local name (one that
 * needs no escapes); false when there is none.
 */
bool tr_prefixes_shorten(const struct tr_prefixes *prefixes, tr_str iri,
                         tr_str *name, tr_str *local);

#endif

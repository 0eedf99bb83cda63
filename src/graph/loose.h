/*
 * graph/loose.h - values and predicates where no type says what they are.
 *
 * A predicate is an absolute IRI, or a name with a prefix of the app's. A value
 * is a text, a number, a boolean, {"id": an IRI}, {"value": text, "type": IRI}
 * or {"value": text, "language": tag}: as graph/node.h shows them.
 */
#ifndef TR_GRAPH_LOOSE_H
#define TR_GRAPH_LOOSE_H

#include "json/json.h"
#include "rdf/term.h"

struct tr_model;

/* TR_E_INVALID for what is no IRI. The result lives in `arena`. */
TR_NODISCARD tr_status tr_loose_iri(const struct tr_model *model, tr_str text,
                                    struct tr_arena *arena, tr_str *out,
                                    struct tr_err *err);

TR_NODISCARD tr_status tr_loose_term(const struct tr_model *model,
                                     const struct tr_json *value,
                                     struct tr_arena *arena, tr_term *out,
                                     struct tr_err *err);

#endif

/*
 * graph/uri.h - the URIs under which clients see types and their instances.
 *
 *     trails://kg/Task                    all of a type
 *     trails://kg/Task/01a1...            trails://project/Task/01a1...
 *     trails://kg/Task/http%3A%2F%2F...   an instance with another IRI
 */
#ifndef TR_GRAPH_URI_H
#define TR_GRAPH_URI_H

#include "base/buf.h"
#include "shape/model.h"

/*
 * The IRIs that the last part of such a URI, decoded, may stand for: what it
 * would be in this project, and what it is; in `arena`. False without memory.
 */
TR_NODISCARD bool tr_kg_uri_iris(struct tr_arena *arena,
                                 const struct tr_type *type, tr_str id,
                                 const struct tr_model *model, tr_str out[2]);

/*
 * Whether it is the URI of a type or an instance as we write it: changes are
 * told under that one only. What the instance is, or was, does not matter.
 */
bool tr_kg_uri_is_ours(tr_str uri, const struct tr_model *model);

/* Appends; an empty `iri` is for the type. */
void tr_kg_uri_write(struct tr_buf *out, const struct tr_type *type, tr_str iri,
                     const struct tr_model *model);

#endif

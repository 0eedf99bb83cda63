/*
 * graph/uri.h - the URIs under which clients see types and their instances.
 *
 *     trails://kg/Task                    all of a type
 *     trails://kg/Task/01a1...            trails://project/Task/01a1...
 *     trails://kg/Task/http%3A%2F%2F...   an instance with another IRI
 */
#ifndef TR_GRAPH_URI_H
#define TR_GRAPH_URI_H

#include "shape/model.h"

/* Appends; an empty `iri` is for the type. */
void tr_kg_uri_write(struct tr_buf *out, const struct tr_type *type, tr_str iri,
                     const struct tr_model *model);

#endif

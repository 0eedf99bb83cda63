/*
 * model/shacl_fields.h - the field table that is in a SHACL shape.
 *
 * Plain properties with a datatype, a class or a node kind become fields; with
 * json_schema.h that gives the JSON Schema of a shape. What a field table
 * cannot say (paths, logic, comparisons, a maximum of 0) is left out.
 */
#ifndef TR_MODEL_SHACL_FIELDS_H
#define TR_MODEL_SHACL_FIELDS_H

#include "fields/field.h"
#include "shacl/shapes.h"

/* Registers the table of shapes->shapes[place] into `arena`. */
TR_NODISCARD tr_status tr_shacl_to_fields(const struct tr_shapes *shapes,
                                          size_t place, struct tr_arena *arena,
                                          struct tr_patterns *patterns,
                                          const struct tr_shape **out,
                                          struct tr_err *err);

/*
 * The node shape that is called `type` or targets the class; the local name of
 * an IRI (rdf/iri.h) is enough when there is only one. Fails with
 * TR_E_NOT_FOUND or TR_E_CONFLICT.
 */
TR_NODISCARD tr_status tr_shapes_find_type(const struct tr_shapes *shapes,
                                           tr_str type, size_t *out,
                                           struct tr_err *err);

#endif

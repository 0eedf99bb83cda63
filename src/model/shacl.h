/*
 * model/shacl.h - tables of fields as SHACL shapes with IRIs, and the other way
 * round.
 *
 * What is written is read again by tr_shacl_shapes_read: so a table and a SHACL
 * file end as the same compiled shapes, and there is one validator for both.
 */
#ifndef TR_MODEL_SHACL_H
#define TR_MODEL_SHACL_H

#include "fields/field.h"
#include "rdf/iri.h"
#include "rdf/memory_graph.h"
#include "shacl/shapes.h"

/* What a type is written with; all types have IRIs (tr_model_name_shape). */
struct tr_model_type_context {
    tr_str project;
    const struct tr_rdf_prefixes *prefixes; /* may be NULL */
    const struct tr_shape *parent;          /* or NULL */
    const struct tr_shape *const *types;    /* that a ref may point to */
    size_t type_count;

    /* Names the fields of the type that the parent's shape does not have
     * already. NULL: all. */
    const struct tr_shape *own;

    /* Types whose instances are instances of this one, too: the closed shape
     * lets their fields pass. */
    const struct tr_shape *const *subtypes;
    size_t subtype_count;

    /* A shape that is no type: the IRI of the class whose instances it is for,
     * or of the predicate whose subjects. */
    tr_str target_class;
    tr_str target_subjects_of;
    bool is_bare; /* it is for no nodes by itself, and no class */
};

/*
 * Makes `*iri`, absolute or with a prefix, absolute. Fails with TR_E_INVALID,
 * also when it looks like a name whose prefix nobody declared. The result
 * lives in `arena`, or is what it was. `prefixes` may be NULL.
 */
TR_NODISCARD tr_status tr_model_type_iri_expand(
    struct tr_arena *arena, const struct tr_rdf_prefixes *prefixes, tr_str *iri,
    struct tr_err *err);

/* The IRI of a type: its own, or trails://project/Type when it is unknown. */
void tr_model_type_iri_write(struct tr_buf *out,
                             const struct tr_model_type_context *context,
                             tr_str type);

/*
 * Gives a draft, before it is registered, its IRIs: `trails://project/Type` and
 * `trails://project/Type#field`, unless it has its own, absolute or with a
 * prefix. With a parent, the parent's fields come first and keep theirs; a
 * field of the same name replaces one. Fails with TR_E_INVALID when two fields
 * have the same IRI. The new fields live in `arena`.
 */
TR_NODISCARD tr_status tr_model_name_shape(
    struct tr_arena *arena, const struct tr_model_type_context *context,
    struct tr_shape *draft, struct tr_err *err);

/*
 * Adds the node shape of a type with IRIs to `out`, which has to be indexed
 * afterwards. The type is its own target class, and a subclass of the parent,
 * of which its instances have to be instances, too; a shape with another target
 * is no class.
 */
TR_NODISCARD tr_status tr_model_shape_to_graph(
    const struct tr_shape *shape, const struct tr_model_type_context *context,
    struct tr_rdf_memory_graph *out, struct tr_err *err);

/*
 * Makes a table of fields of shapes->shapes[index], and registers it into
 * `arena`. Plain properties with a datatype, a class or a node kind become
 * fields; with fields/json_schema.h that gives the JSON Schema of a shape. What
 * a table cannot express (paths, logic, comparisons, a maximum of 0) is left
 * out.
 */
TR_NODISCARD tr_status tr_model_shape_of_shacl(
    const struct tr_shacl_shapes *shapes, size_t index, struct tr_arena *arena,
    struct tr_field_patterns *patterns, const struct tr_shape **out,
    struct tr_err *err);

/*
 * The node shape that is called `type` or targets the class; the local name of
 * an IRI (rdf/iri.h) is enough when there is only one. Fails with
 * TR_E_NOT_FOUND or TR_E_CONFLICT.
 */
TR_NODISCARD tr_status
tr_model_find_shacl_type(const struct tr_shacl_shapes *shapes, tr_str type,
                         size_t *out, struct tr_err *err);

#endif

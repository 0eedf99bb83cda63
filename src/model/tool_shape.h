/*
 * model/tool_shape.h - what tools about one type take and give, as shapes.
 *
 * Each shape is a view of the type. It is registered into `arena`, and lives as
 * long as that and the set of patterns.
 */
#ifndef TR_MODEL_TOOL_SHAPE_H
#define TR_MODEL_TOOL_SHAPE_H

#include "model/model.h"

/* What a view is made of, and where it goes. */
struct tr_model_tool_shape {
    const struct tr_model *model;
    const struct tr_model_type *type;
    struct tr_arena *arena;
    struct tr_field_patterns *patterns;
};

/*
 * Adds to a copy of a field of the type what the other shapes that target its
 * instances ask for: constraints, and in its description the names of those
 * that a field cannot have. And the same of the node as a whole.
 */
TR_NODISCARD tr_status
tr_model_tell_field(const struct tr_model_tool_shape *how,
                    struct tr_field *field, struct tr_err *err);
TR_NODISCARD tr_status tr_model_tell_node(const struct tr_model_tool_shape *how,
                                          tr_str *description,
                                          struct tr_err *err);

/* Whether a shape is for the instances of a type, as one for those of a type
 * above is. */
bool tr_model_shape_targets(const struct tr_model *model,
                            const struct tr_shacl_shape *shape,
                            const struct tr_model_type *type);

/* The argument that names the optional fields to take away. A type that has a
 * field of this name keeps it, and its tool goes without. */
#define TR_MODEL_CLEAR "clear"

/* The same of what is searched for, and in which order. */
#define TR_MODEL_FILTER "filter"
#define TR_MODEL_ORDER  "order"

typedef tr_status tr_model_tool_shape_fn(const struct tr_model_tool_shape *how,
                                         const struct tr_shape **out,
                                         struct tr_err *err);

/* The fields of a new instance, and what is unique, also in its ancestors. */
tr_model_tool_shape_fn tr_model_tool_shape_fields;

/* The same, and with TR_MODEL_IRI_PRESERVE the `id` of the new instance. */
tr_model_tool_shape_fn tr_model_tool_shape_create;

/* `id`, perhaps `version`, any of the fields, and TR_MODEL_CLEAR. */
tr_model_tool_shape_fn tr_model_tool_shape_update;

/* `id`, and perhaps `version`. */
tr_model_tool_shape_fn tr_model_tool_shape_delete;

/* The fields that hold one value each; TR_MODEL_FILTER and TR_MODEL_ORDER,
 * `fields`, `limit` and `cursor`. */
tr_model_tool_shape_fn tr_model_tool_shape_find;

/*
 * An instance as graph/node.h writes it; what every stored instance has, also
 * one that was written under an older type: kinds of values, and no more; and
 * what a deletion returns.
 */
tr_model_tool_shape_fn tr_model_tool_shape_node;
tr_model_tool_shape_fn tr_model_tool_shape_stored;
tr_model_tool_shape_fn tr_model_tool_shape_deleted;

/* Items that `find` returns: default, and maximum. */
#define TR_MODEL_FIND_DEFAULT 25
#define TR_MODEL_FIND_MOST    100

#endif

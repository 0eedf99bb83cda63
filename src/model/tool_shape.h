/*
 * model/tool_shape.h - what tools about one type take and give, as shapes.
 *
 * Each is a view of the type. They are registered into `arena`, and live as
 * long as it and the set of patterns.
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

typedef tr_status tr_model_tool_shape_fn(const struct tr_model_tool_shape *how,
                                         const struct tr_shape **out,
                                         struct tr_err *err);

/* The fields of a new instance; what is unique above the type is told too. */
tr_model_tool_shape_fn tr_model_tool_shape_fields;

/* The same, and its `id` where whoever creates it has to say it. */
tr_model_tool_shape_fn tr_model_tool_shape_create;

/* `id`, perhaps `version`, and any of the fields. */
tr_model_tool_shape_fn tr_model_tool_shape_update;

/* `id`, and perhaps `version`. */
tr_model_tool_shape_fn tr_model_tool_shape_delete;

/* Values of fields that have one; `fields`, `limit` and `cursor`. */
tr_model_tool_shape_fn tr_model_tool_shape_find;

/*
 * An instance as graph/node.h writes it; of a part of its fields in the second;
 * what is left of one that was deleted in the third.
 */
tr_model_tool_shape_fn tr_model_tool_shape_node;
tr_model_tool_shape_fn tr_model_tool_shape_part;
tr_model_tool_shape_fn tr_model_tool_shape_deleted;

/* How many `find` gives, unless it is told, and at most. */
#define TR_MODEL_FIND_DEFAULT 25
#define TR_MODEL_FIND_MOST    100

#endif

/*
 * model/told.h - how what other shapes ask of a type is told with its fields:
 * what the files told*.c share.
 */
#ifndef TR_MODEL_TOLD_H
#define TR_MODEL_TOLD_H

#include "fields/kind.h"
#include "model/model.h"

struct tr_model_telling {
    const struct tr_model *model;
    const struct tr_model_type *type;
    struct tr_arena *arena;
    struct tr_field *field; /* NULL: what is asked of the node as a whole */
    bool is_own;            /* the shape is made of the type's own fields */
    uint64_t unsaid;        /* components, as bits */
    bool no_memory;
};

/* These have the field say what a constraint asks; false when it cannot. */

/* Of each value of a field. */
bool tr_model_tell_value(struct tr_model_telling *t,
                         const struct tr_shacl_constraint *c);

/* Of a list: its head, its cells, or its items, by the path. */
bool tr_model_tell_list(struct tr_model_telling *t,
                        const struct tr_shacl_path *path,
                        const struct tr_shacl_constraint *c);

/* Of an object. */
bool tr_model_tell_object(struct tr_model_telling *t,
                          const struct tr_shacl_path *path,
                          const struct tr_shacl_constraint *c);

/* The greater of two bounds from below, 0 being none; the lesser from above. */
void tr_model_tell_min(int64_t *min, int64_t number);
bool tr_model_tell_max(int64_t *max, int64_t number);

#endif

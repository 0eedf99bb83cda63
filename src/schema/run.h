/*
 * schema/run.h - one evaluation of a compiled schema.
 */
#ifndef TR_SCHEMA_RUN_H
#define TR_SCHEMA_RUN_H

#include "schema/compiler.h"

/* Which members or items have been evaluated successfully; by index. */
struct tr_schema_evaluated {
    unsigned char *flags; /* NULL when nobody asks */
    size_t count;
};

/* One step into the instance. They are on the stack, innermost first. */
struct tr_schema_path {
    const struct tr_schema_path *outer;
    tr_str name; /* of a member; NULL `ptr` for an item */
    size_t index;
};

struct tr_schema_run {
    const struct tr_schema *schema;
    struct tr_arena *arena;
    struct tr_field_errors *errors;
    unsigned trials; /* above 0 failures are not reported */
    size_t work;
    unsigned depth;
    tr_status failed; /* sticks; no result counts once it is set */
    struct tr_err *err;
};

/* A schema that is being applied to a value. */
struct tr_schema_frame {
    const struct tr_schema_frame *outer; /* what applied it */
    const struct tr_schema_node *node;
    const struct tr_json *value;
    const struct tr_schema_path *path; /* of the value; NULL at the root */
    struct tr_schema_evaluated seen;
};

/* Applies a schema to the frame's own value; what it evaluates counts. */
bool tr_schema_apply(struct tr_schema_run *run, struct tr_schema_frame *frame,
                     const struct tr_schema_node *node);

/* As tr_schema_apply, but failures are not reported. */
bool tr_schema_try(struct tr_schema_run *run, struct tr_schema_frame *frame,
                   const struct tr_schema_node *node);

/* Applies a schema to a member (with its index) or an item, and marks it. */
bool tr_schema_apply_member(struct tr_schema_run *run,
                            struct tr_schema_frame *frame, size_t i,
                            const struct tr_schema_node *node);
bool tr_schema_apply_item(struct tr_schema_run *run,
                          struct tr_schema_frame *frame, size_t i,
                          const struct tr_schema_node *node);

/* Applies a schema to a value that is not part of the instance: a name. */
bool tr_schema_apply_name(struct tr_schema_run *run,
                          struct tr_schema_frame *frame,
                          const struct tr_json *name,
                          const struct tr_schema_node *node);

/* Counts `work` steps; false, and failed, when there were too many. */
bool tr_schema_spend(struct tr_schema_run *run, size_t work);

/* Reports that the frame's value does not satisfy `op`; returns false. */
bool tr_schema_refuse(struct tr_schema_run *run, const struct tr_schema_op *op,
                      const struct tr_schema_frame *frame);

/* Reports something about a member of the frame's value; returns false. */
bool tr_schema_refuse_member(struct tr_schema_run *run,
                             const struct tr_schema_op *op,
                             const struct tr_schema_frame *frame, tr_str name);

/* Whether the pattern occurs; fails the run when it takes too much work. */
bool tr_schema_matches(struct tr_schema_run *run,
                       const struct tr_schema_frame *frame,
                       const struct tr_field_pattern *pattern, tr_str text);

#endif

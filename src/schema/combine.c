#include "schema/keywords.h"

bool tr_schema_check_ref(struct tr_schema_run *run,
                         const struct tr_schema_op *op,
                         struct tr_schema_frame *frame)
{
    return tr_schema_apply(run, frame, op->nodes[0]);
}

/* 2020-12, section 8.2.3.2: the outermost resource that is being applied and
 * has the anchor decides. */
bool tr_schema_check_dynamic_ref(struct tr_schema_run *run,
                                 const struct tr_schema_op *op,
                                 struct tr_schema_frame *frame)
{
    const struct tr_schema_node *target = op->nodes[0];
    if (op->anchor.len) {
        for (const struct tr_schema_frame *f = frame; f; f = f->outer) {
            const struct tr_schema_node *found =
                tr_map_find(&f->node->resource->dynamic, op->anchor);
            if (found)
                target = found;
        }
        if (!tr_schema_spend(run, run->depth))
            return false;
    }
    return tr_schema_apply(run, frame, target);
}

bool tr_schema_check_all(struct tr_schema_run *run,
                         const struct tr_schema_op *op,
                         struct tr_schema_frame *frame)
{
    bool valid = true;
    for (size_t i = 0; i < op->count && (valid || !run->trials); i++)
        valid &= tr_schema_apply(run, frame, op->nodes[i]);
    return valid;
}

/* With `seen` all are tried: each that fits may evaluate other members. */
bool tr_schema_check_any(struct tr_schema_run *run,
                         const struct tr_schema_op *op,
                         struct tr_schema_frame *frame)
{
    bool valid = false;
    for (size_t i = 0; i < op->count && (!valid || frame->seen.flags); i++)
        valid |= tr_schema_try(run, frame, op->nodes[i]);
    return valid || tr_schema_refuse(run, op, frame);
}

bool tr_schema_check_one(struct tr_schema_run *run,
                         const struct tr_schema_op *op,
                         struct tr_schema_frame *frame)
{
    size_t fitting = 0;
    for (size_t i = 0; i < op->count && fitting < 2; i++)
        fitting += tr_schema_try(run, frame, op->nodes[i]);
    return fitting == 1 || tr_schema_refuse(run, op, frame);
}

bool tr_schema_check_not(struct tr_schema_run *run,
                         const struct tr_schema_op *op,
                         struct tr_schema_frame *frame)
{
    struct tr_schema_frame copy = *frame;
    copy.seen =
        (struct tr_schema_evaluated){0}; /* what it evaluates is dropped */
    return !tr_schema_try(run, &copy, op->nodes[0]) ||
           tr_schema_refuse(run, op, frame);
}

bool tr_schema_check_if(struct tr_schema_run *run,
                        const struct tr_schema_op *op,
                        struct tr_schema_frame *frame)
{
    bool holds = tr_schema_try(run, frame, op->nodes[0]);
    const struct tr_schema_node *branch = op->nodes[holds ? 1 : 2];
    return !branch || tr_schema_apply(run, frame, branch);
}

#include "schema/keywords.h"

static bool is_object(const struct tr_schema_frame *frame)
{
    return frame->value->kind == TR_JSON_OBJECT;
}

static bool goes_on(const struct tr_schema_run *run, bool valid)
{
    return run->failed == TR_OK &&
           (valid || (!run->trials && !run->errors->more));
}

bool tr_schema_check_max_properties(struct tr_schema_run *run,
                                    const struct tr_schema_op *op,
                                    struct tr_schema_frame *frame)
{
    return !is_object(frame) || frame->value->len <= op->number ||
           tr_schema_refuse(run, op, frame);
}

bool tr_schema_check_min_properties(struct tr_schema_run *run,
                                    const struct tr_schema_op *op,
                                    struct tr_schema_frame *frame)
{
    return !is_object(frame) || frame->value->len >= op->number ||
           tr_schema_refuse(run, op, frame);
}

static bool check_names(struct tr_schema_run *run,
                        const struct tr_schema_op *op,
                        struct tr_schema_frame *frame,
                        const struct tr_json *names)
{
    bool valid = true;
    if (!tr_schema_spend(run, names->len))
        return false;
    for (size_t i = 0; i < names->len && goes_on(run, valid); i++) {
        tr_str name = tr_json_text(&names->as.items[i]);
        if (!tr_json_find(frame->value, name))
            valid = tr_schema_refuse_member(run, op, frame, name);
    }
    return valid;
}

bool tr_schema_check_required(struct tr_schema_run *run,
                              const struct tr_schema_op *op,
                              struct tr_schema_frame *frame)
{
    return !is_object(frame) || check_names(run, op, frame, op->value);
}

/* Applies the names, or the schema, that a member asks for when it is there. */
static bool check_dependency(struct tr_schema_run *run,
                             const struct tr_schema_op *op,
                             struct tr_schema_frame *frame, size_t i)
{
    const struct tr_json_member *member = &op->value->as.members[i];
    if (!tr_json_find(frame->value, tr_json_text(&member->key)))
        return true;
    if (member->value.kind == TR_JSON_ARRAY)
        return check_names(run, op, frame, &member->value);
    return tr_schema_apply(run, frame, op->nodes[i]);
}

bool tr_schema_check_dependencies(struct tr_schema_run *run,
                                  const struct tr_schema_op *op,
                                  struct tr_schema_frame *frame)
{
    bool valid = true;
    for (size_t i = 0;
         is_object(frame) && i < op->value->len && goes_on(run, valid); i++)
        valid &= check_dependency(run, op, frame, i);
    return valid;
}

bool tr_schema_check_dependent_required(struct tr_schema_run *run,
                                        const struct tr_schema_op *op,
                                        struct tr_schema_frame *frame)
{
    return tr_schema_check_dependencies(run, op, frame);
}

bool tr_schema_check_dependent_schemas(struct tr_schema_run *run,
                                       const struct tr_schema_op *op,
                                       struct tr_schema_frame *frame)
{
    return tr_schema_check_dependencies(run, op, frame);
}

/* The index of a member, from the address of its value. */
static size_t index_of(const struct tr_json *object,
                       const struct tr_json *value)
{
    const char *first = (const char *)&object->as.members[0].value;
    return (size_t)((const char *)value - first) /
           sizeof(struct tr_json_member);
}

bool tr_schema_check_properties(struct tr_schema_run *run,
                                const struct tr_schema_op *op,
                                struct tr_schema_frame *frame)
{
    bool valid = true;
    for (size_t i = 0;
         is_object(frame) && i < op->value->len && goes_on(run, valid); i++) {
        tr_str name = tr_json_text(&op->value->as.members[i].key);
        const struct tr_json *value = tr_json_find(frame->value, name);
        if (value)
            valid &= tr_schema_apply_member(
                run, frame, index_of(frame->value, value), op->nodes[i]);
    }
    return valid;
}

bool tr_schema_check_pattern_properties(struct tr_schema_run *run,
                                        const struct tr_schema_op *op,
                                        struct tr_schema_frame *frame)
{
    bool valid = true;
    if (!is_object(frame) ||
        !tr_schema_spend(run, op->count * frame->value->len))
        return run->failed == TR_OK;
    for (size_t i = 0; i < op->count; i++) {
        for (size_t k = 0; k < frame->value->len && goes_on(run, valid); k++) {
            tr_str name = tr_json_text(&frame->value->as.members[k].key);
            if (tr_schema_matches(run, frame, op->patterns[i], name))
                valid &= tr_schema_apply_member(run, frame, k, op->nodes[i]);
        }
    }
    return valid;
}

/* Whether a keyword for the rest of an object is about its i-th member. */
typedef bool member_test(struct tr_schema_run *run,
                         const struct tr_schema_op *op,
                         const struct tr_schema_frame *frame, size_t i);

static bool is_additional(struct tr_schema_run *run,
                          const struct tr_schema_op *op,
                          const struct tr_schema_frame *frame, size_t i)
{
    tr_str name = tr_json_text(&frame->value->as.members[i].key);
    if (!tr_schema_spend(run, 1) || tr_json_find(op->sibling, name))
        return false;
    for (int64_t k = 0; k < op->number; k++) {
        if (tr_schema_matches(run, frame, op->patterns[k], name))
            return false;
    }
    return true;
}

static bool is_unevaluated(struct tr_schema_run *run,
                           const struct tr_schema_op *op,
                           const struct tr_schema_frame *frame, size_t i)
{
    (void)run;
    (void)op;
    return !frame->seen.flags[i];
}

/* With the schema `false` the member is refused by its name, as unknown: its
 * value is not at fault. */
static bool check_member(struct tr_schema_run *run,
                         const struct tr_schema_op *op,
                         struct tr_schema_frame *frame, size_t i)
{
    const struct tr_json *source = op->nodes[0]->source;
    tr_str name = tr_json_text(&frame->value->as.members[i].key);
    if (source->kind == TR_JSON_BOOL && !(source->flags & TR_JSON_TRUE))
        return tr_schema_refuse_member(run, op, frame, name);
    return tr_schema_apply_member(run, frame, i, op->nodes[0]);
}

static bool check_rest(struct tr_schema_run *run, const struct tr_schema_op *op,
                       struct tr_schema_frame *frame, member_test *is_meant)
{
    bool valid = true;
    for (size_t i = 0;
         is_object(frame) && i < frame->value->len && goes_on(run, valid);
         i++) {
        if (is_meant(run, op, frame, i))
            valid &= check_member(run, op, frame, i);
    }
    return valid;
}

bool tr_schema_check_additional(struct tr_schema_run *run,
                                const struct tr_schema_op *op,
                                struct tr_schema_frame *frame)
{
    return check_rest(run, op, frame, is_additional);
}

bool tr_schema_check_unevaluated_properties(struct tr_schema_run *run,
                                            const struct tr_schema_op *op,
                                            struct tr_schema_frame *frame)
{
    return check_rest(run, op, frame, is_unevaluated);
}

bool tr_schema_check_names(struct tr_schema_run *run,
                           const struct tr_schema_op *op,
                           struct tr_schema_frame *frame)
{
    bool valid = true;
    for (size_t i = 0;
         is_object(frame) && i < frame->value->len && goes_on(run, valid); i++)
        valid &= tr_schema_apply_name(
            run, frame, &frame->value->as.members[i].key, op->nodes[0]);
    return valid;
}

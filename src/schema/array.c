#include "base/hash.h"
#include "fields/value.h"
#include "schema/keywords.h"

static bool is_array(const struct tr_schema_frame *frame)
{
    return frame->value->kind == TR_JSON_ARRAY;
}

bool tr_schema_check_max_items(struct tr_schema_run *run,
                               const struct tr_schema_op *op,
                               struct tr_schema_frame *frame)
{
    return !is_array(frame) || frame->value->len <= op->number ||
           tr_schema_refuse(run, op, frame);
}

bool tr_schema_check_min_items(struct tr_schema_run *run,
                               const struct tr_schema_op *op,
                               struct tr_schema_frame *frame)
{
    return !is_array(frame) || frame->value->len >= op->number ||
           tr_schema_refuse(run, op, frame);
}

struct hashed {
    uint64_t hash;
    const struct tr_json *value;
};

static int by_hash(const void *a, const void *b)
{
    const struct hashed *left = a;
    const struct hashed *right = b;
    return (left->hash > right->hash) - (left->hash < right->hash);
}

/* Equal values have equal hashes, so only neighbours are compared. */
static bool has_twice(const struct hashed *list, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        for (size_t k = i; k > 0 && list[k - 1].hash == list[i].hash; k--) {
            if (tr_field_value_eq(list[k - 1].value, list[i].value))
                return true;
        }
    }
    return false;
}

bool tr_schema_check_unique(struct tr_schema_run *run,
                            const struct tr_schema_op *op,
                            struct tr_schema_frame *frame)
{
    const struct tr_json *value = frame->value;
    if (!is_array(frame) || value->len < 2 ||
        !(op->value->flags & TR_JSON_TRUE))
        return true;
    if (!tr_schema_spend(run, tr_field_value_count(value)))
        return false;
    struct hashed *list = TR_NEW_ARRAY(run->arena, struct hashed, value->len);
    if (!list) {
        run->failed =
            tr_fail(run->err, TR_E_NOMEM, "no memory to check the value");
        return false;
    }
    uint64_t seed = tr_hash_seed(list);
    for (size_t i = 0; i < value->len; i++) {
        list[i].value = &value->as.items[i];
        list[i].hash = tr_field_value_hash(list[i].value, seed);
    }
    qsort(list, value->len, sizeof(*list), by_hash);
    return !has_twice(list, value->len) || tr_schema_refuse(run, op, frame);
}

static bool goes_on(const struct tr_schema_run *run, bool valid)
{
    return run->failed == TR_OK &&
           (valid || (!run->trials && !run->errors->more));
}

static bool check_from(struct tr_schema_run *run, struct tr_schema_frame *frame,
                       size_t from, const struct tr_schema_node *node)
{
    bool valid = true;
    for (size_t i = from; i < frame->value->len && goes_on(run, valid); i++)
        valid &= tr_schema_apply_item(run, frame, i, node);
    return valid;
}

bool tr_schema_check_prefix(struct tr_schema_run *run,
                            const struct tr_schema_op *op,
                            struct tr_schema_frame *frame)
{
    bool valid = true;
    for (size_t i = 0; is_array(frame) && i < op->count &&
                       i < frame->value->len && goes_on(run, valid);
         i++)
        valid &= tr_schema_apply_item(run, frame, i, op->nodes[i]);
    return valid;
}

bool tr_schema_check_items(struct tr_schema_run *run,
                           const struct tr_schema_op *op,
                           struct tr_schema_frame *frame)
{
    return !is_array(frame) || op->number >= frame->value->len ||
           check_from(run, frame, (size_t)op->number, op->nodes[0]);
}

bool tr_schema_check_items_07(struct tr_schema_run *run,
                              const struct tr_schema_op *op,
                              struct tr_schema_frame *frame)
{
    if (op->value->kind == TR_JSON_ARRAY)
        return tr_schema_check_prefix(run, op, frame);
    return !is_array(frame) || check_from(run, frame, 0, op->nodes[0]);
}

bool tr_schema_check_additional_07(struct tr_schema_run *run,
                                   const struct tr_schema_op *op,
                                   struct tr_schema_frame *frame)
{
    return tr_schema_check_items(run, op, frame);
}

/* Whether the item fits; it counts as evaluated only then. */
static bool item_fits(struct tr_schema_run *run, struct tr_schema_frame *frame,
                      size_t i, const struct tr_schema_node *node)
{
    unsigned char before = frame->seen.flags ? frame->seen.flags[i] : 0;
    run->trials++;
    bool fits = tr_schema_apply_item(run, frame, i, node);
    run->trials--;
    if (!fits && frame->seen.flags)
        frame->seen.flags[i] = before;
    return fits;
}

bool tr_schema_check_contains(struct tr_schema_run *run,
                              const struct tr_schema_op *op,
                              struct tr_schema_frame *frame)
{
    int64_t max = INT64_MAX;
    int64_t fitting = 0;
    if (!is_array(frame))
        return true;
    if (op->sibling)
        (void)tr_json_decimal_to_i64(
            tr_json_decimal_of(tr_json_text(op->sibling)), &max);
    for (size_t i = 0; i < frame->value->len && run->failed == TR_OK; i++)
        fitting += item_fits(run, frame, i, op->nodes[0]);
    return (fitting >= op->number && fitting <= max) ||
           tr_schema_refuse(run, op, frame);
}

bool tr_schema_check_unevaluated_items(struct tr_schema_run *run,
                                       const struct tr_schema_op *op,
                                       struct tr_schema_frame *frame)
{
    bool valid = true;
    for (size_t i = 0;
         is_array(frame) && i < frame->value->len && goes_on(run, valid); i++) {
        if (!frame->seen.flags[i])
            valid &= tr_schema_apply_item(run, frame, i, op->nodes[0]);
    }
    return valid;
}

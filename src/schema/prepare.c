#include "base/limits.h"
#include "schema/keywords.h"

static tr_status fail_value(struct tr_schema_compiler *c,
                            const struct tr_schema_node *node,
                            const struct tr_schema_op *op, const char *what)
{
    return tr_schema_fail(c, node, "%s is %s", op->keyword->name, what);
}

/* A sibling keyword, when the resource has it. */
static const struct tr_json *sibling(const struct tr_schema_node *node,
                                     const char *name)
{
    return tr_json_find(node->source, tr_str_from(name));
}

/* The bits of a type's values: 1 << enum tr_json_kind. */
static bool type_bits(tr_str name, int64_t *bits)
{
    static const struct {
        const char *name;
        int64_t bits;
    } types[] = {
        {"null", 1 << TR_JSON_NULL},     {"boolean", 1 << TR_JSON_BOOL},
        {"number", 1 << TR_JSON_NUMBER}, {"string", 1 << TR_JSON_STRING},
        {"array", 1 << TR_JSON_ARRAY},   {"object", 1 << TR_JSON_OBJECT},
        {"integer", INT64_C(1) << 32}, /* no kind of its own: by its value */
    };
    for (size_t i = 0; i < TR_LEN(types); i++) {
        if (tr_str_eq(name, tr_str_from(types[i].name))) {
            *bits |= types[i].bits;
            return true;
        }
    }
    return false;
}

tr_status tr_schema_prepare_type(struct tr_schema_compiler *c,
                                 const struct tr_schema_node *node,
                                 struct tr_schema_op *op)
{
    const char *what = "one of the seven types, or a list of them";
    if (op->value->kind == TR_JSON_STRING)
        return type_bits(tr_json_text(op->value), &op->number)
                   ? TR_OK
                   : fail_value(c, node, op, what);
    if (op->value->kind != TR_JSON_ARRAY || op->value->len == 0)
        return fail_value(c, node, op, what);
    for (size_t i = 0; i < op->value->len; i++) {
        if (!type_bits(tr_json_text(&op->value->as.items[i]), &op->number))
            return fail_value(c, node, op, what);
    }
    return TR_OK;
}

tr_status tr_schema_prepare_list(struct tr_schema_compiler *c,
                                 const struct tr_schema_node *node,
                                 struct tr_schema_op *op)
{
    return op->value->kind == TR_JSON_ARRAY ? TR_OK
                                            : fail_value(c, node, op, "a list");
}

tr_status tr_schema_prepare_number(struct tr_schema_compiler *c,
                                   const struct tr_schema_node *node,
                                   struct tr_schema_op *op)
{
    if (op->value->kind != TR_JSON_NUMBER)
        return fail_value(c, node, op, "a number");
    op->decimal = tr_json_decimal_of(tr_json_text(op->value));
    return TR_OK;
}

tr_status tr_schema_prepare_divisor(struct tr_schema_compiler *c,
                                    const struct tr_schema_node *node,
                                    struct tr_schema_op *op)
{
    TR_TRY(tr_schema_prepare_number(c, node, op));
    if (op->decimal.count == 0 || op->decimal.negative)
        return fail_value(c, node, op, "above zero");
    if (op->decimal.count > TR_JSON_DECIMAL_DIVISOR_DIGITS)
        return fail_value(c, node, op, "a number of at most 18 digits");
    return TR_OK;
}

/* A count may be written as 2.0. */
tr_status tr_schema_prepare_count(struct tr_schema_compiler *c,
                                  const struct tr_schema_node *node,
                                  struct tr_schema_op *op)
{
    TR_TRY(tr_schema_prepare_number(c, node, op));
    if (!tr_json_decimal_is_integer(op->decimal) || op->decimal.negative)
        return fail_value(c, node, op, "a count");
    if (!tr_json_decimal_to_i64(op->decimal, &op->number))
        op->number = INT64_MAX;
    return TR_OK;
}

tr_status tr_schema_prepare_flag(struct tr_schema_compiler *c,
                                 const struct tr_schema_node *node,
                                 struct tr_schema_op *op)
{
    return op->value->kind == TR_JSON_BOOL
               ? TR_OK
               : fail_value(c, node, op, "true or false");
}

tr_status tr_schema_prepare_text(struct tr_schema_compiler *c,
                                 const struct tr_schema_node *node,
                                 struct tr_schema_op *op)
{
    return op->value->kind == TR_JSON_STRING
               ? TR_OK
               : fail_value(c, node, op, "a string");
}

static tr_status compile_pattern(struct tr_schema_compiler *c,
                                 const struct tr_schema_node *node,
                                 tr_str source,
                                 const struct tr_field_pattern **out)
{
    struct tr_err err;
    tr_status st = tr_field_pattern_compile(c->patterns, source, 0, out, &err);
    if (st == TR_OK)
        st = tr_field_pattern_check(source, false, &err);
    if (st == TR_E_NOMEM)
        return tr_schema_nomem(c);
    return st == TR_OK ? TR_OK : tr_schema_fail(c, node, "%s", err.msg);
}

tr_status tr_schema_prepare_pattern(struct tr_schema_compiler *c,
                                    const struct tr_schema_node *node,
                                    struct tr_schema_op *op)
{
    TR_TRY(tr_schema_prepare_text(c, node, op));
    op->patterns = TR_NEW_ARRAY(c->arena, const struct tr_field_pattern *, 1);
    if (!op->patterns)
        return tr_schema_nomem(c);
    return compile_pattern(c, node, tr_json_text(op->value), &op->patterns[0]);
}

tr_status tr_schema_prepare_patterns(struct tr_schema_compiler *c,
                                     const struct tr_schema_node *node,
                                     struct tr_schema_op *op)
{
    op->patterns =
        TR_NEW_ARRAY(c->arena, const struct tr_field_pattern *, op->value->len);
    if (!op->patterns)
        return tr_schema_nomem(c);
    for (size_t i = 0; i < op->value->len; i++)
        TR_TRY(compile_pattern(c, node,
                               tr_json_text(&op->value->as.members[i].key),
                               &op->patterns[i]));
    return TR_OK;
}

static bool is_name_list(const struct tr_json *value)
{
    for (size_t i = 0; value->kind == TR_JSON_ARRAY && i < value->len; i++) {
        if (value->as.items[i].kind != TR_JSON_STRING)
            return false;
    }
    return value->kind == TR_JSON_ARRAY;
}

tr_status tr_schema_prepare_names(struct tr_schema_compiler *c,
                                  const struct tr_schema_node *node,
                                  struct tr_schema_op *op)
{
    return is_name_list(op->value) ? TR_OK
                                   : fail_value(c, node, op, "a list of names");
}

static tr_status check_name_lists(struct tr_schema_compiler *c,
                                  const struct tr_schema_node *node,
                                  const struct tr_schema_op *op, bool mixed)
{
    if (op->value->kind != TR_JSON_OBJECT)
        return fail_value(c, node, op, "an object");
    for (size_t i = 0; i < op->value->len; i++) {
        const struct tr_json *value = &op->value->as.members[i].value;
        if (!is_name_list(value) && !(mixed && value->kind != TR_JSON_ARRAY))
            return fail_value(c, node, op, "an object with lists of names");
    }
    return TR_OK;
}

tr_status tr_schema_prepare_name_lists(struct tr_schema_compiler *c,
                                       const struct tr_schema_node *node,
                                       struct tr_schema_op *op)
{
    return check_name_lists(c, node, op, false);
}

tr_status tr_schema_prepare_mixed(struct tr_schema_compiler *c,
                                  const struct tr_schema_node *node,
                                  struct tr_schema_op *op)
{
    return check_name_lists(c, node, op, true);
}

/* How many must fit: at least `number`, at most what `sibling` says. */
tr_status tr_schema_prepare_contains(struct tr_schema_compiler *c,
                                     const struct tr_schema_node *node,
                                     struct tr_schema_op *op)
{
    const struct tr_json *min = sibling(node, "minContains");
    const struct tr_json *max = sibling(node, "maxContains");
    const struct tr_json *counts[] = {min, max};
    op->number = 1;
    if (node->resource->dialect != TR_SCHEMA_DIALECT_2020_12)
        return TR_OK;
    for (size_t i = 0; i < TR_LEN(counts); i++) {
        tr_str text = tr_json_text(counts[i]);
        tr_json_decimal count =
            text.len ? tr_json_decimal_of(text) : (tr_json_decimal){0};
        if (counts[i] && (counts[i]->kind != TR_JSON_NUMBER || count.negative ||
                          !tr_json_decimal_is_integer(count)))
            return tr_schema_fail(c, node,
                                  "minContains and maxContains are counts");
    }
    if (min && !tr_json_decimal_to_i64(tr_json_decimal_of(tr_json_text(min)),
                                       &op->number))
        op->number = INT64_MAX;
    op->sibling = max;
    return TR_OK;
}

/* `sibling` has the names of the members that are not additional, and
 * `patterns` match the names of others. */
tr_status tr_schema_prepare_additional(struct tr_schema_compiler *c,
                                       const struct tr_schema_node *node,
                                       struct tr_schema_op *op)
{
    const struct tr_json *others = sibling(node, "patternProperties");
    op->sibling = sibling(node, "properties");
    if (!tr_json_is(others, TR_JSON_OBJECT))
        return TR_OK;
    op->patterns =
        TR_NEW_ARRAY(c->arena, const struct tr_field_pattern *, others->len);
    if (!op->patterns)
        return tr_schema_nomem(c);
    for (size_t i = 0; i < others->len; i++)
        TR_TRY(compile_pattern(c, node,
                               tr_json_text(&others->as.members[i].key),
                               &op->patterns[i]));
    op->number = (int64_t)others->len;
    return TR_OK;
}

/* `number` is the index of the first item that this keyword is about. */
tr_status tr_schema_prepare_items_07(struct tr_schema_compiler *c,
                                     const struct tr_schema_node *node,
                                     struct tr_schema_op *op)
{
    bool is_new = node->resource->dialect == TR_SCHEMA_DIALECT_2020_12;
    const struct tr_json *before =
        sibling(node, is_new ? "prefixItems" : "items");
    (void)c;
    if (tr_json_is(before, TR_JSON_ARRAY))
        op->number = before->len;
    else
        op->number = is_new ? 0 : INT64_MAX; /* nothing is additional */
    return TR_OK;
}

static tr_status add_branch(struct tr_schema_compiler *c,
                            const struct tr_schema_node *node, const char *name,
                            struct tr_schema_node **out)
{
    const struct tr_json *source = sibling(node, name);
    if (!source)
        return TR_OK;
    if (source->kind != TR_JSON_OBJECT && source->kind != TR_JSON_BOOL)
        return tr_schema_fail(c, node, "%s is a schema", name);
    TR_TRY(tr_schema_index(c, source, node->resource, out));
    return tr_schema_need(c, *out);
}

/* nodes[0] is the condition, [1] and [2] are `then` and `else`, or NULL. */
tr_status tr_schema_prepare_branches(struct tr_schema_compiler *c,
                                     const struct tr_schema_node *node,
                                     struct tr_schema_op *op)
{
    struct tr_schema_node **nodes =
        TR_NEW_ARRAY(c->arena, struct tr_schema_node *, 3);
    if (!nodes)
        return tr_schema_nomem(c);
    nodes[0] = op->nodes[0];
    op->nodes = nodes;
    op->count = 3;
    TR_TRY(add_branch(c, node, "then", &nodes[1]));
    return add_branch(c, node, "else", &nodes[2]);
}

tr_status tr_schema_prepare_ref(struct tr_schema_compiler *c,
                                const struct tr_schema_node *node,
                                struct tr_schema_op *op)
{
    TR_TRY(tr_schema_prepare_text(c, node, op));
    op->nodes = TR_NEW_ARRAY(c->arena, struct tr_schema_node *, 1);
    if (!op->nodes)
        return tr_schema_nomem(c);
    TR_TRY(tr_schema_resolve(c, node, tr_json_text(op->value), &op->nodes[0],
                             &op->anchor));
    op->count = 1;
    return tr_schema_need(c, op->nodes[0]);
}

/* A $dynamicRef is dynamic only when it leads to a $dynamicAnchor (2020-12,
 * section 8.2.3.2). */
tr_status tr_schema_prepare_dynamic_ref(struct tr_schema_compiler *c,
                                        const struct tr_schema_node *node,
                                        struct tr_schema_op *op)
{
    TR_TRY(tr_schema_prepare_ref(c, node, op));
    const struct tr_schema_node *target = op->nodes[0];
    bool is_dynamic = op->anchor.len && tr_map_find(&target->resource->dynamic,
                                                    op->anchor) == target;
    if (!is_dynamic)
        op->anchor = TR_STR("");
    else if (!tr_vec_push(c->arena, &c->dynamic_names, op->anchor))
        return tr_schema_nomem(c);
    return TR_OK;
}

tr_status tr_schema_prepare_unevaluated(struct tr_schema_compiler *c,
                                        const struct tr_schema_node *node,
                                        struct tr_schema_op *op)
{
    (void)node;
    (void)op;
    c->tracks = true;
    return TR_OK;
}

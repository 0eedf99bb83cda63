#include "base/limits.h"
#include "json/build.h"
#include "schema/run.h"

#define PATH_BYTES 256

static void fail_run(struct tr_schema_run *run, tr_status status,
                     const char *message)
{
    if (run->failed == TR_OK)
        run->failed = tr_fail(run->err, status, "%s", message);
}

bool tr_schema_spend(struct tr_schema_run *run, size_t work)
{
    run->work += work;
    if (run->work > TR_LIMIT_SCHEMA_WORK)
        fail_run(run, TR_E_INVALID,
                 "it takes too much work to check the value");
    return run->failed == TR_OK;
}

static void put_path(struct tr_buf *out, const struct tr_schema_path *path)
{
    char digits[24];
    if (!path)
        return;
    put_path(out, path->outer);
    if (out->len)
        tr_field_message_put(out, TR_STR("/"));
    int len = snprintf(digits, sizeof(digits), "%zu", path->index);
    tr_field_message_put(out, path->name.ptr ? path->name
                                             : (tr_str){digits, (size_t)len});
}

/* `name` is the member that the error is about; with NULL `ptr` it is about the
 * value itself. */
static bool report(struct tr_schema_run *run, const struct tr_schema_op *op,
                   const struct tr_schema_frame *frame, tr_str name)
{
    const struct tr_schema_path member = {frame->path, name, 0};
    char storage[PATH_BYTES];
    struct tr_buf path;
    struct tr_field_error error = {
        .code = tr_str_from(op->keyword->code),
        .constraint = *op->value,
    };
    if (run->trials || run->failed != TR_OK)
        return false;
    tr_buf_init_fixed(&path, storage, sizeof(storage));
    put_path(&path, name.ptr ? &member : frame->path);
    error.field = path.len ? tr_buf_str(&path) : TR_STR("arguments");
    const struct tr_json *value =
        name.ptr ? tr_json_find(frame->value, name) : frame->value;
    if (value)
        error.value = *value;
    const char *says = op->keyword->says;
    bool with_constraint = says[strlen(says) - 1] == ' ';
    if (!tr_field_errors_say(run->arena, run->errors, &error, says,
                             with_constraint ? op->value : NULL))
        fail_run(run, TR_E_NOMEM, "no memory to check the value");
    return false;
}

bool tr_schema_refuse(struct tr_schema_run *run, const struct tr_schema_op *op,
                      const struct tr_schema_frame *frame)
{
    return report(run, op, frame, (tr_str){NULL, 0});
}

bool tr_schema_refuse_member(struct tr_schema_run *run,
                             const struct tr_schema_op *op,
                             const struct tr_schema_frame *frame, tr_str name)
{
    return report(run, op, frame, name);
}

/* The schema `false`. */
static bool refuse_all(struct tr_schema_run *run,
                       const struct tr_schema_frame *frame)
{
    static const struct tr_schema_keyword keyword = {.code = "constraint",
                                                     .says = "is not allowed"};
    const struct tr_schema_op op = {.keyword = &keyword,
                                    .value = frame->node->source};
    return tr_schema_refuse(run, &op, frame);
}

static bool init_seen(struct tr_schema_run *run, struct tr_schema_frame *frame)
{
    const struct tr_json *value = frame->value;
    if (!run->schema->tracks ||
        (value->kind != TR_JSON_OBJECT && value->kind != TR_JSON_ARRAY))
        return true;
    if (!tr_schema_spend(run, value->len / 16))
        return false;
    frame->seen.flags = TR_NEW_ARRAY(run->arena, unsigned char, value->len + 1);
    frame->seen.count = value->len;
    if (!frame->seen.flags)
        fail_run(run, TR_E_NOMEM, "no memory to check the value");
    return frame->seen.flags != NULL;
}

static bool run_ops(struct tr_schema_run *run, struct tr_schema_frame *frame)
{
    const struct tr_schema_node *node = frame->node;
    bool valid = true;
    for (size_t i = 0; i < node->count && run->failed == TR_OK; i++) {
        const struct tr_schema_op *op = &node->ops[i];
        valid &= op->keyword->check(run, op, frame);
        if (!valid && (run->trials || run->errors->more))
            break;
    }
    return valid && run->failed == TR_OK;
}

static bool evaluate(struct tr_schema_run *run, struct tr_schema_frame *frame)
{
    const struct tr_json *source = frame->node->source;
    if (!tr_schema_spend(run, 1))
        return false;
    if (source->kind == TR_JSON_BOOL)
        return (source->flags & TR_JSON_TRUE) || refuse_all(run, frame);
    if (run->depth == TR_LIMIT_SCHEMA_DEPTH) {
        fail_run(run, TR_E_LIMIT, "the schema applies itself too often");
        return false;
    }
    if (!init_seen(run, frame))
        return false;
    run->depth++;
    bool valid = run_ops(run, frame);
    run->depth--;
    return valid;
}

static void merge(struct tr_schema_evaluated *into,
                  const struct tr_schema_evaluated *from)
{
    for (size_t i = 0; from->flags && i < from->count; i++)
        into->flags[i] |= from->flags[i];
}

bool tr_schema_apply(struct tr_schema_run *run, struct tr_schema_frame *frame,
                     const struct tr_schema_node *node)
{
    struct tr_schema_frame inner = {
        .outer = frame,
        .node = node,
        .value = frame->value,
        .path = frame->path,
    };
    bool valid = evaluate(run, &inner);
    if (valid && frame->seen.flags)
        merge(&frame->seen, &inner.seen);
    return valid;
}

bool tr_schema_try(struct tr_schema_run *run, struct tr_schema_frame *frame,
                   const struct tr_schema_node *node)
{
    run->trials++;
    bool valid = tr_schema_apply(run, frame, node);
    run->trials--;
    return valid;
}

static bool apply_child(struct tr_schema_run *run,
                        const struct tr_schema_frame *frame,
                        const struct tr_schema_path *path,
                        const struct tr_json *value,
                        const struct tr_schema_node *node)
{
    struct tr_schema_frame inner = {
        .outer = frame, .node = node, .value = value, .path = path};
    return evaluate(run, &inner);
}

bool tr_schema_apply_member(struct tr_schema_run *run,
                            struct tr_schema_frame *frame, size_t i,
                            const struct tr_schema_node *node)
{
    const struct tr_json_member *member = &frame->value->as.members[i];
    const struct tr_schema_path path = {frame->path, tr_json_text(&member->key),
                                        0};
    if (frame->seen.flags)
        frame->seen.flags[i] = 1;
    return apply_child(run, frame, &path, &member->value, node);
}

bool tr_schema_apply_item(struct tr_schema_run *run,
                          struct tr_schema_frame *frame, size_t i,
                          const struct tr_schema_node *node)
{
    const struct tr_schema_path path = {frame->path, {NULL, 0}, i};
    if (frame->seen.flags)
        frame->seen.flags[i] = 1;
    return apply_child(run, frame, &path, &frame->value->as.items[i], node);
}

bool tr_schema_apply_name(struct tr_schema_run *run,
                          struct tr_schema_frame *frame,
                          const struct tr_json *name,
                          const struct tr_schema_node *node)
{
    const struct tr_schema_path path = {frame->path, tr_json_text(name), 0};
    return apply_child(run, frame, &path, name, node);
}

bool tr_schema_matches(struct tr_schema_run *run,
                       const struct tr_schema_frame *frame,
                       const struct tr_field_pattern *pattern, tr_str text)
{
    static const struct tr_schema_keyword keyword = {
        .code = "pattern_limit", .says = "takes too much work to match"};
    const struct tr_json none = {.kind = TR_JSON_NULL};
    const struct tr_schema_op op = {.keyword = &keyword, .value = &none};
    struct tr_err err;
    bool found = false;
    tr_status st =
        tr_field_pattern_match(pattern, text, run->arena, &found, &err);
    if (st == TR_OK)
        return found;
    if (st == TR_E_NOMEM) {
        fail_run(run, st, "no memory to check the value");
        return false;
    }
    /* Reported even in a trial, and the run fails: `not` would make a pass of
     * a plain false. */
    unsigned trials = run->trials;
    run->trials = 0;
    (void)tr_schema_refuse(run, &op, frame);
    run->trials = trials;
    fail_run(run, TR_E_VALIDATION, "a pattern takes too much work to match");
    return false;
}

static tr_status check(const struct tr_schema *schema,
                       const struct tr_schema_path *path,
                       const struct tr_json *value, struct tr_arena *arena,
                       struct tr_field_errors *errors, struct tr_err *err)
{
    struct tr_schema_run run = {
        .schema = schema, .arena = arena, .errors = errors, .err = err};
    struct tr_schema_frame root = {
        .node = schema->root, .value = value, .path = path};
    bool valid = evaluate(&run, &root);
    if (run.failed != TR_OK)
        return run.failed;
    return valid ? TR_OK : tr_field_errors_verdict(errors, err);
}

tr_status tr_schema_check(const struct tr_schema *schema,
                          const struct tr_json *value, struct tr_arena *arena,
                          struct tr_field_errors *errors, struct tr_err *err)
{
    return check(schema, NULL, value, arena, errors, err);
}

tr_status tr_schema_check_part(const struct tr_schema *schema, tr_str name,
                               const struct tr_json *value,
                               struct tr_arena *arena,
                               struct tr_field_errors *errors,
                               struct tr_err *err)
{
    const struct tr_schema_path path = {NULL, name, 0};
    return check(schema, &path, value, arena, errors, err);
}

#include "base/limits.h"
#include "schema/compiler.h"

#include <stdarg.h>

tr_status tr_schema_nomem(struct tr_schema_compiler *c)
{
    return tr_fail(c->err, TR_E_NOMEM, "no memory to compile a schema");
}

static bool locate(const struct tr_json *from, const struct tr_json *wanted,
                   struct tr_buf *out);

static bool locate_in(const struct tr_json *value, const struct tr_json *wanted,
                      tr_str step, struct tr_buf *out)
{
    size_t before = out->len;
    tr_json_pointer_put(out, step);
    if (locate(value, wanted, out))
        return true;
    out->len = before;
    return false;
}

/* The JSON Pointer of a value: slow, and only for messages. */
static bool locate(const struct tr_json *from, const struct tr_json *wanted,
                   struct tr_buf *out)
{
    if (from == wanted)
        return true;
    for (size_t i = 0; from->kind == TR_JSON_OBJECT && i < from->len; i++) {
        const struct tr_json_member *member = &from->as.members[i];
        if (locate_in(&member->value, wanted, tr_json_text(&member->key), out))
            return true;
    }
    for (size_t i = 0; from->kind == TR_JSON_ARRAY && i < from->len; i++) {
        char digits[24];
        int len = snprintf(digits, sizeof(digits), "%zu", i);
        if (locate_in(&from->as.items[i], wanted, (tr_str){digits, (size_t)len},
                      out))
            return true;
    }
    return false;
}

tr_status tr_schema_fail(struct tr_schema_compiler *c,
                         const struct tr_schema_node *node, const char *format,
                         ...)
{
    char message[200];
    char pointer[160];
    struct tr_buf at;
    va_list args;
    va_start(args, format);
    (void)vsnprintf(message, sizeof(message), format, args);
    va_end(args);
    tr_status st = tr_fail(c->err, TR_E_INVALID, "%s", message);
    tr_buf_init_fixed(&at, pointer, sizeof(pointer));
    if (locate(c->document, node->source, &at))
        tr_err_set_at(c->err, "%.*s", TR_FMT(tr_buf_str(&at)));
    return st;
}

tr_status tr_schema_need(struct tr_schema_compiler *c,
                         struct tr_schema_node *node)
{
    if (node->is_pending)
        return TR_OK;
    node->is_pending = true;
    node->resource->is_used = true;
    return tr_vec_push(c->arena, &c->pending, node) ? TR_OK
                                                    : tr_schema_nomem(c);
}

/* A node for each schema that the keyword's value holds. */
static tr_status add_node(struct tr_schema_compiler *c,
                          const struct tr_schema_node *node,
                          const struct tr_json *source, struct tr_schema_op *op)
{
    struct tr_schema_node *found = NULL;
    if (source->kind != TR_JSON_OBJECT && source->kind != TR_JSON_BOOL)
        return tr_schema_fail(c, node, "%s holds something that is no schema",
                              op->keyword->name);
    TR_TRY(tr_schema_index(c, source, node->resource, &found));
    op->nodes[op->count++] = found;
    return tr_schema_need(c, found);
}

static tr_status add_nodes(struct tr_schema_compiler *c,
                           const struct tr_schema_node *node,
                           struct tr_schema_op *op)
{
    const struct tr_json *value = op->value;
    enum tr_schema_holds holds = op->keyword->holds;
    bool is_array = value->kind == TR_JSON_ARRAY;
    bool is_map =
        holds == TR_SCHEMA_HOLDS_MAP || holds == TR_SCHEMA_HOLDS_MAP_MIX;
    if (is_map && value->kind != TR_JSON_OBJECT)
        return tr_schema_fail(c, node, "%s is an object", op->keyword->name);
    if (holds == TR_SCHEMA_HOLDS_ARRAY && (!is_array || value->len == 0))
        return tr_schema_fail(c, node, "%s is a list of schemas",
                              op->keyword->name);
    op->nodes = TR_NEW_ARRAY(c->arena, struct tr_schema_node *, value->len + 1);
    if (!op->nodes)
        return tr_schema_nomem(c);
    if (!is_map && !(is_array && holds != TR_SCHEMA_HOLDS_SCHEMA))
        return add_node(c, node, value, op);
    for (size_t i = 0; i < value->len; i++) {
        const struct tr_json *held =
            is_map ? &value->as.members[i].value : &value->as.items[i];
        if (holds == TR_SCHEMA_HOLDS_MAP_MIX && held->kind == TR_JSON_ARRAY)
            op->nodes[op->count++] = NULL; /* a list of names */
        else
            TR_TRY(add_node(c, node, held, op));
    }
    return TR_OK;
}

static tr_status compile_op(struct tr_schema_compiler *c,
                            const struct tr_schema_node *node,
                            struct tr_schema_op *op)
{
    if (op->keyword->holds != TR_SCHEMA_HOLDS_NONE)
        TR_TRY(add_nodes(c, node, op));
    return op->keyword->compile ? op->keyword->compile(c, node, op) : TR_OK;
}

/* In draft-07 (core, section 8.3) everything beside a $ref is ignored. */
static bool is_hidden(const struct tr_schema_keyword *keyword,
                      const struct tr_schema_node *node)
{
    return node->resource->dialect == TR_SCHEMA_DIALECT_07 &&
           strcmp(keyword->name, "$ref") != 0 &&
           tr_json_find(node->source, TR_STR("$ref"));
}

static tr_status compile_node(struct tr_schema_compiler *c,
                              struct tr_schema_node *node)
{
    TR_VEC(struct tr_schema_op) ops = {0};
    if (node->source->kind == TR_JSON_BOOL)
        return TR_OK;
    if (node->source->kind != TR_JSON_OBJECT)
        return tr_schema_fail(c, node, "a schema is an object or a boolean");
    for (size_t i = 0; i < tr_schema_keyword_count; i++) {
        const struct tr_schema_keyword *keyword = &tr_schema_keywords[i];
        struct tr_schema_op op = {.keyword = keyword};
        op.value = tr_json_find(node->source, tr_str_from(keyword->name));
        if (!op.value || !keyword->check || is_hidden(keyword, node) ||
            !tr_schema_keyword_is_active(keyword, node->resource))
            continue;
        TR_TRY(compile_op(c, node, &op));
        if (!tr_vec_push(c->arena, &ops, op))
            return tr_schema_nomem(c);
    }
    node->ops = ops.items;
    node->count = ops.count;
    return TR_OK;
}

/* A $dynamicRef may lead to any resource in use that has its anchor, so those
 * are compiled, too. */
static tr_status need_dynamic(struct tr_schema_compiler *c)
{
    for (size_t i = 0; i < c->resources.count; i++) {
        const struct tr_schema_resource *resource =
            c->resources.entries[i].value;
        for (size_t k = 0; resource->is_used && k < c->dynamic_names.count;
             k++) {
            struct tr_schema_node *node =
                tr_map_find(&resource->dynamic, c->dynamic_names.items[k]);
            if (node)
                TR_TRY(tr_schema_need(c, node));
        }
    }
    return TR_OK;
}

static tr_status compile_all(struct tr_schema_compiler *c)
{
    size_t done = 0;
    while (done < c->pending.count) {
        while (done < c->pending.count)
            TR_TRY(compile_node(c, c->pending.items[done++]));
        TR_TRY(need_dynamic(c));
    }
    return TR_OK;
}

tr_status tr_schema_compile(struct tr_arena *arena,
                            struct tr_field_patterns *patterns,
                            const struct tr_json *root,
                            const struct tr_schema_opts *opts,
                            const struct tr_schema **out, struct tr_err *err)
{
    static const struct tr_schema_opts defaults = {0};
    struct tr_schema_compiler c = {
        .arena = arena,
        .patterns = patterns,
        .opts = opts ? opts : &defaults,
        .document = root,
        .err = err,
    };
    tr_map_init(&c.resources, arena);
    tr_map_init(&c.nodes, arena);
    struct tr_schema *schema = TR_NEW(arena, struct tr_schema);
    if (!schema)
        return tr_schema_nomem(&c);
    TR_TRY(tr_schema_add_document(&c, TR_STR(""), root, &schema->root));
    TR_TRY(tr_schema_need(&c, schema->root));
    TR_TRY(compile_all(&c));
    schema->tracks = c.tracks;
    *out = schema;
    return TR_OK;
}

/* Nodes with some of their fields alone. */
#include "json/build.h"
#include "query/order.h"
#include "query/refuse.h"

struct showing {
    const struct tr_model *model;
    struct tr_arena *arena;
    const tr_str *names;
    size_t count;
    struct tr_err *err;
};

static tr_status fail_memory(struct tr_err *err)
{
    return tr_fail(err, TR_E_NOMEM, "no memory for a page");
}

/* A ref is shown with its key. */
static bool is_key_of(const struct tr_model_type *type, tr_str field,
                      tr_str name)
{
    const struct tr_field *ref =
        type ? tr_shape_find(type->shape, field) : NULL;
    return ref && tr_model_is_shown_key(ref, name);
}

/* Members that every node has are always shown. */
static bool is_shown(const struct showing *s, const struct tr_model_type *type,
                     tr_str name)
{
    if (tr_str_eq(name, TR_STR("id")) || tr_str_eq(name, TR_STR("_type")) ||
        tr_str_eq(name, TR_STR("_version")))
        return true;
    for (size_t i = 0; i < s->count; i++) {
        if (tr_str_eq(s->names[i], name) || is_key_of(type, s->names[i], name))
            return true;
    }
    return false;
}

static tr_status project_node(const struct showing *s, struct tr_json *node)
{
    struct tr_json_member *members =
        TR_NEW_ARRAY(s->arena, struct tr_json_member, node->len);
    const struct tr_model_type *type = tr_model_find(
        s->model, tr_json_text(tr_json_find(node, TR_STR("_type"))));
    size_t count = 0;
    if (!members)
        return fail_memory(s->err);
    for (size_t i = 0; i < node->len; i++) {
        if (is_shown(s, type, tr_json_text(&node->as.members[i].key)))
            members[count++] = node->as.members[i];
    }
    return tr_json_make_object(s->arena, members, count, node)
               ? TR_OK
               : fail_memory(s->err);
}

tr_status tr_query_page_fields(const struct tr_graph_read_ctx *ctx,
                               const struct tr_query_page *page,
                               const tr_str *names, size_t count,
                               struct tr_json *out, struct tr_err *err)
{
    const struct showing s = {ctx->model, ctx->arena, names, count, err};
    struct tr_json nodes;
    TR_TRY(tr_query_page_nodes(ctx, page, &nodes, err));
    struct tr_json *items = TR_NEW_ARRAY(ctx->arena, struct tr_json, nodes.len);
    if (nodes.len && !items)
        return fail_memory(err);
    for (size_t i = 0; i < nodes.len; i++) {
        items[i] = nodes.as.items[i];
        TR_TRY(project_node(&s, &items[i]));
    }
    return tr_json_make_array(ctx->arena, items, nodes.len, out)
               ? TR_OK
               : fail_memory(err);
}

static bool has_field(const struct tr_model *model,
                      const struct tr_model_type *type, tr_str name)
{
    for (size_t i = 0; i < model->count; i++) {
        if (tr_model_type_is(model->types[i], type) &&
            tr_shape_find(model->types[i]->shape, name))
            return true;
    }
    return false;
}

tr_status tr_query_check_shown(const struct tr_graph_read_ctx *ctx,
                               const struct tr_query *query, struct tr_err *err)
{
    struct tr_field_errors own = {0};
    const struct tr_query_refusing to = {ctx->arena,
                                         query->errors ? query->errors : &own};
    for (size_t i = 0; i < query->shown_count; i++) {
        tr_str name = query->shown[i];
        const struct tr_json value = tr_json_make_text(TR_JSON_STRING, name);
        if (!has_field(ctx->model, query->type, name))
            TR_TRY(tr_query_refuse_unknown(&to, query->type->shape, TR_STR(""),
                                           name, &value, err));
    }
    return tr_field_errors_verdict(to.errors, err);
}

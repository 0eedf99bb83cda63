/* Pages of nodes, whole or with some of their fields alone. */
#include "json/build.h"
#include "query/order.h"
#include "query/refuse.h"
#include "query/shown.h"

bool tr_query_names_have(const struct tr_query_names *names, tr_str name)
{
    for (size_t i = 0; names && i < names->count; i++) {
        if (tr_str_eq(names->items[i], name))
            return true;
    }
    return !names;
}

bool tr_query_names_have_key(const struct tr_query_names *names,
                             const struct tr_field *ref)
{
    for (size_t i = 0; names && i < names->count; i++) {
        if (tr_str_eq(names->items[i], ref->name) ||
            tr_model_is_shown_key(ref, names->items[i]))
            return true;
    }
    return !names;
}

static tr_status read_page(const struct tr_graph_read_ctx *ctx,
                           const struct tr_query_page *page,
                           const struct tr_query_names *names,
                           struct tr_json *out, struct tr_err *err)
{
    struct tr_json *items =
        TR_NEW_ARRAY(ctx->arena, struct tr_json, page->count);
    if (!items)
        return tr_fail(err, TR_E_NOMEM, "no memory for a page");
    TR_TRY(tr_query_nodes_read(ctx, page->ids, page->count, names, items, err));
    *out = (struct tr_json){
        .kind = TR_JSON_ARRAY, .len = (uint32_t)page->count, .as.items = items};
    return TR_OK;
}

tr_status tr_query_page_nodes(const struct tr_graph_read_ctx *ctx,
                              const struct tr_query_page *page,
                              struct tr_json *out, struct tr_err *err)
{
    return read_page(ctx, page, NULL, out, err);
}

tr_status tr_query_page_fields(const struct tr_graph_read_ctx *ctx,
                               const struct tr_query_page *page,
                               const tr_str *names, size_t count,
                               struct tr_json *out, struct tr_err *err)
{
    const struct tr_query_names all = {names, count};
    return read_page(ctx, page, &all, out, err);
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

#include "builtin/kg_resources.h"
#include "fields/kind.h"
#include "fields/value.h"
#include "json/build.h"
#include "model/uri.h"
#include "query/named.h"
#include "query/query.h"

/* As many as MCP allows in a result of completion/complete. */
#define VALUES_MAX 100

/* The completions that are offered. */
struct values {
    struct tr_arena *arena;
    TR_VEC(struct tr_json) items;
    bool more;
};

static tr_status fail_memory(struct tr_err *err)
{
    return tr_fail(err, TR_E_NOMEM, "no memory for completions");
}

/* Offers `before` and `text` together, if they begin with what was typed. */
static tr_status offer(struct values *values, tr_str before, tr_str text,
                       tr_str typed, struct tr_err *err)
{
    size_t len = before.len + text.len;
    char *whole = tr_arena_alloc(values->arena, len + 1);
    if (!whole)
        return fail_memory(err);
    memcpy(whole, before.ptr, before.len);
    memcpy(whole + before.len, text.ptr, text.len);
    if (!tr_str_starts((tr_str){whole, len}, typed))
        return TR_OK;
    values->more = values->items.count >= VALUES_MAX;
    struct tr_json value =
        tr_json_make_text(TR_JSON_STRING, (tr_str){whole, len});
    return values->more || tr_vec_push(values->arena, &values->items, value)
               ? TR_OK
               : fail_memory(err);
}

static tr_status finish(struct tr_builtin_reply *reply, struct values *values,
                        struct tr_err *err)
{
    struct tr_json list;
    struct tr_json *value = TR_NEW(values->arena, struct tr_json);
    if (!value || !tr_json_make_array(values->arena, values->items.items,
                                      values->items.count, &list))
        return fail_memory(err);
    struct tr_json_member members[] = {
        {tr_json_make_text(TR_JSON_STRING, TR_STR("values")), list},
        {tr_json_make_text(TR_JSON_STRING, TR_STR("has_more")),
         tr_json_make_bool(values->more)},
    };
    if (!tr_json_make_object(values->arena, members, TR_LEN(members), value))
        return fail_memory(err);
    reply->value = value;
    return TR_OK;
}

/* Offers instances whose IRI begins with `text`, without its first `cut` bytes,
 * which are no part of the id. */
static tr_status offer_ids(struct tr_builtin_reply *reply,
                           const struct tr_graph_read_ctx *ctx,
                           struct values *values, tr_str text, size_t cut,
                           struct tr_err *err)
{
    struct tr_query_page page;
    bool more;
    const struct tr_query_prefix prefix = {
        .type = reply->type, .text = text, .limit = VALUES_MAX};
    TR_TRY(tr_query_prefix_find(ctx, &prefix, &page, &more, err));
    for (size_t i = 0; i < page.count; i++) {
        tr_rdf_term term;
        TR_TRY(tr_rdf_graph_get(ctx->graph, page.ids[i], &term, err));
        TR_TRY(offer(values, TR_STR(""), tr_str_skip(term.text, cut),
                     TR_STR(""), err));
    }
    values->more = values->more || more;
    return TR_OK;
}

/* Offers instances with IRIs of this project; if there are none, with others.
 */
static tr_status find_ids(struct tr_builtin_reply *reply,
                          const struct tr_graph_read_ctx *ctx,
                          struct values *values, struct tr_err *err)
{
    tr_str typed = tr_builtin_reply_arg(reply, "value");
    tr_str iris[2];
    if (!tr_model_kg_uri_iris(ctx->arena, reply->type, typed, ctx->model, iris))
        return fail_memory(err);
    TR_TRY(
        offer_ids(reply, ctx, values, iris[0], iris[0].len - typed.len, err));
    return values->items.count ? TR_OK
                               : offer_ids(reply, ctx, values, typed, 0, err);
}

tr_status tr_builtin_complete_id(struct tr_builtin_reply *reply,
                                 struct tr_err *err)
{
    struct values values = {.arena = reply->call->arena};
    struct tr_graph_read_ctx ctx;
    struct tr_graph_kg *kg;
    TR_TRY(tr_builtin_reply_enter(reply, &kg, &ctx, err));
    tr_status status = find_ids(reply, &ctx, &values, err);
    tr_graph_kg_leave(kg);
    return status == TR_OK ? finish(reply, &values, err) : status;
}

/* Offers the values of a field that has a fixed set of them. */
static tr_status offer_values(struct values *values,
                              const struct tr_field *field, tr_str typed,
                              struct tr_err *err)
{
    size_t count;
    const struct tr_json *items = tr_field_value_choices(field, &count);
    tr_str before = {typed.ptr, field->name.len + 1};
    for (size_t i = 0; i < count; i++)
        TR_TRY(offer(values, before, tr_json_text(&items[i]), typed, err));
    return TR_OK;
}

/* Offers the keys of what a ref could name, where they are texts. */
static tr_status find_keys(const struct tr_graph_read_ctx *ctx,
                           struct values *values, const struct tr_field *ref,
                           tr_str typed, struct tr_err *err)
{
    tr_str before = {typed.ptr, ref->name.len + 1};
    struct tr_query_page page;
    bool more;
    const struct tr_query_prefix prefix = {
        .type = tr_model_find(ctx->model, ref->target),
        .text = tr_str_skip(typed, before.len),
        .limit = VALUES_MAX,
        .key = tr_model_key_of(ctx->model, ref)};
    if (!prefix.key || !tr_field_has(prefix.key, TR_FIELD_IS_LABEL))
        return TR_OK;
    TR_TRY(tr_query_prefix_find(ctx, &prefix, &page, &more, err));
    for (size_t i = 0; i < page.count; i++) {
        tr_str key;
        TR_TRY(tr_query_named_key(ctx, prefix.key, page.ids[i], &key, err));
        if (key.len)
            TR_TRY(offer(values, before, key, typed, err));
    }
    values->more = values->more || more;
    return TR_OK;
}

static tr_status offer_keys(struct tr_builtin_reply *reply,
                            struct values *values, const struct tr_field *ref,
                            tr_str typed, struct tr_err *err)
{
    struct tr_graph_read_ctx ctx;
    struct tr_graph_kg *kg;
    TR_TRY(tr_builtin_reply_enter(reply, &kg, &ctx, err));
    tr_status status = find_keys(&ctx, values, ref, typed, err);
    tr_graph_kg_leave(kg);
    return status;
}

static tr_status offer_fields(struct values *values,
                              const struct tr_shape *shape, tr_str typed,
                              struct tr_err *err)
{
    for (size_t i = 0; i < shape->count; i++) {
        if (!tr_field_is_array(&shape->fields[i]) &&
            shape->fields[i].kind != TR_FIELD_OBJECT)
            TR_TRY(
                offer(values, shape->fields[i].name, TR_STR("="), typed, err));
    }
    return TR_OK;
}

tr_status tr_builtin_complete_where(struct tr_builtin_reply *reply,
                                    struct tr_err *err)
{
    const struct tr_shape *shape = reply->type->shape;
    struct values values = {.arena = reply->call->arena};
    tr_str typed = tr_builtin_reply_arg(reply, "value");
    tr_str name;
    tr_str rest;
    if (!tr_str_cut(typed, '=', &name, &rest)) {
        TR_TRY(offer_fields(&values, shape, typed, err));
    } else {
        const struct tr_field *field = tr_shape_find(shape, name);
        if (field && !tr_field_is_array(field) &&
            field->kind != TR_FIELD_OBJECT)
            TR_TRY(offer_values(&values, field, typed, err));
        if (field && !field->many && field->by.len)
            TR_TRY(offer_keys(reply, &values, field, typed, err));
    }
    return finish(reply, &values, err);
}

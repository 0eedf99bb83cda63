/*
 * What types an app has, and what one of them is.
 */
#include "base/nearest.h"
#include "cap/snapshot.h"
#include "json/build.h"
#include "meta/inside.h"
#include "query/query.h"
#include "runtime/outcome.h"

/* A type that the caller may know of, by name; NULL when there is none. */
static const struct tr_model_type *find(const struct tr_builtin_reply *reply,
                                        tr_str name)
{
    const struct tr_model_type *type = tr_model_find(reply->model, name);
    return type && tr_builtin_is_shown(reply, type->shape->iri) ? type : NULL;
}

static tr_status put_row(struct tr_builtin_reply *reply,
                         const struct tr_graph_read_ctx *ctx,
                         const struct tr_model_type *type, struct tr_err *err)
{
    const struct tr_query query = {.type = type};
    struct tr_json_writer *w = &reply->writer;
    struct tr_query_count count;
    TR_TRY(tr_query_where_count(ctx, &query, &count, err));
    tr_jw_open(w, '{');
    tr_jw_put_string(w, "name", type->name);
    tr_jw_put_string(w, "iri", type->shape->iri);
    tr_jw_maybe_string(w, "description", type->shape->description);
    if (type->parent)
        tr_jw_put_string(w, "extends", type->parent->name);
    tr_jw_put_i64(w, "fields", (int64_t)type->shape->count);
    tr_jw_put_i64(w, "instances", (int64_t)count.count);
    tr_jw_maybe_string(w, "where", type->where);
    tr_jw_close(w, '}');
    return TR_OK;
}

tr_status tr_meta_schema_types(struct tr_builtin_reply *reply,
                               struct tr_err *err)
{
    struct tr_json_writer *w = &reply->writer;
    struct tr_graph_read_ctx ctx;
    struct tr_graph_kg *kg;
    tr_status status = TR_OK;
    TR_TRY(tr_builtin_reply_enter(reply, &kg, &ctx, err));
    tr_jw_open(w, '{');
    tr_jw_key(w, "types");
    tr_jw_open(w, '[');
    for (size_t i = 0; i < ctx.model->count && status == TR_OK; i++) {
        const struct tr_model_type *type = ctx.model->types[i];
        if (tr_builtin_is_shown(reply, type->shape->iri))
            status = put_row(reply, &ctx, type, err);
    }
    tr_graph_kg_leave(kg);
    TR_TRY(status);
    tr_jw_close(w, ']');
    tr_jw_close(w, '}');
    return tr_jw_finish(w, err);
}

/* Says which one may have been meant. */
static tr_status refuse(struct tr_builtin_reply *reply, tr_str name,
                        struct tr_err *err)
{
    struct tr_arena *arena = reply->call->arena;
    struct tr_field_errors errors = {0};
    struct tr_nearest nearest;
    char says[256];
    tr_nearest_init(&nearest, name);
    for (size_t i = 0; i < reply->model->count; i++) {
        if (tr_builtin_is_shown(reply, reply->model->types[i]->shape->iri))
            tr_nearest_offer(&nearest, reply->model->types[i]->name);
    }
    (void)snprintf(says, sizeof(says), "is no type of this app%s%.*s%s",
                   nearest.best.len ? ": did you mean '" : "",
                   TR_FMT(nearest.best), nearest.best.len ? "'?" : "");
    const struct tr_field_error error = {
        .field = TR_STR("type"),
        .code = TR_STR("one_of"),
        .value = tr_json_make_text(TR_JSON_STRING, name),
    };
    if (!tr_field_errors_say(arena, &errors, &error, says, NULL))
        return tr_fail(err, TR_E_NOMEM, "no memory for an answer");
    const struct tr_json *data = tr_call_fields(reply->call, &errors);
    if (!data || !tr_vec_push(arena, &reply->data, data->as.members[0]))
        return tr_fail(err, TR_E_NOMEM, "no memory for an answer");
    return tr_field_errors_verdict(&errors, err);
}

/* Its ready-made tools, as far as the caller sees them. */
static void put_tools(struct tr_builtin_reply *reply,
                      const struct tr_model_type *type)
{
    const struct tr_cap_snapshot *snapshot = reply->call->snapshot;
    struct tr_json_writer *w = &reply->writer;
    unsigned scopes = tr_call_scopes(reply->call);
    tr_jw_key(w, "tools");
    tr_jw_open(w, '[');
    for (size_t i = 0; i < tr_cap_snapshot_counts(snapshot).caps; i++) {
        const struct tr_cap *cap = tr_cap_snapshot_cap(snapshot, i);
        if (cap->guard.type && tr_str_eq(cap->guard.type->name, type->name) &&
            tr_cap_is_listed(cap, scopes))
            tr_jw_string(w, cap->name);
    }
    tr_jw_close(w, ']');
}

tr_status tr_meta_schema_describe(struct tr_builtin_reply *reply,
                                  struct tr_err *err)
{
    struct tr_json_writer *w = &reply->writer;
    tr_str name = tr_builtin_reply_arg(reply, "type");
    const struct tr_model_type *type = find(reply, name);
    if (!type)
        return refuse(reply, name, err);
    tr_jw_open(w, '{');
    tr_jw_put_string(w, "name", type->name);
    tr_builtin_put_type(reply, type);
    put_tools(reply, type);
    tr_jw_maybe_string(w, "where", type->where);
    tr_jw_close(w, '}');
    return tr_jw_finish(w, err);
}

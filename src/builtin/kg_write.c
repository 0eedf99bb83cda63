#include "builtin/kg_tools.h"
#include "json/build.h"
#include "model/tool_shape.h"
#include "query/node.h"
#include "runtime/env.h"
#include "runtime/journal.h"
#include "runtime/outcome.h"

static tr_status fail_memory(struct tr_err *err)
{
    return tr_fail(err, TR_E_NOMEM, "no memory for an answer");
}

tr_status tr_builtin_tool_fields(const struct tr_builtin_reply *reply,
                                 struct tr_json *out, struct tr_err *err)
{
    const struct tr_json *args = reply->call->args;
    struct tr_arena *arena = reply->call->arena;
    struct tr_json_member *members =
        TR_NEW_ARRAY(arena, struct tr_json_member, args->len);
    size_t count = 0;
    if (!members)
        return fail_memory(err);
    for (size_t i = 0; i < args->len; i++) {
        tr_str name = tr_json_text(&args->as.members[i].key);
        if (tr_shape_find(reply->type->shape, name))
            members[count++] = args->as.members[i];
    }
    return tr_json_make_object(arena, members, count, out) ? TR_OK
                                                           : fail_memory(err);
}

/* Replies with the node as the call sees it now. */
static tr_status reply_node(struct tr_builtin_reply *reply,
                            struct tr_graph_kg *kg, tr_str iri,
                            struct tr_err *err)
{
    struct tr_json *node = TR_NEW(reply->call->arena, struct tr_json);
    struct tr_graph_read_ctx ctx;
    bool found = false;
    if (!node)
        return fail_memory(err);
    TR_TRY(tr_builtin_reply_enter(reply, &kg, &ctx, err));
    tr_status status = tr_query_node_read(&ctx, iri, node, &found, err);
    tr_graph_kg_leave(kg);
    if (status == TR_OK && !found)
        status = tr_fail(err, TR_E_INTERNAL, "<%.*s> is gone", TR_FMT(iri));
    reply->value = node;
    return status;
}

tr_status tr_builtin_tool_create(struct tr_builtin_reply *reply,
                                 struct tr_err *err)
{
    const struct tr_model_type *type = reply->what->type;
    tr_str iri = tr_builtin_reply_arg(reply, "id");
    struct tr_graph_kg *kg = NULL;
    struct tr_json fields;
    TR_TRY(tr_call_kg(reply->call, &kg, err));
    TR_TRY(tr_builtin_tool_fields(reply, &fields, err));
    if (reply->call->parent) /* it may ask the client, and be run again */
        TR_TRY(tr_call_fix_names(reply->call, kg, err));
    TR_TRY(tr_graph_kg_create(kg, type, iri, &fields, &iri, err));
    return reply_node(reply, kg, iri, err);
}

/* The end of an id has become an IRI before. */
static tr_status refuse_unknown(struct tr_builtin_reply *reply, tr_str iri,
                                struct tr_err *err)
{
    TR_TRY(tr_builtin_reply_error_member(reply, "reason", TR_STR("not_found"),
                                         err));
    TR_TRY(tr_builtin_reply_error_member(reply, "id", iri, err));
    return tr_call_fail_missing(reply->call, reply->type, iri, err);
}

/* Fails unless the argument `id` is an instance of the type. */
static tr_status find_instance(struct tr_builtin_reply *reply,
                               struct tr_graph_kg *kg, tr_str *iri,
                               struct tr_err *err)
{
    const struct tr_model_type *type = NULL;
    struct tr_graph_read_ctx ctx;
    tr_rdf_id id = TR_RDF_ID_NONE;
    *iri = tr_builtin_reply_arg(reply, "id");
    TR_TRY(tr_builtin_reply_enter(reply, &kg, &ctx, err));
    tr_status status = tr_graph_node_find(&ctx, *iri, &id, err);
    if (status == TR_OK && id != TR_RDF_ID_NONE)
        status = tr_graph_node_type(&ctx, id, &type, err);
    tr_graph_kg_leave(kg);
    TR_TRY(status);
    return tr_model_type_is(type, reply->type)
               ? TR_OK
               : refuse_unknown(reply, *iri, err);
}

/*
 * The argument `version`; false when it is not given. One that does not fit,
 * which the shape of the tool refuses, is the version of nothing.
 */
static bool read_version(const struct tr_builtin_reply *reply, int64_t *out)
{
    const struct tr_json *version =
        tr_json_find(reply->call->args, TR_STR("version"));
    if (!tr_json_i64(version, out))
        *out = 0;
    return tr_json_is(version, TR_JSON_NUMBER);
}

/* Whether `clear` is an argument of the tool, and not a field. */
static const struct tr_json *find_clear(const struct tr_builtin_reply *reply)
{
    const tr_str name = TR_STR(TR_MODEL_CLEAR);
    return tr_shape_find(reply->type->shape, name)
               ? NULL
               : tr_json_find(reply->call->args, name);
}

static tr_status refuse_both(struct tr_builtin_reply *reply,
                             struct tr_graph_kg *kg,
                             const struct tr_json_member *given,
                             struct tr_err *err)
{
    const struct tr_field_error error = {
        .field = tr_json_text(&given->key),
        .code = TR_STR(TR_MODEL_CLEAR),
        .value = given->value,
        .constraint = tr_json_make_text(TR_JSON_STRING, TR_STR(TR_MODEL_CLEAR)),
    };
    return tr_field_errors_say(reply->call->arena, &kg->errors, &error,
                               "has a value and is in clear: give one of them",
                               NULL)
               ? TR_OK
               : fail_memory(err);
}

/* A field that is to be cleared becomes null, which takes its value away. */
static tr_status add_cleared(struct tr_builtin_reply *reply,
                             struct tr_graph_kg *kg, struct tr_json *fields,
                             struct tr_err *err)
{
    struct tr_arena *arena = reply->call->arena;
    const struct tr_json *clear = find_clear(reply);
    size_t count = fields->len;
    if (!clear)
        return TR_OK;
    struct tr_json_member *members =
        TR_NEW_ARRAY(arena, struct tr_json_member, count + clear->len);
    if (!members)
        return fail_memory(err);
    if (count)
        memcpy(members, fields->as.members, count * sizeof(*members));
    kg->errors = (struct tr_field_errors){0};
    for (size_t i = 0; i < clear->len; i++) {
        const struct tr_json *name = &clear->as.items[i];
        size_t at = 0;
        while (at < count &&
               !tr_str_eq(tr_json_text(&members[at].key), tr_json_text(name)))
            at++;
        if (at == count)
            members[count++] = (struct tr_json_member){
                .key = *name, .value = {.kind = TR_JSON_NULL}};
        else if (members[at].value.kind != TR_JSON_NULL)
            TR_TRY(refuse_both(reply, kg, &members[at], err));
    }
    TR_TRY(tr_field_errors_verdict(&kg->errors, err));
    return tr_json_make_object(arena, members, count, fields)
               ? TR_OK
               : fail_memory(err);
}

tr_status tr_builtin_tool_update(struct tr_builtin_reply *reply,
                                 struct tr_err *err)
{
    struct tr_json fields = {0};
    struct tr_graph_kg_update update = {.fields = &fields};
    struct tr_graph_kg *kg = NULL;
    tr_str iri;
    TR_TRY(tr_call_kg(reply->call, &kg, err));
    TR_TRY(find_instance(reply, kg, &iri, err));
    TR_TRY(tr_builtin_tool_fields(reply, &fields, err));
    TR_TRY(add_cleared(reply, kg, &fields, err));
    update.has_version = read_version(reply, &update.version);
    tr_status status = tr_graph_kg_update(kg, iri, &update, err);
    tr_call_say_read_again(reply->call, err);
    return status == TR_OK ? reply_node(reply, kg, iri, err) : status;
}

static tr_status reply_deleted(struct tr_builtin_reply *reply, tr_str iri,
                               struct tr_err *err)
{
    struct tr_arena *arena = reply->call->arena;
    struct tr_json *value = TR_NEW(arena, struct tr_json);
    struct tr_json_member members[] = {
        {tr_json_make_text(TR_JSON_STRING, TR_STR("id")),
         tr_json_make_text(TR_JSON_STRING, iri)},
        {tr_json_make_text(TR_JSON_STRING, TR_STR("deleted")),
         tr_json_make_bool(true)},
    };
    if (!value || !tr_json_make_object(arena, members, TR_LEN(members), value))
        return fail_memory(err);
    reply->value = value;
    return TR_OK;
}

tr_status tr_builtin_tool_delete(struct tr_builtin_reply *reply,
                                 struct tr_err *err)
{
    struct tr_graph_kg *kg = NULL;
    int64_t version;
    bool found;
    tr_str iri;
    TR_TRY(tr_call_kg(reply->call, &kg, err));
    TR_TRY(find_instance(reply, kg, &iri, err));
    bool has_version = read_version(reply, &version);
    tr_status status =
        tr_graph_kg_delete(kg, iri, has_version ? &version : NULL, &found, err);
    tr_call_say_read_again(reply->call, err);
    return status == TR_OK ? reply_deleted(reply, iri, err) : status;
}

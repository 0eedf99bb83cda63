#include "builtin/kg_tools.h"
#include "json/build.h"
#include "query/node.h"
#include "runtime/env.h"
#include "runtime/journal.h"

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
        if (tr_shape_find(reply->what->type->shape, name))
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

static tr_status refuse_unknown(struct tr_builtin_reply *reply, tr_str iri,
                                struct tr_err *err)
{
    TR_TRY(tr_builtin_reply_error_member(reply, "reason", TR_STR("not_found"),
                                         err));
    TR_TRY(tr_builtin_reply_error_member(reply, "id", iri, err));
    return tr_fail(err, TR_E_NOT_FOUND, "there is no %.*s <%.*s>",
                   TR_FMT(reply->type->name), TR_FMT(iri));
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

tr_status tr_builtin_tool_update(struct tr_builtin_reply *reply,
                                 struct tr_err *err)
{
    struct tr_json fields;
    struct tr_graph_kg_update update = {.fields = &fields};
    struct tr_graph_kg *kg = NULL;
    tr_str iri;
    TR_TRY(tr_call_kg(reply->call, &kg, err));
    TR_TRY(find_instance(reply, kg, &iri, err));
    TR_TRY(tr_builtin_tool_fields(reply, &fields, err));
    update.has_version = read_version(reply, &update.version);
    TR_TRY(tr_graph_kg_update(kg, iri, &update, err));
    return reply_node(reply, kg, iri, err);
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
    TR_TRY(tr_graph_kg_delete(kg, iri, has_version ? &version : NULL, &found,
                              err));
    return reply_deleted(reply, iri, err);
}

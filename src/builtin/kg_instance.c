#include "builtin/kg_resources.h"
#include "graph/node.h"
#include "runtime/env.h"

static tr_status write_found(struct tr_builtin_reply *reply,
                             struct tr_graph_kg *kg,
                             const struct tr_graph_read_ctx *ctx,
                             struct tr_err *err)
{
    const struct tr_model_type *type = reply->type;
    struct tr_call_instance node;
    bool found = false;
    TR_TRY(tr_call_find_instance(ctx, type, tr_builtin_reply_arg(reply, "id"),
                                 &node, err));
    if (node.id != TR_RDF_ID_NONE)
        TR_TRY(tr_graph_node_write_ld(ctx, node.id, type, &reply->writer,
                                      &found, err));
    if (!found)
        return tr_fail(err, TR_E_NOT_FOUND, "there is no such %.*s",
                       TR_FMT(type->name));
    tr_graph_kg_note_used(kg, node.id);
    return tr_jw_finish(&reply->writer, err);
}

tr_status tr_builtin_render_instance(struct tr_builtin_reply *reply,
                                     struct tr_err *err)
{
    struct tr_graph_read_ctx ctx;
    struct tr_graph_kg *kg;
    TR_TRY(tr_builtin_reply_enter(reply, &kg, &ctx, err));
    tr_status status = write_found(reply, kg, &ctx, err);
    tr_graph_kg_leave(kg);
    return status;
}

#include "builtin/kg_resources.h"
#include "query/named.h"
#include "query/node.h"
#include "runtime/env.h"
#include "runtime/outcome.h"

/* A node that is older than its type is shown, and what is wrong with it
 * (decision 0023). */
static tr_status tell_unfit(struct tr_builtin_reply *reply,
                            const struct tr_graph_read_ctx *ctx, tr_rdf_id id,
                            const struct tr_shape *shape, struct tr_err *err)
{
    const struct tr_json *unfit = NULL;
    struct tr_json node;
    bool found;
    TR_TRY(tr_query_node_read_id(ctx, id, &node, &found, err));
    if (found)
        TR_TRY(tr_call_list_unfit(reply->call, shape, &node, &unfit, err));
    return unfit ? tr_builtin_reply_meta(reply, TR_CALL_META_UNFIT, unfit, err)
                 : TR_OK;
}

/* Nothing, when there is no such node, or it is of another type. */
static tr_status write_node(struct tr_builtin_reply *reply,
                            const struct tr_graph_read_ctx *ctx,
                            const struct tr_query_named *node,
                            struct tr_query_node_shown *shown,
                            struct tr_err *err)
{
    return node->id == TR_RDF_ID_NONE
               ? TR_OK
               : tr_query_node_write_ld(ctx, node->id, reply->type,
                                        &reply->writer, shown, err);
}

static tr_status write_found(struct tr_builtin_reply *reply,
                             struct tr_graph_kg *kg,
                             const struct tr_graph_read_ctx *ctx,
                             struct tr_err *err)
{
    const struct tr_model_type *type = reply->type;
    tr_str name = tr_builtin_reply_arg(reply, "id");
    struct tr_query_named node;
    struct tr_query_node_shown shown = {0};
    TR_TRY(tr_query_named_guess(ctx, type, name, &node, err));
    TR_TRY(write_node(reply, ctx, &node, &shown, err));
    if (!shown.found) {
        TR_TRY(tr_query_named_find(ctx, type, name, &node, err));
        TR_TRY(write_node(reply, ctx, &node, &shown, err));
    }
    if (!shown.found)
        return TR_E_NOT_FOUND;
    tr_graph_kg_note_used(kg, node.id);
    TR_TRY(tr_jw_finish(&reply->writer, err));
    return shown.fits || !shown.type
               ? TR_OK
               : tell_unfit(reply, ctx, node.id, shown.type->shape, err);
}

tr_status tr_builtin_render_instance(struct tr_builtin_reply *reply,
                                     struct tr_err *err)
{
    struct tr_graph_read_ctx ctx;
    struct tr_graph_kg *kg;
    TR_TRY(tr_builtin_reply_enter(reply, &kg, &ctx, err));
    tr_status status = write_found(reply, kg, &ctx, err);
    tr_graph_kg_leave(kg);
    return status == TR_E_NOT_FOUND
               ? tr_call_fail_missing(reply->call, reply->type,
                                      tr_builtin_reply_arg(reply, "id"), err)
               : status;
}

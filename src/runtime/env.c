#include "runtime/env.h"

#include "access/authority.h"
#include "cap/cap.h"
#include "cap/snapshot.h"
#include "loop/loop.h"
#include "model/model.h"
#include "runtime/again.h"
#include "runtime/stage.h"

/* The time by the loop's clock, which tests can step. */
static uint64_t unix_ms(const struct tr_loop *loop)
{
    tr_time now = tr_loop_wall(loop);
    return (uint64_t)now.seconds * 1000 + (uint64_t)now.nanos / 1000000;
}

tr_status tr_call_kg(struct tr_call *call, struct tr_graph_kg **out,
                     struct tr_err *err)
{
    struct tr_call *root = tr_call_root(call);
    const struct tr_call_env *env = root->env;
    if (!root->kg) {
        const struct tr_model *model =
            root->snapshot ? tr_cap_snapshot_model(root->snapshot) : NULL;
        if (!env || !model)
            return tr_fail(err, TR_E_UNSUPPORTED,
                           "there is no graph behind this call");
        root->kg = TR_NEW(root->arena, struct tr_graph_kg);
        if (!root->kg)
            return tr_fail(err, TR_E_NOMEM, "no memory for the graph");
        tr_graph_kg_init(root->kg, env->reader, model, root->arena);
        root->kg->scans = env->scans;
        root->kg->now_ms = unix_ms(root->loop);
        if (tr_call_may_repeat(root) && !tr_cap_is_read_only(root->cap))
            TR_TRY(tr_graph_kg_watch(root->kg, err));
    }
    root->kg->changes.by = call;
    root->kg->changes.may = tr_call_may_change;
    *out = root->kg;
    return TR_OK;
}

tr_status tr_call_enter(struct tr_call *call, const struct tr_model_face *face,
                        struct tr_graph_kg **kg, struct tr_graph_read_ctx *ctx,
                        struct tr_err *err)
{
    TR_TRY(tr_call_kg(call, kg, err));
    TR_TRY(tr_graph_kg_enter(*kg, ctx, err));
    if (!face)
        return TR_OK;
    ctx->face = face;
    ctx->model = face->model;
    tr_status status =
        tr_model_face_graph(face, ctx->graph, ctx->arena, &ctx->graph, err);
    if (status != TR_OK)
        tr_graph_kg_leave(*kg);
    return status;
}

const struct tr_model_face *tr_call_face(const struct tr_call *call)
{
    const struct tr_model *model =
        call->snapshot ? tr_cap_snapshot_model(call->snapshot) : NULL;
    if (!model || !tr_model_face_for(model, 0) || /* then nothing is hidden */
        tr_str_starts(call->principal, TR_STR(TR_ACCESS_LOCAL)))
        return NULL;
    return tr_model_face_for(
        model, call->authority
                   ? tr_access_decide_all(call->authority, call->in_production)
                   : 0);
}

void tr_call_release_kg(struct tr_call *call)
{
    if (call->kg && !call->parent)
        tr_graph_kg_done(call->kg);
    call->kg = NULL;
}

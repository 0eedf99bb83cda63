#include "base/limits.h"
#include "cap/cap.h"
#include "cap/snapshot.h"
#include "graph/kg.h"
#include "loop/loop.h"
#include "runtime/call.h"
#include "runtime/record.h"
#include "runtime/stage.h"

static void on_deadline(void *data)
{
    tr_call_expire(data);
}

static void start_clock(struct tr_call *call)
{
    if (call->timeout_ms == 0)
        return;
    call->deadline_ms = tr_loop_now_ms(call->loop) + call->timeout_ms;
    tr_loop_timer_init(&call->timer, call->loop, on_deadline, call);
    tr_loop_timer_start(&call->timer, call->timeout_ms, 0);
}

void tr_call_resume_clock(struct tr_call *call)
{
    if (call->timeout_ms > 0)
        tr_loop_timer_start(&call->timer,
                            call->deadline_ms - tr_loop_now_ms(call->loop), 0);
}

void tr_call_invoke(struct tr_call *call)
{
    tr_call_record_begin(call);
    start_clock(call);
    call->stages = tr_call_stages_of(call);
    tr_call_next(call);
}

/* What a child keeps beside its call, to find its way back. */
struct child {
    struct tr_call call;
    struct tr_call_door_ops door; /* the parent's, with another end */
    tr_call_invoke_done_fn *done;
    void *data;
    struct tr_graph_change_mark mark; /* the graph's changes before it */
};

/* Takes back what a child has changed, if it failed. */
static void undo_changes(const struct child *child,
                         const struct tr_call_outcome *outcome)
{
    struct tr_graph_kg *kg = tr_call_root(child->call.parent)->kg;
    if (kg && (outcome->status != TR_OK || outcome->is_error))
        tr_graph_kg_undo(kg, child->mark);
}

static void child_finished(struct tr_call *call,
                           const struct tr_call_outcome *outcome)
{
    struct child *child = (struct child *)(void *)call;
    call->parent->child = NULL;
    undo_changes(child, outcome);
    child->done(call->parent, child->data, outcome);
}

static unsigned depth_of(const struct tr_call *call)
{
    unsigned depth = 0;
    for (; call->parent; call = call->parent)
        depth++;
    return depth;
}

tr_status tr_call_invoke_child(struct tr_call *parent,
                               const struct tr_call_invoke_child *request,
                               struct tr_err *err)
{
    const struct tr_cap *cap =
        tr_cap_snapshot_find_cap(parent->snapshot, request->id);
    if (!cap)
        return tr_fail(err, TR_E_NOT_FOUND, "no capability '%.*s'",
                       TR_FMT(request->id));
    if (cap->side_effects.is_said && cap->side_effects.graph_writes.count &&
        tr_call_may_not_write(parent))
        return tr_fail(err, TR_E_UNSUPPORTED,
                       "%s cannot invoke '%.*s', which writes",
                       tr_call_may_not_write(parent), TR_FMT(request->id));
    if (depth_of(parent) + 1 >= TR_LIMIT_INVOKE_DEPTH)
        return tr_fail(err, TR_E_LIMIT,
                       "capabilities invoke each other more "
                       "than %d levels deep",
                       TR_LIMIT_INVOKE_DEPTH);
    struct child *child = TR_NEW(parent->arena, struct child);
    if (!child)
        return tr_fail(err, TR_E_NOMEM, "no memory for a call");
    child->door = *parent->door;
    child->door.finished = child_finished;
    child->done = request->done;
    child->data = request->data;
    if (tr_call_root(parent)->kg)
        child->mark = tr_graph_kg_mark(tr_call_root(parent)->kg);
    child->call = (struct tr_call){
        .loop = parent->loop,
        .arena = parent->arena,
        .snapshot = parent->snapshot,
        .handler = &cap->handler,
        .cap = cap,
        .args = request->args,
        .principal = parent->principal,
        .authority = parent->authority,
        .in_production = parent->in_production,
        .trace_id = parent->trace_id,
        .client = parent->client,
        .door = &child->door,
        .door_data = parent->door_data,
        .parent = parent,
        .env = parent->env,
        .number = ++tr_call_root(parent)->round.invocations,
        .deadline_ms = parent->deadline_ms,
    };
    parent->child = &child->call;
    tr_call_invoke(&child->call);
    return TR_OK;
}

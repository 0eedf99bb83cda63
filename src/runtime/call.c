#include "runtime/call.h"

#include "loop/loop.h"
#include "runtime/again.h"
#include "runtime/idempotency.h"

struct tr_call *tr_call_root(struct tr_call *call)
{
    while (call->parent)
        call = call->parent;
    return call;
}

/*
 * A call that waits for a child is ended by the end of that child, so nothing
 * else may be done to it here. A call whose hold is being written notices when
 * the write is done (budget.c).
 */
static void stop(struct tr_call *call, enum tr_call_stop why)
{
    if (call->state == TR_CALL_LANDING)
        call->late_stop = why;
    if (tr_call_is_stopped(call) || call->state > TR_CALL_RUNNING)
        return;
    call->stop = why;
    if (call->child)
        tr_call_cancel(call->child);
    else if (call->state == TR_CALL_QUEUED && call->again)
        tr_call_repeat_give_up(call);
    else if (call->state == TR_CALL_QUEUED)
        tr_call_idempotency_give_up(call);
    else if (call->state == TR_CALL_RUNNING && call->host)
        call->host->cancel(call);
}

void tr_call_cancel(struct tr_call *call)
{
    stop(call, TR_CALL_STOP_CANCELLED);
}

void tr_call_end_round(struct tr_call *call)
{
    stop(tr_call_root(call), TR_CALL_STOP_ASKED);
}

void tr_call_expire(struct tr_call *call)
{
    stop(call, TR_CALL_STOP_LATE);
}

bool tr_call_must_end(struct tr_call *call, uint64_t running_ms)
{
    uint64_t now_ms = tr_loop_now_ms(call->loop) + running_ms;
    if (call->deadline_ms > 0 && now_ms >= call->deadline_ms)
        tr_call_expire(tr_call_root(call));
    return tr_call_is_stopped(call);
}

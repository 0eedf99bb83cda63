#include "runtime/call.h"

#include "base/limits.h"

struct tr_call *tr_call_root(struct tr_call *call)
{
    while (call->parent)
        call = call->parent;
    return call;
}

/* One journal for all: what a child does is part of what its parent does. */
const struct tr_json *tr_call_replayed(struct tr_call *call)
{
    call = tr_call_root(call);
    const struct tr_json *value = tr_json_at(call->replay, call->journal_at);
    if (value)
        call->journal_at++;
    return value;
}

tr_status tr_call_record(struct tr_call *call, struct tr_json value,
                         struct tr_err *err)
{
    call = tr_call_root(call);
    if (call->journal.count == TR_LIMIT_JOURNAL)
        return tr_fail(err, TR_E_LIMIT,
                       "more than %d calls of now, random and invoke",
                       TR_LIMIT_JOURNAL);
    if (!tr_vec_push(call->arena, &call->journal, value))
        return tr_fail(err, TR_E_NOMEM, "no memory for the call's journal");
    return TR_OK;
}

/* Children first: each is ended by its own host. */
void tr_call_cancel(struct tr_call *call)
{
    if (call->cancelled)
        return;
    call->cancelled = true;
    if (call->host)
        call->host->cancel(call);
}

#include "runtime/invoke.h"

#include "base/limits.h"
#include "cap/cap.h"
#include "cap/handler.h"
#include "cap/snapshot.h"
#include "json/build.h"
#include "loop/loop.h"
#include "runtime/authorise.h"
#include "runtime/condition.h"
#include "runtime/ground.h"
#include "runtime/key.h"
#include "runtime/record.h"
#include "runtime/spend.h"
#include "runtime/stage.h"
#include "shape/check.h"
#include "shape/verbatim.h"

/* Arguments as the handler gets them: checked, defaults filled in. */
static tr_status check_input(struct tr_call *call, struct tr_outcome *refusal)
{
    static const struct tr_shape no_fields = {0};
    const struct tr_cap *cap = call->cap;
    struct tr_checked checked = {0};
    tr_status status;

    if (cap->input_schema) {
        status = tr_verbatim_check(cap->input_schema, call->args, call->arena,
                                   &checked.errors, &refusal->err);
        checked.value = call->args;
    } else {
        status =
            tr_shape_check(cap->input_shape ? cap->input_shape : &no_fields,
                           call->args, call->arena, &checked, &refusal->err);
    }
    refusal->status = status;
    if (status == TR_E_VALIDATION)
        refusal->data = tr_call_fields(call, &checked.errors);
    else if (status == TR_OK)
        call->args = checked.value;
    return status;
}

static void on_deadline(void *data)
{
    tr_call_expire(data);
}

static void start_clock(struct tr_call *call)
{
    if (call->timeout_ms == 0)
        return;
    call->deadline_ms = tr_loop_now_ms(call->loop) + call->timeout_ms;
    tr_timer_init(&call->timer, call->loop, on_deadline, call);
    tr_timer_start(&call->timer, call->timeout_ms, 0);
}

void tr_stage_run(struct tr_call *call)
{
    call->handler->run(call->handler, call);
}

void tr_stage_conditions(struct tr_call *call)
{
    struct tr_outcome refusal = {0};
    if (call->cap->precondition_count &&
        tr_conditions_decide(call, &refusal) != TR_OK)
        tr_call_finish(call, &refusal);
    else if (tr_call_is_metered(call))
        tr_stage_budget(call);
    else
        tr_stage_run(call);
}

void tr_stage_input(struct tr_call *call)
{
    struct tr_outcome refusal = {0};
    if ((call->cap->idempotent && tr_key_take(call, &refusal) != TR_OK) ||
        check_input(call, &refusal) != TR_OK)
        tr_call_finish(call, &refusal);
    else if (call->key.len)
        tr_stage_key(call);
    else
        tr_stage_conditions(call);
}

void tr_invoke(struct tr_call *call)
{
    struct tr_outcome refusal = {0};
    tr_record_begin(call);
    start_clock(call);
    if (!call->cap)
        tr_stage_run(call);
    else if (tr_authorise(call, call->cap->scope, &refusal) != TR_OK)
        tr_call_finish(call, &refusal);
    else if (call->cap->policy_required.count)
        tr_stage_policies(call);
    else
        tr_stage_input(call);
}

const struct tr_json *tr_stage_data(const struct tr_call *call,
                                    struct tr_json_member *members,
                                    size_t count)
{
    struct tr_json *data = TR_NEW(call->arena, struct tr_json);
    if (!data || !tr_json_make_object(call->arena, members, count, data))
        return NULL;
    return data;
}

/* A handler that breaks its own promise has a bug: the caller did nothing. */
static bool output_fits(struct tr_call *call, const struct tr_outcome *outcome,
                        struct tr_outcome *failure)
{
    struct tr_checked checked = {0};
    if (!call->cap || outcome->status != TR_OK || outcome->is_error)
        return true;
    failure->status = tr_cap_check_output(call->cap, outcome->value,
                                          call->arena, &checked, &failure->err);
    if (failure->status == TR_OK)
        return true;
    if (failure->status == TR_E_VALIDATION) {
        const struct tr_field_error *first = &checked.errors.items[0];
        failure->status =
            tr_fail(&failure->err, TR_E_INTERNAL,
                    "the output does not fit: %.*s", TR_FMT(first->message));
    }
    return false;
}

static void refuse_cancelled(const struct tr_call *call,
                             struct tr_outcome *failure)
{
    if (call->is_late) {
        failure->data = tr_call_reason(call, TR_STR("timeout"));
        failure->status = tr_fail(&failure->err, TR_E_TIMEOUT,
                                  "the call took longer than %g s",
                                  (double)call->timeout_ms / 1000);
    } else {
        failure->status = tr_fail(&failure->err, TR_E_CANCELLED, "cancelled");
    }
}

void tr_call_conclude(struct tr_call *call, const struct tr_outcome *outcome,
                      bool has_landed)
{
    if (call->timeout_ms > 0)
        tr_timer_stop(&call->timer);
    if (!has_landed)
        (void)tr_record_end(call, outcome);
    tr_call_release_kg(call);
    if (call->keyed)
        tr_key_leave(call);
    if (call->metered && tr_spent_settle(call, outcome, has_landed))
        return;
    tr_record_tell(call, outcome, has_landed);
}

void tr_call_finish(struct tr_call *call, const struct tr_outcome *outcome)
{
    struct tr_outcome failure = {0};
    if (call->timeout_ms > 0)
        tr_timer_stop(&call->timer);
    if (call->cancelled)
        refuse_cancelled(call, &failure);
    if (failure.status == TR_OK && output_fits(call, outcome, &failure) &&
        tr_call_land(call, outcome, &failure))
        return;
    if (failure.status != TR_OK)
        outcome = &failure;
    bool is_success = outcome->status == TR_OK && !outcome->is_error;
    if (call->keyed && !is_success && !call->cancelled &&
        tr_key_was_second(call, &failure))
        outcome = &failure;
    tr_call_conclude(call, outcome, false);
}

/* What a child keeps beside its call, to find its way back. */
struct child {
    struct tr_call call;
    struct tr_door_ops door; /* the parent's, with another end */
    tr_invoke_done_fn *done;
    void *data;
    struct tr_change_mark mark; /* where the graph's changes were */
};

/* What a child has changed goes with it when it fails. */
static void undo_changes(const struct child *child,
                         const struct tr_outcome *outcome)
{
    struct tr_kg *kg = tr_call_root(child->call.parent)->kg;
    if (kg && (outcome->status != TR_OK || outcome->is_error))
        tr_kg_undo(kg, child->mark);
}

static void child_finished(struct tr_call *call,
                           const struct tr_outcome *outcome)
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

tr_status tr_invoke_child(struct tr_call *parent,
                          const struct tr_invoke_child *request,
                          struct tr_err *err)
{
    const struct tr_cap *cap =
        tr_snapshot_find_cap(parent->snapshot, request->id);
    if (!cap)
        return tr_fail(err, TR_E_NOT_FOUND, "no capability '%.*s'",
                       TR_FMT(request->id));
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
        child->mark = tr_kg_mark(tr_call_root(parent)->kg);
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
        .deadline_ms = parent->deadline_ms,
    };
    parent->child = &child->call;
    tr_invoke(&child->call);
    return TR_OK;
}

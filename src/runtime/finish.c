/*
 * The way from the outcome of a handler, or of a stage that refuses, to the
 * door:
 *
 *     tr_call_finish   decides how the call ends; after a success, land.c
 *                      sends its changes to the writer and waits for it
 *     tr_call_end      gives back what the call holds; if it used something
 *                      else, budget.c corrects that and waits for it
 *     report           records the activity, waits for the disk when the call
 *                      was denied, and the door hears of the end
 */
#include "cap/cap.h"
#include "fields/check.h"
#include "runtime/again.h"
#include "runtime/budget.h"
#include "runtime/env.h"
#include "runtime/idempotency.h"
#include "runtime/land.h"
#include "runtime/outcome.h"
#include "runtime/record.h"
#include "runtime/stage.h"

/*
 * A handler that breaks its own promise has a bug: the caller did nothing. What
 * the graph has is no promise of a handler; then `shown` takes the outcome's
 * place.
 */
static bool output_fits(struct tr_call *call,
                        const struct tr_call_outcome **outcome,
                        struct tr_call_outcome *shown,
                        struct tr_call_outcome *failure)
{
    const struct tr_json *value = (*outcome)->value;
    struct tr_shape_checked checked = {0};
    if (!call->cap || call->cap->output_is_stored ||
        !tr_call_outcome_is_success(*outcome))
        return true;
    failure->status = tr_cap_check_output(call->cap, value, call->arena,
                                          &checked, &failure->err);
    if (failure->status == TR_E_VALIDATION &&
        tr_call_is_stored(call, value, &checked.errors)) {
        *shown = **outcome;
        *outcome = shown;
        failure->status =
            tr_call_outcome_show_stored(call, shown, NULL, &failure->err);
    }
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

static void say_stopped(const struct tr_call *call,
                        struct tr_call_outcome *failure)
{
    if (call->stop == TR_CALL_STOP_LATE) {
        failure->data = tr_call_reason(call, TR_STR("timeout"));
        failure->status = tr_fail(&failure->err, TR_E_TIMEOUT,
                                  "the call took longer than %g s",
                                  (double)call->timeout_ms / 1000);
    } else {
        failure->status = tr_fail(&failure->err, TR_E_CANCELLED, "cancelled");
    }
}

/* Nobody gets around the stages by starting a handler directly. */
static bool has_passed(const struct tr_call *call,
                       const struct tr_call_outcome *outcome,
                       struct tr_call_outcome *failure)
{
    if (call->state >= TR_CALL_RUNNING || !tr_call_outcome_is_success(outcome))
        return true;
    failure->status =
        tr_fail(&failure->err, TR_E_INTERNAL, "%s ran outside of the stages",
                tr_call_rules_of(call)->noun);
    return false;
}

/* Who tried to write and may not has failed, whatever it makes of that. */
static bool has_kept_its_word(const struct tr_call *call,
                              const struct tr_call_outcome *outcome,
                              struct tr_call_outcome *failure)
{
    if (!call->refusal || !tr_call_outcome_is_success(outcome))
        return true;
    failure->err = *call->refusal;
    failure->status = failure->err.code;
    return false;
}

/* What a handler has done wrong is found where it is defined. */
static void name_handler(const struct tr_call *call, struct tr_err *err)
{
    const struct tr_cap_guard *guard = tr_call_guard(call);
    if (err->code == TR_E_INTERNAL && guard && guard->where.len)
        tr_err_prefix(err, "%.*s", TR_FMT(guard->where));
}

static void stop_clock(struct tr_call *call)
{
    if (call->timeout_ms > 0)
        tr_loop_timer_stop(&call->timer);
}

void tr_call_finish(struct tr_call *call, const struct tr_call_outcome *outcome)
{
    struct tr_call_outcome failure = {0};
    struct tr_call_outcome shown;
    stop_clock(call);
    if (tr_call_is_stopped(call))
        say_stopped(call, &failure);
    else if (has_passed(call, outcome, &failure) &&
             has_kept_its_word(call, outcome, &failure) &&
             output_fits(call, &outcome, &shown, &failure) &&
             tr_call_land(call, outcome, &failure))
        return;
    if (failure.status != TR_OK) {
        name_handler(call, &failure.err);
        outcome = &failure;
    }
    if (call->idempotency && !tr_call_outcome_is_success(outcome) &&
        !tr_call_is_stopped(call) &&
        tr_call_idempotency_was_second(call, &failure))
        outcome = &failure;
    if (outcome->status != TR_OK && !tr_call_is_stopped(call) &&
        tr_call_repeat_handler(call, outcome))
        return;
    tr_call_end(call, outcome);
}

static void give_back(struct tr_call *call,
                      const struct tr_call_outcome *outcome)
{
    stop_clock(call);
    if (call->parent)
        tr_call_budget_pass_on(call, outcome);
    if (!call->is_recorded)
        (void)tr_call_record_end(call, outcome);
    tr_call_release_kg(call);
    if (call->idempotency)
        tr_call_idempotency_leave(call);
    if (call->again)
        tr_call_repeat_leave(call);
}

/* The door may release the call before it returns. */
static void tell(struct tr_call *call, const struct tr_call_outcome *outcome)
{
    struct tr_call_outcome told = *outcome;
    call->state = TR_CALL_ENDED;
    call->door->finished(call, &told);
}

static void report(struct tr_call *call, const struct tr_call_outcome *outcome)
{
    struct tr_call_outcome reported = *outcome;
    tr_call_record_log(call, &reported);
    if (!tr_call_record_settle(call, &reported, tell))
        tell(call, &reported);
}

/* A call whose hold had to be corrected comes here again after that. */
void tr_call_end(struct tr_call *call, const struct tr_call_outcome *outcome)
{
    if (call->state != TR_CALL_CORRECTING) {
        give_back(call, outcome);
        if (call->budget_hold && tr_call_budget_correct(call, outcome))
            return;
    }
    report(call, outcome);
}

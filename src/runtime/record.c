#include "runtime/record.h"

#include "access/budget.h"
#include "cap/cap.h"
#include "crypto/encoding.h"
#include "json/build.h"
#include "loop/loop.h"
#include "prov/log.h"
#include "runtime/budget.h"
#include "runtime/env.h"
#include "runtime/outcome.h"
#include "runtime/stage.h"

static const struct tr_call_env *env_of(struct tr_call *call)
{
    const struct tr_call_env *env = tr_call_root(call)->env;
    return env && env->log ? env : NULL;
}

static void note_what(struct tr_call *call)
{
    struct tr_prov_activity *activity = &call->activity;
    activity->kind = tr_call_rules_of(call)->activity;
    if (call->cap) {
        activity->name = call->cap->id;
        activity->version = call->cap->version;
        if (call->cap->is_meta)
            activity->scope = call->cap->guard.scope;
    }
    activity->principal = call->principal;
    activity->trace_id = call->trace_id;
}

void tr_call_record_begin(struct tr_call *call)
{
    const struct tr_call_env *env = env_of(call);
    struct tr_prov_activity *activity = &call->activity;
    if (!env || !tr_call_rules_of(call)->activity)
        return;
    tr_time now = tr_loop_wall(call->loop);
    activity->started_us = now.seconds * 1000000 + now.nanos / 1000;
    if (tr_crypto_uuid_maker_next(env->uuids, activity->started_us,
                                  activity->id, NULL) != TR_OK)
        return;
    call->started_ns = tr_time_ticks_ns();
    note_what(call);
    if (call->parent)
        memcpy(activity->parent, call->parent->activity.id,
               TR_CRYPTO_UUID_BYTES);
    if (call->args) {
        activity->has_args_digest = true;
        (void)tr_prov_digest_json(env->prov_key, call->args,
                                  activity->args_digest);
    }
}

static void note_result(struct tr_prov_activity *activity,
                        const struct tr_prov_key *key,
                        const struct tr_call_outcome *outcome)
{
    const struct tr_json *result =
        outcome->content ? outcome->content : outcome->value;
    activity->has_result_digest = result != NULL;
    activity->cost.result_bytes =
        result ? tr_prov_digest_json(key, result, activity->result_digest) : 0;
}

bool tr_call_record_end(struct tr_call *call,
                        const struct tr_call_outcome *outcome)
{
    const struct tr_call_env *env = env_of(call);
    struct tr_prov_activity *activity = &call->activity;
    if (!env || !call->started_ns)
        return false;
    activity->took_us = (tr_time_ticks_ns() - call->started_ns) / 1000;
    activity->tries = call->retried ? call->retried + 1 : 0;
    activity->status = outcome->status;
    activity->ended =
        tr_prov_activity_end_of(outcome->status, outcome->is_error);
    if (tr_call_root(call)->stop == TR_CALL_STOP_ASKED)
        activity->ended = TR_PROV_ENDED_ASKED;
    activity->fetches = (struct tr_prov_activity_fetches){
        call->fetches.items, call->fetches.count, 0};
    activity->cost.instructions = call->instructions;
    activity->cost.running_us = call->ran_ns / 1000;
    tr_call_budget_note(call, outcome);
    if (call->kg)
        activity->used = (struct tr_prov_activity_ids){call->kg->used.items,
                                                       call->kg->used.count, 0};
    note_result(activity, env->prov_key, outcome);
    return true;
}

/* Writes {"use": id}, or {} when nothing replaces it; 0 without memory. */
static size_t put_deprecated(const struct tr_call *call,
                             struct tr_json_member *out)
{
    const struct tr_cap *successor = call->cap->successor;
    struct tr_json_member use = {
        tr_json_make_text(TR_JSON_STRING, TR_STR("use")), {0}};
    if (successor)
        use.value = tr_json_make_text(TR_JSON_STRING, successor->id);
    const struct tr_json *told = tr_call_object(call, &use, successor ? 1 : 0);
    if (!told)
        return 0;
    *out = (struct tr_json_member){
        tr_json_make_text(TR_JSON_STRING, TR_STR("dev.trails/deprecated")),
        *told};
    return 1;
}

/*
 * {..., "dev.trails/provenance": IRI, "dev.trails/trace_id": id},
 * "dev.trails/receipt" when the call cost something, and
 * "dev.trails/deprecated": {"use": id} when its author advises against it.
 * Without memory for them the result goes without.
 */
static const struct tr_json *add_meta(struct tr_call *call,
                                      const struct tr_json *meta)
{
    struct tr_json_member more[4];
    size_t count = 0;
    const struct tr_json *summary = tr_call_budget_summary(call);
    char *iri = tr_arena_alloc(call->arena, TR_PROV_ACTIVITY_IRI);
    if (!iri)
        return meta;
    tr_prov_activity_iri(call->activity.id, iri);
    more[count++] = (struct tr_json_member){
        tr_json_make_text(TR_JSON_STRING, TR_STR("dev.trails/provenance")),
        tr_json_make_text(TR_JSON_STRING, (tr_str){iri, TR_PROV_ACTIVITY_IRI})};
    if (call->trace_id.len)
        more[count++] = (struct tr_json_member){
            tr_json_make_text(TR_JSON_STRING, TR_STR("dev.trails/trace_id")),
            tr_json_make_text(TR_JSON_STRING, call->trace_id)};
    if (summary)
        more[count++] = (struct tr_json_member){
            tr_json_make_text(TR_JSON_STRING, TR_STR("dev.trails/receipt")),
            *summary};
    if (call->cap && call->cap->version_status == TR_CAP_VERSION_DEPRECATED)
        count += put_deprecated(call, &more[count]);
    return tr_call_add_meta(call, meta, more, count);
}

static uint64_t micros_of(double ms)
{
    return ms > 0 && ms < 1e15 ? (uint64_t)(ms * 1000) : 0;
}

/* Whether it came to what such calls come to: its handler has answered, or took
 * too long. */
static bool is_measured(const struct tr_call *call,
                        const struct tr_call_outcome *outcome)
{
    return call->kind == TR_CALL_CAPABILITY && call->state >= TR_CALL_RUNNING &&
           (outcome->status == TR_OK || outcome->status == TR_E_TIMEOUT);
}

/* What landed took longer than its activity, which was written on the way. */
static uint64_t took_us(const struct tr_call *call)
{
    return call->is_recorded ? (tr_time_ticks_ns() - call->started_ns) / 1000
                             : call->activity.took_us;
}

static void measure(const struct tr_call *call, struct tr_prov_log *log)
{
    const struct tr_cap_cost *cost = &call->cap->cost;
    double ms =
        cost->latency_p95_ms > 0 ? cost->latency_p95_ms : cost->latency_p50_ms;
    const struct tr_prov_actual actual = {
        .id = call->cap->id,
        .version = call->cap->version,
        .has_spent = call->used.is_said,
        .of = {took_us(call), (uint64_t)call->used.tokens,
               (uint64_t)call->used.micro_usd},
        .estimate = {micros_of(ms), (uint64_t)cost->tokens,
                     (uint64_t)tr_access_usage_of_usd(cost->usd)},
    };
    tr_prov_log_measure(log, &actual);
}

void tr_call_record_log(struct tr_call *call, struct tr_call_outcome *outcome)
{
    const struct tr_call_env *env = env_of(call);
    if (!env || !call->started_ns)
        return;
    if (!call->is_recorded)
        tr_prov_log_add(env->log, &call->activity);
    if (is_measured(call, outcome))
        measure(call, env->log);
    if (!call->parent)
        outcome->meta = add_meta(call, outcome->meta);
}

/* A denied call that waits for the log. */
struct settling {
    struct tr_prov_log_wait wait; /* first: what the log hands back */
    struct tr_call *call;
    struct tr_call_outcome outcome;
    tr_call_tell_fn *tell;
};

static void settled(struct tr_prov_log_wait *wait)
{
    struct settling *settling = (struct settling *)(void *)wait;
    settling->tell(settling->call, &settling->outcome);
}

/*
 * A policy cannot wait; the call that it denies does so for both, also when
 * that one leaves no activity itself.
 */
static bool is_denial(const struct tr_call *call,
                      const struct tr_call_outcome *outcome)
{
    bool has_decision = call->started_ns || outcome->status == TR_E_POLICY;
    if (!has_decision ||
        tr_prov_activity_end_of(outcome->status, outcome->is_error) !=
            TR_PROV_ENDED_DENIED)
        return false;
    for (; call; call = call->parent) {
        if (call->decides_only)
            return false;
    }
    return true;
}

bool tr_call_record_settle(struct tr_call *call,
                           const struct tr_call_outcome *outcome,
                           tr_call_tell_fn *tell)
{
    const struct tr_call_env *env = env_of(call);
    if (!env || !is_denial(call, outcome))
        return false;
    struct settling *settling = TR_NEW(call->arena, struct settling);
    if (!settling)
        return false;
    *settling = (struct settling){
        .wait.done = settled, .call = call, .outcome = *outcome, .tell = tell};
    call->state = TR_CALL_RECORDING;
    tr_prov_log_settle(env->log, &settling->wait);
    return true;
}

bool tr_call_was_given(struct tr_call *call,
                       const unsigned char id[TR_CRYPTO_UUID_BYTES])
{
    const struct tr_call_given *given = tr_call_root(call)->given;
    for (size_t i = 0; given && i < given->count && i < TR_LEN(given->ids); i++)
        if (memcmp(given->ids[i], id, TR_CRYPTO_UUID_BYTES) == 0)
            return true;
    return false;
}

bool tr_call_traceparent(const struct tr_call *call,
                         char to[TR_CALL_TRACEPARENT])
{
    enum { TRACE = 32, PARENT = 8 };
    char parent[2 * PARENT];
    struct tr_buf out;
    if (!call->started_ns || call->trace_id.len != TRACE)
        return false;
    tr_buf_init_fixed(&out, to, TR_CALL_TRACEPARENT);
    tr_buf_put(&out, TR_STR("00-"));
    const unsigned char *end =
        call->activity.id + TR_CRYPTO_UUID_BYTES - PARENT;
    tr_crypto_hex_write((tr_str){(const char *)end, PARENT}, parent);
    tr_buf_put(&out, call->trace_id);
    tr_buf_putc(&out, '-');
    tr_buf_put(&out, (tr_str){parent, sizeof(parent)});
    tr_buf_put(&out, TR_STR("-01"));
    return tr_buf_check(&out, NULL) == TR_OK;
}

void tr_call_record_unknown(struct tr_call *call, tr_str asked)
{
    struct tr_call_outcome outcome = {.status = TR_E_NOT_FOUND};
    call->activity.name = TR_STR(TR_PROV_UNKNOWN);
    call->activity.asked = tr_prov_asked(asked);
    tr_call_record_begin(call);
    if (tr_call_record_end(call, &outcome))
        tr_call_record_log(call, &outcome);
}

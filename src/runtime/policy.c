/*
 * The stage in which policies decide, one after the other, each in a call of
 * its own whose parent is the call that it decides on.
 */
#include "base/log.h"
#include "cap/cap.h"
#include "json/build.h"
#include "model/uri.h"
#include "query/named.h"
#include "runtime/call.h"
#include "runtime/env.h"
#include "runtime/names.h"
#include "runtime/outcome.h"
#include "runtime/stage.h"

/* A policy at work on the call that is its parent. */
struct judge {
    struct tr_call call; /* first: `decided` finds the judge by it */
    struct tr_call_door_ops door;
    size_t index; /* of policy_required */
};

static struct tr_json_member text(const char *key, tr_str value)
{
    return (struct tr_json_member){
        tr_json_make_text(TR_JSON_STRING, tr_str_from(key)),
        tr_json_make_text(TR_JSON_STRING, value)};
}

/* {"policy": name, "decision_id": the activity that the decision is} */
static const struct tr_json *decision(const struct judge *judge)
{
    struct tr_call *call = judge->call.parent;
    struct tr_json_member members[2];
    size_t count = 0;
    char *id = tr_arena_alloc(call->arena, TR_CRYPTO_UUID_TEXT);
    members[count++] = text("policy", judge->call.activity.name);
    if (id && judge->call.started_ns) {
        tr_crypto_uuid_write(judge->call.activity.id, id);
        members[count++] =
            text("decision_id", (tr_str){id, TR_CRYPTO_UUID_TEXT});
    }
    return tr_call_object(call, members, count);
}

/* What a policy says is for the caller; why it failed, for its author. */
static void deny(const struct judge *judge,
                 const struct tr_call_outcome *outcome)
{
    struct tr_call_outcome refusal = {.data = decision(judge)};
    tr_str name = judge->call.activity.name;
    struct tr_err err = outcome->err;
    const char *why = err.msg;
    bool has_failed = outcome->status != TR_E_POLICY;
    if (outcome->where.len)
        tr_err_prefix(&err, "%.*s", TR_FMT(outcome->where));
    if (has_failed)
        tr_log(TR_LOG_ERROR, "a policy failed", TR_LOG_TEXT("policy", name),
               TR_LOG_TEXT("error", tr_str_from(why)));
    if (has_failed && judge->call.parent->in_production)
        why = "";
    refusal.status = tr_fail(
        &refusal.err, TR_E_POLICY, "policy '%.*s' denies it%s%s%s",
        TR_FMT(name), has_failed ? ": it failed" : "", why[0] ? ": " : "", why);
    tr_call_finish(judge->call.parent, &refusal);
}

static void decided(struct tr_call *policy,
                    const struct tr_call_outcome *outcome);

/*
 * The IRI of the instance that a call is about. Callers may spell it in several
 * ways, and a policy must not be walked around by another spelling: when the
 * store cannot be asked, nothing is. One that is not there, or that is asked
 * for where there is no store, is called as it was.
 */
static tr_status find_id(struct tr_call *call, const struct tr_model_type *type,
                         tr_str *out, struct tr_err *err)
{
    const struct tr_json *id = tr_json_find(call->args, TR_STR("id"));
    struct tr_query_named node = {0};
    struct tr_graph_kg *kg = NULL;
    struct tr_graph_read_ctx ctx;
    *out = tr_json_is(id, TR_JSON_STRING) ? tr_json_text(id) : TR_STR("");
    if (!out->len || !tr_call_root(call)->env)
        return TR_OK;
    TR_TRY(tr_call_kg(call, &kg, err));
    TR_TRY(tr_graph_kg_enter(kg, &ctx, err));
    tr_status status = tr_query_named_find(&ctx, type, *out, &node, err);
    tr_graph_kg_leave(kg);
    if (node.iri.len)
        *out = node.iri;
    return status;
}

/*
 * {"principal", "kind", "name", "arguments"}; of a capability "capability" and
 * "version" too, of what belongs to a type "type", and "id" if it is about one
 * instance.
 */
static tr_status describe(struct tr_call *call, const struct tr_json **out,
                          struct tr_err *err)
{
    static const struct tr_json none = {.kind = TR_JSON_OBJECT};
    const struct tr_model_type *type = tr_call_guard(call)->type;
    tr_str kind = tr_str_skip(tr_str_from(tr_call_rules_of(call)->noun),
                              sizeof("a ") - 1);
    struct tr_json_member members[8];
    size_t count = 0;
    members[count++] = text("principal", call->principal);
    members[count++] = text("kind", kind);
    members[count++] =
        text("name", call->cap ? call->cap->id : call->activity.name);
    if (call->cap) {
        members[count++] = text("capability", call->cap->id);
        members[count++] = text("version", call->cap->version);
    }
    if (type) {
        tr_str id;
        TR_TRY(find_id(call, type, &id, err));
        members[count++] = text("type", type->name);
        if (id.len)
            members[count++] = text("id", id);
    }
    members[count++] = (struct tr_json_member){
        tr_json_make_text(TR_JSON_STRING, TR_STR("arguments")),
        call->args ? *call->args : none};
    *out = tr_call_object(call, members, count);
    return *out ? TR_OK : tr_fail(err, TR_E_NOMEM, "no memory for a policy");
}

static tr_status make_judge(struct tr_call *call, size_t index,
                            struct judge **out, struct tr_err *err)
{
    const struct tr_cap_policy *policy = tr_call_guard(call)->policies[index];
    struct judge *judge = TR_NEW(call->arena, struct judge);
    const struct tr_json *args = NULL;
    TR_TRY(describe(call, &args, err));
    if (!judge)
        return tr_fail(err, TR_E_NOMEM, "no memory for a policy");
    judge->index = index;
    judge->door = *call->door;
    judge->door.finished = decided;
    judge->call = (struct tr_call){
        .loop = call->loop,
        .arena = call->arena,
        .snapshot = call->snapshot,
        .handler = &policy->handler,
        .kind = TR_CALL_POLICY,
        .args = args,
        .principal = call->principal,
        .authority = call->authority,
        .in_production = call->in_production,
        .trace_id = call->trace_id,
        .client = call->client,
        .door = &judge->door,
        .door_data = call->door_data,
        .parent = call,
        .decides_only = true,
        .deadline_ms = call->deadline_ms,
        .activity = {.name = policy->name},
    };
    *out = judge;
    return TR_OK;
}

static enum tr_call_passage ask(struct tr_call *call, size_t index,
                                struct tr_call_outcome *refusal)
{
    struct judge *judge = NULL;
    refusal->status = make_judge(call, index, &judge, &refusal->err);
    if (refusal->status != TR_OK)
        return TR_CALL_REFUSED;
    call->child = &judge->call;
    tr_call_invoke(&judge->call);
    return TR_CALL_TAKEN;
}

/* A policy has decided, perhaps before `ask` returns. */
static void decided(struct tr_call *policy,
                    const struct tr_call_outcome *outcome)
{
    const struct judge *judge = (const struct judge *)(void *)policy;
    struct tr_call *call = policy->parent;
    size_t next = judge->index + 1;
    struct tr_call_outcome refusal = {0};
    call->child = NULL;
    if (tr_call_is_stopped(call))
        tr_call_next(call);
    else if (!tr_call_outcome_is_success(outcome))
        deny(judge, outcome);
    else if (next == tr_call_guard(call)->policy_required.count)
        tr_call_next(call);
    else if (ask(call, next, &refusal) == TR_CALL_REFUSED)
        tr_call_finish(call, &refusal);
}

/* A policy sees the arguments as the handler will: another spelling must not
 * lead around it. */
enum tr_call_passage tr_call_stage_policies(struct tr_call *call,
                                            struct tr_call_outcome *refusal)
{
    if (call->cap)
        refusal->status = tr_call_spell_out(call, call->args, NULL, &call->args,
                                            &refusal->err);
    if (refusal->status != TR_OK)
        return TR_CALL_REFUSED;
    return ask(call, 0, refusal);
}

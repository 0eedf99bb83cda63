/*
 * The stage that asks whether the caller has the scopes that a call needs.
 */
#include "access/authority.h"
#include "cap/cap.h"
#include "json/build.h"
#include "runtime/outcome.h"
#include "runtime/stage.h"

static struct tr_json text(const char *value)
{
    return tr_json_make_text(TR_JSON_STRING, tr_str_from(value));
}

/* What a caller wanted, as it asked for it. */
static tr_str name_of(const struct tr_call *call)
{
    const struct tr_json *uri = tr_json_find(call->args, TR_STR("uri"));
    if (call->cap)
        return call->cap->name;
    return call->kind == TR_CALL_RESOURCE && uri ? tr_json_text(uri)
                                                 : call->activity.name;
}

const struct tr_cap_guard *tr_call_guard(const struct tr_call *call)
{
    return tr_call_guard_at_once(call);
}

unsigned tr_call_scopes(const struct tr_call *call)
{
    return call->authority
               ? tr_access_decide_all(call->authority, call->in_production)
               : 0;
}

/* Makes the data of a refusal, which is NULL when there is no memory for it. */
static const struct tr_json *make_data(const struct tr_call *call,
                                       enum tr_scope scope, bool with_scopes)
{
    struct tr_json scopes[TR_SCOPE_COUNT];
    size_t count = 0;
    for (size_t i = 0; i < TR_SCOPE_COUNT; i++) {
        if (call->authority->scopes & tr_scopes_sorted[i])
            scopes[count++] = text(tr_scope_name(tr_scopes_sorted[i]));
    }
    struct tr_json_member members[] = {
        {text(tr_call_rules_of(call)->key),
         tr_json_make_text(TR_JSON_STRING, name_of(call))},
        {text("required_scope"), text(tr_scope_name(scope))},
        {text("caller_scopes"), {0}},
    };
    if (!tr_json_make_array(call->arena, scopes, count, &members[2].value))
        return NULL;
    return tr_call_object(call, members, with_scopes ? 3 : 2);
}

bool tr_call_has_scope(const struct tr_call *call, enum tr_scope scope)
{
    return call->authority &&
           tr_access_decide(call->authority, scope, call->in_production) ==
               TR_ACCESS_ALLOWED;
}

/*
 * TR_OK, or a refusal: TR_E_UNAUTHENTICATED with {tool, required_scope},
 * TR_E_SCOPE with {tool, required_scope, caller_scopes} (contract C1, C46);
 * what is no tool is called by the key of its kind.
 */
static tr_status authorise(const struct tr_call *call, enum tr_scope scope,
                           struct tr_call_outcome *refusal)
{
    enum tr_access_verdict verdict =
        tr_access_decide(call->authority, scope, call->in_production);
    if (verdict == TR_ACCESS_ALLOWED)
        return TR_OK;
    bool is_denied = verdict == TR_ACCESS_SCOPE_DENIED;
    refusal->data = make_data(call, scope, is_denied);
    refusal->status =
        tr_fail(&refusal->err, is_denied ? TR_E_SCOPE : TR_E_UNAUTHENTICATED,
                "%s: %.*s requires %s",
                is_denied ? "scope denied" : "authentication required",
                TR_FMT(name_of(call)), tr_scope_name(scope));
    return refusal->status;
}

static enum tr_call_passage refuse(struct tr_call_outcome *refusal,
                                   tr_status status, const char *why)
{
    refusal->status = tr_fail(&refusal->err, status, "%s", why);
    return TR_CALL_REFUSED;
}

/* A door that forgot to say what it opens opens nothing. */
static bool is_whole(const struct tr_call *call)
{
    bool has_cap =
        call->kind == TR_CALL_CAPABILITY || call->kind == TR_CALL_META;
    return has_cap == (call->cap != NULL) &&
           (!has_cap || call->cap->is_meta == (call->kind == TR_CALL_META)) &&
           tr_call_guard(call);
}

/*
 * Its own scope comes first. Those of preconditions are asked for here too: who
 * is not shown a tool is not told what is wrong with its arguments either.
 */
static tr_status pass_guard(const struct tr_call *call,
                            const struct tr_cap_guard *guard,
                            struct tr_call_outcome *refusal)
{
    unsigned others = guard->needed & ~(unsigned)guard->scope;
    if (guard->scope)
        TR_TRY(authorise(call, guard->scope, refusal));
    for (size_t i = 0; others && i < TR_SCOPE_COUNT; i++) {
        if (others & tr_scopes_sorted[i])
            TR_TRY(authorise(call, tr_scopes_sorted[i], refusal));
    }
    return TR_OK;
}

/* No authority is no access: each door brings one, also for nobody. */
enum tr_call_passage tr_call_stage_authorise(struct tr_call *call,
                                             struct tr_call_outcome *refusal)
{
    if (!is_whole(call))
        return refuse(refusal, TR_E_INTERNAL,
                      "a call does not say what it is of");
    if (!call->authority)
        return refuse(refusal, TR_E_UNAUTHENTICATED,
                      "authentication required: nobody stands for this call");
    return pass_guard(call, tr_call_guard(call), refusal) == TR_OK
               ? TR_CALL_PASSED
               : TR_CALL_REFUSED;
}

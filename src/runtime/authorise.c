#include "runtime/authorise.h"

#include "access/authority.h"
#include "cap/cap.h"
#include "json/build.h"
#include "runtime/outcome.h"
#include "runtime/stage.h"

static struct tr_json text(const char *value)
{
    return tr_json_make_text(TR_JSON_STRING, tr_str_from(value));
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
        {text("tool"), tr_json_make_text(TR_JSON_STRING, call->cap->name)},
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

tr_status tr_call_authorise(const struct tr_call *call, enum tr_scope scope,
                            struct tr_call_outcome *refusal)
{
    const struct tr_cap *cap = call->cap;
    enum tr_access_verdict verdict =
        call->authority
            ? tr_access_decide(call->authority, scope, call->in_production)
            : TR_ACCESS_ALLOWED;
    if (verdict == TR_ACCESS_ALLOWED)
        return TR_OK;
    bool is_denied = verdict == TR_ACCESS_SCOPE_DENIED;
    refusal->data = make_data(call, scope, is_denied);
    refusal->status =
        tr_fail(&refusal->err, is_denied ? TR_E_SCOPE : TR_E_UNAUTHENTICATED,
                "%s: %.*s requires %s",
                is_denied ? "scope denied" : "authentication required",
                TR_FMT(cap->name), tr_scope_name(scope));
    return refusal->status;
}

enum tr_call_passage tr_call_stage_authorise(struct tr_call *call,
                                             struct tr_call_outcome *refusal)
{
    return tr_call_authorise(call, call->cap->scope, refusal) == TR_OK
               ? TR_CALL_PASSED
               : TR_CALL_REFUSED;
}

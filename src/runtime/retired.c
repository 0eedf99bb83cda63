/*
 * The stage that refuses a capability which its author has retired. Who may not
 * call it has been refused before, and does not learn that there was one.
 */
#include "cap/cap.h"
#include "json/build.h"
#include "runtime/outcome.h"
#include "runtime/stage.h"

static struct tr_json_member member_of(const char *key, tr_str value)
{
    return (struct tr_json_member){
        tr_json_make_text(TR_JSON_STRING, tr_str_from(key)),
        tr_json_make_text(TR_JSON_STRING, value)};
}

enum tr_call_passage tr_call_stage_retired(struct tr_call *call,
                                           struct tr_call_outcome *refusal)
{
    const struct tr_cap *cap = call->cap;
    const struct tr_cap *successor = cap->successor;
    struct tr_json_member members[2] = {member_of("reason", TR_STR("retired"))};
    if (successor)
        members[1] = member_of("use", successor->id);
    refusal->data = tr_call_object(call, members, successor ? 2 : 1);
    refusal->status = tr_fail(
        &refusal->err, TR_E_INVALID, "%.*s is retired%s%.*s", TR_FMT(cap->name),
        successor ? ": use " : "", successor ? (int)successor->name.len : 0,
        successor ? successor->name.ptr : "");
    return TR_CALL_REFUSED;
}

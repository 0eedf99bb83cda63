#include "runtime/land.h"

#include "base/limits.h"
#include "json/build.h"
#include "json/reader.h"
#include "loop/loop.h"
#include "prov/writer.h"
#include "runtime/again.h"
#include "runtime/env.h"
#include "runtime/idempotency.h"
#include "runtime/names.h"
#include "runtime/outcome.h"
#include "runtime/record.h"
#include "runtime/stage.h"

/* What the writer is given of a call whose handler has ended. */
struct commit {
    struct tr_graph_store_write request; /* first: what the writer hands back */
    struct tr_call *call;
    struct tr_call_outcome outcome;   /* of the call, if it lands */
    struct tr_prov_activity activity; /* lands too, if `is_recorded` */
    bool is_recorded;
    struct tr_graph_changeset nothing; /* of a call that has changed nothing */
};

/* When it did not land. ----------------------------------------------------*/

/* {"fields": [...]}: the writer's words as a tree. */
static const struct tr_json *fields_data(const struct commit *commit)
{
    struct tr_call *call = commit->call;
    const struct tr_json *fields = NULL;
    struct tr_json_member member = {
        .key = tr_json_make_text(TR_JSON_STRING, TR_STR("fields"))};
    if (tr_json_read(call->arena, commit->request.landing.fields, NULL, &fields,
                     NULL) != TR_OK)
        return NULL;
    member.value = *fields;
    return tr_call_object(call, &member, 1);
}

static void explain_fields(const struct commit *commit,
                           struct tr_call_outcome *out)
{
    tr_str needed = {0};
    tr_call_outcome_set_fields(
        out, tr_call_tell_landing(commit->call, fields_data(commit), &needed));
    if (!needed.len)
        return;
    (void)tr_fail(&out->err, out->status, "%.*s", TR_FMT(needed));
    out->says_all = true;
}

static void explain(const struct commit *commit, struct tr_call_outcome *out)
{
    const struct tr_db_write *write = &commit->request.write;
    *out = (struct tr_call_outcome){.status = write->status, .err = write->err};
    if (out->status == TR_E_VALIDATION)
        explain_fields(commit, out);
    if (out->status != TR_E_CONFLICT)
        return;
    tr_call_say_read_again(commit->call, &out->err);
    out->data = tr_call_reason(commit->call, TR_STR("conflict"));
}

/* On the writer's thread. --------------------------------------------------*/

/*
 * Picks the ids of nodes that were deleted, or of those that were not. The
 * arena is the writer's.
 */
static tr_status pick(const struct tr_graph_landing *landing, bool deleted,
                      struct tr_prov_activity_ids *out, struct tr_err *err)
{
    size_t room = landing->touched.count < TR_LIMIT_PROV_IDS
                      ? landing->touched.count
                      : TR_LIMIT_PROV_IDS;
    uint64_t *ids = TR_NEW_ARRAY(landing->arena, uint64_t, room);
    if (!ids)
        return tr_fail(err, TR_E_NOMEM, "no memory for provenance");
    *out = (struct tr_prov_activity_ids){.items = ids};
    for (size_t i = 0; i < landing->touched.count; i++) {
        const struct tr_graph_touched *node = &landing->touched.items[i];
        if ((node->change == TR_GRAPH_NODE_DELETED) != deleted)
            continue;
        if (out->count < room)
            ids[out->count++] = node->subject;
        else
            out->left_out++;
    }
    return TR_OK;
}

/*
 * The activity lands in the transaction of the changes, so that neither is
 * there without the other.
 */
static tr_status write_activity(struct commit *commit, struct tr_db *db,
                                struct tr_err *err)
{
    const struct tr_graph_store_write *request = &commit->request;
    struct tr_prov_activity *activity = &commit->activity;
    TR_TRY(pick(&request->landing, false, &activity->generated, err));
    TR_TRY(pick(&request->landing, true, &activity->invalidated, err));
    return tr_prov_write(tr_graph_store_prov(request->store), db, activity,
                         err);
}

static tr_status admit(struct tr_graph_store_write *request, struct tr_db *db,
                       struct tr_err *err)
{
    const struct commit *commit = (const struct commit *)(void *)request;
    return tr_call_idempotency_admit(commit->call->idempotency, db,
                                     request->landing.arena, err);
}

static tr_status landed(struct tr_graph_store_write *request, struct tr_db *db,
                        struct tr_err *err)
{
    struct commit *commit = (struct commit *)(void *)request;
    const struct tr_call *call = commit->call;
    if (commit->is_recorded)
        TR_TRY(write_activity(commit, db, err));
    return call->idempotency
               ? tr_call_idempotency_keep(call->idempotency, db, err)
               : TR_OK;
}

static void raced(struct tr_graph_store_write *request)
{
    const struct commit *commit = (const struct commit *)(void *)request;
    tr_call_lost_race(commit->call, &request->landing.race);
}

/* On the loop. -------------------------------------------------------------*/

static void on_written(struct tr_db_write *write)
{
    struct commit *commit = (struct commit *)(void *)write;
    struct tr_call *call = commit->call;
    struct tr_loop *loop = call->loop;
    struct tr_call_outcome outcome = commit->outcome;
    bool has_landed = write->status == TR_OK;
    if (!has_landed && call->idempotency && call->idempotency->found.result.ptr)
        tr_call_idempotency_replay(call, &outcome);
    else if (!has_landed && tr_call_repeat(call)) {
        tr_loop_release(loop);
        return;
    } else if (!has_landed)
        explain(commit, &outcome);
    call->is_recorded = has_landed && commit->is_recorded;
    tr_call_end(call, &outcome);
    tr_loop_release(loop);
}

static bool has_changes(const struct tr_call *call)
{
    return call->kg && !tr_graph_changeset_is_empty(&call->kg->changes);
}

static void fill_landing(struct tr_call *call,
                         struct tr_graph_store_write *request)
{
    request->landing.changes = &call->kg->changes;
    request->landing.model = call->kg->model;
    request->raced = raced;
    tr_call_respect_rivals(call, &request->landing);
    request->landing.may = tr_call_may_land;
    request->landing.face = tr_call_face(call);
}

/*
 * The activity of a call that changed nothing goes to the log instead, as that
 * of any read; of one that has changed files it is kept as that of a write.
 */
static void fill(struct commit *commit)
{
    struct tr_call *call = commit->call;
    struct tr_graph_store_write *request = &commit->request;
    request->write.loop = call->loop;
    request->write.done = on_written;
    request->landed = landed;
    request->admit = call->idempotency ? admit : NULL;
    request->landing.arena = call->arena;
    request->landing.changes = &commit->nothing;
    if (has_changes(call))
        fill_landing(call, request);
    else if (!call->activity.wrote)
        return;
    commit->is_recorded = tr_call_record_end(call, &commit->outcome);
    commit->activity = call->activity;
    commit->activity.wrote = true;
}

static tr_status submit(struct tr_call *call,
                        const struct tr_call_outcome *outcome,
                        struct tr_err *err)
{
    struct commit *commit = TR_NEW(call->arena, struct commit);
    if (!commit)
        return tr_fail(err, TR_E_NOMEM, "no memory to land changes");
    if (call->idempotency)
        TR_TRY(tr_call_idempotency_write(call, outcome, err));
    commit->call = call;
    commit->outcome = *outcome;
    fill(commit);
    return tr_graph_store_submit(call->env->store, &commit->request, err);
}

bool tr_call_land(struct tr_call *call, const struct tr_call_outcome *outcome,
                  struct tr_call_outcome *failure)
{
    if (call->parent || !tr_call_outcome_is_success(outcome) ||
        (!has_changes(call) && !call->idempotency && !call->activity.wrote))
        return false;
    failure->status = submit(call, outcome, &failure->err);
    if (failure->status != TR_OK)
        return false;
    call->state = TR_CALL_LANDING;
    tr_loop_hold(call->loop);
    return true;
}

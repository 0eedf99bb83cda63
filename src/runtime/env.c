#include "runtime/env.h"

#include "base/limits.h"
#include "cap/snapshot.h"
#include "json/build.h"
#include "json/reader.h"
#include "loop/loop.h"
#include "prov/writer.h"
#include "runtime/idempotency.h"
#include "runtime/record.h"
#include "runtime/stage.h"

/* The clock of the loop, which tests can step. */
static uint64_t unix_ms(const struct tr_loop *loop)
{
    tr_time now = tr_loop_wall(loop);
    return (uint64_t)now.seconds * 1000 + (uint64_t)now.nanos / 1000000;
}

tr_status tr_call_kg(struct tr_call *call, struct tr_kg **out,
                     struct tr_err *err)
{
    struct tr_call *root = tr_call_root(call);
    const struct tr_call_env *env = root->env;
    if (!root->kg) {
        const struct tr_model *model =
            root->snapshot ? tr_snapshot_model(root->snapshot) : NULL;
        if (!env || !model)
            return tr_fail(err, TR_E_UNSUPPORTED,
                           "there is no graph behind this call");
        root->kg = TR_NEW(root->arena, struct tr_kg);
        if (!root->kg)
            return tr_fail(err, TR_E_NOMEM, "no memory for the graph");
        tr_kg_init(root->kg, env->reader, model, root->arena);
        root->kg->now_ms = unix_ms(root->loop);
    }
    *out = root->kg;
    return TR_OK;
}

void tr_call_release_kg(struct tr_call *call)
{
    if (call->kg && !call->parent)
        tr_kg_done(call->kg);
    call->kg = NULL;
}

/* A call whose handler has ended and whose changes are with the writer. */
struct landing {
    struct tr_store_write write;
    struct tr_call *call;
    struct tr_outcome outcome;   /* when it lands */
    struct tr_activity activity; /* lands with it, when it is recorded */
    bool is_recorded;
    struct tr_changeset nothing; /* of a call that has changed nothing */
};

/* {"fields": [...]}: the writer's words as a tree. */
static const struct tr_json *fields_data(const struct landing *landing)
{
    struct tr_arena *arena = landing->call->arena;
    const struct tr_json *fields = NULL;
    struct tr_json *data = TR_NEW(arena, struct tr_json);
    struct tr_json_member member = {
        .key = tr_json_make_text(TR_JSON_STRING, TR_STR("fields"))};
    if (!data || tr_json_read(arena, landing->write.landing.fields, NULL,
                              &fields, NULL) != TR_OK)
        return NULL;
    member.value = *fields;
    return tr_json_make_object(arena, &member, 1, data) ? data : NULL;
}

static bool is_same(const struct tr_json *a, const struct tr_json *b,
                    tr_str key)
{
    return tr_str_eq(tr_json_text(tr_json_find(a, key)),
                     tr_json_text(tr_json_find(b, key)));
}

/* A field of a node counts once, whatever is wrong with it. */
static size_t count_fields(const struct tr_json *fields)
{
    size_t count = 0;
    for (size_t i = 0; fields && i < fields->len; i++) {
        const struct tr_json *item = &fields->as.items[i];
        size_t before = 0;
        while (before < i &&
               !(is_same(item, &fields->as.items[before], TR_STR("field")) &&
                 is_same(item, &fields->as.items[before], TR_STR("node"))))
            before++;
        count += before == i;
    }
    return count;
}

static void explain_fields(const struct landing *landing,
                           struct tr_outcome *out)
{
    out->data = fields_data(landing);
    if (!out->data)
        return;
    size_t count = count_fields(tr_json_find(out->data, TR_STR("fields")));
    (void)tr_fail(&out->err, TR_E_VALIDATION,
                  "validation failed on %zu field(s)", count);
}

static void explain(const struct landing *landing, struct tr_outcome *out)
{
    *out = (struct tr_outcome){.status = landing->write.write.status,
                               .err = landing->write.write.err};
    if (out->status == TR_E_VALIDATION)
        explain_fields(landing, out);
    else if (out->status == TR_E_CONFLICT)
        out->data = tr_call_reason(landing->call, TR_STR("conflict"));
}

/* The ids of nodes that met one of the two fates; the arena is the writer's. */
static tr_status pick(const struct tr_landing *landing, bool deleted,
                      struct tr_activity_ids *out, struct tr_err *err)
{
    size_t room = landing->touched.count < TR_LIMIT_PROV_IDS
                      ? landing->touched.count
                      : TR_LIMIT_PROV_IDS;
    uint64_t *ids = TR_NEW_ARRAY(landing->arena, uint64_t, room);
    if (!ids)
        return tr_fail(err, TR_E_NOMEM, "no memory for provenance");
    *out = (struct tr_activity_ids){.items = ids};
    for (size_t i = 0; i < landing->touched.count; i++) {
        const struct tr_touched *node = &landing->touched.items[i];
        if ((node->fate == TR_DELETED) != deleted)
            continue;
        if (out->count < room)
            ids[out->count++] = node->subject;
        else
            out->left_out++;
    }
    return TR_OK;
}

/* On the writer's thread: who wrote lands with what was written. */
static tr_status record(struct landing *landing, struct tr_db *db,
                        struct tr_err *err)
{
    struct tr_store_write *write = &landing->write;
    struct tr_activity *activity = &landing->activity;
    TR_TRY(pick(&write->landing, false, &activity->generated, err));
    TR_TRY(pick(&write->landing, true, &activity->invalidated, err));
    return tr_prov_write(tr_store_prov(write->store), db, activity, err);
}

static tr_status admit(struct tr_store_write *write, struct tr_db *db,
                       struct tr_err *err)
{
    const struct landing *landing = (const struct landing *)(void *)write;
    return tr_call_idempotency_admit(landing->call->idempotency, db,
                                     write->landing.arena, err);
}

static tr_status landed(struct tr_store_write *write, struct tr_db *db,
                        struct tr_err *err)
{
    struct landing *landing = (struct landing *)(void *)write;
    if (landing->is_recorded)
        TR_TRY(record(landing, db, err));
    return landing->call->idempotency
               ? tr_call_idempotency_keep(landing->call->idempotency, db, err)
               : TR_OK;
}

static void on_landed(struct tr_write *write)
{
    struct landing *landing = (struct landing *)(void *)write;
    struct tr_call *call = landing->call;
    struct tr_loop *loop = call->loop;
    struct tr_outcome outcome = landing->outcome;
    bool has_landed = write->status == TR_OK;
    if (!has_landed && call->idempotency && call->idempotency->found.result.ptr)
        tr_call_idempotency_replay(call, &outcome);
    else if (!has_landed)
        explain(landing, &outcome);
    call->is_landing = false;
    tr_call_conclude(call, &outcome, has_landed && landing->is_recorded);
    tr_loop_release(loop);
}

static bool has_changes(const struct tr_call *call)
{
    return call->kg && !tr_changeset_is_empty(&call->kg->changes);
}

/* The activity of a call that changed nothing goes the way of all reads. */
static void fill(struct landing *landing, const struct tr_outcome *outcome)
{
    struct tr_call *call = landing->call;
    struct tr_landing *what = &landing->write.landing;
    what->arena = call->arena;
    what->changes = &landing->nothing;
    landing->write.landed = landed;
    landing->write.admit = call->idempotency ? admit : NULL;
    if (!has_changes(call))
        return;
    what->changes = &call->kg->changes;
    what->model = call->kg->model;
    landing->is_recorded = tr_record_end(call, outcome);
    landing->activity = call->activity;
    landing->activity.wrote = true;
}

static tr_status make_landing(struct tr_call *call,
                              const struct tr_outcome *outcome,
                              struct landing **out, struct tr_err *err)
{
    struct landing *landing = TR_NEW(call->arena, struct landing);
    if (!landing)
        return tr_fail(err, TR_E_NOMEM, "no memory to land changes");
    if (call->idempotency)
        TR_TRY(tr_call_idempotency_write(call, outcome, err));
    landing->call = call;
    landing->outcome = *outcome;
    landing->write.write.loop = call->loop;
    landing->write.write.done = on_landed;
    fill(landing, outcome);
    *out = landing;
    return TR_OK;
}

bool tr_call_land(struct tr_call *call, const struct tr_outcome *outcome,
                  struct tr_outcome *failure)
{
    bool is_wanted = outcome->status == TR_OK && !outcome->is_error;
    struct landing *landing = NULL;
    if (call->parent || !is_wanted ||
        (!has_changes(call) && !call->idempotency))
        return false;
    failure->status = make_landing(call, outcome, &landing, &failure->err);
    if (failure->status != TR_OK)
        return false;
    failure->status =
        tr_store_submit(call->env->store, &landing->write, &failure->err);
    if (failure->status != TR_OK)
        return false;
    call->is_landing = true;
    tr_loop_hold(call->loop);
    return true;
}

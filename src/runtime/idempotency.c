#include "runtime/idempotency.h"

#include "base/limits.h"
#include "cap/cap.h"
#include "fields/field.h"
#include "json/build.h"
#include "json/reader.h"
#include "json/writer.h"
#include "loop/loop.h"
#include "runtime/env.h"
#include "runtime/outcome.h"
#include "runtime/stage.h"
#include "schema/verbatim.h"

#define ARGUMENT TR_STR(TR_CAP_IDEMPOTENCY_KEY)

/* Which key. ---------------------------------------------------------------*/

static bool input_has(const struct tr_cap *cap, tr_str name)
{
    if (cap->input_schema)
        return tr_json_find(
                   tr_json_find(tr_schema_verbatim_tree(cap->input_schema),
                                TR_STR("properties")),
                   name) != NULL;
    return cap->input_shape && tr_shape_find(cap->input_shape, name);
}

/* The arguments without the member `name`. */
static const struct tr_json *without(const struct tr_call *call, tr_str name)
{
    const struct tr_json *args = call->args;
    struct tr_json_member *members =
        TR_NEW_ARRAY(call->arena, struct tr_json_member, args->len);
    size_t count = 0;
    if (!members)
        return NULL;
    for (size_t i = 0; i < args->len; i++) {
        if (!tr_str_eq(tr_json_text(&args->as.members[i].key), name))
            members[count++] = args->as.members[i];
    }
    return tr_call_object(call, members, count);
}

static bool is_key(const struct tr_json *given)
{
    return given->kind == TR_JSON_STRING && given->len &&
           given->len <= TR_LIMIT_IDEMPOTENCY_KEY_BYTES;
}

static tr_status take_key(struct tr_call *call, struct tr_err *err)
{
    const struct tr_json *given = call->given_idempotency_key;
    const struct tr_json *argument = tr_json_find(call->args, ARGUMENT);
    if (tr_json_is(given, TR_JSON_NULL))
        given = NULL;
    if (argument && !input_has(call->cap, ARGUMENT)) {
        given = given ? given : argument;
        call->args = without(call, ARGUMENT);
        if (!call->args)
            return tr_fail(err, TR_E_NOMEM, "no memory for the arguments");
    }
    if (tr_json_is(given, TR_JSON_NULL))
        given = NULL;
    if (given && !is_key(given))
        return tr_fail(err, TR_E_INVALID,
                       "an idempotency key is a text of 1 to %zu bytes",
                       TR_LIMIT_IDEMPOTENCY_KEY_BYTES);
    if (given)
        call->idempotency_key = tr_json_text(given);
    return TR_OK;
}

/*
 * Without a store nothing can be kept. What a handler invokes is a part of the
 * call that has the key, and keeps nothing itself.
 */
static bool can_be_kept(const struct tr_call *call)
{
    return call->env && !call->parent;
}

/*
 * Whoever brings a key counts on it: what would happen twice is refused, and
 * what only reads may be called again and again.
 */
static enum tr_call_passage pass_without(struct tr_call *call,
                                         struct tr_call_outcome *refusal)
{
    if (tr_cap_is_read_only(call->cap))
        return TR_CALL_PASSED;
    refusal->data = tr_call_reason(call, TR_STR("not_idempotent"));
    refusal->status =
        tr_fail(&refusal->err, TR_E_INVALID,
                "%.*s is not idempotent: call it without an idempotency key",
                TR_FMT(call->cap->name));
    return TR_CALL_REFUSED;
}

enum tr_call_passage
tr_call_stage_idempotency_argument(struct tr_call *call,
                                   struct tr_call_outcome *refusal)
{
    if (!call->cap->idempotent)
        return tr_json_is(call->given_idempotency_key, TR_JSON_NULL)
                   ? TR_CALL_PASSED
                   : pass_without(call, refusal);
    refusal->status = take_key(call, &refusal->err);
    if (refusal->status != TR_OK)
        return TR_CALL_REFUSED;
    if (call->idempotency_key.len && can_be_kept(call))
        tr_call_need(call, TR_CALL_STAGE_IDEMPOTENCY);
    return TR_CALL_PASSED;
}

/* What is kept. ------------------------------------------------------------*/

static void put_outcome(struct tr_json_writer *w, const struct tr_call *call,
                        const struct tr_call_outcome *outcome)
{
    char iri[TR_PROV_ACTIVITY_IRI];
    tr_jw_open(w, '{');
    tr_jw_maybe_value(w, "value", outcome->value);
    tr_jw_maybe_value(w, "content", outcome->content);
    tr_jw_maybe_value(w, "meta", outcome->meta);
    if (call->started_ns) {
        tr_prov_activity_iri(call->activity.id, iri);
        tr_jw_put_string(w, "activity", (tr_str){iri, sizeof(iri)});
    }
    tr_jw_close(w, '}');
}

tr_status tr_call_idempotency_write(struct tr_call *call,
                                    const struct tr_call_outcome *outcome,
                                    struct tr_err *err)
{
    struct tr_json_writer w;
    struct tr_buf text;
    tr_buf_init(&text, TR_LIMIT_IDEMPOTENCY_RESULT_BYTES);
    tr_jw_init(&w, &text);
    put_outcome(&w, call, outcome);
    tr_status status = tr_jw_finish(&w, err);
    if (status == TR_E_LIMIT)
        (void)tr_fail(err, status, "the result is too large to be kept");
    if (status == TR_OK && !tr_arena_copy(call->arena, tr_buf_str(&text),
                                          &call->idempotency->result))
        status = tr_fail(err, TR_E_NOMEM, "no memory to keep the result");
    tr_buf_done(&text);
    return status;
}

tr_status tr_call_idempotency_admit(struct tr_call_idempotency *idempotency,
                                    struct tr_db *db, struct tr_arena *arena,
                                    struct tr_err *err)
{
    TR_TRY(tr_prov_idempotency_find(db, &idempotency->turn.name,
                                    idempotency->now_s, arena,
                                    &idempotency->found, err));
    return idempotency->found.result.ptr
               ? tr_fail(err, TR_E_CONFLICT, "another was first")
               : TR_OK;
}

tr_status
tr_call_idempotency_keep(const struct tr_call_idempotency *idempotency,
                         struct tr_db *db, struct tr_err *err)
{
    const struct tr_prov_idempotency_result kept = {
        .name = idempotency->turn.name, .result = idempotency->result};
    return tr_prov_idempotency_put(db, &kept, idempotency->now_s, err);
}

static void refuse_other(const struct tr_call *call,
                         struct tr_call_outcome *out)
{
    out->data = tr_call_reason(call, TR_STR("idempotency_conflict"));
    out->status = tr_fail(&out->err, TR_E_CONFLICT,
                          "this idempotency key was used with other arguments");
}

/* {..., "dev.trails/replayed": the activity of the first call} */
static const struct tr_json *add_replayed(const struct tr_call *call,
                                          const struct tr_json *meta,
                                          const struct tr_json *activity)
{
    if (!activity)
        return meta;
    const struct tr_json_member replayed = {
        tr_json_make_text(TR_JSON_STRING, TR_STR("dev.trails/replayed")),
        *activity};
    return tr_call_add_meta(call, meta, &replayed, 1);
}

void tr_call_idempotency_replay(struct tr_call *call,
                                struct tr_call_outcome *out)
{
    const struct tr_call_idempotency *idempotency = call->idempotency;
    const struct tr_json *kept = NULL;
    *out = (struct tr_call_outcome){0};
    if (memcmp(idempotency->found.name.args, idempotency->turn.name.args,
               sizeof(idempotency->found.name.args)) != 0) {
        refuse_other(call, out);
        return;
    }
    out->status = tr_json_read(call->arena, idempotency->found.result, NULL,
                               &kept, &out->err);
    out->value = tr_json_find(kept, TR_STR("value"));
    out->structured = tr_call_structured(call, out->value);
    out->content = tr_json_find(kept, TR_STR("content"));
    out->meta = add_replayed(call, tr_json_find(kept, TR_STR("meta")),
                             tr_json_find(kept, TR_STR("activity")));
}

/* Whose turn it is. --------------------------------------------------------*/

/*
 * Enters the stage again, or ends a call that has to stop; it may be gone
 * afterwards.
 */
static void go_on(struct tr_call *call)
{
    struct tr_loop *loop = call->loop;
    call->state = TR_CALL_DECIDING;
    tr_call_need(call, TR_CALL_STAGE_IDEMPOTENCY);
    tr_call_next(call);
    tr_loop_release(loop);
}

static void on_woken(struct tr_call_idempotency_turn *turn)
{
    go_on(turn->data);
}

void tr_call_idempotency_give_up(struct tr_call *call)
{
    if (tr_call_idempotency_queue_give_up(call->env->idempotency_queue,
                                          &call->idempotency->turn))
        go_on(call);
}

/*
 * Looks into the store. The read begins here, so that it sees what was
 * committed while the call waited.
 */
static tr_status find(struct tr_call *call, struct tr_err *err)
{
    struct tr_graph_reader *reader = call->env->reader;
    struct tr_call_idempotency *idempotency = call->idempotency;
    TR_TRY(tr_graph_reader_begin(reader, err));
    tr_status status = tr_prov_idempotency_find(
        reader->db, &idempotency->turn.name, idempotency->now_s, call->arena,
        &idempotency->found, err);
    tr_graph_reader_end(reader);
    return status;
}

static enum tr_call_passage look_up(struct tr_call *call,
                                    struct tr_call_outcome *refusal)
{
    struct tr_call_outcome again = {0};
    refusal->status = find(call, &refusal->err);
    if (refusal->status != TR_OK)
        return TR_CALL_REFUSED;
    if (!call->idempotency->found.result.ptr)
        return TR_CALL_PASSED;
    tr_call_idempotency_replay(call, &again);
    tr_call_end(call, &again);
    return TR_CALL_TAKEN;
}

bool tr_call_idempotency_was_second(struct tr_call *call,
                                    struct tr_call_outcome *out)
{
    if (find(call, NULL) != TR_OK || !call->idempotency->found.result.ptr)
        return false;
    tr_call_idempotency_replay(call, out);
    return true;
}

static enum tr_call_passage enter(struct tr_call *call,
                                  struct tr_call_outcome *refusal)
{
    struct tr_call_idempotency_queue *queue = call->env->idempotency_queue;
    struct tr_call_idempotency_turn *turn = &call->idempotency->turn;
    switch (queue ? tr_call_idempotency_queue_enter(queue, turn)
                  : TR_CALL_IDEMPOTENCY_OURS) {
    case TR_CALL_IDEMPOTENCY_OURS:
        return look_up(call, refusal);
    case TR_CALL_IDEMPOTENCY_WAITS:
        call->state = TR_CALL_QUEUED;
        tr_loop_hold(call->loop);
        return TR_CALL_TAKEN;
    case TR_CALL_IDEMPOTENCY_NONE:
    case TR_CALL_IDEMPOTENCY_WOKEN:
        break;
    }
    refuse_other(call, refusal);
    return TR_CALL_REFUSED;
}

static tr_status begin(struct tr_call *call, struct tr_err *err)
{
    struct tr_call_idempotency *idempotency =
        TR_NEW(call->arena, struct tr_call_idempotency);
    if (!idempotency)
        return tr_fail(err, TR_E_NOMEM, "no memory for an idempotency key");
    TR_TRY(tr_prov_idempotency_name_make(call->principal, call->cap->id,
                                         call->idempotency_key, call->args,
                                         &idempotency->turn.name, err));
    idempotency->now_s = tr_loop_wall(call->loop).seconds;
    idempotency->turn.loop = call->loop;
    idempotency->turn.woken = on_woken;
    idempotency->turn.data = call;
    call->idempotency = idempotency;
    return TR_OK;
}

/* A call comes here again each time it has waited. */
enum tr_call_passage tr_call_stage_idempotency(struct tr_call *call,
                                               struct tr_call_outcome *refusal)
{
    if (!call->idempotency)
        refusal->status = begin(call, &refusal->err);
    return call->idempotency ? enter(call, refusal) : TR_CALL_REFUSED;
}

/*
 * The state is read without the lock: once it is OURS, only the call itself
 * changes it.
 */
void tr_call_idempotency_leave(struct tr_call *call)
{
    struct tr_call_idempotency *idempotency = call->idempotency;
    struct tr_call_idempotency_queue *queue = call->env->idempotency_queue;
    if (queue && idempotency->turn.state == TR_CALL_IDEMPOTENCY_OURS)
        tr_call_idempotency_queue_leave(queue, &idempotency->turn);
    call->idempotency = NULL;
}

#include "runtime/again.h"

#include "base/hash.h"
#include "cap/cap.h"
#include "cap/live.h"
#include "fields/error.h"
#include "fields/value.h"
#include "runtime/budget.h"
#include "runtime/process_turn.h"
#include "runtime/race_queue.h"
#include "runtime/stage.h"

/* How long to wait before another process is asked again. */
#define POLL_MS 1

/* What a call has from its first failure on. */
struct tr_call_again {
    struct tr_db_write write; /* first: what `done` gets */
    struct tr_call *call;
    struct tr_graph_race race; /* the latest */
    struct tr_call_race_turn turn;
    bool has_entered; /* since its latest failure */
    bool is_polling;  /* other processes */
    struct tr_loop_timer poll;
    struct tr_call_process_turn process;
};

bool tr_call_may_repeat(const struct tr_call *call)
{
    return call->env && !call->parent &&
           call->retried < tr_cap_snapshot_live(call->snapshot)->retries &&
           !call->has_acted && !call->replay &&
           tr_call_rules_of(call)->may_write;
}

/* A version that the caller gave. ------------------------------------------*/

static bool names_version(tr_str name)
{
    static const tr_str end = TR_STR_INIT("version");
    return name.len >= end.len &&
           tr_str_eq(tr_str_skip(name, name.len - end.len), end);
}

/* Whether the arguments have this number under a name that ends in `version`,
 * at whatever depth; they are as deep as a message may be. */
static bool has_version(const struct tr_json *args, int64_t version)
{
    int64_t given = 0;
    if (!args)
        return false;
    if (args->kind == TR_JSON_ARRAY)
        for (size_t i = 0; i < args->len; i++)
            if (has_version(&args->as.items[i], version))
                return true;
    if (args->kind != TR_JSON_OBJECT)
        return false;
    for (size_t i = 0; i < args->len; i++) {
        const struct tr_json_member *member = &args->as.members[i];
        if (names_version(tr_json_text(&member->key)) &&
            tr_json_i64(&member->value, &given) && given == version)
            return true;
        if (has_version(&member->value, version))
            return true;
    }
    return false;
}

static bool caller_gave(const struct tr_call *call,
                        const struct tr_graph_race *race)
{
    for (size_t i = 0; i < race->count; i++)
        if (race->rivals[i].version &&
            has_version(call->args, race->rivals[i].version))
            return true;
    return false;
}

/* Entering. ----------------------------------------------------------------*/

static bool is_taken(void *data, const uint64_t *key)
{
    const struct tr_call *call = data;
    return tr_call_race_queue_is_taken(
        call->env->race_queue, call->again ? &call->again->turn : NULL, key);
}

/* A call that cannot be run again lands if it can, whoever waits. */
void tr_call_respect_rivals(struct tr_call *call,
                            struct tr_graph_landing *landing)
{
    landing->since = call->kg->since;
    if (!call->env->race_queue || !tr_call_may_repeat(call))
        return;
    landing->is_taken = is_taken;
    landing->turns = call;
}

static int shared_file(const struct tr_call *call)
{
    return tr_graph_store_shared_file(call->env->store);
}

static void on_turn(struct tr_call_race_turn *turn);
static void on_poll(void *data);

static struct tr_call_again *make(struct tr_call *call)
{
    struct tr_call_again *again = TR_NEW(call->arena, struct tr_call_again);
    if (!again)
        return NULL;
    again->call = call;
    again->turn.loop = call->loop;
    again->turn.woken = on_turn;
    again->turn.data = call;
    return again;
}

static bool note_race(struct tr_call *call, const struct tr_graph_race *race)
{
    if (!tr_call_may_repeat(call) || caller_gave(call, race))
        return false;
    if (!call->again)
        call->again = make(call);
    if (!call->again)
        return false;
    call->again->race = *race;
    return true;
}

static void enter(struct tr_call_again *again)
{
    again->has_entered = true;
    if (again->call->env->race_queue)
        tr_call_race_queue_enter(again->call->env->race_queue, &again->turn,
                                 &again->race);
}

void tr_call_lost_race(struct tr_call *call, const struct tr_graph_race *race)
{
    if (note_race(call, race))
        enter(call->again);
}

/* The next try. ------------------------------------------------------------*/

/* The stages that look at what others may have changed; what the call holds,
 * it holds. */
static unsigned stages_again(const struct tr_call *call)
{
    const unsigned again = 1U << TR_CALL_STAGE_POLICIES |
                           1U << TR_CALL_STAGE_PRECONDITIONS |
                           1U << TR_CALL_STAGE_HANDLER;
    return tr_call_stages_of(call) & again;
}

static void run_again(struct tr_call *call)
{
    call->retried++;
    tr_call_release_kg(call);
    tr_call_round_repeat(call);
    call->journal.count = 0;
    call->journal_at = 0;
    call->notes_again = call->notes.count;
    call->refusal = NULL;
    call->host = NULL;
    call->host_data = NULL;
    call->used = (struct tr_call_used){0};
    call->again->has_entered = false;
    call->stages = stages_again(call);
    call->state = TR_CALL_DECIDING;
    tr_call_next(call);
}

/* Ends a call that has to stop; it may be gone afterwards. */
static void end_stopped(struct tr_call *call)
{
    call->state = TR_CALL_DECIDING;
    tr_call_next(call);
}

/* It is its turn in this process; now among processes. */
static void go_on(struct tr_call *call)
{
    struct tr_call_again *again = call->again;
    if (tr_call_is_stopped(call)) {
        end_stopped(call);
    } else if (tr_call_process_turn_take(&again->process, shared_file(call))) {
        run_again(call);
    } else {
        again->is_polling = true;
        call->state = TR_CALL_QUEUED;
        tr_loop_timer_init(&again->poll, call->loop, on_poll, call);
        tr_loop_timer_start(&again->poll, POLL_MS, 0);
    }
}

static void on_poll(void *data)
{
    struct tr_call *call = data;
    call->again->is_polling = false;
    go_on(call);
}

static void on_turn(struct tr_call_race_turn *turn)
{
    struct tr_call *call = turn->data;
    struct tr_loop *loop = call->loop;
    (void)tr_call_race_queue_await(call->env->race_queue, turn);
    go_on(call);
    tr_loop_release(loop);
}

/* Since its last try began its clock has stood still. */
static bool must_stop(struct tr_call *call)
{
    if (call->stop == TR_CALL_STOP_NONE)
        call->stop = call->late_stop;
    return tr_call_must_end(call, 0);
}

static void await_turn(struct tr_call *call)
{
    struct tr_call_again *again = call->again;
    tr_call_process_turn_leave(&again->process, shared_file(call));
    tr_call_process_turn_want(&again->process, &again->race);
    call->state = TR_CALL_DECIDING;
    if (must_stop(call)) {
        end_stopped(call);
        return;
    }
    tr_call_resume_clock(call);
    if (call->env->race_queue &&
        !tr_call_race_queue_await(call->env->race_queue, &again->turn)) {
        call->state = TR_CALL_QUEUED;
        tr_loop_hold(call->loop);
        return;
    }
    go_on(call);
}

bool tr_call_repeat(struct tr_call *call)
{
    if (!call->again || !call->again->has_entered)
        return false;
    await_turn(call);
    return true;
}

/* A handler that was refused at once. --------------------------------------*/

/* Whether that refusal is what the call ends with; its text may be hidden. */
static bool is_refusal(const struct tr_graph_kg *kg,
                       const struct tr_call_outcome *outcome)
{
    return kg->race.count && outcome->status == kg->raced.code &&
           (strcmp(outcome->err.msg, kg->raced.msg) == 0 ||
            strcmp(outcome->err.msg, TR_FIELD_HIDDEN) == 0);
}

/* On the writer's thread, so that all that has landed so far is committed when
 * the call reads again. */
static tr_status enter_in_writer(struct tr_db_write *write, struct tr_db *db,
                                 struct tr_err *err)
{
    (void)db;
    (void)err;
    enter((struct tr_call_again *)(void *)write);
    return TR_OK;
}

static void on_entered(struct tr_db_write *write)
{
    struct tr_call *call = ((struct tr_call_again *)(void *)write)->call;
    struct tr_loop *loop = call->loop;
    await_turn(call);
    tr_loop_release(loop);
}

bool tr_call_repeat_handler(struct tr_call *call,
                            const struct tr_call_outcome *outcome)
{
    if (!call->kg || !is_refusal(call->kg, outcome) ||
        !note_race(call, &call->kg->race))
        return false;
    struct tr_call_again *again = call->again;
    again->write = (struct tr_db_write){
        .run = enter_in_writer, .done = on_entered, .loop = call->loop};
    if (tr_db_writer_submit(tr_graph_store_writer(call->env->store),
                            &again->write, NULL) != TR_OK)
        return false;
    call->state = TR_CALL_LANDING;
    tr_loop_hold(call->loop);
    return true;
}

/* The end. -----------------------------------------------------------------*/

void tr_call_repeat_give_up(struct tr_call *call)
{
    struct tr_call_again *again = call->again;
    struct tr_loop *loop = call->loop;
    if (again->is_polling) {
        tr_loop_timer_stop(&again->poll);
        again->is_polling = false;
        end_stopped(call);
    } else if (tr_call_race_queue_leave(call->env->race_queue, &again->turn)) {
        end_stopped(call);
        tr_loop_release(loop);
    }
}

void tr_call_repeat_leave(struct tr_call *call)
{
    tr_call_process_turn_leave(&call->again->process, shared_file(call));
    if (call->env->race_queue)
        (void)tr_call_race_queue_leave(call->env->race_queue,
                                       &call->again->turn);
    call->again = NULL;
}

/* What the client is told once. --------------------------------------------*/

void tr_call_progress(struct tr_call *call, double progress,
                      const double *total, tr_str message)
{
    struct tr_call *root = tr_call_root(call);
    if (root->retried && root->has_progress && progress <= root->progress)
        return;
    if (!root->has_progress || progress > root->progress)
        root->progress = progress;
    root->has_progress = true;
    call->door->progress(call, progress, total, message);
}

/* Whether an earlier try has sent this line; each counts once. */
static bool was_noted(struct tr_call *root, uint64_t line)
{
    for (size_t i = 0; i < root->notes_again; i++) {
        if (root->notes.items[i] != line)
            continue;
        root->notes.items[i] = root->notes.items[--root->notes_again];
        root->notes.items[root->notes_again] = line;
        return true;
    }
    return false;
}

void tr_call_note(struct tr_call *call, enum tr_call_note_level level,
                  tr_str logger, const struct tr_json *data)
{
    struct tr_call *root = tr_call_root(call);
    if (tr_call_may_repeat(root) || root->retried) {
        uint64_t line = tr_hash_bytes(logger, (uint64_t)level);
        line = tr_field_value_hash(data, line);
        if (was_noted(root, line))
            return;
        if (root->notes.count < TR_LIMIT_NOTES_KEPT)
            (void)tr_vec_push(root->arena, &root->notes, line);
    }
    call->door->note(call, level, logger, data);
}

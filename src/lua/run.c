#include "lua/run.h"

#include "base/limits.h"
#include "cap/cap.h"
#include "lua/convert.h"
#include "lua/counts.h"
#include "lua/ctx.h"
#include "lua/fetch.h"
#include "lua/host.h"
#include "lua/outcome.h"
#include "lua/place.h"
#include "runtime/outcome.h"

static void drive(struct tr_lua_run *run, int arguments);

/* A coroutine of the app yields to its resume, which passes it on. */
bool tr_lua_run_passes(lua_State *L)
{
    struct tr_lua *lua = tr_lua_of(L);
    struct tr_lua_run *run = lua->running;
    if (!run || !lua_isyieldable(L))
        return false;
    if (run->thread.L == L)
        run->wait = TR_LUA_WAIT_TURN;
    else
        lua->is_pausing = true;
    return true;
}

bool tr_lua_run_pause_between(lua_State *L)
{
    struct tr_lua *lua = tr_lua_of(L);
    if (!lua->running || !tr_lua_turn_is_due(lua))
        return false;
    if (tr_lua_run_passes(L))
        return true;
    if (tr_lua_is_held(lua))
        tr_lua_raise_stop(L, TR_LUA_STOP_HELD);
    return false;
}

void tr_lua_run_must_wait(lua_State *L, const struct tr_lua_run *run,
                          const char *what)
{
    if (run->call->decides_only)
        (void)luaL_error(L, "%s cannot be used by a policy: it only looks",
                         what);
    if (run->thread.L == L && tr_lua_place_can_wait(L))
        return;
    (void)luaL_error(L,
                     "%s cannot wait here: call it from the handler itself, "
                     "not from a comparator, a callback of gsub, a metamethod "
                     "or a coroutine",
                     what);
}

int tr_lua_run_wait(lua_State *L, struct tr_lua_run *run, enum tr_lua_wait wait,
                    lua_KFunction then)
{
    run->wait = wait;
    run->is_resumed = false;
    run->refusal = NULL;
    return lua_yieldk(L, 0, (lua_KContext)run, then);
}

/* The body of a coroutine. -------------------------------------------------*/

/* The ctx must still be on a stack: after that Lua may have freed it. */
static void forget_ctx(struct tr_lua_run *run)
{
    if (run->ctx)
        *run->ctx = NULL;
    run->ctx = NULL;
}

static int leave(lua_State *L, int status, lua_KContext context)
{
    struct tr_lua_run *run = (struct tr_lua_run *)context;
    (void)status;
    if (run->transactions)
        return luaL_error(L, "a transaction has not ended: its function has "
                             "yielded, and nobody resumes it");
    tr_lua_outcome_read(L, run);
    forget_ctx(run);
    return 0;
}

/* `ctx` stays at the bottom of the stack: C refers to it until the end. */
static int enter(lua_State *L)
{
    struct tr_lua_run *run = lua_touserdata(L, 1);
    lua_settop(L, 0);
    tr_lua_ctx_push(L, run);
    lua_rawgeti(L, LUA_REGISTRYINDEX, run->lua->refs.handlers);
    lua_rawgeti(L, 2, (lua_Integer)run->handler->index + 1);
    lua_replace(L, 2);
    lua_pushvalue(L, 1);
    tr_lua_push_json(L, run->call->args);
    run->has_args = true;
    lua_pushvalue(L, -1);
    (void)lua_setiuservalue(L, 1, 1); /* ctx.args */
    int results = run->handler->kind == TR_LUA_POLICY ? 2 : 1;
    lua_callk(L, 2, results, (lua_KContext)run, leave);
    return leave(L, LUA_OK, (lua_KContext)run);
}

/* Coroutines are reused. ---------------------------------------------------*/

static int make_thread(lua_State *L)
{
    struct tr_lua_thread *thread = lua_touserdata(L, 1);
    lua_rawgeti(L, LUA_REGISTRYINDEX, tr_lua_of(L)->refs.threads);
    lua_State *made = lua_newthread(L);
    thread->ref = luaL_ref(L, -2);
    thread->L = made;
    tr_lua_hook_set(made);
    return 0;
}

static tr_status take_thread(struct tr_lua *lua, struct tr_lua_thread *thread,
                             struct tr_err *err)
{
    if (lua->idle_count == 0)
        return tr_lua_protect(lua, make_thread, thread, err);
    *thread = lua->idle[--lua->idle_count];
    return TR_OK;
}

/* A coroutine that did not come to its end cannot be used again. */
static void give_thread(struct tr_lua *lua, struct tr_lua_thread *thread,
                        bool is_clean)
{
    if (!thread->L)
        return;
    if (is_clean && lua->idle_count < TR_LUA_IDLE_THREADS) {
        lua_settop(thread->L, 0);
        tr_lua_hook_set(thread->L);
        lua->idle[lua->idle_count++] = *thread;
    } else {
        lua_rawgeti(lua->L, LUA_REGISTRYINDEX, lua->refs.threads);
        luaL_unref(lua->L, -1, thread->ref);
        lua_pop(lua->L, 1);
    }
    thread->L = NULL;
}

/* The end. -----------------------------------------------------------------*/

/*
 * Gives back whatever the call owns in the state. The call may be gone
 * afterwards.
 */
static void finish(struct tr_lua_run *run,
                   const struct tr_call_outcome *outcome, bool is_clean)
{
    struct tr_call *call = run->call;
    run->lua->runs--;
    tr_lua_fetch_done(run);
    tr_loop_timer_stop(&run->timer);
    if (run->root == run) { /* those it invoked share its budget */
        call->instructions += run->budget->instructions;
        call->ran_ns += run->budget->ran_ns;
    }
    forget_ctx(run);
    give_thread(run->lua, &run->thread, is_clean);
    tr_call_finish(call, outcome);
}

static void finish_cancelled(struct tr_lua_run *run)
{
    struct tr_call_outcome outcome = {0};
    outcome.status = tr_fail(&outcome.err, TR_E_CANCELLED, "cancelled");
    finish(run, &outcome, false);
}

/* Which of the two bounds of memory was reached. */
static enum tr_lua_stop_reason stop_reason(const struct tr_lua_run *run)
{
    if (run->budget->stop_reason != TR_LUA_STOP_MEMORY ||
        run->lua->lib.memory.exhausted || !run->lua->lib.memory.at_ceiling)
        return run->budget->stop_reason;
    run->lua->is_full = true;
    return TR_LUA_STOP_FULL;
}

/* A policy has less than the settings say. */
static void explain_stop(struct tr_lua_run *run, enum tr_lua_stop_reason reason,
                         struct tr_call_outcome *outcome)
{
    const char *setting = reason == TR_LUA_STOP_MEMORY         ? "call_bytes"
                          : reason == TR_LUA_STOP_TIME         ? "call_seconds"
                          : reason == TR_LUA_STOP_INSTRUCTIONS ? "instructions"
                                                               : NULL;
    if (setting && run->handler->kind != TR_LUA_POLICY)
        (void)tr_fail(&outcome->err, TR_E_LIMIT,
                      "the handler is over its %s budget, [lua] %s",
                      tr_lua_stop_text(reason).ptr, setting);
    tr_lua_outcome_place(run, outcome);
}

static void finish_stopped(struct tr_lua_run *run)
{
    struct tr_call_outcome outcome = {0};
    enum tr_lua_stop_reason reason = stop_reason(run);
    if (run->root == run) /* those it invoked share its budget */
        tr_lua_count_stop(run->lua, reason);
    outcome.status = tr_lua_stop_status(reason, run->lua->lib.memory.exhausted,
                                        &outcome.err);
    if (reason == TR_LUA_STOP_MEMORY && outcome.status == TR_E_LIMIT &&
        !run->has_args) /* nothing has run: they are the caller's */
        outcome.status =
            tr_fail(&outcome.err, TR_E_INVALID,
                    "the arguments need more memory than a call may have");
    if (outcome.status == TR_E_LIMIT) {
        explain_stop(run, reason, &outcome);
        outcome.data = tr_call_reason(run->call, tr_lua_stop_text(reason));
    }
    finish(run, &outcome, false);
}

static void finish_ended(struct tr_lua_run *run, int status)
{
    forget_ctx(run);
    if (run->budget->stop_reason == TR_LUA_STOP_NONE &&
        tr_lua_is_memory_error(run->thread.L, status))
        run->budget->stop_reason = TR_LUA_STOP_MEMORY;
    if (status == LUA_OK) {
        finish(run, run->outcome, true);
    } else if (run->budget->stop_reason != TR_LUA_STOP_NONE) {
        finish_stopped(run);
    } else {
        struct tr_call_outcome outcome = {0};
        tr_lua_outcome_of_error(run, &outcome);
        finish(run, &outcome, false);
    }
}

/* Running and waiting. -----------------------------------------------------*/

static int resume(struct tr_lua_run *run, int arguments)
{
    struct tr_lua *lua = run->lua;
    struct tr_lua_run *outer = lua->running;
    lua_State *outer_thread = lua->lib.memory.thread;
    int results = 0;

    lua->running = run;
    lua->lib.memory.thread = run->thread.L;
    struct tr_lua_budget *before = tr_lua_budget_enter(lua, run->budget);
    int status = lua_resume(run->thread.L, NULL, arguments, &results);
    tr_lua_budget_leave(lua, before);
    lua->lib.memory.thread = outer_thread;
    lua->running = outer;
    return status;
}

static void on_timer(void *data)
{
    tr_lua_run_go_on(data);
}

static void on_child(struct tr_call *parent, void *data,
                     const struct tr_call_outcome *outcome)
{
    struct tr_lua_run *run = data;
    struct tr_call_outcome *kept =
        TR_NEW(parent->arena, struct tr_call_outcome);
    if (kept)
        *kept = *outcome;
    run->child_outcome = kept;
    if (run->is_busy)
        run->is_resumed = true;
    else
        drive(run, 0);
}

static void refuse(struct tr_lua_run *run, const struct tr_err *err)
{
    run->refusal = TR_NEW(run->call->arena, struct tr_err);
    if (run->refusal)
        *run->refusal = *err;
    run->is_resumed = true;
}

static void begin_ask(struct tr_lua_run *run)
{
    struct tr_err err = {0};
    tr_call_root(run->call)->has_acted = true;
    switch (run->call->door->ask(run->call, run->asks, run->ask_count, &err)) {
    case TR_CALL_ASKED_ANSWERED:
        run->is_resumed = true;
        break;
    case TR_CALL_ASKED_WAITING:
        break;
    case TR_CALL_ASKED_REFUSED:
        refuse(run, &err);
        break;
    case TR_CALL_ASKED_ENDED: /* for the handlers above this one, too */
        tr_call_end_round(run->call);
        break;
    }
}

static void begin_child(struct tr_lua_run *run)
{
    struct tr_err err = {0};
    run->child.done = on_child;
    run->child.data = run;
    run->child_outcome = NULL;
    if (tr_call_invoke_child(run->call, &run->child, &err) != TR_OK)
        refuse(run, &err);
}

void tr_lua_run_go_on(struct tr_lua_run *run)
{
    run->lua->turn = 0;
    drive(run, 0);
}

static void begin_fetch(struct tr_lua_run *run)
{
    struct tr_err err = {0};
    if (tr_lua_fetch_begin(run, &err) != TR_OK)
        refuse(run, &err);
}

/* Begins what the coroutine waits for. */
static void begin_wait(struct tr_lua_run *run)
{
    switch (run->wait) {
    case TR_LUA_WAIT_TURN:
        tr_loop_timer_start(&run->timer, 0, 0);
        break;
    case TR_LUA_WAIT_SLEEP:
        tr_loop_timer_start(&run->timer, run->sleep_ms, 0);
        break;
    case TR_LUA_WAIT_ANSWERS:
        begin_ask(run);
        break;
    case TR_LUA_WAIT_CHILD:
        begin_child(run);
        break;
    case TR_LUA_WAIT_REPLY:
        begin_fetch(run);
        break;
    }
}

/*
 * What came at once would let a handler go on without end, when it waits for
 * one short thing after another: after some the loop has its turn.
 */
static void yield_to_loop(struct tr_lua_run *run)
{
    if (!run->is_resumed)
        return;
    run->lua->turn += TR_LIMIT_LUA_HOOK_OWN;
    if (run->lua->turn <= TR_LIMIT_LUA_TURN / 2)
        return;
    run->is_resumed = false;
    tr_loop_timer_start(&run->timer, 0, 0);
}

/* Runs until the handler ends or waits for something that is not there yet. */
static void drive(struct tr_lua_run *run, int arguments)
{
    struct tr_call *call = run->call;
    int status = LUA_YIELD;
    bool is_stopped = false;
    run->is_busy = true;
    do {
        run->is_resumed = false;
        if (tr_call_must_end(call, 0))
            break;
        status = resume(run, arguments);
        arguments = 0;
        is_stopped = run->budget->stop_reason != TR_LUA_STOP_NONE;
        if (status == LUA_YIELD && !is_stopped && !tr_call_must_end(call, 0))
            begin_wait(run);
        yield_to_loop(run);
    } while (status == LUA_YIELD && run->is_resumed && !is_stopped);
    run->is_busy = false;
    if (status == LUA_YIELD && is_stopped)
        finish_stopped(run);
    else if (status != LUA_YIELD)
        finish_ended(run, status);
    else if (tr_call_is_stopped(call) && !call->child)
        finish_cancelled(run);
}

static void on_resume(struct tr_call *call)
{
    struct tr_lua_run *run = call->host_data;
    if (run->is_busy) {
        run->is_resumed = true;
        return;
    }
    run->lua->turn = 0;
    drive(run, 0);
}

/* A handler that runs is stopped by its hook, which asks the call. */
static void on_cancel(struct tr_call *call)
{
    struct tr_lua_run *run = call->host_data;
    if (!run->is_busy)
        finish_cancelled(run);
}

static const struct tr_call_host_ops host_ops = {
    .resume = on_resume,
    .cancel = on_cancel,
};

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* A policy gets less: it has little to do, and a call waits for it. */
static struct tr_lua_limits limits_of(const struct tr_lua_run *run)
{
    struct tr_lua_limits limits = run->lua->limits;
    if (run->handler->kind != TR_LUA_POLICY)
        return limits;
    limits.instructions =
        least(limits.instructions, TR_LIMIT_POLICY_INSTRUCTIONS);
    limits.run_ms = least(limits.run_ms, TR_LIMIT_POLICY_RUN_MS);
    limits.call_bytes = least(limits.call_bytes, TR_LIMIT_POLICY_BYTES);
    return limits;
}

/* A call made by a handler of ours spends what that handler has left. */
static void find_family(struct tr_lua_run *run)
{
    const struct tr_call *parent = run->call->parent;
    struct tr_lua_run *above =
        parent && parent->host == &host_ops ? parent->host_data : NULL;
    run->root = run;
    run->budget = &run->own_budget;
    const struct tr_lua_limits limits = limits_of(run);
    tr_lua_budget_init(&run->own_budget, &limits);
    if (above && above->lua == run->lua) {
        run->parent = above;
        run->root = above->root;
        run->budget = above->budget;
    }
}

static tr_status prepare(struct tr_lua_run *run, struct tr_err *err)
{
    struct tr_call *call = run->call;
    TR_TRY(tr_lua_host_state(run->handler->host, call->loop, &run->lua, err));
    find_family(run);
    tr_loop_timer_init(&run->timer, call->loop, on_timer, run);
    return take_thread(run->lua, &run->thread, err);
}

static void finish_unstarted(struct tr_call *call, tr_status status,
                             const struct tr_err *err)
{
    struct tr_call_outcome outcome = {.status = status, .err = *err};
    tr_call_finish(call, &outcome);
}

void tr_lua_run_start(const struct tr_cap_handler *handler,
                      struct tr_call *call)
{
    struct tr_err err = {0};
    struct tr_lua_run *run = TR_NEW(call->arena, struct tr_lua_run);
    tr_status st = TR_OK;
    if (run) {
        run->call = call;
        run->handler = handler->data;
        st = prepare(run, &err);
    } else {
        st = tr_fail(&err, TR_E_NOMEM, "starting a handler");
    }
    if (st != TR_OK) {
        finish_unstarted(call, st, &err);
        return;
    }
    run->lua->runs++;
    call->host = &host_ops;
    call->host_data = run;
    if (!run->parent) /* else the handler above has the turn */
        run->lua->turn = 0;
    lua_pushcfunction(run->thread.L, enter);
    lua_pushlightuserdata(run->thread.L, run);
    drive(run, 1);
}

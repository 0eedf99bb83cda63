#include "lua/state.h"

#include "base/limits.h"
#include "base/time.h"
#include "loop/thread.h"
#include "lua/counts.h"
#include "lua/host.h"
#include "lua/run.h"
#include "lua/sandbox.h"

#define NS_PER_MS 1000000u

/*
 * How long a handler runs before others may, and how long is too long between
 * two calls of its hook.
 */
#define TURN_NS 50000u
#define SLOW_NS 1000000u

/*
 * The address is what a stopped call is unwound with: it needs no memory, and
 * means nothing else.
 */
static const char stop_mark = 0;

static struct tr_lua_limits with_defaults(const struct tr_lua_limits *given)
{
    struct tr_lua_limits limits = given ? *given : (struct tr_lua_limits){0};
    if (limits.instructions == 0)
        limits.instructions = TR_LIMIT_LUA_INSTRUCTIONS;
    if (limits.run_ms == 0)
        limits.run_ms = 1000 * TR_LIMIT_LUA_RUN_S;
    if (limits.call_bytes == 0)
        limits.call_bytes = TR_LIMIT_LUA_CALL_BYTES;
    if (limits.state_bytes == 0)
        limits.state_bytes = TR_LIMIT_LUA_STATE_BYTES;
    return limits;
}

void tr_lua_budget_init(struct tr_lua_budget *budget,
                        const struct tr_lua_limits *limits)
{
    *budget = (struct tr_lua_budget){
        .charge.max = limits->call_bytes,
        .max_instructions = limits->instructions,
        .max_run_ms = limits->run_ms,
    };
}

struct tr_lua_budget *tr_lua_budget_enter(struct tr_lua *lua,
                                          struct tr_lua_budget *budget)
{
    struct tr_lua_budget *before = lua->budget;
    lua->budget = budget;
    tr_lualib_memory_charge(&lua->lib.memory, &budget->charge);
    lua->lib.memory.exhausted = false;
    budget->since_ns = budget->looked_ns = tr_time_ticks_ns();
    return before;
}

void tr_lua_budget_leave(struct tr_lua *lua, struct tr_lua_budget *before)
{
    lua->budget->ran_ns += tr_time_ticks_ns() - lua->budget->since_ns;
    lua->budget = before;
    tr_lualib_memory_charge(&lua->lib.memory, before ? &before->charge : NULL);
    tr_lua_count_memory(lua);
}

/*
 * From now on every single instruction calls the hook and raises again, also in
 * __close functions.
 */
static void raise_mark(lua_State *L)
{
    lua_sethook(L, lua_gethook(L), LUA_MASKCOUNT, 1);
    lua_pushlightuserdata(L, (void *)&stop_mark);
    (void)lua_error(L);
}

static void note_stop(const struct tr_lua *lua, enum tr_lua_stop_reason reason)
{
    if (lua->budget && lua->budget->stop_reason == TR_LUA_STOP_NONE)
        lua->budget->stop_reason = reason;
}

void tr_lua_raise_stop(lua_State *L, enum tr_lua_stop_reason reason)
{
    note_stop(tr_lua_of(L), reason);
    if (tr_lua_must_stop(L) && lua_isyieldable(L))
        (void)lua_yield(L, 0);
    raise_mark(L);
    abort(); /* not reached: neither of them returns */
}

/* The same in a hook, from where lua_yield returns and the caller must, too. */
static void stop_in_hook(lua_State *L, enum tr_lua_stop_reason reason)
{
    note_stop(tr_lua_of(L), reason);
    if (lua_isyieldable(L))
        (void)lua_yield(L, 0);
    else
        raise_mark(L);
}

/* A process that is told to end does not wait for the end of app.lua. */
static bool is_unwanted(const struct tr_lua *lua)
{
    const struct tr_lua_counts *counts = lua->host->counts;
    return tr_loop_thread_is_told_to_end() ||
           (counts && atomic_load(&counts->is_ending));
}

static enum tr_lua_stop_reason find_stop_reason(const struct tr_lua *lua)
{
    const struct tr_lua_budget *budget = lua->budget;
    uint64_t running_ns = tr_time_ticks_ns() - budget->since_ns;
    if (budget->stop_reason != TR_LUA_STOP_NONE)
        return budget->stop_reason;
    if (lua->running &&
        tr_call_must_end(lua->running->call, running_ns / NS_PER_MS))
        return TR_LUA_STOP_CANCELLED;
    if (lua->load && is_unwanted(lua))
        return TR_LUA_STOP_CANCELLED;
    if (budget->instructions > budget->max_instructions)
        return TR_LUA_STOP_INSTRUCTIONS;
    if ((budget->ran_ns + running_ns) / NS_PER_MS > budget->max_run_ms)
        return TR_LUA_STOP_TIME;
    return TR_LUA_STOP_NONE;
}

static enum tr_lua_stop_reason spend(lua_State *L, uint64_t instructions)
{
    struct tr_lua *lua = tr_lua_of(L);
    if (!lua->budget)
        return TR_LUA_STOP_NONE;
    lua->budget->instructions += instructions;
    lua->turn += instructions;
    return find_stop_reason(lua);
}

/*
 * Work of C is added up; when it is as much as the hook waits for, the next
 * instruction calls the hook.
 */
void tr_lua_spend(lua_State *L, uint64_t instructions)
{
    struct tr_lua *lua = tr_lua_of(L);
    if (instructions < 64) /* less than what the call of C costs anyway */
        return;
    enum tr_lua_stop_reason reason = spend(L, instructions);
    if (reason != TR_LUA_STOP_NONE)
        tr_lua_raise_stop(L, reason);
    lua->work += instructions;
    if (lua->work < TR_LIMIT_LUA_HOOK || !lua->budget)
        return;
    lua->work = 0;
    lua_sethook(L, lua_gethook(L), LUA_MASKCOUNT, 1);
}

void tr_lua_hook_if_slow(lua_State *L, uint64_t began_ns)
{
    if (tr_lua_of(L)->budget && tr_time_ticks_ns() - began_ns > SLOW_NS)
        lua_sethook(L, lua_gethook(L), LUA_MASKCOUNT, 1);
}

bool tr_lua_turn_is_due(const struct tr_lua *lua)
{
    return tr_time_ticks_ns() - lua->budget->since_ns > TURN_NS;
}

bool tr_lua_is_held(const struct tr_lua *lua)
{
    return lua->running && lua->turn > TR_LIMIT_LUA_TURN;
}

static bool is_own(const lua_State *L, const struct tr_lua *lua)
{
    return L != lua->L && lua->running && lua->running->thread.L != L;
}

/*
 * Most instructions take nanoseconds, but comparing long texts or looking for
 * the next key of a table that was emptied takes milliseconds: what was slow
 * is looked at more often. A coroutine of the app's own has paid for the count
 * that it began with, and gets no more.
 */
static int next_count(uint64_t took_ns, int count, int most)
{
    uint64_t next = took_ns > SLOW_NS ? (uint64_t)count * SLOW_NS / took_ns
                                      : (uint64_t)count * 2;
    if (next < 2) /* 1 is for what is due at once */
        return 2;
    return next < (uint64_t)most ? (int)next : most;
}

static void on_count(lua_State *L, lua_Debug *activation)
{
    struct tr_lua *lua = tr_lua_of(L);
    int most = is_own(L, lua) ? TR_LIMIT_LUA_HOOK_OWN : TR_LIMIT_LUA_HOOK;
    int count = lua_gethookcount(L);
    (void)activation;
    if (count == 1 && !tr_lua_must_stop(L)) /* a hook that was forced early */
        count = most;
    enum tr_lua_stop_reason reason = spend(L, (uint64_t)count);
    if (reason != TR_LUA_STOP_NONE)
        stop_in_hook(L, reason);
    if (!lua->budget || reason != TR_LUA_STOP_NONE)
        return;
    uint64_t now_ns = tr_time_ticks_ns();
    uint64_t took_ns = now_ns - lua->budget->looked_ns;
    lua->budget->looked_ns = now_ns;
    int next = next_count(took_ns, count, most);
    if (next != lua_gethookcount(L)) /* it walks through all frames */
        lua_sethook(L, on_count, LUA_MASKCOUNT, next);
    if (now_ns - lua->budget->since_ns <= TURN_NS)
        return;
    if (tr_lua_run_passes(L))
        (void)lua_yield(L, 0); /* in a hook it returns */
    else if (tr_lua_is_held(lua))
        stop_in_hook(L, TR_LUA_STOP_HELD);
}

void tr_lua_hook_set(lua_State *L)
{
    lua_sethook(L, on_count, LUA_MASKCOUNT, TR_LIMIT_LUA_HOOK_OWN);
}

tr_str tr_lua_stop_text(enum tr_lua_stop_reason reason)
{
    switch (reason) {
    case TR_LUA_STOP_MEMORY:
    case TR_LUA_STOP_FULL:
        return TR_STR("memory");
    case TR_LUA_STOP_INSTRUCTIONS:
    case TR_LUA_STOP_HELD:
        return TR_STR("instructions");
    case TR_LUA_STOP_TIME:
        return TR_STR("time");
    case TR_LUA_STOP_CANCELLED:
    case TR_LUA_STOP_NONE:
        break;
    }
    return TR_STR("");
}

tr_status tr_lua_stop_status(enum tr_lua_stop_reason reason, bool exhausted,
                             struct tr_err *err)
{
    if (reason == TR_LUA_STOP_CANCELLED)
        return tr_fail(err, TR_E_CANCELLED, "cancelled");
    if (reason == TR_LUA_STOP_MEMORY && exhausted)
        return tr_fail(err, TR_E_NOMEM, "running a handler");
    if (reason == TR_LUA_STOP_FULL)
        return tr_fail(err, TR_E_LIMIT,
                       "the app has filled the memory of its state, with what "
                       "it keeps between calls or with what other calls hold; "
                       "once no call runs in it, it gets a new one");
    if (reason == TR_LUA_STOP_HELD)
        return tr_fail(err, TR_E_LIMIT,
                       "the handler ran more than %d instructions where it "
                       "cannot be left: in a callback of gsub, a metamethod "
                       "or a function of C",
                       TR_LIMIT_LUA_TURN);
    return tr_fail(err, TR_E_LIMIT, "the handler is over its %s budget",
                   tr_lua_stop_text(reason).ptr);
}

bool tr_lua_is_memory_error(lua_State *L, int status)
{
    if (status == LUA_OK || status == LUA_YIELD || status == LUA_ERRMEM)
        return status == LUA_ERRMEM;
    return lua_type(L, -1) == LUA_TSTRING &&
           strcmp(lua_tostring(L, -1), "not enough memory") == 0;
}

/* Reads the error on top of the stack without making anything new. */
static tr_status report(struct tr_lua *lua, int status, struct tr_err *err)
{
    size_t len = 0;
    const char *text = "an error that is not a string";
    if (tr_lua_is_memory_error(lua->L, status))
        return lua->lib.memory.exhausted
                   ? tr_fail(err, TR_E_NOMEM, "running Lua")
                   : tr_fail(err, TR_E_LIMIT, "the app is over its memory");
    if (lua->budget && lua->budget->stop_reason != TR_LUA_STOP_NONE)
        return tr_lua_stop_status(lua->budget->stop_reason,
                                  lua->lib.memory.exhausted, err);
    if (lua_type(lua->L, -1) == LUA_TSTRING)
        text = lua_tolstring(lua->L, -1, &len);
    return tr_fail(err, TR_E_INVALID, "%s", text);
}

tr_status tr_lua_protect(struct tr_lua *lua, lua_CFunction fn, void *data,
                         struct tr_err *err)
{
    lua_State *L = lua->L;
    tr_status st = TR_OK;
    lua_pushcfunction(L, fn);
    lua_pushlightuserdata(L, data);
    int status = lua_pcall(L, 1, 0, 0);
    if (status != LUA_OK) {
        st = report(lua, status, err);
        lua_pop(L, 1);
    }
    return st;
}

struct tr_arena *tr_lua_scratch(lua_State *L)
{
    struct tr_arena *scratch = &tr_lua_of(L)->scratch;
    if (scratch->held > TR_LIMIT_LUA_SCRATCH_KEPT)
        tr_arena_done(scratch);
    tr_arena_reset(scratch);
    return scratch;
}

static tr_status open_sandbox(struct tr_lua *lua, struct tr_err *err)
{
    lua->lib = (struct tr_lualib){
        .memory.max = lua->limits.state_bytes,
        .spend = tr_lua_spend,
        .hook_if_slow = tr_lua_hook_if_slow,
        .pauses = tr_lua_run_pause_between,
    };
    lua->L = lua_newstate(tr_lualib_alloc, &lua->lib.memory);
    if (!lua->L)
        return tr_fail(err, TR_E_NOMEM, "creating a Lua state");
    *(struct tr_lualib **)lua_getextraspace(lua->L) = &lua->lib;
    return tr_lua_protect(lua, tr_lua_sandbox_open, lua, err);
}

static void close_sandbox(struct tr_lua *lua)
{
    if (lua->L)
        lua_close(lua->L);
    lua->L = NULL;
    lua->idle_count = 0; /* they went with it */
    lua->pattern_count = 0;
    lua->has_paused = false;
    tr_field_patterns_done(&lua->patterns);
    lua->patterns = (struct tr_field_patterns){0};
}

tr_status tr_lua_state_renew(struct tr_lua *lua, struct tr_err *err)
{
    close_sandbox(lua);
    return open_sandbox(lua, err);
}

tr_status tr_lua_state_create(struct tr_lua_host *host,
                              const struct tr_lua_limits *limits,
                              struct tr_lua **out, struct tr_err *err)
{
    struct tr_lua *lua = calloc(1, sizeof(*lua));
    if (!lua)
        return tr_fail(err, TR_E_NOMEM, "creating a Lua state");
    lua->host = host;
    lua->limits = with_defaults(limits);
    tr_arena_init(&lua->scratch, TR_LIMIT_LUA_SCRATCH);
    tr_lua_count_state(lua);
    tr_status st = open_sandbox(lua, err);
    if (st == TR_OK)
        *out = lua;
    else
        tr_lua_state_free(lua);
    return st;
}

void tr_lua_state_free(struct tr_lua *lua)
{
    if (!lua)
        return;
    tr_lua_uncount_state(lua);
    close_sandbox(lua);
    tr_arena_done(&lua->scratch);
    free(lua);
}

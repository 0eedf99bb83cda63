/*
 * lua/state.h - one Lua state: of one app, on one loop.
 *
 * Handlers are coroutines in it. Everything here belongs to the loop's thread.
 */
#ifndef TR_LUA_STATE_H
#define TR_LUA_STATE_H

#include "base/arena.h"
#include "base/err.h"
#include "fields/pattern.h"
#include "lua/app.h"
#include "lualib/lualib.h"

#include <lauxlib.h>
#include <lua.h>

#include <stdatomic.h>

struct tr_lua_host;
struct tr_lua_load;
struct tr_lua_resumer;
struct tr_lua_run;
struct tr_loop;

/* Why a call must end. Lua code cannot catch it. */
enum tr_lua_stop_reason {
    TR_LUA_STOP_NONE,
    TR_LUA_STOP_MEMORY,
    TR_LUA_STOP_FULL, /* the state has no memory left for it */
    TR_LUA_STOP_INSTRUCTIONS,
    TR_LUA_STOP_TIME,
    TR_LUA_STOP_HELD, /* too long where it cannot be left */
    TR_LUA_STOP_CANCELLED,
};

/* What a call may use; a call that another call invoked uses that one's. */
struct tr_lua_budget {
    struct tr_lualib_charge charge;
    uint64_t max_instructions;
    uint64_t max_run_ms;
    uint64_t instructions; /* spent */
    uint64_t ran_ns;       /* spent, without what runs since the last resume */
    uint64_t since_ns;     /* when it was resumed */
    uint64_t looked_ns; /* when the hook was last called, at first since_ns */
    enum tr_lua_stop_reason stop_reason;
};

/* An idle coroutine, and where the registry keeps it. */
struct tr_lua_thread {
    lua_State *L;
    int ref;
};

#define TR_LUA_IDLE_THREADS 64

/* Values that the registry holds for us. */
struct tr_lua_refs {
    int handlers; /* functions, by index from 1 */
    int threads;
    int globals; /* what app.lua sees as _G */
    int ctx;     /* metatables */
    int kg;
    int array;
    int integer; /* of integers that Lua's numbers cannot hold */
    int block;
    int failure;      /* of what ctx:error returns */
    int result;       /* of what ctx:result returns */
    int fault;        /* of errors that we raise */
    int questions[3]; /* by enum tr_call_ask_kind */
    int field;
    int paused;  /* coroutines of the app that wait for the loop, weak keys */
    int regexes; /* compiled patterns by their text */
};

struct tr_lua {
    struct tr_lualib lib; /* the first: the state's extra space points at it */
    lua_State *L;
    struct tr_lua_host *host;
    _Atomic(struct tr_loop *) loop; /* NULL until one claims it */
    struct tr_lua *next;            /* the states of the same app */
    size_t told_bytes; /* of `lib.memory.used`, as the counts have it */
    struct tr_lua_refs refs;
    struct tr_lua_limits limits;
    struct tr_lua_budget *budget; /* of what runs, or NULL */
    struct tr_lua_run *running;   /* the call that runs, or NULL */
    struct tr_lua_load *load;     /* while app.lua runs, else NULL */
    size_t runs;                  /* calls in it that have not ended */
    bool is_full;                 /* it is renewed when `runs` is 0 */
    uint64_t turn;                /* instructions since the loop had its turn */
    bool is_pausing; /* a coroutine of the app yields for that, not by itself */
    lua_CFunction pairs;            /* Lua's own */
    struct tr_lua_resumer *resumer; /* of the coroutine of the app that runs */
    bool has_paused;                /* a coroutine was put in refs.paused */
    uint64_t work; /* instructions that C has spent since it forced a hook */
    struct tr_arena scratch;           /* for the length of one C function */
    struct tr_field_patterns patterns; /* of `re` */
    size_t pattern_count;
    struct tr_lua_thread idle[TR_LUA_IDLE_THREADS];
    size_t idle_count;
};

/* An empty sandbox. On success *out is owned by the caller. */
TR_NODISCARD tr_status tr_lua_state_create(struct tr_lua_host *host,
                                           const struct tr_lua_limits *limits,
                                           struct tr_lua **out,
                                           struct tr_err *err);

/* Throws away what is in it: an empty sandbox. No call may be running in it. */
TR_NODISCARD tr_status tr_lua_state_renew(struct tr_lua *lua,
                                          struct tr_err *err);

/* NULL is allowed. No call may be running in it. */
void tr_lua_state_free(struct tr_lua *lua);

/* The scratch arena, emptied. What was in it before is gone. */
struct tr_arena *tr_lua_scratch(lua_State *L);

/* The state that a Lua thread belongs to. */
static inline struct tr_lua *tr_lua_of(lua_State *L)
{
    return (struct tr_lua *)tr_lualib_of(L);
}

/*
 * Runs `fn` in protected mode with `data` as its only argument, a light
 * userdata; the error that Lua raises becomes `err`.
 */
TR_NODISCARD tr_status tr_lua_protect(struct tr_lua *lua, lua_CFunction fn,
                                      void *data, struct tr_err *err);

/*
 * Begins and ends spending from a budget; the first returns the one before,
 * which the second takes.
 */
struct tr_lua_budget *tr_lua_budget_enter(struct tr_lua *lua,
                                          struct tr_lua_budget *budget);
void tr_lua_budget_leave(struct tr_lua *lua, struct tr_lua_budget *before);

void tr_lua_budget_init(struct tr_lua_budget *budget,
                        const struct tr_lua_limits *limits);

/*
 * Spends instructions for work that C does in one go; raises when they, or the
 * time, are used up.
 */
void tr_lua_spend(lua_State *L, uint64_t instructions);

/*
 * Called after work of C whose length nobody knows beforehand: when it took
 * long, the next instruction calls the hook. `began_ns` is of tr_time_ticks_ns.
 */
void tr_lua_hook_if_slow(lua_State *L, uint64_t began_ns);

/* Whether the code that runs in L must end, and may not catch that. */
static inline bool tr_lua_must_stop(lua_State *L)
{
    const struct tr_lua *lua = tr_lua_of(L);
    return lua->budget && lua->budget->stop_reason != TR_LUA_STOP_NONE;
}

/*
 * Whether the error on top of the stack is want of memory. Buffers of Lua's
 * library raise it as a plain text.
 */
bool tr_lua_is_memory_error(lua_State *L, int status);

/*
 * Stops the call: what no code of the app can catch. Where the coroutine can be
 * left, it is, and never resumed: to unwind each protected call would take a
 * walk through all frames for each of them.
 */
_Noreturn void tr_lua_raise_stop(lua_State *L, enum tr_lua_stop_reason reason);

/* Whether the call that runs has had the loop for long enough. */
bool tr_lua_turn_is_due(const struct tr_lua *lua);

/* Whether the call has run for so long without the loop that it must stop. */
bool tr_lua_is_held(const struct tr_lua *lua);

/* Sets the count hook of a thread, made for a handler or by one. */
void tr_lua_hook_set(lua_State *L);

/*
 * The error that a call ends with for this reason, and `data.reason` of it:
 * "memory", "instructions" or "time".
 */
tr_status tr_lua_stop_status(enum tr_lua_stop_reason reason, bool exhausted,
                             struct tr_err *err);
tr_str tr_lua_stop_text(enum tr_lua_stop_reason reason);

#endif

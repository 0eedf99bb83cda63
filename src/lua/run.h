/*
 * lua/run.h - one call in a state: a coroutine from its start to its end.
 *
 * Lives in the call's arena. What makes a handler wait is prepared inside the
 * coroutine, which then yields; what it waits for is begun outside of Lua.
 */
#ifndef TR_LUA_RUN_H
#define TR_LUA_RUN_H

#include "loop/timer.h"
#include "lua/state.h"
#include "runtime/call.h"

/* What a coroutine that yielded wants. */
enum tr_lua_wait {
    TR_LUA_WAIT_TURN,    /* that others run; then to go on */
    TR_LUA_WAIT_SLEEP,   /* that `sleep_ms` pass */
    TR_LUA_WAIT_ANSWERS, /* the answers to `asks` */
    TR_LUA_WAIT_CHILD,   /* the outcome of `child` */
    TR_LUA_WAIT_REPLY,   /* the reply to `out` */
};

/*
 * The random numbers of one call (xoshiro256**), not for secrets. The seed is
 * recorded in its journal: a handler that is run again sees the same numbers.
 */
struct tr_lua_random {
    uint64_t state[4];
    bool is_seeded;
};

struct tr_lua_fetch;

struct tr_lua_run {
    struct tr_lua *lua;
    struct tr_call *call;
    const struct tr_lua_handler *handler;
    struct tr_lua_thread thread;
    struct tr_lua_run **ctx; /* what `ctx` holds; NULL once the call ends */
    struct tr_lua_budget *budget;
    struct tr_lua_budget own_budget;
    bool has_args; /* its arguments are in Lua */
    struct tr_call_outcome
        *outcome; /* what the handler returned, once it has */

    /* Calls that invoke each other; the root is the one a door knows. */
    struct tr_lua_run *root;
    struct tr_lua_run *parent;
    size_t journal_from; /* the journal's position when the child began */
    size_t changes_from; /* how many changes the graph had then */
    struct tr_call_used used_from; /* and what the call had used */
    TR_VEC(tr_str) asked;          /* of a root: the keys of all questions */

    enum tr_lua_wait wait;
    bool is_busy;    /* it runs, or what it waits for is being begun */
    bool is_resumed; /* what it waits for came while it was busy */
    struct tr_loop_timer timer;
    uint64_t sleep_ms;
    struct tr_call_ask *asks;
    size_t ask_count;
    const tr_str *ask_names; /* what ctx:ask calls them; NULL: only one */
    struct tr_call_invoke_child child;
    const struct tr_call_outcome *child_outcome;
    struct tr_lua_fetch *out; /* what it fetches, or has fetched last */
    struct tr_err *refusal;   /* why what it wanted was refused, or NULL */
    struct tr_lua_random random;
    bool was_answered_wrong; /* of a root: its client has done wrong, too */
    size_t transactions;     /* of the graph, begun and not ended */
};

/* The `run` of a handler: starts a call. */
void tr_lua_run_start(const struct tr_cap_handler *handler,
                      struct tr_call *call);

/* Whether L can pass the turn to the loop; then it must yield, with nothing. */
bool tr_lua_run_passes(lua_State *L);

/*
 * Between two steps of work in C: whether the loop should have its turn, as
 * above. Raises when it should have had it long ago and L cannot be left.
 */
bool tr_lua_run_pause_between(lua_State *L);

/* What it waited for has come; called on the loop. */
void tr_lua_run_go_on(struct tr_lua_run *run);

/*
 * Raises unless the coroutine can wait here; `what` names the function. Then
 * `return tr_lua_run_wait(...)` yields; `then` goes on.
 */
void tr_lua_run_must_wait(lua_State *L, const struct tr_lua_run *run,
                          const char *what);
int tr_lua_run_wait(lua_State *L, struct tr_lua_run *run, enum tr_lua_wait wait,
                    lua_KFunction then);

#endif

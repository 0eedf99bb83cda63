/*
 * test/support/lua_door.h - a door for tests of handlers written in Lua.
 *
 * It writes down what a handler does and answers its questions from a table,
 * either at once or, as a stateless revision does, by running it again.
 */
#ifndef TR_TEST_LUA_DOOR_H
#define TR_TEST_LUA_DOOR_H

#include "base/buf.h"
#include "lua/app.h"
#include "runtime/call.h"

struct lua_app {
    struct tr_loop *loop;
    const struct tr_cap_snapshot *snapshot;
    const struct tr_cap *beside;     /* registered before the app, or NULL */
    const char *folder;              /* of its files, or NULL */
    const struct tr_config_own *own; /* or NULL */
    const struct tr_crypto_secrets *secrets; /* or NULL */
    bool in_production;            /* who declares nothing writes nothing */
    const struct tr_call_env *env; /* of its calls; NULL: there is no graph */
};

/* How questions are answered. */
enum lua_asking {
    LUA_ASK_AT_ONCE, /* from `answers` */
    LUA_ASK_LATER,   /* the test sets answers and resumes */
    LUA_ASK_ROUNDS,  /* the round ends; lua_call_again answers */
    LUA_ASK_REFUSE,
};

struct lua_call {
    struct tr_call call; /* first: the door finds the rest by it */
    struct lua_app *app;
    struct tr_arena arena;
    struct tr_buf heard; /* one line per thing the handler did */
    enum lua_asking asking;
    const struct tr_json *answers; /* by key */
    struct tr_call_ask *asks;      /* what it waits for */
    struct tr_call *asker;
    size_t ask_count;
    bool round_ended;
    tr_str asked; /* when it has: the key of the question, */
    tr_str paid;  /* and what the call had paid then */
    bool finished;
    struct tr_call_outcome outcome;
    char text[4096]; /* the outcome, see lua_call_text */
};

/* Loads an app on a loop with a clock that stands still. */
tr_status lua_app_try(struct lua_app *app, const char *source,
                      const struct tr_lua_limits *limits, struct tr_err *err);
tr_status lua_app_try_in(struct lua_app *app, const char *source,
                         const char *folder, struct tr_err *err);
/* The same for one whose members a test has set. */
tr_status lua_app_try_as_set(struct lua_app *app, const char *source,
                             struct tr_err *err);
void lua_app_open(struct lua_app *app, const char *source);
void lua_app_open_in_production(struct lua_app *app, const char *source);
void lua_app_open_with(struct lua_app *app, const char *source,
                       const struct tr_lua_limits *limits);
void lua_app_open_beside(struct lua_app *app, const char *source,
                         const struct tr_cap *beside);
void lua_app_close(struct lua_app *app);

/* Prepares a call of a capability, resource, template, prompt or completion. */
void lua_call_init(struct lua_call *c, struct lua_app *app, const char *name,
                   const char *args);
void lua_call_start(struct lua_call *c);

/* Turns the loop until the call has finished; steps the clock by `ms` a turn.
 */
void lua_call_wait(struct lua_call *c, uint64_t ms);
void lua_call_turn(struct lua_call *c, uint64_t ms);
void lua_call_done(struct lua_call *c);

/* Sets the answers: JSON, an object by key. */
void lua_call_answers(struct lua_call *c, const char *json);

/*
 * Runs the handler again after a round that ended, with its journal and
 * these answers.
 */
void lua_call_again(struct lua_call *c, struct lua_call *before,
                    const char *answers);

/*
 * The outcome as text: its content or value as JSON, "error: " and the content
 * when it returned an error, "status: message data" when it failed.
 */
const char *lua_call_text(struct lua_call *c);

/* Starts, waits and compares: for tests of one line. */
void lua_check(struct lua_app *app, const char *name, const char *args,
               const char *expected);

#endif

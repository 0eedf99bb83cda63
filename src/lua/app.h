/*
 * lua/app.h - an app: app.lua, loaded once, run on every loop.
 *
 * tr_lua_app_load runs app.lua on the calling thread and registers what it
 * defines. Each loop that runs a handler makes its own state from the same
 * text when it first needs one. All states are freed with the snapshot that
 * the handlers are in, by whichever thread unpins it last: no call is left
 * then. Loops must outlive the snapshot.
 */
#ifndef TR_LUA_APP_H
#define TR_LUA_APP_H

#include "base/err.h"

#include <stdatomic.h>

struct tr_cap_builder;
struct tr_config_own;
struct tr_crypto_secrets;
struct tr_file_folder;

/* A field left zero takes the default named beside it. */
struct tr_lua_limits {
    uint64_t instructions; /* TR_LIMIT_LUA_INSTRUCTIONS per call */
    uint64_t run_ms;       /* TR_LIMIT_LUA_RUN_S per call */
    size_t call_bytes;     /* TR_LIMIT_LUA_CALL_BYTES */
    size_t state_bytes;    /* TR_LIMIT_LUA_STATE_BYTES */
};

/* What all states of a process share. Any thread may read it, and add. */
struct tr_lua_counts {
    _Atomic bool is_ending; /* the process: no app needs to be loaded */
    _Atomic uint64_t bytes; /* a state adds to it when it has changed by much */
    _Atomic uint64_t states;
    _Atomic uint64_t memory_stops; /* calls that used up a budget */
    _Atomic uint64_t instruction_stops;
    _Atomic uint64_t time_stops;
};

struct tr_lua_app {
    tr_str path;                         /* as messages show it: "app.lua" */
    tr_str source;                       /* the text of the file; copied */
    tr_str project;                      /* its name; empty is "local" */
    const struct tr_file_folder *folder; /* of other files; NULL: none */
    struct tr_lua_limits limits;
    struct tr_lua_counts *counts; /* outlives the snapshot; may be NULL */
    const struct tr_crypto_secrets *secrets; /* as `counts` */
    const struct tr_config_own *own; /* of its settings; NULL: defaults */
};

/*
 * Adds everything the app defines to the builder, its model too, which from
 * then on also owns the states. TR_E_INVALID has `file:line: message`,
 * TR_E_VALIDATION what is wrong with a setting, and its place in the text of
 * `own`; the builder is then good only to be freed, so an app is never half
 * registered. Also TR_E_LIMIT and TR_E_NOMEM.
 */
TR_NODISCARD tr_status tr_lua_app_load(const struct tr_lua_app *app,
                                       struct tr_cap_builder *builder,
                                       struct tr_err *err);

#endif

/*
 * lua/host.h - what all loops share of an app, and each loop's state of it.
 */
#ifndef TR_LUA_HOST_H
#define TR_LUA_HOST_H

#include "base/arena.h"
#include "base/vec.h"
#include "lua/require.h"
#include "lua/state.h"

enum tr_lua_kind {
    TR_LUA_CAPABILITY,
    TR_LUA_RESOURCE,
    TR_LUA_TEMPLATE,
    TR_LUA_PROMPT,
    TR_LUA_COMPLETION,
    TR_LUA_POLICY,
};

/* What a `struct tr_cap_handler` of ours points to. */
struct tr_lua_handler {
    struct tr_lua_host *host;
    size_t index; /* from 0, in the order of registration */
    enum tr_lua_kind kind;
    tr_str name;
    tr_str where; /* it was defined: "app.lua:7" */
};

/* Immutable after loading, but for `states`. */
struct tr_lua_host {
    struct tr_arena arena; /* source, path, handlers */
    tr_str path;           /* as messages show it */
    tr_str source;
    struct tr_lua_limits limits;
    struct tr_lua_counts *counts;            /* or NULL */
    const struct tr_crypto_secrets *secrets; /* or NULL */
    TR_VEC(struct tr_lua_handler *) handlers;
    TR_VEC(tr_str) declared; /* "node_type Person", in order */
    TR_VEC(struct tr_lua_module *) modules;
    TR_VEC(const struct tr_cap_setting *) settings; /* of the snapshot */

    /*
     * Each loop puts its own state in front and only ever uses that one, so the
     * list needs no lock. Loops must outlive the host: a new loop at the
     * address of an old one would take over its state.
     */
    _Atomic(struct tr_lua *) states;
};

/* While app.lua runs. */
struct tr_lua_load {
    struct tr_cap_builder *builder;      /* NULL: only compare with the host */
    struct tr_model_builder *model;      /* NULL without a builder */
    const struct tr_file_folder *folder; /* of struct tr_lua_app */
    size_t count;                        /* handlers seen so far */
    size_t declared;                     /* of `declared` of the host */
    size_t settings;                     /* the same */
    const struct tr_config_own *own;     /* of struct tr_lua_app */
    struct tr_err wrong; /* what a setting has that it may not; or no message */
};

/* The state of this loop, made when there is none yet. */
TR_NODISCARD tr_status tr_lua_host_state(struct tr_lua_host *host,
                                         struct tr_loop *loop,
                                         struct tr_lua **out,
                                         struct tr_err *err);

#endif

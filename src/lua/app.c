#include "lua/app.h"

#include "base/file.h"
#include "base/limits.h"
#include "cap/registry.h"
#include "lua/counts.h"
#include "lua/host.h"

static void host_free(void *data)
{
    struct tr_lua_host *host = data;
    if (!host)
        return;
    struct tr_lua *next = NULL;
    for (struct tr_lua *lua = atomic_load(&host->states); lua; lua = next) {
        next = lua->next;
        tr_lua_state_free(lua);
    }
    tr_arena_done(&host->arena);
    free(host);
}

/* Argument: the state. Compiles, and gives it the globals of the sandbox. */
static int run_source(lua_State *L)
{
    struct tr_lua *lua = lua_touserdata(L, 1);
    const struct tr_lua_host *host = lua->host;
    lua_pushfstring(L, "@%s", host->path.ptr);
    if (luaL_loadbufferx(L, host->source.ptr, host->source.len,
                         lua_tostring(L, -1), "t") != LUA_OK)
        return lua_error(L);
    lua_rawgeti(L, LUA_REGISTRYINDEX, lua->refs.globals);
    if (!lua_setupvalue(L, -2, 1))
        lua_pop(L, 1);
    lua_call(L, 0, 0);
    return 0;
}

/* Runs app.lua in a state; with a builder, it describes what it defines. */
static tr_status load(struct tr_lua *lua, struct tr_registry_builder *builder,
                      struct tr_err *err)
{
    struct tr_lua_load loading = {.builder = builder};
    struct tr_lua_budget budget;
    const struct tr_lua_host *host = lua->host;
    tr_lua_budget_init(&budget, &lua->limits);
    budget.charge.max = lua->limits.state_bytes;
    lua->load = &loading;
    tr_lua_hook_set(lua->L);
    struct tr_lua_budget *before = tr_lua_budget_enter(lua, &budget);
    tr_status st = tr_lua_protect(lua, run_source, lua, err);
    tr_lua_budget_leave(lua, before);
    lua_sethook(lua->L, NULL, 0, 0);
    lua->load = NULL;
    if (st == TR_OK && loading.count != host->handlers.count)
        st = tr_fail(err, TR_E_INVALID,
                     "%s: registers less than when it was loaded: app.lua "
                     "must do the same every time",
                     host->path.ptr);
    if (st == TR_E_LIMIT)
        tr_err_prefix(err, "%s: while loading", host->path.ptr);
    lua->memory.floor = lua->memory.used;
    tr_lua_count_load(lua);
    return st;
}

/* Puts a state in front of the list. */
static void add_state(struct tr_lua_host *host, struct tr_lua *lua)
{
    lua->next = atomic_load(&host->states);
    while (!atomic_compare_exchange_weak(&host->states, &lua->next, lua))
        continue;
}

/* The first loop that comes takes the state in which the app was loaded. */
static bool claim(struct tr_lua *lua, struct tr_loop *loop)
{
    struct tr_loop *nobody = NULL;
    return atomic_load(&lua->loop) == loop ||
           atomic_compare_exchange_strong(&lua->loop, &nobody, loop);
}

tr_status tr_lua_host_state(struct tr_lua_host *host, struct tr_loop *loop,
                            struct tr_lua **out, struct tr_err *err)
{
    struct tr_lua *lua = atomic_load(&host->states);
    while (lua && !claim(lua, loop))
        lua = lua->next;
    if (lua) {
        *out = lua;
        return TR_OK;
    }
    TR_TRY(tr_lua_state_create(host, &host->limits, &lua, err));
    atomic_store(&lua->loop, loop);
    tr_status st = load(lua, NULL, err);
    if (st != TR_OK) {
        tr_lua_state_free(lua);
        return st;
    }
    add_state(host, lua);
    *out = lua;
    return TR_OK;
}

static tr_status host_create(const struct tr_lua_app *app,
                             struct tr_lua_host **out, struct tr_err *err)
{
    struct tr_lua_host *host = calloc(1, sizeof(*host));
    if (!host)
        return tr_fail(err, TR_E_NOMEM, "loading an app");
    tr_arena_init(&host->arena, TR_LIMIT_LUA_HOST);
    host->limits = app->limits;
    host->counts = app->counts;
    if (!tr_arena_copy(&host->arena, app->path, &host->path) ||
        !tr_arena_copy(&host->arena, app->source, &host->source)) {
        host_free(host);
        return tr_fail(err, TR_E_NOMEM, "loading an app");
    }
    *out = host;
    return TR_OK;
}

tr_status tr_lua_app_load(const struct tr_lua_app *app,
                          struct tr_registry_builder *builder,
                          struct tr_err *err)
{
    struct tr_lua_host *host = NULL;
    struct tr_lua *lua = NULL;
    if (app->source.len > TR_LIMIT_LUA_SOURCE)
        return tr_fail(err, TR_E_LIMIT, "%.*s is larger than %zu bytes",
                       TR_FMT(app->path), TR_LIMIT_LUA_SOURCE);
    TR_TRY(host_create(app, &host, err));
    tr_status st = tr_registry_on_free(builder, host_free, host, err);
    if (st != TR_OK) {
        host_free(host);
        return st;
    }
    TR_TRY(tr_lua_state_create(host, &host->limits, &lua, err));
    add_state(host, lua); /* from here on the host frees it */
    return load(lua, builder, err);
}

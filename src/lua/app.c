#include "lua/app.h"

#include "base/file.h"
#include "base/limits.h"
#include "base/log.h"
#include "cap/registry.h"
#include "cap/setting.h"
#include "lua/counts.h"
#include "lua/host.h"
#include "lua/pending.h"
#include "lua/sandbox.h"
#include "model/builder.h"

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

/*
 * A message handler: turns what app.lua threw, if it is no text, into one that
 * begins with its place. Level 2 is the function that called `error`.
 */
static int explain(lua_State *L)
{
    if (lua_type(L, 1) == LUA_TSTRING || tr_lua_must_stop(L))
        return 1;
    luaL_where(L, 2);
    if (lua_istable(L, 1)) {
        lua_pushliteral(L, "message");
        if (lua_rawget(L, 1) == LUA_TSTRING) {
            lua_concat(L, 2);
            return 1;
        }
        lua_pop(L, 1);
    }
    lua_pushfstring(L, "%serror() was called with a %s, not with a message",
                    lua_tostring(L, -1), luaL_typename(L, 1));
    return 1;
}

/*
 * Compiles app.lua, gives it the globals of the sandbox and runs it. The
 * argument is the state.
 */
static int run_source(lua_State *L)
{
    struct tr_lua *lua = lua_touserdata(L, 1);
    const struct tr_lua_host *host = lua->host;
    lua_settop(L, 0);
    lua_pushcfunction(L, explain);
    tr_lua_push_file(L, host->path, host->source);
    if (lua_pcall(L, 0, 0, 1) != LUA_OK)
        return lua_error(L);
    tr_lua_pending_check(L);
    return 0;
}

static tr_status explain_limit(const struct tr_lua_host *host,
                               const struct tr_lua_budget *budget,
                               struct tr_err *err)
{
    return tr_fail(err, TR_E_LIMIT, "%s: loading it goes over the %s budget",
                   host->path.ptr,
                   budget->stop_reason == TR_LUA_STOP_NONE
                       ? "memory"
                       : tr_lua_stop_text(budget->stop_reason).ptr);
}

/* Runs app.lua in a state; with a builder, it describes what it defines. */
static tr_status load(struct tr_lua *lua, struct tr_lua_load *loading,
                      struct tr_err *err)
{
    struct tr_lua_budget budget;
    const struct tr_lua_host *host = lua->host;
    tr_lua_budget_init(&budget, &lua->limits);
    budget.charge.max = lua->limits.state_bytes;
    lua->load = loading;
    tr_lua_hook_set(lua->L);
    struct tr_lua_budget *before = tr_lua_budget_enter(lua, &budget);
    tr_status st = tr_lua_protect(lua, run_source, lua, err);
    tr_lua_budget_leave(lua, before);
    lua_sethook(lua->L, NULL, 0, 0);
    lua->load = NULL;
    if (loading->wrong.msg[0] && err)
        *err = loading->wrong;
    if (loading->wrong.msg[0])
        st = TR_E_VALIDATION;
    if (st == TR_OK && (loading->settings != host->settings.count ||
                        loading->count != host->handlers.count ||
                        loading->declared != host->declared.count))
        st = tr_fail(err, TR_E_INVALID,
                     "%s: registers less than when it was loaded: app.lua "
                     "must do the same every time",
                     host->path.ptr);
    if (st == TR_E_LIMIT)
        st = explain_limit(host, &budget, err);
    lua->lib.memory.floor = lua->lib.memory.used;
    tr_lua_count_load(lua);
    return st;
}

/* An error here is about all shapes together, so it has no line of its own. */
static tr_status build_model(const struct tr_lua_host *host,
                             struct tr_model_builder *builder,
                             const struct tr_model **out, struct tr_err *err)
{
    tr_status st = tr_model_build(builder, out, err);
    if (st != TR_OK && st != TR_E_NOMEM && err &&
        !tr_str_starts(tr_str_from(err->msg), host->path))
        tr_err_prefix(err, "%s", host->path.ptr);
    return st;
}

/*
 * Loads the app into the first state, whose declarations go into the snapshot.
 */
static tr_status load_first(struct tr_lua *lua, const struct tr_lua_app *app,
                            struct tr_cap_builder *builder, struct tr_err *err)
{
    struct tr_lua_load loading = {
        .builder = builder, .folder = app->folder, .own = app->own};
    const struct tr_model *model = NULL;
    TR_TRY(tr_model_builder_create(app->project, &loading.model, err));
    tr_status st = load(lua, &loading, err);
    if (st == TR_OK)
        st = tr_cap_registry_check_settings(builder, app->own, err);
    if (st == TR_OK)
        st = build_model(lua->host, loading.model, &model, err);
    if (st == TR_OK)
        st = tr_cap_registry_take_model(builder, model, err);
    tr_model_builder_free(loading.model);
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

/*
 * An app that keeps ever more between calls, in a table of its own, would fail
 * in all of them until the server is started again.
 */
static tr_status renew(struct tr_lua *lua, struct tr_err *err)
{
    struct tr_lua_load loading = {0};
    tr_log(TR_LOG_WARN, "an app has filled its memory and begins anew",
           TR_LOG_TEXT("file", lua->host->path),
           TR_LOG_INT("bytes", (int64_t)lua->lib.memory.used));
    TR_TRY(tr_lua_state_renew(lua, err));
    TR_TRY(load(lua, &loading, err));
    lua->is_full = false; /* after a failure the next call tries again */
    return TR_OK;
}

tr_status tr_lua_host_state(struct tr_lua_host *host, struct tr_loop *loop,
                            struct tr_lua **out, struct tr_err *err)
{
    struct tr_lua *lua = atomic_load(&host->states);
    while (lua && !claim(lua, loop))
        lua = lua->next;
    *out = lua;
    if (lua)
        return lua->is_full && lua->runs == 0 ? renew(lua, err) : TR_OK;
    TR_TRY(tr_lua_state_create(host, &host->limits, &lua, err));
    atomic_store(&lua->loop, loop);
    struct tr_lua_load loading = {0};
    tr_status st = load(lua, &loading, err);
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
    host->secrets = app->secrets;
    if (!tr_arena_copy(&host->arena, app->path, &host->path) ||
        !tr_arena_copy(&host->arena, app->source, &host->source)) {
        host_free(host);
        return tr_fail(err, TR_E_NOMEM, "loading an app");
    }
    *out = host;
    return TR_OK;
}

tr_status tr_lua_app_load(const struct tr_lua_app *app,
                          struct tr_cap_builder *builder, struct tr_err *err)
{
    struct tr_lua_host *host = NULL;
    struct tr_lua *lua = NULL;
    if (app->source.len > TR_LIMIT_LUA_SOURCE)
        return tr_fail(err, TR_E_LIMIT, "%.*s is larger than %zu bytes",
                       TR_FMT(app->path), TR_LIMIT_LUA_SOURCE);
    TR_TRY(host_create(app, &host, err));
    tr_status st = tr_cap_registry_on_free(builder, host_free, host, err);
    if (st != TR_OK) {
        host_free(host);
        return st;
    }
    TR_TRY(tr_lua_state_create(host, &host->limits, &lua, err));
    add_state(host, lua); /* from here on the host frees it */
    return load_first(lua, app, builder, err);
}

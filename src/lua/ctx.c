#include "lua/ctx.h"

#include "base/buf.h"
#include "base/limits.h"
#include "base/nearest.h"
#include "json/build.h"
#include "loop/loop.h"
#include "lua/content.h"
#include "lua/convert.h"
#include "lua/fault.h"
#include "lua/fetch.h"
#include "lua/invoke.h"
#include "lua/journal.h"
#include "lua/kg.h"
#include "lua/options.h"
#include "lua/question.h"
#include "lua/random_lib.h"
#include "lua/sandbox.h"
#include "lua/secret.h"
#include "lua/setting.h"

#include <math.h>

struct tr_lua_run *tr_lua_ctx_run(lua_State *L)
{
    return tr_lua_ctx_run_of(L, 1);
}

struct tr_lua_run *tr_lua_ctx_run_of(lua_State *L, int index)
{
    struct tr_lua_run **ctx = luaL_checkudata(L, index, "ctx");
    if (!*ctx)
        (void)luaL_error(L, "this ctx belongs to a call that has ended");
    if (*ctx != tr_lua_of(L)->running)
        (void)luaL_error(L, "this ctx belongs to another call");
    return *ctx;
}

/*
 * The run of argument 1, for functions that a policy may not use because they
 * have an effect.
 */
static struct tr_lua_run *run_that_acts(lua_State *L, const char *what)
{
    struct tr_lua_run *run = tr_lua_ctx_run(L);
    if (run->call->decides_only)
        (void)luaL_error(L, "%s cannot be used by a policy: it only looks",
                         what);
    return run;
}

/* Telling the client. ------------------------------------------------------*/

static int ctx_progress(lua_State *L)
{
    const struct tr_lua_run *run = tr_lua_ctx_run(L);
    double progress = luaL_checknumber(L, 2);
    double total = luaL_optnumber(L, 3, 0);
    luaL_argcheck(L, isfinite(progress), 2, "must be finite");
    luaL_argcheck(L, isfinite(total), 3, "must be finite");
    tr_str message = {NULL, 0};
    if (!lua_isnoneornil(L, 4)) {
        (void)luaL_checkstring(L, 4);
        message = tr_lua_to_text(L, 4, tr_lua_scratch(L));
    }
    tr_call_progress(run->call, progress, lua_isnoneornil(L, 3) ? NULL : &total,
                     message);
    return 0;
}

static int ctx_log(lua_State *L)
{
    static const char *const levels[] = {
        "debug",    "info",  "notice",    "warning", "error",
        "critical", "alert", "emergency", NULL,
    };
    const struct tr_lua_run *run = tr_lua_ctx_run(L);
    int level = luaL_checkoption(L, 2, NULL, levels);
    luaL_checkany(L, 3);
    struct tr_arena *scratch = tr_lua_scratch(L);
    struct tr_json data = tr_lua_to_json(L, 3, scratch);
    tr_str logger = {NULL, 0};
    if (!lua_isnoneornil(L, 4)) {
        (void)luaL_checkstring(L, 4);
        logger = tr_lua_to_text(L, 4, scratch);
    }
    tr_call_note(run->call, (enum tr_call_note_level)level, logger, &data);
    return 0;
}

static int ctx_updated(lua_State *L)
{
    const struct tr_lua_run *run = run_that_acts(L, "ctx:updated");
    (void)luaL_checkstring(L, 2);
    run->call->door->updated(run->call,
                             tr_lua_to_text(L, 2, tr_lua_scratch(L)));
    return 0;
}

static int ctx_list_changed(lua_State *L)
{
    static const char *const lists[] = {"tools", "resources", "prompts", NULL};
    const struct tr_lua_run *run = run_that_acts(L, "ctx:list_changed");
    int list = luaL_checkoption(L, 2, NULL, lists);
    run->call->door->list_changed(run->call, (enum tr_call_list_kind)list);
    return 0;
}

static int ctx_close_stream(lua_State *L)
{
    const struct tr_lua_run *run = run_that_acts(L, "ctx:close_stream");
    run->call->door->close_stream(run->call);
    return 0;
}

/* Time and chance. ---------------------------------------------------------*/

/* Seconds since 1970, the same when the handler is run again. */
static double now(lua_State *L, struct tr_lua_run *run)
{
    double seconds = 0;
    if (tr_json_double(tr_lua_replayed(L, run, "now"), &seconds))
        return seconds;
    tr_time time = tr_loop_wall(run->call->loop);
    seconds = (double)time.seconds + floor((double)time.nanos / 1e3) / 1e6;
    lua_pushnumber(L, seconds);
    struct tr_json value = tr_lua_to_json(L, -1, run->call->arena);
    lua_pop(L, 1);
    tr_lua_record(L, run, "now", &value);
    return seconds;
}

static int ctx_now(lua_State *L)
{
    lua_pushnumber(L, now(L, tr_lua_ctx_run(L)));
    return 1;
}

/* ctx:now_text(seconds): the time, or now, as RFC 3339 has it. */
static int ctx_now_text(lua_State *L)
{
    char text[64];
    struct tr_buf buf;
    struct tr_lua_run *run = tr_lua_ctx_run(L);
    double seconds =
        lua_isnoneornil(L, 2) ? now(L, run) : luaL_checknumber(L, 2);
    luaL_argcheck(L, seconds >= -62167219200.0 && seconds < 253402300800.0, 2,
                  "is not in the years 0 to 9999");
    double whole = floor(seconds);
    tr_time time = {
        .seconds = (int64_t)whole,
        .nanos = (int)floor((seconds - whole) * 1e6) * 1000,
    };
    tr_buf_init_fixed(&buf, text, sizeof(text));
    tr_time_write(&buf, time);
    (void)lua_pushlstring(L, buf.ptr, buf.len);
    return 1;
}

static int ctx_random(lua_State *L)
{
    return tr_lua_random_push(L, tr_lua_ctx_run(L), 2);
}

/* ctx:spend { tokens =, usd = }: what this call has cost so far, added up. */
static int ctx_spend(lua_State *L)
{
    static const struct tr_lua_option list[] = {{"tokens", NULL},
                                                {"usd", NULL}};
    const struct tr_lua_run *run = run_that_acts(L, "ctx:spend");
    struct tr_lua_options o = {L, 2, "ctx:spend", NULL, NULL};
    struct tr_err err = {0};
    luaL_checktype(L, 2, LUA_TTABLE);
    tr_lua_options_check(&o, list, TR_LEN(list));
    if (tr_call_budget_use(run->call, tr_lua_option_i64(&o, "tokens"),
                           tr_lua_option_double(&o, "usd"), &err) != TR_OK)
        tr_lua_options_fail(&o, err.msg, "");
    return 0;
}

/* Waiting. -----------------------------------------------------------------*/

static int after_sleep(lua_State *L, int status, lua_KContext context)
{
    (void)L;
    (void)status;
    (void)context;
    return 0;
}

static int ctx_sleep(lua_State *L)
{
    struct tr_lua_run *run = tr_lua_ctx_run(L);
    double seconds = luaL_checknumber(L, 2);
    luaL_argcheck(L, seconds >= 0 && seconds <= TR_LIMIT_LUA_SLEEP_S, 2,
                  "must be from 0 to a day of seconds");
    tr_lua_run_must_wait(L, run, "ctx:sleep");
    run->sleep_ms = (uint64_t)ceil(seconds * 1000);
    return tr_lua_run_wait(L, run, TR_LUA_WAIT_SLEEP, after_sleep);
}

/* Asking. ------------------------------------------------------------------*/

/* Pushes the answer to one question. */
static void push_answer(lua_State *L, const struct tr_lua_run *run,
                        const struct tr_call_ask *ask)
{
    run->root->was_answered_wrong |= ask->wrong != NULL;
    if (ask->refusal.len > 0)
        tr_lua_raise_fault(L, ask->wrong ? TR_E_VALIDATION : TR_E_UNAVAILABLE,
                           ask->refusal, ask->wrong);
    tr_lua_push_json(L, ask->answer);
}

static int after_ask(lua_State *L, int status, lua_KContext context)
{
    const struct tr_lua_run *run = (const struct tr_lua_run *)context;
    const struct tr_err *refusal = run->refusal;
    (void)status;
    if (refusal)
        tr_lua_raise_fault(L, refusal->code, tr_str_from(refusal->msg), NULL);
    if (!run->ask_names) {
        push_answer(L, run, &run->asks[0]);
        return 1;
    }
    lua_createtable(L, 0, (int)run->ask_count);
    for (size_t i = 0; i < run->ask_count; i++) {
        tr_lua_push_str(L, run->ask_names[i]);
        push_answer(L, run, &run->asks[i]);
        lua_rawset(L, -3);
    }
    return 1;
}

/*
 * A key is how an answer finds its question when the handler is run again. In
 * a call that another handler made, it says so: both may use the same words.
 */
static tr_str make_key(lua_State *L, const struct tr_lua_run *run, tr_str key)
{
    char text[TR_LIMIT_LUA_KEY_BYTES];
    tr_str kept;
    struct tr_buf buf;
    if (run->root == run)
        return key;
    tr_buf_init_fixed(&buf, text, sizeof(text));
    tr_buf_put(&buf, key);
    for (const struct tr_lua_run *r = run; r->parent; r = r->parent)
        tr_buf_putf(&buf, "@%zu", r->parent->journal_from);
    if (tr_buf_check(&buf, NULL) != TR_OK)
        (void)luaL_error(L, "the key of a question is too long");
    if (!tr_arena_copy(run->call->arena, tr_buf_str(&buf), &kept))
        tr_lua_raise_nomem(L);
    return kept;
}

static void remember_key(lua_State *L, struct tr_lua_run *run, tr_str key)
{
    struct tr_lua_run *root = run->root;
    for (size_t i = 0; i < root->asked.count; i++)
        if (tr_str_eq(root->asked.items[i], key))
            (void)luaL_error(L, "the key '%s' was asked before in this call",
                             key.ptr);
    if (root->asked.count == TR_LIMIT_LUA_ASKS)
        (void)luaL_error(L, "a call asks at most %d questions",
                         TR_LIMIT_LUA_ASKS);
    if (!tr_vec_push(root->call->arena, &root->asked, key))
        tr_lua_raise_nomem(L);
}

/* Reads the question on top of the stack; `name` is its key by default. */
static void prepare_ask(lua_State *L, struct tr_lua_run *run,
                        struct tr_call_ask *ask, tr_str name)
{
    tr_lua_read_question(L, run->call->arena, ask);
    ask->key = make_key(L, run, ask->key.len > 0 ? ask->key : name);
    if (ask->key.len > TR_LIMIT_LUA_KEY_BYTES)
        (void)luaL_error(L, "the key of a question is too long");
    remember_key(L, run, ask->key);
}

static struct tr_call_ask *new_asks(lua_State *L, struct tr_lua_run *run,
                                    size_t count)
{
    struct tr_call_ask *asks = tr_lua_must_have(
        L, TR_NEW_ARRAY(run->call->arena, struct tr_call_ask, count));
    run->asks = asks;
    run->ask_count = count;
    run->ask_names = NULL;
    return asks;
}

/* "elicit-1": the kind of a question, and its number in the call. */
static tr_str numbered_name(lua_State *L, const struct tr_lua_run *run,
                            enum tr_call_ask_kind kind)
{
    char text[32];
    tr_str kept;
    int len = snprintf(text, sizeof(text), "%s-%zu", tr_lua_ask_name(kind),
                       run->root->asked.count + 1);
    if (!tr_arena_copy(run->call->arena, (tr_str){text, (size_t)len}, &kept))
        tr_lua_raise_nomem(L);
    return kept;
}

static int ask_one(lua_State *L, enum tr_call_ask_kind kind, const char *what)
{
    struct tr_lua_run *run = tr_lua_ctx_run(L);
    tr_lua_run_must_wait(L, run, what);
    tr_lua_push_question(L, kind, 2);
    struct tr_call_ask *ask = new_asks(L, run, 1);
    prepare_ask(L, run, ask, numbered_name(L, run, kind));
    return tr_lua_run_wait(L, run, TR_LUA_WAIT_ANSWERS, after_ask);
}

static int ctx_elicit(lua_State *L)
{
    return ask_one(L, TR_CALL_ASK_ELICIT, "ctx:elicit");
}

static int ctx_sample(lua_State *L)
{
    return ask_one(L, TR_CALL_ASK_SAMPLE, "ctx:sample");
}

static int ctx_roots(lua_State *L)
{
    return ask_one(L, TR_CALL_ASK_ROOTS, "ctx:roots");
}

static int by_text(const void *a, const void *b)
{
    return tr_str_cmp(*(const tr_str *)a, *(const tr_str *)b);
}

/* The keys of the table at `index`, in byte order. */
static size_t sorted_names(lua_State *L, int index, struct tr_arena *arena,
                           tr_str **out)
{
    tr_str names[TR_LIMIT_LUA_ASKS];
    size_t count = 0;
    for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1)) {
        if (lua_type(L, -2) != LUA_TSTRING)
            (void)luaL_error(L, "ctx:ask: questions have names");
        if (count == TR_LIMIT_LUA_ASKS)
            (void)luaL_error(L, "ctx:ask: at most %d questions",
                             TR_LIMIT_LUA_ASKS);
        names[count++] = tr_lua_to_text(L, -2, arena);
    }
    if (count == 0)
        (void)luaL_error(L, "ctx:ask: there is no question");
    qsort(names, count, sizeof(names[0]), by_text);
    *out = tr_lua_must_have(L, TR_NEW_ARRAY(arena, tr_str, count));
    memcpy(*out, names, count * sizeof(names[0]));
    return count;
}

static int ctx_ask(lua_State *L)
{
    struct tr_lua_run *run = tr_lua_ctx_run(L);
    tr_str *names = NULL;
    luaL_checktype(L, 2, LUA_TTABLE);
    tr_lua_run_must_wait(L, run, "ctx:ask");
    size_t count = sorted_names(L, 2, run->call->arena, &names);
    struct tr_call_ask *asks = new_asks(L, run, count);
    for (size_t i = 0; i < count; i++) {
        tr_lua_push_str(L, names[i]);
        (void)lua_rawget(L, 2);
        prepare_ask(L, run, &asks[i], names[i]);
        lua_pop(L, 1);
    }
    run->ask_names = names;
    return tr_lua_run_wait(L, run, TR_LUA_WAIT_ANSWERS, after_ask);
}

/* What a handler returns. --------------------------------------------------*/

/* A value for `return ctx:error("...")`; Lua's error() throws instead. */
static int ctx_error(lua_State *L)
{
    (void)tr_lua_ctx_run(L);
    (void)luaL_checkstring(L, 2);
    lua_settop(L, 3);
    lua_createtable(L, 0, 2);
    lua_pushvalue(L, 2);
    lua_setfield(L, -2, "message");
    lua_pushvalue(L, 3);
    lua_setfield(L, -2, "data");
    tr_lua_set_mark(L, tr_lua_of(L)->refs.failure);
    return 1;
}

/* Content, value and _meta at once. */
static int ctx_result(lua_State *L)
{
    static const struct tr_lua_option list[] = {
        {"content", NULL}, {"value", NULL},    {"meta", NULL},
        {"_meta", "meta"}, {"is_error", NULL},
    };
    struct tr_lua_options o = {L, 2, "ctx:result", NULL, NULL};
    (void)tr_lua_ctx_run(L);
    luaL_checktype(L, 2, LUA_TTABLE);
    tr_lua_options_push_json(&o, list, TR_LEN(list));
    tr_lua_set_mark(L, tr_lua_of(L)->refs.result);
    return 1;
}

/* Facts about the call. ----------------------------------------------------*/

static void push_client(lua_State *L, const struct tr_lua_run *run)
{
    const struct tr_call_client *client = run->call->client;
    lua_createtable(L, 0, 3);
    tr_lua_push_str(L, client ? client->name : TR_STR(""));
    lua_setfield(L, -2, "name");
    tr_lua_push_str(L, client ? client->version : TR_STR(""));
    lua_setfield(L, -2, "version");
    if (client && client->capabilities)
        tr_lua_push_json(L, client->capabilities);
    else
        lua_newtable(L);
    lua_setfield(L, -2, "capabilities");
}

static const luaL_Reg methods[] = {
    {"progress", ctx_progress},
    {"log", ctx_log},
    {"updated", ctx_updated},
    {"list_changed", ctx_list_changed},
    {"close_stream", ctx_close_stream},
    {"now", ctx_now},
    {"now_text", ctx_now_text},
    {"random", ctx_random},
    {"spend", ctx_spend},
    {"secret", tr_lua_ctx_secret},
    {"hmac", tr_lua_ctx_hmac},
    {"error", ctx_error},
    {"result", ctx_result},
    {"text", tr_lua_content_text},
    {"image", tr_lua_content_image},
    {"audio", tr_lua_content_audio},
    {"resource", tr_lua_content_resource},
    {"link", tr_lua_content_link},
    {"sleep", ctx_sleep},
    {"ask", ctx_ask},
    {"elicit", ctx_elicit},
    {"sample", ctx_sample},
    {"roots", ctx_roots},
    {"invoke", tr_lua_ctx_invoke},
    {"fetch", tr_lua_ctx_fetch},
};

static const char *const facts[] = {"args",      "client",   "kg",
                                    "principal", "settings", "trace_id"};

_Noreturn static void refuse_name(lua_State *L, tr_str name)
{
    struct tr_nearest nearest;
    tr_nearest_init(&nearest, name);
    for (size_t i = 0; i < TR_LEN(methods); i++)
        tr_nearest_offer(&nearest, tr_str_from(methods[i].name));
    for (size_t i = 0; i < TR_LEN(facts); i++)
        tr_nearest_offer(&nearest, tr_str_from(facts[i]));
    if (nearest.best.len > 0)
        (void)luaL_error(L, "ctx has no '%s', did you mean '%s'?", name.ptr,
                         nearest.best.ptr);
    else
        (void)luaL_error(L, "ctx has no '%s'", name.ptr);
    abort(); /* not reached: luaL_error does not return */
}

/* Upvalue 1: the methods. */
static int ctx_index(lua_State *L)
{
    lua_settop(L, 2);
    lua_pushvalue(L, 2);
    if (lua_rawget(L, lua_upvalueindex(1)) != LUA_TNIL)
        return 1;
    const struct tr_lua_run *run = tr_lua_ctx_run(L);
    tr_str name;
    name.ptr = luaL_checklstring(L, 2, &name.len);
    if (tr_str_eq(name, TR_STR("args")))
        (void)lua_getiuservalue(L, 1, 1);
    else if (tr_str_eq(name, TR_STR("client")))
        push_client(L, run);
    else if (tr_str_eq(name, TR_STR("kg")))
        tr_lua_kg_push(L, 1);
    else if (tr_str_eq(name, TR_STR("principal")))
        tr_lua_push_str(L, run->call->principal);
    else if (tr_str_eq(name, TR_STR("settings")))
        tr_lua_push_settings(L);
    else if (tr_str_eq(name, TR_STR("trace_id")))
        tr_lua_push_str(L, run->call->trace_id);
    else
        refuse_name(L, name);
    return 1;
}

static int ctx_newindex(lua_State *L)
{
    return luaL_error(L, "ctx is read-only");
}

void tr_lua_ctx_open(lua_State *L)
{
    (void)luaL_newmetatable(L, "ctx");
    lua_createtable(L, 0, TR_LEN(methods));
    for (size_t i = 0; i < TR_LEN(methods); i++) {
        lua_pushcfunction(L, methods[i].func);
        lua_setfield(L, -2, methods[i].name);
    }
    lua_pushcclosure(L, ctx_index, 1);
    lua_setfield(L, -2, "__index");
    lua_pushcfunction(L, ctx_newindex);
    lua_setfield(L, -2, "__newindex");
    lua_pushboolean(L, 0);
    lua_setfield(L, -2, "__metatable");
    tr_lua_of(L)->refs.ctx = luaL_ref(L, LUA_REGISTRYINDEX);
}

void tr_lua_ctx_push(lua_State *L, struct tr_lua_run *run)
{
    struct tr_lua_run **ctx =
        (struct tr_lua_run **)lua_newuserdatauv(L, sizeof(*ctx), 1);
    *ctx = run;
    run->ctx = ctx;
    tr_lua_set_mark(L, run->lua->refs.ctx);
}

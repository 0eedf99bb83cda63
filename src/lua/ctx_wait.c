#include "lua/ctx_wait.h"

#include "base/buf.h"
#include "base/limits.h"
#include "json/build.h"
#include "lua/convert.h"
#include "lua/ctx.h"
#include "lua/fault.h"
#include "lua/question.h"

#include <math.h>

static int after_sleep(lua_State *L, int status, lua_KContext context)
{
    (void)L;
    (void)status;
    (void)context;
    return 0;
}

int tr_lua_ctx_sleep(lua_State *L)
{
    struct tr_lua_run *run = tr_lua_ctx_run(L);
    double seconds = luaL_checknumber(L, 2);
    luaL_argcheck(L, seconds >= 0 && seconds <= TR_LIMIT_LUA_SLEEP_S, 2,
                  "must be from 0 to a day of seconds");
    tr_lua_run_must_wait(L, run, "ctx:sleep");
    run->sleep_ms = (uint64_t)ceil(seconds * 1000);
    return tr_lua_run_wait(L, run, TR_WAIT_SLEEP, after_sleep);
}

/* Asking. ------------------------------------------------------------------*/

/* Pushes the answer to one question. */
static void push_answer(lua_State *L, const struct tr_ask *ask)
{
    if (ask->refusal.len > 0)
        tr_lua_raise_fault(L, TR_E_UNAVAILABLE, ask->refusal, NULL);
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
        push_answer(L, &run->asks[0]);
        return 1;
    }
    lua_createtable(L, 0, (int)run->ask_count);
    for (size_t i = 0; i < run->ask_count; i++) {
        tr_lua_push_str(L, run->ask_names[i]);
        push_answer(L, &run->asks[i]);
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
                        struct tr_ask *ask, tr_str name)
{
    tr_lua_read_question(L, run->call->arena, ask);
    ask->key = make_key(L, run, ask->key.len > 0 ? ask->key : name);
    if (ask->key.len > TR_LIMIT_LUA_KEY_BYTES)
        (void)luaL_error(L, "the key of a question is too long");
    remember_key(L, run, ask->key);
}

static struct tr_ask *new_asks(lua_State *L, struct tr_lua_run *run,
                               size_t count)
{
    struct tr_ask *asks = TR_NEW_ARRAY(run->call->arena, struct tr_ask, count);
    if (!asks)
        tr_lua_raise_nomem(L);
    run->asks = asks;
    run->ask_count = count;
    run->ask_names = NULL;
    return asks;
}

/* "elicit-1": the how-maniest question of the call it is. */
static tr_str numbered_name(lua_State *L, const struct tr_lua_run *run,
                            enum tr_ask_kind kind)
{
    char text[32];
    tr_str kept;
    int len = snprintf(text, sizeof(text), "%s-%zu", tr_lua_ask_name(kind),
                       run->root->asked.count + 1);
    if (!tr_arena_copy(run->call->arena, (tr_str){text, (size_t)len}, &kept))
        tr_lua_raise_nomem(L);
    return kept;
}

static int ask_one(lua_State *L, enum tr_ask_kind kind, const char *what)
{
    struct tr_lua_run *run = tr_lua_ctx_run(L);
    tr_lua_run_must_wait(L, run, what);
    tr_lua_push_question(L, kind, 2);
    struct tr_ask *ask = new_asks(L, run, 1);
    prepare_ask(L, run, ask, numbered_name(L, run, kind));
    return tr_lua_run_wait(L, run, TR_WAIT_ANSWERS, after_ask);
}

int tr_lua_ctx_elicit(lua_State *L)
{
    return ask_one(L, TR_ASK_ELICIT, "ctx:elicit");
}

int tr_lua_ctx_sample(lua_State *L)
{
    return ask_one(L, TR_ASK_SAMPLE, "ctx:sample");
}

int tr_lua_ctx_roots(lua_State *L)
{
    return ask_one(L, TR_ASK_ROOTS, "ctx:roots");
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
    *out = TR_NEW_ARRAY(arena, tr_str, count);
    if (!*out)
        tr_lua_raise_nomem(L);
    memcpy(*out, names, count * sizeof(names[0]));
    return count;
}

int tr_lua_ctx_ask(lua_State *L)
{
    struct tr_lua_run *run = tr_lua_ctx_run(L);
    tr_str *names = NULL;
    luaL_checktype(L, 2, LUA_TTABLE);
    tr_lua_run_must_wait(L, run, "ctx:ask");
    size_t count = sorted_names(L, 2, run->call->arena, &names);
    struct tr_ask *asks = new_asks(L, run, count);
    for (size_t i = 0; i < count; i++) {
        tr_lua_push_str(L, names[i]);
        (void)lua_rawget(L, 2);
        prepare_ask(L, run, &asks[i], names[i]);
        lua_pop(L, 1);
    }
    run->ask_names = names;
    return tr_lua_run_wait(L, run, TR_WAIT_ANSWERS, after_ask);
}

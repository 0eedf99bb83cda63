/* How long a handler keeps its loop, in counted instructions. */
#include "base/limits.h"
#include "base/test.h"
#include "loop/loop.h"
#include "lua/run.h"
#include "support/lua_world.h"

#define HANDLER(id, body)                                                      \
    "capability '" id "' { description = 'd', run = function(ctx, args) " body \
    " end }\n"

#define TEXT(text) "[{\"type\":\"text\",\"text\":\"" text "\"}]"

/* What may be counted after the bound, before a hook sees it. */
#define SLACK (3 * TR_LIMIT_LUA_HOOK)

#define LOOP "for i = 1, 3000000 do end "

#define ITEMS                                                                  \
    "local t, x = {}, 1 for i = 1, 40000 do\n"                                 \
    "  x = x * 69621 % 2147483647 t[i] = x end\n"

#define IN_ORDER "for i = 2, #t do assert(t[i - 1] <= t[i]) end return 'done'"

static const char *const leavable[] = {
    LOOP "return 'done'",
    "pcall(function() " LOOP "end) return 'done'",
    "coroutine.wrap(function() " LOOP "end)() return 'done'",
    "local co = coroutine.create(function(a) " LOOP
    "return coroutine.yield(a + 1) end)\n"
    "local ok, two = coroutine.resume(co, 1)\n"
    "local good, word = coroutine.resume(co, 'done')\n"
    "assert(ok and two == 2 and coroutine.status(co) == 'dead')\n"
    "return word",
    "return coroutine.wrap(function()\n"
    "  return coroutine.wrap(function()\n"
    "    pcall(function() " LOOP "end) return 'done' end)() end)()",
    "local ok, e = pcall(coroutine.wrap(function() " LOOP
    "error('done', 0) end)) return e",
    /* One comparison that is long, many that are short, a metamethod, and Lua
     * alone with no code of the app. */
    "local t = { 2, 1 }\n"
    "table.sort(t, function(a, b) " LOOP "return a < b end)\n"
    "return t[1] == 1 and 'done'",
    ITEMS "table.sort(t, function(a, b) return a < b end)\n" IN_ORDER,
    ITEMS "local mt = { __lt = function(a, b) return a[1] < b[1] end }\n"
          "for i = 1, #t do t[i] = setmetatable({ t[i] }, mt) end\n"
          "table.sort(t)\n"
          "for i = 1, #t do t[i] = t[i][1] end " IN_ORDER,
    ITEMS "for i = 1, 4 do\n"
          "  table.sort(t) t[1], t[#t] = t[#t], t[1] end\n"
          "table.sort(t) " IN_ORDER,
    ITEMS "coroutine.wrap(function()\n"
          "  table.sort(t, function(a, b) return a < b end) end)() " IN_ORDER,
};

/* The same with a graph. */
static const char *const leavable_kg[] = {
    "ctx.kg:transaction(function() " LOOP "end) return 'done'",
    "ctx.kg:transaction(function()\n"
    "  ctx.kg:transaction(function() " LOOP "end) end) return 'done'",
    "coroutine.wrap(function()\n"
    "  ctx.kg:transaction(function() " LOOP "end) end)() return 'done'",
    "local _, e = pcall(ctx.kg.transaction, ctx.kg, function()\n" LOOP
    "  error('done', 0) end) return e",
};

static const char *const held[] = {
    "('x'):gsub('x', function() while true do end end)",
    "tostring(setmetatable({}, { __tostring = function()\n"
    "  while true do end end }))",
    "('x'):gsub('x', function() pcall(function() while true do end end) end)",
    "('x'):gsub('x', function()\n"
    "  coroutine.wrap(function() while true do end end)() end)",
    "('x'):gsub('x', function() table.sort({ 2, 1 }, function()\n"
    "  while true do end end) end)",
    "('x'):gsub('x', function() " ITEMS "while true do table.sort(t) end end)",
    "local t = setmetatable({ 2, 1 }, { __index = function()\n"
    "  while true do end end })\n"
    "t[1] = nil table.sort(t)",
};

static void open_body(struct lua_app *app, const char *body,
                      const struct tr_lua_limits *limits)
{
    char source[1024];
    (void)snprintf(source, sizeof(source), HANDLER("one", "%s"), body);
    lua_app_open_with(app, source, limits);
}

static const struct tr_lua_limits endless = {.instructions = UINT64_MAX / 2,
                                             .run_ms = UINT32_MAX};

static void check_returns(const struct lua_app *app, const char *body)
{
    struct lua_app real = *app; /* on a loop whose turns are its own */
    struct lua_call c;
    struct tr_err err = {0};
    CHECK_OK(tr_loop_create(NULL, &real.loop, &err), &err);
    lua_call_init(&c, &real, "one", "{}");
    lua_call_start(&c);
    size_t turns = 0;
    uint64_t before = 0;
    while (!c.finished) {
        const struct tr_lua_run *run = c.call.host_data;
        uint64_t now = run->budget->instructions;
        CHECK_ROW(now - before <= TR_LIMIT_LUA_TURN + SLACK, body);
        before = now;
        turns++;
        (void)tr_loop_turn(real.loop);
    }
    CHECK_ROW(turns > 1, body);
    CHECK_STR(tr_str_from(lua_call_text(&c)), TEXT("done"));
    lua_call_done(&c);
    tr_loop_free(real.loop);
}

TEST(lua_handler_that_can_be_left_returns_to_its_loop)
{
    for (size_t i = 0; i < TR_LEN(leavable); i++) {
        struct lua_app app;
        open_body(&app, leavable[i], &endless);
        check_returns(&app, leavable[i]);
        lua_app_close(&app);
    }
}

TEST(lua_transaction_can_be_left)
{
    for (size_t i = 0; i < TR_LEN(leavable_kg); i++) {
        struct lua_world w;
        char source[1024];
        (void)snprintf(source, sizeof(source), HANDLER("one", "%s"),
                       leavable_kg[i]);
        lua_world_open_with(&w, source, &endless);
        check_returns(&w.app, leavable_kg[i]);
        lua_world_close(&w);
    }
}

TEST(lua_handler_that_cannot_be_left_fails_over_the_bound)
{
    for (size_t i = 0; i < TR_LEN(held); i++) {
        struct lua_app app;
        struct lua_call c;
        open_body(&app, held[i], &endless);
        lua_call_init(&c, &app, "one", "{}");
        lua_call_start(&c);
        while (!c.finished)
            lua_call_turn(&c, 0);
        CHECK_ROW(c.call.instructions <= TR_LIMIT_LUA_TURN + SLACK, held[i]);
        CHECK_ROW(c.call.instructions > TR_LIMIT_LUA_TURN / 2, held[i]);
        CHECK_STR(tr_str_from(lua_call_text(&c)),
                  "limit: the handler ran more than 2000000 instructions where "
                  "it cannot be left: in a callback of gsub, a metamethod or a "
                  "function of C {\"reason\":\"instructions\"}");
        lua_call_done(&c);
        lua_app_close(&app);
    }
}

/*
 * Thousands of protected calls in each other: what catches an error pays for
 * the frames that Lua walks through, and who must stop is not unwound at all.
 * Each of these took minutes.
 */
TEST(lua_handler_in_many_protected_calls_ends_within_its_budget)
{
    static const char *const bodies[] = {
        "local function f() pcall(f) f() end f()",
        "coroutine.wrap(function()\n"
        "  local function f() pcall(f) f() end f() end)()",
        "local function f(n) if n > 0 then return 1 + f(n - 1) end\n"
        "  while true do pcall(error) end end f(150000)",
        "local function f() xpcall(f, tostring) f() end f()",
    };
    struct tr_lua_limits limits = {.instructions = 5000000,
                                   .run_ms = UINT32_MAX};
    for (size_t i = 0; i < TR_LEN(bodies); i++) {
        struct lua_app app;
        struct lua_call c;
        open_body(&app, bodies[i], &limits);
        lua_call_init(&c, &app, "one", "{}");
        lua_call_start(&c);
        while (!c.finished)
            lua_call_turn(&c, 0);
        CHECK_ROW(c.outcome.status == TR_E_LIMIT, bodies[i]);
        /* The last payment is for at most all frames there can be. */
        CHECK_ROW(c.call.instructions <= limits.instructions + (1 << 19),
                  bodies[i]);
        lua_call_done(&c);
        lua_app_close(&app);
    }
}

/* Another call cannot go on with a coroutine that waits for the loop. */
TEST(lua_coroutine_that_waits_for_the_loop_is_of_its_call)
{
    struct lua_app app;
    struct lua_call c;
    lua_app_open(&app,
                 "local co\n" HANDLER("begin",
                                      "co = coroutine.create(function() " LOOP
                                      "return 'mine' end)\n"
                                      "local _, word = coroutine.resume(co)\n"
                                      "return word")
                     HANDLER("take", "return select(2, pcall(coroutine.resume,"
                                     " co))")
                         HANDLER("close", "return select(2,"
                                          " pcall(coroutine.close, co))"));
    lua_call_init(&c, &app, "begin", "{}");
    lua_call_start(&c);
    CHECK(!c.finished);
    lua_check(&app, "take", "{}", TEXT("the coroutine runs in another call"));
    lua_check(&app, "close", "{}", TEXT("the coroutine runs in another call"));
    while (!c.finished)
        lua_call_turn(&c, 0);
    CHECK_STR(tr_str_from(lua_call_text(&c)), TEXT("mine"));
    lua_call_done(&c);
    lua_app_close(&app);
}

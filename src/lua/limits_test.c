/*
 * Handlers that take too much are stopped, alone; nothing they do helps them.
 */
#include "base/limits.h"

#include "base/buf.h"
#include "base/test.h"
#include "cap/registry.h"
#include "cap/snapshot.h"
#include "loop/loop.h"
#include "lualib/lualib.h"
#include "support/lua_door.h"

#define HANDLER(id, body)                                                      \
    "capability '" id "' { description = 'd', run = function(ctx, args) " body \
    " end }\n"

/* Small, so that every one of them is over it soon. */
static const struct tr_lua_limits small = {
    .instructions = 2000000,
    .run_ms = 20000,
    .call_bytes = TR_MIB(2),
    .state_bytes = TR_MIB(16),
};

/* Short when it is asked first, then as long as a sort takes. */
#define FICKLE                                                                 \
    "{ __len = function() n = (n or -1) + 1 return n * ((1 << 31) - 2) end }"

static const struct {
    const char *body;
    const char *reason;
} hogs[] = {
    {"while true do end", "instructions"},
    {"while true do pcall(function() while true do end end) end",
     "instructions"},
    {"pcall(function() while true do end end) return 'escaped'",
     "instructions"},
    {"xpcall(function() while true do end end, function() while true do end "
     "end) return 'escaped'",
     "instructions"},
    {"local co = coroutine.wrap(function() while true do end end) "
     "while true do pcall(co) end",
     "instructions"},
    {"local function f() for i = 1, 100 do coroutine.wrap(f)() end end f()",
     NULL},
    {"local function f() for i = 1, 100 do pcall(coroutine.wrap(f)) end end "
     "while true do f() end",
     "instructions"},
    {"while true do coroutine.resume(coroutine.create(function() end)) end",
     "instructions"},
    {"local t <close> = setmetatable({}, { __close = function() "
     "while true do end end }) while true do end",
     "instructions"},
    {"pcall(function() local t <close> = setmetatable({}, { __close = "
     "function() while true do end end }) while true do end end) "
     "return 'escaped'",
     "instructions"},
    {"local t = {} for i = 1, 20000 do t[i] = i end "
     "while true do table.sort(t) end",
     "instructions"},
    {"local s = ('x'):rep(100000) while true do s:upper() end", "instructions"},
    {"while true do local t = table.concat({}, '', 1, 0) end", "instructions"},
    {"table.concat(setmetatable({}, { __index = table.concat }), '', 1, 1e15 "
     "// 1)",
     NULL},
    {"table.move({}, 1, math.maxinteger - 1, 2)", NULL},
    {"table.concat(setmetatable({}, { __index = getmetatable, __metatable = "
     "'' }), '', math.mininteger, math.maxinteger)",
     "instructions"},
    {"table.concat(setmetatable({}, { __index = getmetatable, __metatable = "
     "'', __len = function() return 1 << 60 end }))",
     "instructions"},
    {"local n local s = table.concat(setmetatable({}, { __index = getmetatable,"
     " __metatable = '', __len = function() n = (n or -1) + 1 "
     "return n * (1 << 60) end })) error(s == '' and 'asked once')",
     NULL},
    {"local n table.insert(setmetatable({}, " FICKLE "), 1, 1)", NULL},
    {"local n table.remove(setmetatable({}, " FICKLE "), 1)", NULL},
    {"local n table.sort(setmetatable({}, " FICKLE "), rawequal)", NULL},
    {"while true do ('x'):rep(50000):find(('.-'):rep(10) .. 'y') end", NULL},
    {"local s = ('a'):rep(30) while true do pcall(string.find, s, "
     "('.-'):rep(20) .. 'b') end",
     "instructions"},
    {"local s = ('1'):rep(1000000) while true do tonumber(s, 10) end",
     "instructions"},
    {"table.sort({ 1, 2, 3 }, function() while true do end end)",
     "instructions"},
    {"('x'):gsub('x', function() while true do end end)", "instructions"},
    {"re.gsub('x', 'x', function() while true do end end)", "instructions"},
    {"tostring(setmetatable({}, { __tostring = function() while true do end "
     "end }))",
     "instructions"},
    {"return setmetatable({}, { __index = function() while true do end end "
     "}).x",
     "instructions"},
    {"print(setmetatable({}, { __name = {}, __tostring = function() while true "
     "do end end }))",
     "instructions"},
    {"error(setmetatable({}, { __tostring = function() while true do end end "
     "}))",
     NULL},
    {"local f f = function() return pcall(f) end while true do f() end",
     "instructions"},
    {"local function f() return f() + 1 end while true do pcall(f) end", NULL},
    {"while true do utf8.len(('x'):rep(100000)) end", "instructions"},
    {"while true do pcall(json.encode, { ('x'):rep(100000) }) end",
     "instructions"},
    {"local t = {} while true do t[#t + 1] = {} end", "memory"},
    {"local t = {} while true do pcall(function() while true do t[#t + 1] = "
     "('x'):rep(1000) .. #t end end) end",
     "memory"},
    {"local t = {} local co = coroutine.wrap(function() while true do "
     "t[#t + 1] = {} end end) pcall(co) return 'escaped'",
     "memory"},
    {"pcall(string.rep, 'x', 1 << 28) return 'escaped'", "memory"},
    {"local s = 'x' while true do s = s .. s end", "memory"},
    {"string.format('%s%s', ('x'):rep(1500000), ('x'):rep(1500000))", "memory"},
    {"local t = {} for i = 1, 100000 do t[i] = 'x' end "
     "return table.concat(t, ('y'):rep(100))",
     "memory"},
    {"string.pack('c100000000', 'x')", "memory"},
};

static void add_handler(struct tr_buf *out, size_t i, const char *body)
{
    tr_buf_putf(out,
                "capability 'hog%zu' { description = 'd', "
                "run = function(ctx, args) %s end }\n",
                i, body);
}

/* Every hog runs beside a neighbour that works in the same state. */
TEST(lua_handler_over_its_limits_fails_alone)
{
    struct tr_buf source;
    struct lua_app app;
    tr_buf_init(&source, TR_KIB(64));
    tr_buf_put(&source,
               TR_STR(HANDLER("neighbour", "local t = {} for i = 1, 5000 do "
                                           "t[i] = { i } ctx:sleep(0) end "
                                           "return #t")));
    for (size_t i = 0; i < TR_LEN(hogs); i++)
        add_handler(&source, i, hogs[i].body);
    tr_buf_putc(&source, '\0');
    lua_app_open_with(&app, source.ptr, &small);
    for (size_t i = 0; i < TR_LEN(hogs); i++) {
        char name[32];
        struct lua_call hog;
        struct lua_call neighbour;
        (void)snprintf(name, sizeof(name), "hog%zu", i);
        lua_call_init(&neighbour, &app, "neighbour", "{}");
        lua_call_init(&hog, &app, name, "{}");
        lua_call_start(&neighbour);
        lua_call_start(&hog);
        lua_call_wait(&hog, 0);
        lua_call_wait(&neighbour, 0);
        const char *text = lua_call_text(&hog);
        CHECK_ROW(hog.outcome.status != TR_OK, hogs[i].body);
        CHECK_ROW(!hogs[i].reason || strstr(text, hogs[i].reason), text);
        CHECK_ROW(!hogs[i].reason || hog.outcome.status == TR_E_LIMIT, text);
        CHECK_STR(tr_str_from(lua_call_text(&neighbour)), "5000");
        lua_call_done(&hog);
        lua_call_done(&neighbour);
    }
    tr_buf_done(&source);
    lua_app_close(&app);
}

TEST(lua_limit_error_says_which_one)
{
    struct lua_app app;
    lua_app_open_with(&app, HANDLER("spin", "while true do end"), &small);
    lua_check(&app, "spin", "{}",
              "limit: the handler is over its instructions budget, [lua] "
              "instructions "
              "{\"reason\":\"instructions\"}");
    lua_app_close(&app);
}

TEST(lua_handler_over_its_time_is_stopped)
{
    struct tr_lua_limits limits = {.run_ms = 50};
    struct lua_app app;
    lua_app_open_with(&app, HANDLER("spin", "while true do end"), &limits);
    lua_check(&app, "spin", "{}",
              "limit: the handler is over its time budget, [lua] call_seconds "
              "{\"reason\":\"time\"}");
    lua_app_close(&app);
}

/* Waiting is free, however long; only running counts. */
TEST(lua_handler_may_wait_longer_than_it_may_run)
{
    struct tr_lua_limits limits = {.run_ms = 2000};
    struct lua_app app;
    struct lua_call c;
    lua_app_open_with(&app, HANDLER("nap", "ctx:sleep(3600) return 1"),
                      &limits);
    lua_call_init(&c, &app, "nap", "{}");
    lua_call_start(&c);
    lua_call_wait(&c, 100000);
    CHECK_INT(c.outcome.status, TR_OK);
    lua_call_done(&c);
    lua_app_close(&app);
}

TEST(lua_spinning_handler_lets_others_run)
{
    struct lua_app app;
    struct lua_call spin;
    lua_app_open(&app, HANDLER("spin", "while true do end")
                           HANDLER("quick", "return 'quick'"));
    lua_call_init(&spin, &app, "spin", "{}");
    lua_call_start(&spin);
    for (size_t i = 0; i < 20; i++) {
        CHECK(!spin.finished);
        lua_check(&app, "quick", "{}",
                  "[{\"type\":\"text\",\"text\":\"quick\"}]");
        (void)tr_loop_turn(app.loop);
    }
    tr_call_cancel(&spin.call);
    lua_call_wait(&spin, 0);
    CHECK_INT(spin.outcome.status, TR_E_CANCELLED);
    lua_call_done(&spin);
    lua_app_close(&app);
}

/* Few instructions that take long: each handler would end in one go. */
TEST(lua_slow_handler_lets_others_run)
{
    static const char *const bodies[] = {
        "local s = ('x'):rep(3000000) local t = s .. 'y' local n = 0 "
        "for i = 1, 500 do if s < t then n = n + 1 end end return n",
        "local t = {} for i = 1, 100000 do t[i .. ''] = i end "
        "for k in pairs(t) do t[k] = nil end "
        "for i = 1, 500 do next(t) end return 500",
        "local s = (('a'):rep(20) .. ' '):rep(50) for i = 1, 20 do "
        "pcall(re.find, s, '(a|aa)+[bc]') end return 500",
    };
    for (size_t i = 0; i < TR_LEN(bodies); i++) {
        char source[1024];
        struct lua_app app;
        struct lua_app real;
        struct lua_call c;
        struct tr_err err = {0};
        size_t turns = 0;
        (void)snprintf(source, sizeof(source), HANDLER("slow", "%s"),
                       bodies[i]);
        lua_app_open(&app, source);
        real = app; /* of the test clock, a step is as many turns as it takes */
        CHECK_OK(tr_loop_create(NULL, &real.loop, &err), &err);
        lua_call_init(&c, &real, "slow", "{}");
        lua_call_start(&c);
        for (; !c.finished; turns++)
            (void)tr_loop_turn(real.loop);
        CHECK_ROW(turns >= 10, bodies[i]);
        CHECK_STR(tr_str_from(lua_call_text(&c)), "500");
        lua_call_done(&c);
        tr_loop_free(real.loop);
        lua_app_close(&app);
    }
}

/* What was allocated and let go again is not held against a call. */
TEST(lua_garbage_does_not_count_as_memory)
{
    struct tr_lua_limits limits = {.call_bytes = TR_MIB(1)};
    struct lua_app app;
    lua_app_open_with(&app,
                      HANDLER("churn", "for i = 1, 2000 do "
                                       "local s = ('x'):rep(10000) .. i end "
                                       "return 'done'"),
                      &limits);
    lua_check(&app, "churn", "{}", "[{\"type\":\"text\",\"text\":\"done\"}]");
    lua_app_close(&app);
}

/*
 * Others leave garbage; a call that collects it has not got more room by that:
 * it holds 40 texts of 50,000 bytes, and no more.
 */
TEST(lua_garbage_of_others_makes_no_room)
{
    struct tr_lua_limits limits = {.call_bytes = TR_MIB(2),
                                   .state_bytes = TR_MIB(64)};
    struct lua_app app;
    lua_app_open_with(
        &app,
        "local most, junk = 0, {}\n" HANDLER(
            "litter", "for i = 1, 20 do "
                      "junk[#junk + 1] = ('x'):rep(50000) .. #junk end "
                      "return 'done'")
            HANDLER("hold", "junk = {} most = 0 local t = {} "
                            "for i = 1, 1000 do "
                            "t[i] = ('x'):rep(50000) .. i most = i end")
                HANDLER("most", "return most > 35 and most < 43"),
        &limits);
    lua_check(&app, "hold", "{}",
              "limit: the handler is over its memory budget, [lua] call_bytes "
              "{\"reason\":\"memory\"}");
    lua_check(&app, "most", "{}", "true");
    for (int i = 0; i < 40; i++)
        lua_check(&app, "litter", "{}",
                  "[{\"type\":\"text\",\"text\":\"done\"}]");
    lua_check(&app, "hold", "{}",
              "limit: the handler is over its memory budget, [lua] call_bytes "
              "{\"reason\":\"memory\"}");
    lua_check(&app, "most", "{}", "true");
    lua_app_close(&app);
}

#define FULL                                                                   \
    "limit: the app has filled the memory of its state, with what it keeps "   \
    "between calls or with what other calls hold; once no call runs in it, "   \
    "it gets a new one {\"reason\":\"memory\"}"

/* A leak in an upvalue is told as such, and does not fail until a restart. */
TEST(lua_state_that_is_full_is_renewed)
{
    struct tr_lua_limits limits = {.call_bytes = TR_MIB(1),
                                   .state_bytes = 3700000};
    struct lua_app app;
    struct lua_call waits;
    static const char *const kept[] = {"8", "16", "24", "32"};
    lua_app_open_with(&app,
                      "local kept = {}\n" HANDLER(
                          "leak",
                          "for i = 1, 8 do "
                          "kept[#kept + 1] = ('x'):rep(100000) .. #kept "
                          "end return #kept")
                          HANDLER("wait", "ctx:sleep(1) return 'waited'"),
                      &limits);
    for (int round = 0; round < 3; round++) {
        for (size_t i = 0; i < TR_LEN(kept); i++)
            lua_check(&app, "leak", "{}", kept[i]);
        lua_call_init(&waits, &app, "wait", "{}");
        lua_call_start(&waits);
        lua_check(&app, "leak", "{}", FULL);
        lua_check(&app, "leak", "{}", FULL); /* one call is still in it */
        lua_call_wait(&waits, 1000);
        CHECK_STR(tr_str_from(lua_call_text(&waits)),
                  "[{\"type\":\"text\",\"text\":\"waited\"}]");
        lua_call_done(&waits);
    }
    lua_app_close(&app);
}

/* Charges of calls that wait do not drift: many come and go. */
TEST(lua_many_calls_leave_nothing_behind)
{
    struct tr_lua_limits limits = {.call_bytes = TR_MIB(1),
                                   .state_bytes = TR_MIB(4)};
    struct lua_app app;
    size_t count = tr_test_scaled(20000);
    lua_app_open_with(&app,
                      HANDLER("work", "local t = {} for i = 1, 100 do "
                                      "t[i] = { i, tostring(i) } end "
                                      "ctx:sleep(0) return #t"),
                      &limits);
    for (size_t i = 0; i < count; i++)
        lua_check(&app, "work", "{}", "100");
    lua_app_close(&app);
}

TEST(lua_invoked_handler_shares_the_limits_of_its_caller)
{
    struct lua_app app;
    lua_app_open_with(&app,
                      HANDLER("child", "for i = 1, 100000 do end return 1")
                          HANDLER("parent", "while true do "
                                            "pcall(ctx.invoke, ctx, 'child') "
                                            "end"),
                      &small);
    lua_check(&app, "parent", "{}",
              "limit: the handler is over its instructions budget, [lua] "
              "instructions "
              "{\"reason\":\"instructions\"}");
    lua_app_close(&app);
}

/*
 * Every allocation of Lua may fail. The ceiling is moved up step by step, so
 * that another one fails each time: an error comes back, or it works.
 */
TEST(lua_survives_every_failing_allocation)
{
    static const char source[] =
        "resource 'a:b' { run = function() return 'x' end }\n" HANDLER(
            "work", "local t = {} for i = 1, 20 do t[i] = { n = i } end "
                    "ctx:sleep(0) ctx:log('info', t) "
                    "local ok, e = pcall(error, { t = t }) "
                    "return { t = t, s = ('x'):rep(100), e = tostring(e) }");
    size_t worked = 0;
    for (size_t bytes = 1000; bytes < 60000; bytes += 97) {
        struct tr_lua_limits limits = {.state_bytes = bytes};
        struct tr_err err = {0};
        struct lua_app app;
        struct lua_call c;
        tr_status st = lua_app_try(&app, source, &limits, &err);
        if (st != TR_OK) {
            CHECK(st == TR_E_LIMIT || st == TR_E_NOMEM || st == TR_E_INVALID);
            continue;
        }
        lua_call_init(&c, &app, "work", "{}");
        lua_call_start(&c);
        lua_call_wait(&c, 0);
        CHECK(c.outcome.status == TR_OK || c.outcome.status == TR_E_LIMIT);
        worked += c.outcome.status == TR_OK;
        lua_call_done(&c);
        lua_app_close(&app);
    }
    CHECK(worked > 10);
}

/*
 * Every allocation of ours fails once. Where Lua asks again after a collection
 * all may still go well, so only the first run has to succeed, and no run may
 * crash or leak.
 */
struct faulty {
    bool has_run;
};

static tr_status load_and_run(void *context, struct tr_err *err)
{
    struct faulty *faulty = context;
    struct tr_cap_builder *builder = NULL;
    const struct tr_cap_snapshot *snapshot = NULL;
    struct tr_lua_app app = {
        .path = TR_STR("app.lua"),
        .source = TR_STR(HANDLER("work", "return re.match('a', 'a')")),
    };
    tr_status st = tr_cap_builder_create(NULL, &builder, err);
    if (st == TR_OK)
        st = tr_lua_app_load(&app, builder, err);
    if (st == TR_OK)
        st = tr_cap_registry_build(builder, &snapshot, err);
    tr_cap_builder_free(builder);
    tr_cap_snapshot_unpin(snapshot);
    if (faulty->has_run && (st == TR_OK || st == TR_E_INVALID))
        st = TR_E_NOMEM;
    faulty->has_run = true;
    return st;
}

TEST(lua_app_load_survives_without_memory)
{
    struct faulty faulty = {0};
    tr_test_sweep(load_and_run, &faulty);
}

/*
 * Handlers from their start to their end, as a door sees them.
 */
#include "lua/run.h"

#include "base/test.h"
#include "cap/resource.h"
#include "cap/snapshot.h"
#include "loop/loop.h"
#include "support/lua_door.h"

/* A capability whose handler is `body`; ctx and args are there. */
#define HANDLER(id, body)                                                      \
    "capability '" id "' { description = 'For a test.', input_schema = "       \
    "'{\"type\":\"object\"}', run = function(ctx, args) " body " end }\n"

static const char returns[] = HANDLER("text", "return 'hi'") HANDLER(
    "nothing", "") HANDLER("number", "return 42")
    HANDLER("value", "return { b = 1, a = { true, null } }") HANDLER(
        "empty_array", "return array {}") HANDLER("empty_object", "return {}")
        HANDLER("block", "return ctx:text('t', { meta = { k = 1 } })") HANDLER(
            "blocks",
            "return { ctx:image('AA==', 'image/png'), 'and text' "
            "}") HANDLER("audio", "return ctx:audio('AA==', 'audio/wav', "
                                  "{ annotations = { last_modified = 'x' } })")
            HANDLER(
                "resource",
                "return ctx:resource { uri = 'a:b', text = 't', "
                "mime_type = 'text/plain' }") HANDLER("link",
                                                      "return ctx:link { uri = "
                                                      "'a:b', name = 'n' }")
                HANDLER("error", "return ctx:error('no', { why = 1 })") HANDLER(
                    "result",
                    "return ctx:result { content = 'c', value = { v = 1 }, "
                    "meta = { m = 1 } }") HANDLER("function", "return print")
                    HANDLER("mixed", "return { 1, x = 2 }") HANDLER(
                        "bytes", "return { deep = { '\\255' } }")
                        HANDLER("nan", "return { n = 0/0 }") HANDLER(
                            "cycle", "local t = {} t.t = t return t")
                            HANDLER("throws", "error('bad')") HANDLER(
                                "throws_table",
                                "error { code = 'not_found', message = 'm', "
                                "data = { d = 1 } }") HANDLER("throws_odd",
                                                              "error(print)")
                                HANDLER("throws_number", "error(12)") HANDLER(
                                    "facts", "return ctx.client.name .. "
                                             "ctx.client.version .. "
                                             "ctx.principal .. ctx.trace_id .. "
                                             "ctx.args.x")
                                    HANDLER("no_such", "return ctx:progres(1)")
                                        HANDLER("writes_ctx", "ctx.x = 1");

TEST(lua_handler_returns_become_outcomes)
{
    static const struct {
        const char *name;
        const char *expected;
    } rows[] = {
        {"text", "[{\"type\":\"text\",\"text\":\"hi\"}]"},
        {"nothing", "[]"},
        {"number", "42"},
        {"value", "{\"a\":[true,null],\"b\":1}"},
        {"empty_array", "[]"},
        {"empty_object", "{}"},
        {"block", "[{\"_meta\":{\"k\":1},\"text\":\"t\",\"type\":\"text\"}]"},
        {"blocks", "[{\"data\":\"AA==\",\"mimeType\":\"image/png\",\"type\":"
                   "\"image\"},{\"text\":\"and text\",\"type\":\"text\"}]"},
        {"audio", "[{\"annotations\":{\"lastModified\":\"x\"},\"data\":"
                  "\"AA==\",\"mimeType\":\"audio/wav\",\"type\":\"audio\"}]"},
        {"resource", "[{\"resource\":{\"mimeType\":\"text/plain\",\"text\":"
                     "\"t\",\"uri\":\"a:b\"},\"type\":\"resource\"}]"},
        {"link",
         "[{\"name\":\"n\",\"type\":\"resource_link\",\"uri\":\"a:b\"}]"},
        {"error", "error: [{\"type\":\"text\",\"text\":\"no\"}] {\"why\":1}"},
        {"result", "[{\"type\":\"text\",\"text\":\"c\"}]{\"v\":1} meta "
                   "{\"m\":1}"},
        {"function",
         "internal: app.lua:14: the value cannot be sent: it is a function"},
        {"mixed", "internal: app.lua:15: the value cannot be sent: it has both "
                  "names and "
                  "numbers as keys, such as x"},
        {"bytes", "internal: app.lua:16: 'deep[1]' cannot be sent: it is not "
                  "UTF-8; send "
                  "bytes as base64"},
        {"nan",
         "internal: app.lua:17: 'n' cannot be sent: it is not a finite number"},
        {"cycle", "internal: app.lua:18: the value cannot be sent: it is "
                  "nested too deep, "
                  "or contains itself"},
        {"throws", "internal: app.lua:19: bad"},
        {"throws_table", "not_found: m {\"d\":1}"},
        {"throws_odd", "internal: app.lua:21: the handler threw a function"},
        {"throws_number", "internal: app.lua:22: 12"},
        {"facts", "[{\"type\":\"text\",\"text\":\"tester1.2alicetrace-1!\"}]"},
        {"no_such", "internal: app.lua:24: ctx has no 'progres', did you mean "
                    "'progress'?"},
        {"writes_ctx", "internal: app.lua:25: ctx is read-only"},
    };
    struct lua_app app;
    lua_app_open(&app, returns);
    for (size_t i = 0; i < TR_LEN(rows); i++)
        lua_check(&app, rows[i].name, "{\"x\":\"!\"}", rows[i].expected);
    lua_app_close(&app);
}

static const char others[] =
    "resource 'a:text' { run = function() return 'body' end }\n"
    "resource 'a:blob' { run = function() "
    "  return { blob = 'AA==', mime_type = 'image/png' } end }\n"
    "resource 'a:two' { run = function() return { 'x', { text = 'y' } } end }\n"
    "resource 'a:none' { run = function() end }\n"
    "resource 'a:bad' { run = function() return { uri = 'u' } end }\n"
    "resource_template 'a:/{id}' { run = function(ctx, args) "
    "  return json.encode { id = args.id } end }\n"
    "prompt 'plain' { run = function() return 'ask me' end }\n"
    "prompt 'long' { description = 'd', arguments = { who = text }, "
    "  run = function(ctx, args) return { description = args.who, messages = {"
    "    { role = 'assistant', content = 'a' }, ctx:image('AA==', 'i/p') } }"
    "  end }\n"
    "prompt 'list' { run = function(ctx) return { 'one', 'two' } end }\n"
    "prompt 'fails' { run = function(ctx) return ctx:error 'no' end }\n"
    "completion { prompt = 'long', argument = 'who', run = function(ctx, args)"
    "  return { args.value .. 'a', 'b' } end }\n"
    "completion { prompt = 'plain', run = function(ctx) local t = {} "
    "  for i = 1, 101 do t[i] = 'v' end return { values = t } end }\n";

TEST(lua_handlers_of_every_kind_have_their_form)
{
    static const struct {
        const char *name;
        const char *expected;
    } rows[] = {
        {"a:text", "[{\"text\":\"body\"}]"},
        {"a:blob", "[{\"blob\":\"AA==\",\"mimeType\":\"image/png\"}]"},
        {"a:two", "[{\"text\":\"x\"},{\"text\":\"y\"}]"},
        {"a:none", ""},
        {"a:bad",
         "internal: app.lua:5: resource: either 'text' or 'blob' is needed"},
        {"a:/{id}", "[{\"text\":\"{\\\"id\\\":\\\"7\\\"}\"}]"},
        {"plain", "{\"messages\":[{\"content\":{\"text\":\"ask me\",\"type\":"
                  "\"text\"},\"role\":\"user\"}]}"},
        {"long", "{\"description\":\"me\",\"messages\":[{\"content\":{\"text\":"
                 "\"a\",\"type\":\"text\"},\"role\":\"assistant\"},{\"content\""
                 ":{\"data\":\"AA==\",\"mimeType\":\"i/p\",\"type\":\"image\"},"
                 "\"role\":\"user\"}]}"},
        {"list", "{\"messages\":[{\"content\":{\"text\":\"one\",\"type\":"
                 "\"text\"},\"role\":\"user\"},{\"content\":{\"text\":\"two\","
                 "\"type\":\"text\"},\"role\":\"user\"}]}"},
        {"fails", "error: [{\"type\":\"text\",\"text\":\"no\"}]"},
        {"long#who", "{\"values\":[\"va\",\"b\"]}"},
    };
    struct lua_app app;
    lua_app_open(&app, others);
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        const struct tr_cap_prompt *prompt = tr_cap_snapshot_find_prompt(
            app.snapshot, tr_str_from(rows[i].name));
        const char *args = !prompt         ? "{\"id\":\"7\",\"value\":\"v\"}"
                           : prompt->input ? "{\"who\":\"me\"}"
                                           : "{}";
        lua_check(&app, rows[i].name, args, rows[i].expected);
    }
    lua_app_close(&app);
}

TEST(lua_completion_has_at_most_a_hundred_values)
{
    struct lua_app app;
    struct lua_call c;
    int64_t total = 0;
    lua_app_open(&app, others);
    lua_call_init(&c, &app, "plain#x", "{}");
    lua_call_start(&c);
    CHECK(c.finished);
    CHECK_INT(tr_json_find(c.outcome.value, TR_STR("values"))->len, 100);
    CHECK(tr_json_i64(tr_json_find(c.outcome.value, TR_STR("total")), &total));
    CHECK_INT(total, 101);
    lua_call_done(&c);
    lua_app_close(&app);
}

TEST(lua_handler_tells_the_client_what_it_does)
{
    struct lua_app app;
    struct lua_call c;
    lua_app_open(&app,
                 HANDLER("busy", "ctx:progress(1, 4, 'a') ctx:progress(2) "
                                 "ctx:log('warning', { x = 1 }, 'me') "
                                 "ctx:log('debug', 'text') "
                                 "ctx:updated('a:b') "
                                 "ctx:list_changed('prompts') "
                                 "ctx:close_stream()"));
    lua_call_init(&c, &app, "busy", "{}");
    lua_call_start(&c);
    CHECK(c.finished);
    CHECK_STR(tr_buf_str(&c.heard), "progress 1/4 a\nprogress 2 \n"
                                    "log 3 'me' {\"x\":1}\nlog 0 '' \"text\"\n"
                                    "updated a:b\nlist_changed 2\n"
                                    "close_stream\n");
    lua_call_done(&c);
    lua_app_close(&app);
}

TEST(lua_handler_sleeps_by_the_clock_of_the_loop)
{
    struct lua_app app;
    struct lua_call c;
    lua_app_open(&app, HANDLER("nap", "ctx:sleep(1.5) return 'awake'"));
    lua_call_init(&c, &app, "nap", "{}");
    lua_call_start(&c);
    tr_loop_step(app.loop, 1499);
    CHECK(!c.finished);
    tr_loop_step(app.loop, 1);
    CHECK(c.finished);
    CHECK_STR(tr_str_from(lua_call_text(&c)),
              "[{\"type\":\"text\",\"text\":\"awake\"}]");
    lua_call_done(&c);
    lua_app_close(&app);
}

TEST(lua_handler_that_waits_can_be_cancelled)
{
    struct lua_app app;
    struct lua_call c;
    lua_app_open(&app, HANDLER("nap", "ctx:sleep(10) return 'awake'"));
    lua_call_init(&c, &app, "nap", "{}");
    lua_call_start(&c);
    tr_call_cancel(&c.call);
    CHECK(c.finished);
    CHECK_INT(c.outcome.status, TR_E_CANCELLED);
    lua_call_done(&c);
    lua_call_init(&c, &app, "nap", "{}");
    lua_call_start(&c);
    lua_call_wait(&c, 1000);
    CHECK_INT(c.outcome.status, TR_OK);
    lua_call_done(&c);
    lua_app_close(&app);
}

/* However it waits, and whatever it does to go on. */
TEST(lua_handler_past_its_deadline_is_stopped)
{
    static const char *const bodies[] = {
        "ctx:sleep(10) return 'late'",
        "pcall(ctx.sleep, ctx, 10) return 'late'",
        "while true do pcall(ctx.sleep, ctx, 0.1) end",
        "ctx:invoke 'nap' return 'late'",
        "pcall(ctx.invoke, ctx, 'nap') return 'late'",
        "ctx:roots() return 'late'",
        "local t <close> = setmetatable({}, { __close = print }) ctx:sleep(9)",
    };
    for (size_t i = 0; i < TR_LEN(bodies); i++) {
        char source[1024];
        struct lua_app app;
        struct lua_call c;
        (void)snprintf(source, sizeof(source),
                       HANDLER("nap", "ctx:sleep(10) return 'awake'")
                           HANDLER("late", "%s"),
                       bodies[i]);
        lua_app_open(&app, source);
        lua_call_init(&c, &app, "late", "{}");
        c.asking = LUA_ASK_LATER;
        c.call.timeout_ms = 2000;
        lua_call_start(&c);
        tr_loop_step(app.loop, 1999);
        CHECK_ROW(!c.finished, bodies[i]);
        tr_loop_step(app.loop, 1);
        CHECK_ROW(c.finished, bodies[i]);
        CHECK_STR(tr_str_from(lua_call_text(&c)),
                  "timeout: the call took longer than 2 s "
                  "{\"reason\":\"timeout\"}");
        lua_call_done(&c);
        lua_app_close(&app);
    }
}

/* It waits for its next turn all the time, and the loop's clock goes on. */
static void check_spins(const char *body)
{
    struct tr_lua_limits limits = {.instructions = UINT64_MAX / 2,
                                   .run_ms = UINT32_MAX};
    char source[1024];
    struct lua_app app;
    struct lua_app real;
    struct lua_call c;
    struct tr_err err = {0};
    (void)snprintf(source, sizeof(source), HANDLER("spin", "%s"), body);
    lua_app_open_with(&app, source, &limits);
    real = app;
    CHECK_OK(tr_loop_create(NULL, &real.loop, &err), &err);
    lua_call_init(&c, &real, "spin", "{}");
    c.call.timeout_ms = 20;
    lua_call_start(&c);
    while (!c.finished)
        (void)tr_loop_turn(real.loop);
    CHECK_ROW(c.outcome.status == TR_E_TIMEOUT, body);
    lua_call_done(&c);
    tr_loop_free(real.loop);
    lua_app_close(&app);
}

TEST(lua_handler_that_spins_is_stopped_at_its_deadline)
{
    static const char *const bodies[] = {
        "while true do end",
        "while true do pcall(function() while true do end end) end",
        "coroutine.wrap(function() while true do end end)()",
        "coroutine.wrap(pcall)(function() while true do end end)",
    };
    for (size_t i = 0; i < TR_LEN(bodies); i++)
        check_spins(bodies[i]);
}

TEST(lua_ctx_of_a_call_that_ended_is_of_no_use)
{
    struct lua_app app;
    lua_app_open(&app, "local kept\n" HANDLER("keep", "kept = ctx")
                           HANDLER("use", "return kept:now()")
                               HANDLER("field", "return kept.principal"));
    lua_check(&app, "keep", "{}", "[]");
    lua_check(&app, "use", "{}",
              "internal: app.lua:3: this ctx belongs to a call that has ended");
    lua_check(&app, "field", "{}",
              "internal: app.lua:4: this ctx belongs to a call that has ended");
    lua_app_close(&app);
}

/* Nobody refers to ctx then but the call itself. */
TEST(lua_handler_need_not_take_its_ctx)
{
    struct lua_app app;
    lua_app_open(&app,
                 "capability 'churn' { description = 'd', run = function()\n"
                 "  for i = 1, 50000 do local t = { {} } end\n"
                 "  return 'done' end }");
    lua_check(&app, "churn", "{}", "[{\"type\":\"text\",\"text\":\"done\"}]");
    lua_app_close(&app);
}

TEST(lua_handlers_wait_beside_each_other)
{
    enum { MANY = 300 };
    static struct lua_call calls[MANY];
    struct lua_app app;
    lua_app_open(&app, HANDLER("echo", "ctx:sleep(args.s) return args.s"));
    for (size_t i = 0; i < MANY; i++) {
        char args[32];
        (void)snprintf(args, sizeof(args), "{\"s\":%zu}", MANY - i);
        lua_call_init(&calls[i], &app, "echo", args);
        lua_call_start(&calls[i]);
    }
    tr_loop_step(app.loop, 1000);
    CHECK(calls[MANY - 1].finished && !calls[MANY - 2].finished);
    tr_loop_step(app.loop, 1000 * MANY);
    for (size_t i = 0; i < MANY; i++) {
        int64_t s = 0;
        CHECK(calls[i].finished);
        CHECK(tr_json_i64(calls[i].outcome.value, &s));
        CHECK_INT(s, MANY - i);
        lua_call_done(&calls[i]);
    }
    lua_app_close(&app);
}

/* In the state and in our own struct; the arguments are the door's. */
TEST(lua_handler_that_waits_costs_at_most_two_kilobytes)
{
    enum { MANY = 300 };
    static struct lua_call calls[MANY];
    struct lua_app app;
    double before = 0;
    double after = 0;
    struct lua_call c;
    lua_app_open(&app, HANDLER("nap", "ctx:sleep(1)")
                           HANDLER("used", "return collectgarbage('count')"));
    lua_call_init(&c, &app, "used", "{}");
    lua_call_start(&c);
    CHECK(tr_json_double(c.outcome.value, &before));
    lua_call_done(&c);
    for (size_t i = 0; i < MANY; i++) {
        lua_call_init(&calls[i], &app, "nap", "{}");
        lua_call_start(&calls[i]);
    }
    lua_call_init(&c, &app, "used", "{}");
    lua_call_start(&c);
    CHECK(tr_json_double(c.outcome.value, &after));
    lua_call_done(&c);
    double each = (after - before) * 1024 / MANY + sizeof(struct tr_lua_run);
    CHECK(each <= 2048);
    tr_loop_step(app.loop, 1000);
    for (size_t i = 0; i < MANY; i++) {
        CHECK(calls[i].finished);
        lua_call_done(&calls[i]);
    }
    lua_app_close(&app);
}

/* The apps that come with the program load, and do what they say. */
TEST(lua_apps_that_come_with_it_load)
{
    static const char *const paths[] = {"apps/hello/app.lua",
                                        "apps/conformance/app.lua",
                                        "apps/requirements/app.lua"};
    for (size_t i = 0; i < TR_LEN(paths); i++) {
        struct lua_app app;
        tr_str source = tr_test_read_file(paths[i]);
        lua_app_open(&app, source.ptr);
        lua_app_close(&app);
        free((void *)source.ptr);
    }
}

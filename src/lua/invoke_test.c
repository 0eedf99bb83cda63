/*
 * ctx:invoke: results, failures, and that nothing is done twice.
 */
#include "lua/invoke.h"

#include "base/test.h"
#include "cap/cap.h"
#include "loop/loop.h"
#include "support/lua_door.h"

#define HANDLER(id, body)                                                      \
    "capability '" id "' { description = 'd', input_schema = "                 \
    "'{\"type\":\"object\"}', run = function(ctx, args) " body " end }\n"

static const char source[] = HANDLER("value", "return { got = args.x }")
    HANDLER("text", "return 'plain'") HANDLER("nothing", "") HANDLER(
        "two", "return { ctx:text 'a', ctx:text 'b' }")
        HANDLER("fails", "return ctx:error 'sorry'") HANDLER(
            "throws", "error { code = 'conflict', message = 'busy', "
                      "data = { n = 1 } }")
            HANDLER("slow", "ctx:sleep(5) return 'slow'") HANDLER(
                "all",
                "local r = ctx:invoke('value', { x = 7 }) assert(r.got == 7) "
                "assert(ctx:invoke 'text' == 'plain') "
                "assert(ctx:invoke 'nothing' == nil) "
                "assert(#ctx:invoke 'two' == 2) "
                "assert(ctx:invoke 'slow' == 'slow') "
                "local ok, e = pcall(ctx.invoke, ctx, 'throws') "
                "assert(not ok and e.code == 'conflict' and e.data.n == 1) "
                "ok, e = pcall(ctx.invoke, ctx, 'absent') "
                "assert(not ok and e.code == 'not_found') "
                "return ctx:invoke 'fails'")
                HANDLER("passes_on", "return ctx:invoke 'throws'") HANDLER(
                    "deep", "return ctx:invoke 'deep'")
                    HANDLER("bad_args", "ctx:invoke('value', { 1 })") HANDLER(
                        "child", "ctx:log('info', 'child') local t = ctx:now() "
                                 "local a = ctx:roots { key = 'q' } "
                                 "return { t = t, a = a }")
                        HANDLER(
                            "parent",
                            "local one = ctx:invoke 'child' "
                            "local r = ctx:roots() "
                            "local two = ctx:invoke 'child' "
                            "return { one.a.n, r.n, two.a.n, two.t - one.t }")
                            HANDLER("waits",
                                    "ctx:invoke 'slow' return 'never'");

TEST(lua_invoke_gives_what_the_other_returned)
{
    struct lua_app app;
    struct lua_call c;
    lua_app_open(&app, source);
    lua_call_init(&c, &app, "all", "{}");
    lua_call_start(&c);
    lua_call_wait(&c, 1000);
    CHECK_STR(tr_str_from(lua_call_text(&c)),
              "error: [{\"type\":\"text\",\"text\":\"sorry\"}]");
    lua_call_done(&c);
    lua_check(&app, "passes_on", "{}", "conflict: busy {\"n\":1}");
    lua_app_close(&app);
}

TEST(lua_invoke_passes_on_what_an_error_carries)
{
    struct lua_app app;
    lua_app_open(&app, HANDLER("fails", "return ctx:error('sorry', { n = 1 })")
                           HANDLER("passes_on", "return ctx:invoke 'fails'"));
    lua_check(&app, "passes_on", "{}",
              "error: [{\"type\":\"text\",\"text\":\"sorry\"}] {\"n\":1}");
    lua_app_close(&app);
}

/* Both asked with the same word; no time was taken and nothing drawn. */
TEST(lua_invoked_handlers_of_all_levels_may_use_the_same_key)
{
    struct lua_app app;
    struct lua_call c;
    lua_app_open(&app,
                 HANDLER("low", "return ctx:roots { key = 'q' }")
                     HANDLER("middle", "local a = ctx:roots { key = 'q' } "
                                       "return { a, ctx:invoke 'low' }")
                         HANDLER("top", "local a = ctx:roots { key = 'q' } "
                                        "return { a, ctx:invoke 'middle' }"));
    lua_call_init(&c, &app, "top", "{}");
    lua_call_answers(&c, "{\"q\":{\"n\":1},\"q@0\":{\"n\":2},"
                         "\"q@0@0\":{\"n\":3}}");
    lua_call_start(&c);
    CHECK_STR(tr_str_from(lua_call_text(&c)),
              "[{\"n\":1},[{\"n\":2},{\"n\":3}]]");
    lua_call_done(&c);
    lua_app_close(&app);
}

TEST(lua_handler_that_invokes_another_one_than_before_is_told_so)
{
    struct lua_app app;
    struct lua_call first;
    struct lua_call second;
    lua_app_open(&app,
                 "local n = 0\n" HANDLER("one", "return 1")
                     HANDLER("two", "return 2")
                         HANDLER("fickle", "n = n + 1 "
                                           "local got = ctx:invoke(n == 1 and "
                                           "'one' or 'two') "
                                           "ctx:roots() return got"));
    lua_call_init(&first, &app, "fickle", "{}");
    first.asking = LUA_ASK_ROUNDS;
    lua_call_start(&first);
    lua_call_init(&second, &app, "fickle", "{}");
    lua_call_again(&second, &first, "{\"roots-1\":{}}");
    CHECK(strstr(lua_call_text(&second), "took another way") != NULL);
    lua_call_done(&second);
    lua_call_done(&first);
    lua_app_close(&app);
}

TEST(lua_invoke_has_a_depth)
{
    struct lua_app app;
    struct lua_call c;
    lua_app_open(&app, source);
    lua_call_init(&c, &app, "deep", "{}");
    lua_call_start(&c);
    CHECK_INT(c.outcome.status, TR_E_LIMIT);
    lua_call_done(&c);
    lua_check(&app, "bad_args", "{}",
              "internal: app.lua:11: bad argument #2 to 'invoke' (must be a "
              "table of names)");
    lua_app_close(&app);
}

TEST(lua_cancel_reaches_the_handler_that_was_invoked)
{
    struct lua_app app;
    struct lua_call c;
    lua_app_open(&app, source);
    lua_call_init(&c, &app, "waits", "{}");
    lua_call_start(&c);
    CHECK(!c.finished);
    tr_call_cancel(&c.call);
    CHECK(c.finished);
    CHECK_INT(c.outcome.status, TR_E_CANCELLED);
    lua_call_done(&c);
    lua_app_close(&app);
}

/* A capability that is not written in Lua, and waits to be cancelled. */
static void end_foreign(struct tr_call *call)
{
    struct tr_call_outcome outcome = {0};
    tr_call_finish(call, &outcome);
}

static void run_foreign(const struct tr_cap_handler *handler,
                        struct tr_call *call)
{
    static const struct tr_call_host_ops ops = {.cancel = end_foreign};
    (void)handler;
    call->host = &ops;
}

static const struct tr_cap foreign = {
    .id = TR_STR_INIT("foreign"),
    .description = TR_STR_INIT("d"),
    .handler.run = run_foreign,
};

TEST(lua_cancel_reaches_a_handler_of_another_host)
{
    struct lua_app app;
    lua_app_open_beside(
        &app,
        HANDLER("calls", "ctx:invoke 'foreign' return 'never'")
            HANDLER("catches", "pcall(ctx.invoke, ctx, 'foreign') "
                               "return 'never'")
                HANDLER("above", "ctx:sleep(1) return ctx:invoke 'calls'"),
        &foreign);
    static const char *const names[] = {"calls", "catches", "above"};
    for (size_t i = 0; i < TR_LEN(names); i++) {
        struct lua_call c;
        lua_call_init(&c, &app, names[i], "{}");
        lua_call_start(&c);
        tr_loop_step(app.loop, 1000);
        CHECK_ROW(!c.finished, names[i]);
        tr_call_cancel(&c.call);
        CHECK_ROW(c.finished, names[i]);
        CHECK_ROW(c.outcome.status == TR_E_CANCELLED, names[i]);
        lua_call_done(&c);
    }
    lua_app_close(&app);
}

/* How often the handler that was invoked ran in this round. */
static size_t runs_of_child(const struct lua_call *c)
{
    size_t count = 0;
    const char *end = c->heard.ptr + c->heard.len;
    for (const char *at = c->heard.ptr; at && at < end; count++) {
        at = memmem(at, (size_t)(end - at), "\"child\"", 7);
        if (!at)
            break;
        at += 7;
    }
    return count;
}

TEST(lua_invoked_handler_may_ask_and_is_not_done_twice)
{
    static const struct {
        const char *answers;
        size_t runs;
        bool ends;
    } rounds[] = {
        {"{}", 1, true},
        {"{\"q@0\":{\"n\":1}}", 1, true},
        {"{\"q@0\":{\"n\":1},\"roots-2\":{\"n\":2}}", 1, true},
        {"{\"q@0\":{\"n\":1},\"roots-2\":{\"n\":2},\"q@2\":{\"n\":3}}", 1,
         false},
    };
    static struct lua_call calls[TR_LEN(rounds)];
    struct lua_app app;
    lua_app_open(&app, source);
    for (size_t i = 0; i < TR_LEN(rounds); i++) {
        struct lua_call empty = {0};
        lua_call_init(&calls[i], &app, "parent", "{}");
        lua_call_again(&calls[i], i > 0 ? &calls[i - 1] : &empty,
                       rounds[i].answers);
        CHECK_ROW(calls[i].finished, rounds[i].answers);
        CHECK_ROW(calls[i].round_ended == rounds[i].ends, rounds[i].answers);
        CHECK_ROW(runs_of_child(&calls[i]) == rounds[i].runs,
                  rounds[i].answers);
        tr_loop_step(app.loop, 1000);
    }
    /* The second child began in the third round, two seconds later. */
    CHECK_STR(tr_str_from(lua_call_text(&calls[3])), "[1,2,3,2]");
    for (size_t i = 0; i < TR_LEN(rounds); i++)
        lua_call_done(&calls[i]);
    lua_app_close(&app);
}

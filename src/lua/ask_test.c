/*
 * Questions to the client, in both ways of asking, and what is replayed.
 */
#include "base/test.h"
#include "loop/loop.h"
#include "lua/question.h"
#include "support/lua_door.h"

#define HANDLER(id, body)                                                      \
    "capability '" id "' { description = 'For a test.', input_schema = "       \
    "'{\"type\":\"object\"}', run = function(ctx, args) " body " end }\n"

static const char asks[] = HANDLER(
    "name", "local a = ctx:elicit { key = 'who', message = 'Name?', "
            "  fields = { name = text } } "
            "return a.action .. ' ' .. a.content.name")
    HANDLER("three", "local a = ctx:ask { "
                     "  roots = roots {}, "
                     "  who = elicit { message = 'm', url = 'https://x' }, "
                     "  llm = sample { prompt = 'p', max_tokens = 5 } } "
                     "return a.llm.model .. #a.roots.roots .. a.who.action")
        HANDLER("twice",
                "ctx:roots() ctx:roots() ctx:sample { messages = { 'x', "
                "  { role = 'assistant', content = 'y' } } }")
            HANDLER("same", "ctx:roots { key = 'k' } ctx:roots { key = 'k' }")
                HANDLER("caught", "local ok, e = pcall(ctx.roots, ctx) "
                                  "return { ok, e.code, tostring(e) }")
                    HANDLER("thrown", "ctx:roots() return 'answered'") HANDLER(
                        "bad_option", "ctx:elicit { mesage = 'x' }")
                        HANDLER("no_message", "ctx:elicit { fields = {} }")
                            HANDLER("bad_schema", "ctx:elicit { message = 'm', "
                                                  "schema = '[' }")
                                HANDLER(
                                    "bad_field",
                                    "ctx:elicit { message = 'm', "
                                    "  fields = { x = text { min_length = -1 } "
                                    "} }") HANDLER("no_question",
                                                   "ctx:ask { x = {} }")
                                    HANDLER("none", "ctx:ask {}") HANDLER(
                                        "sorting",
                                        "table.sort({ 2, 1 }, function() "
                                        "ctx:roots() end)")
                                        HANDLER("gsub",
                                                "('x'):gsub('x', function() "
                                                "ctx:sleep(1) end)")
                                            HANDLER("coroutine",
                                                    "coroutine.wrap(function() "
                                                    "ctx:roots() end)()");

static void ask_at_once(const char *name, const char *answers,
                        const char *heard, const char *expected)
{
    struct lua_app app;
    struct lua_call c;
    lua_app_open(&app, asks);
    lua_call_init(&c, &app, name, "{}");
    lua_call_answers(&c, answers);
    lua_call_start(&c);
    CHECK(c.finished);
    CHECK_STR(tr_buf_str(&c.heard), heard);
    CHECK_STR(tr_str_from(lua_call_text(&c)), expected);
    lua_call_done(&c);
    lua_app_close(&app);
}

TEST(lua_elicit_shows_fields_as_a_schema)
{
    ask_at_once("name",
                "{\"who\":{\"action\":\"accept\",\"content\":{\"name\":"
                "\"Ada\"}}}",
                "ask who 0 {\"mode\":\"form\",\"message\":\"Name?\","
                "\"requestedSchema\":{\"additionalProperties\":false,"
                "\"properties\":{\"name\":{\"type\":\"string\"}},\"required\":"
                "[\"name\"],\"type\":\"object\"}}\n",
                "[{\"type\":\"text\",\"text\":\"accept Ada\"}]");
}

TEST(lua_ask_asks_several_things_at_once)
{
    ask_at_once(
        "three",
        "{\"roots\":{\"roots\":[{\"uri\":\"file:x\"}]},"
        "\"llm\":{\"model\":\"m\"},\"who\":{\"action\":\"decline\"}}",
        "ask llm 1 {\"maxTokens\":5,\"messages\":[{\"content\":{\"text\":\"p\""
        ",\"type\":\"text\"},\"role\":\"user\"}]}\n"
        "ask roots 2 {}\n"
        "ask who 0 {\"mode\":\"url\",\"message\":\"m\",\"url\":"
        "\"https://x\"}\n",
        "[{\"type\":\"text\",\"text\":\"m1decline\"}]");
}

TEST(lua_questions_without_a_key_are_numbered)
{
    ask_at_once("twice",
                "{\"roots-1\":{},\"roots-2\":{},\"sample-3\":{\"role\":1}}",
                "ask roots-1 2 {}\nask roots-2 2 {}\n"
                "ask sample-3 1 {\"maxTokens\":1000,\"messages\":[{\"content\":"
                "{\"text\":\"x\",\"type\":\"text\"},\"role\":\"user\"},{"
                "\"content\":{\"text\":\"y\",\"type\":\"text\"},\"role\":"
                "\"assistant\"}]}\n",
                "[]");
}

TEST(lua_question_that_cannot_be_asked_says_why)
{
    static const struct {
        const char *name;
        const char *expected;
    } rows[] = {
        {"same", "internal: app.lua:4: the key 'k' was asked before in this "
                 "call"},
        {"bad_option", "internal: app.lua:7: elicit: unknown option 'mesage', "
                       "did you mean 'message'?"},
        {"no_message", "internal: app.lua:8: elicit: needs the option message"},
        {"no_question", "internal: app.lua:11: ask: a question is made by "
                        "elicit, sample or roots; this is a table"},
        {"none", "internal: app.lua:12: ctx:ask: there is no question"},
        {"sorting",
         "internal: app.lua:13: ctx:roots cannot wait here: call it from the "
         "handler itself, not from a comparator, a callback of gsub, a "
         "metamethod or a coroutine"},
        {"gsub",
         "internal: app.lua:14: ctx:sleep cannot wait here: call it from the "
         "handler itself, not from a comparator, a callback of gsub, a "
         "metamethod or a coroutine"},
        {"coroutine",
         "internal: app.lua:15: ctx:roots cannot wait here: call it from the "
         "handler itself, not from a comparator, a callback of gsub, a "
         "metamethod or a coroutine"},
    };
    struct lua_app app;
    lua_app_open(&app, asks);
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        struct lua_call c;
        lua_call_init(&c, &app, rows[i].name, "{}");
        lua_call_answers(&c, "{\"k\":{}}");
        lua_call_start(&c);
        CHECK_ROW(c.finished, rows[i].name);
        CHECK_STR(tr_str_from(lua_call_text(&c)), rows[i].expected);
        lua_call_done(&c);
    }
    lua_app_close(&app);
}

TEST(lua_schema_of_a_question_is_checked)
{
    static const char *const names[] = {"bad_schema", "bad_field"};
    struct lua_app app;
    lua_app_open(&app, asks);
    for (size_t i = 0; i < TR_LEN(names); i++) {
        struct lua_call c;
        lua_call_init(&c, &app, names[i], "{}");
        lua_call_start(&c);
        CHECK_ROW(c.finished, names[i]);
        CHECK_INT(c.outcome.status, TR_E_INTERNAL);
        CHECK_INT(c.heard.len, 0);
        lua_call_done(&c);
    }
    lua_app_close(&app);
}

TEST(lua_refused_question_can_be_caught_and_keeps_its_status)
{
    struct lua_app app;
    struct lua_call c;
    lua_app_open(&app, asks);
    lua_call_init(&c, &app, "caught", "{}");
    c.asking = LUA_ASK_REFUSE;
    lua_call_start(&c);
    CHECK_STR(tr_str_from(lua_call_text(&c)),
              "[false,\"unsupported\",\"the client cannot do that\"]");
    lua_call_done(&c);
    lua_call_init(&c, &app, "thrown", "{}");
    c.asking = LUA_ASK_REFUSE;
    lua_call_start(&c);
    CHECK_INT(c.outcome.status, TR_E_UNSUPPORTED);
    lua_call_done(&c);
    lua_app_close(&app);
}

/* The legacy way: the handler waits while others run. */
TEST(lua_handler_waits_for_answers_that_come_later)
{
    struct lua_app app;
    struct lua_call c;
    static const struct tr_json empty = {.kind = TR_JSON_OBJECT};
    lua_app_open(&app, asks);
    lua_call_init(&c, &app, "thrown", "{}");
    c.asking = LUA_ASK_LATER;
    lua_call_start(&c);
    CHECK(!c.finished);
    lua_check(&app, "none", "{}",
              "internal: app.lua:12: ctx:ask: there is no question");
    c.asks[0].answer = &empty;
    c.asker->host->resume(c.asker);
    CHECK(c.finished);
    CHECK_STR(tr_str_from(lua_call_text(&c)),
              "[{\"type\":\"text\",\"text\":\"answered\"}]");
    lua_call_done(&c);
    lua_app_close(&app);
}

TEST(lua_client_that_does_not_answer_raises)
{
    struct lua_app app;
    struct lua_call c;
    lua_app_open(&app, asks);
    lua_call_init(&c, &app, "caught", "{}");
    c.asking = LUA_ASK_LATER;
    lua_call_start(&c);
    c.asks[0].refusal = TR_STR("user went away");
    c.asker->host->resume(c.asker);
    CHECK_STR(tr_str_from(lua_call_text(&c)),
              "[false,\"unavailable\",\"user went away\"]");
    lua_call_done(&c);
    lua_app_close(&app);
}

/* The stateless way: the same handler code, run again from its start. */
TEST(lua_handler_that_is_run_again_sees_the_same_world)
{
    struct lua_app app;
    struct lua_call first;
    struct lua_call second;
    struct lua_call third;
    lua_app_open(&app, HANDLER("replay",
                               "local t, r = ctx:now(), ctx:random(1 << 40) "
                               "ctx:log('info', { t, r, math.random() }) "
                               "ctx:roots { key = 'a' } "
                               "local u = ctx:now() "
                               "ctx:roots { key = 'b' } "
                               "return { u - t, ctx:random() < 1 }"));
    lua_call_init(&first, &app, "replay", "{}");
    first.asking = LUA_ASK_ROUNDS;
    lua_call_start(&first);
    CHECK(first.round_ended && first.finished);
    CHECK_INT(first.outcome.status, TR_E_CANCELLED);
    CHECK_INT(first.call.journal.count, 2);

    tr_loop_step(app.loop, 5000);
    lua_call_init(&second, &app, "replay", "{}");
    lua_call_again(&second, &first, "{\"a\":{}}");
    CHECK(second.round_ended && second.finished);
    CHECK(second.heard.len > first.heard.len);
    CHECK(memcmp(first.heard.ptr, second.heard.ptr, first.heard.len) == 0);

    tr_loop_step(app.loop, 5000);
    lua_call_init(&third, &app, "replay", "{}");
    lua_call_again(&third, &second, "{\"a\":{},\"b\":{}}");
    CHECK(!third.round_ended && third.finished);
    CHECK_STR(tr_str_from(lua_call_text(&third)), "[5,true]");
    CHECK(memcmp(second.heard.ptr, third.heard.ptr, second.heard.len) == 0);
    lua_call_done(&third);
    lua_call_done(&second);
    lua_call_done(&first);
    lua_app_close(&app);
}

TEST(lua_handler_that_takes_another_way_is_told_so)
{
    struct lua_app app;
    struct lua_call first;
    struct lua_call second;
    lua_app_open(&app, "local n = 0\n" HANDLER("fickle",
                                               "n = n + 1 "
                                               "if n > 1 then ctx:random() end "
                                               "ctx:now() ctx:roots()"));
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

/*
 * Policies as authors write them: how they decide, and what they may not do.
 */
#include "base/test.h"
#include "cap/cap.h"
#include "cap/snapshot.h"
#include "support/lua_world.h"

#define RUN    "run = function(ctx) return 'ran' end"
#define RAN    "[{\"type\":\"text\",\"text\":\"ran\"}]"
#define NEEDS  "capability 'a' { description = 'd', " RUN ",\n"
#define DENIED "policy: policy 'p' denies it"
#define DATA   " {\"policy\":\"p\"}"
#define FAILED DENIED ": it failed" DATA

static const struct {
    const char *policy; /* the body of its function */
    const char *expected;
} rows[] = {
    {"return true", RAN},
    {"return true, 'a reason'", RAN},
    {"return false", DENIED DATA},
    {"return false, 'not on Sundays'", DENIED ": not on Sundays" DATA},
    {"return false, 7", DENIED DATA},
    {"return nil", DENIED DATA},
    {"", DENIED DATA},
    {"return 1", FAILED},
    {"return 'yes'", FAILED},
    {"return ctx:error('no')", FAILED},
    {"error('secret')", FAILED},
    {"error { code = 'not_found', message = 'secret' }", FAILED},
    {"while true do end", FAILED},
    {"local t = {} while true do t[#t + 1] = { #t } end", FAILED},
    {"return call.capability == 'a' and call.version == '0.1.0' and"
     " call.principal == 'alice' and call.arguments.x == 1 and"
     " ctx.principal == 'alice'",
     RAN},
    {"return not ctx.kg:exists('ex:nobody')", RAN},
    {"return (ctx.kg:count 'Task') == 0", RAN},
    {"return ctx:now() >= 0 and ctx:random(3) <= 3", RAN},
    {"return ctx:invoke('count').n == 0", FAILED},
    {"ctx:sleep(1) return true", FAILED},
    {"ctx:elicit { message = 'x', fields = { ok = boolean } } return true",
     FAILED},
    {"ctx:ask { a = roots {} } return true", FAILED},
    {"ctx:updated('test://x') return true", FAILED},
    {"ctx:list_changed('tools') return true", FAILED},
    {"ctx:close_stream() return true", FAILED},
    {"ctx:spend { tokens = 1 } return true", FAILED},
    {"ctx.kg:create('Task', task(1)) return true", FAILED},
    {"ctx.kg:upsert('Task', task(1)) return true", FAILED},
    {"ctx.kg:update('ex:a', {}) return true", FAILED},
    {"ctx.kg:delete('ex:a') return true", FAILED},
    {"ctx.kg:add('ex:a', 'ex:b', 1) return true", FAILED},
    {"ctx.kg:remove('ex:a', 'ex:b', 1) return true", FAILED},
    /* Also when it catches what it was told. */
    {"pcall(ctx.kg.create, ctx.kg, 'Task', task(1)) return true", FAILED},
};

static void check(struct lua_world *w, const char *name, const char *args,
                  const char *expected)
{
    struct lua_call c;
    lua_call_init(&c, &w->app, name, args);
    c.call.in_production = true; /* else it says why it has failed */
    lua_call_start(&c);
    lua_call_wait(&c, 1000);
    CHECK_STR(tr_str_from(lua_call_text(&c)), expected);
    lua_call_done(&c);
}

TEST(policy_decides_with_true_and_nothing_else)
{
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        struct lua_world w;
        char source[1024];
        (void)snprintf(source, sizeof(source),
                       "policy 'p' { description = 'd',\n"
                       "  run = function(ctx, call) %s end }\n"
                       "capability 'a' { description = 'd', " RUN ",\n"
                       "  input = { x = integer { optional = true } },\n"
                       "  policy_required = { 'p' } }\n",
                       rows[i].policy);
        lua_world_open(&w, source);
        check(&w, "a", "{\"x\":1}", rows[i].expected);
        lua_world_check(&w, "count", "{\"n\":0}");
        lua_world_close(&w);
    }
}

/* What is not allowed is not looked into. */
TEST(policy_comes_before_the_arguments_are_checked)
{
    struct lua_world w;
    lua_world_open(&w, "policy 'p' { run = function(ctx, call)\n"
                       "  return call.arguments.key == 'x' end }\n"
                       "capability 'a' { description = 'd', " RUN ",\n"
                       "  input = { key = text, n = integer },\n"
                       "  policy_required = { 'p' } }\n");
    check(&w, "a", "{\"key\":\"y\"}", DENIED DATA);
    check(&w, "a", "{\"key\":\"x\"}",
          "validation: validation failed on 1 field(s) {\"fields\":[{\"field\":"
          "\"n\",\"code\":\"required\",\"message\":\"n is required\",\"value\":"
          "null,\"constraint\":true}]}");
    check(&w, "a", "{\"key\":\"x\",\"n\":1}", RAN);
    lua_world_close(&w);
}

TEST(policies_have_to_agree_and_the_first_that_denies_says_so)
{
    struct lua_world w;
    lua_world_open(&w, "local function one(name, allowed)\n"
                       "  policy(name) { run = function(ctx, call)\n"
                       "    return call.arguments[allowed] ~= nil end }\n"
                       "end\n"
                       "one('first', 'x') one('p', 'y') one('other', 'z')\n"
                       "capability 'a' { description = 'd', " RUN ",\n"
                       "  input_schema = { type = 'object' },\n"
                       "  policy_required = { 'first', 'p' } }\n");
    check(&w, "a", "{}",
          "policy: policy 'first' denies it {\"policy\":\"first\"}");
    check(&w, "a", "{\"y\":1}",
          "policy: policy 'first' denies it {\"policy\":\"first\"}");
    check(&w, "a", "{\"x\":1}", DENIED DATA);
    check(&w, "a", "{\"x\":1,\"y\":1}", RAN);
    lua_world_close(&w);
}

/* Whoever invokes it for whomever: the same policies decide. */
TEST(policy_decides_on_what_a_handler_invokes)
{
    struct lua_world w;
    lua_world_open(&w, "policy 'p' { run = function(ctx, call)\n"
                       "  return (ctx.kg:count 'Task') == 1 end }\n" NEEDS
                       "  policy_required = 'p' }\n"
                       "cap('above', function(ctx)\n"
                       "  local ok, e = pcall(ctx.invoke, ctx, 'a')\n"
                       "  if ok then error('it ran') end\n"
                       "  ctx.kg:create('Task', task(1))\n"
                       "  return e.code .. ' ' .. ctx:invoke('a') end)\n");
    lua_world_check(&w, "above",
                    "[{\"type\":\"text\",\"text\":\"policy ran\"}]");
    lua_world_close(&w);
}

static const struct {
    const char *source;
    const char *says;
} refused[] = {
    {NEEDS "policy_required = { 'nobody' } }",
     "app.lua:1: a: it requires the policy 'nobody', but there is none"},
    {"policy 'open' { run = print }\n" NEEDS "policy_required = { 'opne' } }",
     "app.lua:2: a: it requires the policy 'opne', but there is none; did you "
     "mean 'open'?"},
    {"policy 'a b' { run = print }",
     "app.lua:1: policy 'a b': the name of a policy is 1 to 64 of the "
     "characters A-Z a-z 0-9 _ . - and, not last, :"},
    {"policy 'a:' { run = print }",
     "app.lua:1: policy 'a:': the name of a policy is 1 to 64 of the "
     "characters A-Z a-z 0-9 _ . - and, not last, :"},
    {"policy 'a' { run = print }\npolicy 'a' { run = print }",
     "app.lua:2: policy 'a': this policy is already registered"},
    {"policy 'a' {}",
     "app.lua:1: policy 'a': 'run' is missing: the function to run"},
    {"policy 'a' { ruin = print }",
     "app.lua:1: policy 'a': unknown option 'ruin', did you mean 'run'?"},
    {"for i = 1, 1001 do policy('p' .. i) { run = print } end",
     "app.lua:1: policy 'p1001': an app has at most 1000 policies"},
};

TEST(policies_that_are_none_refuse_the_app)
{
    for (size_t i = 0; i < TR_LEN(refused); i++) {
        struct lua_app app;
        struct tr_err err = {0};
        CHECK_ROW(lua_app_try(&app, refused[i].source, NULL, &err) != TR_OK,
                  refused[i].says);
        CHECK_STR(tr_str_from(err.msg), refused[i].says);
    }
}

/* Policies may come after who requires them; colons are for files of rules. */
TEST(policy_is_found_wherever_it_stands)
{
    struct lua_app app;
    lua_app_open(&app, NEEDS "policy_required = { 'file::rule' } }\n"
                             "policy 'file::rule' { run = print }");
    const struct tr_cap *cap = tr_cap_snapshot_cap(app.snapshot, 0);
    CHECK_INT(cap->guard.policy_required.count, 1);
    CHECK_STR(cap->guard.policies[0]->name, "file::rule");
    lua_app_close(&app);
}

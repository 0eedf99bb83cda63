/*
 * Calls with an idempotency key, on a store: once is enough, whoever asks again
 * and when.
 */
#include "base/limits.h"
#include "base/test.h"
#include "json/build.h"
#include "loop/loop.h"
#include "runtime/idempotency_queue.h"
#include "support/lua_world.h"

static const char app_text[] =
    "local function once(id, run)\n"
    "  capability(id) { description = 'd', run = run, idempotent = true,\n"
    "    input = { n = integer { default = 1 },\n"
    "      note = text { optional = true } } }\n"
    "end\n"
    "once('add', function(ctx, args)\n"
    "  ctx.kg:create('Task', task(args.n, { title = args.note }))\n"
    "  return { n = (ctx.kg:count 'Task') } end)\n"
    "once('slow', function(ctx, args)\n"
    "  ctx:sleep(1)\n"
    "  ctx.kg:create('Task', task(args.n))\n"
    "  return 'task ' .. args.n end)\n"
    "once('named', function(ctx)\n"
    "  ctx:sleep(1)\n"
    "  ctx.kg:create('Person', { name = 'Ada', email = 'a@b' },\n"
    "    { id = 'ex:ada' })\n"
    "  return 'made' end)\n"
    "once('chance', function(ctx)\n"
    "  return ctx:result { value = { is = ctx:random() },\n"
    "    meta = { ['x/y'] = 1 } } end)\n"
    "once('fail', function(ctx)\n"
    "  if (ctx.kg:count 'Task') == 0 then error('not yet') end\n"
    "  return 'done' end)\n"
    "once('refuse', function(ctx)\n"
    "  if (ctx.kg:count 'Task') == 0 then return ctx:error('not yet') end\n"
    "  return 'done' end)\n"
    "once('large', function() return ('x'):rep(5 << 20) end)\n"
    "once('nothing', function() end)\n"
    "once('asks', function(ctx, args)\n"
    "  local a = ctx:elicit { message = 'x', fields = { ok = boolean } }\n"
    "  ctx.kg:create('Task', task(args.n))\n"
    "  return a.action end)\n"
    "once('nested', function(ctx)\n"
    "  return { ctx:invoke('add', { n = 1 }).n, ctx:invoke('add',\n"
    "    { n = 2 }).n } end)\n"
    "capability 'own' { description = 'd', idempotent = true,\n"
    "  input = { idempotency_key = text }, run = function(ctx, args)\n"
    "    ctx.kg:create('Task', task((ctx.kg:count 'Task') + 1))\n"
    "    return args.idempotency_key end }\n"
    "capability 'plain' { description = 'd', input = { n = integer },\n"
    "  run = function(ctx, args)\n"
    "    ctx.kg:create('Task', task((ctx.kg:count 'Task') + 1)) end }\n"
    "policy 'few' { run = function(ctx)\n"
    "  return (ctx.kg:count 'Task') < 2 end }\n"
    "capability 'guarded' { description = 'd', idempotent = true,\n"
    "  policy_required = 'few', run = function(ctx)\n"
    "    ctx.kg:create('Task', task((ctx.kg:count 'Task') + 1))\n"
    "    return 'made' end }\n"
    "capability 'close' { description = 'd', idempotent = true,\n"
    "  input = { task = text }, preconditions = { { kind = 'state',\n"
    "    type = 'Task', arg = 'task', field = 'state', one_of = { 'open' } } "
    "},\n"
    "  run = function(ctx, args)\n"
    "    ctx.kg:update(ctx.kg:get('Task', args.task), { state = 'done' })\n"
    "    return 'closed' end }\n"
    "cap('make', function(ctx)\n"
    "  ctx.kg:create('Task', task(9), { id = 'trails://demo/Task/nine' })\n"
    "end)\n";

struct world {
    struct lua_world w;
    struct tr_call_idempotency_queue *queue;
};

static void open_world(struct world *f)
{
    struct tr_err err = {0};
    *f = (struct world){0};
    lua_world_open(&f->w, app_text);
    CHECK_OK(tr_call_idempotency_queue_create(&f->queue, &err), &err);
    f->w.env.idempotency_queue = f->queue;
}

static void close_world(struct world *f)
{
    lua_world_close(&f->w);
    tr_call_idempotency_queue_free(f->queue);
}

static void prepare(struct world *f, struct lua_call *c, const char *name,
                    const char *args, const char *key)
{
    struct tr_json *given = NULL;
    lua_call_init(c, &f->w.app, name, args);
    if (key) {
        given = TR_NEW(&c->arena, struct tr_json);
        if (given)
            *given = tr_json_make_text(TR_JSON_STRING, tr_str_from(key));
    }
    c->call.given_idempotency_key = given;
}

static void check_call(struct lua_call *c, const char *expected)
{
    lua_call_wait(c, 1000);
    CHECK_STR(tr_str_from(lua_call_text(c)), expected);
    lua_call_done(c);
}

static void check(struct world *f, const char *name, const char *args,
                  const char *key, const char *expected)
{
    struct lua_call c;
    prepare(f, &c, name, args, key);
    lua_call_start(&c);
    check_call(&c, expected);
}

static void check_tasks(struct world *f, int count)
{
    char expected[32];
    (void)snprintf(expected, sizeof(expected), "{\"n\":%d}", count);
    lua_world_check(&f->w, "count", expected);
}

#define TEXT(t) "[{\"type\":\"text\",\"text\":\"" t "\"}]"
#define CONFLICT                                                               \
    "conflict: this idempotency key was used with other arguments "            \
    "{\"reason\":\"idempotency_conflict\"}"
#define BAD "invalid: an idempotency key is a text of 1 to 255 bytes"

TEST(idempotency_gives_the_first_result_again)
{
    struct world f;
    open_world(&f);
    check(&f, "add", "{\"n\":1}", "k", "{\"n\":1}");
    check(&f, "add", "{\"n\":2}", "l", "{\"n\":2}");
    check(&f, "add", "{\"n\":1}", "k", "{\"n\":1}");
    check(&f, "add", "{}", "k", "{\"n\":1}"); /* the default says the same */
    check(&f, "slow", "{\"n\":3}", "k", TEXT("task 3"));
    check(&f, "slow", "{\"n\":3}", "k", TEXT("task 3"));
    check(&f, "nothing", "{}", "k", "[]");
    check(&f, "nothing", "{}", "k", "[]");
    check_tasks(&f, 3);
    close_world(&f);
}

TEST(idempotency_with_other_arguments_is_a_conflict)
{
    struct world f;
    open_world(&f);
    check(&f, "add", "{\"n\":1}", "k", "{\"n\":1}");
    check(&f, "add", "{\"n\":2}", "k", CONFLICT);
    check(&f, "add", "{\"n\":1,\"note\":\"xxx\"}", "k", CONFLICT);
    check_tasks(&f, 1);
    close_world(&f);
}

/* Where the input has no such field, it is an argument that nobody sees. */
TEST(idempotency_may_be_an_argument)
{
    struct world f;
    open_world(&f);
    check(&f, "add", "{\"n\":1,\"idempotency_key\":\"k\"}", NULL, "{\"n\":1}");
    check(&f, "add", "{\"idempotency_key\":\"k\",\"n\":1}", NULL, "{\"n\":1}");
    check(&f, "add", "{\"n\":1}", "k", "{\"n\":1}");
    check(&f, "add", "{\"n\":2,\"idempotency_key\":\"k\"}", "m", "{\"n\":2}");
    check(&f, "own", "{\"idempotency_key\":\"k\"}", NULL, TEXT("k"));
    check(&f, "own", "{\"idempotency_key\":\"k\"}", NULL, TEXT("k"));
    check_tasks(&f, 4);
    close_world(&f);
}

TEST(idempotency_that_is_none_is_refused)
{
    static char longest[TR_LIMIT_IDEMPOTENCY_KEY_BYTES + 2];
    static const char *const args[] = {"{\"idempotency_key\":\"\"}",
                                       "{\"idempotency_key\":7}",
                                       "{\"idempotency_key\":{}}"};
    struct world f;
    open_world(&f);
    for (size_t i = 0; i < TR_LEN(args); i++)
        check(&f, "add", args[i], NULL, BAD);
    memset(longest, 'k', sizeof(longest) - 1);
    check(&f, "add", "{}", longest, BAD);
    check(&f, "add", "{}", "", BAD);
    check_tasks(&f, 0);
    longest[TR_LIMIT_IDEMPOTENCY_KEY_BYTES] = '\0';
    check(&f, "add", "{}", longest, "{\"n\":1}");
    check(&f, "add", "{}", longest, "{\"n\":1}");
    close_world(&f);
}

/* Who did not promise that twice is as good as once keeps nothing. */
/* It writes, so that whoever brings a key would be deceived. */
TEST(idempotency_for_a_capability_that_is_not_idempotent_is_refused)
{
    struct world f;
    struct lua_call c;
    open_world(&f);
    check(&f, "plain", "{\"n\":1}", "k",
          "invalid: plain is not idempotent: call it without an idempotency "
          "key {\"reason\":\"not_idempotent\"}");
    check_tasks(&f, 0);
    prepare(&f, &c, "plain", "{\"n\":1,\"idempotency_key\":\"k\"}", NULL);
    lua_call_start(&c);
    CHECK_INT(c.outcome.status, TR_E_VALIDATION);
    lua_call_done(&c);
    close_world(&f);
}

TEST(idempotency_is_everybodys_own_for_each_capability)
{
    struct world f;
    struct lua_call c;
    open_world(&f);
    check(&f, "add", "{\"n\":1}", "k", "{\"n\":1}");
    prepare(&f, &c, "add", "{\"n\":2}", "k");
    c.call.principal = TR_STR("bob");
    lua_call_start(&c);
    check_call(&c, "{\"n\":2}");
    prepare(&f, &c, "add", "{\"n\":3}", "k");
    c.call.principal = TR_STR("");
    lua_call_start(&c);
    check_call(&c, "{\"n\":3}");
    check(&f, "slow", "{\"n\":4}", "k", TEXT("task 4"));
    check_tasks(&f, 4);
    close_world(&f);
}

TEST(idempotency_keeps_successes_only)
{
    struct world f;
    open_world(&f);
    for (int i = 0; i < 2; i++) {
        struct lua_call c;
        prepare(&f, &c, "fail", "{}", "k");
        lua_call_start(&c);
        lua_call_wait(&c, 0);
        CHECK_INT(c.outcome.status, TR_E_INTERNAL);
        lua_call_done(&c);
        check(&f, "refuse", "{}", "k", "error: " TEXT("not yet"));
    }
    lua_world_check(&f.w, "make", "[]");
    check(&f, "fail", "{}", "k", TEXT("done"));
    check(&f, "refuse", "{}", "k", TEXT("done"));
    check(&f, "large", "{}", "k", "limit: the result is too large to be kept");
    close_world(&f);
}

/* What could not land has not happened: the key is free. */
TEST(idempotency_of_a_call_that_did_not_land_is_free)
{
    struct world f;
    open_world(&f);
    check(&f, "add", "{\"n\":1}", NULL, "{\"n\":1}");
    for (int i = 0; i < 2; i++) {
        struct lua_call c;
        prepare(&f, &c, "add", "{\"n\":1}", "k");
        lua_call_start(&c);
        lua_call_wait(&c, 0);
        CHECK_INT(c.outcome.status, TR_E_VALIDATION);
        lua_call_done(&c);
    }
    check(&f, "add", "{\"n\":2}", "k", "{\"n\":2}");
    close_world(&f);
}

TEST(idempotency_result_has_all_that_the_first_had)
{
    struct world f;
    struct lua_call first;
    struct lua_call second;
    open_world(&f);
    prepare(&f, &first, "chance", "{}", "k");
    lua_call_start(&first);
    lua_call_wait(&first, 0);
    prepare(&f, &second, "chance", "{}", "k");
    lua_call_start(&second);
    lua_call_wait(&second, 0);
    CHECK(strstr(lua_call_text(&first), "x/y") != NULL);
    CHECK_STR(tr_str_from(lua_call_text(&second)), lua_call_text(&first));
    lua_call_done(&first);
    lua_call_done(&second);
    close_world(&f);
}

/* Stored results are given out to who may still have them, and to no other. */
TEST(idempotency_does_not_open_what_a_policy_has_closed)
{
    struct world f;
    open_world(&f);
    check(&f, "guarded", "{}", "k", TEXT("made"));
    check(&f, "guarded", "{}", "k", TEXT("made"));
    check_tasks(&f, 1);
    check(&f, "guarded", "{}", "l", TEXT("made"));
    check(&f, "guarded", "{}", "k",
          "policy: policy 'few' denies it {\"policy\":\"few\"}");
    close_world(&f);
}

/* The first call has made the condition untrue: that is no reason to fail. */
TEST(idempotency_comes_before_conditions)
{
    struct world f;
    struct lua_call c;
    open_world(&f);
    lua_world_check(&f.w, "make", "[]");
    check(&f, "close", "{\"task\":\"nine\"}", "k", TEXT("closed"));
    check(&f, "close", "{\"task\":\"nine\"}", "k", TEXT("closed"));
    prepare(&f, &c, "close", "{\"task\":\"nine\"}", "l");
    lua_call_start(&c);
    CHECK_INT(c.outcome.status, TR_E_PRECONDITION);
    lua_call_done(&c);
    close_world(&f);
}

TEST(idempotency_of_one_that_runs_makes_others_wait_for_it)
{
    struct world f;
    struct lua_call calls[4];
    struct lua_call other;
    open_world(&f);
    for (size_t i = 0; i < TR_LEN(calls); i++) {
        prepare(&f, &calls[i], "slow", "{\"n\":1}", "k");
        lua_call_start(&calls[i]);
    }
    prepare(&f, &other, "slow", "{\"n\":2}", "k");
    lua_call_start(&other);
    CHECK(other.finished);
    check_call(&other, CONFLICT);
    lua_call_wait(&calls[0], 1000);
    for (size_t i = 0; i < TR_LEN(calls); i++)
        check_call(&calls[i], TEXT("task 1"));
    check_tasks(&f, 1);
    close_world(&f);
}

TEST(idempotency_of_one_that_is_cancelled_goes_to_the_next)
{
    struct world f;
    struct lua_call calls[3];
    open_world(&f);
    for (size_t i = 0; i < TR_LEN(calls); i++) {
        prepare(&f, &calls[i], "slow", "{\"n\":1}", "k");
        lua_call_start(&calls[i]);
    }
    tr_call_cancel(&calls[1].call); /* while it waits */
    CHECK(calls[1].finished);
    CHECK_INT(calls[1].outcome.status, TR_E_CANCELLED);
    tr_call_cancel(&calls[0].call);
    CHECK_INT(calls[0].outcome.status, TR_E_CANCELLED);
    check_call(&calls[2], TEXT("task 1"));
    lua_call_done(&calls[0]);
    lua_call_done(&calls[1]);
    check_tasks(&f, 1);
    close_world(&f);
}

/* It is on its way to be woken, and hears only then that nobody wants it. */
TEST(idempotency_of_one_that_is_cancelled_as_it_is_woken)
{
    struct world f;
    struct lua_call calls[2];
    open_world(&f);
    for (size_t i = 0; i < TR_LEN(calls); i++) {
        prepare(&f, &calls[i], "slow", "{\"n\":1}", "k");
        lua_call_start(&calls[i]);
    }
    tr_call_cancel(&calls[0].call);
    tr_call_cancel(&calls[1].call);
    CHECK(!calls[1].finished);
    lua_call_wait(&calls[1], 0);
    CHECK_INT(calls[1].outcome.status, TR_E_CANCELLED);
    lua_call_done(&calls[0]);
    lua_call_done(&calls[1]);
    check(&f, "slow", "{\"n\":2}", "k", TEXT("task 2"));
    close_world(&f);
}

TEST(idempotency_waits_no_longer_than_its_call_may)
{
    struct world f;
    struct lua_call calls[2];
    open_world(&f);
    for (size_t i = 0; i < TR_LEN(calls); i++) {
        prepare(&f, &calls[i], "slow", "{\"n\":1}", "k");
        calls[i].call.timeout_ms = i == 0 ? 0 : 100;
        lua_call_start(&calls[i]);
    }
    lua_call_wait(&calls[1], 50);
    CHECK_INT(calls[1].outcome.status, TR_E_TIMEOUT);
    lua_call_done(&calls[1]);
    check_call(&calls[0], TEXT("task 1"));
    close_world(&f);
}

/* As two processes are: nobody waits, and the first that lands wins. */
TEST(idempotency_of_two_that_do_not_know_each_other_lands_once)
{
    struct world f;
    struct lua_call calls[3];
    struct lua_call other;
    open_world(&f);
    f.w.env.idempotency_queue = NULL;
    for (size_t i = 0; i < TR_LEN(calls); i++) {
        prepare(&f, &calls[i], "slow", "{\"n\":1}", "k");
        lua_call_start(&calls[i]);
    }
    prepare(&f, &other, "slow", "{\"n\":2}", "k");
    lua_call_start(&other);
    for (size_t i = 0; i < TR_LEN(calls); i++)
        check_call(&calls[i], TEXT("task 1"));
    check_call(&other, CONFLICT);
    check_tasks(&f, 1);
    close_world(&f);
}

/* The other one's changes are why it failed: it is told what those came to. */
TEST(idempotency_of_one_that_fails_because_it_is_second)
{
    struct world f;
    struct lua_call calls[2];
    open_world(&f);
    f.w.env.idempotency_queue = NULL;
    for (size_t i = 0; i < TR_LEN(calls); i++) {
        prepare(&f, &calls[i], "named", "{}", "k");
        lua_call_start(&calls[i]);
        tr_loop_step(f.w.app.loop, 500);
    }
    lua_call_wait(&calls[0], 100);
    CHECK(!calls[1].finished);
    check_call(&calls[0], TEXT("made"));
    check_call(&calls[1], TEXT("made"));
    close_world(&f);
}

TEST(idempotency_is_for_all_that_a_call_invokes)
{
    struct world f;
    open_world(&f);
    check(&f, "nested", "{}", "k", "[1,2]");
    check(&f, "nested", "{}", "k", "[1,2]");
    check_tasks(&f, 2);
    close_world(&f);
}

/* Between two rounds nobody runs; the last of them is what is kept. */
TEST(idempotency_of_a_call_in_rounds)
{
    struct world f;
    struct lua_call first;
    struct lua_call second;
    open_world(&f);
    prepare(&f, &first, "asks", "{\"n\":1}", "k");
    first.asking = LUA_ASK_ROUNDS;
    lua_call_start(&first);
    CHECK(first.round_ended);
    prepare(&f, &second, "asks", "{\"n\":1}", "k");
    lua_call_again(&second, &first,
                   "{\"elicit-1\":{\"action\":\"accept\",\"content\":{}}}");
    check_call(&second, TEXT("accept"));
    lua_call_done(&first);
    check(&f, "asks", "{\"n\":1}", "k", TEXT("accept"));
    check_tasks(&f, 1);
    close_world(&f);
}

/* A day later it is a new call. */
TEST(idempotency_expires)
{
    struct world f;
    struct tr_db *db = NULL;
    struct tr_err err = {0};
    open_world(&f);
    check(&f, "add", "{\"n\":1}", "k", "{\"n\":1}");
    CHECK_OK(tr_db_open(tr_graph_store_path(f.w.env.store), NULL, &db, &err),
             &err);
    CHECK_OK(tr_db_exec(db, "UPDATE kept SET expires = expires - 86400", &err),
             &err);
    tr_db_close(db);
    check(&f, "add", "{\"n\":2}", "k", "{\"n\":2}");
    close_world(&f);
}

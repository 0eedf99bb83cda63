/*
 * Calls that are run again because others were first, and the numbers that
 * they take.
 *
 * A handler that sleeps lets the test run another call in between: the clock
 * stands still until it is stepped.
 */
#include "base/test.h"
#include "json/build.h"
#include "loop/loop.h"
#include "runtime/env.h"
#include "support/live.h"
#include "support/lua_world.h"

struct race {
    struct lua_world w;
    struct tr_call_env other; /* without a queue: as another process */
};

static const char prelude[] =
    "local runs = {}\n"
    "local function ran(name)\n"
    "  runs[name] = (runs[name] or 0) + 1\n"
    "  return runs[name]\n"
    "end\n"
    "cap('runs', function(ctx, args) return { n = runs[args.of] or 0 } end)\n"
    "cap('take', function(ctx, args)\n"
    "  ran(args.as or 'take')\n"
    "  local n = ctx.kg:next('c', args.least)\n"
    "  if not args.quick then ctx:sleep(1) end\n"
    "  ctx.kg:create('Task', task(n))\n"
    "  return { n = n }\n"
    "end)\n";

static void race_open(struct race *r, const char *source)
{
    static char text[TR_KIB(8)];
    struct tr_err err = {0};
    (void)snprintf(text, sizeof(text), "%s%s", prelude, source);
    lua_world_open(&r->w, text);
    live_of(r->w.app.snapshot)->retries = 5;
    r->other = r->w.env;
    CHECK_OK(tr_call_race_queue_create(&r->w.env.race_queue, &err), &err);
}

static void race_close(struct race *r)
{
    tr_call_race_queue_free(r->w.env.race_queue);
    lua_world_close(&r->w);
}

static void start(struct race *r, struct lua_call *c, const char *name,
                  const char *args)
{
    lua_call_init(c, &r->w.app, name, args);
    lua_call_start(c);
}

/*
 * As lua_call_wait, which lets the loop run until nothing waits for it: here
 * others may.
 */
static void turn(struct lua_call *c, uint64_t ms)
{
    (void)tr_loop_turn(c->app->loop);
    tr_loop_step(c->app->loop, ms);
}

static void await(struct lua_call *c, uint64_t ms)
{
    while (!c->finished)
        turn(c, ms);
}

static void check_end(struct lua_call *c, const char *expected)
{
    await(c, 1000);
    CHECK_STR(tr_str_from(lua_call_text(c)), expected);
    lua_call_done(c);
}

/* A whole call, while those that sleep go on sleeping. */
static void check_quick(struct race *r, const char *name, const char *args,
                        const char *expected)
{
    struct lua_call c;
    start(r, &c, name, args);
    await(&c, 0);
    CHECK_STR(tr_str_from(lua_call_text(&c)), expected);
    lua_call_done(&c);
}

static void check_other(struct race *r, const char *name, const char *args,
                        const char *expected)
{
    const struct tr_call_env *env = r->w.app.env;
    r->w.app.env = &r->other;
    check_quick(r, name, args, expected);
    r->w.app.env = env;
}

static void check_runs(struct race *r, const char *of, int count)
{
    char args[64];
    char expected[32];
    (void)snprintf(args, sizeof(args), "{\"of\":\"%s\"}", of);
    (void)snprintf(expected, sizeof(expected), "{\"n\":%d}", count);
    check_quick(r, "runs", args, expected);
}

/* Numbers. -----------------------------------------------------------------*/

TEST(next_gives_numbers_without_gaps)
{
    struct race r;
    race_open(&r, "cap('twice', function(ctx)\n"
                  "  local a = ctx.kg:next 'c'\n"
                  "  return { n = a, m = ctx.kg:next 'c' }\n"
                  "end)\n"
                  "cap('fails', function(ctx) ctx.kg:next 'c' error 'no' end)\n"
                  "cap('inner', function(ctx)\n"
                  "  pcall(ctx.kg.transaction, ctx.kg, function()\n"
                  "    ctx.kg:next 'c' error 'no' end)\n"
                  "  pcall(ctx.invoke, ctx, 'fails')\n"
                  "  return { n = ctx.kg:next 'c' }\n"
                  "end)\n");
    check_quick(&r, "twice", "{}", "{\"m\":2,\"n\":1}");
    check_quick(&r, "fails", "{}", "internal: app.lua:51: no");
    check_quick(&r, "twice", "{}", "{\"m\":4,\"n\":3}");
    check_quick(&r, "inner", "{}", "{\"n\":5}");
    check_quick(&r, "take", "{\"quick\":true,\"least\":3}", "{\"n\":6}");
    check_quick(&r, "take", "{\"quick\":true,\"least\":56}", "{\"n\":56}");
    check_quick(&r, "take", "{\"quick\":true,\"least\":56}", "{\"n\":57}");
    race_close(&r);
}

TEST(next_has_bounds)
{
    lua_world_test(
        "cap('test', function(ctx)\n"
        "  local kg = ctx.kg\n"
        "  local function says(part, ...)\n"
        "    local _, text = code(kg.next, kg, ...)\n"
        "    assert(text:find(part, 1, true), text)\n"
        "  end\n"
        "  says('1 to 200 bytes', '')\n"
        "  says('1 to 200 bytes', ('x'):rep(201))\n"
        "  says('1 to 200 bytes', '\\xff')\n"
        "  says('string expected', {})\n"
        "  says('never below 0', 'a', -1)\n"
        "  says('integer', 'a', 1.5)\n"
        "  assert(kg:next(('x'):rep(200)) == 1)\n"
        "  assert(kg:next('zero', 0) == 1, 'nothing is at 0')\n"
        "  assert(kg:next('end', math.maxinteger) == math.maxinteger)\n"
        "  assert(code(kg.next, kg, 'end') == 'limit')\n"
        "  for i = 1, 4096 - 3 do assert(kg:next 'many' == i) end\n"
        "  says('more than 4096 numbers', 'many')\n"
        "  return 'ok'\n"
        "end)\n",
        "0");
}

TEST(next_is_a_write)
{
    struct lua_world w;
    lua_world_open(
        &w, "capability 'reads' { description = 'd',\n"
            "  side_effects = { graph_writes = {} },\n"
            "  run = function(ctx) return { n = ctx.kg:next 'c' } end }\n"
            "capability 'writes' { description = 'd',\n"
            "  side_effects = { graph_writes = { 'default' } },\n"
            "  run = function(ctx) return { n = ctx.kg:next 'c' } end }\n");
    lua_world_check_fails(&w, "reads", TR_E_INTERNAL, "cannot change");
    lua_world_check(&w, "writes", "{\"n\":1}");
    lua_world_check(&w, "writes", "{\"n\":2}");
    lua_world_close(&w);
}

/* What is run again. -------------------------------------------------------*/

TEST(race_for_a_number_is_run_again)
{
    struct race r;
    struct lua_call slow;
    race_open(&r, "");
    start(&r, &slow, "take", "{}");
    check_quick(&r, "take", "{\"quick\":true,\"as\":\"b\"}", "{\"n\":1}");
    check_end(&slow, "{\"n\":2}");
    check_runs(&r, "take", 2);
    check_runs(&r, "b", 1);
    race_close(&r);
}

static const char by_hand[] =
    "local function id(n) return 'trails://local/Person/p' .. n end\n"
    "local function free(ctx)\n"
    "  local n = 1\n"
    "  while ctx.kg:get(id(n)) do n = n + 1 end\n"
    "  return n\n"
    "end\n"
    "local function make(ctx, n)\n"
    "  ctx.kg:create('Person', { name = 'n', email = n .. '@' },\n"
    "    { id = id(n) })\n"
    "end\n"
    "cap('early', function(ctx)\n"
    "  ran 'early' local n = free(ctx) ctx:sleep(1) make(ctx, n)\n"
    "  return { n = n }\n"
    "end)\n"
    "cap('late', function(ctx)\n"
    "  ran 'late' local n = free(ctx) make(ctx, n) ctx:sleep(1)\n"
    "  return { n = n }\n"
    "end)\n"
    "cap('quick', function(ctx)\n"
    "  local n = free(ctx) make(ctx, n) return { n = n }\n"
    "end)\n"
    "cap('caught', function(ctx)\n"
    "  local n = free(ctx) ran 'caught' ctx:sleep(1)\n"
    "  return { code = (code(make, ctx, n)) }\n"
    "end)\n"
    "cap('again', function(ctx)\n"
    "  local n = free(ctx) ran 'again' ctx:sleep(1)\n"
    "  local ok, e = pcall(make, ctx, n)\n"
    "  if not ok then error(e) end\n"
    "  return { n = n }\n"
    "end)\n"
    "cap('other', function(ctx)\n"
    "  local n = free(ctx) ran 'other' ctx:sleep(1)\n"
    "  if not pcall(make, ctx, n) then\n"
    "    error { code = 'conflict', message = 'mine' } end\n"
    "end)\n"
    "cap('parent', function(ctx)\n"
    "  ran 'parent'\n"
    "  return ctx:invoke('early')\n"
    "end)\n"
    "cap('taken', function(ctx) ran 'taken' make(ctx, 1) end)\n";

/* Refused at once, and refused by the writer: both are the same to callers. */
TEST(race_for_a_name_is_run_again)
{
    struct race r;
    struct lua_call slow;
    race_open(&r, by_hand);
    start(&r, &slow, "early", "{}");
    check_quick(&r, "quick", "{}", "{\"n\":1}");
    check_end(&slow, "{\"n\":2}");
    check_runs(&r, "early", 2);
    start(&r, &slow, "late", "{}");
    check_quick(&r, "quick", "{}", "{\"n\":3}");
    check_end(&slow, "{\"n\":4}");
    check_runs(&r, "late", 2);
    start(&r, &slow, "parent", "{}");
    check_quick(&r, "quick", "{}", "{\"n\":5}");
    check_end(&slow, "{\"n\":6}");
    check_runs(&r, "parent", 2);
    race_close(&r);
}

TEST(race_that_a_handler_handles_is_not_run_again)
{
    struct race r;
    struct lua_call slow;
    race_open(&r, by_hand);
    start(&r, &slow, "caught", "{}");
    check_quick(&r, "quick", "{}", "{\"n\":1}");
    check_end(&slow, "{\"code\":\"conflict\"}");
    check_runs(&r, "caught", 1);
    start(&r, &slow, "other", "{}");
    check_quick(&r, "quick", "{}", "{\"n\":2}");
    check_end(&slow, "conflict: mine");
    check_runs(&r, "other", 1);
    start(&r, &slow, "again", "{}"); /* it raises what it has caught */
    check_quick(&r, "quick", "{}", "{\"n\":3}");
    check_end(&slow, "{\"n\":4}");
    check_runs(&r, "again", 2);
    lua_world_check_fails(&r.w, "taken", TR_E_CONFLICT, "already");
    check_runs(&r, "taken", 1); /* nothing has changed since it began */
    race_close(&r);
}

static const char unique[] = "cap('add', function(ctx, args)\n"
                             "  ran 'add'\n"
                             "  local n = ctx.kg:count 'Task' + 1\n"
                             "  if not args.quick then ctx:sleep(1) end\n"
                             "  ctx.kg:create('Task', task(args.n or n))\n"
                             "  return { n = n }\n"
                             "end)\n";

TEST(race_for_a_unique_value_is_run_again)
{
    struct race r;
    struct lua_call slow;
    race_open(&r, unique);
    start(&r, &slow, "add", "{}");
    check_quick(&r, "add", "{\"quick\":true}", "{\"n\":1}");
    check_end(&slow, "{\"n\":2}");
    check_runs(&r, "add", 3);
    race_close(&r);
}

/* Another call lands meanwhile, but the value was never free. */
TEST(race_for_a_value_that_was_taken_is_not_run_again)
{
    struct race r;
    struct lua_call slow;
    race_open(&r, unique);
    check_quick(&r, "add", "{\"quick\":true}", "{\"n\":1}");
    start(&r, &slow, "add", "{\"n\":1}");
    check_quick(&r, "add", "{\"quick\":true}", "{\"n\":2}");
    await(&slow, 1000);
    CHECK_INT(slow.outcome.status, TR_E_VALIDATION);
    lua_call_done(&slow);
    check_runs(&r, "add", 3);
    race_close(&r);
}

/* Versions. ----------------------------------------------------------------*/

static const char versions[] =
    "cap('make', function(ctx)\n"
    "  return { id = ctx.kg:create('Task', task(1)).id } end)\n"
    "local function update(name, when)\n"
    "  cap(name, function(ctx, args)\n"
    "    ran(name)\n"
    "    local t = ctx.kg:where('Task')[1]\n"
    "    if when == 'before' then ctx:sleep(1) end\n"
    "    local v = args.version or args.if_version\n"
    "      or args.nodes and args.nodes[1].version\n"
    "    ctx.kg:update(t, { title = 'Title ' .. t._version },\n"
    "      { if_version = v or t._version })\n"
    "    if when == 'after' then ctx:sleep(1) end\n"
    "    return { title = ctx.kg:get(t).title }\n"
    "  end)\n"
    "end\n"
    "update('before', 'before') update('after', 'after') update 'quick'\n"
    "cap('parent', function(ctx)\n"
    "  return ctx:invoke('before', {\n"
    "    version = ctx.kg:where('Task')[1]._version })\n"
    "end)\n"
    "cap('gone', function(ctx)\n"
    "  ran 'gone'\n"
    "  local t = ctx.kg:where('Task')[1]\n"
    "  ctx:sleep(1)\n"
    "  if t then ctx.kg:update(t, { title = 'Title' }) end\n"
    "  return { found = t ~= nil }\n"
    "end)\n"
    "cap('drop', function(ctx)\n"
    "  ctx.kg:delete(ctx.kg:where('Task')[1]) return {} end)\n";

TEST(race_for_a_version_that_was_read_is_run_again)
{
    static const char *const names[] = {"before", "after"};
    struct race r;
    struct lua_call slow;
    race_open(&r, versions);
    lua_call_init(&slow, &r.w.app, "make", "{}");
    lua_call_start(&slow);
    await(&slow, 0);
    lua_call_done(&slow);
    for (int i = 0; i < 2; i++) {
        char text[64];
        start(&r, &slow, names[i], "{}");
        (void)snprintf(text, sizeof(text), "{\"title\":\"Title %d\"}",
                       2 * i + 1);
        check_quick(&r, "quick", "{}", text);
        (void)snprintf(text, sizeof(text), "{\"title\":\"Title %d\"}",
                       2 * i + 2);
        check_end(&slow, text);
        check_runs(&r, names[i], 2);
    }
    start(&r, &slow, "parent", "{}"); /* its caller gave none */
    check_quick(&r, "quick", "{}", "{\"title\":\"Title 5\"}");
    check_end(&slow, "{\"title\":\"Title 6\"}");
    start(&r, &slow, "gone", "{}");
    check_quick(&r, "drop", "{}", "{}");
    check_end(&slow, "{\"found\":false}");
    check_runs(&r, "gone", 2);
    race_close(&r);
}

TEST(race_for_a_version_that_the_caller_gave_is_not_run_again)
{
    static const char *const args[][2] = {{"{\"version\":", "}"},
                                          {"{\"if_version\":", "}"},
                                          {"{\"nodes\":[{\"version\":", "}]}"}};
    struct race r;
    struct lua_call slow;
    int version = 1;
    race_open(&r, versions);
    start(&r, &slow, "make", "{}");
    await(&slow, 0);
    lua_call_done(&slow);
    for (size_t i = 0; i < 2 * TR_LEN(args); i++) {
        char given[64];
        char text[64];
        (void)snprintf(given, sizeof(given), "%s%d%s", args[i / 2][0], version,
                       args[i / 2][1]);
        start(&r, &slow, i % 2 ? "before" : "after", given);
        (void)snprintf(text, sizeof(text), "{\"title\":\"Title %d\"}",
                       version++);
        check_quick(&r, "quick", "{}", text);
        await(&slow, 1000);
        CHECK_INT(slow.outcome.status, TR_E_CONFLICT);
        lua_call_done(&slow);
    }
    check_runs(&r, "before", TR_LEN(args));
    check_runs(&r, "after", TR_LEN(args));
    race_close(&r);
}

/* How often. ---------------------------------------------------------------*/

static void prepare_keyed(struct race *r, struct lua_call *c, const char *args)
{
    lua_call_init(c, &r->w.app, "keyed", args);
    struct tr_json *key = TR_NEW(&c->arena, struct tr_json);
    CHECK(key != NULL);
    if (key)
        *key = tr_json_make_text(TR_JSON_STRING, TR_STR("k"));
    c->call.given_idempotency_key = key;
    lua_call_start(c);
}

/* All tries have the key; who comes with it meanwhile is given the result. */
TEST(race_has_one_idempotency_turn)
{
    struct race r;
    struct lua_call first;
    struct lua_call second;
    struct tr_err err = {0};
    race_open(&r, "capability 'keyed' { description = 'd', idempotent = true,\n"
                  "  run = function(ctx)\n"
                  "    ran 'keyed'\n"
                  "    local n = ctx.kg:next 'c'\n"
                  "    ctx:sleep(1)\n"
                  "    return { n = n }\n"
                  "  end }\n");
    CHECK_OK(tr_call_idempotency_queue_create(&r.w.env.idempotency_queue, &err),
             &err);
    prepare_keyed(&r, &first, "{}");
    prepare_keyed(&r, &second, "{}");
    check_quick(&r, "take", "{\"quick\":true}", "{\"n\":1}");
    check_end(&first, "{\"n\":2}");
    check_end(&second, "{\"n\":2}");
    prepare_keyed(&r, &second, "{}");
    check_end(&second, "{\"n\":2}");
    check_runs(&r, "keyed", 2);
    tr_call_idempotency_queue_free(r.w.env.idempotency_queue);
    race_close(&r);
}

/* Another process is first each time. */
static void lose(struct race *r, unsigned retries)
{
    struct lua_call slow;
    char expected[32];
    live_of(r->w.app.snapshot)->retries = retries;
    start(r, &slow, "take", "{\"as\":\"slow\"}");
    for (unsigned i = 0; i <= retries; i++) {
        (void)snprintf(expected, sizeof(expected), "{\"n\":%u}", i + 1);
        check_other(r, "take", "{\"quick\":true}", expected);
        while (!slow.finished && slow.call.retried == i)
            turn(&slow, 300); /* not as far as the next sleep */
    }
    await(&slow, 0);
    CHECK_INT(slow.outcome.status, TR_E_CONFLICT);
    CHECK(strstr(lua_call_text(&slow), "the counter 'c' is at"));
    CHECK(strstr(lua_call_text(&slow), "{\"reason\":\"conflict\"}"));
    lua_call_done(&slow);
    check_runs(r, "slow", (int)retries + 1);
}

TEST(race_is_run_again_as_often_as_is_set)
{
    static const unsigned retries[] = {0, 1, 5};
    for (size_t i = 0; i < TR_LEN(retries); i++) {
        struct race r;
        race_open(&r, "");
        lose(&r, retries[i]);
        race_close(&r);
    }
}

TEST(race_of_a_call_that_has_asked_is_not_run_again)
{
    struct race r;
    struct lua_call slow;
    race_open(&r, "cap('asks', function(ctx)\n"
                  "  ran 'asks'\n"
                  "  local n = ctx.kg:next 'c'\n"
                  "  ctx:roots()\n"
                  "  ctx:sleep(1)\n"
                  "  return { n = n }\n"
                  "end)\n");
    lua_call_init(&slow, &r.w.app, "asks", "{}");
    lua_call_answers(&slow, "{\"roots-1\":{\"roots\":[]}}");
    lua_call_start(&slow);
    check_quick(&r, "take", "{\"quick\":true}", "{\"n\":1}");
    await(&slow, 1000);
    CHECK_INT(slow.outcome.status, TR_E_CONFLICT);
    lua_call_done(&slow);
    check_runs(&r, "asks", 1);
    race_close(&r);
}

/* Turns. -------------------------------------------------------------------*/

/* The writer works in its own time; the clock stands still. */
static void until_queued(struct lua_call *c)
{
    while (c->call.state != TR_CALL_QUEUED)
        turn(c, 0);
}

/* While one is in its second try, the first tries of others are left to it. */
TEST(race_is_won_by_the_second_try)
{
    struct race r;
    struct lua_call slow;
    struct lua_call quick[4];
    race_open(&r, "");
    start(&r, &slow, "take", "{\"as\":\"slow\"}");
    check_quick(&r, "take", "{\"quick\":true}", "{\"n\":1}");
    while (!slow.call.retried)
        turn(&slow, 500);
    for (size_t i = 0; i < TR_LEN(quick); i++) {
        start(&r, &quick[i], "take", "{\"quick\":true,\"as\":\"quick\"}");
        until_queued(&quick[i]);
    }
    check_end(&slow, "{\"n\":2}");
    check_runs(&r, "slow", 2);
    for (size_t i = 0; i < TR_LEN(quick); i++) {
        char expected[32];
        (void)snprintf(expected, sizeof(expected), "{\"n\":%zu}", i + 3);
        check_end(&quick[i], expected);
    }
    check_runs(&r, "quick", 2 * (int)TR_LEN(quick));
    race_close(&r);
}

TEST(race_can_be_cancelled_and_times_out_while_it_waits)
{
    struct race r;
    struct lua_call slow;
    struct lua_call gone;
    struct lua_call late;
    race_open(&r, "");
    start(&r, &slow, "take", "{}");
    check_quick(&r, "take", "{\"quick\":true}", "{\"n\":1}");
    while (!slow.call.retried)
        turn(&slow, 500);
    start(&r, &gone, "take", "{\"quick\":true}");
    lua_call_init(&late, &r.w.app, "take", "{\"quick\":true}");
    late.call.timeout_ms = 300;
    lua_call_start(&late);
    until_queued(&gone);
    until_queued(&late);
    tr_call_cancel(&gone.call);
    CHECK(gone.finished);
    CHECK_INT(gone.outcome.status, TR_E_CANCELLED);
    turn(&late, 400);
    CHECK(late.finished);
    CHECK_INT(late.outcome.status, TR_E_TIMEOUT);
    lua_call_done(&gone);
    lua_call_done(&late);
    check_end(&slow, "{\"n\":2}");
    check_quick(&r, "take", "{\"quick\":true}", "{\"n\":3}");
    race_close(&r);
}

/* All tries have one time. */
TEST(race_has_one_timeout)
{
    struct race r;
    struct lua_call slow;
    race_open(&r, "");
    lua_call_init(&slow, &r.w.app, "take", "{}");
    slow.call.timeout_ms = 1500;
    lua_call_start(&slow);
    check_quick(&r, "take", "{\"quick\":true}", "{\"n\":1}");
    turn(&slow, 1000);
    while (!slow.call.retried)
        turn(&slow, 0);
    await(&slow, 1000);
    CHECK_INT(slow.outcome.status, TR_E_TIMEOUT);
    lua_call_done(&slow);
    check_runs(&r, "take", 3);
    race_close(&r);
}

/* What the client hears. ---------------------------------------------------*/

TEST(race_tells_nothing_twice)
{
    struct race r;
    struct lua_call slow;
    race_open(&r, "cap('tells', function(ctx)\n"
                  "  ctx:log('info', 'begin')\n"
                  "  ctx:log('info', 'begin')\n"
                  "  ctx:progress(ran 'tells' == 1 and 1 or 0.5, 3)\n"
                  "  local n = ctx.kg:next 'c'\n"
                  "  ctx:log('info', 'number ' .. n)\n"
                  "  ctx:sleep(1)\n"
                  "  ctx:progress(2, 3)\n"
                  "  return { n = n }\n"
                  "end)\n");
    start(&r, &slow, "tells", "{}");
    check_quick(&r, "take", "{\"quick\":true}", "{\"n\":1}");
    await(&slow, 1000);
    CHECK_STR(tr_buf_str(&slow.heard), "log 1 '' \"begin\"\n"
                                       "log 1 '' \"begin\"\n"
                                       "progress 1/3 \n"
                                       "log 1 '' \"number 1\"\n"
                                       "progress 2/3 \n"
                                       "log 1 '' \"number 2\"\n");
    lua_call_done(&slow);
    race_close(&r);
}

/* Each try begins anew: what it draws and what it sees is of its own. */
TEST(race_has_a_fresh_journal)
{
    struct race r;
    struct lua_call slow;
    race_open(&r, "cap('draws', function(ctx)\n"
                  "  local now = ctx:now()\n"
                  "  if ran 'draws' == 2 then ctx:random() end\n"
                  "  ctx.kg:next 'c'\n"
                  "  ctx.kg:create('Task', task(9))\n"
                  "  ctx:sleep(1)\n"
                  "  return { later = ctx:now() - now }\n"
                  "end)\n");
    start(&r, &slow, "draws", "{}");
    check_quick(&r, "take", "{\"quick\":true}", "{\"n\":1}");
    check_end(&slow, "{\"later\":1}");
    race_close(&r);
}

TEST(race_meets_a_precondition_again)
{
    struct race r;
    struct lua_call slow;
    struct lua_call c;
    char args[128];
    char quick[160];
    race_open(
        &r, "cap('make', function(ctx)\n"
            "  return { id = ctx.kg:create('Task', task(1)).id } end)\n"
            "capability 'close' { description = 'd',\n"
            "  input = { id = ref 'Task', quick = boolean { default = false "
            "} },\n"
            "  preconditions = { { kind = 'state', type = 'Task', arg = 'id',\n"
            "    field = 'state', one_of = { 'open' } } },\n"
            "  run = function(ctx, args)\n"
            "    ran 'close'\n"
            "    ctx.kg:update(args.id, { state = 'done' })\n"
            "    if not args.quick then ctx:sleep(1) end\n"
            "    return {}\n"
            "  end }\n");
    start(&r, &c, "make", "{}");
    await(&c, 0);
    (void)snprintf(args, sizeof(args), "%s", lua_call_text(&c));
    start(&r, &slow, "close", args);
    (void)snprintf(quick, sizeof(quick), "%.*s,\"quick\":true}",
                   (int)strlen(args) - 1, args);
    check_quick(&r, "close", quick, "{}");
    await(&slow, 1000);
    CHECK_INT(slow.outcome.status, TR_E_PRECONDITION);
    lua_call_done(&slow);
    lua_call_done(&c);
    check_runs(&r, "close", 2); /* the second try did not come to it */
    race_close(&r);
}

/*
 * What of a handler's changes lands, and what does not.
 */
#include "base/test.h"
#include "loop/loop.h"
#include "lua/kg.h"
#include "support/lua_world.h"

/* Savepoints. --------------------------------------------------------------*/

TEST(kg_transaction_takes_back_what_failed)
{
    lua_world_test(
        "cap('test', function(ctx)\n"
        "  local kg = ctx.kg\n"
        "  kg:create('Task', task(1))\n"
        "  local a, b = kg:transaction(function()\n"
        "    kg:create('Task', task(2))\n"
        "    return 'a', nil\n"
        "  end)\n"
        "  assert(a == 'a' and b == nil and kg:count('Task') == 2)\n"
        "  local c, text, e = code(kg.transaction, kg, function()\n"
        "    kg:create('Task', task(3))\n"
        "    ctx:sleep(1)\n"
        "    kg:transaction(function() kg:create('Task', task(4)) end)\n"
        "    pcall(kg.transaction, kg, function()\n"
        "      kg:create('Task', task(5))\n"
        "      error 'inner'\n"
        "    end)\n"
        "    assert(kg:count('Task') == 4)\n"
        "    error { code = 'conflict', message = 'mine', data = { 1 } }\n"
        "  end)\n"
        "  assert(c == 'conflict' and e.message == 'mine')\n"
        "  assert(e.data[1] == 1)\n"
        "  assert(kg:count('Task') == 2 and not kg:exists('Task',\n"
        "    { number = 3 }))\n"
        "  assert(kg:transaction(function()\n"
        "    ctx:sleep(1) kg:create('Task', task(3)) return 'slept' end)\n"
        "    == 'slept')\n"
        "  return 'ok'\n"
        "end)\n",
        "3");
}

/* What a deleted node had is there again. */
TEST(kg_transaction_takes_back_a_deletion)
{
    lua_world_test(
        "cap('test', function(ctx)\n"
        "  local kg = ctx.kg\n"
        "  local t = kg:create('Task', task(1))\n"
        "  pcall(kg.transaction, kg, function()\n"
        "    kg:delete(t)\n"
        "    kg:update(kg:create('Task', task(2)), { number = 1 })\n"
        "    error 'no'\n"
        "  end)\n"
        "  assert(kg:get(t).title == 'Task 1' and kg:count('Task') == 1)\n"
        "  return 'ok'\n"
        "end)\n",
        "1");
}

/* Several handlers, one changeset. -----------------------------------------*/

static const char family[] =
    "cap('make', function(ctx, args)\n"
    "  ctx.kg:create('Task', task(args.n))\n"
    "  if args.throw then error { code = 'conflict', message = 'm' } end\n"
    "  if args.fail then return ctx:error 'sorry' end\n"
    "  ctx:sleep(1)\n"
    "  return { seen = (ctx.kg:count 'Task') }\n"
    "end)\n"
    "capability 'misfit' { description = 'd', output = { n = integer },\n"
    "  run = function(ctx)\n"
    "    ctx.kg:create('Task', task(77))\n"
    "    return { n = 'x' }\n"
    "  end }\n"
    "cap('good', function(ctx)\n"
    "  ctx.kg:create('Task', task(1))\n"
    "  assert(ctx:invoke('make', { n = 2 }).seen == 2)\n"
    "  assert(code(ctx.invoke, ctx, 'make', { n = 3, throw = true })\n"
    "    == 'conflict')\n"
    "  ctx:invoke('make', { n = 4, fail = true })\n"
    "  assert(code(ctx.invoke, ctx, 'misfit') == 'internal')\n"
    "  return { n = (ctx.kg:count 'Task') }\n"
    "end)\n"
    "cap('bad', function(ctx)\n"
    "  ctx:invoke('make', { n = 11 })\n"
    "  error 'the parent fails'\n"
    "end)\n"
    "cap('first', function(ctx) return ctx:invoke('make', { n = 21 }) end)\n";

TEST(kg_invoked_handlers_join_the_changes_of_their_caller)
{
    struct lua_world w;
    lua_world_open(&w, family);
    lua_world_check(&w, "good", "{\"n\":2}");
    lua_world_check(&w, "count", "{\"n\":2}");
    lua_world_check_fails(&w, "bad", TR_E_INTERNAL, "the parent fails");
    lua_world_check(&w, "count", "{\"n\":2}");
    lua_world_check(&w, "first", "{\"seen\":3}");
    lua_world_check(&w, "count", "{\"n\":3}");
    lua_world_close(&w);
}

/* What does not land. ------------------------------------------------------*/

static const char ends[] =
    "cap('throws', function(ctx)\n"
    "  ctx.kg:create('Task', task(1)) error 'thrown' end)\n"
    "cap('returns', function(ctx)\n"
    "  ctx.kg:create('Task', task(1)) return ctx:error 'returned' end)\n"
    "capability 'misfit' { description = 'd', output = { n = integer },\n"
    "  run = function(ctx)\n"
    "    ctx.kg:create('Task', task(1)) return { n = 'x' } end }\n"
    "cap('spins', function(ctx)\n"
    "  ctx.kg:create('Task', task(1)) while true do end end)\n"
    "cap('sleeps', function(ctx)\n"
    "  ctx.kg:create('Task', task(1)) ctx:sleep(60) return 'no' end)\n"
    "cap('reads', function(ctx)\n"
    "  ctx.kg:create('Task', task(1))\n"
    "  while true do pcall(ctx.kg.count, ctx.kg, 'Task', { number = 1 }) end\n"
    "end)\n"
    "cap('grows', function(ctx)\n"
    "  ctx.kg:create('Task', task(1))\n"
    "  local t = {} while true do t[#t + 1] = ctx.kg:where 'Task' end end)\n"
    "cap('asks', function(ctx)\n"
    "  ctx.kg:create('Task', task(1)) ctx:roots() return 'no' end)\n"
    "cap('lands', function(ctx)\n"
    "  ctx.kg:create('Task', task(1)) return 'yes' end)\n";

TEST(kg_changes_of_a_call_that_fails_are_gone)
{
    struct lua_world w;
    struct tr_lua_limits limits = {.instructions = 3000000,
                                   .call_bytes = TR_MIB(2)};
    lua_world_open_with(&w, ends, &limits);
    lua_world_check_fails(&w, "throws", TR_E_INTERNAL, "thrown");
    lua_world_check(&w, "returns",
                    "error: [{\"type\":\"text\",\"text\":\"returned\"}]");
    lua_world_check_fails(&w, "misfit", TR_E_INTERNAL,
                          "the output does not fit");
    lua_world_check_fails(&w, "spins", TR_E_LIMIT, "instructions");
    lua_world_check(&w, "count", "{\"n\":0}");
    lua_world_check(&w, "lands", "[{\"type\":\"text\",\"text\":\"yes\"}]");
    lua_world_check(&w, "count", "{\"n\":1}");
    lua_world_close(&w);
}

static const char leaves[] =
    "cap('yields', function(ctx)\n"
    "  coroutine.wrap(function() ctx.kg:transaction(function()\n"
    "    ctx.kg:create('Task', task(1)) coroutine.yield() end) end)()\n"
    "  return 'left' end)\n"
    "cap('closes', function(ctx)\n"
    "  local co = coroutine.create(function()\n"
    "    ctx.kg:transaction(function()\n"
    "    ctx.kg:create('Task', task(1)) coroutine.yield() end) end)\n"
    "  coroutine.resume(co) coroutine.close(co) return 'left' end)\n"
    "cap('ends', function(ctx)\n"
    "  local co = coroutine.wrap(function() ctx.kg:transaction(function()\n"
    "    ctx.kg:create('Task', task(1)) coroutine.yield() end) end)\n"
    "  co() co() return 'yes' end)\n";

/* Nobody can say whether the rest of it would have come. */
TEST(kg_transaction_that_is_left_lands_nothing)
{
    struct lua_world w;
    lua_world_open_with(&w, leaves, NULL);
    lua_world_check_fails(&w, "yields", TR_E_INTERNAL,
                          "a transaction has not ended");
    lua_world_check_fails(&w, "closes", TR_E_INTERNAL,
                          "a transaction has not ended");
    lua_world_check(&w, "count", "{\"n\":0}");
    lua_world_check(&w, "ends", "[{\"type\":\"text\",\"text\":\"yes\"}]");
    lua_world_check(&w, "count", "{\"n\":1}");
    lua_world_close(&w);
}

#define BINARY(event, sign)                                                    \
    "one['" event "'] = function(x, y) return x " sign " y end\n"

/* On every store, also on one that never waits (C56). */
TEST(kg_is_refused_in_every_metamethod)
{
    lua_world_test(
        "local one = {}\n"
        "function one.__unm(x) return -x end\n"
        "function one.__bnot(x) return ~x end\n"
        "function one.__len(x) return #x end\n"
        "function one.__index(x) return x.name end\n"
        "function one.__newindex(x) x.name = 1 end\n"
        "function one.__eq(x, y) return x == y end\n"
        "function one.__lt(x, y) return x < y end\n"
        "function one.__le(x, y) return x <= y end\n"
        "function one.__tostring(x) return tostring(x) end\n"
        "function one.__pairs(x) return pairs(x) end\n"
        "function one.__close(x) local y <close> = x end\n" BINARY(
            "__add", "+") BINARY("__sub", "-") BINARY("__mul",
                                                      "*") BINARY("__div", "/")
            BINARY("__mod", "%") BINARY("__pow", "^") BINARY(
                "__idiv", "//") BINARY("__band",
                                       "&") BINARY("__bor",
                                                   "|") BINARY("__bxor", "~")
                BINARY("__shl", "<<") BINARY("__shr", ">>") BINARY(
                    "__concat",
                    "..") "cap('test', function(ctx)\n"
                          "  local kg = ctx.kg\n"
                          "  local function uses() local n = kg:count('Task') "
                          "return n end\n"
                          "  local function deep() local n = uses() return n "
                          "end\n"
                          "  local function co() local n = "
                          "coroutine.wrap(uses)() return n end\n"
                          "  local function inner() local x = "
                          "setmetatable({},\n"
                          "    { __add = uses }) local n = x + 1 return n end\n"
                          "  local function sorts() table.sort({ 2, 1 }, uses) "
                          "end\n"
                          "  local function safe() local _, e = pcall(uses) "
                          "error(e, 0) end\n"
                          "  local count = 0\n"
                          "  for event, use in pairs(one) do count = count + "
                          "1\n"
                          "    for i, f in ipairs { uses, deep, co, inner, "
                          "sorts, safe } do\n"
                          "      local mt = { [event] = f }\n"
                          "      local x, y = setmetatable({}, mt), "
                          "setmetatable({}, mt)\n"
                          "      local ok, e = pcall(use, x, y)\n"
                          "      assert(not ok and tostring(e):find('read "
                          "first', 1, true),\n"
                          "        event .. i .. tostring(e))\n"
                          "    end\n"
                          "  end\n"
                          "  assert(uses() == 0 and count == 24, count)\n"
                          "  return 'ok'\n"
                          "end)\n",
        "0");
}

TEST(kg_is_refused_where_it_could_not_wait)
{
    lua_world_test(
        "cap('test', function(ctx)\n"
        "  local kg = ctx.kg\n"
        "  local function uses() return kg:count('Task') end\n"
        "  local places = {\n"
        "    function() table.sort({ 1, 2 }, function(a, b) uses()\n"
        "      return a < b end) end,\n"
        "    function() return (('x'):gsub('x', uses)) end,\n"
        "    function() return tostring(setmetatable({},\n"
        "      { __tostring = uses })) end,\n"
        "    function() table.concat(setmetatable({},\n"
        "      { __len = uses })) end,\n"
        "    function() table.sort({ 1, 2 }, function(a, b)\n"
        "      coroutine.wrap(uses)() return a < b end) end,\n"
        "    function() return (('x'):gsub('x', coroutine.wrap(uses))) end,\n"
        "    function() return (re.gsub('x', 'x', uses)) end,\n"
        "    function() coroutine.wrap(function()\n"
        "      table.sort({ 1, 2 }, uses) end)() end,\n"
        "  }\n"
        "  for i, f in ipairs(places) do\n"
        "    local ok, e = pcall(f)\n"
        "    assert(not ok and tostring(e):find('read first', 1, true), i)\n"
        "  end\n"
        "  assert(coroutine.wrap(uses)() == 0 and uses() == 0)\n"
        "  local function tail() return uses(1) end\n" /* leaves no frame */
        "  assert(setmetatable({}, { __call = uses })() == 0)\n"
        "  assert(setmetatable({}, { __index = tail }).x == 0)\n"
        "  return 'ok'\n"
        "end)\n",
        "0");
}

/* The reader serves others, wherever in ctx.kg the budget ended. */
TEST(kg_budget_that_ends_in_a_question_leaves_the_reader_free)
{
    struct lua_world w;
    for (unsigned more = 0; more < 20; more++) {
        struct tr_lua_limits limits = {.instructions = 200000 + 331 * more,
                                       .call_bytes = TR_MIB(2)};
        lua_world_open_with(&w, ends, &limits);
        lua_world_check_fails(&w, "reads", TR_E_LIMIT, "instructions");
        lua_world_check(&w, "lands", "[{\"type\":\"text\",\"text\":\"yes\"}]");
        lua_world_check(&w, "count", "{\"n\":1}");
        lua_world_close(&w);
    }
    struct tr_lua_limits limits = {.call_bytes = TR_MIB(1)};
    lua_world_open_with(&w, ends, &limits);
    lua_world_check_fails(&w, "grows", TR_E_LIMIT, "memory");
    lua_world_check(&w, "lands", "[{\"type\":\"text\",\"text\":\"yes\"}]");
    lua_world_check(&w, "count", "{\"n\":1}");
    lua_world_close(&w);
}

TEST(kg_changes_of_a_cancelled_call_are_gone)
{
    struct lua_world w;
    struct lua_call c;
    lua_world_open(&w, ends);
    for (int late = 0; late < 2; late++) {
        lua_call_init(&c, &w.app, "sleeps", "{}");
        c.call.timeout_ms = late ? 1000 : 0;
        lua_call_start(&c);
        CHECK(!c.finished);
        if (late)
            lua_call_wait(&c, 500);
        else
            tr_call_cancel(&c.call);
        CHECK(c.finished);
        CHECK_INT(c.outcome.status, late ? TR_E_TIMEOUT : TR_E_CANCELLED);
        lua_call_done(&c);
        lua_world_check(&w, "count", "{\"n\":0}");
    }
    lua_world_close(&w);
}

/* A handler that is slow lets others run before it goes on. */
static void turn(struct lua_call *c)
{
    CHECK(!c->finished);
    (void)tr_loop_turn(c->app->loop);
    tr_loop_step(c->app->loop, 0);
}

/* Once they are with the writer, they land. */
TEST(kg_changes_that_are_landing_cannot_be_cancelled)
{
    struct lua_world w;
    struct lua_call c;
    lua_world_open(&w, ends);
    lua_call_init(&c, &w.app, "lands", "{}");
    lua_call_start(&c);
    while (c.call.state != TR_CALL_LANDING)
        turn(&c);
    tr_call_cancel(&c.call);
    lua_call_wait(&c, 0);
    CHECK_STR(tr_str_from(lua_call_text(&c)),
              "[{\"type\":\"text\",\"text\":\"yes\"}]");
    lua_call_done(&c);
    lua_world_check(&w, "count", "{\"n\":1}");
    lua_world_close(&w);
}

/* Rounds. ------------------------------------------------------------------*/

static const char rounds[] =
    "cap('look', function(ctx) return ctx:now() end)\n"
    "cap('make', function(ctx, args)\n"
    "  ctx:invoke 'look'\n"
    "  local t = ctx.kg:create('Task', task(args.n))\n"
    "  ctx:log('info', 'made ' .. t.id)\n"
    "  if args.throw then error 'no' end\n"
    "  return { id = t.id }\n"
    "end)\n"
    "cap('test', function(ctx)\n"
    "  pcall(ctx.invoke, ctx, 'make', { n = 9, throw = true })\n"
    "  local a = ctx:invoke('make', { n = 1 }).id\n"
    "  local b = ctx.kg:create('Task', task(2)).id\n"
    "  ctx:log('info', { a, b })\n"
    "  local n = ctx:roots().n\n"
    "  ctx.kg:create('Task', task(n))\n"
    "  return { a, b }\n"
    "end)\n"
    "cap('written', function(ctx)\n"
    "  local ids = {}\n"
    "  for i, t in ipairs(ctx.kg:where('Task')) do ids[t.number] = t.id end\n"
    "  return { ids[1], ids[2] }\n"
    "end)\n";

/* The last line that the handler logged. */
static void last_line(const struct lua_call *c, char out[512])
{
    const char *start = c->heard.ptr;
    const char *found = start;
    for (const char *at = start; (at = strstr(at, "log ")); at++)
        found = at;
    size_t len = strcspn(found, "\n");
    CHECK(len < 512);
    memcpy(out, found, len);
    out[len] = '\0';
}

static size_t count_of(const struct lua_call *c, const char *word)
{
    size_t count = 0;
    for (const char *at = c->heard.ptr; (at = strstr(at, word)); at++)
        count++;
    return count;
}

TEST(kg_handler_that_is_run_again_names_its_nodes_alike)
{
    struct lua_world w;
    struct lua_call first;
    struct lua_call second;
    char before[512];
    char after[512];
    lua_world_open(&w, rounds);
    lua_call_init(&first, &w.app, "test", "{}");
    first.asking = LUA_ASK_ROUNDS;
    lua_call_start(&first);
    lua_call_wait(&first, 0);
    CHECK(first.round_ended);
    lua_world_check(&w, "count", "{\"n\":0}");
    tr_loop_step(w.app.loop, 5000);
    lua_call_init(&second, &w.app, "test", "{}");
    lua_call_again(&second, &first, "{\"roots-1\":{\"n\":3}}");
    lua_call_wait(&second, 0);
    CHECK_INT(second.outcome.status, TR_OK);
    tr_buf_putc(&first.heard, '\0');
    tr_buf_putc(&second.heard, '\0');
    last_line(&first, before);
    last_line(&second, after);
    CHECK_STR(tr_str_from(after), before);
    /* The child that failed is not run again, the one that wrote is. */
    CHECK_INT(count_of(&first, "made "), 2);
    CHECK_INT(count_of(&second, "made "), 1);
    lua_world_check(&w, "count", "{\"n\":3}");
    lua_world_check(&w, "written", lua_call_text(&second));
    lua_call_done(&second);
    lua_call_done(&first);
    lua_world_close(&w);
}

/* Starts a handler, and lets it run until it has asked something. */
static void start_until_question(struct lua_call *c, struct lua_world *w,
                                 const char *name)
{
    lua_call_init(c, &w->app, name, "{}");
    c->asking = LUA_ASK_LATER;
    lua_call_start(c);
    while (!c->asks)
        turn(c);
}

static void answer(struct lua_call *c)
{
    static const struct tr_json empty = {.kind = TR_JSON_OBJECT};
    c->asks[0].answer = &empty;
    c->asker->host->resume(c->asker);
    lua_call_wait(c, 0);
}

/* Two at a time. -----------------------------------------------------------*/

TEST(kg_upsert_of_two_calls_at_a_time_fails_for_the_second)
{
    struct lua_world w;
    struct lua_call first;
    struct lua_call second;
    lua_world_open(&w, "cap('put', function(ctx)\n"
                       "  local _, is_new = ctx.kg:upsert('Task', task(1))\n"
                       "  ctx:roots()\n"
                       "  return { is_new = is_new }\n"
                       "end)\n");
    start_until_question(&first, &w, "put");
    start_until_question(&second, &w, "put");
    answer(&first);
    answer(&second);
    CHECK_STR(tr_str_from(lua_call_text(&first)), "{\"is_new\":true}");
    CHECK_INT(second.outcome.status, TR_E_VALIDATION);
    CHECK(strstr(lua_call_text(&second), "\"code\":\"unique\""));
    lua_call_done(&first);
    lua_call_done(&second);
    start_until_question(&first, &w, "put"); /* and may be tried again */
    answer(&first);
    CHECK_STR(tr_str_from(lua_call_text(&first)), "{\"is_new\":false}");
    lua_call_done(&first);
    lua_world_check(&w, "count", "{\"n\":1}");
    lua_world_close(&w);
}

/* Somebody else has changed it meanwhile. */
TEST(kg_if_version_is_looked_at_when_it_lands)
{
    struct lua_world w;
    struct lua_call c;
    lua_world_open(
        &w, "cap('make', function(ctx)\n"
            "  ctx.kg:create('Task', task(1)) end)\n"
            "cap('slow', function(ctx)\n"
            "  local t = ctx.kg:where('Task')[1]\n"
            "  ctx.kg:update(t, { state = 'done' },\n"
            "    { if_version = t._version })\n"
            "  ctx:roots()\n"
            "  return 'done'\n"
            "end)\n"
            "cap('quick', function(ctx)\n"
            "  local t = ctx.kg:where('Task')[1]\n"
            "  return { v = ctx.kg:update(t, { number = 2 })._version }\n"
            "end)\n");
    lua_world_check(&w, "make", "[]");
    start_until_question(&c, &w, "slow");
    lua_world_check(&w, "quick", "{\"v\":2}");
    answer(&c);
    CHECK_INT(c.outcome.status, TR_E_CONFLICT);
    CHECK(strstr(lua_call_text(&c), "{\"reason\":\"conflict\"}"));
    lua_call_done(&c);
    lua_world_close(&w);
}

/* Who may change the graph. ------------------------------------------------*/

/* What each kind of handler but a capability does, and what it gets. */
static const struct {
    const char *body; /* of the handler */
    const char *part; /* of its error, or NULL: it works */
} tries[] = {
    {"ctx.kg:create('Task', task(1))", "cannot change the graph"},
    {"pcall(ctx.kg.create, ctx.kg, 'Task', task(1))",
     "cannot change the graph"},
    {"ctx.kg:add('urn:a', 'urn:p', 'x')", "cannot change the graph"},
    {"ctx:invoke('quietly')", "cannot change the graph"},
    {"pcall(ctx.invoke, ctx, 'quietly')", "cannot change the graph"},
    {"ctx:invoke('openly')", "cannot invoke 'openly', which writes"},
    {"pcall(ctx.invoke, ctx, 'openly')", NULL},
    {"ctx:invoke('count')", NULL},
};

/* One for each kind: it is declared, and called by its name. */
static const struct {
    const char *declare; /* up to the handler */
    const char *name;
} doors[] = {
    {"resource 'test://r' { name = 'r', run = ", "test://r"},
    {"resource_template 'test://t/{id}' { name = 't', run = ", "test://t/{id}"},
    {"prompt 'p' { run = ", "p"},
    {"prompt 'q' { arguments = { a = text }, run = function() return '' end }\n"
     "completion { prompt = 'q', argument = 'a', run = ",
     "q#a"},
};

static void check_works(struct lua_world *w, const char *name)
{
    struct lua_call c;
    lua_call_init(&c, &w->app, name, "{}");
    lua_call_start(&c);
    lua_call_wait(&c, 0);
    CHECK_OK(c.outcome.status, &c.outcome.err);
    lua_call_done(&c);
}

static void check_door(const char *declare, const char *name, const char *body,
                       const char *part)
{
    static const char before[] =
        "cap('quietly', function(ctx) ctx.kg:create('Task', task(2)) end)\n"
        "capability 'openly' { description = 'd',\n"
        "  side_effects = { graph_writes = { 'default' } },\n"
        "  run = function(ctx) ctx.kg:create('Task', task(3)) end }\n";
    char source[2048];
    struct lua_world w;
    (void)snprintf(source, sizeof(source),
                   "local name = '%s'\n%s%s function(ctx) %s return name:find "
                   "'#' and { 'read' } or 'read' end }",
                   name, before, declare, body);
    lua_world_open(&w, source);
    if (part)
        lua_world_check_fails(&w, name, TR_E_UNSUPPORTED, part);
    else
        check_works(&w, name);
    lua_world_check(&w, "count", "{\"n\":0}");
    lua_world_close(&w);
}

TEST(kg_is_changed_by_capabilities_alone)
{
    for (size_t i = 0; i < TR_LEN(doors); i++) {
        for (size_t j = 0; j < TR_LEN(tries); j++)
            check_door(doors[i].declare, doors[i].name, tries[j].body,
                       tries[j].part);
    }
}

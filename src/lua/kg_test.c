/*
 * ctx.kg, with a real store: what handlers can do, and what of it lands.
 */
#include "lua/kg.h"

#include "base/test.h"
#include "loop/loop.h"
#include "runtime/ground.h"
#include "support/folder.h"
#include "support/lua_door.h"

struct world {
    struct folder folder;
    struct tr_ground ground;
    struct lua_app app;
};

/* `cap` makes a capability that takes anything; `code` is what a call fails
 * with. */
static const char prelude[] =
    "prefixes { ex = 'http://ex.org/' }\n"
    "node_type 'Person' { ids = 'preserve', fields = {\n"
    "  { 'name', text { search = true } },\n"
    "  { 'email', text { pattern = '@', unique = true } } } }\n"
    "node_type 'Task' { label = 'title', fields = {\n"
    "  { 'project', text },\n"
    "  { 'number', integer { min_value = 1 } },\n"
    "  { 'title', text { min_length = 3, search = true } },\n"
    "  { 'state', text { one_of = { 'open', 'done' }, default = 'open' } },\n"
    "  { 'owner', ref 'Person' { optional = true } },\n"
    "  { 'after', ref 'Task' { many = true, optional = true } } },\n"
    "  unique = { { 'project', 'number' } } }\n"
    "node_type 'Bug' { extends = 'Task',\n"
    "  fields = { severity = integer { optional = true } } }\n"
    "node_type 'Note' { ids = 'content', ids_from = { 'text' },\n"
    "  fields = { text = text } }\n"
    "local function cap(id, run)\n"
    "  capability(id) { description = 'd', run = run,\n"
    "    input_schema = '{\"type\":\"object\"}' }\n"
    "end\n"
    "local function code(...)\n"
    "  local ok, e = pcall(...)\n"
    "  assert(not ok, 'it did not fail')\n"
    "  return type(e) == 'table' and e.code or 'text', tostring(e), e\n"
    "end\n"
    "local function task(n, more)\n"
    "  local t = { project = 'p', number = n, title = 'Task ' .. n }\n"
    "  for k, v in pairs(more or {}) do t[k] = v end\n"
    "  return t\n"
    "end\n"
    "cap('count', function(ctx)\n"
    "  return { n = (ctx.kg:count 'Task') }\n"
    "end)\n";

static void open_limited(struct world *w, const char *source,
                         const struct tr_lua_limits *limits)
{
    static char text[TR_KIB(16)];
    struct tr_err err = {0};
    int len = snprintf(text, sizeof(text), "%s%s", prelude, source);
    CHECK(len > 0 && (size_t)len < sizeof(text));
    *w = (struct world){0};
    folder_open(&w->folder);
    struct tr_store_opts opts = {.folder = w->folder.path};
    CHECK_OK(tr_store_open(&opts, &w->ground.store, &err), &err);
    CHECK_OK(tr_store_reader(w->ground.store, &w->ground.reader, &err), &err);
    lua_app_open_with(&w->app, text, limits);
    w->app.ground = &w->ground;
}

static void open_world(struct world *w, const char *source)
{
    open_limited(w, source, NULL);
}

static void close_world(struct world *w)
{
    lua_app_close(&w->app);
    tr_reader_free(w->ground.reader);
    tr_store_close(w->ground.store);
    folder_close(&w->folder);
}

/* Calls it; whoever sleeps is woken. */
static void check(struct world *w, const char *name, const char *expected)
{
    struct lua_call c;
    lua_call_init(&c, &w->app, name, "{}");
    lua_call_start(&c);
    lua_call_wait(&c, 1000);
    CHECK_STR(tr_str_from(lua_call_text(&c)), expected);
    lua_call_done(&c);
}

/* Its assertions are in Lua, in the handler `test`; then so many tasks are
 * there. */
static void check_app(const char *source, const char *tasks)
{
    struct world w;
    char expected[32];
    open_world(&w, source);
    check(&w, "test", "[{\"type\":\"text\",\"text\":\"ok\"}]");
    (void)snprintf(expected, sizeof(expected), "{\"n\":%s}", tasks);
    check(&w, "count", expected);
    close_world(&w);
}

/* Each function. -----------------------------------------------------------*/

TEST(kg_create_gives_the_node_and_get_finds_it)
{
    check_app(
        "cap('test', function(ctx)\n"
        "  local kg = ctx.kg\n"
        "  local ada = kg:create('Person', { name = 'Ada', email = 'a@x' },\n"
        "    { id = 'ada' })\n"
        "  assert(ada.id == 'trails://demo/Person/ada')\n"
        "  local t = kg:create('Task', task(1, { owner = ada }))\n"
        "  assert(t.id:find('^trails://demo/Task/%x+%-%x+%-7') == 1)\n"
        "  assert(t._type == 'Task' and t._version == 1)\n"
        "  assert(t.state == 'open' and t.owner == ada.id and #t.after == 0)\n"
        "  local u = kg:create('Bug', task(2, { after = { t, t.id } }))\n"
        "  assert(u._type == 'Bug' and #u.after == 1 and u.after[1] == t.id)\n"
        "  assert(kg:get(t.id).title == 'Task 1')\n"
        "  assert(kg:get(t).title == 'Task 1')\n"
        "  assert(kg:get('Person', 'ada').name == 'Ada')\n"
        "  assert(kg:get('Task', u.id)._type == 'Bug')\n"
        "  assert(kg:get('Bug', t.id) == nil)\n"
        "  assert(kg:get('Task', 'nobody') == nil)\n"
        "  assert(kg:get 'trails://demo/never' == nil)\n"
        "  assert(kg:label(t) == 'Task 1' and kg:label(ada) == 'Ada')\n"
        "  assert(kg:label 'trails://demo/never' == nil)\n"
        "  local note = kg:create('Note', { text = 'same' })\n"
        "  assert(note.id:find 'sha256%-')\n"
        "  assert(code(kg.create, kg, 'Note', { text = 'same' }) == "
        "'conflict')\n"
        "  local x = kg:create(nil, { ['ex:p'] = { 1, 'a' },\n"
        "    ['ex:q'] = { id = t.id } })\n"
        "  assert(#x['http://ex.org/p'] == 2)\n"
        "  assert(x['http://ex.org/q'][1].id == t.id)\n"
        "  return 'ok'\n"
        "end)\n",
        "2");
}

TEST(kg_update_changes_what_is_given_or_all)
{
    check_app(
        "cap('test', function(ctx)\n"
        "  local kg = ctx.kg\n"
        "  local bo = kg:create('Person', { name = 'Bo', email = 'b@x' },\n"
        "    { id = 'bo' })\n"
        "  local t = kg:create('Task', task(1, { owner = bo }))\n"
        "  local u = kg:update(t, { state = 'done' })\n"
        "  assert(u.state == 'done' and u.owner == bo.id)\n"
        "  assert(kg:update(t.id, { owner = null }).owner == nil)\n"
        "  assert(code(kg.update, kg, t, { title = null }) == 'validation')\n"
        "  assert(code(kg.update, kg, t, { nr = 1 }) == 'validation')\n"
        "  local v = kg:update(t, task(9), { replace = true })\n"
        "  assert(v.number == 9 and v.state == 'open')\n"
        "  assert(code(kg.update, kg, t, { number = 2 }, { if_version = 7 })\n"
        "    == 'conflict')\n"
        "  assert(kg:update(t, { number = 2 }, { if_version = 1 }).number == "
        "2)\n"
        "  assert(code(kg.update, kg, 'ex:none', {}) == 'not_found')\n"
        "  return 'ok'\n"
        "end)\n",
        "1");
}

TEST(kg_upsert_creates_once)
{
    check_app(
        "cap('test', function(ctx)\n"
        "  local kg = ctx.kg\n"
        "  local t, is_new = kg:upsert('Task', task(1))\n"
        "  assert(is_new)\n"
        "  local u, again = kg:upsert('Task', task(1, { state = 'done' }))\n"
        "  assert(not again and u.id == t.id and u.state == 'done')\n"
        "  u, again = kg:upsert('Task', task(5, { title = 'Task 1' }),\n"
        "    { by = { 'title' } })\n"
        "  assert(not again and u.id == t.id and u.number == 5)\n"
        "  local p = kg:upsert('Person', { name = 'Cy', email = 'c@x' },\n"
        "    { id = 'cy' })\n"
        "  local q, new = kg:upsert('Person', { name = 'Di', email = 'c@x' },\n"
        "    { id = 'cy' })\n"
        "  assert(not new and q.id == p.id and q.name == 'Di')\n"
        "  kg:create('Task', task(6, { title = 'Task 1' }))\n"
        "  assert(code(kg.upsert, kg, 'Task', task(1), { by = 'title' })\n"
        "    == 'conflict')\n"
        "  local _, why = code(kg.upsert, kg, 'Note', { text = 'x' })\n"
        "  assert(why:find('must be told `by`', 1, true))\n"
        "  _, why = code(kg.upsert, kg, 'Task', { title = 'xxx' })\n"
        "  assert(why:find(\"by 'project', which is not given\", 1, true))\n"
        "  return 'ok'\n"
        "end)\n",
        "2");
}

TEST(kg_delete_says_whether_it_was_there)
{
    check_app("cap('test', function(ctx)\n"
              "  local kg = ctx.kg\n"
              "  local t = kg:create('Task', task(1))\n"
              "  local u = kg:create('Task', task(2))\n"
              "  assert(code(kg.delete, kg, t, { if_version = 5 }) == "
              "'conflict')\n"
              "  assert(kg:delete(t) and not kg:exists(t) and not kg:get(t))\n"
              "  assert(not kg:delete(t) and not kg:delete 'ex:none')\n"
              "  assert(code(kg.delete, kg, 'ex:none', { if_version = 1 })\n"
              "    == 'not_found')\n"
              "  assert(kg:exists(u) and kg:exists('Task', { number = 2 }))\n"
              "  assert(not kg:exists('Task', { number = 1 }))\n"
              "  return 'ok'\n"
              "end)\n",
              "1");
}

TEST(kg_adds_removes_and_shows_single_quads)
{
    check_app(
        "cap('test', function(ctx)\n"
        "  local kg = ctx.kg\n"
        "  kg:add('ex:a', 'ex:p', 'one')\n"
        "  kg:add('ex:a', 'ex:p', 2)\n"
        "  kg:add('ex:a', 'ex:p', { value = 'drei', language = 'de' })\n"
        "  kg:add('ex:a', 'ex:p', { value = '4', type = 'xsd:byte' })\n"
        "  kg:add('ex:a', 'ex:q', { id = 'ex:b' }, 'ex:g')\n"
        "  local all, more = kg:quads { subject = 'ex:a' }\n"
        "  assert(#all == 5 and not more)\n"
        "  all, more = kg:quads { predicate = 'ex:p', limit = 3 }\n"
        "  assert(#all == 3 and more)\n"
        "  local q = kg:quads { object = { id = 'ex:b' } }[1]\n"
        "  assert(q.subject == 'http://ex.org/a')\n"
        "  assert(q.object.id == 'http://ex.org/b')\n"
        "  assert(q.graph == 'http://ex.org/g')\n"
        "  assert(#kg:quads { graph = 'ex:g' } == 1)\n"
        "  q = kg:quads { object = { value = 'drei', language = 'de' } }[1]\n"
        "  assert(q.object.language == 'de' and q.graph == nil)\n"
        "  kg:remove('ex:a', 'ex:p', 2)\n"
        "  kg:remove('ex:a', 'ex:p', 'never there')\n"
        "  assert(#kg:quads { subject = 'ex:a' } == 4)\n"
        "  for _, bad in ipairs { {}, { value = 'x' }, { id = 'no iri' },\n"
        "      { value = 'x', language = 'not a tag' }, null, { 1 },\n"
        "      { value = 'x', language = '' } } do\n"
        "    local c = code(kg.add, kg, 'ex:a', 'ex:p', bad)\n"
        "    assert(c == 'invalid' or c == 'syntax', c)\n"
        "  end\n"
        "  assert(#kg:quads { subject = 'ex:a' } == 4)\n"
        "  return 'ok'\n"
        "end)\n",
        "0");
}

TEST(kg_questions_see_what_the_call_has_changed)
{
    check_app(
        "cap('test', function(ctx)\n"
        "  local kg = ctx.kg\n"
        "  local ada = kg:create('Person', { name = 'Ada', email = 'a@x' },\n"
        "    { id = 'ada' })\n"
        "  local before\n"
        "  for i = 1, 5 do\n"
        "    before = kg:create(i > 3 and 'Bug' or 'Task', task(i,\n"
        "      { owner = i > 1 and ada or nil, after = before and { before } "
        "}))\n"
        "  end\n"
        "  local n, exact = kg:count('Task')\n"
        "  assert(n == 5 and exact and kg:count('Bug') == 2)\n"
        "  assert(kg:count('Task', { owner = ada }) == 4)\n"
        "  local seen, after, pages = 0, nil, 0\n"
        "  repeat\n"
        "    local page, next = kg:list('Task', { limit = 2, after = after })\n"
        "    for _, t in ipairs(page) do\n"
        "      assert(t.label and t._version == 1 and not t.title)\n"
        "    end\n"
        "    seen, pages, after = seen + #page, pages + 1, next\n"
        "  until not after\n"
        "  assert(seen == 5 and pages == 3)\n"
        "  local found, next = kg:where('Task', { owner = ada, state = 'open' "
        "},\n"
        "    { limit = 3 })\n"
        "  assert(#found == 3 and next and found[1].title)\n"
        "  found, next = kg:where('Task', { owner = ada.id }, { after = next "
        "})\n"
        "  assert(#found == 1 and not next)\n"
        "  assert(#kg:where 'Task' == 5)\n"
        "  local behind, more = kg:traverse(before, 'after')\n"
        "  assert(#behind == 1 and behind[1].number == 4 and not more)\n"
        "  behind = kg:traverse(before, { { path = 'after', min = 1, max = 9 } "
        "})\n"
        "  assert(#behind == 4)\n"
        "  behind, more = kg:traverse(ada, { '^owner', 'after' }, { limit = 1 "
        "})\n"
        "  assert(#behind == 1 and more)\n"
        "  assert(#kg:traverse('ex:none', 'after') == 0)\n"
        "  return 'ok'\n"
        "end)\n",
        "5");
}

TEST(kg_search_finds_what_has_landed)
{
    struct world w;
    open_world(&w,
               "cap('fill', function(ctx)\n"
               "  for i = 1, 4 do\n"
               "    ctx.kg:create(i > 2 and 'Bug' or 'Task', task(i))\n"
               "  end\n"
               "  assert(#ctx.kg:search('task') == 0)\n"
               "end)\n"
               "cap('find', function(ctx)\n"
               "  local found, more = ctx.kg:search('task 3')\n"
               "  assert(#found == 1 and found[1].number == 3 and not more)\n"
               "  found, more = ctx.kg:search('ta', { type = 'Bug',\n"
               "    limit = 1 })\n"
               "  assert(#found == 1 and found[1]._type == 'Bug' and more)\n"
               "  return { none = #ctx.kg:search('nowhere') }\n"
               "end)\n");
    check(&w, "fill", "[]");
    check(&w, "find", "{\"none\":0}");
    close_world(&w);
}

/* What fails. --------------------------------------------------------------*/

static const char failing[] =
    "cap('caught', function(ctx)\n"
    "  local c, text, e = code(ctx.kg.create, ctx.kg, 'Task',\n"
    "    { number = 0, title = 'x', project = 'p' })\n"
    "  assert(c == 'validation' and #e.data.fields == 2)\n"
    "  assert(e.data.fields[1].field == 'number')\n"
    "  local t = ctx.kg:create('Task', task(1))\n"
    "  c, text, e = code(ctx.kg.where, ctx.kg, 'Task', { nr = 1 })\n"
    "  assert(c == 'validation' and e.data.fields[1].field == 'nr')\n"
    "  c, text, e = code(ctx.kg.traverse, ctx.kg, t, 'ownr')\n"
    "  assert(c == 'validation' and e.data == nil, c)\n"
    "  return text\n"
    "end)\n"
    "cap('uncaught', function(ctx)\n"
    "  ctx.kg:create('Task', task(7))\n"
    "  ctx.kg:create('Task', { number = 8, title = 'x', project = 'p' })\n"
    "end)\n"
    "cap('twice', function(ctx)\n"
    "  ctx.kg:create('Task', task(1))\n"
    "  return 'no'\n"
    "end)\n"
    "cap('dangling', function(ctx)\n"
    "  ctx.kg:create('Task', task(3, { owner = 'ex:nobody' }))\n"
    "  return 'no'\n"
    "end)\n"
    "cap('wrong_type', function(ctx)\n"
    "  local t = ctx.kg:where('Task')[1]\n"
    "  ctx.kg:create('Task', task(3, { owner = t }))\n"
    "  return 'no'\n"
    "end)\n";

/* The failure of a call; `part` is in what it says. */
static void check_fails(struct world *w, const char *name, tr_status status,
                        const char *part)
{
    struct lua_call c;
    lua_call_init(&c, &w->app, name, "{}");
    lua_call_start(&c);
    lua_call_wait(&c, 1000);
    const char *text = lua_call_text(&c);
    if (c.outcome.status != status || !strstr(text, part)) {
        print_error("got: %s\n", text);
        tr_test_fail("the failure", name, __FILE__, __LINE__);
    }
    lua_call_done(&c);
}

TEST(kg_faults_name_the_fields)
{
    struct world w;
    open_world(&w, failing);
    check(&w, "caught",
          "[{\"type\":\"text\",\"text\":\"no type has a field 'ownr'; did you "
          "mean 'owner'?\"}]");
    check(&w, "uncaught",
          "validation: validation failed on 1 field(s) {\"fields\":[{"
          "\"code\":\"min_length\",\"constraint\":3,\"field\":\"title\","
          "\"message\":\"title must have at least 3 characters\","
          "\"value\":\"x\"}]}");
    check_fails(&w, "twice", TR_E_VALIDATION, "\"code\":\"unique\"");
    check_fails(&w, "dangling", TR_E_VALIDATION, "\"field\":\"owner\"");
    check_fails(&w, "wrong_type", TR_E_VALIDATION, "\"field\":\"owner\"");
    check(&w, "count", "{\"n\":1}");
    close_world(&w);
}

static const struct {
    const char *body;
    const char *part;
} wrong[] = {
    {"ctx.kg:creat('Task', {})", "has no 'creat', did you mean 'create'?"},
    {"ctx.kg:xyzzy()", "ctx.kg has no 'xyzzy'"},
    {"ctx.kg.x = 1", "ctx.kg is read-only"},
    {"ctx.kg[1]()", "ctx.kg has no '1'"},
    {"ctx.kg.create({}, 'Task', {})", "kg expected, got table"},
    {"ctx.kg:create('Tsk', {})", "no node type 'Tsk', did you mean 'Task'?"},
    {"ctx.kg:create('Task')", "table expected"},
    {"ctx.kg:create('Task', { 1 })", "table of fields expected"},
    {"ctx.kg:create('Task', task(1), { ids = 1 })", "unknown option 'ids'"},
    {"ctx.kg:create('Task', task(1), { id = 1 })", "id, or a node expected"},
    {"ctx.kg:create('Task', task(1), { id = 'a:b c' })", "a:b c"},
    {"ctx.kg:create('Person', { name = 'n', email = 'e@' })",
     "must be given its id"},
    {"ctx.kg:create(nil, {})", "needs something to be said of it"},
    {"ctx.kg:get()", "id, or a node expected"},
    {"ctx.kg:get({})", "id, or a node expected"},
    {"ctx.kg:get('Task', nil)", "id, or a node expected"},
    {"ctx.kg:get('no iri')", "no iri"},
    {"ctx.kg:list('Task', { limit = 0 })", "limit must be at least 1"},
    {"ctx.kg:list('Task', { limit = -1 })", "limit must be at least 1"},
    {"ctx.kg:list('Task', { after = 'ex:never' })", "ex.org/never"},
    {"ctx.kg:where('Task', 'x')", "table expected"},
    {"ctx.kg:where('Task', { after = { 1 } })", "validation failed"},
    {"ctx.kg:search()", "string expected"},
    {"ctx.kg:search(('x '):rep(5000))", "limit"},
    {"ctx.kg:search('\\xff')", "not UTF-8"},
    {"ctx.kg:traverse('ex:a')", "step, or an array of steps expected"},
    {"ctx.kg:traverse('ex:a', { 'after', 7 })", "step, or an array of steps"},
    {"ctx.kg:traverse('ex:a', { { path = 'after', min = -1 } })",
     "must not be negative"},
    {"ctx.kg:traverse('ex:a', { { part = 'after' } })",
     "unknown option 'part'"},
    {"local t = {} for i = 1, 17 do t[i] = 'after' end "
     "ctx.kg:traverse('ex:a', t)",
     "is too long"},
    {"ctx.kg:quads { subject = 1 }", "id, or a node expected"},
    {"ctx.kg:quads { subjct = 'ex:a' }", "did you mean 'subject'?"},
    {"ctx.kg:quads('x')", "table expected"},
    {"ctx.kg:add('ex:a', 'ex:p')", "a value must be"},
    {"ctx.kg:add('ex:a', 'ex:p', print)", "cannot be sent"},
    {"ctx.kg:add('ex:a', 'no iri', 1)", "no iri"},
    {"ctx.kg:transaction()", "function expected"},
    {"ctx.kg:update('ex:a', {}, { if_version = 'x' })", "if_version"},
};

TEST(kg_says_what_is_wrong_with_arguments)
{
    for (size_t i = 0; i < TR_LEN(wrong); i++) {
        struct world w;
        char source[1024];
        struct lua_call c;
        (void)snprintf(source, sizeof(source),
                       "cap('test', function(ctx) %s end)", wrong[i].body);
        open_world(&w, source);
        lua_call_init(&c, &w.app, "test", "{}");
        lua_call_start(&c);
        lua_call_wait(&c, 0);
        CHECK_ROW(c.outcome.status != TR_OK, wrong[i].body);
        if (!strstr(lua_call_text(&c), wrong[i].part))
            print_error("got: %s\n", c.text);
        CHECK_ROW(strstr(c.text, wrong[i].part) != NULL, wrong[i].body);
        lua_call_done(&c);
        check(&w, "count", "{\"n\":0}");
        close_world(&w);
    }
}

TEST(kg_is_of_its_call_only)
{
    struct world w;
    open_world(&w, "local kept\n"
                   "cap('keep', function(ctx) kept = { kg = ctx.kg } end)\n"
                   "cap('use', function(ctx) kept.kg:count 'Task' end)\n");
    check(&w, "keep", "[]");
    check_fails(&w, "use", TR_E_INTERNAL, "a call that has ended");
    w.app.ground = NULL;
    check_fails(&w, "count", TR_E_UNSUPPORTED, "there is no graph");
    close_world(&w);
}

/* Savepoints. --------------------------------------------------------------*/

TEST(kg_transaction_takes_back_what_failed)
{
    check_app(
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
    check_app(
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
    struct world w;
    open_world(&w, family);
    check(&w, "good", "{\"n\":2}");
    check(&w, "count", "{\"n\":2}");
    check_fails(&w, "bad", TR_E_INTERNAL, "the parent fails");
    check(&w, "count", "{\"n\":2}");
    check(&w, "first", "{\"seen\":3}");
    check(&w, "count", "{\"n\":3}");
    close_world(&w);
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
    struct world w;
    struct tr_lua_limits limits = {.instructions = 3000000,
                                   .call_bytes = TR_MIB(2)};
    open_limited(&w, ends, &limits);
    check_fails(&w, "throws", TR_E_INTERNAL, "thrown");
    check(&w, "returns", "error: [{\"type\":\"text\",\"text\":\"returned\"}]");
    check_fails(&w, "misfit", TR_E_INTERNAL, "the output does not fit");
    check_fails(&w, "spins", TR_E_LIMIT, "instructions");
    check(&w, "count", "{\"n\":0}");
    check(&w, "lands", "[{\"type\":\"text\",\"text\":\"yes\"}]");
    check(&w, "count", "{\"n\":1}");
    close_world(&w);
}

/* The reader serves others, wherever in ctx.kg the budget ended. */
TEST(kg_budget_that_ends_in_a_question_leaves_the_reader_free)
{
    struct world w;
    for (unsigned more = 0; more < 20; more++) {
        struct tr_lua_limits limits = {.instructions = 200000 + 331 * more,
                                       .call_bytes = TR_MIB(2)};
        open_limited(&w, ends, &limits);
        check_fails(&w, "reads", TR_E_LIMIT, "instructions");
        check(&w, "lands", "[{\"type\":\"text\",\"text\":\"yes\"}]");
        check(&w, "count", "{\"n\":1}");
        close_world(&w);
    }
    struct tr_lua_limits limits = {.call_bytes = TR_MIB(1)};
    open_limited(&w, ends, &limits);
    check_fails(&w, "grows", TR_E_LIMIT, "memory");
    check(&w, "lands", "[{\"type\":\"text\",\"text\":\"yes\"}]");
    check(&w, "count", "{\"n\":1}");
    close_world(&w);
}

TEST(kg_changes_of_a_cancelled_call_are_gone)
{
    struct world w;
    struct lua_call c;
    open_world(&w, ends);
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
        check(&w, "count", "{\"n\":0}");
    }
    close_world(&w);
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
    struct world w;
    struct lua_call c;
    open_world(&w, ends);
    lua_call_init(&c, &w.app, "lands", "{}");
    lua_call_start(&c);
    while (!c.call.is_landing)
        turn(&c);
    tr_call_cancel(&c.call);
    lua_call_wait(&c, 0);
    CHECK_STR(tr_str_from(lua_call_text(&c)),
              "[{\"type\":\"text\",\"text\":\"yes\"}]");
    lua_call_done(&c);
    check(&w, "count", "{\"n\":1}");
    close_world(&w);
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
    const char *end = strchr(found, '\n');
    CHECK(end && end - found < 512);
    memcpy(out, found, (size_t)(end - found));
    out[end - found] = '\0';
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
    struct world w;
    struct lua_call first;
    struct lua_call second;
    char before[512];
    char after[512];
    open_world(&w, rounds);
    lua_call_init(&first, &w.app, "test", "{}");
    first.asking = LUA_ASK_ROUNDS;
    lua_call_start(&first);
    lua_call_wait(&first, 0);
    CHECK(first.round_ended);
    check(&w, "count", "{\"n\":0}");
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
    check(&w, "count", "{\"n\":3}");
    check(&w, "written", lua_call_text(&second));
    lua_call_done(&second);
    lua_call_done(&first);
    close_world(&w);
}

/* Starts a handler, and lets it run until it has asked something. */
static void start_until_question(struct lua_call *c, struct world *w,
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
    struct world w;
    struct lua_call first;
    struct lua_call second;
    open_world(&w, "cap('put', function(ctx)\n"
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
    check(&w, "count", "{\"n\":1}");
    close_world(&w);
}

/* Somebody else has changed it meanwhile. */
TEST(kg_if_version_is_looked_at_when_it_lands)
{
    struct world w;
    struct lua_call c;
    open_world(&w,
               "cap('make', function(ctx)\n"
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
    check(&w, "make", "[]");
    start_until_question(&c, &w, "slow");
    check(&w, "quick", "{\"v\":2}");
    answer(&c);
    CHECK_INT(c.outcome.status, TR_E_CONFLICT);
    CHECK(strstr(lua_call_text(&c), "{\"reason\":\"conflict\"}"));
    lua_call_done(&c);
    close_world(&w);
}

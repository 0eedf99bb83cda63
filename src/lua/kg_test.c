/*
 * ctx.kg, with a real store: each function, and how it fails.
 */
#include "lua/kg.h"

#include "base/test.h"
#include "support/lua_world.h"

/* Each function. -----------------------------------------------------------*/

TEST(kg_create_gives_the_node_and_get_finds_it)
{
    lua_world_test(
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

/* Neither 64 bits nor a float hold it: it comes back digit by digit. */
TEST(kg_integers_beyond_64_bits_stay_what_they_are)
{
    lua_world_test(
        "cap('test', function(ctx)\n"
        "  local kg = ctx.kg\n"
        "  for _, digits in ipairs { '9223372036854775808',\n"
        "      '-123456789012345678901234567891' } do\n"
        "    local n = json.decode(digits)\n"
        "    assert(n.digits == digits and tostring(n) == digits)\n"
        "    assert(json.encode({ n = n }) == '{\"n\":' .. digits .. '}')\n"
        "    local x = kg:create(nil, { ['ex:n'] = n })\n"
        "    local seen = kg:get(x.id)['http://ex.org/n'][1]\n"
        "    assert(seen.digits == digits)\n"
        "    kg:update(x.id, { ['ex:n'] = seen })\n"
        "    assert(kg:get(x.id)['http://ex.org/n'][1].digits == digits)\n"
        "    assert(not pcall(function() return n + 1 end))\n"
        "    n.digits = '1e5'\n"
        "    assert(not pcall(json.encode, n))\n"
        "  end\n"
        "  assert(math.type(json.decode '9223372036854775807') == 'integer')\n"
        "  assert(json.decode '100000000000000000000' == 1e20)\n"
        "  assert(json.decode '9007199254740993.5' == 9007199254740994.0)\n"
        "  assert(not pcall(json.decode, '123456789012345678901.0'))\n"
        "  return 'ok'\n"
        "end)\n",
        "0");
}

TEST(kg_update_changes_what_is_given_or_all)
{
    lua_world_test(
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
    lua_world_test(
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
    lua_world_test(
        "cap('test', function(ctx)\n"
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
    lua_world_test(
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
        "      { value = 'x', language = '' },\n"
        "      { value = 'x', language = 'abcdefghi' },\n"
        "      { value = 'x', type = 'rdf:langString' },\n"
        "      { id = 'http://[::1/a' }, { id = 'http://a/%zz' } } do\n"
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
    lua_world_test(
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
        "  for _, after in ipairs { 'bogus', 'http://w/nowhere' } do\n"
        "    for _, page in ipairs { 'list', 'where' } do\n"
        "      local options = { after = after }\n"
        "      local c, text, e = code(kg[page], kg, 'Task',\n"
        "        page == 'list' and options or {}, options)\n"
        "      assert(c == 'invalid' and text:find '^after is not')\n"
        "      assert(e.data.field == 'after')\n"
        "      assert(e.data.reason == 'invalid_cursor')\n"
        "    end\n"
        "  end\n"
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
    struct lua_world w;
    lua_world_open(
        &w, "cap('fill', function(ctx)\n"
            "  for i = 1, 4 do\n"
            "    ctx.kg:create(i > 2 and 'Bug' or 'Task', task(i))\n"
            "  end\n"
            "  assert(#ctx.kg:search('task') == 0)\n"
            "end)\n"
            "cap('find', function(ctx)\n"
            "  local found, more, undone = ctx.kg:search('task 3')\n"
            "  assert(#found == 1 and found[1].number == 3 and not more)\n"
            "  assert(undone == nil)\n"
            "  found, more = ctx.kg:search('ta', { type = 'Bug',\n"
            "    limit = 1 })\n"
            "  assert(#found == 1 and found[1]._type == 'Bug' and more)\n"
            "  return { none = #ctx.kg:search('nowhere') }\n"
            "end)\n");
    lua_world_check(&w, "fill", "[]");
    lua_world_check(&w, "find", "{\"none\":0}");
    lua_world_close(&w);
}

TEST(kg_asks_for_ranges_orders_and_numbers)
{
    lua_world_test(
        "cap('test', function(ctx)\n"
        "  local kg = ctx.kg\n"
        "  local ada = kg:create('Person', { name = 'Ada', email = 'a@x' },\n"
        "    { id = 'ada' })\n"
        "  for n = 1, 9 do\n"
        "    kg:create('Task', task(n, { owner = n % 3 == 0 and ada or nil "
        "}))\n"
        "  end\n"
        "  local found, next = kg:where('Task', { number = { min = 3 } },\n"
        "    { order = '-number', limit = 4, fields = { 'number' } })\n"
        "  assert(#found == 4 and found[1].number == 9 and next)\n"
        "  assert(found[1].title == nil and found[1].id)\n"
        "  found, next = kg:where('Task', { number = { min = 3 } },\n"
        "    { order = '-number', limit = 4, after = next })\n"
        "  assert(#found == 3 and found[3].number == 3 and not next)\n"
        "  assert(kg:count('Task', { owner = { absent = true } }) == 6)\n"
        "  assert(kg:count('Task', { ['owner.name'] = 'Ada' }) == 3)\n"
        "  assert(kg:count('Task', { owner = { one_of = { ada } } }) == 3)\n"
        "  assert(kg:count('Task', { owner = ada }) == 3)\n"
        "  assert(kg:count('Task', { owner = 'ada' }) == 3)\n"
        "  assert(kg:count('Task', { any = { { number = 1 },\n"
        "    { owner = ada, number = { below = 6 } } } }) == 2)\n"
        "  assert(kg:exists('Task', { title = { prefix = 'Task 4' } }))\n"
        "  assert(not kg:exists('Task', { number = { above = 9 } }))\n"
        "  local all = kg:aggregate('Task', nil, { sum = 'number',\n"
        "    avg = { 'number' }, count = true })\n"
        "  assert(all.count == 9 and all.sum.number == 45)\n"
        "  assert(all.avg.number == 5.0)\n"
        "  local groups, more = kg:aggregate('Task', {}, { group = 'owner',\n"
        "    max = 'number' })\n"
        "  assert(#groups == 2 and not more)\n"
        "  assert(groups[1].group == ada.id and groups[1].count == 3)\n"
        "  assert(groups[2].group == nil and groups[2].max.number == 8)\n"
        "  return 'ok'\n"
        "end)\n",
        "9");
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

TEST(kg_faults_name_the_fields)
{
    struct lua_world w;
    lua_world_open(&w, failing);
    lua_world_check(
        &w, "caught",
        "[{\"type\":\"text\",\"text\":\"no type has a field 'ownr'; did you "
        "mean 'owner'?\"}]");
    lua_world_check(&w, "uncaught",
                    "validation: validation failed on 1 field(s) {\"fields\":[{"
                    "\"field\":\"title\",\"code\":\"min_length\","
                    "\"message\":\"title must have at least 3 characters\","
                    "\"value\":\"x\",\"constraint\":3}]}");
    lua_world_check_fails(
        &w, "twice", TR_E_VALIDATION,
        "[{\"field\":\"project\",\"code\":\"unique\",\"message\":\"project "
        "must be unique together with number\",\"value\":[\"p\",1],"
        "\"constraint\":[\"project\",\"number\"],\"node\":");
    lua_world_check_fails(
        &w, "dangling", TR_E_VALIDATION,
        "[{\"field\":\"owner\",\"code\":\"class\",\"message\":\"owner: there "
        "is no Person ex:nobody");
    lua_world_check_fails(&w, "wrong_type", TR_E_VALIDATION,
                          "\"field\":\"owner\"");
    lua_world_check(&w, "count", "{\"n\":1}");
    lua_world_close(&w);
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
    {"ctx.kg:create('Task', task(1), { id = 1 })",
     "kg:create: id must be an id, or a node"},
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
    {"ctx.kg:list('Task', { after = 'ex:never' })",
     "after is not what a page before gave as next"},
    {"ctx.kg:list('Task', { after = 7 })", "after must be an id, or a node"},
    {"ctx.kg:quads { subject = '' }", "is not an absolute IRI"},
    {"ctx.kg:where('Task', 'x')", "table expected"},
    {"ctx.kg:where('Task', { after = { 1 } })",
     "after must be an absolute IRI"},
    {"ctx.kg:where('Task', { numbr = { min = 1 } })",
     "app.lua:34: numbr is not a field; did you mean number"},
    {"local ok, e = pcall(ctx.kg.where, ctx.kg, 'Task', "
     "{ number = { min = 'x', most = 1 } }) error(e.message, 0)",
     "number has no form 'most'; there are ["},
    {"ctx.kg:where('Task', { number = { least = 1 } })",
     "number has no form 'least'; there are ['min','max','above'"},
    {"ctx.kg:where('Task', { number = { min = 'x' } })",
     "number min must be an integer"},
    {"ctx.kg:where('Task', {}, { order = 'nr' })", "nr is not a field"},
    {"ctx.kg:where('Task', {}, { order = 'after' })", "after has no order"},
    {"ctx.kg:where('Task', {}, { order = 7 })",
     "kg:where: 'order' must be a string"},
    {"ctx.kg:where('Task', {}, { order = 'number', after = 'x y' })",
     "after is not what a page before gave as next"},
    {"ctx.kg:where('Task', {}, { fields = { 'titel' } })",
     "titel is not a field; did you mean title"},
    {"ctx.kg:count('Task', { any = {} })", "any must be an array of filters"},
    {"ctx.kg:exists('Task', { nr = 1 })", "nr is not a field"},
    {"ctx.kg:aggregate('Task', {}, { group = 'after' })",
     "after is nothing for group; there are"},
    {"ctx.kg:aggregate('Task', {}, { sum = { 'title' } })",
     "title is nothing for sum; there are ['number"},
    {"ctx.kg:aggregate('Task', {}, { median = 'number' })",
     "unknown option 'median'"},
    {"ctx.kg:search('x', { filter = { nr = 1 } })", "filter needs a type"},
    {"ctx.kg:search('x', { type = 'Task', filter = { nr = 1 } })",
     "nr is not a field"},
    {"ctx.kg:search()", "string expected"},
    {"ctx.kg:search(('x '):rep(5000))",
     "invalid: a search has at most 1024 bytes"},
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
    {"ctx.kg:quads { subject = 1 }", "kg:quads: subject must be an id"},
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
        struct lua_world w;
        char source[1024];
        struct lua_call c;
        (void)snprintf(source, sizeof(source),
                       "cap('test', function(ctx) %s end)", wrong[i].body);
        lua_world_open(&w, source);
        lua_call_init(&c, &w.app, "test", "{}");
        lua_call_start(&c);
        lua_call_wait(&c, 0);
        CHECK_ROW(c.outcome.status != TR_OK, wrong[i].body);
        if (!strstr(lua_call_text(&c), wrong[i].part))
            print_error("got: %s\n", c.text);
        CHECK_ROW(strstr(c.text, wrong[i].part) != NULL, wrong[i].body);
        lua_call_done(&c);
        lua_world_check(&w, "count", "{\"n\":0}");
        lua_world_close(&w);
    }
}

TEST(kg_is_of_its_call_only)
{
    struct lua_world w;
    lua_world_open(&w, "local kept\n"
                       "cap('keep', function(ctx) kept = { kg = ctx.kg } end)\n"
                       "cap('use', function(ctx) kept.kg:count 'Task' end)\n");
    lua_world_check(&w, "keep", "[]");
    lua_world_check_fails(&w, "use", TR_E_INTERNAL, "a call that has ended");
    w.app.env = NULL;
    lua_world_check_fails(&w, "count", TR_E_UNSUPPORTED, "there is no graph");
    lua_world_close(&w);
}

/*
 * Objects and lists, as handlers have them: they come, change and go with their
 * owner.
 */
#include "base/test.h"
#include "graph/reader.h"
#include "graph/store.h"
#include "loop/loop.h"
#include "support/lua_world.h"

static const char prelude[] =
    "local address = {\n"
    "  { 'street', text },\n"
    "  { 'city', text { min_length = 2 } },\n"
    "  { 'floor', integer { default = 0 } },\n"
    "  { 'at', object 'Point' { optional = true,\n"
    "    fields = { lat = number, lon = number } } },\n"
    "  { 'keeper', ref 'Shop' { optional = true } },\n"
    "  { 'tags', text { list = true, optional = true } },\n"
    "}\n"
    "node_type 'Shop' { ids = 'preserve', fields = {\n"
    "  { 'name', text },\n"
    "  { 'address', object 'Address' { optional = true, fields = address } },\n"
    "  { 'depots', object 'Address' { many = true, optional = true,\n"
    "    fields = address } },\n"
    "  { 'steps', text { list = true, optional = true, min_length = 2 } },\n"
    "  { 'numbers', integer { list = true, optional = true } },\n"
    "  { 'friends', ref 'Shop' { list = true, optional = true } },\n"
    "  { 'any', ref() { optional = true } },\n"
    "} }\n"
    "local S = 'trails://demo/Shop/'\n"
    "local A = 'trails://demo/Address#'\n"
    "local REST = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#rest'\n"
    "local FIRST = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#first'\n"
    "local function cap(id, run)\n"
    "  capability(id) { description = 'd', run = run }\n"
    "end\n"
    "local function code(f, ...)\n"
    "  local ok, e = pcall(f, ...)\n"
    "  assert(not ok, 'it did not fail')\n"
    "  return e.code, e.message or tostring(e), e\n"
    "end\n"
    "local function quads(kg) return #kg:quads { limit = 1000 } end\n"
    "local function join(list) return table.concat(list, ' ') end\n"
    "local ulm = { street = 'Main', city = 'Ulm', at = { lat = 1, lon = 2 },\n"
    "  tags = { 'b', 'a', 'b' } }\n"
    "local function shop(n, more)\n"
    "  local fields = { name = n }\n"
    "  for k, v in pairs(more or {}) do fields[k] = v end\n"
    "  return fields, { id = S .. n }\n"
    "end\n"
    "cap('state', function(ctx, args)\n"
    "  local n = ctx.kg:get(S .. 'a')\n"
    "  return { v = n and n._version, q = quads(ctx.kg), node = n }\n"
    "end)\n";

static void parts_open(struct lua_world *w, const char *source)
{
    static char text[TR_KIB(16)];
    (void)snprintf(text, sizeof(text), "%s%s", prelude, source);
    lua_world_open_bare(w, text, NULL);
}

/* The capabilities of `source` say ok, one after the other: each lands. */
static void check_all(const char *source, const char *names)
{
    struct lua_world w;
    char name[] = "a";
    parts_open(&w, source);
    for (; *names; names++) {
        name[0] = *names;
        lua_world_check(&w, name, "[{\"type\":\"text\",\"text\":\"ok\"}]");
    }
    lua_world_close(&w);
}

TEST(parts_are_made_read_changed_and_deleted_with_their_owner)
{
    check_all(
        "cap('a', function(ctx)\n"
        "  local kg = ctx.kg\n"
        "  local before = quads(kg)\n"
        "  kg:create('Shop', shop('a', { address = ulm, depots = { ulm,\n"
        "    { street = 'Low', city = 'Bonn' } },\n"
        "    steps = { 'cc', 'aa', 'cc' } }))\n"
        "  local n = kg:get(S .. 'a')\n"
        "  assert(n.address.city == 'Ulm' and n.address.floor == 0)\n"
        "  assert(n.address.at.lon == 2 and join(n.address.tags) == 'b a b')\n"
        "  assert(#n.depots == 2 and n.depots[2].city == 'Bonn')\n"
        "  assert(join(n.steps) == 'cc aa cc' and #n.numbers == 0)\n"
        "  assert(before == 0)\n"
        "  return 'ok'\n"
        "end)\n"
        "cap('b', function(ctx)\n"
        "  local kg = ctx.kg\n"
        "  local n = kg:get(S .. 'a')\n"
        "  assert(n._version == 1 and n.address.at.lat == 1)\n"
        "  assert(join(n.steps) == 'cc aa cc')\n"
        "  local q = quads(kg)\n"
        "  kg:update(n, { address = ulm, steps = { 'cc', 'aa', 'cc' } })\n"
        "  assert(quads(kg) == q, 'the same again')\n"
        "  kg:update(n, { address = { street = 'Main', city = 'Ulm' } })\n"
        "  n = kg:get(n)\n"
        "  assert(n.address.at == nil and #n.address.tags == 0)\n"
        "  assert(q - quads(kg) == 1 + 2 + 1 + 6, q - quads(kg))\n"
        "  kg:update(n, { steps = { 'aa' } })\n"
        "  assert(join(kg:get(n).steps) == 'aa')\n"
        "  return 'ok'\n"
        "end)\n"
        "cap('c', function(ctx)\n"
        "  local kg = ctx.kg\n"
        "  local n = kg:get(S .. 'a')\n"
        "  assert(n._version == 2 and join(n.steps) == 'aa')\n"
        "  assert(#n.address.tags == 0 and #n.depots == 2)\n"
        "  local c, text, e = code(kg.update, kg, n, { address = {} })\n"
        "  assert(c == 'validation', c)\n"
        "  assert(e.data.fields[1].field == 'address.street')\n"
        "  assert(e.data.fields[1].message ==\n"
        "    'address.street is required')\n"
        "  kg:delete(n)\n"
        "  assert(quads(kg) == 0, quads(kg))\n"
        "  return 'ok'\n"
        "end)\n"
        "cap('d', function(ctx)\n"
        "  assert(quads(ctx.kg) == 0 and not ctx.kg:get(S .. 'a'))\n"
        "  assert(ctx.kg:count('Shop') == 0)\n"
        "  return 'ok'\n"
        "end)\n",
        "abcd");
}

TEST(a_part_is_changed_by_its_owner_alone)
{
    check_all(
        "cap('a', function(ctx)\n"
        "  local kg = ctx.kg\n"
        "  kg:create('Shop', shop('a', { address = ulm, steps = { 'aa' } }))\n"
        "  local c, text = code(kg.delete, kg, S .. 'a#address')\n"
        "  assert(text:find('is a part of <' .. S .. 'a>', 1, true), text)\n"
        "  return 'ok'\n"
        "end)\n"
        "cap('b', function(ctx)\n"
        "  local kg = ctx.kg\n"
        "  for _, part in ipairs { '#address', '#address.at' } do\n"
        "    local c, text = code(kg.delete, kg, S .. 'a' .. part)\n"
        "    assert(text:find('is a part of <' .. S .. 'a>', 1, true), text)\n"
        "    c, text = code(kg.update, kg, S .. 'a' .. part, { x = 1 })\n"
        "    assert(text:find('is a part of <' .. S .. 'a>', 1, true), text)\n"
        "  end\n"
        "  local c, text = code(kg.create, kg, 'Shop',\n"
        "    shop('b', { any = S .. 'a#address' }))\n"
        "  assert(c == 'validation' and text:find('part', 1, true), text)\n"
        "  assert(#kg:list('Shop') == 1 and kg:count('Shop') == 1)\n"
        "  return 'ok'\n"
        "end)\n",
        "ab");
}

/* What only the graph can say of a value is told of it, wherever it stands. */
TEST(what_cannot_be_said_of_a_part_is_told_with_the_way_there)
{
    struct lua_world w;
    parts_open(
        &w,
        "cap('all', function(ctx)\n"
        "  ctx.kg:create('Shop', shop('a', { address = ulm }))\n"
        "  local part = S .. 'a#address'\n"
        "  local bonn = { street = 'B', city = 'Bonn', keeper = part }\n"
        "  local function told(more)\n"
        "    local c, m, e = code(ctx.kg.create, ctx.kg, 'Shop',\n"
        "      shop('b', more))\n"
        "    assert(#e.data.fields == 1, m)\n"
        "    local one = e.data.fields[1]\n"
        "    local says = one.field .. ': this is a part of <' .. S .. 'a>'\n"
        "    assert(one.message:sub(1, #says) == says, one.message)\n"
        "    return one.field\n"
        "  end\n"
        "  return { told { any = part }, told { address = bonn },\n"
        "    told { depots = { ulm, bonn } }, told { friends = { part } } }\n"
        "end)\n");
    lua_world_check(
        &w, "all",
        "[\"any\",\"address.keeper\",\"depots[1].keeper\",\"friends\"]");
    lua_world_close(&w);
}

TEST(a_statement_about_a_part_is_a_change_of_its_owner)
{
    struct lua_world w;
    parts_open(&w, "cap('a', function(ctx)\n"
                   "  ctx.kg:create('Shop', shop('a', { address = ulm,\n"
                   "    steps = { 'aa', 'bb' } }))\n"
                   "  return 'ok'\n"
                   "end)\n"
                   "cap('b', function(ctx)\n"
                   "  ctx.kg:remove(S .. 'a#address', A .. 'city', 'Ulm')\n"
                   "  ctx.kg:add(S .. 'a#address', A .. 'city', 'Bonn')\n"
                   "end)\n"
                   "cap('c', function(ctx)\n"
                   "  ctx.kg:add(S .. 'a#address', A .. 'city', 'Cologne')\n"
                   "end)\n"
                   "cap('d', function(ctx)\n"
                   "  local head = ctx.kg:quads { subject = S .. 'a',\n"
                   "    predicate = 'trails://demo/Shop#steps' }[1].object.id\n"
                   "  ctx.kg:remove(head, FIRST, 'aa')\n"
                   "  ctx.kg:add(head, FIRST, 'a')\n"
                   "end)\n"
                   "cap('e', function(ctx)\n"
                   "  ctx.kg:remove(S .. 'a', 'trails://demo/Shop#address',\n"
                   "    { id = S .. 'a#address' })\n"
                   "end)\n"
                   "cap('f', function(ctx)\n"
                   "  local n = ctx.kg:get(S .. 'a')\n"
                   "  assert(n._version == 3, n._version)\n"
                   "  assert(n.address == nil and join(n.steps) == 'aa bb')\n"
                   "  assert(quads(ctx.kg) == 2 + 1 + 4, quads(ctx.kg))\n"
                   "  return 'ok'\n"
                   "end)\n");
    lua_world_check(&w, "a", "[{\"type\":\"text\",\"text\":\"ok\"}]");
    lua_world_check(&w, "b", "[]");
    lua_world_check_fails(&w, "c", TR_E_VALIDATION, "address");
    lua_world_check_fails(&w, "d", TR_E_VALIDATION, "steps");
    lua_world_check(&w, "e", "[]");
    lua_world_check(&w, "f", "[{\"type\":\"text\",\"text\":\"ok\"}]");
    lua_world_close(&w);
}

TEST(lists_hold_references_and_numbers_in_one_spelling)
{
    check_all(
        "cap('a', function(ctx)\n"
        "  local kg = ctx.kg\n"
        "  kg:create('Shop', shop('b'))\n"
        "  kg:create('Shop', shop('a', { friends = { S .. 'b',\n"
        "    { id = S .. 'b' }, S .. 'b' }, numbers = { 3, 1, 3 },\n"
        "    address = { street = 'x', city = 'yy',\n"
        "      keeper = { id = S .. 'b' } } }))\n"
        "  local c, text = code(kg.create, kg, 'Shop',\n"
        "    shop('c', { numbers = { 1, 'x' } }))\n"
        "  assert(text:find('numbers must be an integer'), text)\n"
        "  return 'ok'\n"
        "end)\n"
        "cap('b', function(ctx)\n"
        "  local n = ctx.kg:get(S .. 'a')\n"
        "  assert(join(n.numbers) == '3 1 3' and #n.friends == 3)\n"
        "  assert(n.friends[3] == S .. 'b' and n.address.keeper == S .. 'b')\n"
        "  return 'ok'\n"
        "end)\n",
        "ab");
}

TEST(what_a_list_refers_to_is_needed)
{
    struct lua_world w;
    parts_open(&w, "cap('a', function(ctx)\n"
                   "  ctx.kg:create('Shop', shop('b'))\n"
                   "  ctx.kg:create('Shop', shop('a', { friends = { S .. 'b' "
                   "} }))\n"
                   "end)\n"
                   "cap('b', function(ctx) ctx.kg:delete(S .. 'b') end)\n"
                   "cap('c', function(ctx)\n"
                   "  ctx.kg:update(S .. 'a', { friends = { S .. 'zz' } })\n"
                   "end)\n"
                   "cap('d', function(ctx)\n"
                   "  ctx.kg:update(S .. 'a', { address = { street = 'x',\n"
                   "    city = 'yy', keeper = S .. 'zz' } })\n"
                   "end)\n");
    lua_world_check(&w, "a", "[]");
    lua_world_check_fails(&w, "b", TR_E_VALIDATION, "friends");
    lua_world_check_fails(&w, "c", TR_E_VALIDATION, "friends");
    lua_world_check_fails(&w, "d", TR_E_VALIDATION, "address.keeper");
    lua_world_close(&w);
}

/* Each replaces the list as a whole: what is left is the one of the last. */
TEST(two_callers_that_change_one_list_leave_no_cell_behind)
{
    struct lua_world w;
    struct lua_call slow;
    parts_open(&w,
               "cap('a', function(ctx)\n"
               "  ctx.kg:create('Shop', shop('a', { address = ulm,\n"
               "    steps = { 'aa' } }))\n"
               "end)\n"
               "cap('slow', function(ctx)\n"
               "  ctx.kg:update(S .. 'a', { steps = { 'ss', 'tt' },\n"
               "    address = { street = 'slow', city = 'Slow' } })\n"
               "  ctx:sleep(10)\n"
               "end)\n"
               "cap('quick', function(ctx)\n"
               "  ctx.kg:update(S .. 'a', { address = ulm,\n"
               "    steps = { 'q1', 'q2', 'q3', 'q4' } })\n"
               "end)\n"
               "cap('f', function(ctx)\n"
               "  local n = ctx.kg:get(S .. 'a')\n"
               "  assert(n._version == 3 and join(n.steps) == 'ss tt')\n"
               "  assert(n.address.street == 'slow' and not n.address.at)\n"
               "  assert(quads(ctx.kg) == 2 + 1 + 3 + 1 + 4, quads(ctx.kg))\n"
               "  return 'ok'\n"
               "end)\n");
    lua_world_check(&w, "a", "[]");
    lua_call_init(&slow, &w.app, "slow", "{}");
    lua_call_start(&slow);
    (void)tr_loop_turn(slow.app->loop);
    CHECK(!slow.finished);
    lua_world_check(&w, "quick", "[]");
    lua_call_wait(&slow, 10);
    lua_call_done(&slow);
    lua_world_check(&w, "f", "[{\"type\":\"text\",\"text\":\"ok\"}]");
    lua_world_close(&w);
}

struct feed {
    struct tr_graph_reader *reader;
    struct tr_buf said;
};

static tr_status say_change(void *context, const struct tr_graph_feed_row *row,
                            struct tr_err *err)
{
    struct feed *feed = context;
    tr_rdf_term term;
    TR_TRY(
        tr_rdf_graph_get(&feed->reader->stored.base, row->subject, &term, err));
    tr_buf_putf(&feed->said, "%d %.*s ", (int)row->kind, TR_FMT(term.text));
    return TR_OK;
}

static void check_feed(const struct lua_world *w, const char *expected)
{
    const char *path = tr_graph_store_path(w->env.store);
    struct feed feed = {0};
    struct tr_err err = {0};
    int64_t seen = 0;
    bool has_gap = false;
    tr_buf_init(&feed.said, TR_KIB(4));
    CHECK_OK(tr_graph_reader_create(path, NULL, &feed.reader, &err), &err);
    CHECK_OK(tr_graph_reader_begin(feed.reader, &err), &err);
    CHECK_OK(tr_graph_feed_read(feed.reader->db, &seen, &has_gap, say_change,
                                &feed, &err),
             &err);
    CHECK_STR(tr_buf_str(&feed.said), expected);
    tr_graph_reader_end(feed.reader);
    tr_graph_reader_free(feed.reader);
    tr_buf_done(&feed.said);
}

/* Whatever changes in it, and however: 1 is created, 2 updated, 3 deleted. */
TEST(a_change_of_a_part_is_told_of_its_owner_alone)
{
    struct lua_world w;
    parts_open(&w, "cap('a', function(ctx)\n"
                   "  ctx.kg:create('Shop', shop('a', { address = ulm,\n"
                   "    depots = { ulm }, steps = { 'aa', 'bb' } }))\n"
                   "end)\n"
                   "cap('b', function(ctx)\n"
                   "  ctx.kg:remove(S .. 'a#address', A .. 'city', 'Ulm')\n"
                   "  ctx.kg:add(S .. 'a#address', A .. 'city', 'Bonn')\n"
                   "end)\n"
                   "cap('c', function(ctx)\n"
                   "  ctx.kg:update(S .. 'a', { steps = { 'bb' },\n"
                   "    address = { street = 's', city = 'Bonn' } })\n"
                   "end)\n"
                   "cap('d', function(ctx) ctx.kg:delete(S .. 'a') end)\n");
    for (const char *name = "abcd"; *name; name++) {
        const char one[] = {*name, '\0'};
        lua_world_check(&w, one, "[]");
    }
    check_feed(&w, "1 trails://demo/Shop/a 2 trails://demo/Shop/a "
                   "2 trails://demo/Shop/a 3 trails://demo/Shop/a ");
    lua_world_close(&w);
}

/* A '#' does not make a part: something must lead to it. */
TEST(what_is_named_as_a_part_but_is_none_is_told_of)
{
    struct lua_world w;
    parts_open(&w, "local N = { 'http://e/x#1', S .. 'a#other' }\n"
                   "cap('a', function(ctx)\n"
                   "  ctx.kg:create('Shop', shop('a', { address = ulm }))\n"
                   "  for _, n in ipairs(N) do\n"
                   "    ctx.kg:add(n, 'http://e/p', 'v')\n"
                   "  end\n"
                   "end)\n"
                   "cap('b', function(ctx)\n"
                   "  for _, n in ipairs(N) do\n"
                   "    ctx.kg:remove(n, 'http://e/p', 'v')\n"
                   "  end\n"
                   "  ctx.kg:update(S .. 'a', {\n"
                   "    address = { street = 's', city = 'Bonn' } })\n"
                   "end)\n");
    lua_world_check(&w, "a", "[]");
    lua_world_check(&w, "b", "[]");
    check_feed(&w, "1 trails://demo/Shop/a 1 http://e/x#1 "
                   "1 trails://demo/Shop/a#other 2 trails://demo/Shop/a "
                   "3 http://e/x#1 3 trails://demo/Shop/a#other ");
    lua_world_close(&w);
}

/* What cannot be declared, and what is said of it. */
static const struct {
    const char *field;
    const char *says;
} wrong[] = {
    {"object 'A'", "'fields' is missing"},
    {"object 'A' {}", "'fields' is missing"},
    {"object 'A' { fields = {} }", "an object needs a field"},
    {"object 'A b' { fields = { a = text } }", "letters, digits and _"},
    {"object()", "write object 'Name'"},
    {"text { fields = { a = text } }", "'fields' is for object"},
    {"object 'A' { fields = deep }", "at most 3 deep"},
    {"object 'A' { fields = { a = text { scope = 'dev' } } }",
     "'scope' is for the fields of a node_type"},
    {"object 'A' { fields = { a = text { unique = true } } }",
     "cannot be unique"},
    {"object 'A' { fields = { a = ref 'Nobody' } }",
     "there is no node_type 'Nobody'"},
    {"object 'A' { list = true, fields = { a = text } }", "many = true"},
    {"text { list = true, many = true }", "not both"},
};

TEST(what_cannot_be_declared_is_told_with_its_reason)
{
    for (size_t i = 0; i < TR_LEN(wrong); i++) {
        struct lua_app app = {0};
        struct tr_err err = {0};
        char source[1024];
        (void)snprintf(source, sizeof(source),
                       "local deep = {}\n"
                       "deep.x = object 'X' { fields = deep }\n"
                       "node_type 'T' { fields = { f = %s } }\n",
                       wrong[i].field);
        CHECK_ROW(lua_app_try(&app, source, NULL, &err) != TR_OK,
                  wrong[i].field);
        CHECK_ROW(strstr(err.msg, wrong[i].says), err.msg);
        lua_app_close(&app);
    }
}

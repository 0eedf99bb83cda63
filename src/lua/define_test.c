/*
 * What app.lua can say, and what it is told when it says it wrong.
 */
#include "lua/define.h"

#include "base/test.h"
#include "cap/registry.h"
#include "cap/snapshot.h"
#include "fields/field.h"
#include "loop/loop.h"
#include "schema/verbatim.h"
#include "support/lua_door.h"

static const struct {
    const char *source;
    const char *message;
} broken[] = {
    {"x = = 1", "app.lua:1: unexpected symbol near '='"},
    {"\n\nerror 'boom'", "app.lua:3: boom"},
    {"\nerror({})", "app.lua:2: error() was called with a table, not with a "
                    "message"},
    {"error()", "app.lua:1: error() was called with a nil, not with a "
                "message"},
    {"error { code = 'conflict', message = 'busy' }", "app.lua:1: busy"},
    {"\ncapabilty 'a' { description = 'x', run = print }",
     "app.lua:2: 'capabilty' is not defined, did you mean 'capability'?"},
    {"local t = os.time()",
     "app.lua:1: 'os' is not defined: apps do not have it; see ctx:now()"},
    {"ctx:log('info', 'x')",
     "app.lua:1: 'ctx' is not defined: it is the first argument of 'run'"},
    {"print(whatever)", "app.lua:1: 'whatever' is not defined"},
    {"\ncapability 'a'\n", "app.lua:2: capability 'a': its table { ... } is "
                           "missing"},
    {"extension 'a/b'", "app.lua:1: extension 'a/b': its table { ... } is "
                        "missing"},
    {"capability('a', { description = 'x', run = print })",
     "app.lua:1: write capability 'name' { ... }: a name, then a table"},
    {"capability { description = 'x', run = print }",
     "app.lua:1: write capability 'name' { ... }: a name, then a table"},
    {"extension {}", "app.lua:1: write extension 'prefix/name' { ... }: a "
                     "name, then a table"},
    {"extension 'a/b' 'c'",
     "app.lua:1: extension 'a/b': its settings are a table, not a string"},
    {"extension 'ui' {}", "app.lua:1: extension 'ui': an extension is named "
                          "prefix/name, such as io.modelcontextprotocol/ui"},
    {"completion 'a'", "app.lua:1: completion: write completion { prompt = "
                       "..., ... }"},
    {"capability 'a' { descripton = 'x', run = print }",
     "app.lua:1: capability 'a': unknown option 'descripton', did you mean "
     "'description'?"},
    {"capability 'a' { description = 'x' }",
     "app.lua:1: capability 'a': 'run' is missing: the function to run"},
    {"capability 'a' { description = 'x', run = 'f' }",
     "app.lua:1: capability 'a': 'run' must be a function, not string"},
    {"capability 'a' { 'x', run = print }",
     "app.lua:1: capability 'a': options have names, not a key of type number"},
    {"capability 'a' { description = 1, run = print }",
     "app.lua:1: capability 'a': 'description' must be a string, not number"},
    {"capability 'a' 'b'",
     "app.lua:1: capability 'a': its name is followed by a table { ... }, not "
     "by something else"},
    {"capability(1)({})", NULL},
    {"capability 'a' { description = 'd', input = { x = 1 }, run = print }",
     "app.lua:1: capability 'a': field 'x': must be text, integer, number, "
     "boolean, datetime, date, time, duration, decimal, uri, email, json, ref "
     "'Type' or object 'Name' {}, not a number"},
    {"capability 'a' { description = 'd', input = { x = dates }, run = print }",
     "app.lua:1: 'dates' is not defined, did you mean 'date'?"},
    {"capability 'a' { description = 'd', input = { x = text.x }, run = print "
     "}",
     "app.lua:1: 'text' is a kind of field, and has no members"},
    {"capability 'a' { description = 'd', input = { x = date { min_value = 1 } "
     "}, run = print }",
     "app.lua:1: capability 'a': field 'x': min_value is a date "
     "such as 2026-07-28"},
    {"capability 'a' { description = 'd', input = { x = date { min_value = {} "
     "} }, run = print }",
     "app.lua:1: capability 'a': field 'x': must be a text: min_value"},
    {"capability 'a' { description = 'd', input = { x = decimal { digits = 2 "
     "} }, run = print }",
     "app.lua:1: capability 'a': field 'x': 'digits' is 1 or more, and 'scale' "
     "says how many of them stand behind the point: decimal { digits = 10, "
     "scale = 2 }"},
    {"capability 'a' { description = 'd', input = { x = decimal { scale = 0 "
     "} }, run = print }",
     "app.lua:1: capability 'a': field 'x': 'scale' is 1 or more, unless "
     "'digits' is said too; without a fraction it is an integer"},
    {"capability 'a' { description = 'd', input = { x = json { schema = 'x' "
     "} }, run = print }",
     "app.lua:1: capability 'a': field 'x': schema: expected a value"},
    {"capability 'a' { description = 'd', input = { x = json { schema = 1 "
     "} }, run = print }",
     "app.lua:1: capability 'a': field 'x': a schema is an object"},
    {"capability 'a' { description = 'd', input = { x = json { schema = { type "
     "= 'x' } } }, run = print }",
     "app.lua:1: capability 'a': field 'x': schema: type is one of "
     "the seven types, or a list of them"},
    {"capability 'a' { description = 'd', input = { x = date { schema = {} "
     "} }, run = print }",
     "app.lua:1: capability 'a': field 'x': schema is for json, not for date"},
    {"capability 'a' { description = 'd', input = { x = text { one_of = {} } }"
     ", run = print }",
     "app.lua:1: capability 'a': field 'x': 'one_of' has no value"},
    {"capability 'a' { description = 'd', input = { x = text { many = 1 } }, "
     "run = print }",
     "app.lua:1: capability 'a': field 'x': 'many' must be true or false, not "
     "number"},
    {"text 'x'", "app.lua:1: text: its options are a table { ... }, not a "
                 "string"},
    {"capability 'a' { description = 'd', input_schema = '{', run = print }",
     "app.lua:1: capability 'a': input_schema: expected a key in double "
     "quotes, at line 1, column 2"},
    {"capability 'a' { description = 'd', cost = 1, run = print }",
     "app.lua:1: capability 'a': cost: must be a table, not a number"},
    {"capability 'a' { description = 'd', side_effects = { writes = {} }, "
     "run = print }",
     "app.lua:1: capability 'a': side_effects: unknown option 'writes'; there "
     "are 'graph_writes', 'external_calls', 'provenance', 'regulated'"},
    {"capability 'a' { description = 'd', run = print,\n"
     "  side_effects = { provenance = false } }",
     "app.lua:1: capability 'a': side_effects: provenance cannot be turned "
     "off"},
    {"\ncapability 'a' { description = 'd', run = print,\n"
     "  side_effects = { graph_writes = { 'default' } },\n"
     "  annotations = { read_only = true } }",
     "app.lua:2: capability 'a': annotations contradict: read_only, but "
     "side_effects.graph_writes says that it writes"},
    {"capability 'a' { description = 'd', run = print,\n"
     "  annotations = { read_only = true, destructive = true } }",
     "app.lua:1: capability 'a': annotations contradict: read_only and "
     "destructive"},
    {"capability 'a' { description = 'd', run = print,\n"
     "  side_effects = { external_calls = { 'https://a/' } },\n"
     "  annotations = { open_world = false } }",
     "app.lua:1: capability 'a': annotations contradict: open_world = false, "
     "but side_effects.external_calls says that it calls others"},
    {"\n\ncapability 'a' { description = 'd', run = print,\n"
     "  side_effects = {}, annotations = { read_only = false } }",
     "app.lua:3: capability 'a': annotations contradict: read_only = false, "
     "but side_effects says that it does nothing"},
    {"capability 'a' { description = 'd', run = print,\n"
     "  side_effects = {}, annotations = { destructive = true } }",
     "app.lua:1: capability 'a': annotations contradict: destructive, but "
     "side_effects says that it does nothing"},
    {"\ncapability 'a' { description = 'd', run = print,\n"
     "  side_effects = { graph_writes = { 'default', 'log' } } }",
     "app.lua:2: capability 'a': graph_writes has \"default\", IRIs, a prefix "
     "that ends in *, or \"*\", not 'log'"},
    {"capability 'a' { description = 'd', run = print,\n"
     "  side_effects = { graph_writes = { 'x:a*b' } } }",
     "app.lua:1: capability 'a': graph_writes has \"default\", IRIs, a prefix "
     "that ends in *, or \"*\", not 'x:a*b'"},
    {"capability 'a' { description = 'd', assurance = 'L3', run = print }",
     "app.lua:1: capability 'a': assurance is L1 or L2 until something can "
     "anchor L3"},
    {"resource 'trails://kg/Task' { name = 'x', run = print }",
     "app.lua:1: resource 'trails://kg/Task': trails://kg is for what is built "
     "in"},
    {"\nresource_template 'trails://prov{?x}' { name = 'x', run = print }",
     "app.lua:2: resource_template 'trails://prov{?x}': trails://prov is for "
     "what is built in"},
    {"capability 'a' { description = 'd', run = print,\n"
     "  input = { x = text { min = 1, min_count = 1 } } }",
     "app.lua:1: capability 'a': field 'x': another word for the same is "
     "min_count"},
    {"resource_template 'a:{id' { run = print }",
     "app.lua:1: resource_template 'a:{id': expected ',' or '}' after a "
     "variable, at line 1, column 6"},
    {"capability 'a' { description = 'd', input = 1, run = print }",
     "app.lua:1: capability 'a': a table of fields is needed, not a number"},
    {"capability 'a' { description = 'd', input = { { 'x' } }, run = print }",
     "app.lua:1: capability 'a': field 'x': must be text, integer, number, "
     "boolean, datetime, date, time, duration, decimal, uri, email, json, ref "
     "'Type' or object 'Name' {}, not a nil"},
    {"capability 'a' { description = 'd', input = {}, input_schema = '{}', "
     "run = print }",
     "app.lua:1: capability 'a': it has 'input' or 'input_schema', not both"},
    {"capability 'a' { description = 'd', reasoning = 'much', run = print }",
     "app.lua:1: capability 'a': 'reasoning' is none, rdfs or owl-rl, not "
     "much"},
    {"capability 'a' { description = 'd', cost = { token = 1 }, run = print }",
     "app.lua:1: capability 'a': cost: unknown option 'token', did you mean "
     "'tokens'?"},
    {"local t = text { max_len = 1 }",
     "app.lua:1: text: unknown option 'max_len', did you mean 'max_length'?"},
    {"completion { run = print }",
     "app.lua:1: completion: 'prompt' or 'template' is needed, and not both"},
    {"prompt 'p' { arguments = { n = text { many = true } }, run = print }",
     "app.lua:1: prompt 'p': the argument 'n' must be one value: text, "
     "integer, number, boolean, datetime, date, time, duration, decimal, uri "
     "and email"},
    {"prompt 'p' { arguments = 'Task', run = print }",
     "app.lua:1: prompt 'p': 'arguments' are a table of fields"},
    {"math.random()", "app.lua:1: math.random is for handlers: every loop must "
                      "load the same app"},
    {"while true do end", "app.lua: loading it goes over the instructions "
                          "budget"},
    {"\x1bLua", NULL},
};

TEST(lua_broken_app_says_where_and_why)
{
    for (size_t i = 0; i < TR_LEN(broken); i++) {
        struct lua_app app;
        struct tr_err err = {0};
        tr_status st = lua_app_try(&app, broken[i].source, NULL, &err);
        CHECK_ROW(st != TR_OK, broken[i].source);
        if (broken[i].message)
            CHECK_STR(tr_str_from(err.msg), broken[i].message);
    }
}

TEST(lua_registry_says_what_is_wrong_with_the_place_of_it)
{
    static const char *const sources[] = {
        "capability 'a b' { description = 'd', run = print }",
        "capability 'a' { description = 'd', version = 'x', run = print }",
        "capability 'a' { description = 'd', run = print }\n"
        "capability 'a' { description = 'd', run = print }",
        "capability 'a' { description = 'd', input = { ['1'] = text }, "
        "run = print }",
        "capability 'a' { description = 'd', input = { a = text { pattern = "
        "'(' } }, run = print }",
        "capability 'a' { description = 'd', input_schema = '{', run = print }",
        "capability 'a' { description = 'd', input_schema = { type = 'x' }, "
        "run = print }",
        "resource 'nouri' { run = print }",
        "resource_template 'a:{' { run = print }",
    };
    for (size_t i = 0; i < TR_LEN(sources); i++) {
        struct lua_app app;
        struct tr_err err = {0};
        tr_status st = lua_app_try(&app, sources[i], NULL, &err);
        CHECK_ROW(st == TR_E_INVALID, sources[i]);
        CHECK_ROW(!strstr(err.msg, ": :"), err.msg);
        CHECK_ROW(strncmp(err.msg, "app.lua:", 8) == 0, err.msg);
    }
}

static const char rich[] =
    "policy 'f::r' { run = function() return true end }\n"
    "capability 'old' { description = 'd', run = function() end }\n"
    "capability 'rich.one' {\n"
    "  version = '1.2.3', description = 'd', title = 'T',\n"
    "  input = { zeta = text { pattern = '^a', description = 'z' },\n"
    "            alpha = integer { min_value = 1, max_value = 5, default = 2 },"
    "            flag = boolean, when = datetime { required = false },\n"
    "            tags = text { many = true, max_count = 3,\n"
    "              one_of = { 'a', 'b' }, optional = true } },\n"
    "  output = { { 'second', number }, { 'first', text } },\n"
    "  preconditions = { 'scope:builder',\n"
    "    { kind = 'scope', params = { scope = 'dev' } } },\n"
    "  side_effects = { graph_writes = { 'a:g' }, external_calls = 'mail',\n"
    "    provenance = true, regulated = true },\n"
    "  cost = { tokens = 10, usd = 0.5, latency_p95_ms = 3 },\n"
    "  policy_required = { 'f::r' }, idempotent = true, deprecates = 'old',\n"
    "  reasoning = 'none', assurance = 'L2', version_status = 'experimental',\n"
    "  annotations = { read_only = false, open_world = true },\n"
    "  postconditions = { 'paid', { kind = 'state', field = 'x' } },\n"
    "  meta = { ['x/y'] = 1 }, icons = { { src = 'https://a/b.png' } },\n"
    "  run = function() end }\n"
    "capability 'verbatim' { description = 'd',\n"
    "  input_schema = [[{ \"type\": \"object\" }]], run = function() end }\n";

static void check_fields(const struct tr_shape *shape)
{
    static const char *const names[] = {"alpha", "flag", "tags", "when",
                                        "zeta"};
    CHECK_INT(shape->count, TR_LEN(names));
    for (size_t i = 0; i < TR_LEN(names); i++)
        CHECK_STR(shape->fields[i].name, names[i]);
    CHECK_STR(shape->fields[0].max_value, "5");
    CHECK(shape->fields[2].many && shape->fields[2].max_count == 3);
    CHECK_INT(shape->fields[2].one_of->len, 2);
    CHECK(shape->fields[3].optional && !shape->fields[1].optional);
    CHECK_STR(shape->fields[4].pattern, "^a");
}

TEST(lua_capability_says_everything_a_descriptor_has)
{
    struct lua_app app;
    lua_app_open(&app, rich);
    const struct tr_cap *cap =
        tr_cap_snapshot_find_cap(app.snapshot, TR_STR("rich.one"));
    CHECK_STR(cap->version, "1.2.3");
    CHECK_STR(cap->title, "T");
    check_fields(cap->input_shape);
    CHECK_STR(cap->output_shape->fields[0].name, "second");
    CHECK_INT(cap->precondition_count, 2);
    CHECK_STR(cap->preconditions[0].kind, "scope");
    CHECK_STR(tr_json_text(
                  tr_json_find(cap->preconditions[0].params, TR_STR("scope"))),
              "builder");
    CHECK_INT(cap->postcondition_count, 2);
    CHECK_STR(cap->postconditions[0].kind, "paid");
    CHECK_STR(tr_json_text(
                  tr_json_find(cap->postconditions[1].params, TR_STR("field"))),
              "x");
    CHECK_STR(cap->guard.where, "app.lua:3");
    CHECK_STR(cap->side_effects.graph_writes.items[0], "a:g");
    CHECK_STR(cap->side_effects.external_calls.items[0], "mail");
    CHECK(cap->side_effects.regulated);
    CHECK(cap->cost.tokens == 10 && cap->cost.usd == 0.5);
    CHECK_STR(cap->guard.policy_required.items[0], "f::r");
    CHECK(cap->idempotent);
    CHECK_STR(cap->deprecates, "old");
    CHECK_INT(cap->reasoning, TR_CAP_REASONING_NONE);
    CHECK_INT(cap->assurance, TR_CAP_ASSURANCE_L1);
    CHECK_INT(cap->version_status, TR_CAP_VERSION_EXPERIMENTAL);
    CHECK_INT(cap->read_only, TR_CAP_HINT_NO);
    CHECK_INT(cap->destructive, TR_CAP_HINT_DERIVED);
    CHECK_INT(cap->open_world, TR_CAP_HINT_YES);
    CHECK_INT(cap->meta->len, 1);
    CHECK_INT(cap->icons->len, 1);
    cap = tr_cap_snapshot_find_cap(app.snapshot, TR_STR("verbatim"));
    CHECK_STR(tr_schema_verbatim_text(cap->input_schema),
              "{\"type\":\"object\"}");
    lua_app_close(&app);
}

/* min and max are min_count and max_count; min = 0 makes a field optional. */
TEST(lua_counts_of_a_field_have_two_spellings)
{
    static const char source[] =
        "capability 'a' { description = 'd', run = print, input = {\n"
        "  { 'one', text { min = 1, max = 1 } },\n"
        "  { 'none', text { min = 0 } },\n"
        "  { 'some', text { many = true, min = 2, max = 3 } },\n"
        "} }\n"
        "resource 'trails://mine/kg' { name = 'x', run = print }\n"
        "resource 'trails://kgs' { name = 'y', run = print }";
    struct lua_app app;
    lua_app_open(&app, source);
    const struct tr_cap *cap =
        tr_cap_snapshot_find_cap(app.snapshot, TR_STR("a"));
    const struct tr_field *fields = cap->input_shape->fields;
    CHECK(!fields[0].optional && fields[0].max_count == 1);
    CHECK(fields[1].optional && fields[1].min_count == 0);
    CHECK(fields[2].min_count == 2 && fields[2].max_count == 3);
    lua_app_close(&app);
}

TEST(lua_resources_and_prompts_say_what_they_are)
{
    struct lua_app app;
    lua_app_open(&app,
                 "resource 'a:b' { name = 'n', title = 't', size = 4,\n"
                 "  mime_type = 'text/plain', annotations = { priority = 0.5,\n"
                 "  last_modified = '2026-01-01T00:00:00Z' },\n"
                 "  run = function() end }\n"
                 "prompt 'p' { arguments = { b = text { optional = true },\n"
                 "  a = text { description = 'first' } },\n"
                 "  run = function() end }\n");
    const struct tr_cap_resource *r =
        tr_cap_snapshot_find_resource(app.snapshot, TR_STR("a:b"));
    CHECK_STR(r->about.name, "n");
    CHECK(r->has_size && r->size == 4);
    CHECK(tr_json_find(r->annotations, TR_STR("lastModified")) != NULL);
    const struct tr_cap_prompt *p =
        tr_cap_snapshot_find_prompt(app.snapshot, TR_STR("p"));
    CHECK_INT(p->input->count, 2);
    CHECK_STR(p->input->fields[0].name, "a");
    CHECK(tr_field_is_required(&p->input->fields[0]) &&
          !tr_field_is_required(&p->input->fields[1]));
    lua_app_close(&app);
}

TEST(lua_every_loop_has_a_state_of_its_own)
{
    struct lua_app app;
    struct lua_app other;
    struct tr_err err = {0};
    lua_app_open(&app, "local n = 0\ncapability 'count' { description = 'd', "
                       "run = function() n = n + 1 return n end }");
    other = app;
    CHECK_OK(tr_loop_create(NULL, &other.loop, &err), &err);
    lua_check(&app, "count", "{}", "1");
    lua_check(&app, "count", "{}", "2");
    lua_check(&other, "count", "{}", "1");
    lua_check(&app, "count", "{}", "3");
    tr_loop_free(other.loop);
    lua_app_close(&app);
}

/* The address of a table differs between states: so would the names. */
TEST(lua_app_that_registers_other_things_each_time_is_refused)
{
    struct lua_app app;
    struct lua_app other;
    struct tr_err err = {0};
    lua_app_open(&app, "capability('a' .. tostring({}):match('x(%x+)')) "
                       "{ description = 'd', run = function() end }\n"
                       "capability 'b' { description = 'd', run = function() "
                       "return 1 end }");
    other = app;
    CHECK_OK(tr_loop_create(NULL, &other.loop, &err), &err);
    lua_check(&app, "b", "{}", "1");
    struct lua_call c;
    lua_call_init(&c, &other, "b", "{}");
    lua_call_start(&c);
    CHECK_INT(c.outcome.status, TR_E_INVALID);
    CHECK(strstr(c.outcome.err.msg, "must do the same every time") != NULL);
    lua_call_done(&c);
    tr_loop_free(other.loop);
    lua_app_close(&app);
}

/* What an app catches is its own business: the rest is still in order. */
TEST(lua_definition_that_failed_and_was_caught_takes_no_place)
{
    struct lua_app app;
    lua_app_open(&app,
                 "pcall(capability 'a', { description = 'd' })\n"
                 "pcall(capability 'c', { description = 1, run = print })\n"
                 "capability 'b' { description = 'd', run = function() "
                 "return 1 end }");
    lua_check(&app, "b", "{}", "1");
    lua_app_close(&app);
}

/*
 * What app.lua can declare about its graph, and what it is told when it says
 * it wrong.
 */
#include "lua/define_model.h"

#include "base/limits.h"
#include "base/test.h"
#include "cap/snapshot.h"
#include "loop/loop.h"
#include "model/model.h"
#include "support/folder.h"
#include "support/lua_door.h"

#include <sys/stat.h>
#include <unistd.h>

static const char rich[] =
    "prefixes { ex = 'http://example.org/' }\n"
    "node_type 'Task' { description = 'Work.', extends = 'Thing',\n"
    "  iri = 'ex:Task', label = 'code', ids = 'content', ids_from = 'code',\n"
    "  unique = { 'code', { 'code', 'rank' } },\n"
    "  indexes = { { 'owner', '-rank' } },\n"
    "  fields = { code = text { search = true, iri = 'ex:code' },\n"
    "    rank = number { min_exclusive = 0, max_exclusive = 5.5,\n"
    "      index = true },\n"
    "    owner = ref 'Person' { optional = true },\n"
    "    boss = ref 'Person', about = ref() { many = true } } }\n"
    "node_type 'Person' { ids = 'preserve', open = true,\n"
    "  fields = { { 'title', text }, { 'age', integer },\n"
    "    { 'self', ref() } } }\n"
    "node_type 'Thing' { fields = {} }\n"
    "shape 'Coded' { target = 'Task', description = 'd',\n"
    "  fields = { code = text { pattern = '^T' } } }\n"
    "shape 'Named' { target_subjects_of = 'ex:code', iri = 'ex:Named',\n"
    "  fields = { code = text { iri = 'ex:code' } } }\n"
    "capability 'link' { description = 'd', input = { to = ref 'Task' },\n"
    "  run = function(ctx, args) return { to = args.to } end }\n";

static const struct tr_field *field_of(const struct tr_model_type *type,
                                       const char *name)
{
    return tr_shape_find(type->shape, tr_str_from(name));
}

static void check_task(const struct tr_model *model)
{
    const struct tr_model_type *task = tr_model_find(model, TR_STR("Task"));
    CHECK_STR(task->shape->iri, "http://example.org/Task");
    CHECK_STR(task->shape->description, "Work.");
    CHECK_STR(task->parent->name, "Thing");
    CHECK_STR(task->label, "code");
    CHECK_INT(task->strategy, TR_MODEL_IRI_CONTENT);
    CHECK_INT(task->content_count, 1);
    CHECK_STR(task->content_fields[0], "code");
    CHECK_INT(task->shape->unique_count, 2);
    CHECK_INT(task->shape->unique[1].count, 2);
    CHECK_STR(task->shape->unique[1].names[1], "rank");
    CHECK_INT(task->index_count, 2);
    CHECK_STR(task->indexes[0].parts[0].field->name, "rank");
    CHECK_INT(task->indexes[1].count, 2);
    CHECK_STR(task->indexes[1].parts[0].field->name, "owner");
    CHECK(task->indexes[1].parts[1].descending);
    CHECK_STR(field_of(task, "rank")->min_exclusive, "0");
    CHECK_STR(field_of(task, "rank")->max_exclusive, "5.5");
    CHECK_STR(field_of(task, "code")->iri, "http://example.org/code");
    CHECK(field_of(task, "code")->search);
    CHECK_STR(field_of(task, "owner")->target, "Person");
    CHECK(field_of(task, "owner")->optional);
    CHECK_STR(field_of(task, "boss")->target, "Person");
    CHECK(!field_of(task, "boss")->optional);
    CHECK(field_of(task, "about")->any_type && field_of(task, "about")->many);
    CHECK(!task->shape->open);
}

static void check_person(const struct tr_model *model)
{
    static const char *const names[] = {"title", "age", "self"};
    const struct tr_model_type *person = tr_model_find(model, TR_STR("Person"));
    CHECK_STR(person->shape->iri, "trails://demo/Person");
    CHECK_INT(person->shape->count, TR_LEN(names));
    for (size_t i = 0; i < TR_LEN(names); i++)
        CHECK_STR(person->shape->fields[i].name, names[i]);
    CHECK_INT(person->strategy, TR_MODEL_IRI_PRESERVE);
    CHECK_STR(person->label, "title");
    CHECK(person->shape->open);
    CHECK(field_of(person, "self")->any_type);
}

TEST(lua_types_say_everything_a_model_has)
{
    struct lua_app app;
    size_t at;
    lua_app_open(&app, rich);
    const struct tr_model *model = tr_cap_snapshot_model(app.snapshot);
    CHECK_STR(model->project, "demo");
    CHECK_INT(model->count, 3);
    CHECK_STR(model->types[0]->name, "Task");
    check_task(model);
    check_person(model);
    CHECK(tr_shacl_shapes_find(model->shapes, TR_STR("trails://demo/Coded"),
                               &at));
    CHECK(tr_shacl_shapes_find(model->shapes,
                               TR_STR("http://example.org/Named"), &at));
    lua_check(&app, "link", "{\"to\":\"urn:a\"}", "{\"to\":\"urn:a\"}");
    lua_app_close(&app);
}

TEST(lua_app_without_types_has_an_empty_model)
{
    struct lua_app app;
    lua_app_open(&app, "");
    CHECK_INT(tr_cap_snapshot_model(app.snapshot)->count, 0);
    CHECK_STR(tr_cap_snapshot_model(app.snapshot)->project, "demo");
    lua_app_close(&app);
}

/* The state of another loop declares the same, and builds nothing. */
TEST(lua_types_are_declared_on_every_loop)
{
    struct lua_app app;
    struct lua_app other;
    struct tr_err err = {0};
    lua_app_open(&app, rich);
    other = app;
    CHECK_OK(tr_loop_create(NULL, &other.loop, &err), &err);
    lua_check(&app, "link", "{\"to\":\"urn:a\"}", "{\"to\":\"urn:a\"}");
    lua_check(&other, "link", "{\"to\":\"urn:b\"}", "{\"to\":\"urn:b\"}");
    tr_loop_free(other.loop);
    lua_app_close(&app);
}

/* The address of a table differs between states. */
static const char *const fickle[] = {
    "node_type('T' .. tostring({}):match('x(%x+)')) { fields = {} }\n",
    "shape('S' .. tostring({}):match('x(%x+)')) { target = 'x:', fields = {} "
    "}\nprefixes { x = 'http://x/' }\n",
};

TEST(lua_app_that_declares_other_things_each_time_is_refused)
{
    for (size_t i = 0; i < TR_LEN(fickle); i++) {
        struct lua_app app;
        struct lua_app other;
        struct lua_call c;
        struct tr_err err = {0};
        char source[512];
        (void)snprintf(
            source, sizeof(source),
            "%scapability 'a' { description = 'd', run = function() end "
            "}",
            fickle[i]);
        lua_app_open(&app, source);
        other = app;
        CHECK_OK(tr_loop_create(NULL, &other.loop, &err), &err);
        lua_call_init(&c, &app, "a", "{}");
        lua_call_start(&c);
        CHECK_INT(c.outcome.status, TR_OK);
        lua_call_done(&c);
        lua_call_init(&c, &other, "a", "{}");
        lua_call_start(&c);
        CHECK_INT(c.outcome.status, TR_E_INVALID);
        CHECK(strstr(c.outcome.err.msg, "must do the same every time") != NULL);
        lua_call_done(&c);
        tr_loop_free(other.loop);
        lua_app_close(&app);
    }
}

static const struct {
    const char *source;
    const char *message;
} broken[] = {
    {"node_type 'A'", "app.lua:1: node_type 'A': its table { ... } is missing"},
    {"node_type { fields = {} }",
     "app.lua:1: write node_type 'Name' { ... }: a name, then a table"},
    {"shape('A', {})",
     "app.lua:1: write shape 'Name' { ... }: a name, then a table"},
    {"node_type 'A' 'b'",
     "app.lua:1: node_type 'A': its name is followed by a table { ... }, not "
     "by something else"},
    {"node_type 'A' {}",
     "app.lua:1: node_type 'A': 'fields' is missing: a table of fields"},
    {"node_type 'A' { field = {} }",
     "app.lua:1: node_type 'A': unknown option 'field', did you mean "
     "'fields'?"},
    {"node_type 'A' { fields = { a = 1 } }",
     "app.lua:1: node_type 'A': field 'a': must be text, integer, number, "
     "boolean, datetime, date, time, duration, decimal, uri, email, json, "
     "ref 'Type' or object 'Name' {}, not a number"},
    {"node_type 'A' { fields = { a = ref } }",
     "app.lua:1: node_type 'A': field 'a': must be text, integer, number, "
     "boolean, datetime, date, time, duration, decimal, uri, email, json, "
     "ref 'Type' or object 'Name' {}, not a function"},
    {"node_type 'A' { fields = { a = ref(1) } }",
     "app.lua:1: write ref 'Type' or ref(): the name of a node_type, or "
     "nothing for any"},
    {"node_type 'A' { fields = { a = ref '' } }",
     "app.lua:1: node_type 'A': field 'a': a ref must name a node type"},
    {"node_type 'A' { fields = { id = text } }",
     "app.lua:1: node_type 'A': field 'id': every node has that already: "
     "choose another name"},
    {"node_type 'A' { fields = { a = text { pattern = '(' } } }", NULL},
    {"node_type 'A' { fields = {}, ids = 'serial' }",
     "app.lua:1: node_type 'A': 'ids' is uuid, content or preserve, not "
     "serial"},
    {"node_type 'A' { fields = {}, ids = 'content' }",
     "app.lua:1: node_type 'A': ids by content need the fields they are made "
     "from"},
    {"node_type 'A' { fields = {}, unique = 'a' }",
     "app.lua:1: node_type 'A': must be an array of names, or of arrays of "
     "names: unique"},
    {"node_type 'A' { fields = {}, unique = { 1 } }",
     "app.lua:1: node_type 'A': must be an array of strings: unique"},
    {"\nnode_type 'A' { fields = {}, unique = { 'b' } }",
     "app.lua:2: node_type 'A': unique names 'b', which is not a field"},
    {"\nnode_type 'A' { unique = { { 'b', 'home' } }, fields = { b = text,\n"
     "  home = object 'H' { fields = { city = text } } } }",
     "app.lua:2: node_type 'A': unique names 'home', which is an object: each "
     "belongs to its owner alone"},
    {"\nnode_type 'A' { unique = { 'homes' }, fields = {\n"
     "  homes = object 'H' { many = true, fields = { city = text } } } }",
     "app.lua:2: node_type 'A': unique names 'homes', which has many values"},
    {"\nnode_type 'A' { unique = { 'route' }, fields = {\n"
     "  route = text { list = true } } }",
     "app.lua:2: node_type 'A': unique names 'route', which has many values"},
    {"node_type 'A' { unique = { 'city' }, fields = {\n"
     "  home = object 'H' { fields = { city = text } } } }",
     "app.lua:1: node_type 'A': unique names 'city', which is not a field"},
    {"node_type 'A' { fields = { home = object 'H' { unique = true,\n"
     "  fields = { city = text } } } }",
     "app.lua:1: node_type 'A': field 'home': unique is for text, integer, "
     "number, boolean, datetime, ref, date, time, duration, decimal, uri, "
     "email "
     "and json, not for object"},
    {"node_type 'A' { fields = { home = object 'H' {\n"
     "  fields = { city = text { unique = true } } } } }",
     "app.lua:1: node_type 'A': field 'home': 'city' cannot be unique: objects "
     "are parts of their owners, and only these are told apart"},
    {"\nnode_type 'A' { ids = 'content', ids_from = { 'b', 'home' },\n"
     "  fields = { b = text, home = object 'H' { fields = { c = text } } } }",
     "app.lua:2: node_type 'A': ids_from names 'home', which is an object: an "
     "id is made of values"},
    {"node_type 'A' { fields = { home = object 'H' { fields = { c = text } } "
     "}\n"
     "  }\nnode_type 'B' { extends = 'A', fields = {}, ids = 'content',\n"
     "  ids_from = 'home' }",
     "app.lua:3: node_type 'B': ids_from names 'home', which is an object: an "
     "id is made of values"},
    {"node_type 'A' { indexes = { 'home' }, fields = {\n"
     "  home = object 'H' { fields = { city = text } } } }",
     "app.lua:1: node_type 'A': an index has 'home', and object has no "
     "order"},
    {"node_type 'A' { fields = {}, indexes = 'a' }",
     "app.lua:1: node_type 'A': must be an array of names, or of arrays of "
     "names: indexes"},
    {"node_type 'A' { fields = {}, indexes = { {} } }",
     "app.lua:1: node_type 'A': indexes has one of no field"},
    {"\nnode_type 'A' { fields = { due = date }, indexes = { '-do' } }",
     "app.lua:2: node_type 'A': indexes names 'do', which is not a field"},
    {"node_type 'A' { fields = { due = date }, indexes = { '-deu' } }",
     "app.lua:1: node_type 'A': indexes names 'deu', which is not a field, did "
     "you mean 'due'?"},
    {"node_type 'A' { fields = { a = text { many = true } }, indexes = { 'a' } "
     "}",
     "app.lua:1: node_type 'A': an index has 'a', which has many values"},
    {"node_type 'A' { fields = { a = json }, indexes = { 'a' } }",
     "app.lua:1: node_type 'A': an index has 'a', and json has no order"},
    {"node_type 'A' { fields = { a = text }, indexes = { { 'a', '-a' } } }",
     "app.lua:1: node_type 'A': an index has 'a' twice"},
    {"node_type 'A' { fields = { a = text { index = true } }, indexes = { 'a' "
     "} }",
     "app.lua:1: node_type 'A': the index of 'a' is declared twice"},
    {"node_type 'A' { fields = { a = text { index = true, many = true } } }",
     "app.lua:1: node_type 'A': field 'a': an index has 'a', which has many "
     "values"},
    {"node_type 'A' { fields = { a = text { index = false, unique = true } } }",
     "app.lua:1: node_type 'A': field 'a': 'index = false', and what is unique "
     "is found by its value"},
    {"node_type 'A' { fields = { a = text, b = text { index = false } },\n"
     "  unique = { { 'a', 'b' } } }",
     "app.lua:1: node_type 'A': field 'b': 'index = false', and what is unique "
     "is found by its value"},
    {"node_type 'A' { fields = { a = text { unique = true } } }\n"
     "node_type 'B' { extends = 'A', fields = { a = text { index = false } } }",
     "app.lua:2: node_type 'B': field 'a': 'index = false', and what is unique "
     "is found by its value"},
    {"node_type 'A' { fields = { a = text { index = false } } }\n"
     "node_type 'B' { extends = 'A', fields = {}, unique = { { 'a' } } }",
     "app.lua:2: node_type 'B': field 'a': 'index = false', and what is unique "
     "is found by its value"},
    {"node_type 'A' { fields = { a = text { index = false } } }\n"
     "node_type 'B' { fields = { a = ref 'A' { by = 'a' } } }",
     NULL},
    {"node_type 'A' { fields = { a = ref 'A' { index = false } } }",
     "app.lua:1: node_type 'A': field 'a': 'index = false' is for values: what "
     "nodes refer to always leads back to them"},
    {"node_type 'A' { fields = { a = text { index = false, list = true } } }",
     "app.lua:1: node_type 'A': field 'a': 'index = false' is for values: what "
     "nodes refer to always leads back to them"},
    {"shape 'S' { target = 'A', fields = { a = text { index = true } } }",
     "app.lua:1: shape 'S': field 'a': 'index' is for the fields of a "
     "node_type"},
    {"\n\nnode_type 'A' { fields = { a = ref 'Other' } }",
     "app.lua:3: node_type 'A': field 'a': there is no node_type 'Other'"},
    {"node_type 'A' { fields = {}, extends = 'B' }\n"
     "node_type 'B' { fields = {}, extends = 'A' }",
     "app.lua:1: node_type 'A': it extends itself"},
    {"node_type 'A' { fields = {} }\nnode_type 'A' { fields = {} }",
     "app.lua:2: node_type 'A': there is a node_type 'A' already"},
    {"shape 'S' { fields = {} }",
     "app.lua:1: shape 'S': 'target' or 'target_subjects_of' is needed: no "
     "capability uses it by its name"},
    {"\nshape 'S' { target = 'A', fields = {} }",
     "app.lua:2: shape 'S': there is no node_type 'A'"},
    {"\ncapability 'c' { description = 'd', input = { a = ref 'Other' },\n"
     "run = print }",
     "app.lua:2: capability 'c': field 'a': there is no node_type 'Other'"},
    {"\ncapability 'c' { description = 'd', output = { a = ref 'Other' },\n"
     "run = print }",
     "app.lua:2: capability 'c': field 'a': there is no node_type 'Other'"},
    {"\ncapability 'c' { description = 'd', input = 'Tsk', run = print }\n"
     "node_type 'Task' { fields = {} }",
     "app.lua:2: capability 'c': input: there is no node_type or shape 'Tsk', "
     "did you mean 'Task'?"},
    {"\n\ncapability 'c' { description = 'd', output = '', run = print }",
     "app.lua:3: capability 'c': output: there is no node_type or shape ''"},
    {"capability 'c' { description = 'd', input = 'A', input_schema = '{}',\n"
     "run = print }",
     "app.lua:1: capability 'c': it has 'input' or 'input_schema', not both"},
    {"capability 'c' { description = 'd', input = 'S', run = print }\n"
     "shape 'S' { fields = { a = ref 'Other' } }",
     "app.lua:2: shape 'S': field 'a': there is no node_type 'Other'"},
    {"\nnode_type 'A' { fields = {}, tools = { 'find', 'make' } }",
     "app.lua:2: node_type 'A': 'tools' are create, update, delete and find, "
     "not make"},
    {"node_type 'A' { fields = {}, tools = { 1 } }",
     "app.lua:1: node_type 'A': 'tools' has names of tools"},
    {"\nnode_type 'A' { fields = {}, private = true, tools = { 'find' } }",
     "app.lua:2: node_type 'A': it is private, so it cannot have tools"},
    {"node_type 'A' { fields = {}, private = true }\n"
     "node_type 'B' { fields = {}, extends = 'A', tools = { 'find' } }",
     "app.lua:2: node_type 'B': it is private, so it cannot have tools"},
    {"node_type 'A' { fields = {}, private = 'yes' }", NULL},
    {"node_type 'A' { fields = { a = text { scope = 'owner' } } }",
     "app.lua:1: node_type 'A': field 'a': 'scope' is runtime, builder or dev, "
     "not owner"},
    {"node_type 'A' { fields = { a = text { optional = true } } }\n"
     "node_type 'B' { extends = 'A',\n"
     "  fields = { a = text { optional = true, scope = 'dev' } } }",
     "app.lua:2: node_type 'B': field 'a': it is for everybody in 'A', and "
     "must be so here"},
    {"node_type 'A' { fields = { a = text { scope = 'builder' } } }\n"
     "node_type 'B' { extends = 'A', fields = { a = text { scope = 'dev' } } }",
     "app.lua:2: node_type 'B': field 'a': it is for builder in 'A', and must "
     "be so here"},
    {"node_type 'A' { fields = { a = text { iri = 'http://e/a' } } }\n"
     "node_type 'B' { fields = { b = text { iri = 'http://e/a',\n"
     "  scope = 'builder' } } }",
     "app.lua:2: node_type 'B': field 'b': another type has <http://e/a> with "
     "another scope"},
    {"\nnode_type 'A' { ids = 'content', ids_from = 'a',\n"
     "  fields = { a = text { scope = 'builder' } } }",
     "app.lua:2: node_type 'A': ids_from names 'a', which has a scope: its "
     "values could be guessed from ids"},
    {"\ncapability 'c' { description = 'd', run = print,\n"
     "  input = { a = text { scope = 'builder' } } }",
     NULL},
    {"shape 'S' { target = 'http://e/C', fields = {\n"
     "  a = text { iri = 'http://e/a', scope = 'builder' } } }",
     "app.lua:1: shape 'S': field 'a': 'scope' is for the fields of a "
     "node_type"},
    {"\ncapability 'c' { description = 'd', input = 'A', run = print }\n"
     "node_type 'A' { fields = {}, private = true }",
     "app.lua:2: capability 'c': input: node_type 'A' is private: write out "
     "the fields that callers may see"},
    {"\n\ncapability 'c' { description = 'd', output = 'A', run = print }\n"
     "node_type 'A' { fields = {}, private = true }",
     "app.lua:3: capability 'c': output: node_type 'A' is private: write out "
     "the fields that callers may see"},
    {"prefixes 'a'",
     "app.lua:1: prefixes: write prefixes { name = 'http://...' }"},
    {"prefixes { a = 1 }", "app.lua:1: prefixes: names and IRIs are strings"},
    {"prefixes { rdf = 'http://a/' }",
     "app.lua:1: prefix 'rdf': it stands for "
     "<http://www.w3.org/1999/02/22-rdf-syntax-ns#> already"},
    {"shape_file {}", "app.lua:1: write shape_file 'shapes/name.ttl'"},
    {"shape_file 'a.ttl'",
     "app.lua:1: shape_file 'a.ttl': there is no such file"},
};

TEST(lua_broken_declaration_says_where_and_why)
{
    for (size_t i = 0; i < TR_LEN(broken); i++) {
        struct lua_app app;
        struct tr_err err = {0};
        tr_status st = lua_app_try(&app, broken[i].source, NULL, &err);
        CHECK_ROW(st == TR_E_INVALID, broken[i].source);
        if (broken[i].message)
            CHECK_STR(tr_str_from(err.msg), broken[i].message);
        CHECK_ROW(strncmp(err.msg, "app.lua:", 8) == 0, err.msg);
    }
}

/* What is named may come later, and a type is what its tables say. */
TEST(lua_capability_names_its_shapes)
{
    static const char source[] =
        "capability 'c' { description = 'd', input = 'A', output = 'B',\n"
        "  run = function(ctx, args) return { id = args.id, n = 1 } end }\n"
        "capability 'd' { description = 'd', input = 'S',\n"
        "  run = function(ctx, args) return args end }\n"
        "node_type 'A' { fields = { id_of = text } }\n"
        "node_type 'B' { fields = { n = integer { default = 2 } } }\n"
        "shape 'S' { fields = { x = text, y = integer { default = 3 } } }\n";
    struct lua_app app;
    lua_app_open(&app, source);
    lua_check(&app, "c", "{\"id_of\":\"x\"}",
              "internal: app.lua:1: the output does not fit: id is required");
    lua_check(&app, "d", "{\"x\":\"a\"}", "{\"x\":\"a\",\"y\":3}");
    lua_check(
        &app, "d", "{\"x\":\"a\",\"other\":1}",
        "validation: validation failed on 1 field(s) {\"fields\":[{"
        "\"field\":\"other\",\"code\":\"unknown_field\",\"message\":\"other is "
        "not a field\",\"value\":1,\"constraint\":null}]}");
    lua_app_close(&app);
}

TEST(lua_handler_cannot_declare)
{
    static const char *const sources[] = {
        "node_type 'A' { fields = {} }",
        "shape 'A' { target = 'A', fields = {} }",
        "prefixes { a = 'http://a/' }",
        "shape_file 'a.ttl'",
    };
    for (size_t i = 0; i < TR_LEN(sources); i++) {
        struct lua_app app;
        struct lua_call c;
        char source[256];
        (void)snprintf(source, sizeof(source),
                       "capability 'a' { description = 'd', run = function() "
                       "%s end }",
                       sources[i]);
        lua_app_open(&app, source);
        lua_call_init(&c, &app, "a", "{}");
        lua_call_start(&c);
        CHECK(c.outcome.status != TR_OK);
        CHECK_ROW(strstr(lua_call_text(&c), "while the app loads") != NULL,
                  sources[i]);
        lua_call_done(&c);
        lua_app_close(&app);
    }
}

TEST(lua_elicit_asks_for_no_ref)
{
    struct lua_app app;
    lua_app_open(&app,
                 "capability 'a' { description = 'd', run = function(ctx) "
                 "ctx:elicit { message = 'm', fields = { who = ref() } } "
                 "end }");
    lua_check(&app, "a", "{}",
              "internal: app.lua:1: elicit: field 'who': nobody can be asked "
              "for a ref; ask for a text");
    lua_app_close(&app);
}

/* The next example of a manual, which ends there from then on. */
static char *next_example(char **rest)
{
    static const char start[] = "\n```lua\n";
    char *source = strstr(*rest, start);
    char *end = source ? strstr(source + strlen(start), "\n```") : NULL;
    if (!end)
        return NULL;
    *end = '\0';
    *rest = end + 1;
    return source + strlen(start);
}

/* One that names its file in a comment is that file: "-- lib/money.lua". */
static bool is_module(const struct folder *folder, const char *source)
{
    char path[64];
    if (sscanf(source, "-- %63s", path) != 1 || strncmp(path, "lib/", 4) != 0)
        return false;
    folder_write(folder, path, source);
    return true;
}

/* The examples of a page are apps, and modules of apps. */
static void check_examples(const char *page, size_t wanted, size_t wanted_types)
{
    static char manual[TR_KIB(64)];
    struct folder folder;
    tr_str file = tr_test_read_file(page);
    char *rest = manual;
    size_t count = 0;
    size_t types = 0;
    CHECK(file.len > 0 && file.len < sizeof(manual));
    memcpy(manual, file.ptr, file.len);
    free((void *)(uintptr_t)file.ptr);
    folder_open(&folder);
    CHECK(mkdir(folder_path(&folder, "lib"), 0700) == 0);
    for (char *source; (source = next_example(&rest)); count++) {
        struct lua_app app;
        struct tr_err err = {0};
        if (is_module(&folder, source))
            continue;
        CHECK_OK(lua_app_try_in(&app, source, folder.path, &err), &err);
        types += tr_cap_snapshot_model(app.snapshot)->count;
        lua_app_close(&app);
    }
    folder_close(&folder);
    CHECK_INT(count, wanted);
    CHECK_INT(types, wanted_types);
}

TEST(lua_examples_of_the_manual_load)
{
    check_examples("docs/authoring.md", 10, 8);
    check_examples("docs/guards.md", 3, 5);
    check_examples("docs/calls.md", 1, 0);
    check_examples("docs/fields.md", 1, 1);
}

static const char shapes[] = "@prefix sh: <http://www.w3.org/ns/shacl#> .\n"
                             "<#S> sh:targetClass <C> ; sh:maxLength 1 .\n";

TEST(lua_shape_file_is_read_from_the_folder)
{
    struct folder folder;
    struct lua_app app;
    struct tr_err err = {0};
    size_t at;
    folder_open(&folder);
    folder_write(&folder, "x.ttl", shapes);
    CHECK_OK(lua_app_try_in(&app, "shape_file 'x.ttl'", folder.path, &err),
             &err);
    CHECK(tr_shacl_shapes_find(tr_cap_snapshot_model(app.snapshot)->shapes,
                               TR_STR("trails://demo/x.ttl#S"), &at));
    lua_app_close(&app);
    folder_close(&folder);
}

static const struct {
    const char *path;
    const char *message;
} bad_files[] = {
    {"broken.ttl", "at line 2, column"},
    {"absent.ttl", "absent.ttl: No such file"},
    {"/etc/hostname", "is not a path below the folder"},
    {"../hosts", NULL},
    {"link.ttl", "link.ttl is not below the folder"},
    {"x.ttl\\0y", "there is no such file"},
    {"", NULL},
    {"ill.ttl", "trails://demo/ill.ttl#S"},
};

TEST(lua_shape_file_stays_in_the_folder)
{
    struct folder folder;
    folder_open(&folder);
    folder_write(&folder, "broken.ttl", "<a:a> <a:b> <a:c> .\n<");
    folder_write(&folder, "ill.ttl",
                 "@prefix sh: <http://www.w3.org/ns/shacl#> .\n"
                 "<#S> sh:targetClass <C> ; sh:maxLength \"x\" .\n");
    folder_write(&folder, "x.ttl", shapes);
    CHECK(symlink("/etc/passwd", folder_path(&folder, "link.ttl")) == 0);
    for (size_t i = 0; i < TR_LEN(bad_files); i++) {
        struct lua_app app;
        struct tr_err err = {0};
        char source[256];
        (void)snprintf(source, sizeof(source), "shape_file '%s'",
                       bad_files[i].path);
        tr_status st = lua_app_try_in(&app, source, folder.path, &err);
        CHECK_ROW(st == TR_E_INVALID, bad_files[i].path);
        if (bad_files[i].message)
            CHECK_ROW(strstr(err.msg, bad_files[i].message) != NULL, err.msg);
        CHECK_ROW(strncmp(err.msg, "app.lua:", 8) == 0, err.msg);
    }
    folder_close(&folder);
}

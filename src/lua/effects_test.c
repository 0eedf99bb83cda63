/*
 * What handlers write against what their capabilities declare: undeclared
 * graphs, removals, nested calls; and which errors authors see.
 */
#include "base/test.h"
#include "support/lua_world.h"

/* cap_with(id, options, run): a capability with more than `cap` has. */
static const char more[] =
    "local function with(id, o, run)\n"
    "  o.description = 'd' o.run = run\n"
    "  o.input_schema = '{\"type\":\"object\"}'\n"
    "  capability(id)(o)\n"
    "end\n"
    "local function writes(...)\n"
    "  return { side_effects = { graph_writes = { ... } } }\n"
    "end\n"
    "local function adds(...)\n"
    "  return { side_effects = { graph_writes = { ... } },\n"
    "    annotations = { destructive = false } }\n"
    "end\n"
    "with('seed', writes '*', function(ctx)\n"
    "  ctx.kg:create('Person', { name = 'Ada', email = 'a@b' },\n"
    "    { id = 'ex:ada' })\n"
    "  ctx.kg:add('ex:s', 'ex:p', 'old')\n"
    "  ctx.kg:add('ex:s', 'ex:p', 'old', 'ex:log')\n"
    "end)\n"
    "with('state', { side_effects = {} }, function(ctx)\n"
    "  local out = {}\n"
    "  for _, q in ipairs(ctx.kg:quads { subject = 'ex:s' }) do\n"
    "    out[#out + 1] = q.object .. '@' .. (q.graph or 'default')\n"
    "  end\n"
    "  local ada = ctx.kg:get('ex:ada')\n"
    "  out[#out + 1] = ada and ada.name or 'nobody'\n"
    "  table.sort(out)\n"
    "  return table.concat(out, ' ')\n"
    "end)\n"
    "with('child', writes '*', function(ctx)\n"
    "  ctx.kg:add('ex:s', 'ex:p', 'new', 'ex:log')\n"
    "  return 'child'\n"
    "end)\n"
    "with('adding_child', adds '*', function(ctx)\n"
    "  ctx.kg:remove('ex:s', 'ex:p', 'old')\n"
    "end)\n"
    "with('reading_child', { side_effects = {} }, function(ctx)\n"
    "  ctx.kg:add('ex:s', 'ex:p', 'new')\n"
    "end)\n";

#define TEXT(text)   "[{\"type\":\"text\",\"text\":\"" text "\"}]"
#define LOG          "http://ex.org/log"
#define AS_IT_WAS    "Ada old@default old@" LOG
#define ADD(o, rest) "ctx.kg:add('ex:s', 'ex:p', '" o "'" rest ") "
#define REMOVE(o)    "ctx.kg:remove('ex:s', 'ex:p', '" o "') "
#define CAUGHT(id)   "pcall(ctx.invoke, ctx, '" id "') "

static const struct row {
    const char *options;
    const char *body;
    const char *refusal; /* a part of it, or NULL: it lands */
    const char *after;   /* NULL: nothing has changed */
} rows[] = {
    /* Graphs. */
    {"writes 'default'", ADD("new", ""), NULL,
     "Ada new@default old@default old@" LOG},
    {"writes 'default'", ADD("new", ", 'ex:log'"),
     "'t' cannot change the graph " LOG ", which its graph_writes do not have",
     NULL},
    {"writes 'ex:log'", ADD("new", ", 'ex:log'"), NULL,
     "Ada new@" LOG " old@default old@" LOG},
    {"writes 'ex:l*'", ADD("new", ", 'ex:log'"), NULL,
     "Ada new@" LOG " old@default old@" LOG},
    {"writes 'http://ex.org/log'", ADD("new", ""),
     "'t' cannot change the graph \"default\"", NULL},
    {"writes 'ex:log'", "ctx.kg:create('Task', task(1))",
     "cannot change the graph \"default\"", NULL},
    {"{ side_effects = {} }", ADD("new", ""), "side_effects have no graph",
     NULL},
    {"{ side_effects = { regulated = true } }", ADD("new", ""),
     "have no graph_writes", NULL},
    {"{ annotations = { read_only = true } }", ADD("new", ""),
     "have no graph_writes", NULL},
    /* Nobody gets around it. */
    {"writes 'default'",
     ADD("new", "") "pcall(ctx.kg.add, ctx.kg, 'ex:s', 'ex:p', 'new', "
                    "'ex:log')",
     "cannot change the graph " LOG, NULL},
    {"writes 'default'",
     "pcall(ctx.kg.transaction, ctx.kg, function() " ADD("new",
                                                         ", 'ex:log'") "end)",
     "cannot change the graph " LOG, NULL},
    {"{ side_effects = {} }", "pcall(ctx.kg.delete, ctx.kg, 'ex:nobody')",
     "have no graph_writes", NULL},
    /* What is cleared is in whatever graph it is in. */
    {"writes 'default'", "ctx.kg:delete 'ex:s'", "cannot change the graph " LOG,
     NULL},
    {"writes('default', 'ex:log')", "ctx.kg:delete 'ex:s'", NULL, "Ada"},
    {"writes '*'", "ctx.kg:delete 'ex:s'", NULL, "Ada"},
    /* Removals, by what they come to. */
    {"adds 'default'", REMOVE("old"), "'t' cannot remove or replace", NULL},
    {"adds 'default'", REMOVE("never"), NULL, NULL},
    {"adds 'default'", ADD("new", "") REMOVE("new"), NULL, NULL},
    {"adds 'default'", REMOVE("old") ADD("old", ""), NULL, NULL},
    {"adds 'default'", "ctx.kg:update('ex:ada', { name = 'Bea' })",
     "cannot remove or replace", NULL},
    {"adds 'default'",
     "ctx.kg:update('ex:ada', { name = 'Ada', email = 'a@b' })", NULL, NULL},
    {"adds 'default'",
     "ctx.kg:upsert('Person', { name = 'Bea', email = "
     "'a@b' })",
     "cannot remove or replace", NULL},
    {"adds '*'", "ctx.kg:delete 'ex:ada'", "cannot remove or replace", NULL},
    {"adds '*'",
     "ctx.kg:create('Person', { name = 'B', email = 'b@b' }, { id = 'ex:b' }) "
     "ctx.kg:update('ex:b', { name = 'C' }) ctx.kg:delete 'ex:b'",
     NULL, NULL},
    {"adds '*'", "pcall(ctx.kg.remove, ctx.kg, 'ex:s', 'ex:p', 'old')",
     "cannot remove or replace", NULL},
    {"writes 'default'", "ctx.kg:update('ex:ada', { name = 'Bea' })", NULL,
     "Bea old@default old@" LOG},
    /* What is invoked writes under both. */
    {"writes '*'", "ctx:invoke 'child'", NULL,
     "Ada new@" LOG " old@default old@" LOG},
    {"writes 'default'", "ctx:invoke 'child'", "'t' cannot change the graph",
     NULL},
    {"writes 'default'", ADD("mine", "") CAUGHT("child"),
     "'t' cannot change the graph", NULL},
    {"{ side_effects = {} }", CAUGHT("child"), "have no graph_writes", NULL},
    {"writes '*'", "ctx:invoke 'reading_child'",
     "'reading_child' cannot change", NULL},
    {"writes '*'", ADD("mine", "") CAUGHT("reading_child"), NULL,
     "Ada mine@default old@default old@" LOG}, /* it alone was at fault */
    {"writes '*'", "ctx:invoke 'adding_child'",
     "'adding_child' cannot remove or replace", NULL},
    {"writes '*'", REMOVE("old") "ctx:invoke 'adding_child'", NULL,
     "Ada old@" LOG}, /* it removed nothing */
    {"writes '*'", "ctx:invoke 'adding_child' " ADD("old", ""), NULL, NULL},
    {"writes '*'", "ctx:invoke 'adding_child' " ADD("old", "") REMOVE("old"),
     NULL, "Ada old@" LOG}, /* who did it last answers for it */
    {"{ side_effects = {} }", "ctx:invoke 'state'", NULL, NULL},
};

static void check_row(const struct row *row, bool in_production)
{
    static char source[TR_KIB(8)];
    struct lua_world w;
    (void)snprintf(source, sizeof(source),
                   "%swith('t', %s, function(ctx)\n%s\nend)\n", more,
                   row->options, row->body);
    if (in_production)
        lua_world_open_in_production(&w, source);
    else
        lua_world_open(&w, source);
    lua_world_check(&w, "seed", "[]");
    if (row->refusal)
        lua_world_check_fails(&w, "t", TR_E_INTERNAL, row->refusal);
    else
        lua_world_check(&w, "t", "[]");
    char expected[256];
    (void)snprintf(expected, sizeof(expected), TEXT("%s"),
                   row->after ? row->after : AS_IT_WAS);
    lua_world_check(&w, "state", expected);
    lua_world_check(&w, "count", "{\"n\":0}");
    lua_world_close(&w);
}

TEST(effects_are_those_that_are_declared)
{
    for (size_t i = 0; i < TR_LEN(rows); i++)
        check_row(&rows[i], i % 2);
}

TEST(effects_of_who_says_nothing_are_free_in_development_alone)
{
    static const struct row here[] = {
        {"{}", ADD("new", ", 'ex:log'"), NULL,
         "Ada new@" LOG " old@default old@" LOG},
        {"{}", REMOVE("old"), NULL, "Ada old@" LOG},
        {"{ annotations = { destructive = false } }", REMOVE("old"),
         "cannot remove or replace", NULL},
        {"writes 'default'", "ctx:invoke 'child'",
         "'t' cannot change the graph " LOG, NULL},
    };
    static const struct row elsewhere[] = {
        {"{}", ADD("new", ""),
         "'t' says nothing of side_effects, so outside development it cannot "
         "change the graph",
         NULL},
        {"{}", "pcall(ctx.kg.add, ctx.kg, 'ex:s', 'ex:p', 'new')",
         "says nothing of side_effects", NULL},
        {"{}", CAUGHT("child"), "'t' says nothing of side_effects", NULL},
        {"{}", "ctx.kg:get 'ex:ada'", NULL, NULL},
    };
    for (size_t i = 0; i < TR_LEN(here); i++)
        check_row(&here[i], false);
    for (size_t i = 0; i < TR_LEN(elsewhere); i++)
        check_row(&elsewhere[i], true);
}

/* The author hears where it is. */
TEST(effects_are_refused_with_the_line_of_the_handler)
{
    struct lua_world w;
    lua_world_open_bare(&w,
                        "node_type 'T' { fields = { a = text } }\n"
                        "capability 't' { description = 'd',\n"
                        "  side_effects = {},\n"
                        "  run = function(ctx)\n"
                        "    ctx.kg:create('T', { a = 'x' })\n"
                        "  end }",
                        NULL);
    lua_world_check(&w, "t",
                    "internal: app.lua:5: 't' cannot change the graph: its "
                    "side_effects have no graph_writes");
    lua_world_close(&w);
}

/* Tools that an app gets for its types are judged as any other. */
TEST(effects_of_ready_made_tools_are_declared_too)
{
    struct lua_world w;
    lua_world_open_in_production(
        &w, "node_type 'Box' { ids = 'preserve', fields = { a = text },\n"
            "  tools = { 'create', 'update', 'delete', 'find' } }\n"
            "local function by(id, options, tool, args)\n"
            "  options.description = 'd'\n"
            "  options.run = function(ctx) ctx:invoke(tool, args) end\n"
            "  capability(id)(options)\n"
            "end\n"
            "local w = { graph_writes = { 'default' } }\n"
            "local new = { id = 'ex:b', a = 'x' }\n"
            "local old = { id = 'ex:b', a = 'y' }\n"
            "local id = { id = 'ex:b' }\n"
            "by('none', { side_effects = {} }, 'create_box', new)\n"
            "by('silent', {}, 'create_box', new)\n"
            "by('make', { side_effects = w,\n"
            "  annotations = { destructive = false } }, 'create_box', new)\n"
            "by('kept', { side_effects = w,\n"
            "  annotations = { destructive = false } }, 'update_box', old)\n"
            "by('gone', { side_effects = w,\n"
            "  annotations = { destructive = false } }, 'delete_box', id)\n"
            "by('look', { side_effects = {} }, 'find_box', {})\n"
            "by('change', { side_effects = w }, 'update_box', old)\n");
    lua_world_check_fails(&w, "none", TR_E_INTERNAL, "'none' cannot change");
    lua_world_check_fails(&w, "silent", TR_E_INTERNAL, "'silent' says nothing");
    lua_world_check(&w, "make", "[]");
    lua_world_check(&w, "look", "[]");
    lua_world_check_fails(&w, "kept", TR_E_INTERNAL, "'kept' cannot remove");
    lua_world_check_fails(&w, "gone", TR_E_INTERNAL, "'gone' cannot remove");
    lua_world_check(&w, "change", "[]");
    lua_world_close(&w);
}

/* {field, code, message, value, constraint}, whatever a handler has thrown. */
TEST(validation_that_a_handler_throws_has_the_form_of_all_others)
{
    static const struct {
        const char *thrown;
        const char *expected;
    } throws[] = {
        {"code = 'validation', message = 'too much'",
         "1 field(s) {\"fields\":[{\"field\":\"\",\"code\":\"invalid\","
         "\"message\":\"too much\",\"value\":null,\"constraint\":null}]}"},
        {"code = 'validation'",
         "1 field(s) {\"fields\":[{\"field\":\"\",\"code\":\"invalid\","
         "\"message\":\"the input is not valid\",\"value\":null,"
         "\"constraint\":null}]}"},
        {"code = 'validation', message = 'm', data = { fields = 'nope' }",
         "1 field(s) {\"fields\":[{\"field\":\"\",\"code\":\"invalid\","
         "\"message\":\"m\",\"value\":null,\"constraint\":null}]}"},
        {"code = 'validation', message = 'm', data = 'nope'",
         "1 field(s) {\"fields\":[{\"field\":\"\",\"code\":\"invalid\","
         "\"message\":\"m\",\"value\":null,\"constraint\":null}]}"},
        {"code = 'validation', message = 'm', data = { fields = { {} } }",
         "1 field(s) {\"fields\":[{\"field\":\"\",\"code\":\"invalid\","
         "\"message\":\"m\",\"value\":null,\"constraint\":null}]}"},
        {"code = 'validation', data = { fields = { 1, { field = 2 },\n"
         "  { field = 'a' }, { field = 'b', code = 'max', message = 'm',\n"
         "    value = 7, constraint = 5, secret = 'x' },\n"
         "  { field = 'a', message = 'again' } } }",
         "2 field(s) {\"fields\":[{\"field\":\"a\",\"code\":\"invalid\","
         "\"message\":\"a is not valid\",\"value\":null,\"constraint\":null},"
         "{\"field\":\"b\",\"code\":\"max\",\"message\":\"m\",\"value\":7,"
         "\"constraint\":5},{\"field\":\"a\",\"code\":\"invalid\","
         "\"message\":\"again\",\"value\":null,\"constraint\":null}]}"},
    };
    for (size_t i = 0; i < TR_LEN(throws); i++) {
        char source[1024];
        char expected[512];
        struct lua_world w;
        (void)snprintf(source, sizeof(source),
                       "cap('t', function() error { %s } end)",
                       throws[i].thrown);
        (void)snprintf(expected, sizeof(expected),
                       "validation: validation failed on %s",
                       throws[i].expected);
        lua_world_open(&w, source);
        lua_world_check(&w, "t", expected);
        lua_world_close(&w);
    }
}

/* Another kind than those that are enforced is told, and lets pass. */
TEST(preconditions_of_another_kind_are_not_enforced)
{
    struct lua_world w;
    lua_world_open(&w,
                   "capability 't' { description = 'd', side_effects = {},\n"
                   "  preconditions = { 'moon', { kind = 'approval',\n"
                   "    params = { by = 'boss' } } },\n"
                   "  postconditions = { { kind = 'state', field = 'x' } },\n"
                   "  run = function() return 'ran' end }");
    lua_world_check(&w, "t", TEXT("ran"));
    lua_world_close(&w);
}

/*
 * Preconditions as authors write them: what is refused when an app loads, and
 * when they let a call through.
 */
#include "access/authority.h"
#include "base/test.h"
#include "cap/cap.h"
#include "support/lua_world.h"

#define TYPES                                                                  \
    "node_type 'Task' { fields = { title = text, tags = text { many = true }," \
    " n = integer, state = text { one_of = { 'open', 'done' } } } }\n"
#define CAP(conditions)                                                        \
    TYPES "capability 'a' { description = 'd', run = print,\n"                 \
          "  input = { task = ref 'Task', size = integer },\n"                 \
          "  preconditions = { " conditions " } }"

static const struct {
    const char *source;
    const char *says;
} refused[] = {
    {CAP("'moon:full'"),
     "app.lua:2: capability 'a': the kind of a precondition is 1 to 64 of the "
     "characters A-Z a-z 0-9 _ . -"},
    {CAP("{ type = 'Task' }"),
     "app.lua:2: capability 'a': the kind of a precondition is 1 to 64 of the "
     "characters A-Z a-z 0-9 _ . -"},
    {CAP("'exists'"), "app.lua:2: capability 'a': a precondition of the kind "
                      "'exists' needs 'type'"},
    {CAP("{ kind = 'exists', type = 'Task' }"),
     "app.lua:2: capability 'a': a precondition of the kind 'exists' needs "
     "'arg'"},
    {CAP("{ kind = 'exists', type = 'Task', arg = 'task', scope = 'dev' }"),
     "app.lua:2: capability 'a': a precondition of the kind 'exists' has no "
     "'scope'"},
    {CAP("{ kind = 'exists', type = 'Task', arg = 'tasks' }"),
     "app.lua:2: capability 'a': a precondition is about the argument 'tasks', "
     "which the input has not"},
    {CAP("{ kind = 'exists', type = 'Task', arg = 'size' }"),
     "app.lua:2: capability 'a': a precondition is about the argument 'size', "
     "which is neither text nor a ref"},
    {CAP("{ kind = 'exists', type = 'Tsak', arg = 'task' }"),
     "app.lua:2: a: a precondition is about the type 'Tsak', but there is "
     "none; did you "
     "mean 'Task'?"},
    {CAP("{ kind = 'exists', type = 'Moon', arg = 'task' }"),
     "app.lua:2: a: a precondition is about the type 'Moon', but there is "
     "none"},
    {TYPES "capability 'a' { description = 'd', run = print, input = 'Task',\n"
           "  preconditions = { { kind = 'exists', type = 'Task',"
           " arg = 'task' } } }",
     "app.lua:2: a: a precondition is about the argument 'task', which the "
     "input has "
     "not"},
    {CAP("'scope:admin'"), "app.lua:2: capability 'a': a scope is runtime, "
                           "builder or dev, not 'admin'"},
    {CAP("{ kind = 'scope' }"),
     "app.lua:2: capability 'a': a precondition of the kind 'scope' needs "
     "'scope'"},
    {CAP("{ kind = 'state', type = 'Task', arg = 'task', field = 'x',"
         " one_of = { 1 } }"),
     "app.lua:2: a: a precondition is about the field 'x', which Task has not"},
    {CAP("{ kind = 'state', type = 'Task', arg = 'task', field = 'tags',"
         " one_of = { 'a' } }"),
     "app.lua:2: a: a precondition is about the field 'tags', which may have "
     "many "
     "values"},
    {CAP("{ kind = 'state', type = 'Task', arg = 'task', field = 'state',"
         " one_of = { 'open', 'shut' } }"),
     "app.lua:2: a: value 2 of a precondition's 'one_of': state must be one of "
     "['open','done']"},
    {CAP("{ kind = 'state', type = 'Task', arg = 'task', field = 'n',"
         " one_of = { 'one' } }"),
     "app.lua:2: a: value 1 of a precondition's 'one_of': n must be an "
     "integer"},
    {CAP("{ kind = 'state', type = 'Task', arg = 'task', field = 'n',"
         " one_of = {} }"),
     "app.lua:2: capability 'a': a precondition of the kind 'state' needs "
     "'one_of'"},
    {CAP("{ kind = 'state', type = 'Task', arg = 'task', field = 'n',"
         " one_off = { 1 } }"),
     "app.lua:2: capability 'a': unknown option 'one_off', did you mean "
     "'one_of'?"},
    {CAP("1"), "app.lua:2: capability 'a': preconditions has a text such as "
               "\"scope:dev\", or {kind=, ...}"},
    {"capability 'a' { description = 'd', run = print,\n"
     "  postconditions = { true } }",
     "app.lua:1: capability 'a': postconditions has a text such as "
     "\"scope:dev\", or {kind=, ...}"},
    {"capability 'a' { description = 'd', run = print,\n"
     "  postconditions = { 'it is paid' } }",
     "app.lua:1: capability 'a': the kind of a postcondition is 1 to 64 of the "
     "characters A-Z a-z 0-9 _ . -"},
    {"capability 'a' { description = 'd', run = print,\n"
     "  postconditions = 'paid' }",
     "app.lua:1: capability 'a': postconditions: must be a table, not a "
     "string"},
};

TEST(preconditions_that_can_never_be_decided_refuse_the_app)
{
    for (size_t i = 0; i < TR_LEN(refused); i++) {
        struct lua_app app;
        struct tr_err err = {0};
        CHECK_ROW(lua_app_try(&app, refused[i].source, NULL, &err) != TR_OK,
                  refused[i].says);
        CHECK_STR(tr_str_from(err.msg), refused[i].says);
    }
}

/* Types may come after who speaks of them, and a schema names arguments too. */
TEST(preconditions_are_checked_when_everything_is_known)
{
    struct lua_app app;
    lua_app_open(&app, "capability 'a' { description = 'd', run = print,\n"
                       "  input_schema = '{\"type\":\"object\",\"properties\":"
                       "{\"task\":{\"type\":\"string\"}}}',\n"
                       "  preconditions = { { kind = 'exists', type = 'Task',\n"
                       "    arg = 'task' } } }\n" TYPES);
    lua_app_close(&app);
    lua_app_open(&app, "capability 'a' { description = 'd', run = print,\n"
                       "  input = 'Task', preconditions = { { kind = 'exists',"
                       " type = 'Task',\n arg = 'title' } } }\n" TYPES);
    lua_app_close(&app);
}

static const char app_text[] =
    "cap('make', function(ctx)\n"
    "  ctx.kg:create('Person', { name = 'Ada', email = 'a@b' },\n"
    "    { id = 'ex:ada' })\n"
    "  ctx.kg:create('Task', task(1), { id = 'trails://demo/Task/one' })\n"
    "  ctx.kg:create('Bug', task(2, { state = 'done' }),\n"
    "    { id = 'trails://demo/Bug/two' })\n"
    "end)\n"
    "local by_exists = { kind = 'exists', type = 'Task', arg = 'task' }\n"
    "local by_state = { kind = 'state', type = 'Task', arg = 'task',\n"
    "  field = 'state', one_of = { 'open' } }\n"
    "local input = { task = text { optional = true } }\n"
    "local run = function(ctx) return 'ran' end\n"
    "capability 'exists' { description = 'd', input = input, run = run,\n"
    "  preconditions = { by_exists } }\n"
    "capability 'many' { description = 'd', run = run,\n"
    "  input = { task = text { many = true } },\n"
    "  preconditions = { by_exists } }\n"
    "capability 'any' { description = 'd', run = run,\n"
    "  input_schema = { type = 'object', properties = { task = {} } },\n"
    "  preconditions = { by_exists } }\n"
    "capability 'close' { description = 'd', input = input,\n"
    "  preconditions = { by_exists, by_state }, run = function(ctx, args)\n"
    "    ctx:sleep(1)\n"
    "    ctx.kg:update('trails://demo/Task/one', { state = 'done' })\n"
    "    return 'ran' end }\n"
    "capability 'scoped' { description = 'd', run = run,\n"
    "  preconditions = { 'scope:builder' } }\n"
    "capability 'runtime' { description = 'd', run = run,\n"
    "  preconditions = { 'scope:runtime' } }\n"
    "cap('chain', function(ctx)\n"
    "  ctx.kg:update('trails://demo/Task/one', { title = 'Again' })\n"
    "  return ctx:invoke('close', { task = 'one' }) end)\n"
    "cap('reopen', function(ctx)\n"
    "  ctx.kg:update('trails://demo/Task/one', { state = 'open' }) end)\n";

#define RAN "[{\"type\":\"text\",\"text\":\"ran\"}]"
#define ABSENT(value)                                                          \
    "precondition: precondition not met: task is no Task that is there "       \
    "{\"precondition\":{\"kind\":\"exists\",\"arg\":\"task\",\"type\":"        \
    "\"Task\"},\"value\":" value "}"

static void check(struct lua_world *w, const char *name, const char *args,
                  const char *expected)
{
    struct lua_call c;
    lua_call_init(&c, &w->app, name, args);
    lua_call_start(&c);
    lua_call_wait(&c, 1000);
    CHECK_STR(tr_str_from(lua_call_text(&c)), expected);
    lua_call_done(&c);
}

static const struct {
    const char *name;
    const char *args;
    const char *expected;
} rows[] = {
    {"exists", "{\"task\":\"trails://demo/Task/one\"}", RAN},
    {"exists", "{\"task\":\"one\"}", RAN},
    {"exists", "{\"task\":\"trails://demo/Bug/two\"}", RAN},
    {"exists", "{}", RAN},
    {"exists", "{\"task\":\"three\"}", ABSENT("\"three\"")},
    {"exists", "{\"task\":\"\"}", ABSENT("\"\"")},
    {"exists", "{\"task\":\"http://ex.org/ada\"}",
     ABSENT("\"http://ex.org/ada\"")},
    {"many", "{\"task\":[\"one\",\"trails://demo/Bug/two\"]}", RAN},
    {"many", "{\"task\":[\"one\",\"x\",\"y\"]}", ABSENT("\"x\"")},
    {"any", "{\"task\":\"one\"}", RAN},
    {"any", "{\"task\":null}", RAN},
    {"any", "{\"task\":7}", ABSENT("7")},
    {"runtime", "{}", RAN},
    {"scoped", "{}", RAN}, /* without an authority it is the owner */
    {"close", "{\"task\":\"trails://demo/Bug/two\"}",
     "precondition: precondition not met: state of task has none of the values "
     "that it must have {\"precondition\":{\"kind\":\"state\",\"arg\":\"task\","
     "\"field\":\"state\",\"one_of\":[\"open\"],\"type\":\"Task\"},\"value\":"
     "\"trails://demo/Bug/two\",\"found\":\"done\"}"},
};

TEST(preconditions_let_through_what_they_should)
{
    struct lua_world w;
    lua_world_open(&w, app_text);
    lua_world_check(&w, "make", "[]");
    for (size_t i = 0; i < TR_LEN(rows); i++)
        check(&w, rows[i].name, rows[i].args, rows[i].expected);
    lua_world_close(&w);
}

static const struct {
    struct tr_access_authority authority;
    bool in_production;
    const char *expected;
} callers[] = {
    {{.scopes = TR_SCOPE_RUNTIME},
     false,
     "unauthenticated: authentication required: scoped requires builder "
     "{\"tool\":\"scoped\",\"required_scope\":\"builder\"}"},
    {{.is_authenticated = true, .scopes = TR_SCOPE_RUNTIME | TR_SCOPE_DEV},
     false,
     "scope: scope denied: scoped requires builder {\"tool\":\"scoped\","
     "\"required_scope\":\"builder\",\"caller_scopes\":[\"dev\","
     "\"runtime\"]}"},
    {{.is_authenticated = true, .scopes = TR_SCOPE_RUNTIME | TR_SCOPE_BUILDER},
     true,
     RAN},
};

TEST(preconditions_ask_for_the_scopes_of_the_caller)
{
    struct lua_world w;
    lua_world_open(&w, app_text);
    for (size_t i = 0; i < TR_LEN(callers); i++) {
        struct lua_call c;
        lua_call_init(&c, &w.app, "scoped", "{}");
        c.call.authority = &callers[i].authority;
        c.call.in_production = callers[i].in_production;
        lua_call_start(&c);
        CHECK_STR(tr_str_from(lua_call_text(&c)), callers[i].expected);
        lua_call_done(&c);
    }
    lua_world_close(&w);
}

/* Both saw it open; the one that comes second must not close it again. They
 * sleep until the same millisecond, so that either may be the first to land. */
TEST(preconditions_hold_until_the_changes_have_landed)
{
    struct lua_world w;
    struct lua_call first;
    struct lua_call second;
    lua_world_open(&w, app_text);
    lua_world_check(&w, "make", "[]");
    lua_call_init(&first, &w.app, "close", "{\"task\":\"one\"}");
    lua_call_init(&second, &w.app, "close", "{\"task\":\"one\"}");
    lua_call_start(&first);
    lua_call_start(&second);
    lua_call_wait(&first, 1000);
    lua_call_wait(&second, 1000);
    bool is_in_order = first.outcome.status == TR_OK;
    struct lua_call *landed = is_in_order ? &first : &second;
    struct lua_call *late = is_in_order ? &second : &first;
    CHECK_STR(tr_str_from(lua_call_text(landed)), RAN);
    CHECK_INT(late->outcome.status, TR_E_CONFLICT);
    lua_call_done(&first);
    lua_call_done(&second);
    lua_world_close(&w);
}

/* Its own changes are no reason to refuse it. */
TEST(preconditions_see_what_the_call_has_changed)
{
    struct lua_world w;
    lua_world_open(&w, app_text);
    lua_world_check(&w, "make", "[]");
    lua_world_check(&w, "chain", RAN);
    lua_world_check_fails(&w, "chain", TR_E_PRECONDITION, "state of task");
    lua_world_check(&w, "reopen", "[]");
    lua_world_check(&w, "chain", RAN);
    lua_world_close(&w);
}

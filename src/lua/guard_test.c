/*
 * `scope` and `policy_required` of resources, prompts and types, and what is
 * said of one ready-made tool alone.
 */
#include "base/test.h"
#include "cap/snapshot.h"
#include "model/model.h"
#include "support/lua_door.h"

static const char app_source[] =
    "policy 'p' { run = function() return true end }\n"
    "resource 'a:r' { scope = 'builder', policy_required = 'p',\n"
    "  run = function() end }\n"
    "resource_template 'a:t/{v}' { scope = 'dev', run = function() end }\n"
    "prompt 'q' { policy_required = { 'p' }, run = function() end }\n"
    "node_type 'Doc' { scope = 'builder', policy_required = 'p',\n"
    "  tools = { 'find', create = { scope = 'dev' },\n"
    "    update = { policy_required = {} },\n"
    "    delete = { preconditions = { 'scope:dev',\n"
    "      { kind = 'exists', type = 'Doc', arg = 'id' } } } },\n"
    "  fields = { title = text } }\n"
    "node_type 'Memo' { extends = 'Doc', fields = {}, tools = 'find' }\n"
    "node_type 'Note' { fields = {}, tools = 'find' }\n";

static void check_guard(const struct tr_cap_guard *guard, enum tr_scope scope,
                        size_t policies, const char *type)
{
    CHECK_INT(guard->scope, scope);
    CHECK_INT(guard->policy_required.count, policies);
    CHECK((guard->type != NULL) == (type != NULL));
    if (type)
        CHECK_STR(guard->type->name, type);
}

static void check_tool(const struct tr_cap_snapshot *s, const char *id,
                       enum tr_scope scope, size_t policies, const char *type)
{
    const struct tr_cap *cap = tr_cap_snapshot_find_cap(s, tr_str_from(id));
    CHECK_ROW(cap != NULL, id);
    check_guard(&cap->guard, scope, policies, type);
}

TEST(lua_guards_are_those_that_were_written)
{
    struct lua_app app;
    lua_app_open(&app, app_source);
    const struct tr_cap_snapshot *s = app.snapshot;
    const struct tr_cap_guard *guard =
        tr_cap_snapshot_ref_guard(s, TR_CAP_REF_RESOURCE, TR_STR("a:t/{v}"));
    check_guard(&tr_cap_snapshot_find_resource(s, TR_STR("a:r"))->about.guard,
                TR_SCOPE_BUILDER, 1, NULL);
    check_guard(guard, TR_SCOPE_DEV, 0, NULL);
    guard = tr_cap_snapshot_ref_guard(s, TR_CAP_REF_PROMPT, TR_STR("q"));
    check_guard(guard, 0, 1, NULL);
    lua_app_close(&app);
}

TEST(lua_tools_have_the_guard_of_their_type_but_for_what_is_said_of_one)
{
    struct lua_app app;
    lua_app_open(&app, app_source);
    const struct tr_cap_snapshot *s = app.snapshot;
    check_tool(s, "find_doc", TR_SCOPE_BUILDER, 1, "Doc");
    check_tool(s, "find_memo", TR_SCOPE_BUILDER, 1, "Memo");
    check_tool(s, "create_doc", TR_SCOPE_DEV, 1, "Doc");
    check_tool(s, "update_doc", TR_SCOPE_BUILDER, 0, "Doc");
    check_tool(s, "delete_doc", TR_SCOPE_BUILDER, 1, "Doc");
    check_tool(s, "find_note", TR_SCOPE_RUNTIME, 0, "Note");
    const struct tr_cap *cap =
        tr_cap_snapshot_find_cap(s, TR_STR("delete_doc"));
    CHECK_INT(cap->precondition_count, 2);
    CHECK_INT(cap->conditions[1].kind, TR_CAP_NEEDS_NODE);
    CHECK_INT(cap->guard.needed, TR_SCOPE_BUILDER | TR_SCOPE_DEV);
    lua_app_close(&app);
}

#define TYPE "node_type 'A' { fields = {}, "

static const struct {
    const char *source;
    const char *message;
} refused[] = {
    {"\nresource 'a:r' { scope = 'root', run = print }",
     "app.lua:2: resource 'a:r': 'scope' is runtime, builder or dev, not "
     "root"},
    {"resource 'a:r' { policy_required = 'p', run = print }",
     "app.lua:1: a:r: it requires the policy 'p', but there is none"},
    {"\nresource_template 'a:r/{x}' { scope = 'root', run = print }",
     "app.lua:2: resource_template 'a:r/{x}': 'scope' is runtime, builder or "
     "dev, not root"},
    {"\nprompt 'q' { scope = 'root', run = print }",
     "app.lua:2: prompt 'q': 'scope' is runtime, builder or dev, not root"},
    {"\nprompt 'q' { policy_required = 'p', run = print }",
     "app.lua:2: q: it requires the policy 'p', but there is none"},
    {"completion { prompt = 'q', scope = 'dev', run = print }",
     "app.lua:1: completion 'q': unknown option 'scope'; there are 'prompt', "
     "'template', 'argument', 'run'"},
    {"\n" TYPE "scope = 'root' }",
     "app.lua:2: node_type 'A': 'scope' is runtime, builder or dev, not root"},
    {"\n" TYPE "policy_required = { 'p' } }",
     "app.lua:2: A: it requires the policy 'p', but there is none"},
    {"\n" TYPE "tools = { find = { policy_required = 'p' } } }",
     "app.lua:2: find_a: it requires the policy 'p', but there is none"},
    {TYPE "tools = { find = { scope = 'root' } } }",
     "app.lua:1: node_type 'A': tool 'find': 'scope' is runtime, builder or "
     "dev, not root"},
    {TYPE "tools = { find = { scop = 'dev' } } }",
     "app.lua:1: node_type 'A': tool 'find': unknown option 'scop', did you "
     "mean 'scope'?"},
    {TYPE "tools = { find = true } }",
     "app.lua:1: node_type 'A': tool 'find': must be a table, not a boolean"},
    {TYPE "tools = { make = {} } }",
     "app.lua:1: node_type 'A': 'tools' are create, update, delete and find, "
     "not make"},
    {TYPE "tools = { 'find', find = {} } }",
     "app.lua:1: node_type 'A': 'tools' names twice find"},
    {TYPE "tools = 1 }",
     "app.lua:1: node_type 'A': 'tools' must be a table, not a number"},
    {TYPE "tools = { update = { preconditions = { 'scope:root' } } } }",
     "app.lua:1: node_type 'A': tools: update: update_a: a scope is runtime, "
     "builder or dev, not 'root'"},
    {TYPE "}\nnode_type 'B' { extends = 'A', scope = 'builder', fields = {} }",
     "app.lua:2: node_type 'B': it extends 'A', and has the scope and the "
     "policies of that: give them to 'A', or make this type private"},
    {TYPE "scope = 'builder' }\n"
          "node_type 'B' { extends = 'A', scope = 'runtime', fields = {} }",
     "app.lua:2: node_type 'B': it extends 'A', and has the scope and the "
     "policies of that: give them to 'A', or make this type private"},
    {TYPE "policy_required = 'p' }\n"
          "node_type 'B' { extends = 'A', policy_required = 'o', fields = {} }",
     "app.lua:2: node_type 'B': it extends 'A', and has the scope and the "
     "policies of that: give them to 'A', or make this type private"},
};

TEST(lua_guards_that_make_no_sense_are_refused_where_they_stand)
{
    for (size_t i = 0; i < TR_LEN(refused); i++) {
        struct lua_app app;
        struct tr_err err = {0};
        CHECK_ROW(lua_app_try(&app, refused[i].source, NULL, &err) != TR_OK,
                  refused[i].source);
        CHECK_STR(tr_str_from(err.msg), refused[i].message);
    }
}

/* The same guard again says nothing new. */
TEST(lua_subtype_may_repeat_the_guard_that_it_has)
{
    struct lua_app app;
    lua_app_open(&app, "policy 'p' { run = print }\n" TYPE
                       "scope = 'dev', policy_required = 'p' }\n"
                       "node_type 'B' { extends = 'A', scope = 'dev',\n"
                       "  policy_required = { 'p' }, fields = {} }");
    check_guard(tr_cap_snapshot_shape_guard(app.snapshot, TR_STR("B")),
                TR_SCOPE_DEV, 1, "B");
    lua_app_close(&app);
}

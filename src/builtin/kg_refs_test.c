/*
 * Nodes as callers name them: the ends of ids, what is told of those that are
 * not there, and what null and `clear` mean; in every tool that a type has.
 */
#include "access/authority.h"
#include "base/limits.h"
#include "base/test.h"
#include "builtin/kg_tools.h"
#include "cap/cap.h"
#include "cap/snapshot.h"
#include "fields/field.h"
#include "support/lua_world.h"

static const char source[] =
    "node_type 'Project' { ids = 'preserve', label = 'name',\n"
    "  fields = { { 'name', text { search = true } },\n"
    "    { 'note', text { optional = true } } },\n"
    "  tools = { 'create', 'update', 'delete', 'find' } }\n"
    "node_type 'Product' { extends = 'Project', ids = 'preserve',\n"
    "  fields = {}, tools = { 'create' } }\n"
    "node_type 'Part' { label = 'title', fields = {\n"
    "  { 'title', text },\n"
    "  { 'of', ref 'Project' { description = 'Its whole' } },\n"
    "  { 'also', ref 'Project' { many = true, optional = true } },\n"
    "  { 'size', integer { optional = true } },\n"
    "  { 'ready', boolean { default = false } },\n"
    "  { 'due', datetime { optional = true } },\n"
    "  { 'share', number { optional = true } },\n"
    "  { 'tags', text { many = true, optional = true } } },\n"
    "  tools = { 'create', 'update', 'delete', 'find' } }\n"
    "node_type 'Plan' { ids = 'preserve', label = 'name',\n"
    "  scope = 'builder', fields = { name = text }, tools = { 'find' } }\n"
    "node_type 'Deal' { ids = 'preserve', policy_required = { 'never' },\n"
    "  fields = { name = text }, label = 'name' }\n"
    "policy 'never' { run = function() return false end }\n"
    "node_type 'Secret' { ids = 'preserve', private = true, label = 'name',\n"
    "  fields = { name = text } }\n"
    "node_type 'Own' { ids = 'preserve', tools = { 'create', 'update' },\n"
    "  fields = { { 'clear', text { optional = true } },\n"
    "    { 'x', text { optional = true } } } }\n"
    "node_type 'Sort' { ids = 'preserve', label = 'name',\n"
    "  fields = { name = text } }\n"
    "local all = { 'default' }\n"
    "capability 'echo' { input = { { 'p', ref 'Project' { optional = true } "
    "},\n"
    "    { 'plan', ref 'Plan' { optional = true } },\n"
    "    { 'sort', ref 'Sort' { optional = true } },\n"
    "    { 'deal', ref 'Deal' { optional = true } },\n"
    "    { 'secret', ref 'Secret' { optional = true } } },\n"
    "  run = function(ctx, args) return args end }\n"
    "capability 'guarded' { policy_required = { 'sees' },\n"
    "  input = { p = ref 'Project' { optional = true },\n"
    "    n = text { optional = true } },\n"
    "  run = function(ctx, args) return args end }\n"
    "policy 'sees' { run = function(ctx, call)\n"
    "  return call.arguments.p == 'trails://demo/Project/DOCK' and\n"
    "    call.arguments.n == nil end }\n"
    "capability 'seed' { side_effects = { graph_writes = all },\n"
    "  run = function(ctx)\n"
    "    local kg = ctx.kg\n"
    "    local function at(t, n)\n"
    "      return { id = 'trails://demo/' .. t .. '/' .. n } end\n"
    "    kg:create('Project', { name = 'Dock' }, at('Project', 'DOCK'))\n"
    "    kg:create('Product', { name = 'Hub' }, at('Product', 'HUB'))\n"
    "    kg:create('Plan', { name = 'Plan A' }, at('Plan', 'A'))\n"
    "    kg:create('Deal', { name = 'Deal A' }, at('Deal', 'A'))\n"
    "    kg:create('Secret', { name = 'Secret A' }, at('Secret', 'A'))\n"
    "  end }\n"
    "capability 'sorts' { side_effects = { graph_writes = all },\n"
    "  input = { from = integer, to = integer }, run = function(ctx, args)\n"
    "    for i = args.from, args.to do\n"
    "      ctx.kg:create('Sort', { name = 'Named ' .. i },\n"
    "        { id = 'trails://demo/Sort/S' .. i })\n"
    "    end\n"
    "  end }\n"
    "capability 'crowd' { side_effects = { graph_writes = all },\n"
    "  run = function(ctx)\n"
    "    for i = 1, 300 do\n"
    "      local id = 'trails://demo/Project/P-' .. i\n"
    "      ctx.kg:create('Project', { name = 'Number ' .. i }, { id = id })\n"
    "    end\n"
    "  end }\n";

#define DOCK "trails://demo/Project/DOCK"
#define HUB  "trails://demo/Product/HUB"

struct fixture {
    struct lua_world world;
    struct tr_access_authority authority;
    char said[8192];
};

static void set_up(struct fixture *f)
{
    *f = (struct fixture){.authority.scopes = TR_SCOPE_RUNTIME};
    lua_world_open_bare(&f->world, source, NULL);
    lua_world_check(&f->world, "seed", "[]");
}

static void tear_down(struct fixture *f)
{
    lua_world_close(&f->world);
}

/* What a caller with the fixture's scopes hears. */
static const char *say(struct fixture *f, const char *name, const char *args)
{
    struct lua_call c;
    lua_call_init(&c, &f->world.app, name, args);
    c.call.authority = &f->authority;
    lua_call_start(&c);
    lua_call_wait(&c, 0);
    (void)snprintf(f->said, sizeof(f->said), "%s", lua_call_text(&c));
    lua_call_done(&c);
    return f->said;
}

static void check_has(struct fixture *f, const char *name, const char *args,
                      const char *part)
{
    CHECK_ROW(strstr(say(f, name, args), part), f->said);
}

TEST(refs_may_be_the_ends_of_ids_in_every_tool)
{
    static const char *const rows[][3] = {
        {"create_part",
         "{\"title\":\"a\",\"of\":\"DOCK\",\"also\":[\"HUB\",\"" DOCK "\"]}",
         "\"of\":\"" DOCK "\",\"also\":[\"" DOCK "\",\"" HUB "\"]"},
        {"find_part", "{\"of\":\"DOCK\",\"fields\":[]}", "\"_type\":\"Part\""},
        {"find_part", "{\"of\":\"HUB\"}", "{\"items\":[]}"},
        {"update_project", "{\"id\":\"HUB\",\"name\":\"Hub 2\"}",
         "{\"id\":\"" HUB "\",\"_type\":\"Product\",\"_version\":2,"
         "\"name\":\"Hub 2\"}"},
        {"create_project", "{\"id\":\"NEW\",\"name\":\"New\"}",
         "{\"id\":\"trails://demo/Project/NEW\","},
        {"create_project", "{\"id\":\"NEW\",\"name\":\"New\"}",
         "conflict: there is a <trails://demo/Project/NEW> already"},
        {"create_project", "{\"id\":\"a/b\",\"name\":\"New\"}",
         "\"code\":\"node_kind\""},
        {"create_project", "{\"id\":\"a b\",\"name\":\"New\"}",
         "\"code\":\"node_kind\""},
        {"delete_project", "{\"id\":\"NEW\"}",
         "{\"id\":\"trails://demo/Project/NEW\",\"deleted\":true}"},
        {"echo", "{\"p\":\"DOCK\"}", "{\"p\":\"" DOCK "\"}"},
        {"echo", "{\"p\":\"" DOCK "\"}", "{\"p\":\"" DOCK "\"}"},
        /* A whole id is the handler's to look up. */
        {"echo", "{\"p\":\"trails://demo/Project/NOPE\"}",
         "{\"p\":\"trails://demo/Project/NOPE\"}"},
    };
    struct fixture f;
    set_up(&f);
    for (size_t i = 0; i < TR_LEN(rows); i++)
        check_has(&f, rows[i][0], rows[i][1], rows[i][2]);
    tear_down(&f);
}

#define NOPE                                                                   \
    "there is no Project NOPE; known: DOCK (Dock), HUB (Hub); find_project "   \
    "lists them"

TEST(refs_to_what_is_not_there_are_told_with_what_may_have_been_meant)
{
    static const char *const rows[][3] = {
        {"create_part", "{\"title\":\"a\",\"of\":\"NOPE\"}",
         "{\"fields\":[{\"field\":\"of\",\"code\":\"node_kind\",\"message\":"
         "\"of: " NOPE "\",\"value\":\"NOPE\",\"constraint\":\"iri\"}]}"},
        {"create_part",
         "{\"title\":\"a\",\"of\":\"trails://demo/Project/NOPE\"}",
         "{\"fields\":[{\"field\":\"of\",\"code\":\"class\",\"message\":"
         "\"of: " NOPE "\",\"value\":\"trails://demo/Project/NOPE\","
         "\"constraint\":\"trails://demo/Project\",\"node\":"},
        /* All that is wrong is told at once. */
        {"create_part", "{\"of\":\"NOPE\",\"also\":[\"DOCK\",\"X\"]}",
         "validation failed on 3 field(s)"},
        {"create_part",
         "{\"title\":\"a\",\"of\":\"A\",\"also\":[\"B\",\"C\",\"D\"]}",
         "\"also: there is no Project D\""},
        {"find_part", "{\"of\":\"NOPE\"}", "of: " NOPE},
        {"update_project", "{\"id\":\"NOPE\"}",
         "not_found: " NOPE " {\"reason\":\"not_found\",\"id\":"
         "\"trails://demo/Project/NOPE\"}"},
        {"delete_project", "{\"id\":\"trails://demo/Project/NOPE\"}", NOPE},
        {"echo", "{\"p\":\"NOPE\"}", "p: " NOPE},
    };
    struct fixture f;
    set_up(&f);
    for (size_t i = 0; i < TR_LEN(rows); i++)
        check_has(&f, rows[i][0], rows[i][1], rows[i][2]);
    tear_down(&f);
}

/* The one that was meant may be the last of many. */
TEST(refs_that_are_nearly_right_are_told_among_many)
{
    static const char *const rows[][2] = {
        {"dock", "did you mean DOCK (Dock)? find_project lists them"},
        {"P-2x9", "did you mean P-2"},
        {"P-2999", "did you mean P-299 (Number 299)"},
        {"Hub", "did you mean HUB (Hub)"},
        {"Number 287", "P-287 (Number 287)"},
        {"something else", "p: there is no Project something else; "
                           "find_project lists them"},
    };
    struct fixture f;
    set_up(&f);
    lua_world_check(&f.world, "crowd", "[]");
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        char args[128];
        (void)snprintf(args, sizeof(args), "{\"p\":\"%s\"}", rows[i][0]);
        check_has(&f, "echo", args, rows[i][1]);
    }
    tear_down(&f);
}

/* A type that the caller may not read, one that policies guard, a private. */
TEST(refs_say_nothing_of_what_the_caller_does_not_see)
{
    static const char *const rows[][2] = {
        {"{\"plan\":\"B\"}", "plan: there is no Plan B\""},
        {"{\"deal\":\"B\"}", "deal: there is no Deal B\""},
        {"{\"secret\":\"A\"}", "secret must be an IRI\""},
    };
    struct fixture f;
    set_up(&f);
    for (size_t i = 0; i < TR_LEN(rows); i++)
        check_has(&f, "echo", rows[i][0], rows[i][1]);
    f.authority.is_authenticated = true;
    f.authority.scopes = TR_SCOPE_RUNTIME | TR_SCOPE_BUILDER;
    check_has(&f, "echo", "{\"plan\":\"B\"}",
              "plan: there is no Plan B; known: A (Plan A); find_plan lists "
              "them");
    tear_down(&f);
}

/* A host that has tools only could not find out. */
TEST(without_a_tool_that_lists_them_ten_are_told)
{
#define NO_SORT(name) "sort: there is no Sort " name
#define END           "\",\"value\""
    struct fixture f;
    set_up(&f);
    check_has(&f, "echo", "{\"sort\":\"X\"}", NO_SORT("X") END);
    check_has(&f, "sorts", "{\"from\":1,\"to\":2}", "");
    check_has(&f, "echo", "{\"sort\":\"X\"}",
              NO_SORT("X") "; known: S1 (Named 1), S2 (Named 2)" END);
    check_has(&f, "sorts", "{\"from\":3,\"to\":10}", "");
    check_has(&f, "echo", "{\"sort\":\"X\"}",
              NO_SORT("X") "; known: S1, S2, S3, S4, S5, S6, S7, S8, S9, "
                           "S10" END);
    check_has(&f, "sorts", "{\"from\":11,\"to\":40}", "");
    check_has(&f, "echo", "{\"sort\":\"elsewhere\"}",
              NO_SORT("elsewhere") "; known: S1, S2, S3, S4, S5, S6, S7, S8, "
                                   "S9, S10, ..." END);
    check_has(&f, "echo", "{\"sort\":\"Named7\"}",
              "; did you mean S7 (Named 7)? known: S1, S2, ");
    tear_down(&f);
}

/* Another spelling is no way around a policy. */
TEST(policies_see_arguments_as_the_handler_does)
{
    struct fixture f;
    set_up(&f);
    check_has(&f, "guarded", "{\"p\":\"DOCK\",\"n\":null}",
              "{\"p\":\"" DOCK "\"}");
    check_has(&f, "guarded", "{\"p\":\"HUB\"}", "policy 'sees' denies it");
    check_has(&f, "guarded", "{\"p\":\"NOPE\"}", "policy 'sees' denies it");
    tear_down(&f);
}

/* Nothing is written while it is needed; the names of those who need it are
 * their labels, since nobody has chosen their ids. */
TEST(delete_names_who_needs_the_node)
{
    struct fixture f;
    set_up(&f);
    for (int i = 9; i > 1; i--) {
        char args[64];
        (void)snprintf(args, sizeof(args),
                       "{\"title\":\"N%d\",\"of\":\"DOCK\"}", i);
        check_has(&f, "create_part", args, "\"_version\":1");
        if (i == 8)
            check_has(&f, "delete_project", "{\"id\":\"DOCK\"}",
                      "validation: cannot delete DOCK: still needed by Part "
                      "N8, N9 (field of) {\"fields\":[{\"field\":\"of\","
                      "\"code\":\"class\",\"message\":\"of of Part N");
    }
    check_has(&f, "create_part",
              "{\"title\":\"A\",\"of\":\"HUB\",\"also\":[\"DOCK\"]}", "");
    check_has(&f, "delete_project", "{\"id\":\"DOCK\"}",
              "cannot delete DOCK: still needed by Part A (field also), Part "
              "N2, N3, N4, N5, ... (field of) ");
    check_has(&f, "find_project", "{\"name\":\"Dock\"}", DOCK);
    tear_down(&f);
}

/* What a field of each kind may be given. */
static const char *example(const struct tr_field *field)
{
    static const char *const examples[] = {
        [TR_FIELD_TEXT] = "\"new\"",
        [TR_FIELD_INTEGER] = "4",
        [TR_FIELD_NUMBER] = "0.5",
        [TR_FIELD_BOOLEAN] = "true",
        [TR_FIELD_DATETIME] = "\"2026-01-02T03:04:05Z\"",
        [TR_FIELD_REF] = "\"HUB\"",
    };
    static char many[64];
    if (!field->many)
        return examples[field->kind];
    (void)snprintf(many, sizeof(many), "[%s]", examples[field->kind]);
    return many;
}

/* Arguments that the tool takes, and one more. */
static void put_args(char *out, size_t size, const struct tr_cap *cap,
                     const char *id, const char *more)
{
    const struct tr_shape *shape = cap->input_shape;
    bool changes = shape->patch_key.len > 0;
    size_t len = (size_t)snprintf(out, size, "{%s", more);
    for (size_t i = 0; i < shape->count; i++) {
        const struct tr_field *field = &shape->fields[i];
        bool is_id = tr_str_eq(field->name, TR_STR("id"));
        if (!is_id && (changes || !tr_field_is_required(field)))
            continue;
        len += (size_t)snprintf(out + len, size - len, "%s\"%.*s\":%s",
                                len > 1 ? "," : "", TR_FMT(field->name),
                                is_id ? id : example(field));
    }
    (void)snprintf(out + len, size - len, "}");
}

/* What a new node of the tool's type is called. */
static void make_one(struct fixture *f, const struct tr_cap *cap, char *id,
                     size_t size)
{
    char create[64];
    char args[512];
    static int made;
    tr_str type = tr_str_skip(cap->id, sizeof("create_") - 1);
    if (tr_str_starts(cap->id, TR_STR("find_")))
        type = tr_str_skip(cap->id, sizeof("find_") - 1);
    (void)snprintf(create, sizeof(create), "create_%.*s", TR_FMT(type));
    (void)snprintf(id, size, "\"new-%d\"", ++made);
    const struct tr_cap *creates =
        tr_cap_snapshot_find_cap(f->world.app.snapshot, tr_str_from(create));
    if (creates == cap || !creates || tr_str_starts(cap->id, TR_STR("find_")))
        return;
    put_args(args, sizeof(args), creates, id, "");
    const char *said = say(f, create, args);
    const char *from = strstr(said, "\"id\":");
    CHECK_ROW(from, said);
    if (from)
        (void)snprintf(id, size, "%.*s", (int)strcspn(from + 5, ","), from + 5);
}

/* The result without the id, which differs from one new node to the next. */
static void cut_id(char *text)
{
    char *from = strstr(text, "\"id\":");
    char *end = from ? strchr(from, ',') : NULL;
    if (end)
        memmove(from, end, strlen(end) + 1);
}

/* As a call without it: null changes nothing of what a tool does. */
static void check_null(struct fixture *f, const struct tr_cap *cap, tr_str name)
{
    char without[8192];
    char args[1024];
    char more[128];
    char id[256];
    make_one(f, cap, id, sizeof(id));
    put_args(args, sizeof(args), cap, id, "");
    (void)snprintf(without, sizeof(without), "%s", say(f, cap->id.ptr, args));
    (void)snprintf(more, sizeof(more), "\"%.*s\":null", TR_FMT(name));
    make_one(f, cap, id, sizeof(id));
    put_args(args, sizeof(args), cap, id, more);
    (void)say(f, cap->id.ptr, args);
    cut_id(without);
    cut_id(f->said);
    CHECK_ROW(without[0] == '{' && strcmp(without, f->said) == 0, args);
}

/* Every tool that types have, and every argument that it can do without. */
TEST(null_is_absent_in_every_tool_and_every_optional_argument)
{
    struct fixture f;
    size_t tried = 0;
    set_up(&f);
    const struct tr_cap_snapshot *s = f.world.app.snapshot;
    for (size_t i = 0; i < tr_cap_snapshot_counts(s).caps; i++) {
        const struct tr_cap *cap = tr_cap_snapshot_cap(s, i);
        const struct tr_shape *shape =
            cap->shown_shape ? cap->shown_shape : cap->input_shape;
        bool is_made = shape && strchr(cap->id.ptr, '_') &&
                       !tr_str_eq(cap->id, TR_STR("find_plan"));
        for (size_t k = 0; is_made && k < shape->count; k++) {
            const struct tr_field *field = &shape->fields[k];
            bool is_id = tr_str_eq(field->name, TR_STR("id"));
            if (is_id || (!shape->patch_key.len && tr_field_is_required(field)))
                continue;
            check_null(&f, cap, field->name);
            tried++;
        }
    }
    CHECK(tried > 40);
    tear_down(&f);
}

static void check_clear(struct fixture *f, const struct tr_cap *cap,
                        const struct tr_field *field)
{
    char args[1024];
    char more[256];
    char part[128];
    char id[256];
    make_one(f, cap, id, sizeof(id));
    (void)snprintf(more, sizeof(more), "\"%.*s\":%s", TR_FMT(field->name),
                   example(field));
    (void)snprintf(part, sizeof(part), "\"%.*s\":%s", TR_FMT(field->name),
                   field->many ? "[" : "");
    put_args(args, sizeof(args), cap, id, more);
    check_has(f, cap->id.ptr, args, part);
    (void)snprintf(more, sizeof(more), "\"clear\":[\"%.*s\"],\"%.*s\":null",
                   TR_FMT(field->name), TR_FMT(field->name));
    put_args(args, sizeof(args), cap, id, more);
    (void)say(f, cap->id.ptr, args);
    (void)snprintf(part, sizeof(part), "\"%.*s\":%s", TR_FMT(field->name),
                   field->many ? "[]" : "");
    CHECK_ROW(f->said[0] == '{' && !strstr(f->said, part) == !field->many,
              f->said);
}

TEST(clear_empties_every_optional_field_and_no_other)
{
    struct fixture f;
    size_t tried = 0;
    set_up(&f);
    const struct tr_cap_snapshot *s = f.world.app.snapshot;
    for (size_t i = 0; i < tr_cap_snapshot_counts(s).caps; i++) {
        const struct tr_cap *cap = tr_cap_snapshot_cap(s, i);
        const struct tr_shape *shape = cap->input_shape;
        const struct tr_field *clear =
            shape ? tr_shape_find(shape, TR_STR("clear")) : NULL;
        if (!clear || !clear->many)
            continue;
        for (size_t k = 0; k < clear->one_of->len; k++) {
            tr_str name = tr_json_text(&clear->one_of->as.items[k]);
            check_clear(&f, cap, tr_shape_find(shape, name));
            tried++;
        }
    }
    CHECK_INT(tried, 6); /* a note, and five of a part */
    check_has(&f, "update_part", "{\"id\":\"DOCK\",\"clear\":[\"ready\"]}",
              "\"field\":\"clear\",\"code\":\"one_of\"");
    tear_down(&f);
}

/* A field of that name is a field, as it was before. */
TEST(clear_is_a_field_where_a_type_has_it)
{
    struct fixture f;
    set_up(&f);
    const struct tr_cap *cap =
        tr_cap_snapshot_find_cap(f.world.app.snapshot, TR_STR("update_own"));
    check_has(&f, "create_own", "{\"id\":\"1\",\"x\":\"x\",\"clear\":\"c\"}",
              "1");
    check_has(&f, "update_own", "{\"id\":\"1\",\"clear\":\"x\"}",
              "\"clear\":\"x\",\"x\":\"x\"}");
    CHECK_INT(cap->lacks.count, 1);
    CHECK_STR(cap->lacks.items[0], "clear");
    tear_down(&f);
}

/* A caller is told less, or that there is no memory, and nothing lands. */
TEST(refs_survive_without_memory)
{
    static const char *const calls[][2] = {
        {"echo", "{\"p\":\"DOCK\"}"},
        {"echo", "{\"p\":\"NOPE\"}"},
        {"create_part", "{\"title\":\"a\",\"of\":\"x:y\"}"},
        {"delete_project", "{\"id\":\"DOCK\"}"},
        {"update_project", "{\"id\":\"DOCK\",\"clear\":[\"note\"],"
                           "\"version\":9}"},
    };
    struct fixture f;
    set_up(&f);
    check_has(&f, "create_part", "{\"title\":\"a\",\"of\":\"DOCK\"}", "1");
    for (size_t i = 0; i < TR_LEN(calls); i++) {
        size_t told = 0;
        for (size_t max = 0; max < TR_KIB(96); max += 512) {
            struct lua_call c;
            lua_call_init(&c, &f.world.app, calls[i][0], calls[i][1]);
            c.arena.max = max;
            lua_call_start(&c);
            lua_call_wait(&c, 0);
            told += c.outcome.status != TR_E_NOMEM;
            CHECK(i == 0 || c.outcome.status != TR_OK);
            lua_call_done(&c);
        }
        CHECK_ROW(told > 10, calls[i][1]);
    }
    tear_down(&f);
}

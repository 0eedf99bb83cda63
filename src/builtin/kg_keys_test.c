/*
 * Nodes by key: refs that take a unique value as well as the id, in every tool,
 * in handlers and in filters; and what the app must be for that.
 */
#include "access/authority.h"
#include "base/limits.h"
#include "base/test.h"
#include "builtin/kg_tools.h"
#include "support/lua_world.h"

static const char source[] =
    "node_type 'Account' { ids = 'preserve', label = 'name', fields = {\n"
    "  { 'name', text { search = true } },\n"
    "  { 'domain', text { unique = true } },\n"
    "  { 'number', integer { unique = true, optional = true } } },\n"
    "  tools = { 'create', 'update', 'delete', 'find' } }\n"
    "node_type 'Partner' { extends = 'Account', fields = {},\n"
    "  tools = { 'create' } }\n"
    "node_type 'Ticket' { ids = 'preserve', label = 'title', fields = {\n"
    "  { 'title', text },\n"
    "  { 'account', ref 'Account' { by = 'domain' } },\n"
    "  { 'payer', ref 'Account' { by = 'number', optional = true } },\n"
    "  { 'also', ref 'Account' { by = 'domain', many = true,\n"
    "    optional = true } },\n"
    "  { 'partner', ref 'Partner' { by = 'domain', optional = true } },\n"
    "  { 'cc', object 'Copy' { optional = true, fields = {\n"
    "    to = ref 'Account' { by = 'domain' } } } } },\n"
    "  tools = { 'create', 'update', 'find' } }\n"
    "node_type 'Secret' { ids = 'preserve', private = true, fields = {\n"
    "  name = text { unique = true } } }\n"
    "node_type 'Drawer' { ids = 'preserve', tools = { 'create', 'find' },\n"
    "  fields = { holds = ref 'Secret' { by = 'name', optional = true } } }\n"
    "node_type 'Plan' { ids = 'preserve', scope = 'builder',\n"
    "  fields = { code = text { unique = true } } }\n"
    "node_type 'Step' { ids = 'preserve', scope = 'builder',\n"
    "  fields = { of = ref 'Plan' { by = 'code' } },\n"
    "  tools = { 'create' } }\n"
    "local all = { 'default' }\n"
    "local function cap(id, run)\n"
    "  capability(id) { input_schema = { type = 'object' },\n"
    "    side_effects = { graph_writes = all }, run = run } end\n"
    "capability 'echo' { input = { a = ref 'Account' { by = 'domain' } },\n"
    "  run = function(ctx, args) return args end }\n"
    "capability 'probe' { input = { s = ref 'Secret' { by = 'name' } },\n"
    "  run = function(ctx, args) return args end }\n"
    "cap('kg', function(ctx, args)\n"
    "  local kg, f = ctx.kg, args.fields\n"
    "  if args.how == 'create' then\n"
    "    return kg:create('Ticket', f, { id = 'trails://demo/Ticket/K' })\n"
    "  elseif args.how == 'update' then\n"
    "    return kg:update('trails://demo/Ticket/K', f)\n"
    "  elseif args.how == 'upsert' then\n"
    "    return (kg:upsert('Ticket', f, { by = { 'title' } }))\n"
    "  elseif args.how == 'where' then return kg:count('Ticket', f)\n"
    "  elseif args.how == 'number' then\n"
    "    return kg:count('Ticket', { payer = 42 })\n"
    "  elseif args.how == 'drawer' then\n"
    "    return kg:create('Drawer', f, { id = 'trails://demo/Drawer/D' })\n"
    "  elseif args.how == 'both' then\n"
    "    kg:create('Account', { name = 'N', domain = 'new.example' },\n"
    "      { id = 'trails://demo/Account/new' })\n"
    "    return kg:create('Ticket', { title = 'N',\n"
    "      account = 'new.example' }, { id = 'trails://demo/Ticket/N' })\n"
    "  elseif args.how == 'many' then\n"
    "    for i = 1, 300 do kg:create('Account', { name = 'Many ' .. i,\n"
    "      domain = 'many-' .. i .. '.example' },\n"
    "      { id = 'trails://demo/Account/m' .. i }) end\n"
    "  elseif args.how == 'gone' then\n"
    "    kg:delete('trails://demo/Account/3')\n"
    "    return kg:create('Ticket', { title = 'G',\n"
    "      account = 'gone.example' }, { id = 'trails://demo/Ticket/G' })\n"
    "  end end)\n"
    "capability 'slow' { input = { a = ref 'Account' { by = 'domain' } },\n"
    "  side_effects = { graph_writes = all }, run = function(ctx, args)\n"
    "    ctx:sleep(1)\n"
    "    return ctx.kg:create('Ticket', { title = 's', account = args.a },\n"
    "      { id = 'trails://demo/Ticket/slow' }) end }\n"
    "cap('seed', function(ctx)\n"
    "  local function make(t, n, f)\n"
    "    ctx.kg:create(t, f, { id = 'trails://demo/' .. t .. '/' .. n }) end\n"
    "  make('Account', 1, { name = 'Acme', domain = 'acme.example',\n"
    "    number = 42 })\n"
    "  make('Account', 2, { name = 'Globex', domain = 'urn:globex',\n"
    "    number = 1 })\n"
    "  make('Account', 3, { name = 'Gone', domain = 'gone.example' })\n"
    "  make('Partner', 'P', { name = 'Part', domain = 'part.example' })\n"
    "  make('Secret', 'S', { name = 'hush' })\n"
    "  make('Plan', 'A', { code = 'alpha' })\n"
    "end)\n";

#define ACME "trails://demo/Account/1"

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
static void check_has(struct fixture *f, const char *name, const char *args,
                      const char *part)
{
    struct lua_call c;
    lua_call_init(&c, &f->world.app, name, args);
    c.call.authority = &f->authority;
    lua_call_start(&c);
    lua_call_wait(&c, 0);
    (void)snprintf(f->said, sizeof(f->said), "%s", lua_call_text(&c));
    lua_call_done(&c);
    CHECK_ROW(strstr(f->said, part), f->said);
}

#define TICKET(id, more) "{\"id\":\"" id "\",\"title\":\"t\"," more "}"

TEST(refs_by_key_are_taken_and_shown_by_every_tool)
{
    static const char *const rows[][3] = {
        {"create_ticket", TICKET("T", "\"account\":\"acme.example\""),
         "\"account\":\"" ACME
         "\",\"account_domain\":\"acme.example\",\"also\":"
         "[]}"},
        /* An id, and the end of one, win over a key that looks like one. */
        {"create_ticket", TICKET("T2", "\"account\":\"1\",\"payer\":\"1\""),
         "\"account\":\"" ACME "\",\"account_domain\":\"acme.example\","
         "\"payer\":\"" ACME "\",\"payer_number\":\"42\""},
        {"create_ticket", TICKET("T3", "\"account\":\"" ACME "\""), ACME},
        /* A key may look like an IRI, and be that of a subtype. */
        {"create_ticket", TICKET("T4", "\"account\":\"urn:globex\""),
         "\"account\":\"trails://demo/Account/2\",\"account_domain\":"
         "\"urn:globex\""},
        {"create_ticket", TICKET("T5", "\"account\":\"part.example\""),
         "\"account\":\"trails://demo/Partner/P\""},
        {"update_ticket", "{\"id\":\"T5\",\"payer\":\"042\"}",
         "\"payer\":\"" ACME "\",\"payer_number\":\"42\""},
        {"update_ticket",
         "{\"id\":\"T5\",\"also\":[\"acme.example\",\"2\",\"P\"]}",
         "\"also_domain\":[\"acme.example\",\"urn:globex\",\"part.example\"]"},
        {"find_ticket", "{\"account\":\"part.example\",\"fields\":[]}",
         "{\"items\":[{\"id\":\"trails://demo/Ticket/T5\",\"_type\":"
         "\"Ticket\",\"_version\":3}]}"},
        {"find_ticket", "{\"payer\":\"42\",\"fields\":[\"payer\"]}",
         "\"payer\":\"" ACME "\",\"payer_number\":\"42\"}"},
        {"create_ticket",
         TICKET("T6", "\"account\":\"1\",\"cc\":{\"to\":\"urn:globex\"}"),
         "\"cc\":{\"to\":\"trails://demo/Account/2\""},
        {"echo", "{\"a\":\"acme.example\"}", "{\"a\":\"" ACME "\"}"},
        {"echo", "{\"a\":\"urn:nothing\"}", "{\"a\":\"urn:nothing\"}"},
    };
    struct fixture f;
    set_up(&f);
    for (size_t i = 0; i < TR_LEN(rows); i++)
        check_has(&f, rows[i][0], rows[i][1], rows[i][2]);
    tear_down(&f);
}

#define NOPE(key)                                                              \
    "there is no Account " key "; known: acme.example (Acme), urn:globex "     \
    "(Globex), gone.example (Gone), part.example (Part); find_account lists "  \
    "them"

TEST(keys_of_nothing_are_told_with_what_may_have_been_meant)
{
    static const char *const rows[][3] = {
        {"create_ticket", TICKET("T", "\"account\":\"acme.exmple\""),
         "{\"fields\":[{\"field\":\"account\",\"code\":\"node_kind\","
         "\"message\":\"account: " NOPE("acme.exmple") "\",\"value\":"},
        {"find_ticket", "{\"account\":\"x\"}", "account: " NOPE("x")},
        {"echo", "{\"a\":\"ACME.example\"}", "a: " NOPE("ACME.example")},
        {"create_ticket",
         TICKET("T", "\"account\":\"1\",\"payer\":\"fourty two\""),
         "payer: there is no Account fourty two; known: 42 (Acme), 1 (Globex)"},
        {"create_ticket",
         TICKET("T", "\"account\":\"1\",\"partner\":\"acme.example\""),
         "partner: there is no Partner acme.example; known: part.example"},
        {"create_ticket", TICKET("T", "\"account\":42"), "\"code\":\"type\""},
        {"create_ticket", TICKET("T", "\"account\":\"\""),
         "account must be an "},
        {"create_ticket", TICKET("T", "\"account\":\"urn:nothing\""),
         "\"code\":\"class\""},
        {"update_ticket", "{\"id\":\"T\",\"account_domain\":\"x\"}",
         "account_domain is not a field"},
    };
    struct fixture f;
    set_up(&f);
    for (size_t i = 0; i < TR_LEN(rows); i++)
        check_has(&f, rows[i][0], rows[i][1], rows[i][2]);
    tear_down(&f);
}

#define KG(how, fields) "{\"how\":\"" how "\",\"fields\":" fields "}"

TEST(handlers_give_keys_where_they_give_ids)
{
    static const char *const rows[][2] = {
        {KG("create", "{\"title\":\"k\",\"account\":\"acme.example\"}"),
         "\"account\":\"" ACME "\",\"account_domain\":\"acme.example\""},
        {KG("update", "{\"account\":\"urn:globex\",\"payer\":\"42\"}"),
         "\"account_domain\":\"urn:globex\""},
        {KG("where", "{\"payer\":\"42\"}"), "1"},
        {"{\"how\":\"number\"}", "1"},
        {KG("where", "{\"account\":\"acme.example\"}"), "0"},
        {KG("where", "{\"account\":{\"one_of\":[\"acme.example\","
                     "\"urn:globex\"]}}"),
         "1"},
        {KG("where", "{\"any\":[{\"account\":\"urn:globex\"}]}"), "1"},
        {KG("where", "{\"account\":{\"one_of\":[\"nope\"]}}"),
         "account one_of names no Account by id or domain"},
        {KG("where", "{\"account\":\"nope\"}"), "account: " NOPE("nope")},
        {KG("update", "{\"payer\":null}"), "\"_version\":3"},
        {KG("update", "{\"cc\":{\"to\":\"acme.example\"}}"),
         "\"to\":\"" ACME "\""},
        {KG("update", "{\"cc\":{\"to\":\"nope\"}}"),
         "there is no Account nope"},
        {KG("upsert", "{\"title\":\"k\",\"account\":\"gone.example\"}"),
         "\"account\":\"trails://demo/Account/3\""},
        {KG("create", "{\"title\":\"k\",\"account\":\"nope\"}"),
         "account: " NOPE("nope")},
        /* What the call itself has made, and taken away. */
        {"{\"how\":\"both\"}", "\"account_domain\":\"new.example\""},
        {"{\"how\":\"gone\"}", "account: there is no Account gone.example"},
        {KG("drawer", "{\"holds\":\"hush\"}"),
         "{\"_type\":\"Drawer\",\"_version\":1,\"holds\":"
         "\"trails://demo/Secret/S\",\"id\":"},
    };
    struct fixture f;
    set_up(&f);
    for (size_t i = 0; i < TR_LEN(rows); i++)
        check_has(&f, "kg", rows[i][0], rows[i][1]);
    tear_down(&f);
}

/* The one that was meant may be the last of many. */
TEST(keys_that_are_nearly_right_are_told_among_many)
{
    static const char *const rows[][2] = {
        {"many-299.exampel", "did you mean many-299.example (Many 299)? "},
        {"MANY-29.example", "did you mean many-29.example (Many 29)? "},
    };
    struct fixture f;
    set_up(&f);
    check_has(&f, "kg", KG("many", "{}"), "");
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        char args[128];
        (void)snprintf(args, sizeof(args), "{\"a\":\"%s\"}", rows[i][0]);
        check_has(&f, "echo", args, rows[i][1]);
    }
    tear_down(&f);
}

/* A private type has no keys for callers: they can neither use nor probe one,
 * and are shown none. */
TEST(keys_of_what_is_private_are_for_handlers_alone)
{
    static const char *const rows[][3] = {
        {"probe", "{\"s\":\"hush\"}", "s must be an IRI\""},
        {"probe", "{\"s\":\"no such\"}", "s must be an IRI\""},
        {"create_drawer", "{\"id\":\"E\",\"holds\":\"hush\"}",
         "holds must be an IRI\""},
        {"find_drawer", "{\"holds\":\"hush\"}", "holds must be an IRI\""},
        {"find_drawer", "{}",
         "\"_version\":1,\"holds\":\"trails://demo/Secret/S\"}]}"},
        /* Nor does a mistake of the handler tell what there is. */
        {"kg", KG("drawer", "{\"holds\":\"hash\"}"),
         "\"message\":\"holds must be an IRI\""},
    };
    struct fixture f;
    set_up(&f);
    f.authority.is_authenticated = true;
    check_has(&f, "kg", KG("drawer", "{\"holds\":\"hush\"}"), "\"holds\":");
    for (size_t i = 0; i < TR_LEN(rows); i++)
        check_has(&f, rows[i][0], rows[i][1], rows[i][2]);
    check_has(&f, "create_step", "{\"id\":\"S\",\"of\":\"alpha\"}",
              "scope denied");
    f.authority.scopes |= TR_SCOPE_BUILDER;
    check_has(&f, "create_step", "{\"id\":\"S\",\"of\":\"alpha\"}",
              "\"of\":\"trails://demo/Plan/A\",\"of_code\":\"alpha\"");
    tear_down(&f);
}

/* What goes while the handler that was given its key sleeps is refused when the
 * call lands. */
TEST(a_key_of_what_goes_meanwhile_is_refused)
{
    struct lua_call c;
    struct fixture f;
    set_up(&f);
    lua_call_init(&c, &f.world.app, "slow", "{\"a\":\"gone.example\"}");
    c.call.authority = &f.authority;
    lua_call_start(&c);
    check_has(&f, "delete_account", "{\"id\":\"3\"}", "\"deleted\":true");
    lua_call_wait(&c, 1000);
    CHECK_ROW(strstr(lua_call_text(&c), "account: there is no Account 3"),
              lua_call_text(&c));
    lua_call_done(&c);
    check_has(&f, "find_ticket", "{}", "{\"items\":[]}");
    tear_down(&f);
}

#define A                                                                      \
    "node_type 'A' { fields = { { 'k', text { unique = true } },\n"            \
    "  { 'plain', text }, { 'flag', boolean { unique = true } },\n"            \
    "  { 'tags', text { many = true } },\n"                                    \
    "  { 'own', text { unique = true, scope = 'builder' } },\n"                \
    "  { 'two', text }, { 'r', ref 'A' { unique = true } } },\n"               \
    "  unique = { { 'two', 'plain' } } }\n"                                    \
    "node_type 'S' { scope = 'builder',\n"                                     \
    "  fields = { k = text { unique = true } } }\n"                            \
    "policy 'p' { run = function() return true end }\n"                        \
    "node_type 'P' { policy_required = { 'p' },\n"                             \
    "  fields = { k = text { unique = true } } }\n"

#define TYPE(field) A "node_type 'B' { fields = { a = " field " } }"
#define INPUT(field)                                                           \
    A "capability 'c' { input = { a = " field " }, side_effects = {},\n"       \
      "  run = function() end }"

TEST(what_cannot_be_a_key_is_refused_at_load_with_its_line)
{
    static const char *const rows[][2] = {
        {TYPE("ref 'A' { by = 'kk' }"),
         "app.lua:12: node_type 'B': field 'a': by names 'kk', which is not a "
         "field of 'A'; did you mean 'k'?"},
        {TYPE("ref 'A' { by = 'plain' }"),
         "by names 'plain', which is not unique there: say unique = true"},
        {TYPE("ref 'A' { by = 'two' }"), "which is not unique there"},
        {TYPE("ref 'A' { by = 'tags' }"), "which has many values"},
        {TYPE("ref 'A' { by = 'flag' }"), "of a kind that cannot be a key"},
        {TYPE("ref 'A' { by = 'r' }"), "of a kind that cannot be a key"},
        {TYPE("ref 'A' { by = 'own' }"), "has a scope: its values could be "},
        {TYPE("ref 'A' { by = '' }, a_k = text"), NULL},
        {TYPE("ref 'A' { by = 'k' }, a_k = text"),
         "by shows the key as 'a_k', which is a field"},
        {TYPE("ref 'S' { by = 'k' }"),
         "by would tell values of 'S' to callers who may not read it"},
        {TYPE("ref 'P' { by = 'k' }"), "by would tell values of 'P'"},
        {TYPE("text { by = 'k' }"), "by is for a ref to a type"},
        {TYPE("ref() { by = 'k' }"), "by is for a ref to a type"},
        {INPUT("ref 'A' { by = 'plain' }"),
         "app.lua:12: field 'a': by names 'plain', which is not unique there"},
        {INPUT("ref 'S' { by = 'k' }"),
         "field 'a': by is refused where callers need not be able to read 'S'"},
        {INPUT("ref 'P' { by = 'k' }"), "by is refused where callers"},
        {INPUT("ref 'A' { by = 'k' }"), NULL},
        /* In an object, too. */
        {TYPE("object 'O' { fields = { b = ref 'A' { by = 'two' } } }"),
         "field 'a': field 'b': by names 'two', which is not unique there"},
        {TYPE("object 'O' { fields = { b = ref 'S' { by = 'k' } } }"),
         "by would tell values of 'S'"},
        {INPUT("object 'O' { fields = { b = ref 'S' { by = 'k' } } }"),
         "field 'b': by is refused where callers"},
        {A "node_type 'B' { scope = 'builder',\n"
           "  fields = { a = ref 'S' { by = 'k' } },\n"
           "  tools = { find = { scope = 'runtime' } } }",
         "by would tell values of 'S'"},
        {A "node_type 'B' { policy_required = { 'p' },\n"
           "  fields = { a = ref 'P' { by = 'k' } }, tools = { 'find' } }",
         NULL},
        {A "node_type 'C' { extends = 'A', fields = {} }\n"
           "node_type 'B' { fields = { a = ref 'C' { by = 'k' } } }",
         NULL},
    };
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        struct tr_err err = {0};
        struct lua_app app;
        tr_status st = lua_app_try(&app, rows[i][0], NULL, &err);
        CHECK_ROW(rows[i][1] ? st != TR_OK && strstr(err.msg, rows[i][1])
                             : st == TR_OK,
                  err.msg);
        if (st == TR_OK)
            lua_app_close(&app);
    }
}

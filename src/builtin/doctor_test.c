#include "builtin/doctor.h"

#include "access/authority.h"
#include "base/limits.h"
#include "base/test.h"
#include "cap/snapshot.h"
#include "db/db.h"
#include "graph/upkeep.h"
#include "json/reader.h"
#include "query/scans.h"
#include "server/app.h"
#include "support/lua_world.h"

static const char well[] =
    "node_type 'Task' { fields = { n = integer }, tools = { 'find' } }\n"
    "capability 'union' { description = 'd', input = 'Task', run = print }\n";

/* Two tools with names and one with a schema that hosts refuse. */
static const char ill[] =
    "capability 'a.b' { description = 'd', run = print }\n"
    "capability 'a_name_of_more_than_forty_characters_is_long' {\n"
    "  description = 'd', run = print }\n"
    "capability 'union' { description = 'd', run = print, input_schema =\n"
    "  '{\"type\":\"object\",\"oneOf\":[{\"type\":\"object\"}]}' }\n";

/* A call of the doctor. */
struct visit {
    struct lua_call c; /* first, as its call is in it */
    const struct tr_call_door_ops *own;
    char text[4096];
};

/* What is written is gone afterwards: so it is read here. */
static void read_end(struct tr_call *call,
                     const struct tr_call_outcome *outcome)
{
    struct visit *visit = (struct visit *)(void *)call;
    (void)snprintf(visit->text, sizeof(visit->text), "%.*s",
                   TR_FMT(tr_json_text(outcome->value)));
    visit->own->finished(call, outcome);
}

/* Asks the doctor of a world, as one who reads trails://doctor does. */
static void examine(struct lua_world *world, struct visit *visit,
                    const struct tr_access_authority *who)
{
    static const struct tr_builtin what = {.write = tr_builtin_render_doctor};
    static const struct tr_cap_handler handler = {.run = tr_builtin_run,
                                                  .data = &what};
    struct lua_call *c = &visit->c;
    lua_call_init(c, &world->app, "union", "{}");
    visit->own = c->call.door;
    struct tr_call_door_ops door = *visit->own;
    door.finished = read_end;
    c->call.door = &door;
    c->call.cap = NULL;
    c->call.guard = &tr_cap_guard_open;
    c->call.kind = TR_CALL_RESOURCE;
    c->call.in_production = true;
    if (who)
        c->call.authority = who;
    c->call.handler = &handler;
    lua_call_start(c);
    lua_call_wait(c, 0);
    lua_call_done(c);
}

struct row {
    const char *id;
    const char *message;
    const char *fix; /* NULL: all is well */
};

static tr_str text_of(const struct tr_json *object, const char *key)
{
    return tr_json_text(tr_json_find(object, tr_str_from(key)));
}

static void check_rows(const char *text, const char *status,
                       const struct row *rows, size_t count)
{
    const struct tr_json *answer = NULL;
    struct tr_arena arena;
    tr_arena_init(&arena, TR_MIB(1));
    CHECK_OK(tr_json_read(&arena, tr_str_from(text), NULL, &answer, NULL),
             NULL);
    CHECK_STR(text_of(answer, "status"), status);
    const struct tr_json *checks = tr_json_find(answer, TR_STR("checks"));
    CHECK_INT(checks->len, count);
    for (size_t i = 0; i < count; i++) {
        const struct tr_json *check = tr_json_at(checks, i);
        CHECK_STR(text_of(check, "id"), rows[i].id);
        CHECK_STR(text_of(check, "status"), rows[i].fix ? "warn" : "ok");
        CHECK_STR(text_of(check, "message"), rows[i].message);
        CHECK_INT(check->len, rows[i].fix ? 4 : 3);
        CHECK_STR(text_of(check, "fix"), rows[i].fix ? rows[i].fix : "");
    }
    tr_arena_done(&arena);
}

/* As a server does when it starts. */
static void put_right(const struct lua_world *world)
{
    tr_server_app_fit(world->env.store, world->app.snapshot);
}

static void check(const char *source, const char *status,
                  const struct row *rows, size_t count)
{
    struct lua_world world;
    struct visit visit;
    lua_world_open_bare(&world, source, NULL);
    put_right(&world);
    examine(&world, &visit, NULL);
    check_rows(visit.text, status, rows, count);
    lua_world_close(&world);
}

static const struct row all_well[] = {
    {"config.parse", "trails.toml and the environment are in force", NULL},
    {"shapes.valid", "1 node types and 2 shapes are in force", NULL},
    {"store.integrity", "the whole store can be read", NULL},
    {"store.indexes", "indexes and counts say what the nodes say", NULL},
    {"queries.slow", "no query was slow for want of an index", NULL},
    {"calls.estimates",
     "0 capabilities were called, none at more than three times its estimate",
     NULL},
    {"mcp.names", "hosts take the names of all tools", NULL},
    {"mcp.schemas", "hosts take the schemas of all tools", NULL},
};

TEST(doctor_says_that_all_is_well)
{
    check(well, "ok", all_well, TR_LEN(all_well));
}

static const struct row refused[] = {
    {"config.parse", "trails.toml and the environment are in force", NULL},
    {"shapes.valid", "0 node types and 0 shapes are in force", NULL},
    {"store.integrity", "the whole store can be read", NULL},
    {"store.indexes", "indexes and counts say what the nodes say", NULL},
    {"queries.slow", "no query was slow for want of an index", NULL},
    {"calls.estimates",
     "0 capabilities were called, none at more than three times its estimate",
     NULL},
    {"mcp.names",
     "a.b: hosts refuse dots in a tool's name, or put underscores there",
     "trails.toml: [mcp] tool_names = \"portable\""},
    {"mcp.names",
     "a_name_of_more_than_forty_characters_is_long: hosts put the server's "
     "name in front and allow 64 in all",
     "choose a shorter id"},
    {"mcp.schemas",
     "union: /oneOf: several hosts refuse combinators at the root",
     "write the schema in plainer words: one object, one type for each "
     "property"},
};

TEST(doctor_warns_of_what_hosts_refuse)
{
    check(ill, "warn", refused, TR_LEN(refused));
}

TEST(doctor_warns_of_a_store_whose_values_were_not_put_right)
{
    struct lua_world world;
    struct visit visit;
    lua_world_open_bare(&world, well, NULL);
    examine(&world, &visit, NULL);
    CHECK(
        strstr(visit.text, "{\"id\":\"store.spelling\",\"status\":\"warn\","));
    put_right(&world);
    examine(&world, &visit, NULL);
    CHECK(!strstr(visit.text, "store.spelling"));
    lua_world_close(&world);
}

/* Of a node that is not there. */
static void add_stray_row(const struct lua_world *world)
{
    struct tr_db *db = NULL;
    struct tr_err err = {0};
    char path[512];
    (void)snprintf(path, sizeof(path), "%s/graph.db", world->folder.path);
    CHECK_OK(tr_db_open(path, NULL, &db, &err), &err);
    CHECK_OK(tr_db_exec(db,
                        "INSERT INTO value_row SELECT x, x'FF', 17"
                        " FROM value_index",
                        &err),
             &err);
    tr_db_close(db);
}

TEST(doctor_compares_indexes_with_what_nodes_say)
{
    static const char source[] =
        "node_type 'Task' { fields = { due = date { index = true } } }\n"
        "capability 'union' { description = 'd', run = print }";
    struct lua_world world;
    struct visit visit;
    lua_world_open_bare(&world, source, NULL);
    examine(&world, &visit, NULL);
    CHECK(strstr(visit.text, "{\"id\":\"store.indexes\",\"status\":\"warn\","));
    put_right(&world);
    examine(&world, &visit, NULL);
    CHECK(strstr(visit.text, "{\"id\":\"store.indexes\",\"status\":\"ok\","));
    add_stray_row(&world);
    examine(&world, &visit, NULL);
    CHECK(strstr(visit.text, "{\"id\":\"store.indexes\",\"status\":\"fail\","));
    lua_world_close(&world);
}

/* Neither dev in production nor what a precondition hides is named. */
TEST(doctor_names_no_tool_that_the_caller_cannot_see)
{
    static const struct tr_access_authority runtime = {
        .is_authenticated = true, .scopes = TR_SCOPE_RUNTIME};
    static const char source[] =
        "local function tool(id, more)\n"
        "  more.description, more.run = 'd', function() end\n"
        "  capability(id)(more)\n"
        "end\n"
        "tool('union', {})\n"
        "tool('a.seen', {})\n"
        "tool('b.dev', { scope = 'dev' })\n"
        "tool('c.built', { preconditions = { 'scope:builder' } })\n";
    struct lua_world world;
    struct visit visit;
    lua_world_open_bare(&world, source, NULL);
    examine(&world, &visit, NULL);
    CHECK(strstr(visit.text, "a.seen") && strstr(visit.text, "c.built"));
    CHECK(!strstr(visit.text, "b.dev")); /* we are in production */
    examine(&world, &visit, &runtime);
    CHECK(strstr(visit.text, "a.seen") && !strstr(visit.text, "c.built"));
    CHECK(!strstr(visit.text, "b.dev"));
    lua_world_close(&world);
}

/* A table that is not there cannot be read. */
TEST(doctor_fails_when_the_store_cannot_be_read)
{
    struct lua_world world;
    struct visit visit;
    struct tr_err err = {0};
    struct tr_db *db = NULL;
    char path[512];
    lua_world_open_bare(&world, well, NULL);
    (void)snprintf(path, sizeof(path), "%s/graph.db", world.folder.path);
    CHECK_OK(tr_db_open(path, NULL, &db, &err), &err);
    CHECK_OK(tr_db_exec(db, "DROP TABLE type_count", &err), &err);
    tr_db_close(db);
    examine(&world, &visit, NULL);
    CHECK(strstr(visit.text, "{\"status\":\"fail\",\"checks\":["));
    CHECK(strstr(visit.text, "{\"id\":\"store.integrity\",\"status\":"
                             "\"fail\","));
    CHECK(strstr(visit.text, "\"fix\":\"restore a backup: trails restore\""));
    lua_world_close(&world);
}

/* Overwrites the first page of a table, in the file. */
static void damage(const char *path, const char *sql)
{
    static const char garbage[512] = {1, 2, 3};
    struct tr_db *db = NULL;
    struct tr_db_stmt *stmt;
    struct tr_err err = {0};
    bool row = false;
    CHECK_OK(tr_db_open(path, NULL, &db, &err), &err);
    CHECK_OK(tr_db_shrink(db, &err), &err);
    CHECK_OK(tr_db_prepare(db, sql, &stmt, &err), &err);
    CHECK_OK(tr_db_stmt_step(stmt, &row, &err), &err);
    long page = (long)tr_db_column_i64(stmt, 0);
    tr_db_stmt_reset(stmt);
    tr_db_close(db);
    FILE *file = fopen(path, "r+b");
    bool is_done = file && page > 1 &&
                   fseek(file, (page - 1) * 4096, SEEK_SET) == 0 &&
                   fwrite(garbage, sizeof(garbage), 1, file) == 1;
    CHECK(file && fclose(file) == 0 && is_done);
}

/* Any table: what it names is the store, not one table of it. */
TEST(doctor_fails_when_any_table_is_damaged)
{
    static const char *const tables[] = {
        "SELECT rootpage FROM sqlite_schema WHERE name = 'node'",
        "SELECT rootpage FROM sqlite_schema WHERE name = 'term'",
        "SELECT rootpage FROM sqlite_schema WHERE name = 'activity'",
        "SELECT rootpage FROM sqlite_schema WHERE name = 'ops'",
    };
    for (size_t i = 0; i < TR_LEN(tables); i++) {
        struct lua_world world;
        struct visit visit;
        char path[512];
        lua_world_open_bare(&world, well, NULL);
        (void)snprintf(path, sizeof(path), "%s/graph.db", world.folder.path);
        damage(path, tables[i]);
        examine(&world, &visit, NULL);
        CHECK_ROW(strstr(visit.text, "{\"id\":\"store.integrity\","
                                     "\"status\":\"fail\","),
                  tables[i]);
        lua_world_close(&world);
    }
}

/* What the caller may not see is not told either. */
TEST(doctor_names_filters_that_were_slow)
{
    struct lua_world world;
    struct visit visit;
    struct tr_err err = {0};
    struct tr_query_scans *scans = NULL;
    CHECK_OK(tr_query_scans_create(&scans, &err), &err);
    lua_world_open_bare(&world, well, NULL);
    world.env.scans = scans;
    put_right(&world);
    tr_query_scans_note(scans, TR_STR("Task"), TR_STR("n"), 5000);
    tr_query_scans_note(scans, TR_STR("Task"), TR_STR("n"), 2500);
    tr_query_scans_note(scans, TR_STR("Task"), TR_STR("hidden"), 9000);
    tr_query_scans_note(scans, TR_STR("Nothing"), TR_STR("n"), 9000);
    examine(&world, &visit, NULL);
    CHECK(strstr(visit.text,
                 "{\"id\":\"queries.slow\",\"status\":\"warn\",\"message\":"
                 "\"2 queries by Task.n have looked at 7500 nodes\",\"fix\":"
                 "\"declare index = true for the field n of Task\"}"));
    CHECK(!strstr(visit.text, "9000"));
    lua_world_close(&world);
    tr_query_scans_free(scans);
}

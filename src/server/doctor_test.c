#include "server/doctor.h"

#include "base/limits.h"
#include "base/test.h"
#include "db/db.h"
#include "support/lua_world.h"

static const char well[] =
    "node_type 'Task' { fields = { n = integer }, tools = { 'find' } }\n"
    "capability 'greet' { description = 'd', input = 'Task', run = print }\n";

/* Two tools with names and one with a schema that hosts refuse. */
static const char ill[] =
    "capability 'a.b' { description = 'd', run = print }\n"
    "capability 'a_name_of_more_than_forty_characters_is_long' {\n"
    "  description = 'd', run = print }\n"
    "capability 'union' { description = 'd', run = print, input_schema =\n"
    "  '{\"type\":\"object\",\"oneOf\":[{\"type\":\"object\"}]}' }\n";

struct fixture {
    struct lua_world world;
    struct tr_arena arena;
    struct tr_checkup checkup;
};

static void examine(struct fixture *f, const char *source)
{
    struct tr_err err = {0};
    lua_world_open_bare(&f->world, source, NULL);
    tr_arena_init(&f->arena, TR_MIB(1));
    CHECK_OK(tr_doctor_examine(f->world.app.snapshot, f->world.env.reader->db,
                               &f->arena, &f->checkup, &err),
             &err);
}

static void tear_down(struct fixture *f)
{
    tr_arena_done(&f->arena);
    lua_world_close(&f->world);
}

static void check(const struct fixture *f, const struct tr_check *expected,
                  size_t count)
{
    CHECK_INT(f->checkup.checks.count, count);
    for (size_t i = 0; i < count; i++) {
        const struct tr_check *got = &f->checkup.checks.items[i];
        CHECK_STR(tr_str_from(got->id), expected[i].id);
        CHECK_ROW(got->health == expected[i].health, expected[i].id);
        CHECK_STR(got->message, expected[i].message.ptr);
        CHECK_STR(got->fix, expected[i].fix.len ? expected[i].fix.ptr : "");
    }
}

#define GOOD(name, text)                                                       \
    {                                                                          \
        .id = (name), .message = TR_STR_INIT(text)                             \
    }
#define WARN(name, text, advice)                                               \
    {                                                                          \
        .id = (name), .health = TR_HEALTH_WARN, .message = TR_STR_INIT(text),  \
        .fix = TR_STR_INIT(advice)                                             \
    }

static const struct tr_check all_well[] = {
    GOOD("config.parse", "trails.toml and the environment are in force"),
    GOOD("shapes.valid", "1 node types and 2 shapes are in force"),
    GOOD("store.integrity", "the store can be read"),
    GOOD("mcp.names", "hosts take the names of all tools"),
    GOOD("mcp.schemas", "hosts take the schemas of all tools"),
};

TEST(doctor_says_that_all_is_well)
{
    struct fixture f;
    examine(&f, well);
    CHECK_INT(f.checkup.health, TR_HEALTH_OK);
    check(&f, all_well, TR_LEN(all_well));
    tear_down(&f);
}

static const struct tr_check refused[] = {
    GOOD("config.parse", "trails.toml and the environment are in force"),
    GOOD("shapes.valid", "0 node types and 0 shapes are in force"),
    GOOD("store.integrity", "the store can be read"),
    WARN("mcp.names", "a.b: several hosts refuse dots in a tool's name",
         "trails.toml: [mcp] tool_names = \"portable\""),
    WARN("mcp.names",
         "a_name_of_more_than_forty_characters_is_long: hosts put the server's "
         "name in front and allow 64 in all",
         "choose a shorter id"),
    WARN("mcp.schemas",
         "union: /oneOf: several hosts refuse combinators at the root",
         "write the schema in plainer words: one object, one type for each "
         "property"),
};

TEST(doctor_warns_of_what_hosts_refuse)
{
    struct fixture f;
    examine(&f, ill);
    CHECK_INT(f.checkup.health, TR_HEALTH_WARN);
    check(&f, refused, TR_LEN(refused));
    tear_down(&f);
}

TEST(doctor_is_told_as_json)
{
    struct tr_check checks[] = {GOOD("a", "good"), WARN("b", "bad", "do")};
    const struct tr_checkup checkup = {.checks = {checks, 2, 2},
                                       .health = TR_HEALTH_WARN};
    struct tr_json_writer w;
    struct tr_buf text;
    tr_buf_init(&text, TR_KIB(1));
    tr_jw_init(&w, &text);
    tr_doctor_write(&w, &checkup);
    CHECK_OK(tr_jw_finish(&w, NULL), NULL);
    CHECK_STR(tr_buf_str(&text),
              "{\"status\":\"warn\",\"checks\":[{\"id\":\"a\",\"status\":"
              "\"ok\",\"message\":\"good\"},{\"id\":\"b\",\"status\":"
              "\"warn\",\"message\":\"bad\",\"fix\":\"do\"}]}");
    tr_buf_done(&text);
}

/* A table that is not there cannot be read. */
TEST(doctor_fails_when_the_store_cannot_be_read)
{
    struct fixture f;
    struct tr_err err = {0};
    struct tr_db *db = NULL;
    struct folder folder;
    char path[512];
    examine(&f, well);
    folder_open(&folder);
    (void)snprintf(path, sizeof(path), "%s/empty.db", folder.path);
    CHECK_OK(tr_db_open(path, NULL, &db, &err), &err);
    CHECK_OK(
        tr_doctor_examine(f.world.app.snapshot, db, &f.arena, &f.checkup, &err),
        &err);
    CHECK_INT(f.checkup.health, TR_HEALTH_FAIL);
    CHECK_STR(tr_str_from(f.checkup.checks.items[2].id), "store.integrity");
    CHECK_INT(f.checkup.checks.items[2].health, TR_HEALTH_FAIL);
    CHECK_STR(f.checkup.checks.items[2].fix,
              "restore a backup: trails restore");
    tr_db_close(db);
    folder_close(&folder);
    tear_down(&f);
}

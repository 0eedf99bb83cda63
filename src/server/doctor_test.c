#include "server/doctor.h"

#include "base/limits.h"
#include "base/test.h"
#include "db/db.h"
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
    const struct tr_door_ops *own;
    char text[4096];
};

/* What is written is gone afterwards: so it is read here. */
static void read_end(struct tr_call *call, const struct tr_outcome *outcome)
{
    struct visit *visit = (struct visit *)(void *)call;
    (void)snprintf(visit->text, sizeof(visit->text), "%.*s",
                   TR_FMT(tr_json_text(outcome->value)));
    visit->own->finished(call, outcome);
}

/* Asks the doctor of a world, as one who reads trails://doctor does. */
static void examine(struct lua_world *world, struct visit *visit)
{
    static const struct tr_built_in what = {.write = tr_doctor_answer};
    static const struct tr_handler handler = {.run = tr_built_in_run,
                                              .data = &what};
    struct lua_call *c = &visit->c;
    lua_call_init(c, &world->app, "union", "{}");
    visit->own = c->call.door;
    struct tr_door_ops door = *visit->own;
    door.finished = read_end;
    c->call.door = &door;
    c->call.cap = NULL;
    c->call.handler = &handler;
    lua_call_start(c);
    lua_call_wait(c, 0);
    lua_call_done(c);
}

static void check(const char *source, const char *expected)
{
    struct lua_world world;
    struct visit visit;
    lua_world_open_bare(&world, source, NULL);
    examine(&world, &visit);
    CHECK_STR(tr_str_from(visit.text), expected);
    lua_world_close(&world);
}

#define GOOD(id, text)                                                         \
    "{\"id\":\"" id "\",\"status\":\"ok\",\"message\":\"" text "\"}"
#define WARN(id, text, advice)                                                 \
    "{\"id\":\"" id "\",\"status\":\"warn\",\"message\":\"" text               \
    "\",\"fix\":\"" advice "\"}"
#define CONFIG                                                                 \
    GOOD("config.parse", "trails.toml and the environment are in force")
#define STORE GOOD("store.integrity", "the store can be read")

TEST(doctor_says_that_all_is_well)
{
    check(well,
          "{\"status\":\"ok\",\"checks\":[" CONFIG
          "," GOOD("shapes.valid",
                   "1 node types and 2 shapes are in "
                   "force") "," STORE
                            "," GOOD("mcp.names", "hosts take the names of all "
                                                  "tools") "," GOOD(
                                "mcp.schemas", "hosts take "
                                               "the schemas "
                                               "of all "
                                               "tools") "]"
                                                        "}");
}

TEST(doctor_warns_of_what_hosts_refuse)
{
    check(
        ill,
        "{\"status\":\"warn\",\"checks\":[" CONFIG
        "," GOOD("shapes.valid", "0 node types and 0 shapes are in force") "," STORE "," WARN(
            "mcp.names", "a.b: several hosts refuse dots in a tool's name",
            "trails.toml: [mcp] tool_names = \\\"portable\\\"") "," WARN("mcp."
                                                                         "name"
                                                                         "s",
                                                                         "a_"
                                                                         "name_"
                                                                         "of_"
                                                                         "more_"
                                                                         "than_"
                                                                         "forty"
                                                                         "_char"
                                                                         "acter"
                                                                         "s_is_"
                                                                         "long:"
                                                                         " host"
                                                                         "s "
                                                                         "put "
                                                                         "the "
                                                                         "serve"
                                                                         "r's "
                                                                         "name "
                                                                         "in "
                                                                         "front"
                                                                         " and "
                                                                         "allow"
                                                                         " 64 "
                                                                         "in "
                                                                         "all",
                                                                         "choos"
                                                                         "e a "
                                                                         "short"
                                                                         "er "
                                                                         "id") "," WARN("mcp.schemas",
                                                                                        "union: /oneOf: several hosts refuse combinators at the root",
                                                                                        "write the schema in plainer words: one object, one type for "
                                                                                        "each property") "]}");
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
    examine(&world, &visit);
    CHECK(strstr(visit.text, "{\"status\":\"fail\",\"checks\":["));
    CHECK(strstr(visit.text, "{\"id\":\"store.integrity\",\"status\":"
                             "\"fail\","));
    CHECK(strstr(visit.text, "\"fix\":\"restore a backup: trails restore\""));
    lua_world_close(&world);
}

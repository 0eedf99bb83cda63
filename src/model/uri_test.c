#include "model/uri.h"

#include "base/limits.h"
#include "base/test.h"
#include "support/world.h"

static const struct {
    const char *iri;
    const char *uri;
} pairs[] = {
    {"", "trails://kg/Task"},
    {"trails://test/Task/1", "trails://kg/Task/1"},
    {"trails://test/Task/a b", "trails://kg/Task/a%20b"},
    {"trails://test/Person/1",
     "trails://kg/Task/trails%3A%2F%2Ftest%2FPerson%2F1"},
    {"trails://test/Task/1/2",
     "trails://kg/Task/trails%3A%2F%2Ftest%2FTask%2F1%2F2"},
    {"trails://test/Task/", "trails://kg/Task/trails%3A%2F%2Ftest%2FTask%2F"},
    {"http://w/%20", "trails://kg/Task/http%3A%2F%2Fw%2F%2520"},
};

TEST(an_iri_has_one_uri_and_that_can_be_watched)
{
    struct world world;
    world_open(&world);
    for (size_t i = 0; i < TR_LEN(pairs); i++) {
        struct tr_buf out;
        tr_buf_init(&out, TR_KIB(4));
        tr_model_kg_uri_write(&out, world_type(&world, "Task"),
                              tr_str_from(pairs[i].iri), world.model);
        CHECK_STR(tr_buf_str(&out), pairs[i].uri);
        CHECK_ROW(tr_model_kg_uri_is_ours(tr_buf_str(&out), world.model),
                  pairs[i].uri);
        tr_buf_done(&out);
    }
    world_close(&world);
}

/* With the end of its IRI, where the name in that is of the family. */
TEST(an_instance_has_another_uri_in_its_family)
{
    static const struct {
        const char *type;
        const char *iri;
        const char *uri; /* NULL: none */
    } rows[] = {
        {"Thing", "trails://test/Thing/1", NULL},
        {"Thing", "trails://test/Thing/1/2", "trails://kg/Thing/1%2F2"},
        {"Thing", "trails://test/Task/a b", "trails://kg/Thing/a%20b"},
        {"Task", "trails://test/Thing/1", "trails://kg/Task/1"},
        {"Thing", "trails://test/Person/1", NULL},
        {"Thing", "trails://test/Nothing/1", NULL},
        {"Thing", "trails://test/Task/", NULL},
        {"Thing", "trails://else/Task/1", NULL},
        {"Thing", "http://w/Task/1", NULL},
    };
    struct world world;
    world_open(&world);
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        struct tr_buf out;
        tr_buf_init(&out, TR_KIB(4));
        bool has =
            tr_model_kg_uri_write_end(&out, world_type(&world, rows[i].type),
                                      tr_str_from(rows[i].iri), world.model);
        CHECK_ROW(has == (rows[i].uri != NULL), rows[i].iri);
        CHECK_STR(tr_buf_str(&out), rows[i].uri ? rows[i].uri : "");
        CHECK_ROW(!has ||
                      tr_model_kg_uri_is_ours(tr_buf_str(&out), world.model),
                  rows[i].iri);
        tr_buf_done(&out);
    }
    world_close(&world);
}

static const char *const others[] = {
    "",
    "trails://kg/",
    "trails://kg/task",
    "trails://kg/Nothing",
    "trails://kg/Task/",
    "trails://kg/Task/1/2",
    "trails://kg/Task/%",
    "trails://kg/Task/%3",
    "trails://kg/Task/%31",
    "trails://kg/Task/a b",
    "trails://kg/Task/http%3a%2F%2Fw%2Fa",
    "trails://kg/Task/trails%3A%2F%2Ftest%2FTask%2F1",
    "trails://kg/Task?where=size=1",
    "trails://kg/Task/1?a",
    "trails://kg/Task#a",
    "trails://kg/Task/1#a",
    "trails://other/Task",
};

TEST(no_other_uri_is_ours)
{
    struct world world;
    world_open(&world);
    for (size_t i = 0; i < TR_LEN(others); i++)
        CHECK_ROW(!tr_model_kg_uri_is_ours(tr_str_from(others[i]), world.model),
                  others[i]);
    CHECK(!tr_model_kg_uri_is_ours(TR_STR("trails://kg/Task"), NULL));
    world_close(&world);
}

TEST(an_iri_is_short_where_its_type_is_known)
{
    static const char *const rows[][3] = {
        {"trails://test/Task/1", "Task", "1"},
        {"trails://test/Task/1", "Thing", "1"},
        {"trails://test/Thing/1", "Task", "1"},
        {"trails://test/Task/1", "", "1"},
        {"trails://test/Task/1", "Person", "trails://test/Task/1"},
        {"trails://test/Task/1/2", "Task", "trails://test/Task/1/2"},
        {"http://w/1", "", "http://w/1"},
    };
    struct world world;
    world_open(&world);
    for (size_t i = 0; i < TR_LEN(rows); i++)
        CHECK_STR(tr_model_short_id(
                      world.model,
                      rows[i][1][0] ? world_type(&world, rows[i][1]) : NULL,
                      tr_str_from(rows[i][0])),
                  rows[i][2]);
    world_close(&world);
}

TEST(the_end_of_a_uri_is_the_end_of_an_iri_or_a_whole_one)
{
    struct world world;
    tr_str iris[2];
    world_open(&world);
    CHECK(tr_model_kg_uri_iris(&world.arena, world_type(&world, "Task"),
                               TR_STR("x"), world.model, iris));
    CHECK_STR(iris[0], "trails://test/Task/x");
    CHECK_STR(iris[1], "x");
    world_close(&world);
}

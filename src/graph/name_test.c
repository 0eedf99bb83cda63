#include "base/test.h"
#include "model/builder.h"
#include "support/team.h"

/* Names made of a set, a list and a number. */
static const struct tr_model *make_model(void)
{
    static const struct tr_field fields[] = {
        {.name = TR_STR_INIT("tags"), .many = true},
        {.name = TR_STR_INIT("steps"), .list = true},
        {.name = TR_STR_INIT("n"), .kind = TR_FIELD_DECIMAL},
    };
    static const tr_str names[] = {TR_STR_INIT("tags"), TR_STR_INIT("steps"),
                                   TR_STR_INIT("n")};
    const struct tr_model_type_draft draft = {
        .shape = {.name = TR_STR("Set"),
                  .fields = fields,
                  .count = TR_LEN(fields)},
        .has_strategy = true,
        .strategy = TR_MODEL_IRI_CONTENT,
        .content_fields = names,
        .content_count = TR_LEN(names)};
    struct tr_model_builder *builder = NULL;
    const struct tr_model *model = NULL;
    struct tr_err err = {0};
    CHECK_OK(tr_model_builder_create(TR_STR("team"), &builder, &err), &err);
    CHECK_OK(tr_model_builder_add_type(builder, &draft, &err), &err);
    CHECK_OK(tr_model_build(builder, &model, &err), &err);
    tr_model_builder_free(builder);
    return model;
}

static void open_team(struct team *team)
{
    team_open(team);
    tr_model_free(team->model);
    team->model = make_model();
}

static void name_of(struct team *team, const char *fields, char out[160])
{
    struct team_call call;
    tr_str iri;
    team_begin(&call, team);
    CHECK_OK(team_create(&call, "Set", "", fields, &iri), &call.err);
    (void)snprintf(out, 160, "%.*s", TR_FMT(iri));
    team_end(&call);
}

#define SETS "\"steps\":[\"x\",\"y\"],\"n\":\"1.50\"}"

/* Nodes of before keep being found by their content. */
TEST(name_by_content_stays_what_it_was)
{
    struct team team;
    char name[160];
    open_team(&team);
    name_of(&team, "{\"tags\":[\"a\",\"b\"]," SETS, name);
    CHECK_STR(tr_str_from(name),
              "trails://team/Set/sha256-30dbf0bf6628c02f65d1ed7b406c3adbec8573"
              "0a154d6b9c1a6a8a71153e358e");
    team_close(&team);
}

TEST(name_by_content_is_that_of_a_set_in_any_order_and_of_a_list_in_its_own)
{
    struct team team;
    char wanted[160];
    char name[160];
    open_team(&team);
    name_of(&team, "{\"tags\":[\"a\",\"b\"]," SETS, wanted);
    name_of(&team, "{\"tags\":[\"b\",\"a\"]," SETS, name);
    CHECK_STR(tr_str_from(name), wanted);
    name_of(&team, "{\"tags\":[\"b\",\"a\",\"b\"]," SETS, name);
    CHECK_STR(tr_str_from(name), wanted);
    name_of(&team,
            "{\"n\":\"01.5\",\"steps\":[\"x\",\"y\"],\"tags\":"
            "[\"b\",\"a\"]}",
            name);
    CHECK_STR(tr_str_from(name), wanted);
    name_of(&team,
            "{\"tags\":[\"a\",\"b\"],\"steps\":[\"y\",\"x\"],"
            "\"n\":\"1.50\"}",
            name);
    CHECK(strcmp(name, wanted) != 0);
    name_of(&team,
            "{\"tags\":[\"a\",\"b\"],\"steps\":[\"x\",\"y\",\"x\"],"
            "\"n\":\"1.50\"}",
            name);
    CHECK(strcmp(name, wanted) != 0);
    name_of(&team, "{\"tags\":[\"a\",\"b\",\"c\"]," SETS, name);
    CHECK(strcmp(name, wanted) != 0);
    team_close(&team);
}

/* Who makes it again is told that it is there. */
TEST(name_by_content_of_a_node_that_is_there_is_a_conflict)
{
    struct team team;
    struct team_call call;
    tr_str iri;
    open_team(&team);
    team_begin(&call, &team);
    CHECK_OK(
        team_create(&call, "Set", "", "{\"tags\":[\"a\",\"b\"]," SETS, &iri),
        &call.err);
    CHECK_OK(team_land(&call), &call.err);
    team_end(&call);
    team_begin(&call, &team);
    CHECK_INT(
        team_create(&call, "Set", "", "{\"tags\":[\"b\",\"a\"]," SETS, &iri),
        TR_E_CONFLICT);
    team_end(&call);
    team_close(&team);
}

struct sweep {
    struct team *team;
    const struct tr_json *fields;
};

static tr_status create_one(void *context, struct tr_err *err)
{
    const struct sweep *sweep = context;
    const struct tr_model_type *type =
        tr_model_find(sweep->team->model, TR_STR("Set"));
    struct team_call call;
    tr_str iri;
    team_begin(&call, sweep->team);
    tr_status status = tr_graph_kg_create(&call.kg, type, TR_STR(""),
                                          sweep->fields, &iri, err);
    team_end(&call);
    return status;
}

TEST(name_by_content_survives_every_allocation_that_fails)
{
    struct team team;
    struct team_call call;
    struct tr_err err = {0};
    open_team(&team);
    team_begin(&call, &team);
    struct sweep sweep = {&team,
                          team_json(&call, "{\"tags\":[\"b\",\"a\"]," SETS)};
    CHECK_OK(create_one(&sweep, &err), &err); /* what is kept is there */
    tr_test_sweep(create_one, &sweep);
    team_end(&call);
    team_close(&team);
}

#include "model/tool_shape.h"

#include "base/limits.h"
#include "base/test.h"
#include "fields/json_schema.h"
#include "fields/pattern.h"
#include "json/writer.h"
#include "model/builder.h"

#define FIELDS(list) .fields = (list), .count = TR_LEN(list)

static const tr_str pair[] = {TR_STR_INIT("a"), TR_STR_INIT("b")};
static const struct tr_shape_unique together[] = {{pair, 2}};
static const struct tr_json seven = {
    .kind = TR_JSON_NUMBER, .flags = TR_JSON_INTEGER, .len = 1, .as.text = "7"};

static const struct tr_field thing[] = {
    {.name = TR_STR_INIT("a"), .pattern = TR_STR_INIT("^x"), .max_length = 9},
    {.name = TR_STR_INIT("b"),
     .kind = TR_FIELD_INTEGER,
     .default_to = &seven,
     .header = TR_STR_INIT("B")},
    {.name = TR_STR_INIT("c"), .many = true, .min_count = 2},
};
static const struct tr_field part[] = {
    {.name = TR_STR_INIT("of"),
     .kind = TR_FIELD_REF,
     .target = TR_STR_INIT("Thing"),
     .optional = true},
};
static const struct tr_field clashing[] = {
    {.name = TR_STR_INIT("version")},
    {.name = TR_STR_INIT("limit")},
};

static const struct tr_field clearing[] = {
    {.name = TR_STR_INIT("clear"), .optional = true},
};

struct fixture {
    struct tr_model_tool_shape how;
    struct tr_arena arena;
    struct tr_field_patterns patterns;
    struct tr_buf text;
};

static const struct tr_model *make_model(void)
{
    static const struct tr_model_type_draft drafts[] = {
        {.shape = {.name = TR_STR_INIT("Thing"),
                   .description = TR_STR_INIT("It."),
                   FIELDS(thing),
                   .unique = together,
                   .unique_count = 1}},
        {.shape = {.name = TR_STR_INIT("Part"), FIELDS(part)},
         .extends = TR_STR_INIT("Thing"),
         .has_strategy = true,
         .strategy = TR_MODEL_IRI_PRESERVE,
         .where = TR_STR_INIT("app.lua:3"),
         .tools = TR_MODEL_TOOL_CREATE | TR_MODEL_TOOL_FIND},
        {.shape = {.name = TR_STR_INIT("Clash"), FIELDS(clashing)}},
        {.shape = {.name = TR_STR_INIT("Empty"), FIELDS(clearing)}},
    };
    struct tr_model_builder *builder = NULL;
    const struct tr_model *model = NULL;
    struct tr_err err = {0};
    CHECK_OK(tr_model_builder_create(TR_STR("x"), &builder, &err), &err);
    for (size_t i = 0; i < TR_LEN(drafts); i++)
        CHECK_OK(tr_model_builder_add_type(builder, &drafts[i], &err), &err);
    CHECK_OK(tr_model_build(builder, &model, &err), &err);
    tr_model_builder_free(builder);
    return model;
}

static void set_up(struct fixture *f)
{
    *f = (struct fixture){0};
    tr_arena_init(&f->arena, TR_MIB(4));
    tr_buf_init(&f->text, TR_KIB(64));
    f->how = (struct tr_model_tool_shape){
        .model = make_model(), .arena = &f->arena, .patterns = &f->patterns};
}

static void tear_down(struct fixture *f)
{
    tr_model_free(f->how.model);
    tr_field_patterns_done(&f->patterns);
    tr_arena_done(&f->arena);
    tr_buf_done(&f->text);
}

static void check(struct fixture *f, const char *type,
                  tr_model_tool_shape_fn *make, const char *expected)
{
    const struct tr_shape *shape = NULL;
    struct tr_err err = {0};
    struct tr_json_writer w;
    f->how.type = tr_model_find(f->how.model, tr_str_from(type));
    CHECK_OK(make(&f->how, &shape, &err), &err);
    tr_buf_clear(&f->text);
    tr_jw_init(&w, &f->text);
    tr_shape_write_json_schema(&w, shape, 0);
    CHECK_OK(tr_jw_finish(&w, &err), &err);
    CHECK_STR(tr_buf_str(&f->text), expected);
}

#define A    "\"a\":{\"maxLength\":9,\"pattern\":\"^x\",\"type\":\"string\"}"
#define TEXT "{\"type\":\"string\"}"
#define MANY "\"items\":" TEXT ",\"minItems\":2,\"type\":\"array\"}"
#define REF(type)                                                              \
    "\"format\":\"iri\",\"trails:node_type\":\"" type "\",\"type\":"           \
    "\"string\"}"
#define VERSION                                                                \
    "\"version\":{\"description\":\"The _version that was read: refused when " \
    "it has been changed since.\",\"maximum\":9007199254740991,"               \
    "\"minimum\":1,\"type\":\"integer\"}"

TEST(a_new_instance_is_given_its_fields_and_perhaps_its_id)
{
    struct fixture f;
    set_up(&f);
    check(&f, "Thing", tr_model_tool_shape_fields,
          "{\"additionalProperties\":false,\"description\":\"It. Unique "
          "together: (a, b).\",\"properties\":{" A
          ",\"b\":{\"default\":7,\"type\":\"integer\",\"x-mcp-header\":\"B\"},"
          "\"c\":{" MANY "},\"required\":[\"a\",\"c\"],\"type\":\"object\"}");
    const struct tr_model_type *thing_type = f.how.type;
    /* What holds above the type is told, too. */
    check(
        &f, "Part", tr_model_tool_shape_create,
        "{\"additionalProperties\":false,\"description\":\"Unique together: "
        "(a, b).\",\"properties\":{\"id\":{" REF(
            "Part") "," A ",\"b\":{\"default\":7,\"type\":\"integer\",\"x-mcp-"
                    "header\":\"B\"},"
                    "\"c\":{" MANY ",\"of\":{" REF(
                        "Thing") "},\"required\":[\"id\",\"a\",\"c\"],\"type\":"
                                 "\"object\"}");
    CHECK_INT(f.how.type->tools, TR_MODEL_TOOL_CREATE | TR_MODEL_TOOL_FIND);
    CHECK_STR(f.how.type->where, "app.lua:3");
    CHECK_INT(thing_type->tools, 0);
    tear_down(&f);
}

TEST(a_change_needs_its_id_and_fills_nothing_in)
{
    struct fixture f;
    set_up(&f);
    check(&f, "Thing", tr_model_tool_shape_update,
          "{\"additionalProperties\":false,\"description\":\"Unique together: "
          "(a, b).\",\"properties\":{\"id\":{\"description\":\"Which one to "
          "change.\"," REF(
              "Thing") "," VERSION "," A
                       ",\"b\":{\"type\":\"integer\"},\"c\":{" MANY
                       "},\"required\":[\"id\"],\"type\":\"object\"}");
    check(&f, "Thing", tr_model_tool_shape_delete,
          "{\"additionalProperties\":false,\"properties\":{\"id\":{"
          "\"description\":\"Which one to delete.\"," REF(
              "Thing") "," VERSION "},"
                       "\"required\":[\"id\"],\"type\":\"object\"}");
    check(&f, "Thing", tr_model_tool_shape_deleted,
          "{\"additionalProperties\":false,\"properties\":{\"id\":{" REF(
              "Thing") ",\"deleted\":{\"type\":\"boolean\"}},\"required\":["
                       "\"id\",\"deleted\"],\"type\":\"object\"}");
    tear_down(&f);
}

/* What is optional can be cleared; a field that is called so is a field. */
TEST(a_change_names_what_it_clears)
{
    struct fixture f;
    set_up(&f);
    check(&f, "Part", tr_model_tool_shape_update,
          "{\"additionalProperties\":false,\"description\":\"Unique together: "
          "(a, b).\",\"properties\":{\"id\":{\"description\":\"Which one to "
          "change.\"," REF(
              "Part") "," VERSION "," A
                      ",\"b\":{\"type\":\"integer\"},\"c\":{" MANY
                      ",\"of\":{" REF(
                          "Thing") ",\"clear\":{\"description\":"
                                   "\"Which fields to empty.\",\"items\":{"
                                   "\"enum\":[\"of\"],\"type\":\"string\"},"
                                   "\"type\":\"array\"}"
                                   "},\"required\":[\"id\"],"
                                   "\"type\":\"object\"}");
    check(&f, "Empty", tr_model_tool_shape_update,
          "{\"additionalProperties\":false,\"properties\":{"
          "\"id\":{\"description\":\"Which one to change.\"," REF(
              "Empty") "," VERSION ",\"clear\":" TEXT
                       "},\"required\":[\"id\"],\"type\":\"object\"}");
    tear_down(&f);
}

#define THERE                                                                  \
    "\"present\":{\"type\":\"boolean\"},\"absent\":{\"type\":\"boolean\"}},"   \
    "\"type\":\"object\"}"
#define FORMS "{\"additionalProperties\":false,\"properties\":{"
#define ONE_OF(one)                                                            \
    "\"one_of\":{\"items\":" one ",\"maxItems\":100,\"type\":\"array\"},"
#define RANGE(one)                                                             \
    FORMS "\"min\":" one ",\"max\":" one ",\"above\":" one ",\"below\":" one   \
          "," ONE_OF(one)
#define INTEGER "{\"type\":\"integer\"}"

static const char SEARCH[] =
    "{\"additionalProperties\":false,\"properties\":{\"a\":" TEXT
    ",\"b\":" INTEGER ",\"of\":{" REF(
        "Thing") ",\"filter\":{\"description\":"
                 "\"What each must fit: {\\\"field\\\": {\\\"min\\\": ...}}. A "
                 "field of "
                 "what a ref refers to is \\\"ref.field\\\".\",\"properties\":{"
                 "\"a\":" RANGE(TEXT) "\"prefix\":" TEXT "," THERE
                                      ",\"b\":" RANGE(INTEGER) THERE
    ",\"c\":" FORMS "\"has\":" TEXT "," THERE
    ",\"of\":" FORMS ONE_OF("{" REF("Thing")) THERE
    "},\"type\":\"object\"},\"order\":{\"description\":\"Which come first; "
    "with - the greatest.\",\"enum\":[\"a\",\"-a\",\"b\",\"-b\",\"of\","
    "\"-of\"],\"type\":\"string\"},\"fields\":{\"description\":\"Which fields "
    "to show; else all.\",\"items\":{\"enum\":[\"a\",\"b\",\"c\",\"of\"],"
    "\"type\":\"string\"},\"type\":\"array\"},\"limit\":{\"default\":25,"
    "\"description\":\"How many at most.\",\"maximum\":100,\"minimum\":1,"
    "\"type\":\"integer\"},\"cursor\":{\"description\":\"`next` of the page "
    "before.\",\"type\":\"string\"}},\"type\":\"object\"}";

TEST(a_search_takes_any_value_of_fields_that_have_one)
{
    struct fixture f;
    set_up(&f);
    check(&f, "Part", tr_model_tool_shape_find, SEARCH);
    tear_down(&f);
}

#define OWN                                                                    \
    "\"_type\":" TEXT ",\"_version\":{\"description\":\"How often it was "     \
    "changed.\",\"type\":\"integer\"}"

/* Of a type that has subtypes, others are shown with what they have. */
TEST(an_instance_is_told_with_what_every_node_has)
{
    struct fixture f;
    set_up(&f);
    check(&f, "Part", tr_model_tool_shape_node,
          "{\"additionalProperties\":false,\"properties\":{\"id\":{" REF(
              "Part") "," OWN "," A ",\"b\":{\"type\":\"integer\"},\"c\":{" MANY
                      ",\"of\":{" REF("Thing") "},\"required\":[\"id\",\"a\","
                                               "\"c\"],\"type\":\"object\"}");
    check(&f, "Thing", tr_model_tool_shape_stored,
          "{\"properties\":{\"id\":{" REF(
              "Thing") "," OWN ",\"a\":" TEXT
                       ",\"b\":{\"type\":\"integer\"},\"c\":{\"items\":" TEXT
                       ",\"type\":\"array\"}},\"required\":[\"id\"],\"type\":"
                       "\"object\"}");
    tear_down(&f);
}

static void check_clash(struct fixture *f, tr_model_tool_shape_fn *make,
                        const char *message)
{
    const struct tr_shape *shape = NULL;
    struct tr_err err = {0};
    CHECK_INT(make(&f->how, &shape, &err), TR_E_INVALID);
    CHECK_STR(tr_str_from(err.msg), message);
}

TEST(a_field_with_the_name_of_an_argument_is_refused_where_it_matters)
{
    struct fixture f;
    set_up(&f);
    f.how.type = tr_model_find(f.how.model, TR_STR("Clash"));
    check_clash(&f, tr_model_tool_shape_update,
                "its field 'version' has the name of an argument: call it "
                "otherwise, or write the capability yourself");
    check_clash(&f, tr_model_tool_shape_find,
                "its field 'limit' has the name of an argument: call it "
                "otherwise, or write the capability yourself");
    check(&f, "Clash", tr_model_tool_shape_create,
          "{\"additionalProperties\":false,\"properties\":{\"version\":" TEXT
          ",\"limit\":" TEXT "},\"required\":[\"version\",\"limit\"],"
          "\"type\":\"object\"}");
    tear_down(&f);
}

static tr_status make_all(void *context, struct tr_err *err)
{
    static tr_model_tool_shape_fn *const all[] = {
        tr_model_tool_shape_fields,  tr_model_tool_shape_create,
        tr_model_tool_shape_update,  tr_model_tool_shape_delete,
        tr_model_tool_shape_find,    tr_model_tool_shape_node,
        tr_model_tool_shape_deleted, tr_model_tool_shape_stored,
    };
    struct tr_model_tool_shape how =
        *(const struct tr_model_tool_shape *)context;
    struct tr_field_patterns patterns = {0};
    struct tr_arena arena;
    const struct tr_shape *shape = NULL;
    tr_status st = TR_OK;
    tr_arena_init(&arena, TR_MIB(4));
    how.arena = &arena;
    how.patterns = &patterns;
    for (size_t i = 0; i < TR_LEN(all) && st == TR_OK; i++)
        st = all[i](&how, &shape, err);
    tr_field_patterns_done(&patterns);
    tr_arena_done(&arena);
    return st;
}

TEST(making_the_shapes_of_tools_survives_without_memory)
{
    struct fixture f;
    set_up(&f);
    f.how.type = tr_model_find(f.how.model, TR_STR("Part"));
    tr_test_sweep(make_all, &f.how);
    tear_down(&f);
}

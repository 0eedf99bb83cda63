#include "fields/json_schema.h"

#include "base/limits.h"
#include "base/test.h"
#include "fields/pattern.h"
#include "json/reader.h"

struct fixture {
    struct tr_arena arena;
    struct tr_field_patterns patterns;
};

static const struct tr_json *json(struct tr_arena *arena, const char *text)
{
    const struct tr_json *tree = NULL;
    struct tr_err err = {0};
    CHECK_OK(tr_json_read(arena, tr_str_from(text), NULL, &tree, &err), &err);
    return tree;
}

static void check_schema(struct fixture *f, const struct tr_shape *draft,
                         unsigned flags, const char *expected)
{
    const struct tr_shape *shape = NULL;
    struct tr_err err = {0};
    struct tr_json_writer w;
    struct tr_buf buf;
    CHECK_OK(tr_shape_register(&f->arena, &f->patterns, draft, &shape, &err),
             &err);
    tr_buf_init(&buf, TR_KIB(64));
    tr_jw_init(&w, &buf);
    tr_shape_write_json_schema(&w, shape, flags);
    CHECK_OK(tr_jw_finish(&w, &err), &err);
    CHECK_STR(tr_buf_str(&buf), expected);
    tr_buf_done(&buf);
}

static void set_up(struct fixture *f)
{
    *f = (struct fixture){0};
    tr_arena_init(&f->arena, TR_MIB(4));
}

static void tear_down(struct fixture *f)
{
    tr_field_patterns_done(&f->patterns);
    tr_arena_done(&f->arena);
}

TEST(a_shape_without_fields_is_an_empty_object)
{
    struct fixture f;
    set_up(&f);
    check_schema(&f, &(struct tr_shape){0}, 0,
                 "{\"additionalProperties\":false,\"properties\":{},"
                 "\"type\":\"object\"}");
    check_schema(&f, &(struct tr_shape){.open = true}, TR_SHAPE_WITH_DIALECT,
                 "{\"$schema\":\"http://json-schema.org/draft-07/schema#\","
                 "\"properties\":{},\"type\":\"object\"}");
    tear_down(&f);
}

/* One row for each constraint that a field can have. */
TEST(every_constraint_has_its_keyword_and_fields_keep_their_order)
{
    struct fixture f;
    set_up(&f);
    const struct tr_field fields[] = {
        {.name = TR_STR("status"),
         .one_of = json(&f.arena, "[\"b\",\"a\"]"),
         .default_to = json(&f.arena, "\"a\""),
         .title = TR_STR("Status"),
         .description = TR_STR("How far it is.")},
        {.name = TR_STR("req_id"),
         .pattern = TR_STR("^REQ-\\d+$"),
         .min_length = 5,
         .max_length = 9,
         .header = TR_STR("Req")},
        {.name = TR_STR("priority"),
         .kind = TR_FIELD_INTEGER,
         .min_value = TR_STR("1"),
         .max_value = TR_STR("9007199254740993"),
         .optional = true},
        {.name = TR_STR("share"),
         .kind = TR_FIELD_NUMBER,
         .min_value = TR_STR("0.10")},
        {.name = TR_STR("done"), .kind = TR_FIELD_BOOLEAN},
        {.name = TR_STR("due"), .kind = TR_FIELD_DATETIME},
        {.name = TR_STR("owner"),
         .kind = TR_FIELD_REF,
         .target = TR_STR("Person")},
    };
    check_schema(
        &f, &(struct tr_shape){.fields = fields, .count = TR_LEN(fields)}, 0,
        "{\"additionalProperties\":false,\"properties\":{"
        "\"status\":{\"default\":\"a\",\"description\":\"How far it is.\","
        "\"enum\":[\"b\",\"a\"],\"title\":\"Status\",\"type\":\"string\"},"
        "\"req_id\":{\"maxLength\":9,\"minLength\":5,"
        "\"pattern\":\"^REQ-\\\\d+$\",\"type\":\"string\","
        "\"x-mcp-header\":\"Req\"},"
        "\"priority\":{\"maximum\":9007199254740993,\"minimum\":1,"
        "\"type\":\"integer\"},"
        "\"share\":{\"minimum\":0.10,\"type\":\"number\"},"
        "\"done\":{\"type\":\"boolean\"},"
        "\"due\":{\"format\":\"date-time\",\"type\":\"string\"},"
        "\"owner\":{\"format\":\"iri\",\"trails:node_type\":\"Person\","
        "\"type\":\"string\"}},"
        "\"required\":[\"req_id\",\"share\",\"done\",\"due\",\"owner\"],"
        "\"type\":\"object\"}");
    tear_down(&f);
}

TEST(many_is_an_array_and_constraints_are_on_its_items)
{
    struct fixture f;
    set_up(&f);
    const struct tr_field fields[] = {
        {.name = TR_STR("tags"),
         .many = true,
         .max_count = 5,
         .max_length = 20,
         .title = TR_STR("Tags"),
         .description = TR_STR("Words.")},
        {.name = TR_STR("due"),
         .kind = TR_FIELD_DATETIME,
         .many = true,
         .min_count = 2},
        {.name = TR_STR("more"), .many = true, .optional = true},
        {.name = TR_STR("some"),
         .many = true,
         .default_to = json(&f.arena, "[]")},
    };
    check_schema(
        &f, &(struct tr_shape){.fields = fields, .count = TR_LEN(fields)}, 0,
        "{\"additionalProperties\":false,\"properties\":{"
        "\"tags\":{\"description\":\"Words.\",\"items\":{\"maxLength\":20,"
        "\"type\":\"string\"},\"maxItems\":5,\"minItems\":1,\"title\":\"Tags\","
        "\"type\":\"array\"},"
        "\"due\":{\"items\":{\"format\":\"date-time\",\"type\":\"string\"},"
        "\"minItems\":2,\"type\":\"array\"},"
        "\"more\":{\"items\":{\"type\":\"string\"},\"type\":\"array\"},"
        "\"some\":{\"default\":[],\"items\":{\"type\":\"string\"},"
        "\"type\":\"array\"}},"
        "\"required\":[\"tags\",\"due\"],\"type\":\"object\"}");
    tear_down(&f);
}

TEST(a_plain_schema_has_only_what_everybody_knows)
{
    static const struct tr_field fields[] = {
        {.name = TR_STR_INIT("owner"),
         .kind = TR_FIELD_REF,
         .target = TR_STR_INIT("Person")},
        {.name = TR_STR_INIT("due"), .kind = TR_FIELD_DATETIME},
        {.name = TR_STR_INIT("all"),
         .kind = TR_FIELD_REF,
         .target = TR_STR_INIT("Person"),
         .many = true},
    };
    struct fixture f;
    set_up(&f);
    check_schema(
        &f, &(struct tr_shape){.fields = fields, .count = TR_LEN(fields)},
        TR_SHAPE_PLAIN,
        "{\"additionalProperties\":false,\"properties\":{"
        "\"owner\":{\"type\":\"string\"},"
        "\"due\":{\"format\":\"date-time\",\"type\":\"string\"},"
        "\"all\":{\"items\":{\"type\":\"string\"},\"minItems\":1,"
        "\"type\":\"array\"}},"
        "\"required\":[\"owner\",\"due\",\"all\"],\"type\":\"object\"}");
    tear_down(&f);
}

TEST(what_is_unique_together_is_said_in_the_description)
{
    static const struct tr_field fields[] = {{.name = TR_STR_INIT("a")},
                                             {.name = TR_STR_INIT("b")}};
    static const tr_str both[] = {TR_STR_INIT("a"), TR_STR_INIT("b")};
    static const struct tr_shape_unique unique[] = {{both, 1}, {both, 2}};
    struct tr_shape draft = {.fields = fields,
                             .count = 2,
                             .unique = unique,
                             .unique_count = 2,
                             .description = TR_STR("A pair.")};
    struct fixture f;
    set_up(&f);
    check_schema(&f, &draft, 0,
                 "{\"additionalProperties\":false,\"description\":\"A pair. "
                 "Unique together: (a, b).\",\"properties\":{\"a\":{\"type\":"
                 "\"string\"},\"b\":{\"type\":\"string\"}},\"required\":[\"a\","
                 "\"b\"],\"type\":\"object\"}");
    tear_down(&f);
}

TEST(a_change_requires_only_the_field_that_says_of_what)
{
    static const struct tr_field fields[] = {
        {.name = TR_STR_INIT("id")},
        {.name = TR_STR_INIT("a")},
        {.name = TR_STR_INIT("b"), .many = true},
    };
    struct tr_shape draft = {
        .fields = fields, .count = 3, .patch_key = TR_STR("id")};
    struct fixture f;
    set_up(&f);
    check_schema(&f, &draft, 0,
                 "{\"additionalProperties\":false,\"properties\":{\"id\":{"
                 "\"type\":\"string\"},\"a\":{\"type\":\"string\"},"
                 "\"b\":{\"items\":{\"type\":\"string\"},\"minItems\":1,"
                 "\"type\":\"array\"}},\"required\":[\"id\"],\"type\":"
                 "\"object\"}");
    tear_down(&f);
}

TEST(a_page_has_items_and_perhaps_a_next_one)
{
    static const struct tr_shape empty = {0};
    struct tr_json_writer w;
    struct tr_buf buf;
    struct tr_err err = {0};
    tr_buf_init(&buf, TR_KIB(4));
    tr_jw_init(&w, &buf);
    tr_shape_write_json_schema_page(&w, &empty, TR_SHAPE_WITH_DIALECT);
    CHECK_OK(tr_jw_finish(&w, &err), &err);
    CHECK_STR(tr_buf_str(&buf),
              "{\"$schema\":\"http://json-schema.org/draft-07/schema#\","
              "\"additionalProperties\":false,\"properties\":{\"items\":{"
              "\"items\":{\"additionalProperties\":false,\"properties\":{},"
              "\"type\":\"object\"},\"type\":\"array\"},\"next\":{"
              "\"description\":\"The cursor of the next page.\",\"type\":"
              "\"string\"}},\"required\":[\"items\"],\"type\":\"object\"}");
    tr_buf_done(&buf);
}

static tr_status write_one(void *context, struct tr_err *err)
{
    struct tr_json_writer w;
    struct tr_buf buf;
    tr_buf_init(&buf, TR_KIB(64));
    tr_jw_init(&w, &buf);
    tr_shape_write_json_schema(&w, context, TR_SHAPE_WITH_DIALECT);
    tr_status st = tr_jw_finish(&w, err);
    tr_buf_done(&buf);
    return st;
}

TEST(writing_a_schema_survives_without_memory)
{
    struct tr_shape shape = {.description = TR_STR("Something.")};
    tr_test_sweep(write_one, &shape);
}

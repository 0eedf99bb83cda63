/*
 * Objects and lists: what an object may hold that is the value of a field, and
 * values that have an order.
 */
#include "base/limits.h"
#include "base/test.h"
#include "fields/check.h"
#include "fields/json_schema.h"
#include "fields/pattern.h"
#include "json/reader.h"
#include "json/writer.h"

struct fixture {
    struct tr_arena arena;
    struct tr_field_patterns patterns;
    const struct tr_shape *shape;
};

static const struct tr_json *json(struct fixture *f, const char *text)
{
    const struct tr_json *tree = NULL;
    struct tr_err err = {0};
    CHECK_OK(tr_json_read(&f->arena, tr_str_from(text), NULL, &tree, &err),
             &err);
    return tree;
}

static void make(struct fixture *f, const struct tr_shape *draft)
{
    struct tr_err err = {0};
    CHECK_OK(tr_shape_register(&f->arena, &f->patterns, draft, &f->shape, &err),
             &err);
}

static void set_up(struct fixture *f)
{
    *f = (struct fixture){0};
    tr_arena_init(&f->arena, TR_MIB(16));
    const struct tr_field at[] = {{.name = TR_STR("north"),
                                   .kind = TR_FIELD_NUMBER,
                                   .max_value = TR_STR("90")}};
    const struct tr_shape point = {.fields = at, .count = TR_LEN(at)};
    const struct tr_field parts[] = {
        {.name = TR_STR("city"), .min_length = 2},
        {.name = TR_STR("floor"),
         .kind = TR_FIELD_INTEGER,
         .default_to = json(f, "0")},
        {.name = TR_STR("at"),
         .kind = TR_FIELD_OBJECT,
         .object = &point,
         .optional = true},
        {.name = TR_STR("keeper"),
         .kind = TR_FIELD_REF,
         .target = TR_STR("Person"),
         .optional = true},
    };
    const struct tr_shape address = {
        .name = TR_STR("Address"), .fields = parts, .count = TR_LEN(parts)};
    const struct tr_field fields[] = {
        {.name = TR_STR("address"),
         .kind = TR_FIELD_OBJECT,
         .object = &address,
         .optional = true},
        {.name = TR_STR("depots"),
         .iri = TR_STR("http://e/depots"),
         .kind = TR_FIELD_OBJECT,
         .object = &address,
         .many = true,
         .max_count = 2,
         .optional = true},
        {.name = TR_STR("steps"),
         .iri = TR_STR("http://e/steps"),
         .list = true,
         .min_length = 2,
         .min_count = 2},
    };
    make(f, &(struct tr_shape){.fields = fields, .count = TR_LEN(fields)});
}

static void tear_down(struct fixture *f)
{
    tr_field_patterns_done(&f->patterns);
    tr_arena_done(&f->arena);
}

/* The object as a handler sees it, or the messages, one on a line. */
static void check(struct fixture *f, const char *text, const char *expected)
{
    struct tr_shape_checked out = {0};
    struct tr_json_writer w;
    struct tr_buf buf;
    struct tr_err err = {0};
    tr_buf_init(&buf, TR_KIB(64));
    tr_jw_init(&w, &buf);
    tr_status status =
        tr_shape_check_input(f->shape, json(f, text), &f->arena, &out, &err);
    if (status == TR_OK)
        tr_jw_value(&w, out.value);
    for (size_t i = 0; i < out.errors.count; i++)
        tr_buf_putf(&buf, "%s%.*s", i ? "\n" : "",
                    TR_FMT(out.errors.items[i].message));
    CHECK_STR(tr_buf_str(&buf), expected);
    tr_buf_done(&buf);
}

#define STEPS "\"steps\":[\"ab\",\"ab\"]"

TEST(an_object_is_checked_and_completed)
{
    struct fixture f;
    set_up(&f);
    check(&f, "{" STEPS "}", "{" STEPS "}");
    check(&f, "{" STEPS ",\"address\":{\"city\":\"Ulm\"}}",
          "{" STEPS ",\"address\":{\"city\":\"Ulm\",\"floor\":0}}");
    check(&f,
          "{" STEPS ",\"address\":{\"city\":\"Ulm\",\"floor\":1e0,"
          "\"at\":null}}",
          "{" STEPS ",\"address\":{\"city\":\"Ulm\",\"floor\":1}}");
    check(&f,
          "{" STEPS ",\"depots\":[{\"city\":\"Ulm\",\"floor\":2},"
          "{\"city\":\"Ulm\"}]}",
          "{" STEPS ",\"depots\":[{\"city\":\"Ulm\",\"floor\":2},"
          "{\"city\":\"Ulm\",\"floor\":0}]}");
    check(&f, "{" STEPS ",\"address\":null}", "{" STEPS "}");
    tear_down(&f);
}

TEST(an_error_in_an_object_names_the_way_to_it)
{
    struct fixture f;
    set_up(&f);
    check(&f, "{" STEPS ",\"address\":{}}", "address.city is required");
    check(&f, "{" STEPS ",\"address\":\"Ulm\"}", "address must be an object");
    check(&f,
          "{" STEPS ",\"address\":{\"city\":\"U\",\"at\":{\"north\":91},"
          "\"town\":1}}",
          "address.city must have at least 2 characters\n"
          "address.at.north must be at most 90\n"
          "address.town is not a field");
    check(&f, "{" STEPS ",\"depots\":[{\"city\":\"Ulm\"},{\"floor\":1},7]}",
          "depots must have at most 2 values\n"
          "depots[1].city is required\n"
          "depots[2] must be an object");
    check(&f, "{" STEPS ",\"depots\":{}}", "depots must be an array");
    tear_down(&f);
}

TEST(a_change_gives_an_object_as_a_whole)
{
    struct fixture f;
    struct tr_shape_checked out = {0};
    set_up(&f);
    CHECK_INT(tr_shape_check_patch(f.shape,
                                   json(&f, "{\"address\":{\"floor\":1}}"),
                                   &f.arena, &out, NULL),
              TR_E_VALIDATION);
    CHECK_STR(out.errors.items[0].field, "address.city");
    CHECK_OK(tr_shape_check_patch(f.shape, json(&f, "{\"address\":null}"),
                                  &f.arena, &out, NULL),
             NULL);
    tear_down(&f);
}

TEST(the_end_of_an_id_in_an_object_is_noticed)
{
    struct fixture f;
    struct tr_shape_checked out = {0};
    set_up(&f);
    CHECK_OK(
        tr_shape_check_input(
            f.shape,
            json(&f, "{" STEPS
                     ",\"address\":{\"city\":\"Ulm\",\"keeper\":\"ada\"}}"),
            &f.arena, &out, NULL),
        NULL);
    CHECK(out.has_names);
    tear_down(&f);
}

TEST(a_list_keeps_its_order_and_what_repeats)
{
    struct fixture f;
    set_up(&f);
    check(&f, "{\"steps\":[\"b1\",\"a1\",\"b1\"]}",
          "{\"steps\":[\"b1\",\"a1\",\"b1\"]}");
    check(&f, "{\"steps\":[\"a1\"]}", "steps must have at least 2 values");
    check(&f, "{\"steps\":\"a1\"}", "steps must be an array");
    check(&f, "{\"steps\":[\"a1\",\"b\"]}",
          "steps must have at least 2 characters");
    tear_down(&f);
}

TEST(a_list_is_bounded)
{
    struct fixture f;
    struct tr_buf text;
    set_up(&f);
    tr_buf_init(&text, TR_KIB(64));
    tr_buf_put(&text, TR_STR("{\"steps\":[\"ab\""));
    for (int i = 0; i < TR_LIMIT_LIST_ITEMS; i++)
        tr_buf_put(&text, TR_STR(",\"ab\""));
    tr_buf_put(&text, TR_STR("]}"));
    tr_buf_putc(&text, '\0');
    check(&f, text.ptr, "steps must have at most 1000 values");
    tr_buf_done(&text);
    tear_down(&f);
}

TEST(json_schema_has_the_fields_of_an_object)
{
    struct fixture f;
    struct tr_json_writer w;
    struct tr_buf buf;
    set_up(&f);
    tr_buf_init(&buf, TR_KIB(64));
    tr_jw_init(&w, &buf);
    tr_shape_write_json_schema(&w, f.shape, TR_SHAPE_PLAIN);
    CHECK_OK(tr_jw_finish(&w, NULL), NULL);
    tr_str address =
        TR_STR("{\"additionalProperties\":false,\"properties\":{"
               "\"city\":{\"minLength\":2,\"type\":\"string\"},"
               "\"floor\":{\"default\":0,\"type\":\"integer\"},"
               "\"at\":{\"additionalProperties\":false,\"properties\":{"
               "\"north\":{\"maximum\":90,\"type\":\"number\"}},"
               "\"required\":[\"north\"],\"type\":\"object\"},"
               "\"keeper\":{\"type\":\"string\"}},"
               "\"required\":[\"city\"],\"type\":\"object\"}");
    struct tr_buf expected;
    tr_buf_init(&expected, TR_KIB(64));
    tr_buf_putf(&expected,
                "{\"additionalProperties\":false,\"properties\":{"
                "\"address\":%.*s,\"depots\":{\"items\":%.*s,\"maxItems\":2,"
                "\"type\":\"array\"},\"steps\":{\"items\":{\"minLength\":2,"
                "\"type\":\"string\"},\"maxItems\":1000,\"minItems\":2,"
                "\"type\":\"array\"}},\"required\":[\"steps\"],"
                "\"type\":\"object\"}",
                TR_FMT(address), TR_FMT(address));
    tr_buf_putc(&expected, '\0');
    CHECK_STR(tr_buf_str(&buf), expected.ptr);
    tr_buf_done(&expected);
    tr_buf_done(&buf);
    tear_down(&f);
}

static const struct tr_field deep_field = {.name = TR_STR_INIT("x")};
static const struct tr_shape deep[] = {
    {.fields = &deep_field, .count = 1},
    {.fields = &(const struct tr_field){.name = TR_STR_INIT("c"),
                                        .kind = TR_FIELD_OBJECT,
                                        .object = &deep[0]},
     .count = 1},
    {.fields = &(const struct tr_field){.name = TR_STR_INIT("b"),
                                        .kind = TR_FIELD_OBJECT,
                                        .object = &deep[1]},
     .count = 1},
    {.fields = &(const struct tr_field){.name = TR_STR_INIT("a"),
                                        .kind = TR_FIELD_OBJECT,
                                        .object = &deep[2]},
     .count = 1},
};

#define WITH(...)                                                              \
    &(const struct tr_shape)                                                   \
    {                                                                          \
        .fields =                                                              \
            &(const struct tr_field){.name = TR_STR_INIT("x"), __VA_ARGS__},   \
        .count = 1                                                             \
    }

/* A field, and a part of why it is refused. */
static const struct {
    const char *says; /* NULL: it is not */
    struct tr_field field;
} rules[] = {
    {NULL, {.kind = TR_FIELD_OBJECT, .object = &deep[2]}},
    {"at most 3 deep", {.kind = TR_FIELD_OBJECT, .object = &deep[3]}},
    {"only an object has fields", {.object = &deep[0]}},
    {"many = true, and give them",
     {.kind = TR_FIELD_OBJECT, .object = &deep[0], .list = true}},
    {"at most 100 objects",
     {.kind = TR_FIELD_OBJECT,
      .object = &deep[0],
      .many = true,
      .max_count = 101}},
    {"cannot be unique",
     {.kind = TR_FIELD_OBJECT, .object = WITH(.unique = true)}},
    {"cannot be searched",
     {.kind = TR_FIELD_OBJECT, .object = WITH(.search = true)}},
    {"cannot have a scope",
     {.kind = TR_FIELD_OBJECT, .object = WITH(.scope = TR_SCOPE_DEV)}},
    {"cannot be a header",
     {.kind = TR_FIELD_OBJECT, .object = WITH(.header = TR_STR_INIT("X"))}},
    {"takes ids",
     {.kind = TR_FIELD_OBJECT,
      .object = WITH(.kind = TR_FIELD_REF, .target = TR_STR_INIT("T"),
                     .by = TR_STR_INIT("k"))}},
    {"has no index",
     {.kind = TR_FIELD_OBJECT, .object = WITH(.index = TR_FIELD_INDEX_VALUE)}},
    {NULL, {.list = true, .max_count = 1000}},
    {"at most 1000 items", {.list = true, .max_count = 1001}},
    {"not both", {.list = true, .many = true}},
    {"a list cannot be unique", {.list = true, .unique = true}},
    {"a list is not searched", {.list = true, .search = true}},
    {"a header holds one value", {.list = true, .header = TR_STR_INIT("X")}},
};

TEST(what_cannot_be_is_refused_with_its_reason)
{
    for (size_t i = 0; i < TR_LEN(rules); i++) {
        struct fixture f = {0};
        struct tr_err err = {0};
        struct tr_field field = rules[i].field;
        field.name = TR_STR("f");
        tr_arena_init(&f.arena, TR_MIB(4));
        tr_status status = tr_shape_register(
            &f.arena, &f.patterns,
            &(struct tr_shape){.fields = &field, .count = 1}, &f.shape, &err);
        if (rules[i].says)
            CHECK_ROW(status == TR_E_INVALID && strstr(err.msg, rules[i].says),
                      err.msg);
        else
            CHECK_ROW(status == TR_OK, err.msg);
        tear_down(&f);
    }
}

#include "fields/field.h"

#include "base/limits.h"
#include "base/test.h"
#include "fields/pattern.h"
#include "json/reader.h"

struct fixture {
    struct tr_arena arena;
    struct tr_field_patterns patterns;
};

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

static const struct tr_json *json(struct fixture *f, const char *text)
{
    const struct tr_json *tree = NULL;
    struct tr_err err = {0};
    if (!text)
        return NULL;
    CHECK_OK(tr_json_read(&f->arena, tr_str_from(text), NULL, &tree, &err),
             &err);
    return tree;
}

/* A field, and JSON for the members that are trees. */
struct row {
    const char *says; /* part of the message; NULL when it is accepted */
    struct tr_field field;
    const char *one_of;
    const char *default_to;
};

#define NAMED(...)                                                             \
    {                                                                          \
        .name = TR_STR_INIT("f"), __VA_ARGS__                                  \
    }

static const struct row rows[] = {
    {NULL, NAMED(.kind = TR_FIELD_TEXT), NULL, NULL},
    {NULL,
     NAMED(.kind = TR_FIELD_TEXT, .pattern = TR_STR_INIT("^a+$"),
           .min_length = 1, .max_length = 3, .search = true),
     "[\"a\",\"aa\"]", "\"aa\""},
    {NULL,
     NAMED(.kind = TR_FIELD_INTEGER, .min_value = TR_STR_INIT("1"),
           .max_value = TR_STR_INIT("1e400")),
     "[1,2.0]", "2"},
    {NULL, NAMED(.kind = TR_FIELD_NUMBER, .min_value = TR_STR_INIT("-0.5")),
     NULL, "0"},
    {NULL,
     NAMED(.kind = TR_FIELD_INTEGER, .min_exclusive = TR_STR_INIT("0"),
           .max_exclusive = TR_STR_INIT("2")),
     "[1]", "1"},
    {NULL, NAMED(.kind = TR_FIELD_REF, .any_type = true), NULL, NULL},
    {NULL,
     NAMED(.kind = TR_FIELD_TEXT, .many = true, .min_count = 2, .max_count = 2),
     NULL, "[\"a\",\"b\"]"},
    {NULL, NAMED(.kind = TR_FIELD_TEXT, .many = true), NULL, "[]"},
    {NULL, NAMED(.kind = TR_FIELD_DATETIME, .optional = true), NULL, NULL},
    {NULL, NAMED(.kind = TR_FIELD_REF, .target = TR_STR_INIT("Person")), NULL,
     NULL},
    {NULL, NAMED(.kind = TR_FIELD_BOOLEAN, .header = TR_STR_INIT("Dry-Run")),
     NULL, "false"},

    {"a field's name", {.name = TR_STR_INIT("")}, NULL, NULL},
    {"a field's name", {.name = TR_STR_INIT("9a")}, NULL, NULL},
    {"a field's name", {.name = TR_STR_INIT("a-b")}, NULL, NULL},
    {"a field's name", {.name = TR_STR_INIT("\xC3\xA9")}, NULL, NULL},
    {"a field's name",
     {.name = TR_STR_INIT("a2345678901234567890123456789012345678901234567890"
                          "123456789012345")},
     NULL,
     NULL},
    {"not UTF-8", NAMED(.title = TR_STR_INIT("\xff")), NULL, NULL},
    {"pattern is for text",
     NAMED(.kind = TR_FIELD_INTEGER, .pattern = TR_STR_INIT("1")), NULL, NULL},
    {"does not compile", NAMED(.pattern = TR_STR_INIT("(")), NULL, NULL},
    {"are for text", NAMED(.kind = TR_FIELD_NUMBER, .min_length = 1), NULL,
     NULL},
    {"are for text", NAMED(.kind = TR_FIELD_BOOLEAN, .max_length = 1), NULL,
     NULL},
    {"are for integer, number, date", NAMED(.min_value = TR_STR_INIT("1")),
     NULL, NULL},
    {"are for integer, number, date",
     NAMED(.kind = TR_FIELD_DATETIME, .max_value = TR_STR_INIT("1")), NULL,
     NULL},
    {"one_of is for", NAMED(.kind = TR_FIELD_BOOLEAN), "[true]", NULL},
    {"search is for text", NAMED(.kind = TR_FIELD_NUMBER, .search = true), NULL,
     NULL},
    {"only a ref", NAMED(.target = TR_STR_INIT("Person")), NULL, NULL},
    {"must name a node type", NAMED(.kind = TR_FIELD_REF), NULL, NULL},
    {"are not negative", NAMED(.min_length = -1), NULL, NULL},
    {"are not negative", NAMED(.many = true, .max_count = -1), NULL, NULL},
    {"min_length (3) is above max_length (2)",
     NAMED(.min_length = 3, .max_length = 2), NULL, NULL},
    {"min_count (3) is above max_count (2)",
     NAMED(.many = true, .min_count = 3, .max_count = 2), NULL, NULL},
    {"needs many", NAMED(.min_count = 2), NULL, NULL},
    {"needs many", NAMED(.max_count = 2), NULL, NULL},
    {"contradict", NAMED(.many = true, .optional = true, .min_count = 1), NULL,
     NULL},
    {"min_exclusive (1) is not below max_value (1)",
     NAMED(.kind = TR_FIELD_NUMBER, .min_exclusive = TR_STR_INIT("1"),
           .max_value = TR_STR_INIT("1")),
     NULL, NULL},
    {"min_value (3) is not below max_exclusive (2)",
     NAMED(.kind = TR_FIELD_NUMBER, .min_value = TR_STR_INIT("3"),
           .max_exclusive = TR_STR_INIT("2")),
     NULL, NULL},
    {"are for integer, number, date", NAMED(.max_exclusive = TR_STR_INIT("1")),
     NULL, NULL},
    {"the default is not valid: f must be more than 1",
     NAMED(.kind = TR_FIELD_NUMBER, .min_exclusive = TR_STR_INIT("1")), NULL,
     "1"},
    {"only a ref", NAMED(.any_type = true), NULL, NULL},
    {"min_value is not a number",
     NAMED(.kind = TR_FIELD_NUMBER, .min_value = TR_STR_INIT("one")), NULL,
     NULL},
    {"max_value is not a number",
     NAMED(.kind = TR_FIELD_NUMBER, .max_value = TR_STR_INIT("\"1\"")), NULL,
     NULL},
    {"min_value of an integer",
     NAMED(.kind = TR_FIELD_INTEGER, .min_value = TR_STR_INIT("0.5")), NULL,
     NULL},
    {"min_value (2) is above max_value (1)",
     NAMED(.kind = TR_FIELD_NUMBER, .min_value = TR_STR_INIT("2"),
           .max_value = TR_STR_INIT("1")),
     NULL, NULL},
    {"one_of is a list", NAMED(.kind = TR_FIELD_TEXT), "\"a\"", NULL},
    {"one_of is a list", NAMED(.kind = TR_FIELD_TEXT), "[]", NULL},
    {"value 2 of one_of is not of kind text", NAMED(.kind = TR_FIELD_TEXT),
     "[\"a\",1]", NULL},
    {"value 1 of one_of is not of kind integer",
     NAMED(.kind = TR_FIELD_INTEGER), "[1.5]", NULL},
    {"value 3 of one_of is there twice", NAMED(.kind = TR_FIELD_NUMBER),
     "[1,2,1.0]", NULL},
    {"cannot be part of a header", NAMED(.header = TR_STR_INIT("a b")), NULL,
     NULL},
    {"a header holds one", NAMED(.many = true, .header = TR_STR_INIT("a")),
     NULL, NULL},
    {"a header holds one",
     NAMED(.kind = TR_FIELD_NUMBER, .header = TR_STR_INIT("a")), NULL, NULL},
    {"the default is not valid: f must be an integer",
     NAMED(.kind = TR_FIELD_INTEGER), NULL, "\"x\""},
    {"the default is not valid: f must be one of ['a']",
     NAMED(.kind = TR_FIELD_TEXT), "[\"a\"]", "\"b\""},
    {"the default is not valid: f must match ^b$",
     NAMED(.pattern = TR_STR_INIT("^b$")), NULL, "\"a\""},
    {"the default is not valid: f must be an array", NAMED(.many = true), NULL,
     "\"a\""},
    {"min_value is a date such as 2026-07-28",
     NAMED(.kind = TR_FIELD_DATE, .min_value = TR_STR_INIT("2026-02-30")), NULL,
     NULL},
    {"min_value (PT1H) is above max_value (PT59M)",
     NAMED(.kind = TR_FIELD_DURATION, .min_value = TR_STR_INIT("PT1H"),
           .max_value = TR_STR_INIT("PT59M")),
     NULL, NULL},
    {NULL,
     NAMED(.kind = TR_FIELD_DURATION, .min_value = TR_STR_INIT("PT60M"),
           .max_value = TR_STR_INIT("PT1H")),
     NULL, NULL},
    {"the default is not valid: f must be at least 2026-01-01",
     NAMED(.kind = TR_FIELD_DATE, .min_value = TR_STR_INIT("2026-01-01")), NULL,
     "\"2025-12-31\""},
    {"the default is not valid: f must have at most 2 digits behind its point",
     NAMED(.kind = TR_FIELD_DECIMAL, .digits = 4, .scale = 2), NULL,
     "\"1.234\""},
    {"the default is not valid: f must have at most 2 digits before its point",
     NAMED(.kind = TR_FIELD_DECIMAL, .digits = 4, .scale = 2), NULL, "123"},
    {"value 2 of one_of is there twice", NAMED(.kind = TR_FIELD_DECIMAL),
     "[\"1.50\",1.5]", NULL},
    {"value 1 of one_of is not of kind time", NAMED(.kind = TR_FIELD_TIME),
     "[\"24:00:00\"]", NULL},
    {"digits and scale are for decimal, not for number",
     NAMED(.kind = TR_FIELD_NUMBER, .digits = 2), NULL, NULL},
    {"digits and scale are 0 to 1000",
     NAMED(.kind = TR_FIELD_DECIMAL, .digits = 1001), NULL, NULL},
    {"digits and scale are 0 to 1000",
     NAMED(.kind = TR_FIELD_DECIMAL, .scale = -1), NULL, NULL},
    {"scale (3) is above digits (2)",
     NAMED(.kind = TR_FIELD_DECIMAL, .digits = 2, .scale = 3), NULL, NULL},
    {"pattern is for text, not for email",
     NAMED(.kind = TR_FIELD_EMAIL, .pattern = TR_STR_INIT("a")), NULL, NULL},
    {"one_of is for text", NAMED(.kind = TR_FIELD_JSON), "[1]", NULL},
    {"unique is for text", NAMED(.kind = TR_FIELD_OBJECT, .unique = true), NULL,
     NULL},
};

TEST(fields_that_make_no_sense_are_refused_in_words)
{
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        struct fixture f;
        struct tr_err err = {0};
        const struct tr_shape *shape = NULL;
        set_up(&f);
        struct tr_field field = rows[i].field;
        field.one_of = json(&f, rows[i].one_of);
        field.default_to = json(&f, rows[i].default_to);
        const struct tr_shape draft = {.fields = &field, .count = 1};
        tr_status st =
            tr_shape_register(&f.arena, &f.patterns, &draft, &shape, &err);
        if (!rows[i].says) {
            CHECK_OK(st, &err);
        } else {
            CHECK_ROW(st == TR_E_INVALID, rows[i].says);
            CHECK_ROW(strstr(err.msg, rows[i].says) != NULL, err.msg);
            CHECK_STR(tr_str_from(err.at),
                      tr_str_eq(field.name, TR_STR("f")) ? "f" : err.at);
        }
        tear_down(&f);
    }
}

static void check_shape(const struct tr_shape *draft, const char *says)
{
    struct fixture f;
    struct tr_err err = {0};
    const struct tr_shape *shape = NULL;
    set_up(&f);
    CHECK_ROW(tr_shape_register(&f.arena, &f.patterns, draft, &shape, &err) ==
                  TR_E_INVALID,
              says);
    CHECK_ROW(strstr(err.msg, says) != NULL, err.msg);
    tear_down(&f);
}

TEST(shapes_that_make_no_sense_are_refused_in_words)
{
    static const struct tr_field twice[] = {{.name = TR_STR_INIT("b")},
                                            {.name = TR_STR_INIT("a")},
                                            {.name = TR_STR_INIT("b")}};
    static const struct tr_field headers[] = {
        {.name = TR_STR_INIT("a"), .header = TR_STR_INIT("Region")},
        {.name = TR_STR_INIT("b"), .header = TR_STR_INIT("REGION")}};
    static const struct tr_field one[] = {{.name = TR_STR_INIT("a")}};
    static const tr_str unknown[] = {TR_STR_INIT("a"), TR_STR_INIT("b")};
    static const struct tr_shape_unique unknown_unique = {unknown, 2};
    static const struct tr_shape_unique no_unique = {unknown, 0};
    static const struct tr_field many[TR_LIMIT_FIELDS + 1] = {{.many = true}};

    check_shape(&(struct tr_shape){.fields = twice, .count = 3},
                "the field 'b' is there twice");
    check_shape(&(struct tr_shape){.fields = headers, .count = 2},
                "two fields have the header 'REGION'");
    check_shape(&(struct tr_shape){.fields = one,
                                   .count = 1,
                                   .unique = &unknown_unique,
                                   .unique_count = 1},
                "unique names 'b'");
    check_shape(
        &(struct tr_shape){
            .fields = one, .count = 1, .unique = &no_unique, .unique_count = 1},
        "unique names no field");
    check_shape(&(struct tr_shape){.fields = many, .count = TR_LEN(many)},
                "at most 256 fields");
    check_shape(&(struct tr_shape){.description = TR_STR("\xff")}, "not UTF-8");
}

TEST(a_registered_shape_borrows_nothing_and_finds_its_fields)
{
    struct fixture f;
    struct tr_err err = {0};
    char name[] = "zeta";
    char pattern[] = "^z";
    const struct tr_shape *shape = NULL;
    set_up(&f);
    struct tr_field fields[] = {
        {.name = {name, 4}, .pattern = {pattern, 2}},
        {.name = TR_STR("alpha"), .kind = TR_FIELD_INTEGER},
        {.name = TR_STR("mid"), .optional = true},
    };
    const struct tr_shape draft = {.fields = fields, .count = 3};
    CHECK_OK(tr_shape_register(&f.arena, &f.patterns, &draft, &shape, &err),
             &err);
    memset(name, 'x', 4);
    memset(pattern, 'x', 2);
    CHECK_STR(shape->fields[0].name, "zeta"); /* declaration order */
    CHECK_STR(shape->fields[0].pattern, "^z");
    CHECK(tr_shape_find(shape, TR_STR("zeta")) == &shape->fields[0]);
    CHECK(tr_shape_find(shape, TR_STR("alpha")) == &shape->fields[1]);
    CHECK(tr_shape_find(shape, TR_STR("mid")) == &shape->fields[2]);
    CHECK(tr_shape_find(shape, TR_STR("beta")) == NULL);
    CHECK(tr_shape_find(shape, TR_STR("")) == NULL);
    CHECK_STR(shape->fields[shape->sorted[0]].name, "alpha");
    tear_down(&f);
}

TEST(kinds_have_the_names_of_app_lua)
{
    static const char *const names[] = {"text",    "integer",  "number",
                                        "boolean", "datetime", "ref"};
    for (size_t i = 0; i < TR_LEN(names); i++)
        CHECK_STR(tr_str_from(tr_field_kind_name((enum tr_field_kind)i)),
                  names[i]);
}

TEST(a_name_that_is_no_field_is_near_to_one_or_to_none)
{
    static const struct tr_field fields[] = {
        {.name = TR_STR_INIT("title"), .kind = TR_FIELD_TEXT},
        {.name = TR_STR_INIT("state"), .kind = TR_FIELD_TEXT},
    };
    const struct tr_shape shape = {.fields = fields, .count = TR_LEN(fields)};
    CHECK_STR(tr_shape_nearest(&shape, TR_STR("tilte")), "title");
    CHECK_STR(tr_shape_nearest(&shape, TR_STR("stat")), "state");
    CHECK_INT(tr_shape_nearest(&shape, TR_STR("colour")).len, 0);
}

static tr_status register_all(void *context, struct tr_err *err)
{
    static const tr_str names[] = {TR_STR_INIT("a"), TR_STR_INIT("b")};
    static const struct tr_shape_unique unique = {names, 2};
    struct fixture f;
    const struct tr_shape *shape = NULL;
    (void)context;
    set_up(&f);
    struct tr_json text = {.kind = TR_JSON_STRING, .len = 1, .as.text = "a"};
    struct tr_field fields[] = {
        {.name = TR_STR("a"), .pattern = TR_STR("^a"), .default_to = &text},
        {.name = TR_STR("b"),
         .kind = TR_FIELD_NUMBER,
         .min_value = TR_STR("1")},
    };
    const struct tr_shape draft = {.name = TR_STR("S"),
                                   .fields = fields,
                                   .count = 2,
                                   .unique = &unique,
                                   .unique_count = 1};
    tr_status st =
        tr_shape_register(&f.arena, &f.patterns, &draft, &shape, err);
    tear_down(&f);
    return st;
}

TEST(registration_survives_without_memory)
{
    tr_test_sweep(register_all, NULL);
    for (size_t max = 0; max < 4096; max += 64) {
        struct fixture f;
        struct tr_err err = {0};
        const struct tr_shape *shape = NULL;
        struct tr_field fields[] = {
            {.name = TR_STR("a"), .pattern = TR_STR("^a"), .min_length = 1}};
        const struct tr_shape draft = {.fields = fields, .count = 1};
        set_up(&f);
        f.arena.max = max;
        tr_status st =
            tr_shape_register(&f.arena, &f.patterns, &draft, &shape, &err);
        CHECK(st == TR_OK || st == TR_E_NOMEM);
        tear_down(&f);
    }
}

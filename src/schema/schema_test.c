/*
 * What the official suite does not ask: refused schemas with their place,
 * errors as fields, limits, formats, memory.
 */
#include "schema/schema.h"

#include "base/limits.h"
#include "base/test.h"
#include "fields/pattern.h"
#include "json/reader.h"

struct fixture {
    struct tr_arena arena;
    struct tr_field_patterns patterns;
    struct tr_err err;
    struct tr_field_errors errors;
};

static void set_up(struct fixture *f)
{
    *f = (struct fixture){0};
    tr_arena_init(&f->arena, TR_MIB(64));
}

static void tear_down(struct fixture *f)
{
    tr_field_patterns_done(&f->patterns);
    tr_arena_done(&f->arena);
}

static const struct tr_json *json(struct fixture *f, tr_str text)
{
    const struct tr_json *tree = NULL;
    CHECK_OK(tr_json_read(&f->arena, text, NULL, &tree, &f->err), &f->err);
    return tree;
}

static tr_status compile(struct fixture *f, const char *text,
                         const struct tr_schema_opts *opts,
                         const struct tr_schema **out)
{
    return tr_schema_compile(&f->arena, &f->patterns,
                             json(f, tr_str_from(text)), opts, out, &f->err);
}

static tr_status check(struct fixture *f, const char *schema_text,
                       const char *value)
{
    const struct tr_schema *schema = NULL;
    CHECK_OK(compile(f, schema_text, NULL, &schema), &f->err);
    return tr_schema_check(schema, json(f, tr_str_from(value)), &f->arena,
                           &f->errors, &f->err);
}

#define D7 "\"$schema\":\"http://json-schema.org/draft-07/schema#\","

static const struct {
    const char *schema;
    const char *at;
    const char *says;
} refused[] = {
    {"{\"type\":\"text\"}", "", "type is one of the seven types"},
    {"{\"type\":[]}", "", "type is one of"},
    {"{\"type\":[\"string\",\"x\"]}", "", "type is one of"},
    {"{\"type\":7}", "", "type is one of"},
    {"{\"enum\":1}", "", "enum is a list"},
    {"{\"minimum\":\"1\"}", "", "minimum is a number"},
    {"{\"multipleOf\":0}", "", "multipleOf is above zero"},
    {"{\"multipleOf\":-1}", "", "multipleOf is above zero"},
    {"{\"multipleOf\":1.000000000000000001}", "", "at most 18 digits"},
    {"{\"minLength\":-1}", "", "minLength is a count"},
    {"{\"maxItems\":1.5}", "", "maxItems is a count"},
    {"{\"uniqueItems\":1}", "", "uniqueItems is true or false"},
    {"{\"pattern\":1}", "", "pattern is a string"},
    {"{\"properties\":{\"a\":{\"pattern\":\"(\"}}}", "/properties/a",
     "does not compile"},
    {"{\"patternProperties\":{\"[\":{}}}", "", "does not compile"},
    {"{\"required\":\"a\"}", "", "required is a list of names"},
    {"{\"required\":[1]}", "", "required is a list of names"},
    {"{\"dependentRequired\":[]}", "", "dependentRequired is an object"},
    {"{\"dependentRequired\":{\"a\":1}}", "", "lists of names"},
    {"{" D7 "\"dependencies\":{\"a\":[1]}}", "", "lists of names"},
    {"{\"properties\":[]}", "", "properties is an object"},
    {"{\"properties\":{\"a~b/c\":{\"type\":1}}}", "/properties/a~0b~1c",
     "type is"},
    {"{\"allOf\":[]}", "", "allOf is a list of schemas"},
    {"{\"anyOf\":{}}", "", "anyOf is a list of schemas"},
    {"{\"allOf\":[{},{\"not\":1}]}", "/allOf/1", "not holds something"},
    {"{\"items\":[{}]}", "", "items holds something that is no schema"},
    {"{\"if\":{},\"then\":1}", "", "then is a schema"},
    {"{\"contains\":{},\"minContains\":-1}", "", "are counts"},
    {"{\"contains\":{},\"maxContains\":\"1\"}", "", "are counts"},
    {"{\"$ref\":1}", "", "$ref is a string"},
    {"{\"$ref\":\"#/nowhere\"}", "", "#/nowhere leads nowhere"},
    {"{\"$ref\":\"#nowhere\"}", "", "#nowhere leads nowhere"},
    {"{\"properties\":{\"a\":{\"$ref\":\"http://x/y\"}}}", "/properties/a",
     "http://x/y is not known here, and never fetched"},
    {"{\"$ref\":\"other.json\"}", "", "is not known here"},
    {"{\"$dynamicRef\":\"#x\"}", "", "leads nowhere"},
    {"{\"$schema\":1}", "", "$schema is a URI"},
    {"[]", "", "a schema is an object or a boolean"},
    {"{\"$defs\":{\"a\":7},\"$ref\":\"#/$defs/a\"}", "/$defs/a",
     "a schema is an object or a boolean"},
};

TEST(a_schema_that_is_wrong_is_refused_with_its_place)
{
    for (size_t i = 0; i < TR_LEN(refused); i++) {
        struct fixture f;
        const struct tr_schema *schema = NULL;
        set_up(&f);
        CHECK_ROW(compile(&f, refused[i].schema, NULL, &schema) == TR_E_INVALID,
                  refused[i].schema);
        CHECK_ROW(strstr(f.err.msg, refused[i].says) != NULL, f.err.msg);
        CHECK_STR(tr_str_from(f.err.at), refused[i].at);
        tear_down(&f);
    }
}

TEST(dialects_and_vocabularies_that_are_not_known_are_unsupported)
{
    static const char *const unknown[] = {
        "{\"$schema\":\"http://json-schema.org/draft-04/schema#\"}",
        "{\"$schema\":\"https://example.com/own\"}",
        "{\"$schema\":\"https://example.com/vocab\"}",
        "{\"$schema\":\"https://example.com/empty\"}",
    };
    for (size_t i = 0; i < TR_LEN(unknown); i++) {
        struct fixture f;
        const struct tr_schema *schema = NULL;
        set_up(&f);
        const struct tr_schema_doc docs[] = {
            {TR_STR("https://example.com/vocab"),
             json(&f, TR_STR("{\"$schema\":\"https://json-schema.org/draft/"
                             "2020-12/schema\",\"$vocabulary\":{\"https://"
                             "example.com/x\":true}}"))},
            {TR_STR("https://example.com/empty"), json(&f, TR_STR("{}"))},
        };
        const struct tr_schema_opts opts = {.docs = docs, .doc_count = 2};
        CHECK_ROW(compile(&f, unknown[i], &opts, &schema) == TR_E_UNSUPPORTED,
                  unknown[i]);
        tear_down(&f);
    }
}

static const struct {
    const char *schema;
    const char *value;
    const char *field;
    const char *code;
    const char *message;
} errors[] = {
    {"{\"type\":\"object\"}", "1", "arguments", "type",
     "arguments must be of type object"},
    {"{\"properties\":{\"a\":{\"items\":{\"type\":[\"string\",\"null\"]}}}}",
     "{\"a\":[\"x\",2]}", "a/1", "type",
     "a/1 must be of type ['string','null']"},
    {"{\"required\":[\"a\"]}", "{}", "a", "required", "a is required"},
    {"{\"properties\":{\"p\":{\"required\":[\"q\"]}}}", "{\"p\":{}}", "p/q",
     "required", "p/q is required"},
    {"{\"additionalProperties\":false}", "{\"x\":1}", "x", "unknown_field",
     "x is not a field"},
    {"{\"unevaluatedProperties\":false}", "{\"x\":1}", "x", "unknown_field",
     "x is not a field"},
    {"{\"enum\":[\"a\",2]}", "3", "arguments", "one_of",
     "arguments must be one of ['a',2]"},
    {"{\"const\":\"a\"}", "3", "arguments", "one_of", "arguments must be a"},
    {"{\"pattern\":\"^a$\"}", "\"b\"", "arguments", "pattern",
     "arguments must match ^a$"},
    {"{\"minimum\":2}", "1", "arguments", "min_value",
     "arguments must be at least 2"},
    {"{\"exclusiveMaximum\":2}", "2", "arguments", "max_value",
     "arguments must be below 2"},
    {"{\"minItems\":2}", "[]", "arguments", "min_count",
     "arguments must have at least this many values: 2"},
    {"{\"uniqueItems\":true}", "[1,1.0]", "arguments", "unique",
     "arguments must not have a value twice"},
    {"{\"anyOf\":[{\"type\":\"null\"}]}", "1", "arguments", "constraint",
     "arguments fits none of the schemas in anyOf"},
    {"{\"oneOf\":[{},{}]}", "1", "arguments", "constraint",
     "arguments does not fit exactly one of the schemas in oneOf"},
    {"{\"not\":{}}", "1", "arguments", "constraint",
     "arguments fits a schema it must not fit"},
    {"{\"properties\":{\"a\":false}}", "{\"a\":1}", "a", "constraint",
     "a is not allowed"},
    {"{\"propertyNames\":{\"maxLength\":1}}", "{\"ab\":1}", "ab", "max_length",
     "ab must have a length of at most 1"},
    {"{\"dependentRequired\":{\"a\":[\"b\"]}}", "{\"a\":1}", "b", "required",
     "b is required here"},
};

TEST(what_is_wrong_comes_as_field_errors)
{
    for (size_t i = 0; i < TR_LEN(errors); i++) {
        struct fixture f;
        set_up(&f);
        CHECK_ROW(check(&f, errors[i].schema, errors[i].value) ==
                      TR_E_VALIDATION,
                  errors[i].schema);
        CHECK_INT(f.errors.count, 1);
        CHECK_STR(f.errors.items[0].field, errors[i].field);
        CHECK_STR(f.errors.items[0].code, errors[i].code);
        CHECK_STR(f.errors.items[0].message, errors[i].message);
        tear_down(&f);
    }
}

TEST(all_that_is_wrong_is_reported)
{
    struct fixture f;
    set_up(&f);
    CHECK_INT(check(&f,
                    "{\"required\":[\"x\"],\"properties\":{\"a\":{\"type\":"
                    "\"string\",\"minimum\":5},\"b\":{\"items\":{\"type\":"
                    "\"null\"}}},\"additionalProperties\":false}",
                    "{\"a\":1,\"b\":[1,null,2],\"c\":3}"),
              TR_E_VALIDATION);
    CHECK_INT(f.errors.count, 6);
    CHECK_STR(tr_str_from(f.err.msg), "validation failed on 5 field(s)");
    tear_down(&f);
}

TEST(a_schema_that_applies_itself_for_ever_is_stopped)
{
    static const char *const endless[] = {
        "{\"$ref\":\"#\"}",
        "{\"not\":{\"$ref\":\"#\"}}",
        "{\"anyOf\":[{\"$ref\":\"#\"},true]}",
        "{\"$defs\":{\"a\":{\"$ref\":\"#/$defs/"
        "b\"},\"b\":{\"allOf\":[{\"$ref\":"
        "\"#/$defs/a\"}]}},\"$ref\":\"#/$defs/a\"}",
    };
    for (size_t i = 0; i < TR_LEN(endless); i++) {
        struct fixture f;
        set_up(&f);
        CHECK_ROW(check(&f, endless[i], "1") == TR_E_LIMIT, endless[i]);
        tear_down(&f);
    }
}

/* Each level applies the next one twice: 2^64 steps. */
TEST(work_is_bounded)
{
    struct fixture f;
    static char text[8192];
    size_t len = (size_t)snprintf(text, sizeof(text), "{\"$defs\":{");
    for (int i = 0; i < 64; i++)
        len +=
            (size_t)snprintf(text + len, sizeof(text) - len,
                             "\"l%d\":{\"allOf\":[{\"$ref\":\"#/$defs/l%d\"},"
                             "{\"$ref\":\"#/$defs/l%d\"}]},",
                             i, i + 1, i + 1);
    (void)snprintf(text + len, sizeof(text) - len,
                   "\"l64\":{}},\"$ref\":\"#/$defs/l0\"}");
    set_up(&f);
    CHECK_INT(check(&f, text, "1"), TR_E_INVALID);
    tear_down(&f);
}

TEST(a_crafted_text_is_a_violation_even_inside_not)
{
    static const char *const schemas[] = {
        "{\"pattern\":\"^(a+)+$\"}",
        "{\"not\":{\"pattern\":\"^(a+)+$\"}}",
        "{\"anyOf\":[{\"pattern\":\"^(a+)+$\"},true]}",
        "{\"if\":{\"pattern\":\"^(a+)+$\"},\"else\":true}",
    };
    for (size_t i = 0; i < TR_LEN(schemas); i++) {
        struct fixture f;
        set_up(&f);
        CHECK_ROW(check(&f, schemas[i],
                        "\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!\"") ==
                      TR_E_VALIDATION,
                  schemas[i]);
        CHECK_INT(f.errors.count, 1);
        CHECK_STR(f.errors.items[0].code, "pattern_limit");
        tear_down(&f);
    }
}

TEST(a_deep_value_is_checked_as_deep_as_json_may_be)
{
    struct fixture f;
    static char text[2 * TR_LIMIT_NESTING + 8];
    set_up(&f);
    memset(text, '[', TR_LIMIT_NESTING);
    memset(text + TR_LIMIT_NESTING, ']', TR_LIMIT_NESTING);
    CHECK_OK(check(&f, "{\"items\":{\"$ref\":\"#\"}}", text), &f.err);
    tear_down(&f);
}

TEST(formats_are_annotations_unless_they_are_asked_for)
{
    static const struct {
        const char *format;
        const char *good;
        const char *bad;
    } formats[] = {
        {"date-time", "\"2026-07-28T12:00:00Z\"", "\"2026-07-28\""},
        {"date", "\"2026-07-28\"", "\"2026-02-30\""},
        {"iri", "\"a:b\"", "\"b\""},
        {"uuid", "\"018f3a2b-0000-7000-8000-0123456789aB\"",
         "\"018f3a2b-0000-7000-8000-0123456789a\""},
        {"uuid", "7", "\"018f3a2b00000-7000-8000-0123456789ab\""},
    };
    for (size_t i = 0; i < TR_LEN(formats); i++) {
        struct fixture f;
        char text[64];
        const struct tr_schema *schema = NULL;
        const struct tr_schema_opts opts = {.assert_formats = true};
        set_up(&f);
        (void)snprintf(text, sizeof(text), "{\"format\":\"%s\"}",
                       formats[i].format);
        CHECK_OK(check(&f, text, formats[i].bad), &f.err);
        CHECK_OK(compile(&f, text, &opts, &schema), &f.err);
        CHECK_OK(tr_schema_check(schema, json(&f, tr_str_from(formats[i].good)),
                                 &f.arena, &f.errors, &f.err),
                 &f.err);
        CHECK_INT(tr_schema_check(schema, json(&f, tr_str_from(formats[i].bad)),
                                  &f.arena, &f.errors, &f.err),
                  TR_E_VALIDATION);
        tear_down(&f);
    }
}

TEST(a_schema_has_a_maximum_of_parts)
{
    struct fixture f;
    const struct tr_schema *schema = NULL;
    const struct tr_json *tree = NULL;
    struct tr_buf text;
    set_up(&f);
    tr_buf_init(&text, TR_MIB(1));
    tr_buf_put(&text, TR_STR("{\"allOf\":[{}"));
    for (size_t i = 0; i < TR_LIMIT_SCHEMA_NODES; i++)
        tr_buf_put(&text, TR_STR(",{}"));
    tr_buf_put(&text, TR_STR("]}"));
    tree = json(&f, tr_buf_str(&text));
    CHECK_INT(
        tr_schema_compile(&f.arena, &f.patterns, tree, NULL, &schema, &f.err),
        TR_E_LIMIT);
    tr_buf_done(&text);
    tear_down(&f);
}

static const char sweep_schema[] =
    "{\"$id\":\"http://x/"
    "\",\"$defs\":{\"n\":{\"$anchor\":\"n\",\"$dynamicAnchor"
    "\":\"m\",\"type\":\"object\",\"patternProperties\":{\"^a\":{\"$"
    "dynamicRef\":"
    "\"#m\"}},\"unevaluatedProperties\":false,\"required\":[\"ab\"]}},"
    "\"$ref\":\"#n\",\"dependentSchemas\":{\"z\":{}},\"if\":{\"maxProperties\":"
    "1},"
    "\"then\":{\"uniqueItems\":true},\"additionalProperties\":{\"$ref\":"
    "\"https://json-schema.org/draft/2020-12/schema\"}}";

static tr_status compile_and_check(void *context, struct tr_err *err)
{
    struct fixture f;
    const struct tr_json *tree = NULL;
    const struct tr_json *value = NULL;
    const struct tr_schema *schema = NULL;
    (void)context;
    set_up(&f);
    tr_status st =
        tr_json_read(&f.arena, tr_str_from(sweep_schema), NULL, &tree, err);
    if (st == TR_OK)
        st = tr_json_read(&f.arena, TR_STR("{\"ab\":{\"ac\":{}},\"b\":1}"),
                          NULL, &value, err);
    if (st == TR_OK)
        st = tr_schema_compile(&f.arena, &f.patterns, tree, NULL, &schema, err);
    if (st == TR_OK)
        st = tr_schema_check(schema, value, &f.arena, &f.errors, err);
    tear_down(&f);
    return st == TR_E_VALIDATION ? TR_OK : st;
}

TEST(the_validator_survives_without_memory)
{
    tr_test_sweep(compile_and_check, NULL);
    struct fixture f;
    set_up(&f);
    const struct tr_json *tree = json(&f, tr_str_from(sweep_schema));
    const struct tr_json *value =
        json(&f, TR_STR("{\"ab\":{\"ac\":[1]},\"c\":[1,2]}"));
    for (size_t max = 0; max < TR_KIB(48); max += 48) {
        struct tr_arena arena;
        struct tr_field_errors found = {0};
        const struct tr_schema *schema = NULL;
        tr_arena_init(&arena, max);
        tr_status st =
            tr_schema_compile(&arena, &f.patterns, tree, NULL, &schema, &f.err);
        if (st == TR_OK)
            st = tr_schema_check(schema, value, &arena, &found, &f.err);
        CHECK(st == TR_E_NOMEM || st == TR_E_VALIDATION);
        tr_arena_done(&arena);
    }
    tear_down(&f);
}

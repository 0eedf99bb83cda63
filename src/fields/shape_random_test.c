/*
 * Random shapes and objects: the check of fields and the JSON Schema that is
 * written of the same shape, asked of our validator, give the same verdict.
 */
#include "base/limits.h"
#include "base/test.h"
#include "fields/check.h"
#include "fields/json_schema.h"
#include "fields/pattern.h"
#include "json/reader.h"
#include "schema/schema.h"

#define SHAPES  2000
#define OBJECTS 40
#define FIELDS  5

struct world {
    struct tr_arena arena;
    struct tr_field_patterns patterns;
};

static bool one_in(uint64_t n)
{
    return tr_test_random_below(n) == 0;
}

static const struct tr_json *json(struct world *w, const char *text)
{
    const struct tr_json *tree = NULL;
    struct tr_err err = {0};
    CHECK_OK(tr_json_read(&w->arena, tr_str_from(text), NULL, &tree, &err),
             &err);
    return tree;
}

#define PICK(list) (list)[tr_test_random_below(TR_LEN(list))]

static const char *const texts[] = {"\"\"",
                                    "\"a\"",
                                    "\"ab\"",
                                    "\"REQ-1\"",
                                    "\"\xC3\xA9\xC3\xA9\xC3\xA9\"",
                                    "\"\xF0\x9F\x90\xB2\"",
                                    "\"2026-07-28T12:00:00Z\"",
                                    "\"2026-07-28\"",
                                    "\"http://x/y\"",
                                    "\"2026-02-30\"",
                                    "\"09:00:00.5\"",
                                    "\"24:00:00\"",
                                    "\"PT1H30M\"",
                                    "\"-P1DT0.5S\"",
                                    "\"P1M\"",
                                    "\"12.50\"",
                                    "\"-.5\"",
                                    "\"1e3\"",
                                    "\"urn:x:y\"",
                                    "\"http://x/a b\"",
                                    "\"ada@example.org\"",
                                    "\"ada@localhost\"",
                                    "\"b\""};
static const char *const numbers[] = {
    "0",   "-0",  "1", "1.0", "2",      "2.5",   "-3",
    "1e2", "100", "3", "0.1", "1e-400", "1e400", "9007199254740993"};
static const char *const others[] = {
    "null",         "true", "false",     "{}",
    "[]",           "[[]]", "{\"a\":1}", "{\"a\":2,\"b\":\"2026-07-28\"}",
    "{\"b\":\"x\"}"};
static const char *const patterns[] = {"^REQ-\\d+$", "a", "^.$", "^$",
                                       "^[a-z]*$"};
static const char *const bounds[] = {"0", "1", "2.0", "100", "1e2", "-3"};

static void constrain(struct world *w, struct tr_field *field)
{
    if (field->kind == TR_FIELD_TEXT) {
        if (one_in(3))
            field->pattern = tr_str_from(PICK(patterns));
        if (one_in(3))
            field->min_length = (int64_t)tr_test_random_below(4);
        if (one_in(3))
            field->max_length =
                field->min_length + 1 + (int64_t)tr_test_random_below(4);
        if (one_in(4))
            field->one_of = json(w, "[\"a\",\"REQ-1\",\"\"]");
    } else if (field->kind == TR_FIELD_INTEGER ||
               field->kind == TR_FIELD_NUMBER) {
        if (one_in(3))
            field->min_value = tr_str_from(PICK(bounds));
        if (one_in(3))
            field->max_value = tr_str_from(PICK(bounds));
        if (one_in(4))
            field->one_of = json(w, "[1,2.0,100]");
    } else if (field->kind == TR_FIELD_REF) {
        field->target = TR_STR("T");
    }
}

static const struct tr_field inner_fields[] = {
    {.name = TR_STR_INIT("a"), .kind = TR_FIELD_INTEGER},
    {.name = TR_STR_INIT("b"), .kind = TR_FIELD_DATE, .optional = true}};
static const struct tr_shape inner = {.fields = inner_fields,
                                      .count = TR_LEN(inner_fields)};

static struct tr_field random_field(struct world *w, const char *name)
{
    struct tr_field field = {
        .name = tr_str_from(name),
        .kind = (enum tr_field_kind)tr_test_random_below(TR_FIELD_KINDS),
        .many = one_in(3),
        .optional = one_in(2),
    };
    if (field.kind == TR_FIELD_OBJECT)
        field.object = &inner;
    else if (!field.many)
        field.list = one_in(4);
    constrain(w, &field);
    if (field.many && !field.optional && one_in(2))
        field.min_count = (int64_t)tr_test_random_below(3);
    if (field.many && one_in(2))
        field.max_count = field.min_count + 1;
    return field;
}

static void put_value(struct tr_buf *out, const struct tr_field *field)
{
    bool is_number =
        field->kind == TR_FIELD_INTEGER || field->kind == TR_FIELD_NUMBER;
    const char *value =
        one_in(8)                                      ? PICK(others)
        : one_in(8) && field->kind != TR_FIELD_DECIMAL ? PICK(numbers)
        : is_number                                    ? PICK(numbers)
        : field->kind == TR_FIELD_BOOLEAN ? (one_in(2) ? "true" : "false")
                                          : PICK(texts);
    tr_buf_put(out, tr_str_from(value));
}

static void put_member(struct tr_buf *out, const struct tr_field *field)
{
    if (!tr_field_is_array(field) || one_in(8)) {
        put_value(out, field);
        return;
    }
    tr_buf_putc(out, '[');
    for (uint64_t i = 0, count = tr_test_random_below(4); i < count; i++) {
        if (i)
            tr_buf_putc(out, ',');
        put_value(out, field);
    }
    tr_buf_putc(out, ']');
}

static const struct tr_json *random_object(struct world *w,
                                           const struct tr_shape *shape)
{
    char storage[2048];
    struct tr_buf out;
    tr_str text;
    const struct tr_json *tree = NULL;
    tr_buf_init_fixed(&out, storage, sizeof(storage));
    tr_buf_putc(&out, '{');
    for (size_t i = 0; i < shape->count; i++) {
        if (one_in(6))
            continue;
        tr_buf_putf(&out, "%s\"%.*s\":", out.len > 1 ? "," : "",
                    TR_FMT(shape->fields[i].name));
        put_member(&out, &shape->fields[i]);
    }
    if (one_in(10))
        tr_buf_putf(&out, "%s\"unknown\":1", out.len > 1 ? "," : "");
    tr_buf_putc(&out, '}');
    CHECK(tr_arena_copy(&w->arena, tr_buf_str(&out), &text));
    CHECK_OK(tr_json_read(&w->arena, text, NULL, &tree, NULL), NULL);
    return tree;
}

static const struct tr_schema *
schema_of(struct world *w, const struct tr_shape *shape, tr_str *text)
{
    const struct tr_schema_opts opts = {.assert_formats = true};
    const struct tr_json *tree = NULL;
    const struct tr_schema *schema = NULL;
    struct tr_err err = {0};
    struct tr_json_writer writer;
    struct tr_buf buf;
    tr_buf_init(&buf, TR_KIB(64));
    tr_jw_init(&writer, &buf);
    tr_shape_write_json_schema(&writer, shape,
                               one_in(2) ? TR_SHAPE_WITH_DIALECT : 0);
    CHECK_OK(tr_jw_finish(&writer, &err), &err);
    CHECK(tr_arena_copy(&w->arena, tr_buf_str(&buf), text));
    tr_buf_done(&buf);
    CHECK_OK(tr_json_read(&w->arena, *text, NULL, &tree, &err), &err);
    CHECK_OK(
        tr_schema_compile(&w->arena, &w->patterns, tree, &opts, &schema, &err),
        &err);
    return schema;
}

/* What the schema lets pass: formats are no more than a hint there but for
 * times, dates and IRIs, and null is no document. */
static bool is_unsaid(const struct tr_shape *shape,
                      const struct tr_field_errors *errors)
{
    for (size_t i = 0; i < errors->count; i++) {
        const struct tr_field *field =
            tr_shape_find(shape, errors->items[i].field);
        if (!field || !tr_str_eq(errors->items[i].code, TR_STR("type")) ||
            (field->kind != TR_FIELD_URI && field->kind != TR_FIELD_EMAIL &&
             field->kind != TR_FIELD_JSON))
            return false;
    }
    return true;
}

static void compare(struct world *w, const struct tr_shape *shape,
                    const struct tr_schema *schema, tr_str schema_text)
{
    struct tr_shape_checked checked;
    struct tr_field_errors errors = {0};
    struct tr_err err = {0};
    char row[4096];
    const struct tr_json *object = random_object(w, shape);
    tr_status a = tr_shape_check(shape, object, &w->arena, &checked, &err);
    tr_status b = tr_schema_check(schema, object, &w->arena, &errors, &err);
    struct tr_buf buf;
    struct tr_json_writer writer;
    tr_buf_init_fixed(&buf, row, sizeof(row) - 1);
    tr_jw_init(&writer, &buf);
    tr_jw_value(&writer, object);
    tr_buf_putf(&buf, " and %.*s: %s, %s", TR_FMT(schema_text),
                tr_status_name(a), tr_status_name(b));
    row[buf.len] = '\0';
    CHECK_ROW(a == TR_OK || a == TR_E_VALIDATION, row);
    CHECK_ROW(a == b || (a == TR_E_VALIDATION && b == TR_OK &&
                         is_unsaid(shape, &checked.errors)),
              row);
    if (a == TR_OK)
        CHECK_OK(
            tr_schema_check(schema, checked.value, &w->arena, &errors, &err),
            &err);
}

TEST(fields_and_their_schema_agree_on_random_objects)
{
    static const char *const names[] = {"e", "c", "a", "d", "b"};
    size_t tried = 0;
    for (size_t i = 0; i < tr_test_scaled(SHAPES); i++) {
        struct world w = {0};
        struct tr_field fields[FIELDS];
        const struct tr_shape *shape = NULL;
        tr_str text;
        tr_arena_init(&w.arena, TR_MIB(16));
        struct tr_shape draft = {
            .fields = fields,
            .count = tr_test_random_below(FIELDS + 1),
            .open = one_in(4),
        };
        for (size_t k = 0; k < draft.count; k++)
            fields[k] = random_field(&w, names[k]);
        if (tr_shape_register(&w.arena, &w.patterns, &draft, &shape, NULL) ==
            TR_OK) { /* some have a minimum above their maximum */
            const struct tr_schema *schema = schema_of(&w, shape, &text);
            for (size_t k = 0; k < OBJECTS; k++)
                compare(&w, shape, schema, text);
            tried++;
        }
        tr_field_patterns_done(&w.patterns);
        tr_arena_done(&w.arena);
    }
    CHECK(tried > tr_test_scaled(SHAPES) / 2);
}

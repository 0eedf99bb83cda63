#include "fields/value.h"

#include "base/limits.h"
#include "base/test.h"
#include "fields/field.h"
#include "json/reader.h"
#include "json/writer.h"

/* Values of one row are equal, values of different rows are not. */
static const char *const classes[][3] = {
    {"null"},
    {"false"},
    {"true"},
    {"0", "-0", "0.0"},
    {"1", "1.0", "10e-1"},
    {"1.5", "15e-1"},
    {"\"\""},
    {"\"1\""},
    {"\"a\"", "\"\\u0061\""},
    {"[]"},
    {"[[]]"},
    {"[1,2]", "[1.0,2]"},
    {"[2,1]"},
    {"{}"},
    {"{\"a\":1}", "{\"a\":1.0}"},
    {"{\"a\":1,\"b\":[true]}", "{\"b\":[true],\"a\":1}"},
    {"{\"a\":1,\"b\":[false]}"},
    {"{\"a\":1,\"c\":[true]}"},
    {"{\"a\":{\"a\":1}}"},
};

TEST(values_are_equal_by_their_meaning)
{
    struct tr_arena arena;
    tr_arena_init(&arena, TR_MIB(1));
    for (size_t i = 0; i < TR_LEN(classes); i++) {
        const struct tr_json *a = NULL;
        CHECK_OK(
            tr_json_read(&arena, tr_str_from(classes[i][0]), NULL, &a, NULL),
            NULL);
        for (size_t k = 0; k < TR_LEN(classes); k++) {
            for (size_t n = 0; n < 3 && classes[k][n]; n++) {
                const struct tr_json *b = NULL;
                CHECK_OK(tr_json_read(&arena, tr_str_from(classes[k][n]), NULL,
                                      &b, NULL),
                         NULL);
                CHECK_ROW(tr_field_value_eq(a, b) == (i == k), classes[k][n]);
                CHECK_ROW((tr_field_value_hash(a, 7) ==
                           tr_field_value_hash(b, 7)) == (i == k),
                          classes[k][n]);
            }
        }
    }
    tr_arena_done(&arena);
}

TEST(values_are_counted_without_their_keys)
{
    struct tr_arena arena;
    const struct tr_json *tree = NULL;
    tr_arena_init(&arena, TR_MIB(1));
    CHECK_OK(tr_json_read(&arena, TR_STR("{\"a\":[1,2,{}],\"b\":null}"), NULL,
                          &tree, NULL),
             NULL);
    CHECK_INT(tr_field_value_count(tree), 6);
    tr_arena_done(&arena);
}

/* Texts as XSD writes values; "" where it is none of the kind. */
TEST(values_are_read_from_texts_by_the_kind_of_their_field)
{
    static const struct {
        enum tr_field_kind kind;
        const char *text;
        const char *value;
    } rows[] = {
        {TR_FIELD_TEXT, "", "\"\""},
        {TR_FIELD_TEXT, "007", "\"007\""},
        {TR_FIELD_INTEGER, "007", "7"},
        {TR_FIELD_INTEGER, "+7", "7"},
        {TR_FIELD_INTEGER, "-0", "-0"},
        {TR_FIELD_INTEGER, "1.0", ""},
        {TR_FIELD_INTEGER, "", ""},
        {TR_FIELD_INTEGER, " 1", ""},
        {TR_FIELD_INTEGER, "1\"", ""},
        {TR_FIELD_NUMBER, "0.50", "0.50"},
        {TR_FIELD_NUMBER, "1e3", "1e3"},
        {TR_FIELD_NUMBER, ".5", ""},
        {TR_FIELD_NUMBER, "NaN", ""},
        {TR_FIELD_BOOLEAN, "1", "true"},
        {TR_FIELD_BOOLEAN, "false", "false"},
        {TR_FIELD_BOOLEAN, "True", ""},
        {TR_FIELD_DATETIME, "today", "\"today\""},
    };
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        const struct tr_field field = {.kind = rows[i].kind};
        struct tr_json value = {0};
        struct tr_arena arena;
        struct tr_json_writer w;
        struct tr_buf out;
        tr_arena_init(&arena, TR_KIB(64));
        tr_buf_init(&out, TR_KIB(1));
        tr_jw_init(&w, &out);
        tr_status status = tr_field_value_read(
            &field, tr_str_from(rows[i].text), &arena, &value);
        if (status == TR_OK)
            tr_jw_value(&w, &value);
        CHECK_ROW(status == TR_OK || status == TR_E_VALIDATION, rows[i].text);
        CHECK_STR(tr_buf_str(&out), rows[i].value);
        tr_buf_done(&out);
        tr_arena_done(&arena);
    }
}

#include "fields/value.h"

#include "base/limits.h"
#include "base/test.h"
#include "json/reader.h"

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

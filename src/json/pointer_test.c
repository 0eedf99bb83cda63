#include "base/limits.h"
#include "base/test.h"
#include "json/reader.h"
#include "json/writer.h"

struct row {
    tr_str pointer;
    const char *value; /* compact; NULL when there is none */
};

static void check_row(const struct tr_json *root, const struct row *row)
{
    struct tr_buf buf;
    struct tr_json_writer w;
    const struct tr_json *value = tr_json_pointer(root, row->pointer);
    CHECK_ROW((value != NULL) == (row->value != NULL), row->pointer.ptr);
    if (!value)
        return;
    tr_buf_init(&buf, TR_KIB(4));
    tr_jw_init(&w, &buf);
    tr_jw_value(&w, value);
    CHECK_INT(tr_jw_finish(&w, NULL), TR_OK);
    CHECK_STR(tr_buf_str(&buf), row->value);
    tr_buf_done(&buf);
}

static void check_rows(const char *text, const struct row *rows, size_t count)
{
    struct tr_arena arena;
    struct tr_err err = {0};
    const struct tr_json *root = NULL;
    tr_arena_init(&arena, TR_MIB(1));
    CHECK_OK(tr_json_read(&arena, tr_str_from(text), NULL, &root, &err), &err);
    for (size_t i = 0; i < count; i++)
        check_row(root, &rows[i]);
    tr_arena_done(&arena);
}

static const char rfc_6901[] =
    "{\"foo\":[\"bar\",\"baz\"],\"\":0,\"a/b\":1,\"c%d\":2,\"e^f\":3,"
    "\"g|h\":4,\"i\\\\j\":5,\"k\\\"l\":6,\" \":7,\"m~n\":8}";

TEST(json_pointer_finds_what_section_5_of_rfc_6901_says)
{
    static const struct row rows[] = {
        {TR_STR_INIT(""), rfc_6901},
        {TR_STR_INIT("/foo"), "[\"bar\",\"baz\"]"},
        {TR_STR_INIT("/foo/0"), "\"bar\""},
        {TR_STR_INIT("/"), "0"},
        {TR_STR_INIT("/a~1b"), "1"},
        {TR_STR_INIT("/c%d"), "2"},
        {TR_STR_INIT("/e^f"), "3"},
        {TR_STR_INIT("/g|h"), "4"},
        {TR_STR_INIT("/i\\j"), "5"},
        {TR_STR_INIT("/k\"l"), "6"},
        {TR_STR_INIT("/ "), "7"},
        {TR_STR_INIT("/m~0n"), "8"},
    };
    check_rows(rfc_6901, rows, TR_LEN(rows));
}

TEST(json_pointer_finds_nothing_with_a_malformed_pointer)
{
    static const struct row rows[] = {
        {TR_STR_INIT("foo"), NULL},    {TR_STR_INIT("foo/0"), NULL},
        {TR_STR_INIT("#/foo"), NULL},  {TR_STR_INIT(" /foo"), NULL},
        {TR_STR_INIT("/m~n"), NULL},   {TR_STR_INIT("/m~"), NULL},
        {TR_STR_INIT("/~"), NULL},     {TR_STR_INIT("/m~2n"), NULL},
        {TR_STR_INIT("/a~01b"), NULL}, {TR_STR_INIT("/foo\0"), NULL},
    };
    check_rows(rfc_6901, rows, TR_LEN(rows));
}

TEST(json_pointer_finds_nothing_that_is_not_there)
{
    static const struct row rows[] = {
        {TR_STR_INIT("/bar"), NULL},     {TR_STR_INIT("/foo/2"), NULL},
        {TR_STR_INIT("/fo"), NULL},      {TR_STR_INIT("/fooo"), NULL},
        {TR_STR_INIT("/foo/0/x"), NULL}, {TR_STR_INIT("/foo/0/"), NULL},
        {TR_STR_INIT("//"), NULL},       {TR_STR_INIT("/a~1"), NULL},
        {TR_STR_INIT("/a~1bc"), NULL},   {TR_STR_INIT("/m~0"), NULL},
        {TR_STR_INIT("/a~1b/c"), NULL},
    };
    check_rows(rfc_6901, rows, TR_LEN(rows));
    CHECK(tr_json_pointer(NULL, TR_STR("")) == NULL);
    CHECK(tr_json_pointer(NULL, TR_STR("/a")) == NULL);
}

TEST(json_pointer_takes_only_plain_decimal_indexes)
{
    static const struct row rows[] = {
        {TR_STR_INIT("/0"), "1"},
        {TR_STR_INIT("/9"), "10"},
        {TR_STR_INIT("/10"), "11"},
        {TR_STR_INIT("/11"), NULL},
        {TR_STR_INIT("/00"), NULL},
        {TR_STR_INIT("/01"), NULL},
        {TR_STR_INIT("/-0"), NULL},
        {TR_STR_INIT("/-1"), NULL},
        {TR_STR_INIT("/+1"), NULL},
        {TR_STR_INIT("/-"), NULL},
        {TR_STR_INIT("/"), NULL},
        {TR_STR_INIT("/1 "), NULL},
        {TR_STR_INIT("/1e0"), NULL},
        {TR_STR_INIT("/18446744073709551616"), NULL},
        {TR_STR_INIT("/9223372036854775807"), NULL},
    };
    check_rows("[1,2,3,4,5,6,7,8,9,10,11]", rows, TR_LEN(rows));
}

TEST(json_pointer_goes_through_objects_and_arrays_in_turn)
{
    static const struct row rows[] = {
        {TR_STR_INIT("/a/0/b/1"), "7"},     {TR_STR_INIT("/a/0/b/1/"), NULL},
        {TR_STR_INIT("/a/0/"), "{\"\":8}"}, {TR_STR_INIT("/a/0//"), "8"},
        {TR_STR_INIT("/a//b"), NULL},
    };
    check_rows("{\"a\":[{\"b\":[6,7],\"\":{\"\":8}}]}", rows, TR_LEN(rows));
}

TEST(json_pointer_unescapes_in_one_pass)
{
    static const struct row rows[] = {
        {TR_STR_INIT("/~01"), "1"},       {TR_STR_INIT("/~0~1"), "2"},
        {TR_STR_INIT("/~00"), "3"},       {TR_STR_INIT("/~1"), "4"},
        {TR_STR_INIT("/~1~1/~0~0"), "5"},
    };
    check_rows("{\"~1\":1,\"~/\":2,\"~0\":3,\"/\":4,\"//\":{\"~~\":5}}", rows,
               TR_LEN(rows));
}

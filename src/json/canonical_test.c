#include "base/limits.h"
#include "base/test.h"
#include "json/reader.h"
#include "json/writer.h"

struct row {
    const char *text;
    const char *canonical;
};

static void canonical_of(const char *text, struct tr_buf *buf)
{
    struct tr_arena arena;
    struct tr_err err = {0};
    struct tr_json_writer w;
    const struct tr_json *root = NULL;
    tr_arena_init(&arena, TR_MIB(4));
    CHECK_OK(tr_json_read(&arena, tr_str_from(text), NULL, &root, &err), &err);
    tr_jw_init(&w, buf);
    tr_jw_canonical(&w, root);
    CHECK_OK(tr_jw_finish(&w, &err), &err);
    tr_arena_done(&arena);
}

static void check_rows(const struct row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct tr_buf buf;
        tr_buf_init(&buf, TR_KIB(64));
        canonical_of(rows[i].text, &buf);
        CHECK_STR(tr_buf_str(&buf), rows[i].canonical);
        tr_buf_clear(&buf);
        canonical_of(rows[i].canonical, &buf);
        CHECK_STR(tr_buf_str(&buf), rows[i].canonical);
        tr_buf_done(&buf);
    }
}

TEST(json_canonical_has_keys_in_byte_order)
{
    static const struct row rows[] = {
        {"{}", "{}"},
        {"{\"b\":1,\"a\":2}", "{\"a\":2,\"b\":1}"},
        {"{\"aa\":1,\"a\":2,\"\":3}", "{\"\":3,\"a\":2,\"aa\":1}"},
        {"{\"a\":1,\"Z\":2,\"_\":3}", "{\"Z\":2,\"_\":3,\"a\":1}"},
        {"{\"\xC3\xA9\":1,\"z\":2}", "{\"z\":2,\"\xC3\xA9\":1}"},
        {"{\"a\\u0000\":1,\"a\":2}", "{\"a\":2,\"a\\u0000\":1}"},
        {"[{\"b\":{\"d\":1,\"c\":2}}]", "[{\"b\":{\"c\":2,\"d\":1}}]"},
        {"{\"a\":1,\"b\":2,\"a\":3}", "{\"a\":3,\"b\":2}"},
    };
    check_rows(rows, TR_LEN(rows));
}

/* In UTF-16, U+FF61 would stand behind U+10000. */
TEST(json_canonical_orders_by_bytes_and_not_by_utf16)
{
    static const struct row rows[] = {
        {"{\"\xF0\x90\x80\x80\":1,\"\xEF\xBD\xA1\":2}",
         "{\"\xEF\xBD\xA1\":2,\"\xF0\x90\x80\x80\":1}"},
    };
    check_rows(rows, TR_LEN(rows));
}

TEST(json_canonical_writes_each_number_in_one_way)
{
    static const struct row rows[] = {
        {"0", "0"},
        {"-0", "0"},
        {"-0.0", "0"},
        {"0e5", "0"},
        {"-0e-5", "0"},
        {"1.0", "1"},
        {"1e2", "100"},
        {"-1.50", "-1.5"},
        {"1E-7", "1e-7"},
        {"0.000001", "0.000001"},
        {"1e21", "1e+21"},
        {"100e18", "100000000000000000000"},
        {"0.1000000000000000055511151231257827", "0.1"},
        {"1e-400", "0"},
        {"-1e-400", "0"},
        {"9007199254740993", "9007199254740993"},
        {"9007199254740993.0", "9007199254740992"},
        {"123456789012345678901234567890", "123456789012345678901234567890"},
    };
    check_rows(rows, TR_LEN(rows));
}

TEST(json_canonical_keeps_numbers_that_no_double_can_hold)
{
    static const struct row rows[] = {
        {"1e400", "1e400"},
        {"-1.0E+400", "-1.0E+400"},
    };
    check_rows(rows, TR_LEN(rows));
}

TEST(json_canonical_writes_strings_with_the_fewest_escapes)
{
    static const struct row rows[] = {
        {"\"\\u0061\\/\\u00e9\"", "\"a/\xC3\xA9\""},
        {"\"\\u000a\\u001F\\u007f\"", "\"\\n\\u001f\x7F\""},
        {"\"\\uD83D\\uDE00\"", "\"\xF0\x9F\x98\x80\""},
        {" [ true , null ] ", "[true,null]"},
    };
    check_rows(rows, TR_LEN(rows));
}

TEST(json_canonical_sorts_wide_objects)
{
    struct tr_buf text;
    struct tr_buf want;
    struct tr_buf got;
    tr_buf_init(&text, TR_KIB(64));
    tr_buf_init(&want, TR_KIB(64));
    tr_buf_init(&got, TR_KIB(64));
    for (int i = 0; i < 500; i++) {
        int mixed = i * 37 % 500;
        tr_buf_putf(&text, "%c\"%03d\":%d", i ? ',' : '{', mixed, mixed);
        tr_buf_putf(&want, "%c\"%03d\":%d", i ? ',' : '{', i, i);
    }
    tr_buf_put(&text, TR_STR("}\0"));
    tr_buf_put(&want, TR_STR("}\0"));
    canonical_of(text.ptr, &got);
    CHECK_STR(tr_buf_str(&got), want.ptr);
    tr_buf_done(&text);
    tr_buf_done(&want);
    tr_buf_done(&got);
}

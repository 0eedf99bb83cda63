#include "base/buf.h"

#include "base/test.h"

TEST(buf_holds_exactly_its_maximum)
{
    struct tr_buf buf;
    struct tr_err err;
    tr_buf_init(&buf, 1000);
    for (size_t i = 0; i < 1000; i++)
        tr_buf_putc(&buf, (char)('a' + i % 26));
    CHECK_OK(tr_buf_check(&buf, &err), &err);
    CHECK_INT(buf.len, 1000);
    tr_buf_done(&buf);
}

TEST(buf_refuses_one_byte_more_than_its_maximum)
{
    struct tr_buf buf;
    struct tr_err err;
    tr_buf_init(&buf, 3);
    tr_buf_put(&buf, TR_STR("abc"));
    tr_buf_putc(&buf, 'd');
    CHECK_INT(tr_buf_check(&buf, &err), TR_E_LIMIT);
    CHECK_STR(tr_str_from(err.msg), "more than 3 bytes");
    CHECK_STR(tr_buf_str(&buf), "abc");
    tr_buf_done(&buf);
}

/* Otherwise a list would lack an item in the middle and look complete. */
TEST(buf_lets_no_shorter_write_in_after_a_failure)
{
    struct tr_buf buf;
    tr_buf_init(&buf, 4);
    tr_buf_put(&buf, TR_STR("ab"));
    tr_buf_put(&buf, TR_STR("cde"));
    tr_buf_putc(&buf, 'f');
    tr_buf_putf(&buf, "%s", "g");
    tr_buf_put_i64(&buf, 1);
    tr_buf_put_json(&buf, TR_STR(""));
    CHECK(tr_buf_room(&buf, 1) == NULL);
    CHECK_STR(tr_buf_str(&buf), "ab");
    CHECK_INT(tr_buf_check(&buf, NULL), TR_E_LIMIT);
    tr_buf_done(&buf);
}

TEST(buf_clear_forgets_a_failure_and_keeps_the_memory)
{
    struct tr_buf buf;
    tr_buf_init(&buf, 4);
    tr_buf_put(&buf, TR_STR("abcd"));
    tr_buf_putc(&buf, 'e');
    const char *memory = buf.ptr;
    tr_buf_clear(&buf);
    CHECK_INT(tr_buf_check(&buf, NULL), TR_OK);
    tr_buf_put(&buf, TR_STR("wxyz"));
    CHECK_STR(tr_buf_str(&buf), "wxyz");
    CHECK(buf.ptr == memory);
    tr_buf_done(&buf);
}

TEST(buf_with_maximum_zero_takes_nothing_but_nothing)
{
    struct tr_buf buf;
    tr_buf_init(&buf, 0);
    tr_buf_put(&buf, TR_STR(""));
    tr_buf_putf(&buf, "%s", "");
    CHECK_INT(tr_buf_check(&buf, NULL), TR_OK);
    tr_buf_putc(&buf, 'a');
    CHECK_INT(tr_buf_check(&buf, NULL), TR_E_LIMIT);
    tr_buf_done(&buf);
}

TEST(buf_refuses_sizes_near_the_largest_number)
{
    struct tr_buf buf;
    tr_buf_init(&buf, 100);
    tr_buf_put(&buf, TR_STR("abc"));
    CHECK(tr_buf_room(&buf, SIZE_MAX) == NULL);
    CHECK_INT(tr_buf_check(&buf, NULL), TR_E_LIMIT);
    tr_buf_done(&buf);
}

TEST(buf_keeps_what_it_holds_while_it_grows)
{
    struct tr_buf buf;
    tr_buf_init(&buf, 100000);
    for (size_t i = 0; buf.len + 64 <= 100000; i++) {
        char piece[64];
        size_t len = (i * 7) % sizeof(piece);
        for (size_t j = 0; j < len; j++)
            piece[j] = (char)((buf.len + j) % 251);
        tr_buf_put(&buf, (tr_str){piece, len});
    }
    CHECK_INT(tr_buf_check(&buf, NULL), TR_OK);
    for (size_t i = 0; i < buf.len; i++)
        CHECK((unsigned char)buf.ptr[i] == i % 251);
    tr_buf_done(&buf);
}

TEST(buf_may_be_used_again_after_done)
{
    struct tr_buf buf;
    tr_buf_init(&buf, 8);
    tr_buf_put(&buf, TR_STR("abc"));
    tr_buf_done(&buf);
    tr_buf_put(&buf, TR_STR("12345678"));
    CHECK_STR(tr_buf_str(&buf), "12345678");
    tr_buf_done(&buf);
}

TEST(buf_fixed_uses_the_whole_storage_and_no_more)
{
    char storage[5] = "....#";
    struct tr_buf buf;
    tr_buf_init_fixed(&buf, storage, 4);
    tr_buf_put(&buf, TR_STR("abcd"));
    CHECK_INT(tr_buf_check(&buf, NULL), TR_OK);
    tr_buf_putc(&buf, 'e');
    CHECK_INT(tr_buf_check(&buf, NULL), TR_E_LIMIT);
    tr_buf_done(&buf);
    CHECK_STR(((tr_str){storage, 5}), "abcd#");
}

TEST(buf_fixed_can_be_cleared_after_a_failure)
{
    char storage[4];
    struct tr_buf buf;
    tr_buf_init_fixed(&buf, storage, sizeof(storage));
    tr_buf_put(&buf, TR_STR("abcde"));
    tr_buf_clear(&buf);
    tr_buf_put(&buf, TR_STR("wxyz"));
    CHECK_STR(tr_buf_str(&buf), "wxyz");
    CHECK(buf.ptr == storage);
}

TEST(buf_putf_writes_texts_of_every_length)
{
    static const int lengths[] = {0, 1, 254, 255, 256, 257, 5000};
    for (size_t i = 0; i < TR_LEN(lengths); i++) {
        struct tr_buf buf;
        tr_buf_init(&buf, 6000);
        tr_buf_putf(&buf, "<%*d>", lengths[i], 7);
        CHECK_INT(tr_buf_check(&buf, NULL), TR_OK);
        CHECK_INT(buf.len, lengths[i] < 1 ? 3 : lengths[i] + 2);
        CHECK_INT(buf.ptr[0], '<');
        CHECK_INT(buf.ptr[buf.len - 2], '7');
        CHECK_INT(buf.ptr[buf.len - 1], '>');
        tr_buf_done(&buf);
    }
}

TEST(buf_putf_writes_all_of_a_text_or_nothing)
{
    struct tr_buf buf;
    tr_buf_init(&buf, 400);
    tr_buf_putf(&buf, "%0400d", 0);
    CHECK_INT(tr_buf_check(&buf, NULL), TR_OK);
    tr_buf_clear(&buf);
    tr_buf_putf(&buf, "%0401d", 0);
    CHECK_INT(tr_buf_check(&buf, NULL), TR_E_LIMIT);
    CHECK_INT(buf.len, 0);
    tr_buf_done(&buf);
}

TEST(buf_put_i64_writes_every_magnitude)
{
    static const struct {
        int64_t value;
        const char *text;
    } rows[] = {
        {0, "0"},
        {7, "7"},
        {-1, "-1"},
        {10, "10"},
        {-100, "-100"},
        {INT64_MAX, "9223372036854775807"},
        {INT64_MIN, "-9223372036854775808"},
    };
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        char storage[20];
        struct tr_buf buf;
        tr_buf_init_fixed(&buf, storage, sizeof(storage));
        tr_buf_put_i64(&buf, rows[i].value);
        CHECK_STR(tr_buf_str(&buf), rows[i].text);
    }
}

static void check_quoted(tr_str text, const char *quoted)
{
    struct tr_buf buf;
    tr_buf_init(&buf, 4096);
    tr_buf_put_json(&buf, text);
    CHECK_STR(tr_buf_str(&buf), quoted);
    tr_buf_done(&buf);
}

TEST(buf_put_json_escapes_only_what_it_must)
{
    check_quoted((tr_str){NULL, 0}, "\"\"");
    check_quoted(TR_STR("a b"), "\"a b\"");
    check_quoted(TR_STR("\"\\/"), "\"\\\"\\\\/\"");
    check_quoted(TR_STR("\b\t\n\f\r"), "\"\\b\\t\\n\\f\\r\"");
    check_quoted(TR_STR("\0\x01\x1F\x7F"), "\"\\u0000\\u0001\\u001f\x7F\"");
    check_quoted(TR_STR("\xC3\xA9\xE2\x80\xA8"), "\"\xC3\xA9\xE2\x80\xA8\"");
}

TEST(buf_put_json_finds_a_special_byte_at_any_offset)
{
    for (size_t at = 0; at < 100; at++) {
        char text[100];
        char quoted[104] = "\"";
        memset(text, 'x', sizeof(text));
        text[at] = '"';
        memset(quoted + 1, 'x', 101);
        quoted[1 + at] = '\\';
        quoted[2 + at] = '"';
        quoted[102] = '"';
        check_quoted((tr_str){text, sizeof(text)}, quoted);
    }
}

static tr_status fill_in_all_ways(void *context, struct tr_err *err)
{
    (void)context;
    struct tr_buf buf;
    tr_buf_init(&buf, 100000);
    tr_buf_putf(&buf, "%01000d", 0);
    for (int i = 0; i < 2000; i++)
        tr_buf_put(&buf, TR_STR("0123456789"));
    tr_status status = tr_buf_check(&buf, err);
    tr_buf_done(&buf);
    return status;
}

TEST(buf_tells_when_there_is_no_memory)
{
    tr_test_sweep(fill_in_all_ways, NULL);
}

static tr_status fill_three_bytes(void *context, struct tr_err *err)
{
    struct tr_buf buf;
    tr_buf_init(&buf, 100);
    tr_buf_put(&buf, TR_STR("abc"));
    tr_status status = tr_buf_check(&buf, err);
    if (status != TR_OK)
        memcpy(context, err->msg, sizeof(err->msg));
    tr_buf_done(&buf);
    return status;
}

TEST(buf_says_that_memory_was_missing)
{
    char msg[256] = "";
    tr_test_sweep(fill_three_bytes, msg);
    CHECK_STR(tr_str_from(msg), "no memory for 0 bytes");
}

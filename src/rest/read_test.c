#include "rest/read.h"

#include "base/limits.h"
#include "base/test.h"

/* What is read of a text; "(refused)" of what is none. */
struct row {
    const char *text;
    const char *read;
};

static const char refused[] = "(refused)";

static void check(tr_status (*read)(struct tr_arena *, tr_str, tr_str *,
                                    struct tr_err *),
                  const struct row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct tr_arena arena;
        struct tr_err err = {0};
        tr_str out = TR_STR(refused);
        tr_arena_init(&arena, TR_KIB(64));
        if (read(&arena, tr_str_from(rows[i].text), &out, &err) != TR_OK) {
            CHECK_ROW(err.code == TR_E_SYNTAX && err.msg[0], rows[i].text);
            out = TR_STR(refused);
        }
        CHECK_ROW(tr_str_eq(out, tr_str_from(rows[i].read)), rows[i].text);
        tr_arena_done(&arena);
    }
}

TEST(a_segment_is_decoded_once_and_is_text)
{
    static const struct row rows[] = {
        {"", ""},
        {"a.b-c_d~e", "a.b-c_d~e"},
        {"a%2Fb", "a/b"},
        {"%2e%2E", ".."},
        {"%2541", "%41"},
        {"%C3%A4", "\xC3\xA4"},
        {"a+b", "a+b"},
        {"%22%3e%20", "\"> "},
        {"%", refused},
        {"%4", refused},
        {"%zz", refused},
        {"%00", refused},
        {"a%0d%0aX: y", refused},
        {"%7f", refused},
        {"%1b", refused},
        {"%FF", refused},
        {"%C3", refused},
        {"%C0%AF", refused},    /* overlong */
        {"%ED%A0%80", refused}, /* a surrogate */
        {"%F4%90%80%80", refused},
    };
    check(tr_rest_read_segment, rows, TR_LEN(rows));
}

TEST(a_key_is_a_string_or_a_text_that_begins_otherwise)
{
    static const struct row rows[] = {
        {"", ""}, /* too short for a key, which the pipeline says */
        {"abc", "abc"},
        {"8e03978e-40d5-43dd-bc93-6894a57f9324",
         "8e03978e-40d5-43dd-bc93-6894a57f9324"},
        {"a b", "a b"},
        {"a\"b", "a\"b"},
        {"a\\b", "a\\b"},
        {"\xC3\xA4", "\xC3\xA4"},
        {"\"\"", ""},
        {"\"abc\"", "abc"},
        {"\" \"", " "},
        {"\"a\\\"b\"", "a\"b"},
        {"\"a\\\\\"", "a\\"},
        {"\"\\\\\\\"\"", "\\\""},
        /* RFC 8941, 3.3.3 and 4.2.5 */
        {"\"", refused},
        {"\"a", refused},
        {"\"a\"b", refused},
        {"\"a\"b\"", refused},
        {"\"a\\\\\"b\"", refused},
        {"\"a\\\"", refused},
        {"\"a\\", refused},
        {"\"\\\"", refused},
        {"\"\\n\"", refused},
        {"\"\\a\"", refused},
        {"\"a\tb\"", refused},
        {"\"\xC3\xA4\"", refused},
        {"\"a\";x=1", refused},
        {"\"a\", \"b\"", refused},
        /* Neither. */
        {"a\tb", refused},
        {"\xFF", refused},
        {"\x7f", refused},
    };
    check(tr_rest_read_key, rows, TR_LEN(rows));
}

TEST(a_target_becomes_a_uri_as_it_was_sent)
{
    static char long_path[TR_LIMIT_URI_BYTES];
    struct tr_arena arena;
    struct tr_err err = {0};
    struct tr_rest_target target = {
        TR_STR("trails://kg/"), TR_STR("Task/a%2Fb"), TR_STR("where=a%3Db?c")};
    tr_str out;
    tr_arena_init(&arena, TR_KIB(64));
    CHECK_OK(tr_rest_read_uri(&arena, &target, &out, &err), &err);
    CHECK_STR(out, "trails://kg/Task/a%2Fb?where=a%3Db?c");
    target.query = TR_STR("");
    CHECK_OK(tr_rest_read_uri(&arena, &target, &out, &err), &err);
    CHECK_STR(out, "trails://kg/Task/a%2Fb");
    memset(long_path, 'x', sizeof(long_path));
    target.path = (tr_str){long_path, sizeof(long_path) - target.start.len};
    CHECK_OK(tr_rest_read_uri(&arena, &target, &out, &err), &err);
    CHECK_INT(out.len, TR_LIMIT_URI_BYTES);
    target.path.len++;
    CHECK_INT(tr_rest_read_uri(&arena, &target, &out, &err), TR_E_INVALID);
    target.path.len--;
    target.query = TR_STR("a");
    CHECK_INT(tr_rest_read_uri(&arena, &target, &out, &err), TR_E_INVALID);
    tr_arena_done(&arena);
}

static tr_status read_all(void *context, struct tr_err *err)
{
    const struct tr_rest_target target = {TR_STR("trails://"), TR_STR("a"),
                                          TR_STR("b")};
    struct tr_arena arena;
    tr_str out;
    size_t *which = context;
    tr_arena_init(&arena, TR_KIB(64));
    tr_status status =
        *which == 0   ? tr_rest_read_segment(&arena, TR_STR("a"), &out, err)
        : *which == 1 ? tr_rest_read_key(&arena, TR_STR("\"a\""), &out, err)
                      : tr_rest_read_uri(&arena, &target, &out, err);
    tr_arena_done(&arena);
    return status;
}

TEST(reading_survives_every_allocation_that_fails)
{
    for (size_t which = 0; which < 3; which++)
        tr_test_sweep(read_all, &which);
}

#include "json/json.h"

#include "base/limits.h"
#include "base/test.h"
#include "json/build.h"
#include "json/reader.h"
#include "json/writer.h"

#include <math.h>

static const struct tr_json *read_all(struct tr_arena *arena, tr_str text)
{
    struct tr_err err = {0};
    const struct tr_json *root = NULL;
    tr_arena_init(arena, TR_MIB(1));
    CHECK_OK(tr_json_read(arena, text, NULL, &root, &err), &err);
    return root;
}

static const char every_kind[] = "[null,true,1,\"a\",[2],{\"b\":3}]";

TEST(json_is_says_whether_there_is_a_value_of_a_kind)
{
    struct tr_arena arena;
    const struct tr_json *root = read_all(&arena, tr_str_from(every_kind));
    for (size_t i = 0; i < root->len; i++) {
        for (size_t kind = TR_JSON_NULL; kind <= TR_JSON_OBJECT; kind++)
            CHECK(tr_json_is(tr_json_at(root, i), (enum tr_json_kind)kind) ==
                  (i == kind));
    }
    CHECK(!tr_json_is(NULL, TR_JSON_NULL));
    tr_arena_done(&arena);
}

TEST(json_text_is_empty_for_what_has_none)
{
    static const char *const texts[] = {"", "", "1", "a", "", ""};
    struct tr_arena arena;
    const struct tr_json *root = read_all(&arena, tr_str_from(every_kind));
    for (size_t i = 0; i < root->len; i++)
        CHECK_STR(tr_json_text(tr_json_at(root, i)), texts[i]);
    CHECK_INT(tr_json_text(NULL).len, 0);
    struct tr_json date =
        tr_json_make_text(TR_JSON_LOCAL_DATE, TR_STR("2026-07-28"));
    CHECK_STR(tr_json_text(&date), "2026-07-28");
    tr_arena_done(&arena);
}

TEST(json_find_looks_only_into_objects)
{
    struct tr_arena arena;
    const struct tr_json *root = read_all(&arena, tr_str_from(every_kind));
    for (size_t i = 0; i < 5; i++)
        CHECK(tr_json_find(tr_json_at(root, i), TR_STR("b")) == NULL);
    CHECK(tr_json_find(tr_json_at(root, 5), TR_STR("b")) != NULL);
    CHECK(tr_json_find(tr_json_at(root, 5), TR_STR("B")) == NULL);
    CHECK(tr_json_find(NULL, TR_STR("b")) == NULL);
    tr_arena_done(&arena);
}

TEST(json_at_looks_only_into_arrays)
{
    struct tr_arena arena;
    const struct tr_json *root = read_all(&arena, tr_str_from(every_kind));
    CHECK(tr_json_at(root, 5) != NULL);
    CHECK(tr_json_at(root, 6) == NULL);
    CHECK(tr_json_at(root, SIZE_MAX) == NULL);
    CHECK(tr_json_at(NULL, 0) == NULL);
    for (size_t i = 0; i < root->len; i++)
        CHECK((tr_json_at(tr_json_at(root, i), 0) != NULL) == (i == 4));
    tr_arena_done(&arena);
}

TEST(json_bool_reads_only_bools)
{
    struct tr_arena arena;
    bool value = false;
    const struct tr_json *root =
        read_all(&arena, TR_STR("[true,false,1,null]"));
    CHECK(tr_json_bool(tr_json_at(root, 0), &value) && value);
    CHECK(tr_json_bool(tr_json_at(root, 1), &value) && !value);
    CHECK(!tr_json_bool(tr_json_at(root, 2), &value));
    CHECK(!tr_json_bool(tr_json_at(root, 3), &value));
    CHECK(!tr_json_bool(NULL, &value));
    tr_arena_done(&arena);
}

TEST(json_i64_reads_integers_that_fit)
{
    static const struct {
        const char *text;
        int64_t value;
    } rows[] = {
        {"0", 0},
        {"-0", 0},
        {"-7", -7},
        {"9007199254740993", INT64_C(9007199254740993)},
        {"9223372036854775807", INT64_MAX},
        {"-9223372036854775808", INT64_MIN},
    };
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        struct tr_arena arena;
        int64_t value = 1;
        const struct tr_json *root =
            read_all(&arena, tr_str_from(rows[i].text));
        CHECK_ROW(tr_json_i64(root, &value), rows[i].text);
        CHECK_ROW(value == rows[i].value, rows[i].text);
        tr_arena_done(&arena);
    }
}

TEST(json_i64_refuses_everything_else)
{
    static const char *const rows[] = {
        "12.0",
        "1e2",
        "9223372036854775808",
        "-9223372036854775809",
        "true",
        "\"1\"",
        "[1]",
        "null",
    };
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        struct tr_arena arena;
        int64_t value = 77;
        const struct tr_json *root = read_all(&arena, tr_str_from(rows[i]));
        CHECK_ROW(!tr_json_i64(root, &value), rows[i]);
        CHECK_ROW(value == 77, rows[i]);
        tr_arena_done(&arena);
    }
}

TEST(json_double_reads_every_finite_number)
{
    static const struct {
        const char *text;
        double value;
    } rows[] = {
        {"0", 0},
        {"-12", -12},
        {"0.1", 0.1},
        {"1e-400", 0},
        {"9007199254740993", 9007199254740992.0},
        {"1.7976931348623157e308", 1.7976931348623157e308},
    };
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        struct tr_arena arena;
        double value = NAN;
        const struct tr_json *root =
            read_all(&arena, tr_str_from(rows[i].text));
        CHECK_ROW(tr_json_double(root, &value), rows[i].text);
        CHECK_ROW(value == rows[i].value, rows[i].text);
        tr_arena_done(&arena);
    }
}

TEST(json_double_refuses_what_would_be_infinite_or_is_no_number)
{
    static const char *const rows[] = {
        "1e309", "-1e309", "1.7976931348623159e308", "\"1\"", "true", "null",
    };
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        struct tr_arena arena;
        double value = 77;
        const struct tr_json *root = read_all(&arena, tr_str_from(rows[i]));
        CHECK_ROW(!tr_json_double(root, &value), rows[i]);
        CHECK_ROW(value == 77, rows[i]);
        tr_arena_done(&arena);
    }
    struct tr_json inf = tr_json_make_text(TR_JSON_INF, TR_STR("inf"));
    double value;
    CHECK(!tr_json_double(&inf, &value));
}

/* A double would round these; a record's id must come back as it was. */
TEST(json_integers_above_2_to_the_53_come_back_byte_for_byte)
{
    static const char *const rows[] = {
        "9007199254740993",
        "[9007199254740995,-9007199254740997]",
        "{\"id\":12345678901234567890123456789012345678901234567890}",
        "18446744073709551615",
    };
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        struct tr_arena arena;
        char storage[128];
        struct tr_buf buf;
        struct tr_json_writer w;
        const struct tr_json *root = read_all(&arena, tr_str_from(rows[i]));
        tr_buf_init_fixed(&buf, storage, sizeof(storage));
        tr_jw_init(&w, &buf);
        tr_jw_value(&w, root);
        CHECK_INT(tr_jw_finish(&w, NULL), TR_OK);
        CHECK_STR(tr_buf_str(&buf), rows[i]);
        tr_buf_clear(&buf);
        tr_jw_init(&w, &buf);
        tr_jw_canonical(&w, root);
        CHECK_INT(tr_jw_finish(&w, NULL), TR_OK);
        CHECK_STR(tr_buf_str(&buf), rows[i]);
        tr_arena_done(&arena);
    }
}

TEST(json_kinds_have_names_for_messages)
{
    static const char *const names[] = {
        "null",
        "a boolean",
        "a number",
        "a string",
        "an array",
        "an object",
        "an infinite number",
        "not a number",
        "a date-time",
        "a local date-time",
        "a local date",
        "a local time",
        "unknown",
    };
    for (size_t i = 0; i < TR_LEN(names); i++)
        CHECK_STR(tr_str_from(tr_json_kind_name((enum tr_json_kind)i)),
                  names[i]);
}

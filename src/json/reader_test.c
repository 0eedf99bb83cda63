#include "json/reader.h"

#include "base/limits.h"
#include "base/test.h"
#include "json/writer.h"

static void check_reads_as(tr_str text, const char *compact)
{
    struct tr_arena arena;
    struct tr_buf buf;
    struct tr_err err = {0};
    struct tr_json_writer w;
    const struct tr_json *root = NULL;

    tr_arena_init(&arena, TR_MIB(1));
    tr_buf_init(&buf, TR_KIB(64));
    CHECK_ROW(tr_json_read(&arena, text, NULL, &root, &err) == TR_OK, compact);
    tr_jw_init(&w, &buf);
    tr_jw_value(&w, root);
    CHECK_OK(tr_jw_finish(&w, &err), &err);
    CHECK_STR(tr_buf_str(&buf), compact);
    tr_buf_done(&buf);
    tr_arena_done(&arena);
}

TEST(json_reader_accepts_every_kind_of_value)
{
    static const char *const rows[] = {
        "null",
        "true",
        "false",
        "0",
        "\"\"",
        "\"text\"",
        "[]",
        "{}",
        "[null,true,false,1,\"a\",[],{}]",
        "{\"a\":null,\"b\":[1],\"c\":{\"d\":{}},\"\":0}",
    };
    for (size_t i = 0; i < TR_LEN(rows); i++)
        check_reads_as(tr_str_from(rows[i]), rows[i]);
}

TEST(json_reader_keeps_numbers_as_they_are_written)
{
    static const char *const rows[] = {
        "0",
        "-0",
        "7",
        "-7",
        "10",
        "1234567890123456789012345678901234567890",
        "0.0",
        "-0.5",
        "12.50",
        "1e9",
        "1E9",
        "1e+9",
        "1e-9",
        "0e0",
        "-0E-0",
        "1.5e00012",
        "1e999999999999999999999999",
    };
    for (size_t i = 0; i < TR_LEN(rows); i++)
        check_reads_as(tr_str_from(rows[i]), rows[i]);
}

TEST(json_reader_skips_the_four_kinds_of_white_space)
{
    check_reads_as(TR_STR(" \t\r\n1 \t\r\n"), "1");
    check_reads_as(TR_STR("[ ]"), "[]");
    check_reads_as(TR_STR("{\n}"), "{}");
    check_reads_as(TR_STR("[ 1 , 2\t,\r\n3 ]"), "[1,2,3]");
    check_reads_as(TR_STR("\n{ \"a\" : 1 ,\n \"b\"\t:\t[ ] } "),
                   "{\"a\":1,\"b\":[]}");
}

TEST(json_reader_accepts_more_than_ascii)
{
    check_reads_as(TR_STR("\"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\""),
                   "\"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\"");
    check_reads_as(TR_STR("{\"\xC3\xA9\":1}"), "{\"\xC3\xA9\":1}");
    check_reads_as(TR_STR("\"\xEF\xBB\xBF\x7F\""), "\"\xEF\xBB\xBF\x7F\"");
}

static const struct tr_json *read_all(struct tr_arena *arena, tr_str text)
{
    struct tr_err err = {0};
    const struct tr_json *root = NULL;
    tr_arena_init(arena, TR_MIB(16));
    CHECK_OK(tr_json_read(arena, text, NULL, &root, &err), &err);
    return root;
}

static bool is_inside(tr_str part, tr_str whole)
{
    return part.ptr >= whole.ptr &&
           part.ptr + part.len <= whole.ptr + whole.len;
}

TEST(json_reader_borrows_strings_without_escapes)
{
    struct tr_arena arena;
    tr_str text = TR_STR("[\"plain\",\"\xC3\xA9\",\"\",\"a\\u0062\",12]");
    const struct tr_json *root = read_all(&arena, text);
    CHECK(is_inside(tr_json_text(tr_json_at(root, 0)), text));
    CHECK(is_inside(tr_json_text(tr_json_at(root, 1)), text));
    CHECK(is_inside(tr_json_text(tr_json_at(root, 2)), text));
    CHECK(is_inside(tr_json_text(tr_json_at(root, 4)), text));
    tr_arena_done(&arena);
}

TEST(json_reader_decodes_escapes_into_the_arena)
{
    struct tr_arena arena;
    tr_str text = TR_STR("{\"a\\u0062\":\"\\n\"}");
    const struct tr_json *root = read_all(&arena, text);
    tr_str key = tr_json_text(&root->as.members[0].key);
    CHECK_STR(key, "ab");
    CHECK(!is_inside(key, text));
    CHECK_STR(tr_json_text(&root->as.members[0].value), "\n");
    tr_arena_done(&arena);
}

TEST(json_reader_marks_numbers_without_fraction_and_exponent)
{
    struct tr_arena arena;
    const struct tr_json *root =
        read_all(&arena, TR_STR("[1,-0,123,1.0,1e2,-1E2,0.5]"));
    for (size_t i = 0; i < root->len; i++)
        CHECK(root->as.items[i].flags == (i < 3 ? TR_JSON_INTEGER : 0));
    tr_arena_done(&arena);
}

TEST(json_reader_gives_a_nul_that_was_escaped)
{
    struct tr_arena arena;
    const struct tr_json *root = read_all(&arena, TR_STR("\"a\\u0000b\""));
    CHECK(tr_str_eq(tr_json_text(root), TR_STR("a\0b")));
    tr_arena_done(&arena);
}

TEST(json_reader_writes_nothing_when_it_fails)
{
    struct tr_arena arena;
    const struct tr_json *root = NULL;
    tr_arena_init(&arena, TR_MIB(1));
    CHECK_INT(tr_json_read(&arena, TR_STR("[1"), NULL, &root, NULL),
              TR_E_SYNTAX);
    CHECK(root == NULL);
    tr_arena_done(&arena);
}

TEST(json_reader_reads_more_values_than_its_first_slots)
{
    static char text[100000];
    struct tr_arena arena;
    size_t len = 0;
    for (size_t i = 0; i < 10000; i++)
        len += (size_t)snprintf(text + len, sizeof(text) - len, "%c%zu",
                                i ? ',' : '[', i);
    text[len++] = ']';
    const struct tr_json *root = read_all(&arena, (tr_str){text, len});
    CHECK_INT(root->len, 10000);
    for (size_t i = 0; i < root->len; i++) {
        int64_t value = -1;
        CHECK(tr_json_i64(&root->as.items[i], &value) && (size_t)value == i);
    }
    tr_arena_done(&arena);
}

/* The text ends where its memory ends: reading past it would be seen. */
TEST(json_reader_reads_nothing_past_the_end)
{
    static const char whole[] =
        "{\"key\":[1,-2.5e3,true,null,\"text \\u00e9\"]}";
    for (size_t len = 0; len < sizeof(whole) - 1; len++) {
        struct tr_arena arena;
        const struct tr_json *root = NULL;
        char *text = calloc(1, len ? len : 1);
        if (!text)
            abort();
        memcpy(text, whole, len);
        tr_arena_init(&arena, TR_MIB(1));
        CHECK_INT(tr_json_read(&arena, (tr_str){text, len}, NULL, &root, NULL),
                  TR_E_SYNTAX);
        tr_arena_done(&arena);
        free(text);
    }
}

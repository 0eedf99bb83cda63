#include "runtime/outcome.h"

#include "base/test.h"
#include "base/text.h"
#include "json/reader.h"

struct fixture {
    struct tr_arena arena;
    char storage[TR_LIMIT_ERROR_TEXT];
};

static tr_str text_of(struct fixture *f, tr_status status, const char *data)
{
    const struct tr_json *tree = NULL;
    CHECK_OK(tr_json_read(&f->arena, tr_str_from(data), NULL, &tree, NULL),
             NULL);
    return tr_call_error_text(status, TR_STR("validation failed"), tree,
                              f->storage);
}

TEST(outcome_message_says_what_is_wrong_with_each_field)
{
    static const struct {
        tr_status status;
        const char *data;
        const char *text;
    } rows[] = {
        {TR_E_VALIDATION, "null", "validation failed"},
        {TR_E_VALIDATION, "{\"fields\":[]}", "validation failed"},
        {TR_E_VALIDATION, "{\"fields\":\"a\"}", "validation failed"},
        {TR_E_CONFLICT, "{\"fields\":[{\"message\":\"a is b\"}]}",
         "validation failed"},
        {TR_E_VALIDATION,
         "{\"fields\":[{\"field\":\"a\",\"message\":\"a is b\"},{\"field\":"
         "\"c\",\"message\":\"c is d\"}]}",
         "validation failed: a is b; c is d"},
        /* An author's own words, and what is said of a node as a whole. */
        {TR_E_VALIDATION,
         "{\"fields\":[{\"field\":\"a\",\"message\":\"must rhyme\"},{\"field\":"
         "\"\",\"message\":\"too late\"}]}",
         "validation failed: a must rhyme; too late"},
        {TR_E_VALIDATION,
         "{\"fields\":[{\"field\":\"q/content/n\",\"message\":\"n is odd\"},"
         "{\"field\":\"a/\",\"message\":\"it is late\"}]}",
         "validation failed: n is odd; it is late"},
    };
    struct fixture f;
    tr_arena_init(&f.arena, TR_MIB(1));
    for (size_t i = 0; i < TR_LEN(rows); i++)
        CHECK_STR(text_of(&f, rows[i].status, rows[i].data), rows[i].text);
    tr_arena_done(&f.arena);
}

/* Data with `count` fields, whose messages have `length` characters of two
 * bytes. */
static tr_str make_data(struct fixture *f, size_t count, size_t length)
{
    struct tr_buf data;
    tr_str kept;
    tr_buf_init(&data, TR_MIB(1));
    tr_buf_put(&data, TR_STR("{\"fields\":["));
    for (size_t i = 0; i < count; i++) {
        tr_buf_putf(&data, "%s{\"field\":\"\",\"message\":\"", i ? "," : "");
        for (size_t j = 0; j < length; j++)
            tr_buf_put(&data, TR_STR("\xC3\xA9"));
        tr_buf_put(&data, TR_STR("\"}"));
    }
    tr_buf_put(&data, TR_STR("]}"));
    tr_buf_putc(&data, '\0');
    CHECK(tr_arena_copy(&f->arena, tr_buf_str(&data), &kept));
    tr_buf_done(&data);
    return kept;
}

TEST(outcome_message_has_whole_fields_and_counts_the_others)
{
    struct fixture f;
    tr_arena_init(&f.arena, TR_MIB(32));
    for (size_t count = 1; count <= 100; count += 9) {
        for (size_t length = 1; length <= 401; length += 40) {
            char tail[32];
            tr_str text =
                text_of(&f, TR_E_VALIDATION, make_data(&f, count, length).ptr);
            size_t told = 0;
            for (size_t i = 0; i < text.len; i++)
                told += text.ptr[i] == ';';
            bool is_cut = memmem(text.ptr, text.len, "; and ", 6) != NULL;
            CHECK(text.len <= TR_LIMIT_ERROR_TEXT && told < count + 1);
            CHECK(tr_utf8_is_valid(text));
            if (!is_cut) {
                CHECK(told == count - 1);
                continue;
            }
            (void)snprintf(tail, sizeof(tail), "; and %zu more", count - told);
            CHECK_STR(tr_str_skip(text, text.len - strlen(tail)), tail);
            CHECK(text.len + length > TR_LIMIT_ERROR_TEXT / 2);
        }
    }
    tr_arena_done(&f.arena);
}

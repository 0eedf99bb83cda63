#include "base/buf.h"
#include "base/limits.h"
#include "base/test.h"
#include "json/reader.h"

static tr_status read_with(const struct tr_json_opts *opts, tr_str text,
                           struct tr_err *err)
{
    struct tr_arena arena;
    const struct tr_json *root = NULL;
    tr_arena_init(&arena, TR_MIB(64));
    tr_status status = tr_json_read(&arena, text, opts, &root, err);
    tr_arena_done(&arena);
    return status;
}

TEST(json_reader_takes_as_many_bytes_as_allowed_and_no_more)
{
    const struct tr_json_opts opts = {.max_bytes = 8};
    struct tr_err err = {0};
    CHECK_OK(read_with(&opts, TR_STR("[1,2,34]"), &err), &err);
    CHECK_INT(read_with(&opts, TR_STR("[1,2,345]"), &err), TR_E_LIMIT);
    CHECK_STR(tr_str_from(err.msg), "more than 8 bytes of JSON");
}

TEST(json_reader_refuses_more_bytes_than_the_default)
{
    struct tr_err err = {0};
    size_t len = TR_LIMIT_JSON_BYTES + 1;
    char *text = calloc(1, len);
    if (!text)
        abort();
    memset(text, ' ', len);
    text[0] = '1';
    CHECK_OK(read_with(NULL, (tr_str){text, len - 1}, &err), &err);
    CHECK_INT(read_with(NULL, (tr_str){text, len}, &err), TR_E_LIMIT);
    CHECK_STR(tr_str_from(err.msg), "more than 67108864 bytes of JSON");
    free(text);
}

TEST(json_reader_counts_values_and_keys)
{
    static const struct {
        const char *text;
        size_t nodes;
    } rows[] = {
        {"[1,2,3]", 3},       {"[[1,2],3]", 4},    {"{\"a\":1,\"b\":2}", 4},
        {"{\"a\":[1,2]}", 4}, {"[[],[],[[]]]", 4},
    };
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        struct tr_json_opts opts = {.max_nodes = rows[i].nodes};
        struct tr_err err = {0};
        tr_str text = tr_str_from(rows[i].text);
        CHECK_ROW(read_with(&opts, text, &err) == TR_OK, rows[i].text);
        opts.max_nodes--;
        CHECK_ROW(read_with(&opts, text, &err) == TR_E_LIMIT, rows[i].text);
        CHECK_ROW(strstr(err.msg, " values") != NULL, rows[i].text);
        CHECK_ROW(err.place.line == 1, rows[i].text);
    }
}

/* A container that never closes must not take memory without end either. */
TEST(json_reader_counts_values_of_open_containers)
{
    const struct tr_json_opts opts = {.max_nodes = 200};
    struct tr_err err = {0};
    struct tr_buf text;
    tr_buf_init(&text, TR_KIB(64));
    for (int i = 0; i < 4000; i++)
        tr_buf_put(&text, i ? TR_STR(",1") : TR_STR("[1"));
    CHECK_INT(read_with(&opts, tr_buf_str(&text), &err), TR_E_LIMIT);
    CHECK_STR(tr_str_from(err.msg), "more than 200 values");
    CHECK(err.place.offset < 1000);
    tr_buf_done(&text);
}

TEST(json_reader_counts_keys_of_open_objects)
{
    const struct tr_json_opts opts = {.max_nodes = 100};
    struct tr_err err = {0};
    struct tr_buf text;
    tr_buf_init(&text, TR_KIB(64));
    for (int i = 0; i < 1000; i++)
        tr_buf_put(&text, i ? TR_STR(",\"\":1") : TR_STR("{\"\":1"));
    CHECK_INT(read_with(&opts, tr_buf_str(&text), &err), TR_E_LIMIT);
    CHECK_STR(tr_str_from(err.msg), "more than 100 values");
    tr_buf_done(&text);
}

/* Arrays, objects and both in turn, as deep as `depth`. */
static tr_str nested(char *storage, size_t depth, const char *pattern)
{
    char *to = storage;
    for (size_t i = 0; i < depth; i++) {
        bool object = pattern[i % strlen(pattern)] == '{';
        memcpy(to, object ? "{\"\":" : "[", object ? 4 : 1);
        to += object ? 4 : 1;
    }
    *to++ = '0';
    for (size_t i = depth; i > 0; i--)
        *to++ = pattern[(i - 1) % strlen(pattern)] == '{' ? '}' : ']';
    return (tr_str){storage, (size_t)(to - storage)};
}

TEST(json_reader_nests_as_deep_as_allowed_and_no_deeper)
{
    static const char *const patterns[] = {"[", "{", "[{"};
    for (size_t i = 0; i < TR_LEN(patterns); i++) {
        static char storage[6 * (TR_LIMIT_NESTING + 1) + 1];
        struct tr_err err = {0};
        tr_str text = nested(storage, TR_LIMIT_NESTING, patterns[i]);
        CHECK_ROW(read_with(NULL, text, &err) == TR_OK, patterns[i]);
        text = nested(storage, TR_LIMIT_NESTING + 1, patterns[i]);
        CHECK_ROW(read_with(NULL, text, &err) == TR_E_LIMIT, patterns[i]);
        CHECK_STR(tr_str_from(err.msg), "more than 512 levels of nesting");
    }
}

TEST(json_reader_nests_as_deep_as_its_caller_allows)
{
    const struct tr_json_opts opts = {.max_depth = 2};
    struct tr_err err = {0};
    CHECK_OK(read_with(&opts, TR_STR("[[1],[2],{}]"), &err), &err);
    CHECK_INT(read_with(&opts, TR_STR("[1,[2,[3]]]"), &err), TR_E_LIMIT);
    CHECK_STR(tr_str_from(err.msg), "more than 2 levels of nesting");
    CHECK_INT(err.place.column, 7);
}

/* An endless run of brackets ends at the limit, not with the stack. */
TEST(json_reader_survives_a_million_brackets)
{
    static char text[1000000];
    struct tr_err err = {0};
    memset(text, '[', sizeof(text));
    CHECK_INT(read_with(NULL, (tr_str){text, sizeof(text)}, &err), TR_E_LIMIT);
    memset(text, '{', sizeof(text));
    CHECK_INT(read_with(NULL, (tr_str){text, sizeof(text)}, &err), TR_E_SYNTAX);
}

static tr_status read_within(size_t max_bytes, tr_str text, struct tr_err *err)
{
    struct tr_arena arena;
    const struct tr_json *root = NULL;
    tr_arena_init(&arena, max_bytes);
    tr_status status = tr_json_read(&arena, text, NULL, &root, err);
    tr_arena_done(&arena);
    return status;
}

TEST(json_reader_says_what_the_arena_had_no_room_for)
{
    static const struct {
        const char *text;
        const char *msg;
    } rows[] = {
        {"1", "no memory for a JSON document"},
        {"[1]", "no memory for a JSON document"},
        {"{\"a\":1}", "no memory for a JSON document"},
        {"\"\\n\"", "no memory for a JSON string"},
        {"\"\\n and some more than sixteen bytes\"",
         "no memory for a JSON string"},
    };
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        struct tr_err err = {0};
        CHECK_ROW(read_within(0, tr_str_from(rows[i].text), &err) == TR_E_NOMEM,
                  rows[i].text);
        CHECK_STR(tr_str_from(err.msg), rows[i].msg);
    }
}

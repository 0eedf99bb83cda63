#include "toml/reader.h"

#include "base/buf.h"
#include "base/limits.h"
#include "base/test.h"

/* Every value with what tells its kind; only tests need to see that. */
static void show(struct tr_buf *buf, const struct tr_json *value);

static void show_members(struct tr_buf *buf, const struct tr_json *object)
{
    tr_buf_putc(buf, '{');
    for (size_t i = 0; i < object->len; i++) {
        if (i)
            tr_buf_putc(buf, ',');
        tr_buf_put_json(buf, tr_json_text(&object->as.members[i].key));
        tr_buf_putc(buf, ':');
        show(buf, &object->as.members[i].value);
    }
    tr_buf_putc(buf, '}');
}

static void show_items(struct tr_buf *buf, const struct tr_json *array)
{
    tr_buf_putc(buf, '[');
    for (size_t i = 0; i < array->len; i++) {
        if (i)
            tr_buf_putc(buf, ',');
        show(buf, &array->as.items[i]);
    }
    tr_buf_putc(buf, ']');
}

static void show(struct tr_buf *buf, const struct tr_json *value)
{
    static const char *const names[] = {
        [TR_JSON_NUMBER] = "float",
        [TR_JSON_INF] = "inf",
        [TR_JSON_NAN] = "nan",
        [TR_JSON_DATETIME] = "datetime",
        [TR_JSON_LOCAL_DATETIME] = "local-datetime",
        [TR_JSON_LOCAL_DATE] = "local-date",
        [TR_JSON_LOCAL_TIME] = "local-time",
    };
    tr_str text = tr_json_text(value);
    if (value->kind == TR_JSON_OBJECT)
        show_members(buf, value);
    else if (value->kind == TR_JSON_ARRAY)
        show_items(buf, value);
    else if (value->kind == TR_JSON_STRING)
        tr_buf_put_json(buf, text);
    else if (value->kind == TR_JSON_BOOL)
        tr_buf_putf(buf, value->flags & TR_JSON_TRUE ? "true" : "false");
    else if (value->flags & TR_JSON_INTEGER)
        tr_buf_put(buf, text);
    else
        tr_buf_putf(buf, "%s(%.*s)", names[value->kind], TR_FMT(text));
}

struct good {
    const char *toml;
    const char *shown;
};

static void check_good(const struct good *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct tr_arena arena;
        struct tr_buf buf;
        struct tr_err err = {0};
        const struct tr_json *tree = NULL;

        tr_arena_init(&arena, TR_MIB(1));
        tr_buf_init(&buf, TR_KIB(64));
        tr_status status =
            tr_toml_read(&arena, tr_str_from(rows[i].toml), &tree, &err);
        CHECK_ROW(status == TR_OK, rows[i].toml);
        show(&buf, tree);
        tr_buf_putc(&buf, '\0');
        if (strcmp(buf.ptr, rows[i].shown) != 0) {
            print_error("got: %s\n", buf.ptr);
            CHECK_ROW(false, rows[i].toml);
        }
        tr_buf_done(&buf);
        tr_arena_done(&arena);
    }
}

TEST(toml_reader_accepts_documents_without_values)
{
    static const struct good rows[] = {
        {"", "{}"},
        {"\n\r\n \t\n", "{}"},
        {"# only a comment", "{}"},
        {"\xEF\xBB\xBF", "{}"},
        {"\xEF\xBB\xBF# mark\n", "{}"},
    };
    check_good(rows, TR_LEN(rows));
}

TEST(toml_reader_reads_keys_of_every_form)
{
    static const struct good rows[] = {
        {"a=1", "{\"a\":1}"},
        {"  a\t = 1 # one\r\nb=2", "{\"a\":1,\"b\":2}"},
        {"1-_A = 1", "{\"1-_A\":1}"},
        {"\"a b\" = 1\n'c.d' = 2", "{\"a b\":1,\"c.d\":2}"},
        {"\"\" = 1", "{\"\":1}"},
        {"'' = 1", "{\"\":1}"},
        {"\"\\u00e4\" = 1", "{\"\xC3\xA4\":1}"},
        {"3.14 = 1", "{\"3\":{\"14\":1}}"},
        {"a . \"b\" .c = 1\na.b.d = 2", "{\"a\":{\"b\":{\"c\":1,\"d\":2}}}"},
        {"true = false", "{\"true\":false}"},
    };
    check_good(rows, TR_LEN(rows));
}

TEST(toml_reader_reads_strings)
{
    static const struct good rows[] = {
        {"a = \"\"", "{\"a\":\"\"}"},
        {"a = \"x # y\"", "{\"a\":\"x # y\"}"},
        {"a = \"\\b\\t\\n\\f\\r\\\"\\\\\"",
         "{\"a\":\"\\b\\t\\n\\f\\r\\\"\\\\\"}"},
        {"a = \"\\u00E9\\U0001F600\"", "{\"a\":\"\xC3\xA9\xF0\x9F\x98\x80\"}"},
        {"a = \"\\u0000\"", "{\"a\":\"\\u0000\"}"},
        {"a = '\\n'", "{\"a\":\"\\\\n\"}"},
        {"a = \"\"\"\"\"\"", "{\"a\":\"\"}"},
        {"a = \"\"\"\nx\ny\"\"\"", "{\"a\":\"x\\ny\"}"},
        {"a = \"\"\"\r\nx\"\"\"", "{\"a\":\"x\"}"},
        {"a = \"\"\"x\"\"y\"\"\"\"\"", "{\"a\":\"x\\\"\\\"y\\\"\\\"\"}"},
        {"a = \"\"\"\\\"\"\"\"", "{\"a\":\"\\\"\"}"},
        {"a = \"\"\"x\\\n  \n\t y\\  \r\n z\"\"\"", "{\"a\":\"xyz\"}"},
        {"a = \"\"\"x\\\n\"\"\"", "{\"a\":\"x\"}"},
        {"a = '''\nx\\\n'y''''", "{\"a\":\"x\\\\\\n'y'\"}"},
        {"a = ''", "{\"a\":\"\"}"},
    };
    check_good(rows, TR_LEN(rows));
}

TEST(toml_reader_makes_integers_decimal)
{
    static const struct good rows[] = {
        {"a = [0, +0, -0]", "{\"a\":[0,0,0]}"},
        {"a = [+99, -17, 1_000, 1_2_3]", "{\"a\":[99,-17,1000,123]}"},
        {"a = [0xDEAD_beef, 0o755, 0b1101]", "{\"a\":[3735928559,493,13]}"},
        {"a = [0x0, 0o007, 0b0_0]", "{\"a\":[0,7,0]}"},
        {"a = 9223372036854775807", "{\"a\":9223372036854775807}"},
        {"a = -9223372036854775808", "{\"a\":-9223372036854775808}"},
        {"a = 0x7fffffffffffffff", "{\"a\":9223372036854775807}"},
    };
    check_good(rows, TR_LEN(rows));
}

TEST(toml_reader_makes_floats_numbers_of_json)
{
    static const struct good rows[] = {
        {"a = +1.5", "{\"a\":float(1.5)}"},
        {"a = -0.0", "{\"a\":float(-0.0)}"},
        {"a = 1_000.000_1", "{\"a\":float(1000.0001)}"},
        {"a = 5e+22", "{\"a\":float(5e+22)}"},
        {"a = 1E0_6", "{\"a\":float(1E06)}"},
        {"a = -2.5E-2", "{\"a\":float(-2.5E-2)}"},
        {"a = [inf, +inf, -inf]", "{\"a\":[inf(inf),inf(inf),inf(-inf)]}"},
        {"a = [nan, +nan, -nan]", "{\"a\":[nan(nan),nan(nan),nan(nan)]}"},
    };
    check_good(rows, TR_LEN(rows));
}

TEST(toml_reader_reads_dates_and_times)
{
    static const struct good rows[] = {
        {"a = 1979-05-27T07:32:00Z", "{\"a\":datetime(1979-05-27T07:32:00Z)}"},
        {"a = 1979-05-27t07:32:00z", "{\"a\":datetime(1979-05-27T07:32:00Z)}"},
        {"a = 1979-05-27 07:32:00.5-07:00",
         "{\"a\":datetime(1979-05-27T07:32:00.5-07:00)}"},
        {"a = 1979-05-27T07:32:00.123456789012",
         "{\"a\":local-datetime(1979-05-27T07:32:00.123456789012)}"},
        {"a = 2016-12-31T23:59:60Z", "{\"a\":datetime(2016-12-31T23:59:60Z)}"},
        {"a = 2024-02-29", "{\"a\":local-date(2024-02-29)}"},
        {"a = 2024-02-29 # day", "{\"a\":local-date(2024-02-29)}"},
        {"a = [2024-02-29 ,1]", "{\"a\":[local-date(2024-02-29),1]}"},
        {"a = 07:32:00.999", "{\"a\":local-time(07:32:00.999)}"},
    };
    check_good(rows, TR_LEN(rows));
}

TEST(toml_reader_reads_arrays_and_inline_tables)
{
    static const struct good rows[] = {
        {"a = []", "{\"a\":[]}"},
        {"a = [ # one\n 1 # two\n , # three\n 'x', # four\n ]",
         "{\"a\":[1,\"x\"]}"},
        {"a = [[1], [], [[2, 3]], {}]", "{\"a\":[[1],[],[[2,3]],{}]}"},
        {"a = {}", "{\"a\":{}}"},
        {"a = { b = 1, c.d = 2, c.e = 3 }",
         "{\"a\":{\"b\":1,\"c\":{\"d\":2,\"e\":3}}}"},
        {"a = {b = [\n1,\n2],c = '''\nx\n'''}",
         "{\"a\":{\"b\":[1,2],\"c\":\"x\\n\"}}"},
        {"a = [true, false]", "{\"a\":[true,false]}"},
    };
    check_good(rows, TR_LEN(rows));
}

TEST(toml_reader_opens_tables_by_their_headers)
{
    static const struct good rows[] = {
        {"[a]", "{\"a\":{}}"},
        {"[ a . 'b' ] # c\nd = 1", "{\"a\":{\"b\":{\"d\":1}}}"},
        {"[a.b]\n[a]\nc = 1", "{\"a\":{\"b\":{},\"c\":1}}"},
        {"[a]\nb.c = 1\n[a.b.d]", "{\"a\":{\"b\":{\"c\":1,\"d\":{}}}}"},
        {"[a.b.c]\n[a]\nb.d = 1", "{\"a\":{\"b\":{\"c\":{},\"d\":1}}}"},
        {"[[a]]\n[[a]]\nb = 1", "{\"a\":[{},{\"b\":1}]}"},
        {"[[a]]\n[a.b]\n[[a]]\n[a.b]", "{\"a\":[{\"b\":{}},{\"b\":{}}]}"},
        {"[[a]]\n[[a.b]]\nc=1\n[[a.b]]\nc=2",
         "{\"a\":[{\"b\":[{\"c\":1},{\"c\":2}]}]}"},
    };
    check_good(rows, TR_LEN(rows));
}

/* Whoever frees the text must know whether strings still need it. */
TEST(toml_reader_gives_views_where_nothing_is_escaped)
{
    static const char text[] = "a = 'plain'\nb = \"es\\tcaped\"";
    struct tr_arena arena;
    const struct tr_json *tree = NULL;
    struct tr_err err = {0};

    tr_arena_init(&arena, TR_MIB(1));
    CHECK_OK(tr_toml_read(&arena, tr_str_from(text), &tree, &err), &err);
    tr_str plain = tr_json_text(tr_json_find(tree, TR_STR("a")));
    tr_str escaped = tr_json_text(tr_json_find(tree, TR_STR("b")));
    CHECK(plain.ptr == text + 5);
    CHECK(escaped.ptr < text || escaped.ptr >= text + sizeof(text));
    tr_arena_done(&arena);
}

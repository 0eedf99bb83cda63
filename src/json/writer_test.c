#include "json/writer.h"

#include "base/test.h"
#include "json/build.h"

#include <math.h>

struct sink {
    struct tr_buf buf;
    struct tr_json_writer w;
    struct tr_err err;
};

static struct tr_json_writer *start(struct sink *sink)
{
    tr_buf_init(&sink->buf, TR_KIB(64));
    tr_jw_init(&sink->w, &sink->buf);
    return &sink->w;
}

static void check_written(struct sink *sink, const char *text)
{
    CHECK_OK(tr_jw_finish(&sink->w, &sink->err), &sink->err);
    CHECK_STR(tr_buf_str(&sink->buf), text);
    tr_buf_done(&sink->buf);
}

static void check_refused(struct sink *sink, tr_status status, const char *msg)
{
    CHECK_INT(tr_jw_finish(&sink->w, &sink->err), status);
    CHECK_STR(tr_str_from(sink->err.msg), msg);
    tr_buf_done(&sink->buf);
}

/* Every call that writes, inside and outside of both containers. */
static void write_everything(struct tr_json_writer *w)
{
    tr_jw_open(w, '{');
    tr_jw_key(w, "empty");
    tr_jw_open(w, '[');
    tr_jw_close(w, ']');
    tr_jw_key(w, "list");
    tr_jw_open(w, '[');
    tr_jw_null(w);
    tr_jw_bool(w, true);
    tr_jw_bool(w, false);
    tr_jw_i64(w, -7);
    tr_jw_double(w, 0.1);
    tr_jw_string(w, TR_STR("a"));
    tr_jw_raw(w, TR_STR("{ }"));
    tr_jw_open(w, '{');
    tr_jw_close(w, '}');
    tr_jw_close(w, ']');
    tr_jw_key_str(w, TR_STR("last"));
    tr_jw_string(w, TR_STR("b"));
    tr_jw_close(w, '}');
}

TEST(json_writer_writes_everything_on_one_line)
{
    struct sink sink;
    write_everything(start(&sink));
    check_written(&sink, "{\"empty\":[],\"list\":[null,true,false,-7,0.1,\"a\","
                         "{ },{}],\"last\":\"b\"}");
}

TEST(json_writer_writes_for_people)
{
    struct sink sink;
    (void)start(&sink);
    tr_jw_init_pretty(&sink.w, &sink.buf);
    write_everything(&sink.w);
    check_written(&sink, "{\n"
                         "  \"empty\": [],\n"
                         "  \"list\": [\n"
                         "    null,\n"
                         "    true,\n"
                         "    false,\n"
                         "    -7,\n"
                         "    0.1,\n"
                         "    \"a\",\n"
                         "    { },\n"
                         "    {}\n"
                         "  ],\n"
                         "  \"last\": \"b\"\n"
                         "}");
}

TEST(json_writer_appends_to_what_the_buffer_has)
{
    struct sink sink;
    (void)start(&sink);
    tr_buf_put(&sink.buf, TR_STR("data: "));
    tr_jw_i64(&sink.w, 1);
    check_written(&sink, "data: 1");
}

TEST(json_writer_writes_one_scalar_alone)
{
    struct sink sink;
    tr_jw_null(start(&sink));
    check_written(&sink, "null");
    tr_jw_string(start(&sink), (tr_str){NULL, 0});
    check_written(&sink, "\"\"");
    tr_jw_double(start(&sink), -0.0);
    check_written(&sink, "-0");
    tr_jw_i64(start(&sink), INT64_MIN);
    check_written(&sink, "-9223372036854775808");
}

TEST(json_writer_escapes_strings_and_keys)
{
    struct sink sink;
    struct tr_json_writer *w = start(&sink);
    tr_jw_open(w, '{');
    tr_jw_key_str(w, TR_STR("a\"\\\n\0"));
    tr_jw_string(w, TR_STR("\x1F/\x7F"));
    tr_jw_key_str(w, TR_STR("\xC3\xA9"));
    tr_jw_string(w, TR_STR("\xF0\x9F\x98\x80 \b\f\r\t"));
    tr_jw_close(w, '}');
    check_written(&sink, "{\"a\\\"\\\\\\n\\u0000\":\"\\u001f/\x7F\","
                         "\"\xC3\xA9\":\"\xF0\x9F\x98\x80 \\b\\f\\r\\t\"}");
}

/* Strings of up to 16 bytes and longer ones are copied in different ways. */
TEST(json_writer_finds_what_to_escape_at_any_offset)
{
    for (size_t len = 1; len <= 80; len++) {
        for (size_t at = 0; at < len; at++) {
            char text[80];
            char want[128] = "\"";
            memset(text, 'x', len);
            text[at] = '\n';
            (void)snprintf(want, sizeof(want), "\"%.*s\\n%.*s\"", (int)at, text,
                           (int)(len - at - 1), text + at + 1);
            struct sink sink;
            tr_jw_string(start(&sink), (tr_str){text, len});
            check_written(&sink, want);
        }
    }
}

TEST(json_writer_refuses_numbers_that_json_lacks)
{
    static const double numbers[] = {NAN, INFINITY, -INFINITY};
    for (size_t i = 0; i < TR_LEN(numbers); i++) {
        struct sink sink;
        tr_jw_double(start(&sink), numbers[i]);
        check_refused(&sink, TR_E_INVALID,
                      "JSON has no NaN and no infinite numbers");
    }
}

TEST(json_writer_refuses_strings_that_are_not_utf8)
{
    static const char *const texts[] = {"\xFF", "caf\xC3", "\xED\xA0\x80",
                                        "long enough for the long way \x80"};
    for (size_t i = 0; i < TR_LEN(texts); i++) {
        struct sink sink;
        tr_jw_string(start(&sink), tr_str_from(texts[i]));
        check_refused(&sink, TR_E_INVALID, "a string is not UTF-8");
        struct tr_json_writer *w = start(&sink);
        tr_jw_open(w, '{');
        tr_jw_put_null(w, texts[i]);
        tr_jw_close(w, '}');
        check_refused(&sink, TR_E_INVALID, "a string is not UTF-8");
    }
}

TEST(json_writer_refuses_the_kinds_of_toml)
{
    for (int kind = TR_JSON_INF; kind <= TR_JSON_LOCAL_TIME; kind++) {
        struct sink sink;
        struct tr_json value =
            tr_json_make_text((enum tr_json_kind)kind, TR_STR("x"));
        tr_jw_value(start(&sink), &value);
        check_refused(&sink, TR_E_INVALID, "JSON has no such value");
        tr_jw_canonical(start(&sink), &value);
        check_refused(&sink, TR_E_INVALID, "JSON has no such value");
    }
}

static void open_many(struct tr_json_writer *w, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        tr_jw_open(w, i % 2 ? '{' : '[');
        if (i % 2)
            tr_jw_key(w, "k");
    }
}

TEST(json_writer_nests_as_deep_as_the_reader)
{
    struct sink sink;
    struct tr_json_writer *w = start(&sink);
    open_many(w, TR_LIMIT_NESTING);
    tr_jw_null(w);
    for (unsigned i = TR_LIMIT_NESTING; i > 0; i--)
        tr_jw_close(w, i % 2 ? ']' : '}');
    CHECK_OK(tr_jw_finish(w, &sink.err), &sink.err);
    tr_buf_done(&sink.buf);
}

TEST(json_writer_refuses_to_nest_deeper)
{
    struct sink sink;
    open_many(start(&sink), TR_LIMIT_NESTING + 1);
    check_refused(&sink, TR_E_LIMIT, "too many levels of nesting");
}

/* An object within arrays: either may be what is one level too deep. */
TEST(json_writer_refuses_a_tree_that_is_too_deep)
{
    struct tr_json values[TR_LIMIT_NESTING + 2] = {{.kind = TR_JSON_OBJECT}};
    for (size_t i = 1; i < TR_LEN(values); i++)
        values[i] = (struct tr_json){
            .kind = TR_JSON_ARRAY, .len = 1, .as.items = &values[i - 1]};
    struct sink sink;
    tr_jw_value(start(&sink), &values[TR_LIMIT_NESTING - 1]);
    CHECK_OK(tr_jw_finish(&sink.w, &sink.err), &sink.err);
    tr_buf_done(&sink.buf);
    for (size_t i = TR_LIMIT_NESTING; i < TR_LEN(values); i++) {
        tr_jw_value(start(&sink), &values[i]);
        check_refused(&sink, TR_E_LIMIT, "too many levels of nesting");
        tr_jw_canonical(start(&sink), &values[i]);
        check_refused(&sink, TR_E_LIMIT, "too many levels of nesting");
    }
}

TEST(json_writer_tells_of_the_first_failure)
{
    struct sink sink;
    struct tr_json_writer *w = start(&sink);
    tr_jw_open(w, '[');
    tr_jw_refuse(w, TR_E_CONFLICT, "first");
    tr_jw_refuse(w, TR_E_INVALID, "second");
    tr_jw_double(w, NAN);
    check_refused(&sink, TR_E_CONFLICT, "first");
}

TEST(json_writer_writes_nothing_after_a_failure)
{
    struct sink sink;
    struct tr_json_writer *w = start(&sink);
    tr_jw_open(w, '[');
    tr_jw_double(w, NAN);
    size_t len = sink.buf.len;
    tr_jw_close(w, ']');
    write_everything(w);
    CHECK_INT(sink.buf.len, len);
    check_refused(&sink, TR_E_INVALID,
                  "JSON has no NaN and no infinite numbers");
}

TEST(json_writer_fails_when_the_buffer_is_full)
{
    struct sink sink;
    write_everything(start(&sink));
    size_t whole = sink.buf.len;
    tr_buf_done(&sink.buf);
    for (size_t max = 0; max <= whole; max++) {
        tr_buf_init(&sink.buf, max);
        tr_jw_init(&sink.w, &sink.buf);
        write_everything(&sink.w);
        CHECK_INT(tr_jw_finish(&sink.w, &sink.err),
                  max < whole ? TR_E_LIMIT : TR_OK);
        CHECK(sink.buf.len <= max);
        tr_buf_done(&sink.buf);
    }
}

TEST(json_writer_puts_keys_with_their_values)
{
    struct sink sink;
    struct tr_json_writer *w = start(&sink);
    struct tr_json number = tr_json_make_integer(TR_STR("5"));
    tr_jw_open(w, '{');
    tr_jw_put_string(w, "string", TR_STR(""));
    tr_jw_put_i64(w, "i64", 0);
    tr_jw_put_double(w, "double", 0.5);
    tr_jw_put_bool(w, "bool", false);
    tr_jw_put_null(w, "null");
    tr_jw_put_raw(w, "raw", TR_STR("[1]"));
    tr_jw_put_value(w, "value", &number);
    tr_jw_close(w, '}');
    check_written(&sink, "{\"string\":\"\",\"i64\":0,\"double\":0.5,"
                         "\"bool\":false,\"null\":null,\"raw\":[1],"
                         "\"value\":5}");
}

TEST(json_writer_leaves_out_what_may_be_absent)
{
    struct sink sink;
    struct tr_json_writer *w = start(&sink);
    struct tr_json number = tr_json_make_integer(TR_STR("5"));
    tr_jw_open(w, '{');
    tr_jw_maybe_string(w, "no string", TR_STR(""));
    tr_jw_maybe_i64(w, "no i64", 0);
    tr_jw_maybe_raw(w, "no raw", TR_STR(""));
    tr_jw_maybe_value(w, "no value", NULL);
    tr_jw_maybe_string(w, "string", TR_STR("a"));
    tr_jw_maybe_i64(w, "i64", -1);
    tr_jw_maybe_raw(w, "raw", TR_STR("{}"));
    tr_jw_maybe_value(w, "value", &number);
    tr_jw_close(w, '}');
    check_written(&sink,
                  "{\"string\":\"a\",\"i64\":-1,\"raw\":{},\"value\":5}");
}

TEST(json_writer_copies_what_another_has_written)
{
    struct sink sink;
    struct tr_json_writer *w = start(&sink);
    tr_jw_open(w, '[');
    tr_jw_written(w, TR_STR("[1,{}]"));
    tr_jw_written(w, TR_STR("2"));
    tr_jw_close(w, ']');
    check_written(&sink, "[[1,{}],2]");
}

TEST(json_writer_copies_no_line_feed)
{
    struct sink sink;
    struct tr_json_writer *w = start(&sink);
    tr_jw_raw(w, TR_STR("[1,\n2]"));
    check_refused(&sink, TR_E_INVALID, "JSON that is copied has a line feed");
}

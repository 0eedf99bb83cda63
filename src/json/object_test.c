#include "base/buf.h"
#include "base/limits.h"
#include "base/test.h"
#include "json/build.h"
#include "json/index.h"
#include "json/reader.h"

struct doc {
    struct tr_arena arena;
    struct tr_buf text;
    const struct tr_json *root;
};

static void start(struct doc *doc)
{
    *doc = (struct doc){0};
    tr_arena_init(&doc->arena, TR_MIB(64));
    tr_buf_init(&doc->text, TR_MIB(8));
}

static void read_text(struct doc *doc)
{
    struct tr_err err = {0};
    CHECK_OK(tr_json_read(&doc->arena, tr_buf_str(&doc->text), NULL, &doc->root,
                          &err),
             &err);
}

static void end(struct doc *doc)
{
    tr_buf_done(&doc->text);
    tr_arena_done(&doc->arena);
}

/* {"k0":0,"k1":1,...}; keys come back after `period`. */
static void read_numbered(struct doc *doc, size_t count, size_t period)
{
    start(doc);
    for (size_t i = 0; i < count; i++)
        tr_buf_putf(&doc->text, "%c\"k%zu\":%zu", i ? ',' : '{', i % period, i);
    tr_buf_putf(&doc->text, count ? "}" : "{}");
    read_text(doc);
}

static int64_t number_at(const struct doc *doc, size_t i)
{
    char key[32];
    int64_t value = -1;
    int len = snprintf(key, sizeof(key), "k%zu", i);
    (void)tr_json_i64(tr_json_find(doc->root, (tr_str){key, (size_t)len}),
                      &value);
    return value;
}

TEST(json_object_finds_every_key_at_every_width)
{
    static const size_t widths[] = {0,  1,  2,  15,   16,   17,
                                    18, 32, 33, 1000, 10000};
    for (size_t w = 0; w < TR_LEN(widths); w++) {
        struct doc doc;
        read_numbered(&doc, widths[w], SIZE_MAX);
        CHECK_INT(doc.root->len, widths[w]);
        for (size_t i = 0; i < widths[w]; i++)
            CHECK_INT(number_at(&doc, i), i);
        CHECK_INT(number_at(&doc, widths[w]), -1);
        end(&doc);
    }
}

TEST(json_object_has_an_index_only_when_it_is_wide)
{
    struct doc doc;
    read_numbered(&doc, TR_JSON_INDEX_ABOVE, SIZE_MAX);
    CHECK(!(doc.root->flags & TR_JSON_INDEXED));
    end(&doc);
    read_numbered(&doc, TR_JSON_INDEX_ABOVE + 1, SIZE_MAX);
    CHECK(doc.root->flags & TR_JSON_INDEXED);
    end(&doc);
}

TEST(json_object_keeps_the_order_of_its_keys)
{
    static const size_t widths[] = {16, 17, 10000};
    for (size_t w = 0; w < TR_LEN(widths); w++) {
        struct doc doc;
        read_numbered(&doc, widths[w], SIZE_MAX);
        for (size_t i = 0; i < widths[w]; i++) {
            int64_t value = -1;
            CHECK(tr_json_i64(&doc.root->as.members[i].value, &value));
            CHECK_INT(value, i);
        }
        end(&doc);
    }
}

/* The last value wins; it takes the place of the first. */
TEST(json_object_with_repeated_keys_keeps_the_last_values)
{
    static const size_t widths[] = {2, 7, 16, 17, 40, 10000};
    static const size_t periods[] = {1, 2, 5, 16, 3000};
    for (size_t n = 0; n < TR_LEN(widths) * TR_LEN(periods); n++) {
        size_t width = widths[n % TR_LEN(widths)];
        size_t period = periods[n / TR_LEN(widths)];
        size_t kept = width < period ? width : period;
        struct doc doc;
        read_numbered(&doc, width, period);
        CHECK_INT(doc.root->len, kept);
        for (size_t i = 0; i < kept; i++) {
            size_t last = i + (width - 1 - i) / period * period;
            int64_t value = -1;
            CHECK(tr_json_i64(&doc.root->as.members[i].value, &value));
            CHECK_INT(value, last);
            CHECK_INT(number_at(&doc, i), last);
        }
        end(&doc);
    }
}

TEST(json_object_takes_an_escaped_key_for_the_same)
{
    struct doc doc;
    start(&doc);
    tr_buf_putf(&doc.text, "{\"ab\":1,\"c\":2,\"a\\u0062\":3}");
    read_text(&doc);
    CHECK_INT(doc.root->len, 2);
    CHECK_STR(tr_json_text(tr_json_find(doc.root, TR_STR("ab"))), "3");
    end(&doc);
}

TEST(json_object_tells_keys_of_the_same_length_and_ending_apart)
{
    struct doc doc;
    start(&doc);
    tr_buf_putf(&doc.text, "{\"ax\":1,\"bx\":2,\"cx\":3,\"ax\\u0000\":4}");
    read_text(&doc);
    CHECK_INT(doc.root->len, 4);
    CHECK_STR(tr_json_text(tr_json_find(doc.root, TR_STR("bx"))), "2");
    CHECK_STR(tr_json_text(tr_json_find(doc.root, TR_STR("ax\0"))), "4");
    end(&doc);
}

/* An empty view may have no pointer. */
TEST(json_object_finds_the_empty_key)
{
    static const size_t widths[] = {1, 30};
    for (size_t w = 0; w < TR_LEN(widths); w++) {
        struct doc doc;
        start(&doc);
        tr_buf_putf(&doc.text, "{\"\":\"here\"");
        for (size_t i = 0; i < widths[w]; i++)
            tr_buf_putf(&doc.text, ",\"k%zu\":0", i);
        tr_buf_putc(&doc.text, '}');
        read_text(&doc);
        CHECK_STR(tr_json_text(tr_json_find(doc.root, TR_STR(""))), "here");
        CHECK_STR(tr_json_text(tr_json_find(doc.root, (tr_str){NULL, 0})),
                  "here");
        end(&doc);
    }
}

TEST(json_object_can_be_made_with_keys_that_have_no_pointer)
{
    struct doc doc;
    struct tr_json object;
    struct tr_json empty = tr_json_make_text(TR_JSON_STRING, (tr_str){NULL, 0});
    struct tr_json_member members[] = {
        {empty, tr_json_make_integer(TR_STR("1"))},
        {empty, tr_json_make_integer(TR_STR("2"))},
    };
    start(&doc);
    CHECK(tr_json_make_object(&doc.arena, members, 2, &object));
    CHECK_INT(object.len, 1);
    CHECK_STR(tr_json_text(tr_json_find(&object, TR_STR(""))), "2");
    end(&doc);
}

/*
 * The reader looks at 64 bytes together. Wherever a border falls, what stands
 * around it must come out the same.
 */
#include "base/buf.h"
#include "base/limits.h"
#include "base/test.h"
#include "json/reader.h"

#define LONGEST 200

static const struct special {
    tr_str written;
    tr_str value;
    const char *msg; /* when it is refused */
} specials[] = {
    {TR_STR_INIT(""), TR_STR_INIT(""), NULL},
    {TR_STR_INIT("\\\""), TR_STR_INIT("\""), NULL},
    {TR_STR_INIT("\\\\"), TR_STR_INIT("\\"), NULL},
    {TR_STR_INIT("\\n"), TR_STR_INIT("\n"), NULL},
    {TR_STR_INIT("\\u0000"), TR_STR_INIT("\0"), NULL},
    {TR_STR_INIT("\\uD83D\\uDE00"), TR_STR_INIT("\xF0\x9F\x98\x80"), NULL},
    {TR_STR_INIT("\xC3\xA9"), TR_STR_INIT("\xC3\xA9"), NULL},
    {TR_STR_INIT("\xF0\x9F\x98\x80"), TR_STR_INIT("\xF0\x9F\x98\x80"), NULL},
    {TR_STR_INIT("\x01"), {NULL, 0}, "a control character must be escaped"},
    {TR_STR_INIT("\xFF"), {NULL, 0}, "not UTF-8"},
    {TR_STR_INIT("\\z"), {NULL, 0}, "no such escape"},
};

/* ["<lead>","<before><special><after>","tail"], in memory of its own size. */
struct shape {
    const struct special *special;
    size_t lead;
    size_t before;
    size_t after;
};

static void put_many(struct tr_buf *buf, char c, size_t count)
{
    for (size_t i = 0; i < count; i++)
        tr_buf_putc(buf, c);
}

static void write_shape(struct tr_buf *buf, const struct shape *shape)
{
    tr_buf_put(buf, TR_STR("[\""));
    put_many(buf, 'l', shape->lead);
    tr_buf_put(buf, TR_STR("\",\""));
    put_many(buf, 'b', shape->before);
    tr_buf_put(buf, shape->special->written);
    put_many(buf, 'a', shape->after);
    tr_buf_put(buf, TR_STR("\",\"tail\"]"));
}

static void check_tree(const struct shape *shape, const struct tr_json *root)
{
    struct tr_buf want;
    tr_buf_init(&want, TR_KIB(4));
    put_many(&want, 'b', shape->before);
    tr_buf_put(&want, shape->special->value);
    put_many(&want, 'a', shape->after);
    CHECK_INT(tr_json_text(tr_json_at(root, 0)).len, shape->lead);
    CHECK(tr_str_eq(tr_json_text(tr_json_at(root, 1)), tr_buf_str(&want)));
    CHECK_STR(tr_json_text(tr_json_at(root, 2)), "tail");
    tr_buf_done(&want);
}

static void check_shape(const struct shape *shape)
{
    struct tr_arena arena;
    struct tr_buf buf;
    struct tr_err err = {0};
    const struct tr_json *root = NULL;

    tr_arena_init(&arena, TR_KIB(64));
    tr_buf_init(&buf, TR_KIB(4));
    write_shape(&buf, shape);
    char *text = calloc(1, buf.len);
    if (!text)
        abort();
    memcpy(text, buf.ptr, buf.len);
    tr_status status =
        tr_json_read(&arena, (tr_str){text, buf.len}, NULL, &root, &err);
    if (shape->special->msg) {
        CHECK_INT(status, TR_E_SYNTAX);
        CHECK_STR(tr_str_from(err.msg), shape->special->msg);
        CHECK_INT(err.place.offset, shape->lead + shape->before + 5);
    } else {
        CHECK_OK(status, &err);
        check_tree(shape, root);
    }
    free(text);
    tr_buf_done(&buf);
    tr_arena_done(&arena);
}

static void check_special(const struct special *special)
{
    static const size_t behind[] = {0, 1, 15, 40, 63, 64, 65};
    for (size_t before = 0; before <= LONGEST; before++) {
        for (size_t i = 0; i < TR_LEN(behind); i++)
            check_shape(&(struct shape){special, 0, before, behind[i]});
    }
    for (size_t lead = 0; lead <= LONGEST; lead++)
        check_shape(&(struct shape){special, lead, 3, lead % 7});
}

TEST(json_reader_finds_a_special_byte_at_every_offset)
{
    for (size_t i = 0; i < TR_LEN(specials); i++)
        check_special(&specials[i]);
}

TEST(json_reader_reads_texts_of_every_length)
{
    for (size_t len = 0; len <= LONGEST; len++) {
        char *text = calloc(1, len + 2);
        struct tr_arena arena;
        struct tr_err err = {0};
        const struct tr_json *root = NULL;
        if (!text)
            abort();
        memset(text, 'x', len + 2);
        text[0] = text[len + 1] = '"';
        tr_arena_init(&arena, TR_KIB(4));
        CHECK_OK(
            tr_json_read(&arena, (tr_str){text, len + 2}, NULL, &root, &err),
            &err);
        CHECK_INT(root->len, len);
        CHECK_INT(
            tr_json_read(&arena, (tr_str){text, len + 1}, NULL, &root, &err),
            TR_E_SYNTAX);
        CHECK_INT(err.place.offset, len + 1);
        tr_arena_done(&arena);
        free(text);
    }
}

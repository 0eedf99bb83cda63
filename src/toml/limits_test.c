/*
 * What tr_toml_read does with large documents and with little memory.
 */
#include "base/limits.h"

#include "base/buf.h"
#include "base/test.h"
#include "toml/reader.h"

static tr_status read_buf(struct tr_arena *arena, const struct tr_buf *buf,
                          const struct tr_json **tree, struct tr_err *err)
{
    CHECK_OK(tr_buf_check(buf, NULL), NULL);
    return tr_toml_read(arena, tr_buf_str(buf), tree, err);
}

/* `before`, then `open` as often as asked for, then `after` and the closers. */
struct nested {
    const char *before;
    const char *open;
    const char *after;
    const char *close;
    size_t most; /* how many are allowed below the root */
};

static tr_status read_nested(const struct nested *row, size_t count,
                             struct tr_err *err)
{
    struct tr_arena arena;
    struct tr_buf buf;
    const struct tr_json *tree = NULL;

    tr_arena_init(&arena, TR_MIB(64));
    tr_buf_init(&buf, TR_LIMIT_TOML_BYTES);
    tr_buf_put(&buf, tr_str_from(row->before));
    for (size_t i = 0; i < count; i++)
        tr_buf_put(&buf, tr_str_from(row->open));
    tr_buf_put(&buf, tr_str_from(row->after));
    for (size_t i = 0; i < count; i++)
        tr_buf_put(&buf, tr_str_from(row->close));
    tr_status status = read_buf(&arena, &buf, &tree, err);
    tr_buf_done(&buf);
    tr_arena_done(&arena);
    return status;
}

TEST(toml_reader_bounds_nesting_of_every_kind)
{
    static const struct nested rows[] = {
        {"a = ", "[", "", "]", TR_LIMIT_NESTING - 1},
        {"", "a.", "a = 1", "", TR_LIMIT_NESTING - 1},
        {"[", "a.", "a]", "", TR_LIMIT_NESTING - 2},
        {"[[", "a.", "a]]", "", TR_LIMIT_NESTING - 3},
        {"a = ", "{a = ", "1", "}", TR_LIMIT_NESTING - 1},
        {"a = ", "[{a.a = ", "1", "}]", (TR_LIMIT_NESTING - 1) / 3},
    };
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        struct tr_err err = {0};
        const struct nested *row = &rows[i];
        CHECK_OK(read_nested(row, row->most, &err), &err);
        CHECK_ROW(read_nested(row, row->most + 1, &err) == TR_E_LIMIT,
                  row->open);
        CHECK_ROW(strcmp(err.msg, "tables and arrays nest deeper than 512 "
                                  "levels") == 0,
                  row->open);
        CHECK_ROW(err.place.column > TR_LIMIT_NESTING, row->open);
        CHECK_ROW(read_nested(row, 100000, &err) == TR_E_LIMIT, row->open);
    }
}

TEST(toml_reader_bounds_nesting_through_arrays_of_tables)
{
    struct tr_arena arena;
    struct tr_buf buf;
    const struct tr_json *tree = NULL;
    struct tr_err err = {0};

    tr_arena_init(&arena, TR_MIB(64));
    tr_buf_init(&buf, TR_LIMIT_TOML_BYTES);
    for (size_t depth = 0; depth < 256; depth++) {
        tr_buf_put(&buf, TR_STR("[["));
        for (size_t i = 0; i < depth; i++)
            tr_buf_put(&buf, TR_STR("a."));
        tr_buf_put(&buf, TR_STR("a]]\n"));
    }
    CHECK_INT(read_buf(&arena, &buf, &tree, &err), TR_E_LIMIT);
    CHECK_INT(err.place.line, 256);
    tr_buf_done(&buf);
    tr_arena_done(&arena);
}

TEST(toml_reader_bounds_the_text)
{
    struct tr_arena arena;
    struct tr_buf buf;
    const struct tr_json *tree = NULL;
    struct tr_err err = {0};

    tr_arena_init(&arena, TR_MIB(64));
    tr_buf_init(&buf, TR_LIMIT_TOML_BYTES + 1);
    while (buf.len < TR_LIMIT_TOML_BYTES)
        tr_buf_putc(&buf, '\n');
    CHECK_OK(read_buf(&arena, &buf, &tree, &err), &err);
    tr_buf_putc(&buf, '\n');
    CHECK_INT(read_buf(&arena, &buf, &tree, &err), TR_E_LIMIT);
    CHECK_INT(err.place.offset, TR_LIMIT_TOML_BYTES);
    CHECK(strcmp(err.msg, "the text is longer than 1048576 bytes") == 0);
    tr_buf_done(&buf);
    tr_arena_done(&arena);
}

/* Quadratic search would make this the slowest test of the house. */
TEST(toml_reader_reads_wide_tables)
{
    enum { WIDE = 40000 };
    struct tr_arena arena;
    struct tr_buf buf;
    const struct tr_json *tree = NULL;
    struct tr_err err = {0};

    tr_arena_init(&arena, TR_MIB(64));
    tr_buf_init(&buf, TR_LIMIT_TOML_BYTES);
    for (int i = 0; i < WIDE; i++)
        tr_buf_putf(&buf, "key%d = %d\n", i, i);
    CHECK_OK(read_buf(&arena, &buf, &tree, &err), &err);
    CHECK_INT(tree->len, WIDE);
    int64_t value = 0;
    CHECK(tr_json_i64(tr_json_find(tree, TR_STR("key39999")), &value));
    CHECK_INT(value, 39999);
    tr_buf_put(&buf, TR_STR("key777 = 0"));
    CHECK_INT(read_buf(&arena, &buf, &tree, &err), TR_E_SYNTAX);
    CHECK_INT(err.place.line, WIDE + 1);
    tr_buf_done(&buf);
    tr_arena_done(&arena);
}

TEST(toml_reader_reads_long_arrays_of_tables)
{
    enum { LONG = 40000 };
    struct tr_arena arena;
    struct tr_buf buf;
    const struct tr_json *tree = NULL;
    struct tr_err err = {0};

    tr_arena_init(&arena, TR_MIB(64));
    tr_buf_init(&buf, TR_LIMIT_TOML_BYTES);
    for (int i = 0; i < LONG; i++)
        tr_buf_putf(&buf, "[[a]]\nb = %d\n", i);
    CHECK_OK(read_buf(&arena, &buf, &tree, &err), &err);
    const struct tr_json *list = tr_json_find(tree, TR_STR("a"));
    int64_t value = 0;
    CHECK_INT(list->len, LONG);
    CHECK(tr_json_i64(tr_json_find(tr_json_at(list, LONG - 1), TR_STR("b")),
                      &value));
    CHECK_INT(value, LONG - 1);
    tr_buf_done(&buf);
    tr_arena_done(&arena);
}

/* A document that needs memory in every way there is. */
static const char hungry[] =
    "text = \"a\\tb\"\nnumbers = [1_0, 0xFF, 1.5, [2]]\n"
    "when = 2026-07-28T12:00:00Z\n'k\\' = {a.b = 1, c = [{}]}\n"
    "k1=1\nk2=2\nk3=3\nk4=4\nk5=5\nk6=6\nk7=7\nk8=8\nk9=9\nk10=10\n"
    "k11=11\nk12=12\nk13=13\nk14=14\n[x.y]\n[[z]]\n[[z]]\n[z.w]\n";

static tr_status read_hungry(void *context, struct tr_err *err)
{
    struct tr_arena arena;
    const struct tr_json *tree = NULL;
    (void)context;
    tr_arena_init(&arena, TR_MIB(1));
    tr_status status = tr_toml_read(&arena, tr_str_from(hungry), &tree, err);
    tr_arena_done(&arena);
    return status;
}

TEST(toml_reader_reports_every_failed_allocation)
{
    tr_test_sweep(read_hungry, NULL);
}

/*
 * The sweep only sees blocks. Arenas that end at one object after the other
 * reach every allocation of an object.
 */
TEST(toml_reader_reports_every_place_where_an_arena_ends)
{
    enum { MAX = 64 * 1024, STEP = 16 };
    size_t failed = 0;
    for (size_t used = 0; used < MAX; used += STEP) {
        struct tr_arena small;
        struct tr_arena full;
        const struct tr_json *tree = NULL;

        tr_arena_init(&small, used);
        tr_arena_init(&full, MAX);
        CHECK(tr_arena_alloc(&full, used) != NULL);
        tr_status with_small =
            tr_toml_read(&small, tr_str_from(hungry), &tree, NULL);
        tr_status with_full =
            tr_toml_read(&full, tr_str_from(hungry), &tree, NULL);
        tr_arena_done(&small);
        tr_arena_done(&full);
        CHECK(with_small == TR_OK || with_small == TR_E_NOMEM);
        CHECK(with_full == TR_OK || with_full == TR_E_NOMEM);
        failed += with_small == TR_E_NOMEM;
        failed += with_full == TR_E_NOMEM;
    }
    CHECK(failed > 100);
}

#include "base/limits.h"
#include "base/test.h"
#include "json/reader.h"
#include "json/writer.h"

/* Reads, and writes in both forms; fails with TR_E_NOMEM or not at all. */
static tr_status read_and_write(void *context, struct tr_err *err)
{
    const tr_str *text = context;
    struct tr_arena arena;
    struct tr_buf buf;
    struct tr_json_writer w;
    const struct tr_json *root = NULL;

    tr_arena_init(&arena, TR_MIB(16));
    tr_buf_init(&buf, TR_MIB(16));
    tr_status status = tr_json_read(&arena, *text, NULL, &root, err);
    if (status == TR_OK) {
        tr_jw_init(&w, &buf);
        tr_jw_value(&w, root);
        status = tr_jw_finish(&w, err);
    }
    if (status == TR_OK) {
        tr_jw_init(&w, &buf);
        tr_jw_canonical(&w, root);
        status = tr_jw_finish(&w, err);
    }
    tr_buf_done(&buf);
    tr_arena_done(&arena);
    return status;
}

TEST(json_tells_when_there_is_no_memory_for_a_scalar)
{
    tr_str text = TR_STR("7");
    tr_test_sweep(read_and_write, &text);
}

TEST(json_tells_when_there_is_no_memory_for_an_escape)
{
    tr_str text = TR_STR("\"a\\nb\"");
    tr_test_sweep(read_and_write, &text);
}

TEST(json_tells_when_there_is_no_memory_for_a_nested_document)
{
    tr_str text = TR_STR("{\"b\":[1,{\"d\":[],\"c\":{}}],\"a\\u0000\":[[[]]]}");
    tr_test_sweep(read_and_write, &text);
}

/* The slots of the reader grow, each time within the arena. */
TEST(json_tells_when_there_is_no_memory_for_many_values)
{
    struct tr_buf buf;
    tr_buf_init(&buf, TR_MIB(1));
    for (int i = 0; i < 5000; i++)
        tr_buf_putf(&buf, "%c[%d]", i ? ',' : '[', i);
    tr_buf_putc(&buf, ']');
    tr_str text = tr_buf_str(&buf);
    tr_test_sweep(read_and_write, &text);
    tr_buf_done(&buf);
}

TEST(json_tells_when_there_is_no_memory_for_a_wide_object)
{
    struct tr_buf buf;
    tr_buf_init(&buf, TR_MIB(1));
    for (int i = 0; i < 3000; i++)
        tr_buf_putf(&buf, "%c\"%d\\n\":%d", i ? ',' : '{', i % 2500, i);
    tr_buf_put(&buf, TR_STR(",\"inner\":{\"b\":1,\"a\":2}}"));
    tr_str text = tr_buf_str(&buf);
    tr_test_sweep(read_and_write, &text);
    tr_buf_done(&buf);
}

static tr_status write_sorted(void *context, struct tr_err *err)
{
    char storage[16];
    struct tr_buf buf;
    struct tr_json_writer w;
    tr_buf_init_fixed(&buf, storage, sizeof(storage));
    tr_jw_init(&w, &buf);
    tr_jw_canonical(&w, context);
    tr_status status = tr_jw_finish(&w, err);
    CHECK(status == TR_OK || strcmp(err->msg, "no memory to sort keys") == 0);
    return status;
}

TEST(json_tells_when_there_is_no_memory_to_sort_keys)
{
    struct tr_json object = {.kind = TR_JSON_OBJECT};
    tr_test_sweep(write_sorted, &object);
}

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

struct turn {
    struct tr_arena arena;
    struct tr_buf reply;
};

/* What the server does for each request, with memory it already has. */
static void rpc_turn(void *context)
{
    struct turn *turn = context;
    const struct tr_json *request = NULL;
    struct tr_json_writer w;
    tr_str text = TR_STR("{\"jsonrpc\":\"2.0\",\"id\":9007199254740993,"
                         "\"method\":\"tools/call\",\"params\":{\"name\":"
                         "\"say\",\"arguments\":{\"a\":[1,true,\"\\n\"]}}}");

    tr_arena_reset(&turn->arena);
    tr_buf_clear(&turn->reply);
    CHECK_INT(tr_json_read(&turn->arena, text, NULL, &request, NULL), TR_OK);
    tr_jw_init(&w, &turn->reply);
    tr_jw_open(&w, '{');
    tr_jw_put_value(&w, "id", tr_json_find(request, TR_STR("id")));
    tr_jw_put_value(&w, "name",
                    tr_json_pointer(request, TR_STR("/params/name")));
    tr_jw_close(&w, '}');
    CHECK_INT(tr_jw_finish(&w, NULL), TR_OK);
    CHECK_STR(tr_buf_str(&turn->reply),
              "{\"id\":9007199254740993,\"name\":\"say\"}");
}

TEST(json_turn_of_a_server_needs_no_new_memory)
{
    struct turn turn;
    tr_arena_init(&turn.arena, TR_MIB(1));
    tr_buf_init(&turn.reply, TR_MIB(1));
    CHECK(tr_test_allocations(rpc_turn, &turn) > 0);
    CHECK_INT(tr_test_allocations(rpc_turn, &turn), 0);
    tr_buf_done(&turn.reply);
    tr_arena_done(&turn.arena);
}

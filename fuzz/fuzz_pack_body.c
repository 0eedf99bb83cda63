/*
 * Any bytes as a body, and a second one whose statements are changes to it: the
 * last byte says how many bytes the second one has. What is not refused has one
 * form, and stays sorted whatever is added, removed, moved and taken back.
 */
#include "base/limits.h"
#include "base/vec.h"
#include "pack/body.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
    if (!holds)
        abort();
}

struct changes {
    TR_VEC(tr_pack_change) vec;
    size_t marks;
};

/* The statements of a body as changes; false when it is damaged. */
static bool read_body(struct tr_arena *arena, tr_str body, struct changes *out)
{
    tr_pack_statement statement;
    struct tr_pack_cursor cursor = tr_pack_body_open(body);
    while (tr_pack_cursor_next(&cursor, &statement)) {
        bool is_added = statement.v.len % 2 || statement.g == 0;
        tr_pack_change change = {.statement = statement, .is_added = is_added};
        if (statement.v.len == 0)
            out->marks++;
        else if (!tr_pack_value_is_long(statement.v))
            must(tr_vec_push(arena, &out->vec, change));
    }
    tr_status status = tr_pack_cursor_close(&cursor, NULL);
    must(status == TR_OK || status == TR_E_IO);
    return status == TR_OK;
}

static void check_sound(tr_str body)
{
    tr_pack_statement statement;
    struct tr_pack_cursor cursor = tr_pack_body_open(body);
    while (tr_pack_cursor_next(&cursor, &statement))
        continue;
    must(tr_pack_cursor_close(&cursor, NULL) == TR_OK);
}

/* Without marks, which nobody can add, a body is made of its statements. */
static void check_form(struct changes *changes, tr_str body)
{
    struct tr_buf out;
    size_t len = 1;
    tr_buf_init(&out, TR_MIB(1));
    for (size_t i = 0; i < changes->vec.count; i++) {
        changes->vec.items[i].is_added = true;
        len += tr_pack_statement_len(&changes->vec.items[i].statement);
    }
    must(tr_pack_body_apply(TR_STR(""), changes->vec.items, changes->vec.count,
                            &out, NULL) == TR_OK);
    must(out.len == len);
    if (changes->marks == 0 && len == body.len)
        must(tr_str_eq(tr_buf_str(&out), body));
    tr_buf_done(&out);
}

static tr_status count(void *context, const tr_pack_statement *statement,
                       struct tr_err *err)
{
    (void)err;
    must(statement->v.len > 0);
    ++*(size_t *)context;
    return TR_OK;
}

static void change_body(struct tr_arena *arena, tr_str body,
                        struct changes *changes)
{
    struct tr_buf out;
    size_t moved = 0;
    tr_buf_init(&out, TR_MIB(1));
    must(tr_pack_body_apply(body, changes->vec.items, changes->vec.count, &out,
                            NULL) == TR_OK);
    check_sound(tr_buf_str(&out));
    bool is_long = out.len > TR_PACK_BODY_MAX;
    must(tr_pack_body_split(&out, count, &moved, arena, NULL) == TR_OK);
    must(is_long || moved == 0);
    check_sound(tr_buf_str(&out));
    for (size_t i = 0; i < changes->vec.count; i++) {
        bool done;
        tr_pack_statement row = changes->vec.items[i].statement;
        tr_status status =
            tr_pack_body_take_back(&out, row.p, &row, 1, &done, NULL);
        must(status == TR_OK || status == TR_E_INTERNAL);
        check_sound(tr_buf_str(&out));
    }
    tr_buf_done(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tr_arena arena;
    struct changes old = {0};
    struct changes new = {0};
    size_t second = size ? data[size - 1] : 0;
    second = second < size ? second : 0;
    tr_str body = {(const char *)data, size ? size - 1 - second : 0};
    tr_str other = {(const char *)data + body.len, second};
    tr_arena_init(&arena, TR_MIB(64));
    bool is_sound = read_body(&arena, body, &old);
    if (is_sound)
        check_form(&old, body);
    if (read_body(&arena, other, &new) && is_sound)
        change_body(&arena, body, &new);
    tr_arena_done(&arena);
    return 0;
}

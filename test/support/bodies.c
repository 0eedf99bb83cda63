#include "support/bodies.h"

#include "base/limits.h"
#include "base/test.h"

static tr_str copy(tr_str bytes)
{
    char *memory = calloc(bytes.len ? bytes.len : 1, 1);
    CHECK(memory);
    if (bytes.len)
        memcpy(memory, bytes.ptr, bytes.len);
    return (tr_str){memory, bytes.len};
}

static void drop(tr_str bytes)
{
    free((void *)(uintptr_t)bytes.ptr);
}

void statements_done(struct statements *list)
{
    for (size_t i = 0; i < list->count; i++)
        drop(list->items[i].v);
    free(list->items);
    *list = (struct statements){0};
}

bool statements_find(const struct statements *list,
                     const tr_pack_statement *statement, size_t *at)
{
    size_t low = 0;
    size_t high = list->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = tr_pack_statement_cmp(&list->items[middle], statement);
        if (order == 0) {
            *at = middle;
            return true;
        }
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    *at = low;
    return false;
}

static void grow(struct statements *list)
{
    size_t room = list->room ? list->room * 2 : 16;
    tr_pack_statement *items = calloc(room, sizeof(*items));
    CHECK(items);
    if (list->count)
        memcpy(items, list->items, list->count * sizeof(*items));
    free(list->items);
    list->items = items;
    list->room = room;
}

bool statements_add(struct statements *list, const tr_pack_statement *statement)
{
    size_t at;
    if (statements_find(list, statement, &at))
        return false;
    if (list->count == list->room)
        grow(list);
    memmove(&list->items[at + 1], &list->items[at],
            (list->count - at) * sizeof(*list->items));
    list->items[at] = *statement;
    list->items[at].v = copy(statement->v);
    list->count++;
    return true;
}

bool statements_remove(struct statements *list,
                       const tr_pack_statement *statement)
{
    size_t at;
    if (!statements_find(list, statement, &at))
        return false;
    drop(list->items[at].v);
    list->count--;
    memmove(&list->items[at], &list->items[at + 1],
            (list->count - at) * sizeof(*list->items));
    return true;
}

tr_pack_change body_add(uint64_t p, tr_str v, uint64_t g)
{
    return (tr_pack_change){.statement = {p, g, v}, .is_added = true};
}

tr_pack_change body_drop(uint64_t p, tr_str v, uint64_t g)
{
    return (tr_pack_change){.statement = {p, g, v}};
}

void body_apply(struct tr_buf *body, tr_pack_change *changes, size_t count)
{
    struct tr_buf out;
    struct tr_err err = {0};
    tr_buf_init(&out, TR_MIB(16));
    CHECK_OK(tr_pack_body_apply(tr_buf_str(body), changes, count, &out, &err),
             &err);
    tr_buf_done(body);
    *body = out;
}

tr_status body_check(tr_str body, struct tr_err *err)
{
    tr_pack_statement statement;
    struct tr_pack_cursor cursor = tr_pack_body_open(body);
    while (tr_pack_cursor_next(&cursor, &statement))
        continue;
    return tr_pack_cursor_close(&cursor, err);
}

/*
 * Any bytes as the segment of a path, and, behind the first '?', a query: what
 * is decoded is a text that encodes to the same again, and the URI that stands
 * for both is their bytes.
 */
#include "base/buf.h"
#include "base/limits.h"
#include "base/text.h"
#include "rest/read.h"

#define START "trails://kg/"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
    if (!holds)
        abort();
}

static void check_segment(struct tr_arena *arena, tr_str segment)
{
    struct tr_buf again;
    struct tr_err err = {0};
    tr_str text;
    tr_str same;
    tr_status status = tr_rest_read_segment(arena, segment, &text, &err);
    must(status == TR_OK || status == TR_E_SYNTAX);
    if (status != TR_OK)
        return;
    must(text.len <= segment.len && tr_utf8_is_valid(text));
    for (size_t i = 0; i < text.len; i++)
        must((unsigned char)text.ptr[i] >= ' ' && text.ptr[i] != 0x7F);
    tr_buf_init(&again, TR_MIB(1));
    tr_percent_put(&again, text, "");
    must(tr_rest_read_segment(arena, tr_buf_str(&again), &same, &err) == TR_OK);
    must(tr_str_eq(same, text));
    tr_buf_done(&again);
}

static void check_uri(struct tr_arena *arena, tr_str path, tr_str query)
{
    const struct tr_rest_target target = {TR_STR(START), path, query};
    struct tr_err err = {0};
    tr_str uri;
    tr_str before;
    tr_str after;
    tr_status status = tr_rest_read_uri(arena, &target, &uri, &err);
    size_t len = sizeof(START) - 1 + path.len + query.len + (query.len > 0);
    must((status == TR_OK) == (len <= TR_LIMIT_URI_BYTES));
    must(status == TR_OK || status == TR_E_INVALID);
    if (status != TR_OK)
        return;
    must(uri.len == len && tr_str_starts(uri, TR_STR(START)));
    bool has_query = tr_str_cut(uri, '?', &before, &after);
    must(has_query == (query.len > 0));
    must(tr_str_eq(tr_str_skip(has_query ? before : uri, sizeof(START) - 1),
                   path));
    must(!has_query || tr_str_eq(after, query));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tr_str path = {(const char *)data, size};
    tr_str query = TR_STR("");
    struct tr_arena arena;
    (void)tr_str_cut(path, '?', &path, &query);
    tr_arena_init(&arena, TR_MIB(1));
    check_segment(&arena, path);
    check_uri(&arena, path, query);
    tr_arena_done(&arena);
    return 0;
}

#include "pack/body_inside.h"

/* The statements of one predicate, next to each other in a body. */
struct span {
    uint64_t p;
    const char *start;
    const char *end;
    size_t mark_len;
    bool is_marked;
    bool moves;
};

static size_t span_len(const struct span *span)
{
    return (size_t)(span->end - span->start);
}

/* The next predicate; false at the end, and when the body is damaged. */
static bool next_span(struct tr_pack_cursor *cursor, struct span *out)
{
    tr_pack_statement statement;
    const char *start = cursor->at;
    if (!tr_pack_cursor_next(cursor, &statement))
        return false;
    tr_pack_statement mark = {.p = statement.p};
    *out = (struct span){.p = statement.p,
                         .start = start,
                         .mark_len = tr_pack_statement_len(&mark),
                         .is_marked = statement.v.len == 0};
    while (tr_pack_cursor_next_of(cursor, out->p, &statement))
        continue;
    out->end = cursor->at;
    return true;
}

struct spans {
    struct span *items;
    size_t count;
};

static tr_status find_spans(tr_str body, struct tr_arena *scratch,
                            struct spans *out, struct tr_err *err)
{
    struct span span;
    struct tr_pack_cursor cursor = tr_pack_body_open(body);
    size_t count = 0;
    while (next_span(&cursor, &span))
        count++;
    TR_TRY(tr_pack_cursor_close(&cursor, err));
    out->items = TR_NEW_ARRAY(scratch, struct span, count + 1);
    if (!out->items)
        return tr_fail(err, TR_E_NOMEM, "no memory to split a body");
    cursor = tr_pack_body_open(body);
    for (out->count = 0; out->count < count; out->count++)
        (void)next_span(&cursor, &out->items[out->count]);
    return TR_OK;
}

/* Those that can move first, by their length. */
static int compare_lengths(const void *a, const void *b)
{
    const struct span *x = a;
    const struct span *y = b;
    if (x->is_marked != y->is_marked)
        return x->is_marked ? 1 : -1;
    if (span_len(x) != span_len(y))
        return span_len(x) > span_len(y) ? -1 : 1;
    return (x->p > y->p) - (x->p < y->p);
}

static int compare_predicates(const void *a, const void *b)
{
    const struct span *x = a;
    const struct span *y = b;
    return (x->p > y->p) - (x->p < y->p);
}

static void choose(struct spans *spans, size_t body_len)
{
    qsort(spans->items, spans->count, sizeof(struct span), compare_lengths);
    for (size_t i = 0; i < spans->count && body_len > TR_PACK_BODY_MAX; i++) {
        struct span *span = &spans->items[i];
        if (span->is_marked)
            break;
        span->moves = true;
        body_len -= span_len(span) - span->mark_len;
    }
    qsort(spans->items, spans->count, sizeof(struct span), compare_predicates);
}

static tr_status move_span(const struct span *span, tr_pack_move_fn *move,
                           void *context, struct tr_err *err)
{
    struct tr_pack_cursor cursor = {.at = span->start, .end = span->end};
    tr_pack_statement statement;
    while (tr_pack_cursor_next(&cursor, &statement))
        TR_TRY(move(context, &statement, err));
    return tr_pack_cursor_close(&cursor, err);
}

/* A mark is shorter than what it stands for: nothing is overwritten that is
 * still needed. */
static void rewrite(struct tr_buf *body, const struct spans *spans)
{
    char *to = body->ptr + 1;
    for (size_t i = 0; i < spans->count; i++) {
        const struct span *span = &spans->items[i];
        if (span->moves) {
            tr_pack_statement mark = {.p = span->p};
            to = tr_pack_statement_write(to, &mark);
        } else {
            memmove(to, span->start, span_len(span));
            to += span_len(span);
        }
    }
    body->len = (size_t)(to - body->ptr);
}

tr_status tr_pack_body_split(struct tr_buf *body, tr_pack_move_fn *move,
                             void *context, struct tr_arena *scratch,
                             struct tr_err *err)
{
    struct spans spans = {0};
    if (body->len <= TR_PACK_BODY_MAX)
        return TR_OK;
    TR_TRY(find_spans(tr_buf_str(body), scratch, &spans, err));
    choose(&spans, body->len);
    for (size_t i = 0; i < spans.count; i++) {
        if (spans.items[i].moves)
            TR_TRY(move_span(&spans.items[i], move, context, err));
    }
    rewrite(body, &spans);
    return TR_OK;
}

/* The mark of a predicate. */
static tr_status find_mark(tr_str body, uint64_t p, struct span *out,
                           struct tr_err *err)
{
    struct tr_pack_cursor cursor = tr_pack_body_open(body);
    bool is_found = false;
    struct span span;
    while (next_span(&cursor, &span)) {
        if (span.p == p && span.is_marked) {
            *out = span;
            is_found = true;
        }
    }
    TR_TRY(tr_pack_cursor_close(&cursor, err));
    if (!is_found)
        return tr_fail(err, TR_E_INTERNAL, "a predicate has not moved");
    return TR_OK;
}

/* The bytes of all rows, which are of this predicate and sorted. */
static tr_status rows_len(uint64_t p, const tr_pack_statement *rows,
                          size_t count, size_t *out, struct tr_err *err)
{
    size_t len = 0;
    for (size_t i = 0; i < count; i++) {
        TR_TRY(tr_pack_statement_check(i ? &rows[i - 1] : NULL, &rows[i], err));
        if (rows[i].p != p ||
            (i && tr_pack_statement_cmp(&rows[i - 1], &rows[i]) == 0))
            return tr_fail(err, TR_E_INTERNAL,
                           "rows are not those of one predicate");
        len += tr_pack_statement_len(&rows[i]);
    }
    *out = len;
    return TR_OK;
}

tr_status tr_pack_body_take_back(struct tr_buf *body, uint64_t p,
                                 const tr_pack_statement *rows, size_t count,
                                 bool *out_done, struct tr_err *err)
{
    struct span mark = {0};
    size_t len = 0;
    TR_TRY(find_mark(tr_buf_str(body), p, &mark, err));
    TR_TRY(rows_len(p, rows, count, &len, err));
    if (count && (len >= TR_PACK_BODY_BACK ||
                  body->len - mark.mark_len + len > TR_PACK_BODY_MAX)) {
        *out_done = false;
        return TR_OK;
    }
    size_t at = (size_t)(mark.start - body->ptr);
    size_t rest = body->len - at - mark.mark_len;
    if (!tr_buf_room(body, len))
        return tr_buf_check(body, err);
    char *to = body->ptr + at;
    memmove(to + len, to + mark.mark_len, rest);
    for (size_t i = 0; i < count; i++)
        to = tr_pack_statement_write(to, &rows[i]);
    body->len = at + len + rest;
    *out_done = true;
    return TR_OK;
}

#include "pack/body_inside.h"
#include "pack/number.h"

char *tr_pack_statement_write(char *to, const tr_pack_statement *statement)
{
    bool has_graph = statement->g != TR_PACK_DEFAULT_GRAPH;
    to = tr_pack_number_put(to, statement->p << 1 | has_graph);
    if (has_graph)
        to = tr_pack_number_put(to, statement->g);
    to = tr_pack_number_put(to, statement->v.len);
    if (statement->v.len)
        memcpy(to, statement->v.ptr, statement->v.len);
    return to + statement->v.len;
}

tr_status tr_pack_statement_check(const tr_pack_statement *last,
                                  const tr_pack_statement *statement,
                                  struct tr_err *err)
{
    if (statement->p == 0 || statement->p > TR_PACK_NUMBER_MAX ||
        statement->g > TR_PACK_NUMBER_MAX || statement->v.len == 0 ||
        tr_pack_value_is_long(statement->v))
        return tr_fail(err, TR_E_INTERNAL, "a statement cannot be packed");
    if (last && tr_pack_statement_cmp(last, statement) > 0)
        return tr_fail(err, TR_E_INTERNAL, "statements are not sorted");
    return TR_OK;
}

/* Two sorted lists, the old statements and the changes, become one. */
struct merge {
    struct tr_pack_cursor cursor;
    tr_pack_statement old; /* the next old statement, if there is one */
    bool has_old;
    const char *old_at; /* where it begins, or the end */
    uint64_t marked;    /* the last predicate whose mark was passed, or 0 */
    const char *copied; /* old bytes before this are in `out`, or left out */
    struct tr_buf *out;
};

static void step(struct merge *merge)
{
    merge->old_at = merge->cursor.at;
    merge->has_old = tr_pack_cursor_next(&merge->cursor, &merge->old);
}

static void copy_until(struct merge *merge, const char *end)
{
    if (end != merge->copied)
        tr_buf_put(merge->out,
                   (tr_str){merge->copied, (size_t)(end - merge->copied)});
    merge->copied = end;
}

static void put_statement(struct tr_buf *out, tr_pack_statement statement)
{
    size_t len = tr_pack_statement_len(&statement);
    char *to = tr_buf_room(out, len);
    if (to) {
        (void)tr_pack_statement_write(to, &statement);
        out->len += len;
    }
}

/*
 * Changes of one statement, of which there may be several: each is so already,
 * or turns over whether the statement is there. `*value` is what it is there
 * with, empty when it is not. Returns how many they are.
 */
static size_t decide(tr_pack_change *changes, size_t count, tr_str *value)
{
    size_t i = 0;
    do {
        tr_pack_change *change = &changes[i];
        bool is_same = change->is_added == (value->len > 0);
        change->done = is_same ? TR_PACK_SAME : TR_PACK_CHANGED;
        change->stored = (tr_str){NULL, 0};
        if (!is_same) {
            change->stored = *value;
            *value = change->is_added ? change->statement.v : (tr_str){NULL, 0};
        }
        i++;
    } while (i < count && tr_pack_statement_cmp(&changes[0].statement,
                                                &changes[i].statement) == 0);
    return i;
}

/* Makes the changes of the first statement, and returns how many they are. */
static size_t merge_changes(struct merge *merge, tr_pack_change *changes,
                            size_t count)
{
    tr_pack_statement statement = changes[0].statement;
    int order = -1;
    while (merge->has_old &&
           (order = tr_pack_statement_cmp(&merge->old, &statement)) < 0) {
        if (merge->old.v.len == 0)
            merge->marked = merge->old.p;
        step(merge);
    }
    if (merge->marked == statement.p) {
        changes[0].done = TR_PACK_ELSEWHERE;
        changes[0].stored = (tr_str){NULL, 0};
        return 1;
    }
    bool was_there = merge->has_old && order == 0;
    tr_str was = was_there ? merge->old.v : (tr_str){NULL, 0};
    statement.v = was;
    size_t done = decide(changes, count, &statement.v);
    if (statement.v.ptr == was.ptr)
        return done;
    copy_until(merge, merge->old_at);
    if (statement.v.len)
        put_statement(merge->out, statement);
    if (was_there)
        merge->copied = merge->cursor.at;
    return done;
}

static struct merge start(tr_str old, struct tr_buf *out)
{
    struct merge merge = {.copied = old.ptr, .out = out};
    if (old.len) {
        merge.cursor = tr_pack_body_open(old);
    } else {
        merge.copied = NULL;
        tr_buf_putc(out, TR_PACK_BODY_VERSION);
    }
    step(&merge);
    return merge;
}

tr_status tr_pack_body_apply(tr_str old, tr_pack_change *changes, size_t count,
                             struct tr_buf *out, struct tr_err *err)
{
    struct merge merge = start(old, out);
    const tr_pack_statement *last = NULL;
    for (size_t i = 0; i < count; i++) {
        TR_TRY(tr_pack_statement_check(last, &changes[i].statement, err));
        last = &changes[i].statement;
    }
    for (size_t i = 0; i < count;)
        i += merge_changes(&merge, changes + i, count - i);
    while (merge.has_old)
        step(&merge);
    TR_TRY(tr_pack_cursor_close(&merge.cursor, err));
    copy_until(&merge, merge.cursor.end);
    return tr_buf_check(out, err);
}

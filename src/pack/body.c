#include "pack/body.h"

#include "pack/number.h"

int tr_pack_statement_cmp(const void *a, const void *b)
{
    const tr_pack_statement *x = a;
    const tr_pack_statement *y = b;
    if (x->p != y->p)
        return x->p < y->p ? -1 : 1;
    int order = tr_pack_value_cmp(x->v, y->v);
    return order ? order : (x->g > y->g) - (x->g < y->g);
}

size_t tr_pack_statement_len(const tr_pack_statement *statement)
{
    return tr_pack_number_len(statement->p << 1) +
           (statement->g == TR_PACK_DEFAULT_GRAPH
                ? 0
                : tr_pack_number_len(statement->g)) +
           tr_pack_number_len(statement->v.len) + statement->v.len;
}

struct tr_pack_cursor tr_pack_body_open(tr_str body)
{
    struct tr_pack_cursor cursor = {0};
    if (body.len == 0 || body.ptr[0] != TR_PACK_BODY_VERSION) {
        cursor.damage = "the version of a body";
        return cursor;
    }
    cursor.at = body.ptr + 1;
    cursor.end = body.ptr + body.len;
    return cursor;
}

/* Nothing more is read of it. */
static const char *fail(struct tr_pack_cursor *cursor, const char *damage)
{
    cursor->damage = damage;
    cursor->at = cursor->end;
    return NULL;
}

static bool is_number(uint64_t number)
{
    return number != 0 && number <= TR_PACK_NUMBER_MAX;
}

/* Reads the statement at `at`; NULL when it is not there as a whole. */
static const char *read_statement(const char *at, const char *end,
                                  tr_pack_statement *out)
{
    uint64_t head;
    uint64_t len;
    at = tr_pack_number_get(at, end, &head);
    if (!at)
        return NULL;
    out->p = head >> 1;
    out->g = TR_PACK_DEFAULT_GRAPH;
    if (head & 1) {
        at = tr_pack_number_get(at, end, &out->g);
        if (!at || !is_number(out->g))
            return NULL;
    }
    at = tr_pack_number_get(at, end, &len);
    if (!at || len > (size_t)(end - at) || !is_number(out->p) ||
        (len == 0 && (head & 1)))
        return NULL;
    out->v = (tr_str){at, (size_t)len};
    return at + len;
}

/* A predicate is marked once and then has no statements. */
static bool is_in_order(const tr_pack_statement *last,
                        const tr_pack_statement *next)
{
    if (last->p != next->p)
        return last->p < next->p;
    return last->v.len && next->v.len && tr_pack_statement_cmp(last, next) < 0;
}

/* The next statement, and where it ends; NULL when there is none. */
static const char *peek(struct tr_pack_cursor *cursor, tr_pack_statement *out)
{
    if (cursor->at == cursor->end)
        return NULL;
    const char *next = read_statement(cursor->at, cursor->end, out);
    if (!next)
        return fail(cursor, "a statement of a body");
    if (!is_in_order(&cursor->last, out))
        return fail(cursor, "the order of a body");
    return next;
}

bool tr_pack_cursor_next(struct tr_pack_cursor *cursor, tr_pack_statement *out)
{
    const char *next = peek(cursor, out);
    if (!next)
        return false;
    cursor->last = *out;
    cursor->at = next;
    return true;
}

/* What is behind the predicate stays, for whoever asks for it next. */
bool tr_pack_cursor_next_of(struct tr_pack_cursor *cursor, uint64_t p,
                            tr_pack_statement *out)
{
    const char *next;
    while ((next = peek(cursor, out)) && out->p <= p) {
        cursor->last = *out;
        cursor->at = next;
        if (out->p == p)
            return true;
    }
    return false;
}

tr_status tr_pack_cursor_close(const struct tr_pack_cursor *cursor,
                               struct tr_err *err)
{
    if (!cursor->damage)
        return TR_OK;
    return tr_fail(err, TR_E_IO, "the store is damaged: %s is not sound",
                   cursor->damage);
}

#include "base/limits.h"
#include "base/test.h"
#include "support/bodies.h"

#define TRUE_VALUE  TR_STR("\x03")
#define FALSE_VALUE TR_STR("\x02")

/* Counts what moves, and that it is sorted. */
struct moved {
    size_t count;
    tr_pack_statement last;
};

static tr_status count_moved(void *context, const tr_pack_statement *statement,
                             struct tr_err *err)
{
    struct moved *moved = context;
    (void)err;
    CHECK(moved->last.p <= statement->p);
    moved->last = *statement;
    moved->count++;
    return TR_OK;
}

static void split(struct tr_buf *body, struct moved *moved)
{
    struct tr_arena scratch;
    struct tr_err err = {0};
    *moved = (struct moved){0};
    tr_arena_init(&scratch, TR_MIB(64));
    CHECK_OK(tr_pack_body_split(body, count_moved, moved, &scratch, &err),
             &err);
    tr_arena_done(&scratch);
}

/* A body with one string of so many bytes for each of these predicates. */
static void make_body(struct tr_buf *body, const size_t *lens, size_t count)
{
    static char text[TR_PACK_VALUE_MAX] = {TR_PACK_STRING};
    tr_buf_init(body, TR_MIB(16));
    for (size_t i = 0; i < count; i++) {
        tr_pack_change change = body_add(i + 1, (tr_str){text, lens[i]}, 0);
        body_apply(body, &change, 1);
    }
}

/* 1 for the version, and 3 for each predicate and length. */
TEST(body_of_2000_bytes_stays_and_one_more_does_not)
{
    struct tr_buf body;
    struct moved moved;
    make_body(&body, (size_t[]){900, 500, 590}, 3);
    CHECK_INT(body.len, TR_PACK_BODY_MAX);
    split(&body, &moved);
    CHECK_INT(moved.count, 0);
    CHECK_INT(body.len, TR_PACK_BODY_MAX);
    tr_buf_done(&body);
    make_body(&body, (size_t[]){500, 901, 590}, 3);
    CHECK_INT(body.len, TR_PACK_BODY_MAX + 1);
    split(&body, &moved);
    CHECK_INT(moved.count, 1);
    CHECK_INT(moved.last.p, 2);
    CHECK_INT(body.len, TR_PACK_BODY_MAX + 1 - 904 + 2);
    CHECK_OK(body_check(tr_buf_str(&body), NULL), NULL);
    tr_buf_done(&body);
}

/* As many as it takes, the largest first; the first of two that are equal. */
TEST(body_moves_as_few_predicates_as_it_can)
{
    struct tr_buf body;
    struct moved moved;
    make_body(&body, (size_t[]){100, 900, 100, 900, 100, 200}, 6);
    split(&body, &moved);
    CHECK_INT(moved.count, 1);
    CHECK_INT(moved.last.p, 2);
    tr_buf_done(&body);
    make_body(&body, (size_t[]){100, 900, 500, 900, 900, 200}, 6);
    split(&body, &moved);
    CHECK_INT(moved.count, 2);
    CHECK_INT(moved.last.p, 4);
    CHECK(body.len <= TR_PACK_BODY_MAX);
    split(&body, &moved);
    CHECK_INT(moved.count, 0);
    tr_buf_done(&body);
}

TEST(body_of_marks_alone_may_be_longer)
{
    struct tr_buf body;
    struct moved moved;
    enum { PREDICATES = 3000 };
    static tr_pack_change changes[PREDICATES];
    for (size_t i = 0; i < PREDICATES; i++)
        changes[i] = body_add(i + 1, TRUE_VALUE, 0);
    tr_buf_init(&body, TR_MIB(1));
    body_apply(&body, changes, PREDICATES);
    split(&body, &moved);
    CHECK_INT(moved.count, PREDICATES);
    CHECK(body.len > TR_PACK_BODY_MAX);
    CHECK_OK(body_check(tr_buf_str(&body), NULL), NULL);
    size_t len = body.len;
    split(&body, &moved);
    CHECK_INT(moved.count, 0);
    CHECK_INT(body.len, len);
    tr_buf_done(&body);
}

/* Two marks beside each other: what is said of each is elsewhere. */
TEST(body_tells_what_is_elsewhere)
{
    struct tr_buf body;
    tr_pack_change changes[] = {
        body_add(1, TRUE_VALUE, 0), body_add(2, FALSE_VALUE, 0),
        body_drop(2, TRUE_VALUE, 9), body_add(3, TRUE_VALUE, 0),
        body_add(4, TRUE_VALUE, 0)};
    tr_buf_init(&body, TR_KIB(1));
    tr_buf_put(&body, TR_STR("\x01\x04\x00\x06\x00"));
    body_apply(&body, changes, TR_LEN(changes));
    CHECK_INT(changes[0].done, TR_PACK_CHANGED);
    CHECK_INT(changes[1].done, TR_PACK_ELSEWHERE);
    CHECK_INT(changes[2].done, TR_PACK_ELSEWHERE);
    CHECK_INT(changes[3].done, TR_PACK_ELSEWHERE);
    CHECK_INT(changes[4].done, TR_PACK_CHANGED);
    CHECK(tr_str_eq(tr_buf_str(&body), TR_STR("\x01\x02\x01\x03\x04\x00\x06\x00"
                                              "\x08\x01\x03")));
    tr_buf_done(&body);
}

static bool take_back(struct tr_buf *body, uint64_t p,
                      const tr_pack_statement *rows, size_t count)
{
    bool done = false;
    struct tr_err err = {0};
    CHECK_OK(tr_pack_body_take_back(body, p, rows, count, &done, &err), &err);
    return done;
}

TEST(body_takes_back_what_is_below_200_bytes)
{
    static char text[TR_PACK_VALUE_MAX] = {TR_PACK_STRING};
    struct tr_buf body;
    /* With 2 and 3 bytes before them. */
    tr_pack_statement rows[] = {{2, 0, {text, 10}},
                                {2, 0, {text, TR_PACK_BODY_BACK - 16}}};
    tr_buf_init(&body, TR_KIB(4));
    tr_buf_put(&body, TR_STR("\x01\x02\x01\x03\x04\x00\x06\x01\x03"));
    rows[1].v.len++;
    CHECK(!take_back(&body, 2, rows, 2));
    CHECK_INT(body.len, 9);
    rows[1].v.len--;
    CHECK_INT(tr_pack_statement_len(&rows[0]) + tr_pack_statement_len(&rows[1]),
              TR_PACK_BODY_BACK - 1);
    CHECK(take_back(&body, 2, rows, 2));
    CHECK_INT(body.len, 9 - 2 + TR_PACK_BODY_BACK - 1);
    tr_pack_statement statement;
    struct tr_pack_cursor cursor = tr_pack_body_open(tr_buf_str(&body));
    CHECK(tr_pack_cursor_next_of(&cursor, 2, &statement));
    CHECK_INT(statement.v.len, 10);
    CHECK(tr_pack_cursor_next_of(&cursor, 2, &statement));
    CHECK(tr_pack_cursor_next_of(&cursor, 3, &statement));
    CHECK_OK(tr_pack_cursor_close(&cursor, NULL), NULL);
    tr_buf_done(&body);
}

/* Else the next change would move it again. */
TEST(body_takes_nothing_back_that_would_not_fit)
{
    static char text[TR_PACK_VALUE_MAX] = {TR_PACK_STRING};
    struct tr_buf body;
    tr_pack_statement row = {3, 0, {text, 100}};
    make_body(&body, (size_t[]){900, 989}, 2);
    tr_buf_put(&body, TR_STR("\x06\x00"));
    CHECK_INT(body.len, 1 + 903 + 992 + 2);
    row.v.len = TR_PACK_BODY_MAX - (body.len - 2) - 2;
    CHECK(row.v.len < 128);
    row.v.len++;
    CHECK(!take_back(&body, 3, &row, 1));
    row.v.len--;
    CHECK(take_back(&body, 3, &row, 1));
    CHECK_INT(body.len, TR_PACK_BODY_MAX);
    tr_buf_done(&body);
}

TEST(body_forgets_a_mark_without_statements)
{
    struct tr_buf body;
    tr_buf_init(&body, TR_KIB(4));
    tr_buf_put(&body, TR_STR("\x01\x02\x00\x04\x00\x06\x00"));
    CHECK(take_back(&body, 2, NULL, 0));
    CHECK(tr_str_eq(tr_buf_str(&body), TR_STR("\x01\x02\x00\x06\x00")));
    tr_buf_done(&body);
}

TEST(body_refuses_to_take_back_what_is_our_mistake)
{
    bool done;
    struct tr_buf body;
    tr_pack_statement twice[] = {{2, 0, TRUE_VALUE}, {2, 0, TRUE_VALUE}};
    tr_pack_statement other[] = {{3, 0, TRUE_VALUE}};
    tr_pack_statement unsorted[] = {{2, 0, TRUE_VALUE}, {2, 0, FALSE_VALUE}};
    tr_buf_init(&body, TR_KIB(4));
    tr_buf_put(&body, TR_STR("\x01\x02\x01\x03\x04\x00"));
    CHECK_INT(tr_pack_body_take_back(&body, 1, NULL, 0, &done, NULL),
              TR_E_INTERNAL);
    CHECK_INT(tr_pack_body_take_back(&body, 3, other, 1, &done, NULL),
              TR_E_INTERNAL);
    CHECK_INT(tr_pack_body_take_back(&body, 2, twice, 2, &done, NULL),
              TR_E_INTERNAL);
    CHECK_INT(tr_pack_body_take_back(&body, 2, other, 1, &done, NULL),
              TR_E_INTERNAL);
    CHECK_INT(tr_pack_body_take_back(&body, 2, unsorted, 2, &done, NULL),
              TR_E_INTERNAL);
    CHECK_INT(body.len, 6);
    body.ptr[0] = 2;
    CHECK_INT(tr_pack_body_take_back(&body, 2, NULL, 0, &done, NULL), TR_E_IO);
    tr_buf_done(&body);
}

static tr_status refuse(void *context, const tr_pack_statement *statement,
                        struct tr_err *err)
{
    (void)context;
    (void)statement;
    return tr_fail(err, TR_E_LIMIT, "no more");
}

TEST(body_stays_when_nobody_takes_what_moves)
{
    struct tr_buf body;
    struct tr_arena scratch;
    tr_arena_init(&scratch, TR_MIB(1));
    make_body(&body, (size_t[]){900, 900, 900}, 3);
    size_t len = body.len;
    CHECK_INT(tr_pack_body_split(&body, refuse, NULL, &scratch, NULL),
              TR_E_LIMIT);
    CHECK_INT(body.len, len);
    CHECK_OK(body_check(tr_buf_str(&body), NULL), NULL);
    tr_arena_done(&scratch);
    tr_buf_done(&body);
}

/* A body, and what it was split into, and all of it back. */
static tr_status all_of_it(void *context, struct tr_err *err)
{
    static char text[TR_PACK_VALUE_MAX] = {TR_PACK_STRING};
    struct tr_buf body;
    struct tr_arena scratch;
    struct moved moved = {0};
    bool done;
    tr_pack_change changes[] = {body_add(1, (tr_str){text, 700}, 0),
                                body_add(2, (tr_str){text, 900}, 0),
                                body_add(3, (tr_str){text, 800}, 0)};
    tr_pack_statement row = {2, 0, {text, 190}};
    (void)context;
    tr_buf_init(&body, TR_KIB(64));
    tr_arena_init(&scratch, TR_MIB(1));
    tr_status status =
        tr_pack_body_apply(TR_STR(""), changes, TR_LEN(changes), &body, err);
    if (status == TR_OK)
        status = tr_pack_body_split(&body, count_moved, &moved, &scratch, err);
    if (status == TR_OK)
        status = tr_pack_body_take_back(&body, 2, &row, 1, &done, err);
    tr_buf_done(&body);
    tr_arena_done(&scratch);
    return status;
}

TEST(body_survives_every_failed_allocation)
{
    tr_test_sweep(all_of_it, NULL);
}

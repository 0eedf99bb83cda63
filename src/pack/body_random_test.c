/*
 * Random changes of bodies, as the store makes them, against a sorted array:
 * what is in the body and what is in `spo` are together what it should be, each
 * predicate is in one of them, and the body is short. Then damage.
 */
#include "base/limits.h"
#include "base/test.h"
#include "pack/body.h"
#include "support/bodies.h"

enum { ROUNDS = 60, CHANGES_MAX = 40, VALUES = 40 };

/* A subject as the store has it, and as it should be. */
struct subject {
    struct tr_buf body;
    struct statements spo;
    struct statements model;
    struct tr_arena scratch;
    uint64_t predicates; /* how many there are to choose from */
    size_t values;
};

/* Values of several lengths; the same index is the same value. */
static tr_str value_at(size_t index, char room[TR_PACK_VALUE_MAX])
{
    size_t len = 2 + index % 7;
    room[0] = TR_PACK_STRING;
    if (index % 11 == 0)
        len = 150;
    if (index % 37 == 0)
        len = TR_PACK_VALUE_MAX;
    for (size_t i = 1; i < len; i++)
        room[i] = (char)('a' + index % 26);
    room[1] = (char)('a' + index / 26 % 26);
    return (tr_str){room, len};
}

static tr_pack_statement random_statement(const struct subject *subject,
                                          char room[TR_PACK_VALUE_MAX])
{
    static const uint64_t graphs[] = {0, 0, 0, 1, 200, TR_PACK_NUMBER_MAX};
    uint64_t p = 1 + tr_test_random_below(subject->predicates);
    return (tr_pack_statement){
        .p = p % 5 ? p : p * 1000000,
        .g = graphs[tr_test_random_below(TR_LEN(graphs))],
        .v = value_at(tr_test_random_below(subject->values), room)};
}

static void apply_elsewhere(struct subject *subject, tr_pack_change *change)
{
    bool done = change->is_added
                    ? statements_add(&subject->spo, &change->statement)
                    : statements_remove(&subject->spo, &change->statement);
    change->done = done ? TR_PACK_CHANGED : TR_PACK_SAME;
}

/* The rows of a predicate in `spo`; returns how many. */
static size_t rows_of(const struct subject *subject, uint64_t p, size_t *first)
{
    tr_pack_statement least = {.p = p};
    size_t count = 0;
    (void)statements_find(&subject->spo, &least, first);
    while (*first + count < subject->spo.count &&
           subject->spo.items[*first + count].p == p)
        count++;
    return count;
}

static void take_back(struct subject *subject, uint64_t p)
{
    size_t first;
    bool done;
    struct tr_err err = {0};
    size_t count = rows_of(subject, p, &first);
    size_t before = subject->body.len;
    size_t len = 0;
    for (size_t i = 0; i < count; i++)
        len += tr_pack_statement_len(&subject->spo.items[first + i]);
    CHECK_OK(tr_pack_body_take_back(&subject->body, p,
                                    count ? &subject->spo.items[first] : NULL,
                                    count, &done, &err),
             &err);
    tr_pack_statement mark = {.p = p};
    size_t after = before - tr_pack_statement_len(&mark) + len;
    CHECK(done == (count == 0 ||
                   (len < TR_PACK_BODY_BACK && after <= TR_PACK_BODY_MAX)));
    CHECK_INT(subject->body.len, done ? after : before);
    while (done && count--)
        CHECK(statements_remove(&subject->spo, &subject->spo.items[first]));
}

static tr_status move(void *context, const tr_pack_statement *statement,
                      struct tr_err *err)
{
    struct subject *subject = context;
    (void)err;
    CHECK(statements_add(&subject->spo, statement));
    return TR_OK;
}

/* What is in `spo` stays out of the body, and the other way round. */
static void check_subject(struct subject *subject)
{
    tr_pack_statement statement;
    struct tr_err err = {0};
    size_t seen = 0;
    size_t first;
    bool has_more_than_marks = false;
    struct tr_pack_cursor cursor =
        tr_pack_body_open(tr_buf_str(&subject->body));
    while (tr_pack_cursor_next(&cursor, &statement)) {
        size_t rows = rows_of(subject, statement.p, &first);
        CHECK((rows > 0) == (statement.v.len == 0));
        seen += statement.v.len ? 1 : rows;
        has_more_than_marks |= statement.v.len > 0;
        if (statement.v.len)
            CHECK(statements_find(&subject->model, &statement, &first));
    }
    CHECK_OK(tr_pack_cursor_close(&cursor, &err), &err);
    CHECK_INT(seen, subject->model.count);
    for (size_t i = 0; i < subject->spo.count; i++)
        CHECK(statements_find(&subject->model, &subject->spo.items[i], &first));
    CHECK(subject->body.len <= TR_PACK_BODY_MAX || !has_more_than_marks);
}

static void check_done(struct subject *subject, tr_pack_change *changes,
                       size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const tr_pack_change *change = &changes[i];
        bool done =
            change->is_added
                ? statements_add(&subject->model, &change->statement)
                : statements_remove(&subject->model, &change->statement);
        CHECK_INT(change->done, done ? TR_PACK_CHANGED : TR_PACK_SAME);
        if (done && !change->is_added && change->stored.len)
            CHECK(tr_str_eq(change->stored, change->statement.v));
    }
}

/* One transaction: the body, then `spo`, then what comes back or moves. */
static void change_subject(struct subject *subject, tr_pack_change *changes,
                           size_t count)
{
    struct tr_buf out;
    struct tr_err err = {0};
    uint64_t touched[CHANGES_MAX];
    size_t touched_count = 0;
    struct tr_buf old = subject->body;
    tr_buf_init(&out, TR_MIB(16));
    CHECK_OK(tr_pack_body_apply(tr_buf_str(&old), changes, count, &out, &err),
             &err);
    subject->body = out;
    for (size_t i = 0; i < count; i++) {
        if (changes[i].done != TR_PACK_ELSEWHERE)
            continue;
        apply_elsewhere(subject, &changes[i]);
        uint64_t p = changes[i].statement.p;
        if (touched_count == 0 || touched[touched_count - 1] != p)
            touched[touched_count++] = p;
    }
    check_done(subject, changes, count);
    tr_buf_done(&old);
    for (size_t i = 0; i < touched_count; i++)
        take_back(subject, touched[i]);
    CHECK_OK(tr_pack_body_split(&subject->body, move, subject,
                                &subject->scratch, &err),
             &err);
    tr_arena_reset(&subject->scratch);
    check_subject(subject);
}

static void change_at_random(struct subject *subject)
{
    static char rooms[CHANGES_MAX][TR_PACK_VALUE_MAX];
    tr_pack_change changes[CHANGES_MAX] = {0};
    size_t count = tr_test_random_below(CHANGES_MAX);
    uint64_t adding = tr_test_random_below(4);
    for (size_t i = 0; i < count; i++) {
        bool is_added = tr_test_random_below(4) < adding;
        tr_pack_statement statement = random_statement(subject, rooms[i]);
        if (!is_added && subject->model.count && tr_test_random_below(4)) {
            statement = subject->model
                            .items[tr_test_random_below(subject->model.count)];
            memcpy(rooms[i], statement.v.ptr, statement.v.len);
            statement.v.ptr = rooms[i];
        }
        changes[i] =
            (tr_pack_change){.statement = statement, .is_added = is_added};
    }
    qsort(changes, count, sizeof(changes[0]), tr_pack_statement_cmp);
    change_subject(subject, changes, count);
}

static void subject_init(struct subject *subject, uint64_t predicates,
                         size_t values)
{
    *subject = (struct subject){.predicates = predicates, .values = values};
    tr_buf_init(&subject->body, TR_MIB(16));
    tr_arena_init(&subject->scratch, TR_MIB(64));
}

static void subject_done(struct subject *subject)
{
    tr_buf_done(&subject->body);
    tr_arena_done(&subject->scratch);
    statements_done(&subject->spo);
    statements_done(&subject->model);
}

TEST(body_with_random_changes_is_what_a_sorted_array_is)
{
    size_t split = 0;
    size_t whole = 0;
    for (size_t i = tr_test_scaled(2000); i > 0; i--) {
        struct subject subject;
        subject_init(&subject, 1 + tr_test_random_below(30),
                     1 + tr_test_random_below(VALUES));
        for (size_t round = 0; round < ROUNDS; round++) {
            change_at_random(&subject);
            split += subject.spo.count > 0;
            whole += subject.spo.count == 0;
        }
        subject_done(&subject);
    }
    CHECK(split > 0 && whole > 0);
}

/* All of a hub at once, as an import makes it, and then one by one. */
TEST(body_of_a_hub_is_a_mark)
{
    enum { HUB = 100000 };
    struct subject subject;
    struct tr_err err = {0};
    tr_pack_change *changes = calloc(HUB, sizeof(*changes));
    char *values = calloc(HUB, 8);
    if (!changes || !values)
        abort();
    for (size_t i = 0; i < HUB; i++) {
        char *v = values + i * 8;
        (void)snprintf(v, 8, "\x06%06zu", i);
        changes[i] = (tr_pack_change){.statement = {.p = 7, .v = {v, 7}},
                                      .is_added = true};
    }
    subject_init(&subject, 3, 10);
    CHECK_OK(tr_pack_body_apply(TR_STR(""), changes, HUB, &subject.body, &err),
             &err);
    CHECK_INT(subject.body.len, 1 + HUB * 9);
    CHECK_OK(tr_pack_body_split(&subject.body, move, &subject, &subject.scratch,
                                &err),
             &err);
    CHECK(tr_str_eq(tr_buf_str(&subject.body), TR_STR("\x01\x0E\x00")));
    CHECK_INT(subject.spo.count, HUB);
    tr_pack_change last = changes[HUB - 1];
    last.is_added = false;
    struct tr_buf out;
    tr_buf_init(&out, TR_KIB(4));
    CHECK_OK(
        tr_pack_body_apply(tr_buf_str(&subject.body), &last, 1, &out, &err),
        &err);
    CHECK_INT(last.done, TR_PACK_ELSEWHERE);
    CHECK(tr_str_eq(tr_buf_str(&out), tr_buf_str(&subject.body)));
    tr_buf_done(&out);
    free(changes);
    free(values);
    subject_done(&subject);
}

static tr_status walk(tr_str body)
{
    tr_pack_statement statement;
    struct tr_pack_value value;
    struct tr_pack_cursor cursor = tr_pack_body_open(body);
    while (tr_pack_cursor_next(&cursor, &statement)) {
        if (statement.v.len == 0)
            continue;
        tr_status status = tr_pack_value_get(statement.v, &value, NULL);
        CHECK(status == TR_OK || status == TR_E_IO);
    }
    return tr_pack_cursor_close(&cursor, NULL);
}

static tr_status forget(void *context, const tr_pack_statement *statement,
                        struct tr_err *err)
{
    (void)context;
    (void)statement;
    (void)err;
    return TR_OK;
}

/* Everything that reads a body, with the body in memory of its exact size. */
static void read_alone(const struct subject *subject, tr_str bytes)
{
    char room[TR_PACK_VALUE_MAX];
    struct tr_arena scratch;
    struct tr_buf out;
    tr_pack_change change = {.statement = random_statement(subject, room),
                             .is_added = true};
    char *alone = calloc(bytes.len ? bytes.len : 1, 1);
    if (!alone)
        abort();
    memcpy(alone, bytes.ptr, bytes.len);
    tr_str body = {alone, bytes.len};
    tr_buf_init(&out, TR_MIB(1));
    tr_arena_init(&scratch, TR_MIB(1));
    tr_status status = walk(body);
    CHECK(status == TR_OK || status == TR_E_IO);
    tr_status applied = tr_pack_body_apply(body, &change, 1, &out, NULL);
    CHECK_INT(applied, bytes.len ? status : TR_OK);
    if (applied == TR_OK) {
        CHECK_OK(walk(tr_buf_str(&out)), NULL);
        CHECK_OK(tr_pack_body_split(&out, forget, NULL, &scratch, NULL), NULL);
        CHECK_OK(walk(tr_buf_str(&out)), NULL);
    }
    tr_arena_done(&scratch);
    tr_buf_done(&out);
    free(alone);
}

TEST(body_with_damage_at_any_byte_does_no_harm)
{
    for (size_t i = tr_test_scaled(60); i > 0; i--) {
        struct subject subject;
        subject_init(&subject, 30, 36);
        for (size_t round = 0; round < 3; round++)
            change_at_random(&subject);
        for (size_t at = 0; at < subject.body.len; at++) {
            char was = subject.body.ptr[at];
            for (unsigned bit = 0; bit < 9; bit++) {
                subject.body.ptr[at] =
                    (char)(bit < 8 ? was ^ 1 << bit : (int)tr_test_random());
                read_alone(&subject, tr_buf_str(&subject.body));
            }
            subject.body.ptr[at] = was;
            read_alone(&subject, (tr_str){subject.body.ptr, at});
        }
        subject_done(&subject);
    }
}

#include "prov/measure.h"

#include "base/limits.h"
#include "base/log.h"
#include "base/test.h"
#include "db/db.h"
#include "prov/tally.h"
#include "support/activity.h"

#define NOON  INT64_C(1785240000000000) /* 2026-07-28T12:00:00Z */
#define HOUR  (INT64_C(3600) * 1000000)
#define MONTH (INT64_C(30 * 86400) * 1000000)

TEST(buckets_are_an_eighth_of_a_power_of_two)
{
    for (uint64_t value = 0; value < 100000; value++) {
        unsigned bucket = tr_prov_bucket_of(value);
        uint64_t shown = tr_prov_bucket_value(bucket);
        uint64_t away = shown > value ? shown - value : value - shown;
        CHECK(away * 16 <= value);
        CHECK_INT(tr_prov_bucket_of(shown), bucket);
        CHECK(value == 0 || bucket - tr_prov_bucket_of(value - 1) <= 1);
    }
    CHECK_INT(tr_prov_bucket_of(UINT64_MAX), TR_PROV_BUCKETS - 1);
    CHECK_INT(tr_prov_bucket_of(tr_prov_bucket_value(TR_PROV_BUCKETS - 1)),
              TR_PROV_BUCKETS - 1);
}

static struct tr_prov_actual took(const char *version, uint64_t micros)
{
    return (struct tr_prov_actual){
        .id = TR_STR("look"), .version = tr_str_from(version), .of = {micros}};
}

static void write_at(struct tr_prov_tally *tally, struct tr_db *db, int64_t now)
{
    struct tr_err err = {0};
    CHECK_OK(tr_db_begin(db, TR_DB_WRITE, &err), &err);
    CHECK_OK(tr_prov_tally_write(tally, db, now, &err), &err);
    CHECK_OK(tr_db_commit(db, &err), &err);
    tr_prov_tally_warn(tally);
    tr_prov_tally_clear(tally);
}

static struct tr_prov_measured read_one(struct tr_db *db, const char *version)
{
    return activity_measured(db, "look", version);
}

static int compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a;
    uint64_t y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* The least value that so many of a hundred did not exceed, by its meaning. */
static uint64_t naive(const uint64_t *sorted, size_t count, size_t percent)
{
    size_t at = 0;
    while ((at + 1) * 100 < count * percent)
        at++;
    return sorted[at];
}

static void check_near(uint64_t said, uint64_t truth)
{
    uint64_t away = said > truth ? said - truth : truth - said;
    CHECK(away <= truth / 16);
}

#define VALUES 300

/* Written in several portions by several connections, as processes do. */
TEST(percentiles_are_what_a_naive_evaluator_finds)
{
    struct activity_store store;
    struct tr_prov_tally tally;
    struct tr_db *other = NULL;
    struct tr_err err = {0};
    activity_store_open(&store);
    tr_prov_tally_init(&tally);
    CHECK_OK(tr_db_open(store.path, NULL, &other, &err), &err);
    for (int round = 0; round < 40; round++) {
        char version[24];
        uint64_t values[VALUES];
        size_t count = 1 + tr_test_random_below(VALUES);
        (void)snprintf(version, sizeof(version), "%d.0.0", round);
        for (size_t i = 0; i < count; i++) {
            values[i] = tr_test_random() >> (20 + tr_test_random_below(44));
            struct tr_prov_actual actual = took(version, values[i]);
            tr_prov_tally_add(&tally, &actual);
            if (tr_test_random_below(50) == 0)
                write_at(&tally, i % 2 ? store.db : other, NOON);
        }
        write_at(&tally, store.db, NOON);
        qsort(values, count, sizeof(values[0]), compare);
        struct tr_prov_percentiles found =
            read_one(other, version).of[TR_PROV_UNIT_MICROS];
        CHECK_INT(found.count, count);
        check_near(found.p50, naive(values, count, 50));
        check_near(found.p95, naive(values, count, 95));
    }
    tr_prov_tally_done(&tally);
    tr_db_close(other);
    activity_store_close(&store);
}

/* Who says nothing has not spent nothing: it is not known. */
TEST(what_is_spent_counts_when_it_was_said)
{
    struct activity_store store;
    struct tr_prov_tally tally;
    struct tr_prov_actual actual = took("1.0.0", 5);
    activity_store_open(&store);
    tr_prov_tally_init(&tally);
    tr_prov_tally_add(&tally, &actual);
    actual.has_spent = true;
    tr_prov_tally_add(&tally, &actual); /* nothing, and it said so */
    actual.of[TR_PROV_UNIT_TOKENS] = 6;
    actual.of[TR_PROV_UNIT_MICRO_USD] = 7;
    tr_prov_tally_add(&tally, &actual);
    write_at(&tally, store.db, NOON);
    struct tr_prov_measured found = read_one(store.db, "1.0.0");
    CHECK_INT(found.of[TR_PROV_UNIT_MICROS].count, 3);
    CHECK_INT(found.of[TR_PROV_UNIT_TOKENS].count, 2);
    CHECK_INT(found.of[TR_PROV_UNIT_TOKENS].p50, 0);
    CHECK_INT(found.of[TR_PROV_UNIT_TOKENS].p95, 6);
    CHECK_INT(found.of[TR_PROV_UNIT_MICRO_USD].p95, 7);
    CHECK_INT(read_one(store.db, "2.0.0").of[TR_PROV_UNIT_MICROS].count, 0);
    tr_prov_tally_done(&tally);
    activity_store_close(&store);
}

TEST(all_are_read_in_their_order)
{
    static const char *const names[] = {"b", "a", "c"};
    static const char *const versions[] = {"2.0.0", "1.0.0"};
    struct activity_store store;
    struct tr_prov_tally tally;
    struct tr_prov_measured_list list;
    struct tr_arena arena;
    struct tr_err err = {0};
    activity_store_open(&store);
    tr_arena_init(&arena, TR_MIB(1));
    tr_prov_tally_init(&tally);
    for (size_t i = 0; i < 6; i++) {
        struct tr_prov_actual actual = took(versions[i % 2], i);
        actual.id = tr_str_from(names[i / 2]);
        tr_prov_tally_add(&tally, &actual);
    }
    write_at(&tally, store.db, NOON);
    write_at(&tally, store.db, NOON); /* nothing is nothing */
    CHECK_OK(tr_prov_measure_read_all(store.db, &arena, &list, &err), &err);
    CHECK_INT(list.count, 6);
    for (size_t i = 0; i < 6; i++) {
        static const char *const order[] = {"a", "b", "c"};
        static const uint64_t micros[] = {3, 2, 1, 0, 5, 4};
        CHECK_STR(list.items[i].id, order[i / 2]);
        CHECK_STR(list.items[i].version, versions[1 - i % 2]);
        CHECK_INT(list.items[i].of[TR_PROV_UNIT_MICROS].count, 1);
        CHECK_INT(list.items[i].of[TR_PROV_UNIT_MICROS].p95, micros[i]);
        CHECK(tr_prov_measured_find(&list, list.items[i].id,
                                    list.items[i].version) == &list.items[i]);
    }
    CHECK(!tr_prov_measured_find(&list, TR_STR("b"), TR_STR("")));
    CHECK(!tr_prov_measured_find(&list, TR_STR("d"), tr_str_from(versions[0])));
    tr_prov_tally_done(&tally);
    tr_arena_done(&arena);
    activity_store_close(&store);
}

static void count_at(struct activity_store *store, const char *version,
                     int64_t now)
{
    struct tr_prov_tally tally;
    struct tr_prov_actual actual = took(version, 5);
    tr_prov_tally_init(&tally);
    tr_prov_tally_add(&tally, &actual);
    write_at(&tally, store->db, now);
    tr_prov_tally_done(&tally);
}

TEST(versions_that_nobody_calls_age_out)
{
    struct activity_store store;
    activity_store_open(&store);
    count_at(&store, "1.0.0", NOON);
    count_at(&store, "2.0.0", NOON);
    count_at(&store, "2.0.0", NOON + MONTH);
    CHECK_INT(read_one(store.db, "1.0.0").of[0].count, 1);
    CHECK_INT(read_one(store.db, "2.0.0").of[0].count, 2);
    count_at(&store, "2.0.0", NOON + 2 * MONTH);
    CHECK_INT(read_one(store.db, "1.0.0").of[0].count, 0);
    CHECK_INT(read_one(store.db, "2.0.0").of[0].count, 2);
    CHECK_INT(activity_store_ask(&store, "SELECT count(*) FROM measured_times"),
              2);
    activity_store_close(&store);
}

TEST(rows_are_bounded)
{
    struct activity_store store;
    struct tr_err err = {0};
    activity_store_open(&store);
    CHECK_OK(tr_db_exec(store.db,
                        "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL"
                        " SELECT i + 1 FROM n WHERE i < 20010)"
                        " INSERT INTO measured (id, version, month, warned)"
                        " SELECT 'c' || i, '1.0.0', 100000, 0 FROM n",
                        &err),
             &err);
    count_at(&store, "1.0.0", INT64_C(100000) * MONTH);
    CHECK_INT(activity_store_ask(&store, "SELECT count(*) FROM measured"),
              TR_LIMIT_MEASURED);
    CHECK_INT(read_one(store.db, "1.0.0").of[0].count, 1);
    activity_store_close(&store);
}

static int64_t warned(struct activity_store *store)
{
    return activity_store_ask(store, "SELECT coalesce(max(warned), 0)"
                                     " FROM measured");
}

static void overrun_at(struct activity_store *store, const char *version,
                       uint64_t micros, int64_t now)
{
    struct tr_prov_tally tally;
    struct tr_prov_actual actual = took(version, micros);
    actual.estimate[TR_PROV_UNIT_MICROS] = 100;
    tr_prov_tally_init(&tally);
    tr_prov_tally_add(&tally, &actual);
    write_at(&tally, store->db, now);
    tr_prov_tally_done(&tally);
}

/* Of a capability, whatever its version and whichever process it is. */
TEST(a_warning_comes_once_an_hour)
{
    struct activity_store store;
    activity_store_open(&store);
    tr_log_set_level(TR_LOG_OFF);
    overrun_at(&store, "1.0.0", 300, NOON);
    CHECK_INT(warned(&store), 0); /* three times is not over */
    overrun_at(&store, "1.0.0", 301, NOON + 1);
    CHECK_INT(warned(&store), NOON + 1);
    overrun_at(&store, "1.0.0", 400, NOON + HOUR);
    overrun_at(&store, "2.0.0", 400, NOON + HOUR);
    CHECK_INT(warned(&store), NOON + 1);
    overrun_at(&store, "2.0.0", 400, NOON + 1 + HOUR);
    CHECK_INT(warned(&store), NOON + 1 + HOUR);
    tr_log_set_level(TR_LOG_INFO);
    activity_store_close(&store);
}

/* As after a write that failed. */
TEST(a_tally_takes_what_another_has)
{
    struct activity_store store;
    struct tr_prov_tally tally;
    struct tr_prov_tally other;
    activity_store_open(&store);
    tr_prov_tally_init(&tally);
    tr_prov_tally_init(&other);
    for (uint64_t i = 0; i < 60; i++) {
        struct tr_prov_actual actual = took(i % 2 ? "1.0.0" : "2.0.0", i);
        tr_prov_tally_add(i % 3 ? &tally : &other, &actual);
    }
    tr_prov_tally_take(&tally, &other);
    CHECK(tr_prov_tally_is_empty(&other));
    write_at(&tally, store.db, NOON);
    CHECK_INT(read_one(store.db, "1.0.0").of[0].count, 30);
    CHECK_INT(read_one(store.db, "2.0.0").of[0].count, 30);
    tr_prov_tally_done(&tally);
    tr_prov_tally_done(&other);
    activity_store_close(&store);
}

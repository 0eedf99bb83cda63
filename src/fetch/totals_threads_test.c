/* What is counted for the process, by all its loops at once. */
#include "base/test.h"
#include "fetch/inside.h"
#include "loop/thread.h"

#define THREADS 4
#define ROUNDS  2000

static void *count(void *data)
{
    struct tr_fetch_totals *totals = data;
    struct tr_fetch_reply reply = {.body = TR_STR("four"), .micros = 2};
    char name[32];
    for (int i = 0; i < ROUNDS; i++) {
        (void)snprintf(name, sizeof(name), "h%d.example", i % 100);
        reply.status = i % 2 ? TR_OK : TR_E_UNAVAILABLE;
        reply.reason = i % 4 ? NULL : "address";
        CHECK(tr_fetch_totals_enter(totals));
        tr_fetch_totals_leave(totals, name, &reply);
    }
    return NULL;
}

static void add(void *data, const struct tr_fetch_host_count *host)
{
    struct tr_fetch_host_count *sum = data;
    CHECK(host->host[0]);
    sum->answered += host->answered;
    sum->failed += host->failed;
    sum->refused += host->refused;
    sum->bytes += host->bytes;
    sum->micros += host->micros;
}

TEST(all_threads_are_counted)
{
    struct tr_fetch_totals *totals = NULL;
    struct tr_err err = {0};
    pthread_t threads[THREADS];
    struct tr_fetch_host_count sum = {0};
    CHECK_OK(tr_fetch_totals_create(&totals, &err), &err);
    for (int i = 0; i < THREADS; i++)
        CHECK_OK(tr_loop_thread_start(&threads[i], count, totals, &err), &err);
    for (int i = 0; i < ROUNDS; i++) /* whoever reads meanwhile */
        tr_fetch_totals_each(totals, add, &sum);
    for (int i = 0; i < THREADS; i++)
        (void)pthread_join(threads[i], NULL);
    sum = (struct tr_fetch_host_count){0};
    tr_fetch_totals_each(totals, add, &sum);
    CHECK_INT(sum.answered, THREADS * ROUNDS / 2);
    CHECK_INT(sum.refused, THREADS * ROUNDS / 4);
    CHECK_INT(sum.failed, THREADS * ROUNDS / 4);
    CHECK_INT(sum.bytes, THREADS * ROUNDS * 4);
    CHECK_INT(sum.micros, THREADS * ROUNDS * 2);
    /* All have left: as many as ever fit. */
    for (int i = 0; i < TR_LIMIT_FETCHES; i++)
        CHECK(tr_fetch_totals_enter(totals));
    CHECK(!tr_fetch_totals_enter(totals));
    tr_fetch_totals_free(totals);
}

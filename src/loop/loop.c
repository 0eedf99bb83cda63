#include "loop/loop.h"

#include "base/limits.h"
#include "loop/inside.h"

#include <assert.h>
#include <signal.h>

/* Where the test clock starts: 2026-07-28T12:00:00Z. */
#define TEST_WALL_SECONDS INT64_C(1785240000)
#define TEST_START_MS     1000000

/* Posts that are taken from the inbox under one lock. */
#define BATCH 64

static void on_wake(uv_async_t *wake);
static void on_before_wait(uv_prepare_t *prepare);
static void on_alarm(uv_timer_t *alarm);
static void on_next_turn(uv_idle_t *next_turn);

/* A write to a peer that has gone must return an error, not end us. */
static void ignore_sigpipe(void)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    (void)sigaction(SIGPIPE, &ignore, NULL);
}

/* Of the calls here, only uv_async_init can fail. */
static int open_handles(struct tr_loop *loop)
{
    int rc = uv_async_init(&loop->uv, &loop->wake, on_wake);
    if (rc)
        return rc;
    (void)uv_prepare_init(&loop->uv, &loop->before_wait);
    (void)uv_prepare_start(&loop->before_wait, on_before_wait);
    (void)uv_timer_init(&loop->uv, &loop->alarm);
    (void)uv_idle_init(&loop->uv, &loop->next_turn);
    loop->wake.data = loop->before_wait.data = loop;
    loop->alarm.data = loop->next_turn.data = loop;
    uv_unref((uv_handle_t *)&loop->wake);
    uv_unref((uv_handle_t *)&loop->before_wait);
    return 0;
}

static tr_status fail_uv(struct tr_err *err, int rc)
{
    return tr_fail(err, rc == UV_ENOMEM ? TR_E_NOMEM : TR_E_IO,
                   "creating a loop: %s", uv_strerror(rc));
}

static tr_status open_uv(struct tr_loop *loop, struct tr_err *err)
{
    int rc = uv_loop_init(&loop->uv);
    if (rc)
        return fail_uv(err, rc);
    rc = uv_mutex_init(&loop->lock);
    if (rc == 0) {
        rc = open_handles(loop);
        if (rc)
            uv_mutex_destroy(&loop->lock);
    }
    if (rc) {
        (void)uv_loop_close(&loop->uv);
        return fail_uv(err, rc);
    }
    return TR_OK;
}

tr_status tr_loop_create(const struct tr_loop_opts *opts, struct tr_loop **out,
                         struct tr_err *err)
{
    struct tr_loop *loop = calloc(1, sizeof(*loop));
    if (!loop)
        return tr_fail(err, TR_E_NOMEM, "creating a loop");
    loop->has_test_clock = opts && opts->test_clock;
    loop->test_now_ms = TEST_START_MS;
    loop->inbox_cap =
        opts && opts->inbox_count ? opts->inbox_count : TR_LIMIT_LOOP_INBOX;
    loop->inbox = calloc(loop->inbox_cap, sizeof(*loop->inbox));

    tr_status st = loop->inbox ? open_uv(loop, err)
                               : tr_fail(err, TR_E_NOMEM, "creating a loop");
    if (st != TR_OK) {
        free(loop->inbox);
        free(loop);
        return st;
    }
    ignore_sigpipe();
    *out = loop;
    return TR_OK;
}

static void check_closing(uv_handle_t *handle, void *data)
{
    (void)data;
    assert(uv_is_closing(handle) && "freeing a loop with something open on it");
    (void)handle;
}

void tr_loop_free(struct tr_loop *loop)
{
    if (!loop)
        return;
    /* A thread that has just posted may still be inside uv_async_send. */
    uv_mutex_lock(&loop->lock);
    uv_close((uv_handle_t *)&loop->wake, NULL);
    uv_mutex_unlock(&loop->lock);
    uv_close((uv_handle_t *)&loop->before_wait, NULL);
    uv_close((uv_handle_t *)&loop->alarm, NULL);
    uv_close((uv_handle_t *)&loop->next_turn, NULL);
    uv_walk(&loop->uv, check_closing, NULL);
    (void)uv_run(&loop->uv, UV_RUN_DEFAULT);
    int rc = uv_loop_close(&loop->uv);
    assert(rc == 0);
    (void)rc;
    uv_mutex_destroy(&loop->lock);
    free(loop->inbox);
    free(loop);
}

void tr_loop_run(struct tr_loop *loop)
{
    (void)uv_run(&loop->uv, UV_RUN_DEFAULT);
}

bool tr_loop_turn(struct tr_loop *loop)
{
    return uv_run(&loop->uv, UV_RUN_NOWAIT) != 0;
}

void tr_loop_stop(struct tr_loop *loop)
{
    uv_mutex_lock(&loop->lock);
    loop->stopping = true;
    (void)uv_async_send(&loop->wake);
    uv_mutex_unlock(&loop->lock);
}

void tr_loop_hold(struct tr_loop *loop)
{
    if (loop->holds++ == 0)
        uv_ref((uv_handle_t *)&loop->wake);
}

void tr_loop_release(struct tr_loop *loop)
{
    assert(loop->holds > 0);
    if (--loop->holds == 0)
        uv_unref((uv_handle_t *)&loop->wake);
}

tr_status tr_loop_post(struct tr_loop *loop, tr_loop_post_fn *fn, void *data,
                       struct tr_err *err)
{
    uv_mutex_lock(&loop->lock);
    bool fits = loop->inbox_count < loop->inbox_cap;
    if (fits) {
        size_t at = (loop->inbox_first + loop->inbox_count) % loop->inbox_cap;
        loop->inbox[at] = (struct tr_loop_posted){fn, data};
        loop->inbox_count++;
        (void)uv_async_send(&loop->wake);
    }
    uv_mutex_unlock(&loop->lock);
    return fits ? TR_OK
                : tr_fail(err, TR_E_LIMIT, "the inbox of the loop is full");
}

void tr_loop_deliver(struct tr_loop *loop, struct tr_loop_parcel *parcel)
{
    parcel->next = NULL;
    uv_mutex_lock(&loop->lock);
    if (loop->parcels)
        loop->last_parcel->next = parcel;
    else
        loop->parcels = parcel;
    loop->last_parcel = parcel;
    (void)uv_async_send(&loop->wake);
    uv_mutex_unlock(&loop->lock);
}

static size_t take_posts(struct tr_loop *loop, struct tr_loop_posted out[BATCH])
{
    uv_mutex_lock(&loop->lock);
    size_t count = loop->inbox_count < BATCH ? loop->inbox_count : BATCH;
    for (size_t i = 0; i < count; i++)
        out[i] = loop->inbox[(loop->inbox_first + i) % loop->inbox_cap];
    loop->inbox_first = (loop->inbox_first + count) % loop->inbox_cap;
    loop->inbox_count -= count;
    if (loop->inbox_count) /* the rest comes after other events */
        (void)uv_async_send(&loop->wake);
    uv_mutex_unlock(&loop->lock);
    return count;
}

static void run_posts(struct tr_loop *loop)
{
    struct tr_loop_posted posts[BATCH];
    size_t count = take_posts(loop, posts);
    for (size_t i = 0; i < count; i++)
        posts[i].fn(posts[i].data);
}

/* Parcels that are delivered meanwhile wait for the next wake. */
static void run_parcels(struct tr_loop *loop)
{
    uv_mutex_lock(&loop->lock);
    struct tr_loop_parcel *parcel = loop->parcels;
    loop->parcels = NULL;
    uv_mutex_unlock(&loop->lock);
    while (parcel) {
        struct tr_loop_parcel *next = parcel->next;
        parcel->fn(parcel->data); /* which may free it */
        parcel = next;
    }
}

static void on_wake(uv_async_t *wake)
{
    struct tr_loop *loop = wake->data;
    run_parcels(loop);
    run_posts(loop);
    uv_mutex_lock(&loop->lock);
    bool stopping = loop->stopping;
    loop->stopping = false;
    uv_mutex_unlock(&loop->lock);
    if (stopping)
        uv_stop(&loop->uv);
}

static void on_before_wait(uv_prepare_t *prepare)
{
    tr_loop_ticks_run(prepare->data);
}

static void on_alarm(uv_timer_t *alarm)
{
    struct tr_loop *loop = alarm->data;
    tr_loop_timers_fire(loop, tr_loop_now_ms(loop));
}

static void on_next_turn(uv_idle_t *next_turn)
{
    struct tr_loop *loop = next_turn->data;
    tr_loop_timers_fire(loop, tr_loop_now_ms(loop));
}

/*
 * What is due already goes through an idle handle: libuv calls a timer that is
 * started anew without delay before anything else, so a timer that restarts
 * itself would keep the loop from its peers, and from seeing that time passes.
 */
void tr_loop_timers_arm(struct tr_loop *loop)
{
    if (loop->has_test_clock)
        return;
    (void)uv_timer_stop(&loop->alarm);
    (void)uv_idle_stop(&loop->next_turn);
    if (!loop->timers)
        return;
    uint64_t now_ms = tr_loop_now_ms(loop);
    uint64_t due_ms = loop->timers->due_ms;
    if (due_ms > now_ms)
        (void)uv_timer_start(&loop->alarm, on_alarm, due_ms - now_ms, 0);
    else
        (void)uv_idle_start(&loop->next_turn, on_next_turn);
}

uint64_t tr_loop_now_ms(const struct tr_loop *loop)
{
    return loop->has_test_clock ? loop->test_now_ms : uv_now(&loop->uv);
}

tr_time tr_loop_wall(const struct tr_loop *loop)
{
    if (!loop->has_test_clock)
        return tr_time_now();
    uint64_t passed_ms = loop->test_now_ms - TEST_START_MS;
    return (tr_time){.seconds = TEST_WALL_SECONDS + (int64_t)(passed_ms / 1000),
                     .nanos = (int)(passed_ms % 1000) * 1000000};
}

void tr_loop_step(struct tr_loop *loop, uint64_t ms)
{
    assert(loop->has_test_clock);
    uint64_t until_ms = loop->test_now_ms + ms;
    tr_loop_timers_fire(loop, until_ms);
    loop->test_now_ms = until_ms;
}

struct uv_loop_s *tr_loop_uv(struct tr_loop *loop)
{
    return &loop->uv;
}

#include "runtime/idempotency_queue.h"

#include "base/hash.h"

#include <assert.h>
#include <pthread.h>

#define BUCKETS 256

/*
 * A lock, because calls of all loops meet here; it is held for some
 * instructions, and only by calls with an idempotency key.
 */
struct tr_call_idempotency_queue {
    pthread_mutex_t lock;
    struct tr_call_idempotency_turn *buckets[BUCKETS]; /* those that run */
};

tr_status
tr_call_idempotency_queue_create(struct tr_call_idempotency_queue **out,
                                 struct tr_err *err)
{
    struct tr_call_idempotency_queue *queue = calloc(1, sizeof(*queue));
    if (!queue)
        return tr_fail(err, TR_E_NOMEM, "no memory for idempotency keys");
    if (pthread_mutex_init(&queue->lock, NULL) != 0) {
        free(queue);
        return tr_fail(err, TR_E_NOMEM, "cannot make a lock");
    }
    *out = queue;
    return TR_OK;
}

void tr_call_idempotency_queue_free(struct tr_call_idempotency_queue *queue)
{
    if (!queue)
        return;
    (void)pthread_mutex_destroy(&queue->lock);
    free(queue);
}

/*
 * Clients can search for keys whose digests begin alike, so a seed that they do
 * not know spreads them.
 */
static struct tr_call_idempotency_turn **
bucket_of(struct tr_call_idempotency_queue *queue,
          const struct tr_call_idempotency_turn *turn)
{
    uint64_t start;
    memcpy(&start, turn->name.id, sizeof(start));
    return &queue->buckets[tr_hash_u64(start, tr_hash_seed(queue)) % BUCKETS];
}

static struct tr_call_idempotency_turn *
find_runner(struct tr_call_idempotency_queue *queue,
            const struct tr_call_idempotency_turn *turn)
{
    struct tr_call_idempotency_turn *found = *bucket_of(queue, turn);
    while (found &&
           memcmp(found->name.id, turn->name.id, sizeof(turn->name.id)) != 0)
        found = found->next;
    return found;
}

/* Takes a turn out of the list that it is in. */
static void take_out(struct tr_call_idempotency_turn **list,
                     const struct tr_call_idempotency_turn *turn)
{
    while (*list && *list != turn)
        list = &(*list)->next;
    if (*list)
        *list = turn->next;
}

static void wait_for(struct tr_call_idempotency_turn *runner,
                     struct tr_call_idempotency_turn *turn)
{
    struct tr_call_idempotency_turn **last = &runner->waiters;
    while (*last)
        last = &(*last)->next;
    *last = turn;
    turn->next = NULL;
    turn->runner = runner;
}

static enum tr_call_idempotency_state
enter(struct tr_call_idempotency_queue *queue,
      struct tr_call_idempotency_turn *turn)
{
    struct tr_call_idempotency_turn *runner = find_runner(queue, turn);
    if (!runner) {
        struct tr_call_idempotency_turn **bucket = bucket_of(queue, turn);
        turn->next = *bucket;
        turn->waiters = NULL;
        *bucket = turn;
        return TR_CALL_IDEMPOTENCY_OURS;
    }
    if (memcmp(runner->name.args, turn->name.args, sizeof(turn->name.args)) !=
        0)
        return TR_CALL_IDEMPOTENCY_NONE;
    wait_for(runner, turn);
    return TR_CALL_IDEMPOTENCY_WAITS;
}

enum tr_call_idempotency_state
tr_call_idempotency_queue_enter(struct tr_call_idempotency_queue *queue,
                                struct tr_call_idempotency_turn *turn)
{
    (void)pthread_mutex_lock(&queue->lock);
    enum tr_call_idempotency_state state = turn->state = enter(queue, turn);
    (void)pthread_mutex_unlock(&queue->lock);
    return state;
}

static void tell_woken(void *data)
{
    struct tr_call_idempotency_turn *turn = data;
    turn->woken(turn);
}

void tr_call_idempotency_queue_leave(struct tr_call_idempotency_queue *queue,
                                     struct tr_call_idempotency_turn *turn)
{
    assert(turn->state == TR_CALL_IDEMPOTENCY_OURS);
    (void)pthread_mutex_lock(&queue->lock);
    take_out(bucket_of(queue, turn), turn);
    struct tr_call_idempotency_turn *waiter = turn->waiters;
    turn->waiters = NULL;
    turn->state = TR_CALL_IDEMPOTENCY_NONE;
    for (struct tr_call_idempotency_turn *w = waiter; w; w = w->next)
        w->state = TR_CALL_IDEMPOTENCY_WOKEN;
    (void)pthread_mutex_unlock(&queue->lock);
    while (waiter) { /* a waiter may be gone once it is woken */
        struct tr_call_idempotency_turn *next = waiter->next;
        waiter->parcel.fn = tell_woken;
        waiter->parcel.data = waiter;
        tr_loop_deliver(waiter->loop, &waiter->parcel);
        waiter = next;
    }
}

bool tr_call_idempotency_queue_give_up(struct tr_call_idempotency_queue *queue,
                                       struct tr_call_idempotency_turn *turn)
{
    (void)pthread_mutex_lock(&queue->lock);
    bool was_waiting = turn->state == TR_CALL_IDEMPOTENCY_WAITS;
    if (was_waiting) {
        take_out(&turn->runner->waiters, turn);
        turn->state = TR_CALL_IDEMPOTENCY_NONE;
    }
    (void)pthread_mutex_unlock(&queue->lock);
    return was_waiting;
}

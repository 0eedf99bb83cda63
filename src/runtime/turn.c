#include "runtime/turn.h"

#include "base/hash.h"

#include <assert.h>
#include <pthread.h>

#define BUCKETS 256

/*
 * A lock, because calls of all loops meet here; it is held for some
 * instructions, and only by calls with a key. The calls themselves are the
 * entries, so that entering takes no memory and cannot fail.
 */
struct tr_turns {
    pthread_mutex_t lock;
    struct tr_turn *buckets[BUCKETS]; /* those that run */
};

tr_status tr_turns_create(struct tr_turns **out, struct tr_err *err)
{
    struct tr_turns *turns = calloc(1, sizeof(*turns));
    if (!turns)
        return tr_fail(err, TR_E_NOMEM, "no memory for keys");
    if (pthread_mutex_init(&turns->lock, NULL) != 0) {
        free(turns);
        return tr_fail(err, TR_E_NOMEM, "cannot make a lock");
    }
    *out = turns;
    return TR_OK;
}

void tr_turns_free(struct tr_turns *turns)
{
    if (!turns)
        return;
    (void)pthread_mutex_destroy(&turns->lock);
    free(turns);
}

/* Clients can search for keys whose digests begin alike: the seed spreads them.
 */
static struct tr_turn **bucket_of(struct tr_turns *turns,
                                  const struct tr_turn *turn)
{
    uint64_t start;
    memcpy(&start, turn->name.id, sizeof(start));
    return &turns->buckets[tr_hash_u64(start, tr_hash_seed(turns)) % BUCKETS];
}

static struct tr_turn *find_runner(struct tr_turns *turns,
                                   const struct tr_turn *turn)
{
    struct tr_turn *found = *bucket_of(turns, turn);
    while (found &&
           memcmp(found->name.id, turn->name.id, sizeof(turn->name.id)) != 0)
        found = found->next;
    return found;
}

/* Takes a turn out of the list that it is in. */
static void take_out(struct tr_turn **list, const struct tr_turn *turn)
{
    while (*list && *list != turn)
        list = &(*list)->next;
    if (*list)
        *list = turn->next;
}

static void wait_for(struct tr_turn *runner, struct tr_turn *turn)
{
    struct tr_turn **last = &runner->waiters;
    while (*last)
        last = &(*last)->next;
    *last = turn;
    turn->next = NULL;
    turn->runner = runner;
}

static enum tr_turn_state enter(struct tr_turns *turns, struct tr_turn *turn)
{
    struct tr_turn *runner = find_runner(turns, turn);
    if (!runner) {
        struct tr_turn **bucket = bucket_of(turns, turn);
        turn->next = *bucket;
        turn->waiters = NULL;
        *bucket = turn;
        return TR_TURN_OURS;
    }
    if (memcmp(runner->name.args, turn->name.args, sizeof(turn->name.args)) !=
        0)
        return TR_TURN_NONE;
    wait_for(runner, turn);
    return TR_TURN_WAITS;
}

enum tr_turn_state tr_turn_enter(struct tr_turns *turns, struct tr_turn *turn)
{
    (void)pthread_mutex_lock(&turns->lock);
    enum tr_turn_state state = turn->state = enter(turns, turn);
    (void)pthread_mutex_unlock(&turns->lock);
    return state;
}

static void tell_woken(void *data)
{
    struct tr_turn *turn = data;
    turn->woken(turn);
}

void tr_turn_leave(struct tr_turns *turns, struct tr_turn *turn)
{
    assert(turn->state == TR_TURN_OURS);
    (void)pthread_mutex_lock(&turns->lock);
    take_out(bucket_of(turns, turn), turn);
    struct tr_turn *waiter = turn->waiters;
    turn->waiters = NULL;
    turn->state = TR_TURN_NONE;
    for (struct tr_turn *w = waiter; w; w = w->next)
        w->state = TR_TURN_WOKEN;
    (void)pthread_mutex_unlock(&turns->lock);
    while (waiter) { /* once it is delivered it may be gone */
        struct tr_turn *next = waiter->next;
        waiter->parcel.fn = tell_woken;
        waiter->parcel.data = waiter;
        tr_loop_deliver(waiter->loop, &waiter->parcel);
        waiter = next;
    }
}

bool tr_turn_give_up(struct tr_turns *turns, struct tr_turn *turn)
{
    (void)pthread_mutex_lock(&turns->lock);
    bool was_waiting = turn->state == TR_TURN_WAITS;
    if (was_waiting) {
        take_out(&turn->runner->waiters, turn);
        turn->state = TR_TURN_NONE;
    }
    (void)pthread_mutex_unlock(&turns->lock);
    return was_waiting;
}

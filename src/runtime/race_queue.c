#include "runtime/race_queue.h"

#include "base/hash.h"

#include <pthread.h>
#include <stdatomic.h>

#define SLOTS 1024

/* Those that want what is in a slot, in the order in which they entered. */
struct slot {
    struct tr_call_race_entry *first;
    struct tr_call_race_entry *last;
    const struct tr_call_race_turn *runner; /* that is at work on it, or NULL */
};

/*
 * A lock, because calls of all loops and the writer meet here. Only those that
 * were too late take it, and landings while there are some.
 */
struct tr_call_race_queue {
    pthread_mutex_t lock;
    _Atomic size_t count; /* of those that have entered */
    uint64_t last_number;
    struct slot slots[SLOTS];
};

tr_status tr_call_race_queue_create(struct tr_call_race_queue **out,
                                    struct tr_err *err)
{
    struct tr_call_race_queue *queue = calloc(1, sizeof(*queue));
    if (!queue)
        return tr_fail(err, TR_E_NOMEM, "no memory for a queue");
    if (pthread_mutex_init(&queue->lock, NULL) != 0) {
        free(queue);
        return tr_fail(err, TR_E_NOMEM, "cannot make a lock");
    }
    *out = queue;
    return TR_OK;
}

void tr_call_race_queue_free(struct tr_call_race_queue *queue)
{
    if (!queue)
        return;
    (void)pthread_mutex_destroy(&queue->lock);
    free(queue);
}

/* Clients may choose keys that are alike; they do not know the seed. */
static uint32_t slot_of(const struct tr_call_race_queue *queue, uint64_t key)
{
    return (uint32_t)(tr_hash_u64(key, tr_hash_seed(queue)) % SLOTS);
}

static bool has_place(const struct tr_call_race_turn *turn, uint32_t slot)
{
    for (size_t i = 0; i < turn->count; i++)
        if (turn->places[i].slot == slot)
            return true;
    return false;
}

/* Puts a place behind those of earlier numbers. */
static void put_in(struct slot *slot, struct tr_call_race_entry *place)
{
    struct tr_call_race_entry *before = slot->last;
    while (before && before->turn->number > place->turn->number)
        before = before->prev;
    place->prev = before;
    place->next = before ? before->next : slot->first;
    if (place->next)
        place->next->prev = place;
    else
        slot->last = place;
    if (before)
        before->next = place;
    else
        slot->first = place;
}

static void take_out(struct slot *slot, const struct tr_call_race_entry *place)
{
    if (place->prev)
        place->prev->next = place->next;
    else
        slot->first = place->next;
    if (place->next)
        place->next->prev = place->prev;
    else
        slot->last = place->prev;
}

static bool may_run(const struct tr_call_race_queue *queue,
                    const struct tr_call_race_turn *turn)
{
    for (size_t i = 0; i < turn->count; i++) {
        const struct slot *slot = &queue->slots[turn->places[i].slot];
        if (slot->first->turn != turn || slot->runner)
            return false;
    }
    return true;
}

static void begin_run(struct tr_call_race_queue *queue,
                      struct tr_call_race_turn *turn)
{
    turn->is_running = true;
    for (size_t i = 0; i < turn->count; i++)
        queue->slots[turn->places[i].slot].runner = turn;
}

static void end_run(struct tr_call_race_queue *queue,
                    struct tr_call_race_turn *turn)
{
    if (!turn->is_running)
        return;
    turn->is_running = false;
    for (size_t i = 0; i < turn->count; i++)
        queue->slots[turn->places[i].slot].runner = NULL;
}

static void tell_woken(void *data)
{
    struct tr_call_race_turn *turn = data;
    turn->woken(turn);
}

static void begin_first(struct tr_call_race_queue *queue,
                        const struct slot *slot)
{
    struct tr_call_race_turn *turn = slot->first ? slot->first->turn : NULL;
    if (!turn || turn->is_running || !may_run(queue, turn))
        return;
    begin_run(queue, turn);
    if (!turn->is_awaited)
        return;
    turn->parcel.fn = tell_woken;
    turn->parcel.data = turn;
    tr_loop_deliver(turn->loop, &turn->parcel);
}

/* A turn that ran has failed again: others may be at work on its new keys, or
 * have waited for its old ones. */
static void enter(struct tr_call_race_queue *queue,
                  struct tr_call_race_turn *turn,
                  const struct tr_graph_race *race)
{
    end_run(queue, turn);
    if (!turn->number) {
        turn->number = ++queue->last_number;
        atomic_fetch_add(&queue->count, 1);
    }
    for (size_t i = 0; i < race->count; i++) {
        uint32_t slot = slot_of(queue, race->rivals[i].key);
        if (turn->count == TR_LEN(turn->places) || has_place(turn, slot))
            continue;
        struct tr_call_race_entry *place = &turn->places[turn->count++];
        *place = (struct tr_call_race_entry){.turn = turn, .slot = slot};
        put_in(&queue->slots[slot], place);
    }
    for (size_t i = 0; i < turn->count; i++)
        begin_first(queue, &queue->slots[turn->places[i].slot]);
}

void tr_call_race_queue_enter(struct tr_call_race_queue *queue,
                              struct tr_call_race_turn *turn,
                              const struct tr_graph_race *race)
{
    (void)pthread_mutex_lock(&queue->lock);
    enter(queue, turn, race);
    (void)pthread_mutex_unlock(&queue->lock);
}

bool tr_call_race_queue_await(struct tr_call_race_queue *queue,
                              struct tr_call_race_turn *turn)
{
    (void)pthread_mutex_lock(&queue->lock);
    bool is_ours = turn->is_running;
    turn->is_awaited = !is_ours;
    (void)pthread_mutex_unlock(&queue->lock);
    return is_ours;
}

static void leave(struct tr_call_race_queue *queue,
                  struct tr_call_race_turn *turn)
{
    end_run(queue, turn);
    for (size_t i = 0; i < turn->count; i++)
        take_out(&queue->slots[turn->places[i].slot], &turn->places[i]);
    for (size_t i = 0; i < turn->count; i++)
        begin_first(queue, &queue->slots[turn->places[i].slot]);
    turn->count = 0;
    turn->number = 0;
    turn->is_awaited = false;
    atomic_fetch_sub(&queue->count, 1);
}

bool tr_call_race_queue_leave(struct tr_call_race_queue *queue,
                              struct tr_call_race_turn *turn)
{
    (void)pthread_mutex_lock(&queue->lock);
    bool is_woken = turn->is_awaited && turn->is_running;
    if (turn->number && !is_woken)
        leave(queue, turn);
    (void)pthread_mutex_unlock(&queue->lock);
    return !is_woken;
}

bool tr_call_race_queue_is_taken(struct tr_call_race_queue *queue,
                                 const struct tr_call_race_turn *turn,
                                 const uint64_t *key)
{
    if (!atomic_load(&queue->count))
        return false;
    if (!key)
        return true;
    (void)pthread_mutex_lock(&queue->lock);
    const struct slot *slot = &queue->slots[slot_of(queue, *key)];
    const struct tr_call_race_turn *owner = slot->runner;
    if (!owner && slot->first)
        owner = slot->first->turn;
    bool is_taken = owner && owner != turn;
    (void)pthread_mutex_unlock(&queue->lock);
    return is_taken;
}

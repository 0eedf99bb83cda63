#include "base/time.h"
#include "fetch/inside.h"

#include <pthread.h>

/* Never changes its place, nor its host, once it is there. */
struct entry {
    struct entry *next;
    struct tr_fetch_host_count count; /* whose host is the one below */
    char host[TR_FETCH_URL_PLACE];
};

/* What a look-up may take, in slots of some seconds: those of the C library
 * have an end, which comes after five seconds for each try. */
enum { SLOTS = 8, SLOT_S = 5 };

struct slot {
    uint64_t number; /* since the machine has started */
    size_t abandoned;
};

struct tr_fetch_totals {
    pthread_mutex_t lock;
    size_t running;
    struct slot slots[SLOTS];
    size_t known; /* in the list, which is in the order of their coming */
    struct entry *first;
    struct entry **end;
    struct tr_fetch_host_count others;
};

tr_status tr_fetch_totals_create(struct tr_fetch_totals **out,
                                 struct tr_err *err)
{
    struct tr_fetch_totals *totals = calloc(1, sizeof(*totals));
    if (!totals || pthread_mutex_init(&totals->lock, NULL)) {
        free(totals);
        return tr_fail(err, TR_E_NOMEM, "no memory to count fetches");
    }
    totals->end = &totals->first;
    totals->others.host = "other";
    *out = totals;
    return TR_OK;
}

void tr_fetch_totals_free(struct tr_fetch_totals *totals)
{
    if (!totals)
        return;
    while (totals->first) {
        struct entry *next = totals->first->next;
        free(totals->first);
        totals->first = next;
    }
    (void)pthread_mutex_destroy(&totals->lock);
    free(totals);
}

static uint64_t slot_now(void)
{
    return tr_time_ticks_ns() / (SLOT_S * UINT64_C(1000000000));
}

static size_t count_abandoned(const struct tr_fetch_totals *totals)
{
    uint64_t now = slot_now();
    size_t count = 0;
    for (size_t i = 0; i < SLOTS; i++) {
        if (totals->slots[i].number + SLOTS > now)
            count += totals->slots[i].abandoned;
    }
    return count;
}

void tr_fetch_totals_abandon(struct tr_fetch_totals *totals)
{
    uint64_t now = slot_now();
    if (!totals)
        return;
    (void)pthread_mutex_lock(&totals->lock);
    struct slot *slot = &totals->slots[now % SLOTS];
    if (slot->number != now)
        *slot = (struct slot){.number = now};
    slot->abandoned++;
    (void)pthread_mutex_unlock(&totals->lock);
}

bool tr_fetch_totals_enter(struct tr_fetch_totals *totals)
{
    if (!totals)
        return true;
    (void)pthread_mutex_lock(&totals->lock);
    bool fits = totals->running + count_abandoned(totals) < TR_LIMIT_FETCHES;
    totals->running += fits;
    (void)pthread_mutex_unlock(&totals->lock);
    return fits;
}

/* One that there is no memory for is among the others. */
static struct tr_fetch_host_count *count_of(struct tr_fetch_totals *totals,
                                            const char *host)
{
    struct entry *entry = totals->first;
    while (entry && strcmp(entry->host, host) != 0)
        entry = entry->next;
    if (!entry && totals->known < TR_LIMIT_FETCH_COUNTED)
        entry = calloc(1, sizeof(*entry));
    if (!entry)
        return &totals->others;
    if (entry->count.host)
        return &entry->count;
    (void)snprintf(entry->host, sizeof(entry->host), "%s", host);
    entry->count.host = entry->host;
    *totals->end = entry;
    totals->end = &entry->next;
    totals->known++;
    return &entry->count;
}

void tr_fetch_totals_leave(struct tr_fetch_totals *totals, const char *host,
                           const struct tr_fetch_reply *reply)
{
    if (!totals)
        return;
    (void)pthread_mutex_lock(&totals->lock);
    struct tr_fetch_host_count *count = count_of(totals, host);
    bool is_refused = reply->reason && (strcmp(reply->reason, "address") == 0 ||
                                        strcmp(reply->reason, "redirect") == 0);
    totals->running--;
    count->answered += reply->status == TR_OK;
    count->refused += is_refused;
    count->failed += reply->status != TR_OK && !is_refused;
    count->bytes += reply->body.len;
    count->micros += reply->micros;
    (void)pthread_mutex_unlock(&totals->lock);
}

void tr_fetch_totals_each(struct tr_fetch_totals *totals,
                          void (*tell)(void *data,
                                       const struct tr_fetch_host_count *count),
                          void *data)
{
    if (!totals)
        return;
    (void)pthread_mutex_lock(&totals->lock);
    const struct entry *next = totals->first;
    const struct tr_fetch_host_count others = totals->others;
    (void)pthread_mutex_unlock(&totals->lock);
    while (next) {
        struct tr_fetch_host_count one;
        (void)pthread_mutex_lock(&totals->lock);
        one = next->count;
        next = next->next;
        (void)pthread_mutex_unlock(&totals->lock);
        tell(data, &one);
    }
    if (others.answered || others.failed || others.refused)
        tell(data, &others);
}

#include "fetch/inside.h"

#include <pthread.h>

struct entry {
    char host[TR_FETCH_URL_PLACE];
    struct tr_fetch_host_count count;
};

struct tr_fetch_totals {
    pthread_mutex_t lock;
    size_t running;
    size_t known; /* of `entries`; the one after them is for all others */
    struct entry entries[TR_LIMIT_FETCH_COUNTED + 1];
};

tr_status tr_fetch_totals_create(struct tr_fetch_totals **out,
                                 struct tr_err *err)
{
    struct tr_fetch_totals *totals = calloc(1, sizeof(*totals));
    if (!totals || pthread_mutex_init(&totals->lock, NULL)) {
        free(totals);
        return tr_fail(err, TR_E_NOMEM, "no memory to count fetches");
    }
    *out = totals;
    return TR_OK;
}

void tr_fetch_totals_free(struct tr_fetch_totals *totals)
{
    if (!totals)
        return;
    (void)pthread_mutex_destroy(&totals->lock);
    free(totals);
}

bool tr_fetch_totals_enter(struct tr_fetch_totals *totals)
{
    if (!totals)
        return true;
    (void)pthread_mutex_lock(&totals->lock);
    bool fits = totals->running < TR_LIMIT_FETCHES;
    totals->running += fits;
    (void)pthread_mutex_unlock(&totals->lock);
    return fits;
}

static struct entry *entry_of(struct tr_fetch_totals *totals, const char *host)
{
    size_t i = 0;
    while (i < totals->known && strcmp(totals->entries[i].host, host) != 0)
        i++;
    struct entry *entry = &totals->entries[i];
    if (i == totals->known && i < TR_LIMIT_FETCH_COUNTED) {
        totals->known++;
        (void)snprintf(entry->host, sizeof(entry->host), "%s", host);
    }
    return entry;
}

void tr_fetch_totals_leave(struct tr_fetch_totals *totals,
                           const struct tr_fetch_reply *reply)
{
    if (!totals)
        return;
    (void)pthread_mutex_lock(&totals->lock);
    struct tr_fetch_host_count *count = &entry_of(totals, reply->host)->count;
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
    struct entry copies[TR_LIMIT_FETCH_COUNTED + 1];
    if (!totals)
        return;
    (void)pthread_mutex_lock(&totals->lock);
    size_t known = totals->known;
    memcpy(copies, totals->entries, sizeof(copies));
    (void)pthread_mutex_unlock(&totals->lock);
    for (size_t i = 0; i <= known && i < TR_LEN(copies); i++) {
        struct tr_fetch_host_count *count = &copies[i].count;
        count->host = i < known ? copies[i].host : "other";
        if (i < known || count->answered || count->failed || count->refused)
            tell(data, count);
    }
}

#include "query/scans.h"

#include <pthread.h>
#include <stdlib.h>

struct item {
    struct tr_query_scan scan;
    uint64_t taken_times; /* of these */
    uint64_t taken_looked;
};

struct tr_query_scans {
    pthread_mutex_t lock;
    struct item items[TR_LIMIT_QUERY_SCANS];
    size_t count;
};

tr_status tr_query_scans_create(struct tr_query_scans **out, struct tr_err *err)
{
    struct tr_query_scans *scans = calloc(1, sizeof(*scans));
    if (!scans || pthread_mutex_init(&scans->lock, NULL) != 0) {
        free(scans);
        return tr_fail(err, TR_E_NOMEM, "no memory for what queries note");
    }
    *out = scans;
    return TR_OK;
}

void tr_query_scans_free(struct tr_query_scans *scans)
{
    if (!scans)
        return;
    (void)pthread_mutex_destroy(&scans->lock);
    free(scans);
}

static bool is_of(const struct tr_query_scan *scan, tr_str type, tr_str field)
{
    return tr_str_eq(tr_str_from(scan->type), type) &&
           tr_str_eq(tr_str_from(scan->field), field);
}

static struct item *find(struct tr_query_scans *scans, tr_str type,
                         tr_str field)
{
    for (size_t i = 0; i < scans->count; i++) {
        if (is_of(&scans->items[i].scan, type, field))
            return &scans->items[i];
    }
    return NULL;
}

/* A new place, or that of the least, which goes. */
static struct item *make_place(struct tr_query_scans *scans)
{
    struct item *least = scans->items;
    if (scans->count < TR_LIMIT_QUERY_SCANS)
        return &scans->items[scans->count++];
    for (size_t i = 1; i < scans->count; i++) {
        if (scans->items[i].scan.looked < least->scan.looked)
            least = &scans->items[i];
    }
    return least;
}

static struct item *add(struct tr_query_scans *scans, tr_str type, tr_str field)
{
    struct item *item = make_place(scans);
    struct tr_query_scan *scan = &item->scan;
    *item = (struct item){.taken_times = 0};
    (void)snprintf(scan->type, sizeof(scan->type), "%.*s", TR_FMT(type));
    (void)snprintf(scan->field, sizeof(scan->field), "%.*s", TR_FMT(field));
    return item;
}

void tr_query_scans_note(struct tr_query_scans *scans, tr_str type,
                         tr_str field, size_t looked)
{
    (void)pthread_mutex_lock(&scans->lock);
    struct item *item = find(scans, type, field);
    if (!item)
        item = add(scans, type, field);
    item->scan.times++;
    item->scan.looked += looked;
    (void)pthread_mutex_unlock(&scans->lock);
}

static int by_looked(const void *a, const void *b)
{
    const struct tr_query_scan *x = a;
    const struct tr_query_scan *y = b;
    return (x->looked < y->looked) - (x->looked > y->looked);
}

size_t tr_query_scans_read(struct tr_query_scans *scans,
                           struct tr_query_scan out[TR_LIMIT_QUERY_SCANS])
{
    (void)pthread_mutex_lock(&scans->lock);
    size_t count = scans->count;
    for (size_t i = 0; i < count; i++)
        out[i] = scans->items[i].scan;
    (void)pthread_mutex_unlock(&scans->lock);
    if (count)
        qsort(out, count, sizeof(*out), by_looked);
    return count;
}

size_t tr_query_scans_take(struct tr_query_scans *scans,
                           struct tr_query_scan out[TR_LIMIT_QUERY_SCANS])
{
    size_t count = 0;
    (void)pthread_mutex_lock(&scans->lock);
    for (size_t i = 0; i < scans->count; i++) {
        struct item *item = &scans->items[i];
        if (item->scan.times == item->taken_times)
            continue;
        out[count] = item->scan;
        out[count].times -= item->taken_times;
        out[count++].looked -= item->taken_looked;
        item->taken_times = item->scan.times;
        item->taken_looked = item->scan.looked;
    }
    (void)pthread_mutex_unlock(&scans->lock);
    return count;
}

/* One that has gone meanwhile, and come again, may have fewer by now. */
void tr_query_scans_give_back(struct tr_query_scans *scans,
                              const struct tr_query_scan *taken, size_t count)
{
    (void)pthread_mutex_lock(&scans->lock);
    for (size_t i = 0; i < count; i++) {
        struct item *item = find(scans, tr_str_from(taken[i].type),
                                 tr_str_from(taken[i].field));
        if (!item || item->taken_times < taken[i].times ||
            item->taken_looked < taken[i].looked)
            continue;
        item->taken_times -= taken[i].times;
        item->taken_looked -= taken[i].looked;
    }
    (void)pthread_mutex_unlock(&scans->lock);
}

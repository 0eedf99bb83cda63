#include "query/scans.h"

#include <pthread.h>
#include <stdlib.h>

struct tr_query_scans {
    pthread_mutex_t lock;
    struct tr_query_scan items[TR_LIMIT_QUERY_SCANS];
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

/* The one of this name, a new one, or the least, which goes. */
static struct tr_query_scan *find_place(struct tr_query_scans *scans,
                                        tr_str type, tr_str field)
{
    struct tr_query_scan *least = scans->items;
    for (size_t i = 0; i < scans->count; i++) {
        if (is_of(&scans->items[i], type, field))
            return &scans->items[i];
        if (scans->items[i].looked < least->looked)
            least = &scans->items[i];
    }
    if (scans->count < TR_LIMIT_QUERY_SCANS)
        least = &scans->items[scans->count++];
    *least = (struct tr_query_scan){.times = 0};
    (void)snprintf(least->type, sizeof(least->type), "%.*s", TR_FMT(type));
    (void)snprintf(least->field, sizeof(least->field), "%.*s", TR_FMT(field));
    return least;
}

void tr_query_scans_note(struct tr_query_scans *scans, tr_str type,
                         tr_str field, size_t looked)
{
    (void)pthread_mutex_lock(&scans->lock);
    struct tr_query_scan *scan = find_place(scans, type, field);
    scan->times++;
    scan->looked += looked;
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
    memcpy(out, scans->items, count * sizeof(*out));
    (void)pthread_mutex_unlock(&scans->lock);
    if (count)
        qsort(out, count, sizeof(*out), by_looked);
    return count;
}

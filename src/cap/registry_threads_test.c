/*
 * Threads pin, read and unpin while others publish: no snapshot is freed while
 * somebody has it, each is freed in the end, and views are the same for all.
 */
#include "base/test.h"
#include "cap/registry.h"

#include <pthread.h>
#include <stdatomic.h>

#define READERS    6
#define PUBLISHERS 2
#define READS      20000
#define RELOADS    1000

struct shared {
    struct tr_cap_registry *registry;
    atomic_int freed;
    atomic_int built;
    atomic_int wrong;
};

static void run(const struct tr_cap_handler *handler, struct tr_call *call)
{
    (void)handler;
    (void)call;
}

static void count_free(void *data)
{
    atomic_fetch_add((atomic_int *)data, 1);
}

static void publish(struct shared *shared)
{
    struct tr_cap_builder *b = NULL;
    const struct tr_cap_snapshot *s = NULL;
    const struct tr_cap cap = {.id = TR_STR("ping"), .handler = {run, NULL}};
    if (tr_cap_builder_create(NULL, &b, NULL) != TR_OK ||
        tr_cap_registry_add_cap(b, &cap, NULL) != TR_OK ||
        tr_cap_registry_on_free(b, count_free, &shared->freed, NULL) != TR_OK ||
        tr_cap_registry_build(b, &s, NULL) != TR_OK) {
        atomic_fetch_add(&shared->wrong, 1);
    } else {
        atomic_fetch_add(&shared->built, 1);
        tr_cap_registry_take(shared->registry, s);
    }
    tr_cap_builder_free(b);
}

static tr_status make(const struct tr_cap_snapshot *s, const void *arg,
                      struct tr_buf *out, struct tr_err *err)
{
    (void)arg;
    (void)err;
    tr_buf_put(out, tr_cap_snapshot_cap(s, 0)->name);
    return TR_OK;
}

static void *keep_publishing(void *data)
{
    for (size_t i = 0; i < tr_test_scaled(RELOADS); i++)
        publish(data);
    return NULL;
}

static void *keep_reading(void *data)
{
    struct shared *shared = data;
    for (size_t i = 0; i < tr_test_scaled(READS); i++) {
        const struct tr_cap_snapshot *s = tr_cap_registry_pin(shared->registry);
        tr_str bytes = {NULL, 0};
        struct tr_cap_view view = {i % 3, make, NULL};
        if (tr_cap_snapshot_view(s, &view, &bytes, NULL) != TR_OK ||
            !tr_str_eq(bytes, TR_STR("ping")) ||
            !tr_cap_snapshot_find_cap(s, TR_STR("ping")))
            atomic_fetch_add(&shared->wrong, 1);
        tr_cap_snapshot_unpin(s);
    }
    return NULL;
}

TEST(snapshots_are_pinned_and_published_by_many_threads)
{
    struct shared shared = {0};
    pthread_t threads[READERS + PUBLISHERS];
    CHECK_OK(tr_cap_registry_create(&shared.registry, NULL), NULL);
    publish(&shared);
    for (size_t i = 0; i < TR_LEN(threads); i++)
        CHECK(pthread_create(&threads[i], NULL,
                             i < READERS ? keep_reading : keep_publishing,
                             &shared) == 0);
    for (size_t i = 0; i < TR_LEN(threads); i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    CHECK_INT(atomic_load(&shared.freed), atomic_load(&shared.built) - 1);
    tr_cap_registry_free(shared.registry);
    CHECK_INT(atomic_load(&shared.wrong), 0);
    CHECK_INT(atomic_load(&shared.freed), atomic_load(&shared.built));
}

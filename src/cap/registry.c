#include "cap/registry.h"

#include "cap/inside.h"

#include <pthread.h>

struct tr_cap_registry {
    pthread_mutex_t lock; /* around taking the pointer and counting it up */
    const struct tr_cap_snapshot *current;
};

tr_status tr_cap_registry_create(struct tr_cap_registry **out,
                                 struct tr_err *err)
{
    struct tr_cap_registry *registry = calloc(1, sizeof(*registry));
    if (!registry)
        return tr_fail(err, TR_E_NOMEM, "no memory for a registry");
    (void)pthread_mutex_init(&registry->lock, NULL);
    *out = registry;
    return TR_OK;
}

void tr_cap_registry_free(struct tr_cap_registry *registry)
{
    if (!registry)
        return;
    tr_cap_snapshot_unpin(registry->current);
    (void)pthread_mutex_destroy(&registry->lock);
    free(registry);
}

void tr_cap_registry_take(struct tr_cap_registry *registry,
                          const struct tr_cap_snapshot *snapshot)
{
    (void)pthread_mutex_lock(&registry->lock);
    const struct tr_cap_snapshot *old = registry->current;
    registry->current = snapshot;
    (void)pthread_mutex_unlock(&registry->lock);
    tr_cap_snapshot_unpin(old); /* may free, so not under the lock */
}

const struct tr_cap_snapshot *
tr_cap_registry_pin(struct tr_cap_registry *registry)
{
    (void)pthread_mutex_lock(&registry->lock);
    const struct tr_cap_snapshot *snapshot = registry->current;
    if (snapshot)
        tr_cap_snapshot_pin(snapshot);
    (void)pthread_mutex_unlock(&registry->lock);
    return snapshot;
}

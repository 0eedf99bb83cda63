#include "base/time.h"
#include "crypto/seal.h"
#include "server/app.h"
#include "server/env.h"

#include <unistd.h>

struct tr_server_keyring_entry {
    struct tr_crypto_keys *keys;
    struct tr_server_keyring_entry *older;
};

static tr_status name_file(struct tr_server_keyring *ring,
                           const struct tr_server_app *app, struct tr_err *err)
{
    static const char file[] = "/keys";
    if (tr_str_eq(app->config->store.path, TR_STR(":memory:")))
        return TR_OK;
    TR_TRY(tr_server_app_store(app, ring->path,
                               sizeof(ring->path) - sizeof(file), err));
    memcpy(ring->path + strlen(ring->path), file, sizeof(file));
    return TR_OK;
}

static tr_status add(struct tr_server_keyring *ring, struct tr_err *err)
{
    struct tr_server_keyring_entry *entry = calloc(1, sizeof(*entry));
    if (!entry)
        return tr_fail(err, TR_E_NOMEM, "no memory for keys");
    tr_status status =
        ring->path[0] ? tr_crypto_keys_open(ring->path, tr_time_now().seconds,
                                            &entry->keys, err)
                      : tr_crypto_keys_create(&entry->keys, err);
    if (status != TR_OK) {
        free(entry);
        return status;
    }
    entry->older = ring->entries;
    ring->entries = entry;
    return TR_OK;
}

static void remove_newest(struct tr_server_keyring *ring)
{
    struct tr_server_keyring_entry *entry = ring->entries;
    ring->entries = entry->older;
    tr_crypto_keys_free(entry->keys);
    free(entry);
}

tr_status tr_server_keyring_open(struct tr_server_keyring *ring,
                                 const struct tr_server_app *app,
                                 struct tr_err *err)
{
    TR_TRY(name_file(ring, app, err));
    return add(ring, err);
}

void tr_server_keyring_close(struct tr_server_keyring *ring)
{
    while (ring->entries)
        remove_newest(ring);
}

tr_status tr_server_keyring_reopen(struct tr_server_keyring *ring,
                                   bool *changed, struct tr_err *err)
{
    const struct tr_crypto_keys *before = tr_server_keyring_current(ring);
    *changed = false;
    if (!ring->path[0])
        return TR_OK;
    TR_TRY(add(ring, err));
    *changed = !tr_crypto_keys_same(before, tr_server_keyring_current(ring));
    if (!*changed)
        remove_newest(ring);
    return TR_OK;
}

tr_status tr_server_keyring_rotate(struct tr_server_keyring *ring,
                                   const struct tr_server_app *app,
                                   struct tr_err *err)
{
    TR_TRY(name_file(ring, app, err));
    if (!ring->path[0])
        return tr_fail(err, TR_E_UNSUPPORTED,
                       "the keys of this app are in the memory of whoever "
                       "serves it: [store] path is :memory:");
    if (access(ring->path, F_OK) != 0)
        return tr_fail(err, TR_E_NOT_FOUND,
                       "there is no %s: the first start of a server makes it",
                       ring->path);
    return tr_crypto_keys_rotate(ring->path, tr_time_now().seconds, err);
}

const struct tr_crypto_keys *
tr_server_keyring_current(const struct tr_server_keyring *ring)
{
    return ring->entries ? ring->entries->keys : NULL;
}

/*
 * server/env.h - makes the environment of the calls of one loop.
 */
#ifndef TR_SERVER_ENV_H
#define TR_SERVER_ENV_H

#include "base/err.h"
#include "prov/log.h"
#include "runtime/env.h"

struct tr_config;
struct tr_loop;

/* The environment of calls, and what it points to that is the loop's own. */
struct tr_server_env {
    struct tr_call_env calls;
    struct tr_loop *loop;
    struct tr_crypto_uuid_maker uuids;
};

/* How long provenance is kept, as it is configured. */
struct tr_prov_keep tr_server_prov_keep_of(const struct tr_config *config);

/* `env` may be closed also after a failure; store and loop are borrowed. */
TR_NODISCARD tr_status tr_server_env_open(struct tr_server_env *env,
                                          struct tr_graph_store *store,
                                          struct tr_loop *loop,
                                          struct tr_prov_keep keep,
                                          struct tr_err *err);

/* Writes what waits; runs the loop for that. */
void tr_server_env_close(struct tr_server_env *env);

/* ----------------------------------------------------------------------
 * The keys of the process, read again when they change.
 *
 * It belongs to the first loop's thread; other loops borrow keys, which stay
 * valid until the ring is closed: rotations are rare, and keys are small.
 */

struct tr_server_app;
struct tr_crypto_keys;
struct tr_server_keyring_entry;

struct tr_server_keyring {
    struct tr_server_keyring_entry *entries; /* the newest first */
    char path[512]; /* empty: they live in memory only */
};

/* Reads or makes data/keys, so that cursors and states outlive us. */
TR_NODISCARD tr_status tr_server_keyring_open(struct tr_server_keyring *ring,
                                              const struct tr_server_app *app,
                                              struct tr_err *err);
void tr_server_keyring_close(struct tr_server_keyring *ring);

/* Reads the file again; `*changed` says whether there are new keys now. */
TR_NODISCARD tr_status tr_server_keyring_reopen(struct tr_server_keyring *ring,
                                                bool *changed,
                                                struct tr_err *err);

/*
 * A new key in the app's file of keys, whose path the empty `ring` gets.
 * TR_E_NOT_FOUND when there is no file yet, TR_E_UNSUPPORTED when there never
 * is one.
 */
TR_NODISCARD tr_status tr_server_keyring_rotate(struct tr_server_keyring *ring,
                                                const struct tr_server_app *app,
                                                struct tr_err *err);

/* The newest. */
const struct tr_crypto_keys *
tr_server_keyring_current(const struct tr_server_keyring *ring);

#endif

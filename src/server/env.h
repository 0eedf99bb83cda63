/*
 * server/env.h - the environment of calls, one for each loop, and the keys of
 * the process.
 *
 * Keys are read again when they change. Loops borrow them, and nobody keeps
 * count of that: old keys stay until the end, since rotations are rare and keys
 * small.
 */
#ifndef TR_SERVER_ENV_H
#define TR_SERVER_ENV_H

#include "base/err.h"
#include "fetch/fetch.h"
#include "prov/log.h"
#include "runtime/env.h"

struct tr_arena;
struct tr_config;
struct tr_crypto_keys;
struct tr_loop;
struct tr_server_app;
struct tr_server_keyring_entry;

/* The environment of calls, and what it points to that is the loop's own. */
struct tr_server_env {
    struct tr_call_env calls;
    struct tr_loop *loop;
    struct tr_crypto_uuid_maker uuids;
};

/* How long provenance stays, as it is configured. */
struct tr_prov_keep tr_server_prov_keep_of(const struct tr_config *config);

struct tr_config_load;

/* [fetch] as a client takes it, in the arena: a file of certificates is
 * relative to the app's folder, and must be readable. Without a loop. */
TR_NODISCARD tr_status
tr_server_fetch_opts_read(struct tr_arena *arena, const char *folder,
                          const struct tr_config_load *load,
                          struct tr_fetch_opts *out, struct tr_err *err);

/* Adds the origins of URLs in [app] and TRAILS_APP_... to those of `allow`. */
TR_NODISCARD tr_status tr_server_name_origins(struct tr_arena *arena,
                                              const struct tr_config_load *load,
                                              struct tr_fetch_opts *out,
                                              struct tr_err *err);

/* Opens the loop's reader, its log and its way out; without options there is
 * none. Store and loop are borrowed; `env` may be closed also after a failure.
 * `calls.keys` is the caller's to set. */
TR_NODISCARD tr_status tr_server_env_open(struct tr_server_env *env,
                                          struct tr_graph_store *store,
                                          struct tr_loop *loop,
                                          struct tr_prov_keep keep,
                                          const struct tr_fetch_opts *fetch,
                                          struct tr_err *err);

/* Writes the provenance that waits, and runs the loop for that. */
void tr_server_env_close(struct tr_server_env *env);

/* All keys that the process has read; a ring belongs to the first loop's
 * thread.
 */
struct tr_server_keyring {
    struct tr_server_keyring_entry *entries; /* the newest first */
    char path[512]; /* of the file; empty: the keys are in memory only */
};

/* Reads or makes the file `keys` in the store's folder, so that what was sealed
 * outlives the process. */
TR_NODISCARD tr_status tr_server_keyring_open(struct tr_server_keyring *ring,
                                              const struct tr_server_app *app,
                                              struct tr_err *err);
void tr_server_keyring_close(struct tr_server_keyring *ring);

/* Reads the file again; `*changed` says whether there are new keys now. */
TR_NODISCARD tr_status tr_server_keyring_reopen(struct tr_server_keyring *ring,
                                                bool *changed,
                                                struct tr_err *err);

/*
 * Adds a new key to the app's file of keys, whose path the empty `ring` gets.
 * TR_E_NOT_FOUND when there is no file yet, TR_E_UNSUPPORTED when the keys are
 * in memory only.
 */
TR_NODISCARD tr_status tr_server_keyring_rotate(struct tr_server_keyring *ring,
                                                const struct tr_server_app *app,
                                                struct tr_err *err);

/* The newest keys, which stay valid until the ring is closed. */
const struct tr_crypto_keys *
tr_server_keyring_current(const struct tr_server_keyring *ring);

#endif

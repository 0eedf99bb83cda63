/*
 * server/gate.h - who is let in, by the configuration and the environment, and
 * which of these settings are better thought about again.
 */
#ifndef TR_SERVER_GATE_H
#define TR_SERVER_GATE_H

#include "access/bearer.h"
#include "base/err.h"
#include "gate/gate.h"

struct tr_cap_snapshot;
struct tr_db;
struct tr_server_app;
struct tr_server_opts;

/* Its texts are in the app's arena or in the environment. */
struct tr_server_gate {
    struct tr_access_bearer_opts bearer; /* without its connection */
    struct tr_gate_rules rules;
    struct tr_gate_origins origins;
    const char *jwks_url; /* where the keys of the issuer are, or NULL */
    tr_str metadata;      /* of the protected resource, JSON; empty: none */
    bool has_credential;  /* one is configured, besides those in the store */
    _Atomic bool has_no_keys; /* jwks_file was told to have none */
};

/* The scopes that the process may grant: [mcp] scopes. TR_E_INVALID names a
 * word that is no scope. */
TR_NODISCARD tr_status tr_server_gate_scopes(const struct tr_server_app *app,
                                             unsigned *out, struct tr_err *err);

/* Whether nobody comes in over HTTP without a credential, whatever the store
 * has, where the server listens on this machine only or is reached from others.
 */
bool tr_server_gate_needs_bearer(const struct tr_server_app *app,
                                 bool is_local);

/* Fails with TR_E_INVALID for settings that contradict each other, or that need
 * another. */
TR_NODISCARD tr_status tr_server_gate_open(struct tr_server_gate *gate,
                                           const struct tr_server_opts *serve,
                                           struct tr_err *err);

/*
 * Whether the server may listen where it wants to: beyond this machine only
 * with a credential, in the environment or in the store, and behind a proxy
 * that does TLS.
 */
TR_NODISCARD tr_status tr_server_gate_check_address(
    const struct tr_server_gate *gate, const struct tr_server_opts *serve,
    struct tr_db *db, struct tr_err *err);

/*
 * The credential that standard input brings by itself: TRAILS_TOKEN, or the
 * token in a file that nobody else can read; it lives as long as the app, ""
 * when there is none.
 */
TR_NODISCARD tr_status tr_server_bring_token(const struct tr_server_opts *serve,
                                             tr_str *out, struct tr_err *err);

/*
 * Refuses a credential of standard input that is wrong now. It is looked at
 * with every request all the same, since it may expire and be revoked.
 */
TR_NODISCARD tr_status tr_server_check_brought(
    const struct tr_server_gate *gate, const struct tr_server_opts *serve,
    struct tr_access_bearer *bearer, uint64_t generation, struct tr_err *err);

/* Keeps secrets out of core files, when there are credentials. */
void tr_server_gate_keep_secrets(const struct tr_server_gate *gate);

/* A setting that works, but may not be meant. */
struct tr_server_unsafe {
    const char *id; /* "token.short", ... */
    const char *message;
    const char *fix; /* what to do about it */
};

#define TR_SERVER_UNSAFE_MAX 16

/* Writes what it finds to `out`, and returns how many that are; messages may
 * live in the arena. */
size_t tr_server_unsafe_find(const struct tr_server_app *app,
                             const struct tr_cap_snapshot *snapshot,
                             struct tr_arena *arena,
                             struct tr_server_unsafe out[TR_SERVER_UNSAFE_MAX]);

#endif

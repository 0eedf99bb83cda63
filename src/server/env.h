/*
 * server/env.h - makes the environment of the calls of one loop.
 */
#ifndef TR_SERVER_ENV_H
#define TR_SERVER_ENV_H

#include "prov/log.h"
#include "runtime/env.h"

struct tr_config;
struct tr_loop;

/* The environment of calls, and what it points to that is the loop's own. */
struct tr_server_env {
    struct tr_call_env calls;
    struct tr_loop *loop;
    struct tr_uuid_maker uuids;
};

/* How long provenance is kept, as it is configured. */
struct tr_prov_keep tr_prov_keep_of(const struct tr_config *config);

/* `env` may be closed also after a failure; store and loop are borrowed. */
TR_NODISCARD tr_status tr_server_env_open(struct tr_server_env *env,
                                          struct tr_graph_store *store,
                                          struct tr_loop *loop,
                                          struct tr_prov_keep keep,
                                          struct tr_err *err);

/* Writes what waits; runs the loop for that. */
void tr_server_env_close(struct tr_server_env *env);

#endif

/*
 * server/ground.h - makes what the calls of one loop stand on (runtime/).
 */
#ifndef TR_SERVER_GROUND_H
#define TR_SERVER_GROUND_H

#include "prov/trim.h"
#include "runtime/ground.h"

struct tr_config;
struct tr_loop;

/* A ground, and what it points to that is the loop's own. */
struct tr_own_ground {
    struct tr_ground ground;
    struct tr_loop *loop;
    struct tr_uuid_maker uuids;
};

/* How long provenance is kept, as it is configured. */
struct tr_prov_keep tr_prov_keep_of(const struct tr_config *config);

/* `own` may be closed also after a failure; store and loop are borrowed. */
TR_NODISCARD tr_status tr_own_ground_open(struct tr_own_ground *own,
                                          struct tr_store *store,
                                          struct tr_loop *loop,
                                          struct tr_prov_keep keep,
                                          struct tr_err *err);

/* Writes what waits; runs the loop for that. */
void tr_own_ground_close(struct tr_own_ground *own);

#endif

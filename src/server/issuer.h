/*
 * server/issuer.h - fetches the keys of the issuer who signs the JWTs of
 * callers: at the start, now and then, and soon after a JWT names a key that is
 * missing.
 */
#ifndef TR_SERVER_ISSUER_H
#define TR_SERVER_ISSUER_H

#include "access/bearer.h"
#include "loop/thread.h"

/* What the log says when a set has no key any more. */
#define TR_SERVER_NO_KEYS "no key of the issuer counts any more"

struct tr_server_issuer {
    const char *url;
    struct tr_access_key_source *source;
    struct tr_loop *loop;
    struct tr_loop_pool *pool; /* of one thread */
    struct tr_loop_job job;
    struct tr_loop_timer timer;
    struct tr_err err;   /* of the job */
    uint64_t fetched_ms; /* when the last fetch began */
    bool is_running;
    bool is_good;  /* the last fetch has succeeded */
    bool has_none; /* it was answered, but not with keys; of the job */
    bool is_stopped;
};

/* Begins the first fetch. The caller has set the URL, the source and the loop.
 */
TR_NODISCARD tr_status tr_server_issuer_start(struct tr_server_issuer *issuer,
                                              struct tr_err *err);

/* On its loop: nothing more is begun, and what runs is cancelled. */
void tr_server_issuer_stop(struct tr_server_issuer *issuer);

/* After the loop has ended; also for one that was never started. */
void tr_server_issuer_close(struct tr_server_issuer *issuer);

#endif

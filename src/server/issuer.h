/*
 * server/issuer.h - fetches the keys of the issuer who signs the JWTs of
 * callers: at the start, now and then, and soon after a JWT names a key that is
 * missing.
 */
#ifndef TR_SERVER_ISSUER_H
#define TR_SERVER_ISSUER_H

#include "access/bearer.h"
#include "fetch/fetch.h"
#include "loop/timer.h"

/* What the log says when a set has no key any more. */
#define TR_SERVER_NO_KEYS "no key of the issuer counts any more"

struct tr_server_issuer {
    const char *url;
    struct tr_access_key_source *source;
    struct tr_loop *loop;
    const struct tr_fetch_opts *out; /* without a loop */
    struct tr_fetch_client *client;
    struct tr_fetch *fetch; /* the latest, or NULL */
    struct tr_loop_timer timer;
    uint64_t fetched_ms; /* when the last fetch began */
    bool is_running;
    bool is_good; /* the last fetch has succeeded */
};

/* Begins the first fetch. The caller has set the URL, the source, the
 * loop and the way out. */
TR_NODISCARD tr_status tr_server_issuer_start(struct tr_server_issuer *issuer,
                                              struct tr_err *err);

/* On its loop, which has to run once more: what runs is cancelled. Also for one
 * that was never started, or is stopped. */
void tr_server_issuer_stop(struct tr_server_issuer *issuer);

#endif

/*
 * fetch/inside.h - a client and a fetch, for the files of this folder.
 *
 * client.c has the loop and libcurl's multi interface, hop.c what libcurl is
 * told for one hop and what it tells us, fetch.c the way from hop to hop.
 */
#ifndef TR_FETCH_INSIDE_H
#define TR_FETCH_INSIDE_H

#include "base/arena.h"
#include "base/vec.h"
#include "fetch/curl.h"
#include "fetch/fetch.h"

#include <uv.h>

struct tr_fetch_client {
    struct tr_fetch_opts opts;
    struct tr_fetch_curl curl;
    CURLM *multi; /* NULL until the first fetch, as `timer` */
    uv_timer_t timer;
    struct tr_fetch *lost; /* whose sockets cannot be watched */
    struct tr_fetch_bounds bounds;
    struct tr_arena arena; /* theirs */
};

struct tr_fetch {
    struct tr_fetch_client *client;
    struct tr_fetch_request request;
    struct tr_fetch_reply reply;
    struct tr_fetch_url url;        /* of this hop; views of `text` */
    char asked[TR_FETCH_URL_PLACE]; /* the last one that might be */
    struct tr_buf text;             /* the URL, and one that comes after it */
    tr_str method;                  /* of this hop, as the next two */
    bool has_body;
    bool is_foreign; /* another origin than the first: no headers go there */
    bool is_named;   /* by whoever runs the server: at any address */
    CURL *easy;
    struct curl_slist *sent;
    bool is_running; /* the multi has it */
    bool is_lost;    /* among those of the client: `next_lost` */
    struct tr_fetch *next_lost;
    uint64_t began_ns;
    bool is_looking_up;    /* its name, in a thread */
    const char *refused;   /* the kind of an address that was */
    struct tr_arena arena; /* of the headers that came */
    TR_VEC(struct tr_fetch_header) headers;
    size_t head_bytes;
    const char *bad_head; /* why it is not taken, or NULL */
    struct tr_buf body;
    char why[CURL_ERROR_SIZE];
};

/* Loads libcurl and makes the multi, once. */
TR_NODISCARD tr_status tr_fetch_client_open(struct tr_fetch_client *client,
                                            struct tr_err *err);

/* Whether whoever runs the server has named this origin. */
bool tr_fetch_is_allowed(const struct tr_fetch *fetch,
                         const struct tr_fetch_url *url);

/* It is lost no more. */
void tr_fetch_client_find(struct tr_fetch *fetch);

/* A hop of this fetch has ended. */
void tr_fetch_hop_ended(struct tr_fetch *fetch, CURLcode code);

/* Begins a hop, and gives up what libcurl has for it. */
TR_NODISCARD tr_status tr_fetch_hop_begin(struct tr_fetch *fetch,
                                          struct tr_err *err);
void tr_fetch_hop_end(struct tr_fetch *fetch);

/* What the end of a hop means: `reply` says why there is no answer. */
void tr_fetch_hop_explain(struct tr_fetch *fetch, CURLcode code);

/* TR_E_INVALID for a header that a request must not have. */
TR_NODISCARD tr_status
tr_fetch_header_check(const struct tr_fetch_header *header, struct tr_err *err);

/* Whether a name, or a word of a value, is that; upper case is as lower. */
bool tr_fetch_header_is(tr_str text, tr_str lower);

/* Whether it goes with the body: not where the body does not go. */
bool tr_fetch_header_is_of_body(tr_str name);

/* Whether it is the same for everybody, and may go to another origin. */
bool tr_fetch_header_is_harmless(tr_str name);

/* Reads a line of a head into *out, in the arena; why not, or NULL. */
const char *tr_fetch_header_read(struct tr_arena *arena, tr_str line,
                                 struct tr_fetch_header *out);

/* One more that runs, false when there are too many; one less. */
bool tr_fetch_totals_enter(struct tr_fetch_totals *totals);
void tr_fetch_totals_leave(struct tr_fetch_totals *totals, const char *host,
                           const struct tr_fetch_reply *reply);

/* A name is still being looked up that nobody waits for any more: its thread
 * counts as one that runs until it has ended for certain. */
void tr_fetch_totals_abandon(struct tr_fetch_totals *totals);

#endif

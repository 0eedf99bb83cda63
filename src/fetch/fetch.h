/*
 * fetch/fetch.h - requests to elsewhere, on a loop; the only way out of the
 * program.
 *
 * A client belongs to one loop. libcurl is loaded with its first fetch; a slow
 * host holds no thread. Where the other side may be is decided on each hop, by
 * the caller's `may` and by the address of the socket that is opened: one that
 * only this machine or its network can reach is refused, unless whoever runs
 * the server has named the host.
 */
#ifndef TR_FETCH_FETCH_H
#define TR_FETCH_FETCH_H

#include "base/buf.h"
#include "fetch/url.h"

struct tr_arena;
struct tr_loop;
struct tr_fetch;
struct tr_fetch_client;
struct tr_fetch_totals;

/* What is counted for the process: any thread may fetch, and read. */
TR_NODISCARD tr_status tr_fetch_totals_create(struct tr_fetch_totals **out,
                                              struct tr_err *err);
void tr_fetch_totals_free(struct tr_fetch_totals *totals);

/* Hears of each host that was asked, the first ones by name, then one for all
 * others. Where one leads that must not be asked is counted as its own doing.
 */
struct tr_fetch_host_count {
    const char *host; /* with its port, if it is not the usual one */
    uint64_t answered;
    uint64_t failed; /* no answer, or one that was not taken */
    uint64_t refused;
    uint64_t bytes; /* of bodies */
    uint64_t micros;
};
void tr_fetch_totals_each(struct tr_fetch_totals *totals,
                          void (*tell)(void *data,
                                       const struct tr_fetch_host_count *count),
                          void *data);

struct tr_fetch_opts {
    struct tr_loop *loop;
    const tr_str *allow; /* origins that whoever runs the server has named */
    size_t allow_count;
    const char *ca_file;            /* NULL: the system's */
    uint64_t timeout_ms;            /* that a fetch may ask for; 0: any */
    size_t max_bytes;               /* likewise */
    struct tr_fetch_totals *totals; /* outlives the client; NULL: none */
};

/* Where fetches may go, and how much they may take: [fetch]. */
struct tr_fetch_bounds {
    const struct tr_fetch_url *allow; /* origins, as in the options */
    size_t allow_count;
    uint64_t timeout_ms;
    size_t max_bytes;
};

/* Of these options, which it borrows from; TR_E_INVALID names an origin that is
 * none, TR_E_LIMIT more of them than there may be. */
TR_NODISCARD tr_status tr_fetch_bounds_read(struct tr_arena *arena,
                                            const struct tr_fetch_opts *opts,
                                            struct tr_fetch_bounds *out,
                                            struct tr_err *err);

/* Borrows what the options point to. */
TR_NODISCARD tr_status tr_fetch_client_create(const struct tr_fetch_opts *opts,
                                              struct tr_fetch_client **out,
                                              struct tr_err *err);

/* No fetch may be there. The loop has to run once more. NULL is allowed. */
void tr_fetch_client_close(struct tr_fetch_client *client);

/* NULL when `allow` may have this text, else why not. */
const char *tr_fetch_check_allow(tr_str text);

/* A header that is sent, or one that has come, its name in lower case. */
struct tr_fetch_header {
    tr_str name;
    tr_str value;
    bool is_secret; /* it goes to no other origin, whatever its name */
};

/* Everything is borrowed until the fetch is freed. */
struct tr_fetch_request {
    tr_str url;
    tr_str method; /* empty: GET */
    const struct tr_fetch_header *headers;
    size_t header_count;
    tr_str body;
    bool has_body;
    bool is_secret;      /* the body: it goes to no other origin */
    uint64_t timeout_ms; /* 0: TR_LIMIT_FETCH_SECONDS */
    size_t max_bytes;    /* 0: TR_LIMIT_FETCH_BODY */
    bool follows;        /* redirects */
    const struct tr_fetch_bounds *bounds; /* NULL: those of the client */
    bool is_operators; /* its URL was written by whoever runs the server */

    /* Asked of each hop; NULL: all may be. */
    tr_status (*may)(void *data, const struct tr_fetch_url *url,
                     struct tr_err *err);
    void *may_data;
    /* Called once, on the loop, never from inside of tr_fetch_start. */
    void (*done)(void *data);
    void *data;
};

/* What has become of it. */
struct tr_fetch_reply {
    tr_status status;   /* TR_OK: there is an answer, of whatever code */
    struct tr_err err;  /* names the host, and nothing else of the URL */
    const char *reason; /* of a failure: "dns", "connect", "address", "tls",
                           "redirect", "time", "size", "protocol" */
    char host[TR_FETCH_URL_PLACE]; /* of the last hop */
    unsigned code;
    unsigned hops;
    const struct tr_fetch_header *headers;
    size_t header_count;
    tr_str body;
    uint64_t micros;
};

/*
 * Checks the request and begins. TR_E_INVALID says what is wrong with it,
 * TR_E_UNAVAILABLE that too many fetches are there, TR_E_UNSUPPORTED that there
 * is no libcurl; and what `may` says.
 */
TR_NODISCARD tr_status tr_fetch_start(struct tr_fetch_client *client,
                                      const struct tr_fetch_request *request,
                                      struct tr_fetch **out,
                                      struct tr_err *err);

/* After `done`; lives as long as the fetch. */
const struct tr_fetch_reply *tr_fetch_reply_of(const struct tr_fetch *fetch);

/* Ends it if it still runs; then `done` is not called. NULL is allowed. */
void tr_fetch_free(struct tr_fetch *fetch);

#endif

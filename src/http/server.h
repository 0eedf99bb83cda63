/*
 * http/server.h - an HTTP/1.1 server on one loop, and a table of its routes.
 *
 * It owns its listeners and connections. Several loops serve one address with a
 * server each, and somebody who accepts for all of them (tr_http_server_take).
 * Not thread-safe: post to its loop.
 */
#ifndef TR_HTTP_SERVER_H
#define TR_HTTP_SERVER_H

#include "base/buf.h"
#include "base/err.h"
#include "http/exchange.h"
#include "http/reader.h"

struct tr_http_server;
struct tr_loop;
struct tr_net_stream;

/* What became of a request; borrowed for the call. */
struct tr_http_report {
    tr_str method; /* empty when it could not be read */
    tr_str path;   /* without its query */
    int status;    /* 499: the peer had gone before the response */
    uint64_t micros;
    uint64_t bytes; /* of the body; 0 for a stream, which has just begun */
};

typedef void tr_http_report_fn(void *app, const struct tr_http_report *report);

/* A field left zero takes the default named beside it. */
struct tr_http_opts {
    tr_http_report_fn *report;    /* NULL: requests are not reported */
    tr_http_judge_fn *judge;      /* NULL: all go on to the handler */
    struct tr_http_limits limits; /* each from base/limits.h */
    size_t max_connections;       /* TR_LIMIT_HTTP_CONNECTIONS */
    size_t max_response_bytes;    /* TR_LIMIT_STREAM_QUEUE */
    size_t max_buffered_bytes;    /* TR_LIMIT_HTTP_BUFFERED */
    size_t max_sse_bytes;         /* TR_LIMIT_SSE_QUEUE */
    unsigned head_timeout_ms;     /* TR_LIMIT_HTTP_HEAD_S, from first byte */
    unsigned body_timeout_ms;     /* TR_LIMIT_HTTP_BODY_S and 1 s per 16 KiB */
    unsigned idle_timeout_ms;     /* TR_LIMIT_HTTP_IDLE_S between requests */
    unsigned write_timeout_ms;    /* TR_LIMIT_HTTP_WRITE_S, no byte taken */
    unsigned sse_comment_ms;      /* 15000 */
    int send_buffer_bytes;        /* the system's; of a connection's socket */
};

struct tr_http_address {
    tr_str address; /* "127.0.0.1:8000", "[::1]:0", "localhost:8000" */
    tr_str path;    /* of a Unix socket, when it is not empty */
};

struct tr_http_counts {
    size_t connections; /* open now */
    size_t exchanges;   /* handlers that have not ended theirs */
    size_t buffered;    /* bytes of requests, beyond the first of each */
    uint64_t accepted;
    uint64_t requests;
    uint64_t refused;      /* not well-formed, over a limit, or too many */
    uint64_t responses[6]; /* by the first digit of their status */
    uint64_t timeouts;     /* peers that were too slow, reading or sending */
};

/*
 * `opts` may be NULL. `handler` gets every request that was well-formed and
 * that the judge has let through.
 */
TR_NODISCARD tr_status tr_http_server_create(struct tr_loop *loop,
                                             const struct tr_http_opts *opts,
                                             tr_http_handler_fn *handler,
                                             void *app,
                                             struct tr_http_server **out,
                                             struct tr_err *err);

/*
 * Starts to listen. `port` (may be NULL) gets the port, also where the address
 * leaves the choice to the system with a 0.
 */
TR_NODISCARD tr_status tr_http_server_listen(struct tr_http_server *server,
                                             const struct tr_http_address *at,
                                             unsigned *port,
                                             struct tr_err *err);

/* Serves a connection, which it takes; not after tr_http_server_close. */
void tr_http_server_take(struct tr_http_server *server, int fd);

struct tr_http_counts
tr_http_server_counts(const struct tr_http_server *server);

/* Bytes that wait for the peers of all connections; looks at each. */
size_t tr_http_server_queued(const struct tr_http_server *server);

typedef void tr_http_closed_fn(void *data);

/*
 * Ends it: stops listening, closes idle connections, lets running exchanges
 * end; what is still open after `deadline_ms` is cut. The server is freed when
 * the last exchange has ended, and `closed` (may be NULL) is called then. To be
 * called once, after the last tr_http_server_listen.
 */
void tr_http_server_close(struct tr_http_server *server, unsigned deadline_ms,
                          tr_http_closed_fn *closed, void *data);

/* After tr_http_server_close, before `closed`: brings the deadline now. */
void tr_http_server_cut(struct tr_http_server *server);

/*
 * What a path and a method mean. Paths are compared byte by byte, as sent; a
 * segment of a route that is a star stands for any one segment that is not
 * empty. A path without stars comes before those that have one, and of these
 * the first in the table. A GET route answers HEAD too.
 */
struct tr_http_route {
    tr_str method;
    tr_str path;
    tr_http_handler_fn *handler;
    tr_http_judge_fn *judge; /* for whoever asks it, or NULL */
    bool takes_body;         /* else a request that announces one is refused */
};

struct tr_http_routes {
    const struct tr_http_route *items;
    size_t count;
};

/* What a table has for a request. */
struct tr_http_match {
    const struct tr_http_route *route; /* NULL: its path has no such method */
    tr_str path; /* of the route, as the table has it; empty: there is none */
};

/* Only looks. */
struct tr_http_match tr_http_route_match(struct tr_http_routes routes,
                                         const struct tr_http_request *request);

/* Appends the methods that a path of the table has, as Allow lists them. */
void tr_http_route_put_allowed(struct tr_http_routes routes, tr_str path,
                               struct tr_buf *out);

/*
 * Finds the route of a request, which the exchange remembers. Else it ends the
 * exchange, with 404, with 405 and Allow, or with 413, and returns NULL.
 */
const struct tr_http_route *tr_http_route_find(struct tr_http_routes routes,
                                               struct tr_http_exchange *x);

/* Has the exchange remember a route; and the route that it remembers. */
void tr_http_route_keep(struct tr_http_exchange *x,
                        const struct tr_http_route *route);
const struct tr_http_route *
tr_http_route_kept(const struct tr_http_exchange *x);

/* Calls the handler of the route that was found. */
void tr_http_route_run(struct tr_http_exchange *x, void *app);

#endif

/*
 * http/conn.h - connections, exchanges and the server behind them; for the
 * files of http/ only.
 *
 * A connection that waits has no exchange, and so no buffers: those come from
 * the server's pool with the first byte of a request and go back with the end
 * of its response.
 */
#ifndef TR_HTTP_CONN_H
#define TR_HTTP_CONN_H

#include "base/buf.h"
#include "http/exchange.h"
#include "http/server.h"
#include "http/sse.h"
#include "loop/timer.h"

/* Room for a whole small request, which most are; it is not counted. */
#define TR_HTTP_FIRST_ROOM TR_KIB(8)

/* What a connection waits for. */
enum tr_http_phase {
    TR_HTTP_CONN_WAITING,   /* for the first byte of a request */
    TR_HTTP_CONN_READING,   /* for the rest of it */
    TR_HTTP_CONN_RUNNING,   /* for the handler to end the exchange */
    TR_HTTP_CONN_STREAMING, /* for the handler to close its event stream */
    TR_HTTP_CONN_LINGERING, /* for the peer to take all of it, and to close */
    TR_HTTP_CONN_CLOSED,    /* for the stream's last call */
};

struct tr_http_sse {
    struct tr_http_exchange *x;
    uint64_t sent_ms; /* when something was last sent */
    bool is_chunked;
    bool is_mute; /* the request was HEAD */
};

struct tr_http_exchange {
    struct tr_http_server *server;
    struct tr_http_conn *conn; /* NULL when the peer has gone */
    struct tr_http_sse sse;
    struct tr_http_exchange *next_free;
    struct tr_buf in; /* the request, and what came with it */
    size_t counted;   /* what the server has counted of it */
    struct tr_arena arena;
    struct tr_http_request request;
    tr_http_gone_fn *gone;
    void *gone_data;
    uint64_t started_ns; /* only when the server has a `report` */
    bool is_reported;
    bool is_judged;
    bool lacks_body;   /* it is judged now, and its body is not read */
    const void *found; /* by the judge */
    tr_str shared;     /* headers that a page may read; empty: no page may */
    const struct tr_http_route *route;
    struct tr_http_reader reader;
};

struct tr_http_conn {
    struct tr_http_server *server;
    struct tr_net_stream *stream;
    struct tr_http_exchange *x; /* unless waiting, lingering or closed */
    enum tr_http_phase phase;
    bool in_step; /* the loop over requests is running */
    bool in_body; /* `since_ms` counts for the body */
    bool ended;   /* the peer sends no more */
    struct tr_http_conn *next;
    struct tr_http_conn **link;
    struct tr_loop_tick tick; /* goes on with the next request */
    struct tr_buf ahead;      /* arrived while an exchange was running */
    uint64_t since_ms;        /* when the phase, or the body, began */
    size_t drained;           /* bytes dropped after the last response */
    uint64_t sent;            /* bytes the peer had taken at `sent_ms` */
    uint64_t sent_ms;         /* when it was last seen to take some */
};

struct tr_http_listener {
    struct tr_http_listener *next;
    struct tr_net_listener *listener;
};

struct tr_http_server {
    struct tr_loop *loop;
    struct tr_http_opts opts; /* complete */
    tr_http_handler_fn *handler;
    void *app;
    struct tr_http_conn *conns;
    struct tr_http_listener *listeners;
    struct tr_http_exchange *free; /* the pool */
    size_t free_count;
    struct tr_http_counts counts;
    struct tr_loop_timer sweep;    /* one timer for all timeouts */
    struct tr_loop_timer deadline; /* of closing */
    struct tr_loop_tick end;       /* frees the server */
    tr_http_closed_fn *closed;
    void *closed_data;
    bool closing;
    uint64_t date_second; /* of the loop's clock, for `date` */
    char date[64];        /* "Tue, 28 Jul 2026 12:00:00 GMT" */
    struct tr_buf event;  /* where events are put together */
    char scratch[16384];  /* for bytes that are read and dropped */
};

/* conn.c */

/* Serves a stream, which it takes. */
void tr_http_conn_open(struct tr_http_server *server,
                       struct tr_net_stream *stream);

/* Closes now. A running exchange goes on without it, and is not told. */
void tr_http_conn_close(struct tr_http_conn *conn);

/* Closes once all is sent, when no request has begun. */
void tr_http_conn_retire(struct tr_http_conn *conn);

/* Closes now, and tells a running exchange that the peer has gone. */
void tr_http_conn_cut(struct tr_http_conn *conn);

/* The response is complete: goes on with the next request, or ends. */
void tr_http_conn_next(struct tr_http_conn *conn, bool keep);

/* timeout.c: cuts slow peers, keeps event streams alive; once a second. */
void tr_http_conn_check(struct tr_http_conn *conn);

/* exchange.c */

/* An exchange from the pool, or a new one; NULL when there is no memory. */
struct tr_http_exchange *tr_http_exchange_take(struct tr_http_server *server);
void tr_http_exchange_recycle(struct tr_http_exchange *x);
void tr_http_exchange_free(struct tr_http_exchange *x);

/* Counts what the request holds, after that has changed. */
void tr_http_exchange_count(struct tr_http_exchange *x);

/* Puts it back into the pool; its connection goes on (`keep`) or ends. */
void tr_http_exchange_end(struct tr_http_exchange *x, bool keep);

/* Counts a response, and reports it unless its handler does. */
void tr_http_exchange_report(struct tr_http_exchange *x, int status,
                             size_t bytes);

/* Calls what tr_http_exchange_on_gone was given, once. */
void tr_http_exchange_tell_gone(struct tr_http_exchange *x);

/* respond.c */

/* Whether the connection stays open after this response. */
bool tr_http_keeps_alive(const struct tr_http_exchange *x);

/* Writes the status line, Date and Connection; not yet the empty line. */
void tr_http_put_head(struct tr_http_exchange *x, struct tr_buf *head,
                      int status, bool keep);

/* Writes the fields of a handler; false when one cannot be sent. */
bool tr_http_put_fields(struct tr_buf *head, const tr_http_field *fields,
                        size_t count);

/* Responds to what could not be read, and ends the connection. */
void tr_http_refuse_conn(struct tr_http_conn *conn, int status,
                         const char *why);

/* server.c */

/* Frees a closing server once nothing is left of it. */
void tr_http_server_check(struct tr_http_server *server);

#endif

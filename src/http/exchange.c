#include "http/exchange.h"

#include "base/time.h"
#include "http/conn.h"
#include "net/stream.h"

#include <assert.h>

/* The pool keeps so many exchanges, and none with more memory than this. */
#define POOL_COUNT 64
#define KEPT_BYTES TR_KIB(64)

static size_t max_input(const struct tr_http_limits *limits)
{
    return limits->line_bytes + limits->head_bytes +
           (size_t)limits->body_bytes + TR_LIMIT_HTTP_AHEAD +
           TR_LIMIT_HTTP_CHUNK_LINE +
           sizeof(((struct tr_http_server *)0)->scratch);
}

static void count_as(struct tr_http_exchange *x, size_t bytes)
{
    x->server->counts.buffered += bytes - x->counted;
    x->counted = bytes;
}

void tr_http_exchange_count(struct tr_http_exchange *x)
{
    size_t held = x->in.held;
    count_as(x, held > TR_HTTP_FIRST_ROOM ? held - TR_HTTP_FIRST_ROOM : 0);
}

struct tr_http_exchange *tr_http_exchange_take(struct tr_http_server *server)
{
    struct tr_http_exchange *x = server->free;
    if (x) {
        server->free = x->next_free;
        server->free_count--;
        tr_http_exchange_count(x);
        return x;
    }
    x = calloc(1, sizeof(*x));
    if (!x)
        return NULL;
    x->server = server;
    tr_http_reader_init(&x->reader, &server->opts.limits);
    tr_buf_init(&x->in, max_input(&x->reader.limits));
    tr_arena_init(&x->arena, TR_LIMIT_HTTP_ARENA);
    return x;
}

void tr_http_exchange_free(struct tr_http_exchange *x)
{
    tr_buf_done(&x->in);
    tr_arena_done(&x->arena);
    free(x);
}

void tr_http_exchange_recycle(struct tr_http_exchange *x)
{
    struct tr_http_server *server = x->server;
    count_as(x, 0); /* what the pool keeps is bounded by itself */
    if (server->free_count >= POOL_COUNT) {
        tr_http_exchange_free(x);
        return;
    }
    if (x->in.held > KEPT_BYTES)
        tr_buf_done(&x->in);
    if (x->arena.held > KEPT_BYTES)
        tr_arena_done(&x->arena);
    tr_buf_clear(&x->in);
    tr_arena_reset(&x->arena);
    tr_http_reader_reset(&x->reader);
    x->conn = NULL;
    x->gone = NULL;
    x->is_judged = x->lacks_body = false;
    x->next_free = server->free;
    server->free = x;
    server->free_count++;
}

void tr_http_exchange_end(struct tr_http_exchange *x, bool keep)
{
    struct tr_http_server *server = x->server;
    assert(server->counts.exchanges > 0);
    server->counts.exchanges--;
    x->gone = NULL;
    if (x->conn)
        tr_http_conn_next(x->conn, keep);
    else
        tr_http_exchange_recycle(x);
    tr_http_server_check(server);
}

void tr_http_exchange_tell_gone(struct tr_http_exchange *x)
{
    tr_http_gone_fn *gone = x->gone;
    x->gone = NULL;
    if (gone)
        gone(x, x->gone_data);
}

const struct tr_http_request *
tr_http_exchange_request(const struct tr_http_exchange *x)
{
    return &x->request;
}

void tr_http_exchange_leave(struct tr_http_exchange *x, const void *found)
{
    x->found = found;
}

const void *tr_http_exchange_left(const struct tr_http_exchange *x)
{
    return x->found;
}

void tr_http_exchange_share(struct tr_http_exchange *x, tr_str headers)
{
    x->shared = headers;
}

struct tr_loop *tr_http_exchange_loop(const struct tr_http_exchange *x)
{
    return x->server->loop;
}

bool tr_http_exchange_is_local(const struct tr_http_exchange *x)
{
    return x->conn && tr_net_stream_is_local(x->conn->stream);
}

void tr_http_exchange_take_report(struct tr_http_exchange *x)
{
    x->is_reported = true;
}

void tr_http_exchange_report(struct tr_http_exchange *x, int status,
                             size_t bytes)
{
    struct tr_http_server *server = x->server;
    server->counts.responses[status / 100 % 6]++;
    if (x->is_reported || !server->opts.report)
        return;
    x->is_reported = true;
    const struct tr_http_report report = {
        .method = x->request.method,
        .path = x->request.path,
        .status = status,
        .micros = (tr_time_ticks_ns() - x->started_ns) / 1000,
        .bytes = bytes,
    };
    server->opts.report(server->app, &report);
}

void tr_http_exchange_on_gone(struct tr_http_exchange *x, tr_http_gone_fn *fn,
                              void *data)
{
    x->gone = fn;
    x->gone_data = data;
}

/* Bytes behind the request belong to the next one: they go in front. */
static void save_rest(struct tr_http_exchange *x)
{
    struct tr_http_conn *conn = x->conn;
    tr_str rest = tr_str_skip(tr_buf_str(&x->in), x->reader.at);
    if (!conn || rest.len == 0)
        return;
    struct tr_buf both;
    tr_buf_init(&both, conn->ahead.max + x->in.max);
    tr_buf_put(&both, rest);
    tr_buf_put(&both, tr_buf_str(&conn->ahead));
    if (both.failed) {
        tr_buf_done(&both);
        conn->ended = true; /* what it sends from now on is not read */
        return;
    }
    tr_buf_done(&conn->ahead);
    both.max = conn->ahead.max > both.held ? conn->ahead.max : both.held;
    conn->ahead = both;
}

void tr_http_exchange_forget(struct tr_http_exchange *x)
{
    save_rest(x);
    tr_buf_done(&x->in);
    tr_http_exchange_count(x);
    tr_arena_done(&x->arena);
    x->reader.at = 0;
    x->request = (struct tr_http_request){.minor = x->request.minor,
                                          .keep_alive = x->request.keep_alive};
}

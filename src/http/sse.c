#include "http/sse.h"

#include "http/conn.h"
#include "loop/loop.h"
#include "net/stream.h"

/* Memory that is kept for putting events together. */
#define KEPT_BYTES TR_KIB(64)

/* A send of so much does not wait for the end of the turn. */
#define LARGE_BYTES TR_KIB(4)

static void put_stream_head(struct tr_http_exchange *x, struct tr_buf *head,
                            bool keep)
{
    tr_http_put_head(x, head, 200, keep);
    tr_buf_put(head, TR_STR("Content-Type: text/event-stream\r\n"
                            "Cache-Control: no-cache, no-transform\r\n"
                            "X-Accel-Buffering: no\r\n"));
    if (x->sse.is_chunked)
        tr_buf_put(head, TR_STR("Transfer-Encoding: chunked\r\n"));
}

struct tr_http_sse *tr_http_sse_open(struct tr_http_exchange *x,
                                     const tr_http_field *fields, size_t count)
{
    char storage[TR_LIMIT_HTTP_RESPONSE_HEAD];
    struct tr_buf head;
    struct tr_http_sse *sse = &x->sse;
    *sse = (struct tr_http_sse){
        .x = x,
        .sent_ms = tr_loop_now_ms(x->server->loop),
        .is_chunked = x->request.minor >= 1,
        .is_mute = tr_str_eq(x->request.method, TR_STR("HEAD")),
    };
    tr_http_exchange_report(x, x->conn ? 200 : 499, 0);
    if (!x->conn)
        return sse;
    x->conn->phase = TR_HTTP_CONN_STREAMING;
    x->request.keep_alive = tr_http_keeps_alive(x) && sse->is_chunked;
    tr_buf_init_fixed(&head, storage, sizeof(storage));
    put_stream_head(x, &head, x->request.keep_alive);
    bool good = tr_http_put_fields(&head, fields, count);
    tr_buf_put(&head, TR_STR("\r\n"));
    const tr_str all = tr_buf_str(&head);
    /* Without a connection, sends fail with TR_E_CANCELLED. */
    if (!good || head.failed || x->conn->ended ||
        tr_net_stream_write(x->conn->stream, &all, 1, NULL) != TR_OK)
        tr_http_conn_close(x->conn);
    return sse;
}

/* The line before a chunk, put together at the end of `storage`. */
static tr_str chunk_line(char storage[20], size_t size)
{
    size_t at = 18;
    storage[18] = '\r';
    storage[19] = '\n';
    do
        storage[--at] = "0123456789abcdef"[size & 15];
    while (size >>= 4);
    return (tr_str){storage + at, 20 - at};
}

/*
 * RFC 9112, section 7.1: each send is one chunk. A large one goes to the system
 * now: a turn that tells thousands of streams much would hold it all.
 */
static tr_status send_chunk(struct tr_http_sse *sse, tr_str text,
                            struct tr_err *err)
{
    char storage[20];
    struct tr_net_stream *stream = sse->x->conn->stream;
    const tr_str parts[3] = {chunk_line(storage, text.len), text,
                             TR_STR("\r\n")};
    const tr_str *first = sse->is_chunked ? parts : &text;
    size_t count = sse->is_chunked ? TR_LEN(parts) : 1;
    if (text.len < LARGE_BYTES)
        return tr_net_stream_write(stream, first, count, err);
    tr_net_stream_push(stream); /* what stands before it */
    return tr_net_stream_send(stream, first, count, err);
}

/*
 * Only what waits counts, not what is to be sent: an event of any size goes to
 * a peer that has taken those before it. What this turn has queued is first
 * offered to the system.
 */
static bool is_behind(const struct tr_http_exchange *x)
{
    struct tr_net_stream *stream = x->conn->stream;
    size_t max = x->server->opts.max_sse_bytes;
    if (tr_net_stream_queued(stream) <= max)
        return false;
    tr_net_stream_push(stream);
    return tr_net_stream_queued(stream) > max;
}

tr_status tr_http_sse_send_raw(struct tr_http_sse *sse, tr_str text,
                               struct tr_err *err)
{
    struct tr_http_exchange *x = sse->x;
    if (!x->conn)
        return tr_fail(err, TR_E_CANCELLED, "the peer has gone");
    if (sse->is_mute || text.len == 0)
        return TR_OK;
    sse->sent_ms = tr_loop_now_ms(x->server->loop);
    if (is_behind(x)) {
        size_t queued = tr_net_stream_queued(x->conn->stream);
        tr_http_conn_close(x->conn);
        return tr_fail(err, TR_E_LIMIT, "the peer leaves %zu bytes unread",
                       queued);
    }
    tr_status st = send_chunk(sse, text, err);
    if (st != TR_OK)
        tr_http_conn_close(x->conn);
    return st;
}

/* Each line of the data is a field of its own; CR, LF and CRLF end lines. */
static void put_data(struct tr_buf *out, tr_str data)
{
    for (;;) {
        size_t len = 0;
        while (len < data.len && data.ptr[len] != '\n' && data.ptr[len] != '\r')
            len++;
        tr_buf_put(out, TR_STR("data: "));
        tr_buf_put(out, (tr_str){data.ptr, len});
        tr_buf_putc(out, '\n');
        if (len == data.len)
            return;
        bool both = data.ptr[len] == '\r' && len + 1 < data.len &&
                    data.ptr[len + 1] == '\n';
        data = tr_str_skip(data, len + (both ? 2 : 1));
    }
}

/* A line end would end the field: what follows it is not sent. */
static void put_line(struct tr_buf *out, tr_str name, tr_str value)
{
    size_t len = 0;
    while (len < value.len && value.ptr[len] != '\n' &&
           value.ptr[len] != '\r' && value.ptr[len] != '\0')
        len++;
    tr_buf_put(out, name);
    tr_buf_put(out, (tr_str){value.ptr, len});
    tr_buf_putc(out, '\n');
}

static void put_event(struct tr_buf *out, tr_str event, tr_str id, tr_str data)
{
    if (event.len)
        put_line(out, TR_STR("event: "), event);
    if (id.len)
        put_line(out, TR_STR("id: "), id);
    put_data(out, data);
    tr_buf_putc(out, '\n');
}

/* Sends what was put together in the server's buffer. */
static tr_status send_event(struct tr_http_sse *sse, struct tr_err *err)
{
    struct tr_buf *event = &sse->x->server->event;
    tr_status st = tr_buf_check(event, err);
    if (st == TR_OK)
        st = tr_http_sse_send_raw(sse, tr_buf_str(event), err);
    else if (sse->x->conn)
        tr_http_conn_close(sse->x->conn);
    if (event->held > KEPT_BYTES)
        tr_buf_done(event);
    return st;
}

tr_status tr_http_sse_send(struct tr_http_sse *sse, tr_str event, tr_str id,
                           tr_str data, struct tr_err *err)
{
    struct tr_buf *out = &sse->x->server->event;
    tr_buf_clear(out);
    put_event(out, event, id, data);
    return send_event(sse, err);
}

tr_status tr_http_sse_comment(struct tr_http_sse *sse, tr_str text,
                              struct tr_err *err)
{
    struct tr_buf *out = &sse->x->server->event;
    tr_buf_clear(out);
    put_line(out, TR_STR(":"), text);
    tr_buf_putc(out, '\n');
    return send_event(sse, err);
}

size_t tr_http_sse_queued(const struct tr_http_sse *sse)
{
    return sse->x->conn ? tr_net_stream_queued(sse->x->conn->stream) : 0;
}

void tr_http_sse_close(struct tr_http_sse *sse)
{
    struct tr_http_exchange *x = sse->x;
    const tr_str last = TR_STR("0\r\n\r\n");
    if (x->conn && sse->is_chunked && !sse->is_mute &&
        tr_net_stream_write(x->conn->stream, &last, 1, NULL) != TR_OK)
        tr_http_conn_close(x->conn);
    tr_http_exchange_end(x, x->request.keep_alive && tr_http_keeps_alive(x));
}

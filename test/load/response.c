/*
 * load/response.c - responses and events as they must be; what is not, is a
 * fault of the server.
 */
#include "load/client.h"

#include <strings.h>

#define LINE_MAX_BYTES 32768

/* The line at `from` without its end; false when it is not all there. */
static bool cut_line(const struct tr_buf *in, size_t from, tr_str *out)
{
    tr_str rest = tr_str_skip(tr_buf_str(in), from);
    const char *end = rest.len ? memmem(rest.ptr, rest.len, "\r\n", 2) : NULL;
    if (!end)
        return false;
    *out = (tr_str){rest.ptr, (size_t)(end - rest.ptr)};
    return true;
}

static void drop(struct tr_buf *buf, size_t count)
{
    buf->len -= count;
    if (buf->len)
        memmove(buf->ptr, buf->ptr + count, buf->len);
    else
        tr_buf_done(buf);
}

static bool wrong(struct load_conn *conn, const char *what)
{
    load_fail(conn->load, "%s: %.*s", what,
              (int)(conn->in.len < 200 ? conn->in.len : 200), conn->in.ptr);
    return false;
}

static bool is_named(tr_str name, const char *wanted)
{
    return name.len == strlen(wanted) &&
           strncasecmp(name.ptr, wanted, name.len) == 0;
}

struct head {
    bool has_length;
    bool is_chunked;
};

static void take_field(struct load_conn *conn, tr_str line, struct head *head)
{
    tr_str name;
    tr_str value;
    if (!tr_str_cut(line, ':', &name, &value))
        return;
    value = tr_str_trim(value);
    if (is_named(name, "Content-Length")) {
        conn->left = strtoul(value.ptr, NULL, 10);
        head->has_length = true;
    } else if (is_named(name, "Transfer-Encoding")) {
        head->is_chunked = true;
    } else if (is_named(name, "Content-Type")) {
        conn->is_stream = tr_str_starts(value, TR_STR("text/event-stream"));
    } else if (is_named(name, "Mcp-Session-Id")) {
        (void)snprintf(conn->session, sizeof(conn->session), "%.*s",
                       TR_FMT(value));
    }
}

/* 1 when the head was read, 0 when it is not all there, -1 when it is wrong. */
static int read_head(struct load_conn *conn)
{
    struct head head = {0};
    tr_str line;
    size_t at = 0;
    if (!conn->in.len || !memmem(conn->in.ptr, conn->in.len, "\r\n\r\n", 4))
        return conn->in.len > LINE_MAX_BYTES ? -1 : 0;
    if (!conn->is_pending || !cut_line(&conn->in, 0, &line) ||
        !tr_str_starts(line, TR_STR("HTTP/1.1 ")))
        return -1;
    conn->status = (int)strtol(line.ptr + 9, NULL, 10);
    conn->is_stream = false;
    conn->left = 0;
    for (at = line.len + 2; cut_line(&conn->in, at, &line) && line.len;
         at += line.len + 2)
        take_field(conn, line, &head);
    drop(&conn->in, at + 2);
    if (head.is_chunked == head.has_length && conn->status != 204 &&
        conn->status != 100)
        return -1;
    conn->phase = head.is_chunked ? LOAD_CHUNK_SIZE : LOAD_BODY;
    return 1;
}

static void take_line(struct load_event *event, tr_str line, struct tr_buf *all)
{
    if (tr_str_starts(line, TR_STR("event: "))) {
        event->name = tr_str_skip(line, 7);
    } else if (tr_str_starts(line, TR_STR("id: "))) {
        event->id = tr_str_skip(line, 4);
        event->has_id = true;
    } else if (tr_str_starts(line, TR_STR("data:"))) {
        tr_str data = tr_str_skip(line, 5);
        if (event->data.ptr)
            tr_buf_putc(all, '\n');
        else
            event->data = TR_STR(""); /* seen */
        tr_buf_put(all, tr_str_starts(data, TR_STR(" ")) ? tr_str_skip(data, 1)
                                                         : data);
    }
}

/* The transport of 2024-11-05 tells its session in the first event. */
static void judge_event(struct load_conn *conn, const struct load_event *event)
{
    static const tr_str mark = TR_STR_INIT("sessionId=");
    if (tr_str_eq(event->name, TR_STR("endpoint"))) {
        const char *at =
            memmem(event->data.ptr, event->data.len, mark.ptr, mark.len);
        if (at)
            load_talk(conn,
                      tr_str_skip(event->data,
                                  (size_t)(at - event->data.ptr) + mark.len));
    } else if (conn->load->judge && event->data.len) {
        conn->load->judge(conn, false, event->id, event->data);
    }
}

static void judge_body(struct load_conn *conn)
{
    if (conn->load->judge && conn->text.len)
        conn->load->judge(conn, false, TR_STR(""), tr_buf_str(&conn->text));
}

/* One event, without the empty line; comments have no data and are none. */
static void take_event(struct load_conn *conn, tr_str lines)
{
    struct load_event event = {0};
    struct tr_buf data;
    tr_str line;
    tr_buf_init(&data, (size_t)64 << 20);
    while (tr_str_cut(lines, '\n', &line, &lines))
        take_line(&event, line, &data);
    if (event.data.ptr) {
        event.data = tr_buf_str(&data);
        if (!event.data.ptr)
            event.data = TR_STR("");
        conn->events++;
        judge_event(conn, &event);
        if (conn->ops->on_event)
            conn->ops->on_event(conn, &event);
    }
    tr_buf_done(&data);
}

static void take_events(struct load_conn *conn)
{
    size_t at = 0;
    while (!conn->is_dead) {
        tr_str rest = tr_str_skip(tr_buf_str(&conn->text), at);
        const char *end =
            rest.len ? memmem(rest.ptr, rest.len, "\n\n", 2) : NULL;
        if (!end)
            break;
        size_t len = (size_t)(end - rest.ptr) + 1;
        take_event(conn, (tr_str){rest.ptr, len});
        at += len + 1;
    }
    if (!conn->is_dead && at)
        drop(&conn->text, at);
}

/* Moves what is there of the body to `text`. */
static void take_bytes(struct load_conn *conn)
{
    size_t count = conn->left < conn->in.len ? conn->left : conn->in.len;
    tr_buf_put(&conn->text, (tr_str){conn->in.ptr, count});
    conn->left -= count;
    drop(&conn->in, count);
    if (conn->is_stream)
        take_events(conn);
}

static void end_response(struct load_conn *conn)
{
    conn->phase = LOAD_HEAD;
    if (conn->status == 100)
        return;
    conn->is_pending = false;
    if (conn->is_stream && conn->text.len) {
        (void)wrong(conn, "a stream ends within an event");
    } else if (conn->is_stream) {
        if (conn->ops->on_end)
            conn->ops->on_end(conn);
    } else {
        judge_body(conn);
        if (conn->ops->on_body)
            conn->ops->on_body(conn, tr_buf_str(&conn->text));
    }
    if (!conn->is_dead)
        tr_buf_done(&conn->text);
}

static int read_chunk_size(struct load_conn *conn)
{
    tr_str line;
    char *end = NULL;
    if (!cut_line(&conn->in, 0, &line))
        return conn->in.len > LINE_MAX_BYTES ? -1 : 0;
    conn->left = strtoul(line.ptr, &end, 16);
    if (end != line.ptr + line.len || line.len == 0)
        return -1;
    drop(&conn->in, line.len + 2);
    conn->phase = conn->left ? LOAD_CHUNK : LOAD_LAST_LINE;
    return 1;
}

static int read_line_end(struct load_conn *conn)
{
    if (conn->in.len < 2)
        return 0;
    if (memcmp(conn->in.ptr, "\r\n", 2) != 0)
        return -1;
    drop(&conn->in, 2);
    if (conn->phase == LOAD_LAST_LINE)
        end_response(conn);
    else
        conn->phase = LOAD_CHUNK_SIZE;
    return 1;
}

static int read_body(struct load_conn *conn)
{
    if (conn->left && conn->in.len == 0)
        return 0;
    take_bytes(conn);
    if (conn->is_dead || conn->left)
        return 1;
    if (conn->phase == LOAD_BODY)
        end_response(conn);
    else
        conn->phase = LOAD_CHUNK_END;
    return 1;
}

static int step(struct load_conn *conn)
{
    switch (conn->phase) {
    case LOAD_HEAD:
        return read_head(conn);
    case LOAD_BODY:
    case LOAD_CHUNK:
        return read_body(conn);
    case LOAD_CHUNK_SIZE:
        return read_chunk_size(conn);
    case LOAD_CHUNK_END:
    case LOAD_LAST_LINE:
        return read_line_end(conn);
    }
    return -1;
}

bool load_read_response(struct load_conn *conn)
{
    int went = 1;
    while (went == 1 && !conn->is_dead)
        went = step(conn);
    return went >= 0 || wrong(conn, "not a response");
}

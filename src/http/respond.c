#include "base/time.h"
#include "http/bytes.h"
#include "http/conn.h"
#include "loop/loop.h"
#include "net/stream.h"

#include <assert.h>

const char *tr_http_phrase(int status)
{
    static const struct {
        int status;
        const char *phrase;
    } phrases[] = {
        {200, "OK"},
        {201, "Created"},
        {202, "Accepted"},
        {204, "No Content"},
        {301, "Moved Permanently"},
        {302, "Found"},
        {303, "See Other"},
        {304, "Not Modified"},
        {307, "Temporary Redirect"},
        {308, "Permanent Redirect"},
        {400, "Bad Request"},
        {401, "Unauthorized"},
        {403, "Forbidden"},
        {404, "Not Found"},
        {405, "Method Not Allowed"},
        {406, "Not Acceptable"},
        {408, "Request Timeout"},
        {409, "Conflict"},
        {410, "Gone"},
        {411, "Length Required"},
        {412, "Precondition Failed"},
        {413, "Content Too Large"},
        {414, "URI Too Long"},
        {415, "Unsupported Media Type"},
        {417, "Expectation Failed"},
        {422, "Unprocessable Content"},
        {428, "Precondition Required"},
        {429, "Too Many Requests"},
        {431, "Request Header Fields Too Large"},
        {500, "Internal Server Error"},
        {501, "Not Implemented"},
        {502, "Bad Gateway"},
        {503, "Service Unavailable"},
        {504, "Gateway Timeout"},
        {505, "HTTP Version Not Supported"},
        {507, "Insufficient Storage"},
    };
    for (size_t i = 0; i < TR_LEN(phrases); i++) {
        if (phrases[i].status == status)
            return phrases[i].phrase;
    }
    return "";
}

/* RFC 9110, section 5.6.7: IMF-fixdate; made once a second. */
static tr_str date_now(struct tr_http_server *server)
{
    static const char days[] = "ThuFriSatSunMonTueWed"; /* day 0: a Thursday */
    static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    uint64_t second = tr_loop_now_ms(server->loop) / 1000 + 1;
    if (second != server->date_second) {
        int64_t now = tr_loop_wall(server->loop).seconds;
        int64_t day = now / 86400;
        int of_day = (int)(now % 86400);
        tr_date date = tr_date_of_days(day);
        (void)snprintf(server->date, sizeof(server->date),
                       "%.3s, %02d %.3s %04d %02d:%02d:%02d GMT",
                       days + day % 7 * 3, date.day,
                       months + (ptrdiff_t)(date.month - 1) * 3, date.year,
                       of_day / 3600, of_day / 60 % 60, of_day % 60);
        server->date_second = second;
    }
    return (tr_str){server->date, 29};
}

static bool has_more_input(const struct tr_http_exchange *x)
{
    return x->in.len > x->reader.at || x->conn->ahead.len > 0;
}

bool tr_http_keeps_alive(const struct tr_http_exchange *x)
{
    return x->request.keep_alive && !x->lacks_body && !x->server->closing &&
           x->conn && (!x->conn->ended || has_more_input(x));
}

static void put_field(struct tr_buf *head, tr_str name, tr_str value)
{
    tr_buf_put(head, name);
    tr_buf_put(head, TR_STR(": "));
    tr_buf_put(head, value);
    tr_buf_put(head, TR_STR("\r\n"));
}

/* What lets a page of another origin read a response: the Fetch standard, CORS
 * protocol. */
static void put_shared(const struct tr_http_exchange *x, struct tr_buf *head)
{
    put_field(head, TR_STR("Access-Control-Allow-Origin"),
              tr_http_header(&x->request, TR_STR("Origin")));
    put_field(head, TR_STR("Access-Control-Expose-Headers"), x->shared);
    put_field(head, TR_STR("Vary"), TR_STR("Origin"));
}

void tr_http_put_head(struct tr_http_exchange *x, struct tr_buf *head,
                      int status, bool keep)
{
    tr_buf_put(head, TR_STR("HTTP/1.1 "));
    tr_buf_put_i64(head, status);
    tr_buf_putc(head, ' ');
    tr_buf_put(head, tr_str_from(tr_http_phrase(status)));
    tr_buf_put(head, TR_STR("\r\nDate: "));
    tr_buf_put(head, date_now(x->server));
    tr_buf_put(head, TR_STR("\r\n"));
    if (!keep)
        tr_buf_put(head, TR_STR("Connection: close\r\n"));
    else if (x->request.minor == 0)
        tr_buf_put(head, TR_STR("Connection: keep-alive\r\n"));
    if (x->is_judged && x->shared.len)
        put_shared(x, head);
}

bool tr_http_put_fields(struct tr_buf *head, const tr_http_field *fields,
                        size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (fields[i].name.len == 0 ||
            !tr_http_all(fields[i].name, TR_HTTP_TOKEN) ||
            !tr_http_all(fields[i].value, TR_HTTP_VALUE))
            return false;
        put_field(head, fields[i].name, fields[i].value);
    }
    return head->failed == TR_OK;
}

/* RFC 9110, section 8.6: responses without a body, and without its length. */
static bool has_length(int status)
{
    return status >= 200 && status != 204 && status != 304;
}

static bool put_response(struct tr_http_exchange *x, struct tr_buf *head,
                         int status, bool keep, size_t body_len)
{
    tr_http_put_head(x, head, status, keep);
    if (has_length(status)) {
        tr_buf_put(head, TR_STR("Content-Length: "));
        tr_buf_put_i64(head, (int64_t)body_len);
        tr_buf_put(head, TR_STR("\r\n"));
    }
    return head->failed == TR_OK;
}

/*
 * A response goes out now, unless the next request is here already: then their
 * responses go out together, at the end of the turn.
 */
static tr_status send_parts(struct tr_http_exchange *x, const tr_str *parts,
                            size_t count)
{
    struct tr_http_conn *conn = x->conn;
    return has_more_input(x)
               ? tr_net_stream_write(conn->stream, parts, count, NULL)
               : tr_net_stream_send(conn->stream, parts, count, NULL);
}

static void send_failure(struct tr_http_exchange *x)
{
    char storage[TR_LIMIT_HTTP_RESPONSE_HEAD];
    struct tr_buf head;
    tr_buf_init_fixed(&head, storage, sizeof(storage));
    (void)put_response(x, &head, 500, false, 0);
    tr_buf_put(&head, TR_STR("\r\n"));
    const tr_str all = tr_buf_str(&head);
    if (head.failed ||
        tr_net_stream_send(x->conn->stream, &all, 1, NULL) != TR_OK)
        tr_http_conn_close(x->conn);
    tr_http_exchange_report(x, x->conn ? 500 : 499, 0);
    tr_http_exchange_end(x, false);
}

static size_t length_of(struct tr_http_body body)
{
    size_t len = 0;
    assert(body.count <= TR_HTTP_PIECES);
    for (size_t i = 0; i < body.count; i++)
        len += body.pieces[i].len;
    return len;
}

void tr_http_respond(struct tr_http_exchange *x, int status,
                     const tr_http_field *fields, size_t count, tr_str body)
{
    tr_http_respond_pieces(x, status, fields, count,
                           (struct tr_http_body){&body, 1});
}

void tr_http_respond_pieces(struct tr_http_exchange *x, int status,
                            const tr_http_field *fields, size_t count,
                            struct tr_http_body body)
{
    char storage[TR_LIMIT_HTTP_RESPONSE_HEAD];
    struct tr_buf head;
    if (!x->conn) {
        tr_http_exchange_report(x, 499, 0);
        tr_http_exchange_end(x, false);
        return;
    }
    bool keep = tr_http_keeps_alive(x);
    size_t len = length_of(body);
    bool with_body = has_length(status) && len > 0 &&
                     !tr_str_eq(x->request.method, TR_STR("HEAD"));
    tr_buf_init_fixed(&head, storage, sizeof(storage));
    bool good = put_response(x, &head, status, keep, len) &&
                tr_http_put_fields(&head, fields, count);
    tr_buf_put(&head, TR_STR("\r\n"));
    tr_str parts[1 + TR_HTTP_PIECES] = {tr_buf_str(&head)};
    for (size_t i = 0; i < body.count; i++)
        parts[1 + i] = body.pieces[i];
    tr_status st = TR_E_INVALID;
    if (good && head.failed == TR_OK)
        st = send_parts(x, parts, with_body ? 1 + body.count : 1);
    if (st != TR_OK) {
        send_failure(x);
        return;
    }
    tr_http_exchange_report(x, status, with_body ? len : 0);
    tr_http_exchange_end(x, keep);
}

void tr_http_respond_text(struct tr_http_exchange *x, int status,
                          const char *text)
{
    const tr_http_field type = {TR_STR("Content-Type"),
                                TR_STR("text/plain; charset=utf-8")};
    tr_http_respond(x, status, &type, 1,
                    tr_str_from(text ? text : tr_http_phrase(status)));
}

void tr_http_refuse_conn(struct tr_http_conn *conn, int status, const char *why)
{
    char storage[TR_LIMIT_HTTP_RESPONSE_HEAD];
    struct tr_buf text;
    struct tr_http_exchange *x = conn->x;
    size_t len = strlen(why) + 1;
    tr_buf_init_fixed(&text, storage, sizeof(storage));
    if (x->is_judged) /* then its head was read well */
        tr_http_reader_request(&x->reader, x->in.ptr, &x->request);
    else
        x->request = (struct tr_http_request){.minor = 1};
    x->is_reported = false;
    x->started_ns = tr_time_ticks_ns();
    tr_http_exchange_report(x, status, len);
    (void)put_response(x, &text, status, false, len);
    put_field(&text, TR_STR("Content-Type"),
              TR_STR("text/plain; charset=utf-8"));
    if (status == 503)
        put_field(&text, TR_STR("Retry-After"), TR_STR("1"));
    tr_buf_put(&text, TR_STR("\r\n"));
    tr_buf_put(&text, tr_str_from(why));
    tr_buf_putc(&text, '\n');
    const tr_str all = tr_buf_str(&text);
    if (text.failed || tr_net_stream_send(conn->stream, &all, 1, NULL) != TR_OK)
        tr_http_conn_close(conn);
    else
        tr_http_conn_next(conn, false);
}

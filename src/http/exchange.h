/*
 * http/exchange.h - one request and its response.
 *
 * A handler gets the exchange and must end it exactly once, now or later, on
 * the same loop: with tr_http_respond, or with tr_http_sse_open and
 * tr_http_sse_close. Until then it stays valid, also when the peer has gone;
 * afterwards it is not. The requests of one connection are handled one after
 * the other, so responses keep their order. Not thread-safe.
 */
#ifndef TR_HTTP_EXCHANGE_H
#define TR_HTTP_EXCHANGE_H

#include "base/arena.h"
#include "base/str.h"

/* A header line of a request or a response. */
typedef struct tr_http_field {
    tr_str name;
    tr_str value; /* without white space at its ends */
} tr_http_field;

/* Where a header line stands; offsets, because buffers move while they grow. */
struct tr_http_span {
    uint32_t name;
    uint32_t name_len;
    uint32_t value;
    uint32_t value_len;
};

/*
 * A request that was read completely; for a judge, its head. All views point
 * into the bytes it was read from and live as long as those: for a handler,
 * until it ends its exchange or forgets the request.
 */
struct tr_http_request {
    tr_str method; /* as sent: methods are case-sensitive */
    tr_str target; /* the whole request target */
    tr_str path;   /* starts with '/', not decoded; "*" for OPTIONS */
    tr_str query;  /* what follows '?', without it */
    tr_str host;   /* authority of an absolute target, else the Host header */
    tr_str body;   /* without its transfer coding */
    int minor;     /* 0 or 1: HTTP/1.0 or HTTP/1.1 */
    bool keep_alive;
    bool has_body; /* one was announced, and is not empty */
    size_t header_count;
    const char *bytes;
    const struct tr_http_span *spans;
};

/* The header line `i`, in the order in which they were sent. */
static inline tr_http_field
tr_http_header_at(const struct tr_http_request *request, size_t i)
{
    const struct tr_http_span *span = &request->spans[i];
    return (tr_http_field){
        .name = {request->bytes + span->name, span->name_len},
        .value = {request->bytes + span->value, span->value_len},
    };
}

/* The first header of this name, which is compared without case. */
bool tr_http_header_find(const struct tr_http_request *request, tr_str name,
                         tr_str *out);

/* As tr_http_header_find; the empty view when it is absent. */
tr_str tr_http_header(const struct tr_http_request *request, tr_str name);

/* Compares texts of one length without case, for ASCII letters. */
bool tr_http_same_letters(const char *a, const char *b, size_t len);

static inline bool tr_http_same_name(tr_str a, tr_str b)
{
    return a.len == b.len && tr_http_same_letters(a.ptr, b.ptr, a.len);
}

struct tr_http_exchange;
struct tr_loop;

typedef void tr_http_handler_fn(struct tr_http_exchange *x, void *app);

/*
 * Is asked about every request once, when its head is there and before its body
 * is read: whether the handler shall have it. If not, the judge has ended the
 * exchange; where a body was announced, the connection ends with that response.
 */
typedef bool tr_http_judge_fn(struct tr_http_exchange *x, void *app);

/* The peer has gone: nobody waits for the response any more. */
typedef void tr_http_gone_fn(struct tr_http_exchange *x, void *data);

/* Borrowed, as everything in it, until the exchange ends or forgets it. */
const struct tr_http_request *
tr_http_exchange_request(const struct tr_http_exchange *x);

/*
 * What a judge has found and leaves for the handler; borrowed. It is NULL again
 * for a handler that had to wait for the body: whatever the judge was told may
 * have changed since.
 */
void tr_http_exchange_leave(struct tr_http_exchange *x, const void *found);
const void *tr_http_exchange_left(const struct tr_http_exchange *x);

/*
 * The page that sent it, which Origin names, may read what is answered, and
 * these headers of it: every response from now on says so, errors included
 * (CORS). For a judge; `headers` is not empty, and static.
 */
void tr_http_exchange_share(struct tr_http_exchange *x, tr_str headers);

/* The loop it lives on. */
struct tr_loop *tr_http_exchange_loop(const struct tr_http_exchange *x);

/*
 * Has `fn` called once when the peer closes or resets its connection from now
 * on and before the exchange has ended. The exchange must still be ended: a
 * peer that has only finished sending gets the response. NULL takes it back.
 */
void tr_http_exchange_on_gone(struct tr_http_exchange *x, tr_http_gone_fn *fn,
                              void *data);

/* The handler will report on it: the server's `report` is not called. */
void tr_http_exchange_take_report(struct tr_http_exchange *x);

/* Whether the peer is on this machine, as far as its address tells. */
bool tr_http_exchange_is_local(const struct tr_http_exchange *x);

/*
 * Releases the bytes of the request and the arena before the exchange ends: for
 * streams that stay open for long.
 */
void tr_http_exchange_forget(struct tr_http_exchange *x);

/*
 * Sends a whole response and ends the exchange. Content-Length, Date and
 * Connection are added; a response to HEAD, and status 204 and 304, go without
 * body. Everything passed is borrowed for this call only. A field that cannot
 * be sent (control characters) makes it a 500.
 */
void tr_http_respond(struct tr_http_exchange *x, int status,
                     const tr_http_field *fields, size_t count, tr_str body);

/* The same with a body in pieces, at most TR_HTTP_PIECES of them. */
#define TR_HTTP_PIECES 4
struct tr_http_body {
    const tr_str *pieces;
    size_t count;
};

void tr_http_respond_pieces(struct tr_http_exchange *x, int status,
                            const tr_http_field *fields, size_t count,
                            struct tr_http_body body);

/* A short plain text as response; NULL takes the phrase of the status. */
void tr_http_respond_text(struct tr_http_exchange *x, int status,
                          const char *text);

/* "Not Found" for 404; "" for a status that has none here. */
const char *tr_http_phrase(int status);

#endif

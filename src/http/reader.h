/*
 * http/reader.h - reads HTTP/1.1 requests (RFC 9112), strictly, piece by piece.
 *
 * Pure: the caller owns the bytes, appends what has arrived and feeds again.
 * The buffer may move between calls. A message is refused with the status of
 * its response; what is not clearly right is wrong: Content-Length twice or
 * beside Transfer-Encoding, folded lines, bare CR or LF, bytes that do not
 * belong.
 */
#ifndef TR_HTTP_READER_H
#define TR_HTTP_READER_H

#include "base/limits.h"
#include "http/exchange.h"

/* A field left zero takes its default from base/limits.h. */
struct tr_http_limits {
    size_t line_bytes;   /* TR_LIMIT_HTTP_LINE */
    size_t head_bytes;   /* TR_LIMIT_HTTP_HEAD */
    size_t headers;      /* TR_LIMIT_HTTP_HEADERS, which is also its maximum */
    uint64_t body_bytes; /* TR_LIMIT_HTTP_BODY */
};

enum tr_http_read {
    TR_HTTP_MORE,    /* the message is not complete */
    TR_HTTP_HEAD,    /* its head is, and a body follows: feed again; once */
    TR_HTTP_READY,   /* it is: tr_http_reader_request */
    TR_HTTP_REFUSED, /* it never will be: see `refused` and `why` */
};

enum tr_http_state {
    TR_HTTP_AT_START,    /* waits for the first byte; one empty line may pass */
    TR_HTTP_AT_LINE,     /* waits for the end of the request line */
    TR_HTTP_AT_FIELD,    /* waits for the end of a header line */
    TR_HTTP_AT_BODY,     /* waits for `need` bytes of body */
    TR_HTTP_AT_CHUNK,    /* waits for the end of a chunk's size line */
    TR_HTTP_AT_DATA,     /* waits for `need` bytes of the chunk */
    TR_HTTP_AT_DATA_END, /* waits for the line end after the chunk */
    TR_HTTP_AT_TRAILER,  /* waits for the end of a trailer line */
    TR_HTTP_AT_END,      /* complete, or refused */
};

struct tr_http_reader {
    struct tr_http_limits limits;
    enum tr_http_state state;
    size_t at;        /* first byte not taken: after the message, when ready */
    size_t scanned;   /* bytes known to hold no end of the current line */
    size_t block_len; /* bytes of the lines of this block that were taken */
    size_t body;      /* where the body begins */
    size_t body_len;
    uint64_t need;
    uint32_t method_len;
    uint32_t target;
    uint32_t target_len;
    int minor;
    bool has_host;
    bool has_length;
    bool is_chunked;
    bool wants_close;
    bool wants_keep_alive;
    bool expects_continue; /* until tr_http_reader_continues returned true */
    int refused;           /* status, 0 when it was not */
    const char *why;       /* one sentence for the peer */
    size_t header_count;
    struct tr_http_span host;
    struct tr_http_span spans[TR_LIMIT_HTTP_HEADERS];
};

/* Makes it ready for a message. `limits` may be NULL. */
void tr_http_reader_init(struct tr_http_reader *reader,
                         const struct tr_http_limits *limits);

/* Makes it ready for the next message, with the same limits. */
void tr_http_reader_reset(struct tr_http_reader *reader);

/*
 * Reads on. `bytes` holds `*len` bytes: what was there after the last call, and
 * what has arrived since. `*len` becomes smaller where the framing of chunks
 * was taken out. After TR_HTTP_READY, bytes from reader->at on are the next
 * message's.
 */
enum tr_http_read tr_http_reader_feed(struct tr_http_reader *reader,
                                      char *bytes, size_t *len);

/* Bytes that are still missing, as far as the reader can say; at least 1. */
size_t tr_http_reader_missing(const struct tr_http_reader *reader, size_t len);

/*
 * Whether the peer waits for "100 Continue" before it sends the body. True once
 * per message, after a feed that returned TR_HTTP_MORE.
 */
bool tr_http_reader_continues(struct tr_http_reader *reader);

/* The request in `bytes`; after TR_HTTP_HEAD, its body is empty. */
void tr_http_reader_request(const struct tr_http_reader *reader,
                            const char *bytes, struct tr_http_request *out);

#endif

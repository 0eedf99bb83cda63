/*
 * http/request.h - one HTTP request that was read completely.
 *
 * All views point into the bytes the request was read from and live as long as
 * those: for a handler, until it ends its exchange or forgets the request.
 */
#ifndef TR_HTTP_REQUEST_H
#define TR_HTTP_REQUEST_H

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

struct tr_http_request {
    tr_str method; /* as sent: methods are case-sensitive */
    tr_str target; /* the whole request target */
    tr_str path;   /* starts with '/', not decoded; "*" for OPTIONS */
    tr_str query;  /* what follows '?', without it */
    tr_str host;   /* authority of an absolute target, else the Host header */
    tr_str body;   /* without its transfer coding */
    int minor;     /* 0 or 1: HTTP/1.0 or HTTP/1.1 */
    bool keep_alive;
    size_t header_count;
    const char *bytes;
    const struct tr_http_span *spans;
};

/* The header line `i`, in the order they were sent. */
tr_http_field tr_http_header_at(const struct tr_http_request *request,
                                size_t i);

/* The first header of this name, which is compared without case. */
bool tr_http_header_find(const struct tr_http_request *request, tr_str name,
                         tr_str *out);

/* As tr_http_header_find; the empty view when it is absent. */
tr_str tr_http_header(const struct tr_http_request *request, tr_str name);

/* Compares without case, for ASCII letters. */
bool tr_http_same_name(tr_str a, tr_str b);

#endif

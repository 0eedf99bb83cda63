/*
 * http/bytes.h - which bytes may stand where (RFC 9110, RFC 9112).
 */
#ifndef TR_HTTP_BYTES_H
#define TR_HTTP_BYTES_H

#include "base/str.h"

enum {
    TR_HTTP_TOKEN = 1,  /* of a method or a field name: tchar */
    TR_HTTP_VALUE = 2,  /* of a field value: visible, space, tab, obs-text */
    TR_HTTP_TARGET = 4, /* of a request target: no space, fragment, non-ASCII */
    TR_HTTP_HOST = 8,   /* of a host with its port */
};

extern const unsigned char tr_http_bytes[256];

static inline bool tr_http_is(char c, unsigned kind)
{
    return (tr_http_bytes[(unsigned char)c] & kind) != 0;
}

/* Whether all bytes are of the kind; true for none. */
static inline bool tr_http_all(tr_str s, unsigned kind)
{
    unsigned char common = (unsigned char)kind;
    for (size_t i = 0; i < s.len; i++)
        common &= tr_http_bytes[(unsigned char)s.ptr[i]];
    return common != 0;
}

#endif

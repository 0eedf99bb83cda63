/*
 * http/origin.h - which web pages may talk to us.
 *
 * A page that resolves its own name to our address (DNS rebinding) says so in
 * Origin and Host: both must name this machine, or be allowed by name
 * (2025-06-18, basic/transports, Security Warning).
 */
#ifndef TR_HTTP_ORIGIN_H
#define TR_HTTP_ORIGIN_H

#include "http/exchange.h"

/* Origins of web pages that are allowed by name. */
struct tr_http_origins {
    const tr_str *items;
    size_t count;
};

/*
 * Whether a header comes twice that may come once: whoever stands in front of
 * us may have looked at the other one. Host is the reader's.
 */
bool tr_http_origin_has_double(const struct tr_http_request *request);

/* Whether Host and Origin, as far as they are there, are local or allowed. */
bool tr_http_origin_is_allowed(const struct tr_http_request *request,
                               const struct tr_http_origins *allowed);

#endif

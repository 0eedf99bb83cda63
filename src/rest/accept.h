/*
 * rest/accept.h - which of several media types a request wants (RFC 9110,
 * 12.5.1).
 */
#ifndef TR_REST_ACCEPT_H
#define TR_REST_ACCEPT_H

#include "http/exchange.h"

/* Types that something can be had in, the one that we prefer first. */
struct tr_rest_offers {
    const tr_str *items;
    size_t count;
};

/*
 * Which of the offers a request wants most: by the weight of the range that is
 * closest to each, then by how close that is, then as we prefer. Without an
 * Accept it is the first. Ranges that are not well-formed count for nothing.
 * False: it wants none of them.
 */
bool tr_rest_accept_choose(const struct tr_http_request *http,
                           struct tr_rest_offers offers, size_t *out);

#endif

/*
 * http/router.h - finds the handler of a path and a method in a table.
 *
 * Paths are compared byte by byte, as sent. A GET route answers HEAD too.
 */
#ifndef TR_HTTP_ROUTER_H
#define TR_HTTP_ROUTER_H

#include "base/buf.h"
#include "http/exchange.h"

struct tr_http_route {
    tr_str method;
    tr_str path;
    tr_http_handler_fn *handler;
};

/* Calls the route's handler with `app`, or answers 404, or 405 with Allow. */
void tr_http_route(const struct tr_http_route *routes, size_t count,
                   struct tr_http_exchange *x, void *app);

#endif

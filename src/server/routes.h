/*
 * server/routes.h - every path that is answered over HTTP.
 */
#ifndef TR_SERVER_ROUTES_H
#define TR_SERVER_ROUTES_H

#include "http/exchange.h"

/* `app` is the loop's struct tr_server_worker. */
tr_http_handler_fn tr_server_route;

#endif

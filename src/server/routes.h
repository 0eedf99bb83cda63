/*
 * server/routes.h - every path that is answered over HTTP.
 */
#ifndef TR_SERVER_ROUTES_H
#define TR_SERVER_ROUTES_H

#include "http/exchange.h"

/*
 * Judges the head of a request, and runs the handler of its route; `app` is the
 * loop's struct tr_server_worker.
 */
tr_http_judge_fn tr_server_judge;
tr_http_handler_fn tr_server_route;

#endif

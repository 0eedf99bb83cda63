/*
 * rest/routes.h - the handlers of all routes, and what is asked of a request
 * before one has it.
 */
#ifndef TR_REST_ROUTES_H
#define TR_REST_ROUTES_H

#include "rest/problem.h"
#include "rest/rest.h"

/* The row of the route that an exchange remembers. */
size_t tr_rest_route_index(const struct tr_http_exchange *x);

/* Who it is from; false: it was answered. */
bool tr_rest_identify(struct tr_http_exchange *x, struct tr_rest *rest,
                      const struct tr_access_authority **out);

/* Answers what no request was made of. */
void tr_rest_refuse(struct tr_http_exchange *x, struct tr_rest *rest,
                    const struct tr_rest_problem *problem);

/* Handlers of routes, each in a file of its own; `app` is struct tr_rest. */
tr_http_handler_fn tr_rest_invoke, tr_rest_kg, tr_rest_shape, tr_rest_doctor;
tr_http_handler_fn tr_rest_manifest, tr_rest_manifest_one, tr_rest_plain,
    tr_rest_openapi, tr_rest_host, tr_rest_card, tr_rest_context;

#endif

/*
 * rest/rest.h - one loop's door over plain HTTP: capabilities to be called,
 * what can be read of the graph, and the views of what the app has.
 *
 * It belongs to its loop's thread. What all loops share is passed in and
 * outlives it.
 */
#ifndef TR_REST_REST_H
#define TR_REST_REST_H

#include "gate/access_log.h"
#include "gate/gate.h"
#include "project/view.h"
#include "runtime/call.h"

struct tr_cap_registry;
struct tr_rest;

/* Tells the clients of all doors, of this loop and others. */
struct tr_rest_tell {
    void (*updated)(void *data, tr_str uri);
    void (*list_changed)(void *data, enum tr_call_list_kind kind);
    void (*ended)(void *data, const struct tr_call *call); /* not released */
    void *data;
};

struct tr_rest_opts {
    struct tr_loop *loop;
    struct tr_cap_registry *registry;
    const struct tr_call_env *env; /* of its calls; NULL: no graph */
    struct tr_loop_log_lines *log; /* for faults and requests, or NULL */
    struct tr_gate gate;           /* who is let in */
    struct tr_rest_tell tell;
    struct tr_project_site site; /* what the server says of itself */
    unsigned max_nesting;
    bool production; /* hides the text of unexpected errors, and dev */
    bool log_access; /* a line per request */
};

TR_NODISCARD tr_status tr_rest_create(const struct tr_rest_opts *opts,
                                      struct tr_rest **out, struct tr_err *err);

/* Whether no request is left to be answered here. */
bool tr_rest_is_idle(const struct tr_rest *rest);

/* Cancels what runs; calls may still end. */
void tr_rest_stop(struct tr_rest *rest);

/* After tr_rest_stop, when no request is left. NULL is allowed. */
void tr_rest_free(struct tr_rest *rest);

/* Whether a path is one of this door. */
bool tr_rest_has_path(const struct tr_rest *rest,
                      const struct tr_http_request *http);

/*
 * Judges the head of a request for such a path, and runs the handler of its
 * route; `app` is the loop's struct tr_rest.
 */
tr_http_judge_fn tr_rest_judge;
tr_http_handler_fn tr_rest_route;

/* The most routes that there can be. */
#define TR_REST_ROUTES 24

/* The counts of one loop, since it began. */
struct tr_rest_counts {
    struct tr_gate_histogram routes[TR_REST_ROUTES];
    struct tr_gate_codes refused; /* by their status */
};

/* Its method and its path; empty where there is no route. */
tr_str tr_rest_route_name(size_t i);

/* What it has counted; borrowed. */
const struct tr_rest_counts *tr_rest_counts(const struct tr_rest *rest);

/* Adds what another loop has counted. */
void tr_rest_counts_add(struct tr_rest_counts *to,
                        const struct tr_rest_counts *from);

/* Calls whose handler has not ended. */
size_t tr_rest_running(const struct tr_rest *rest);

#endif

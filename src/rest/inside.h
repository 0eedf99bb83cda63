/*
 * rest/inside.h - one loop's door, as the files of this folder see it.
 */
#ifndef TR_REST_INSIDE_H
#define TR_REST_INSIDE_H

#include "gate/trace.h"
#include "rest/meter.h"
#include "rest/rest.h"

struct tr_rest_request;

struct tr_rest {
    struct tr_rest_opts opts;
    struct tr_buf out;                /* a body that is being written */
    struct tr_rest_request *requests; /* in work */
    struct tr_rest_request *spare;    /* for reuse */
    size_t spare_count;
    struct tr_gate_traces traces;
    struct tr_rest_counts counts;
    struct tr_rest_measured measured; /* for views */
};

#endif

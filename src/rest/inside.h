/*
 * rest/inside.h - one loop's door, as the files of this folder see it.
 */
#ifndef TR_REST_INSIDE_H
#define TR_REST_INSIDE_H

#include "gate/trace.h"
#include "rest/meter.h"
#include "rest/rest.h"

struct tr_rest_request;

/* W/"..." around a digest. */
#define TR_REST_TAG_BYTES 64

/* The view that was last shown with what is measured in it, as long as that is
 * fresh: `text` is "" where nothing was. */
struct tr_rest_filled {
    enum tr_project_view view;
    uint64_t read_ms; /* when it was measured */
    char tag[TR_REST_TAG_BYTES];
    size_t tag_len; /* 0: there is none */
    struct tr_buf text;
};

struct tr_rest {
    struct tr_rest_opts opts;
    struct tr_buf out;                /* a body that is being written */
    struct tr_rest_request *requests; /* in work */
    struct tr_rest_request *spare;    /* for reuse */
    size_t spare_count;
    struct tr_gate_traces traces;
    struct tr_rest_counts counts;
    struct tr_rest_measured measured; /* for views */
    struct tr_rest_filled filled;
};

#endif

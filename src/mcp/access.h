/*
 * mcp/access.h - what is told of each request when it is done: a line of the
 * log, and counts. Never what it carried: no arguments, no results. Of a fault
 * its text is told too, because in production nobody else is shown it.
 */
#ifndef TR_MCP_ACCESS_H
#define TR_MCP_ACCESS_H

#include "base/err.h"

struct tr_mcp_request;

/* Methods that are told apart, the last standing for all others. */
#define TR_ACCESS_METHODS 21

/* Steps of the histogram, the last without an upper bound. */
#define TR_ACCESS_STEPS 15

/* Error codes that are told apart; the last place counts all others. */
#define TR_ACCESS_CODES 24

struct tr_access_code {
    int code; /* 0: not used, or others */
    uint64_t count;
};

/* Of one loop, since it began. */
struct tr_access_counts {
    uint64_t steps[TR_ACCESS_METHODS][TR_ACCESS_STEPS]; /* not cumulative */
    uint64_t micros[TR_ACCESS_METHODS];
    struct tr_access_code errors[TR_ACCESS_CODES];
};

/* The name of a method; "other" for the last. */
tr_str tr_access_method(size_t i);

/* The upper bounds of all steps but the last, in microseconds. */
extern const uint64_t tr_access_bounds[TR_ACCESS_STEPS - 1];

/* Adds what another loop has counted. */
void tr_access_add(struct tr_access_counts *to,
                   const struct tr_access_counts *from);

/* Tells of a request that is about to be released. */
void tr_access_tell(const struct tr_mcp_request *request);

/* A request fails and nobody foresaw it: says so in the log, and why. */
void tr_access_tell_fault(const struct tr_mcp_request *request,
                          const struct tr_err *err);

#endif

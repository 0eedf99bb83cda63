/*
 * mcp/access_log.h - a line of the log and some counts for each request, when
 * it is done.
 *
 * They never say what a request carried: no arguments, no results. The text of
 * a fault is logged, because in production nobody else is shown it.
 */
#ifndef TR_MCP_ACCESS_LOG_H
#define TR_MCP_ACCESS_LOG_H

#include "base/err.h"

struct tr_call_outcome;
struct tr_mcp_request;

/* Methods that are told apart, the last standing for all others. */
#define TR_MCP_ACCESS_LOG_METHODS 21

/* Steps of the histogram, the last without an upper bound. */
#define TR_MCP_ACCESS_LOG_STEPS 15

/* Error codes that are told apart; the last entry counts all others. */
#define TR_MCP_ACCESS_LOG_CODES 24

struct tr_mcp_access_log_code {
    int code; /* 0: not used, or others */
    uint64_t count;
};

/* The counts of one loop, since it began. */
struct tr_mcp_access_log_counts {
    uint64_t steps[TR_MCP_ACCESS_LOG_METHODS]
                  [TR_MCP_ACCESS_LOG_STEPS]; /* not cumulative */
    uint64_t micros[TR_MCP_ACCESS_LOG_METHODS];
    struct tr_mcp_access_log_code errors[TR_MCP_ACCESS_LOG_CODES];
};

/* The name of a method; "other" for the last. */
tr_str tr_mcp_access_log_method(size_t i);

/* The upper bounds of all steps but the last, in microseconds. */
extern const uint64_t tr_mcp_access_log_bounds[TR_MCP_ACCESS_LOG_STEPS - 1];

/* Adds what another loop has counted. */
void tr_mcp_access_log_add(struct tr_mcp_access_log_counts *to,
                           const struct tr_mcp_access_log_counts *from);

/* Counts and logs a request that is about to be released. */
void tr_mcp_access_log_tell(const struct tr_mcp_request *request);

/* Logs why a request failed, for a failure that nobody foresaw or that an
 * author has to mend. */
void tr_mcp_access_log_tell_fault(const struct tr_mcp_request *request,
                                  const struct tr_call_outcome *failed);

#endif

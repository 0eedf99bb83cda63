/*
 * mcp/access_log.h - what is counted and logged of requests of MCP, by their
 * methods (gate/access_log.h).
 */
#ifndef TR_MCP_ACCESS_LOG_H
#define TR_MCP_ACCESS_LOG_H

#include "gate/access_log.h"

struct tr_call_outcome;
struct tr_mcp_request;

/* Methods that are told apart, the last standing for all others. */
#define TR_MCP_ACCESS_LOG_METHODS 21

/* The counts of one loop, since it began. */
struct tr_mcp_access_log_counts {
    struct tr_gate_histogram methods[TR_MCP_ACCESS_LOG_METHODS];
    struct tr_gate_codes errors; /* of JSON-RPC */
};

/* The name of a method; "other" for the last. */
tr_str tr_mcp_access_log_method(size_t i);

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

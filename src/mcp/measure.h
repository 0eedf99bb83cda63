/*
 * mcp/measure.h - how much there is of everything that one loop serves.
 */
#ifndef TR_MCP_MEASURE_H
#define TR_MCP_MEASURE_H

#include "base/str.h"

struct tr_mcp;

struct tr_mcp_gauges {
    size_t sessions;
    size_t streams;       /* that wait for changes: of sessions, of listen */
    size_t subscriptions; /* resources that they watch */
    size_t running;       /* calls whose handler has not ended */
};

/* On its loop; looks at each of them. */
struct tr_mcp_gauges tr_mcp_measure(const struct tr_mcp *mcp);

#endif

/*
 * mcp/watchable.h - what clients can ask to be told of.
 */
#ifndef TR_MCP_WATCHABLE_H
#define TR_MCP_WATCHABLE_H

#include "base/err.h"
#include "base/str.h"

struct tr_snapshot;

/*
 * An app tells of whatever it likes, so any URI of its own can be watched. Of
 * ours: what is listed, types, and instances under the one URI that changes
 * are told with. TR_E_INVALID for others: a query, a type that is not there.
 */
TR_NODISCARD tr_status tr_watchable_check(const struct tr_snapshot *snapshot,
                                          tr_str uri, struct tr_err *err);

#endif

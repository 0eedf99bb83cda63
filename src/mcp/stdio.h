/*
 * mcp/stdio.h - MCP over standard input and output: one message per line
 * (2025-06-18, basic/transports, stdio).
 */
#ifndef TR_MCP_STDIO_H
#define TR_MCP_STDIO_H

#include "base/err.h"

struct tr_mcp;
struct tr_mcp_stdio;

/* Input has ended, or output is broken: nothing more will come. */
typedef void tr_mcp_stdio_fn(void *data);

/* Starts to serve. `ended` is called once, on the loop. */
TR_NODISCARD tr_status tr_mcp_stdio_open(struct tr_mcp *mcp,
                                         tr_mcp_stdio_fn *ended, void *data,
                                         struct tr_mcp_stdio **out,
                                         struct tr_err *err);

/*
 * Sends what is left and closes; `closed` is called when it is freed, with the
 * data of `ended`. After tr_mcp_stop. NULL is allowed.
 */
void tr_mcp_stdio_close(struct tr_mcp_stdio *stdio, tr_mcp_stdio_fn *closed);

/* After tr_mcp_stdio_close: no longer waits for a host that does not read. */
void tr_mcp_stdio_cut(struct tr_mcp_stdio *stdio);

#endif

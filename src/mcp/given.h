/*
 * mcp/given.h - which activities a caller without a name was told of.
 *
 * Strangers share the empty name, so that nothing else tells whose an activity
 * is. Over stdio the connection remembers them, over HTTP the session; a
 * request of a stateless revision over HTTP has neither.
 */
#ifndef TR_MCP_GIVEN_H
#define TR_MCP_GIVEN_H

#include "mcp/request.h"

/* Where ids are kept for who sends this request; NULL: nowhere. */
struct tr_call_given **tr_mcp_given_of(const struct tr_mcp_request *request);

/* The answer of a call tells these ids. Without memory they are forgotten. */
void tr_mcp_given_note(struct tr_mcp_request *request,
                       const struct tr_call_outcome *outcome);

#endif

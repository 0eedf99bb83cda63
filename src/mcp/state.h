/*
 * mcp/state.h - requestState: what a handler had learnt, kept by the client.
 *
 * It holds the answers so far and the call's journal, which has what the client
 * is not to know: random numbers, results of other capabilities. So it is
 * encrypted and sealed, and bound to the principal, the method, what it names
 * and its arguments (2026-07-28, basic/patterns/mrtr, Server Requirements).
 */
#ifndef TR_MCP_STATE_H
#define TR_MCP_STATE_H

#include "mcp/request.h"

/*
 * Takes up what params.requestState and params.inputResponses bring. Answers
 * the request and returns false when they are not what we gave out.
 */
bool tr_mcp_state_take_up(struct tr_mcp_request *request);

/*
 * Seals what the next round needs: the journal, or the name by which it is kept
 * (runtime/journal.h). TR_E_LIMIT when that is too long.
 */
TR_NODISCARD tr_status tr_mcp_state_seal(struct tr_mcp_request *request,
                                         tr_str kept, tr_str *out,
                                         struct tr_err *err);

/* The journal alone, as text; and for how long a state is good. */
TR_NODISCARD tr_status tr_mcp_state_journal(struct tr_mcp_request *request,
                                            struct tr_buf *out,
                                            struct tr_err *err);
#define TR_MCP_STATE_LIFE_S 3600

#endif

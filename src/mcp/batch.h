/*
 * mcp/batch.h - several messages at once, as revision 2025-03-26 has them
 * (basic, Batching); 2025-06-18 removed them.
 *
 * The answers come together, in one array, when the last of them is there; on
 * a stream of events each comes on its own.
 */
#ifndef TR_MCP_BATCH_H
#define TR_MCP_BATCH_H

#include "mcp/request.h"

/*
 * Takes the content and the sink of the request, and leaves it empty; its
 * messages are those of `session`, or stand alone when it is NULL. Refuses all
 * of them when one is not well-formed or may not be in a batch, or the revision
 * has no batches.
 */
void tr_mcp_batch_take(struct tr_mcp_request *request,
                       struct tr_mcp_session *session,
                       enum tr_mcp_revision revision);

#endif

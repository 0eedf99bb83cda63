/*
 * mcp/modern.h - what a request of a stateless revision must bring in its _meta
 * (2026-07-28, basic, _meta).
 *
 * Each function answers the request with the right error and returns false
 * when something is missing or wrong.
 */
#ifndef TR_MCP_MODERN_H
#define TR_MCP_MODERN_H

#include "mcp/request.h"

struct tr_http_request;

/* The version that params._meta claims; false when it claims none. */
bool tr_mcp_modern_claim(const struct tr_mcp_message *message,
                         const struct tr_json **out);

/*
 * Takes revision, client, log level and progress token from params._meta. The
 * headers of `http` (NULL on stdio) must say the same as the body.
 */
bool tr_mcp_modern_accept(struct tr_mcp_request *request,
                          const struct tr_http_request *http);

/* Answers with an error that names the keys which every request must have. */
void tr_mcp_modern_refuse_missing(struct tr_mcp_request *request);

/* "debug" to "emergency". */
bool tr_mcp_note_level_parse(tr_str name, int *out);
tr_str tr_mcp_note_level_name(enum tr_call_note_level level);

#endif

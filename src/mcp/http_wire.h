/*
 * mcp/http_wire.h - one HTTP exchange: what it brings, and where its answer
 * goes.
 *
 * When the response is the first message it is the body; anything before it
 * makes the exchange a stream of events.
 */
#ifndef TR_MCP_HTTP_WIRE_H
#define TR_MCP_HTTP_WIRE_H

#include "access/authority.h"
#include "http/exchange.h"
#include "mcp/sink.h"

enum tr_mcp_http_verb { TR_MCP_HTTP_POST, TR_MCP_HTTP_GET, TR_MCP_HTTP_DELETE };

/* What the session layer needs to know of an HTTP request. */
struct tr_mcp_http_entry {
    enum tr_mcp_http_verb verb;
    bool has_session;
    bool has_version;
    bool is_modern; /* the version is that of a stateless revision */
    tr_str session; /* Mcp-Session-Id */
    tr_str version; /* MCP-Protocol-Version */
    tr_str resume;  /* Last-Event-ID, or empty */
    tr_str traceparent;
    tr_str body;
    tr_str token;                         /* that came with it, or empty */
    struct tr_access_authority authority; /* of who sends it */
};

/* Takes the exchange, and answers it with 503 when there is no memory: NULL. */
struct tr_mcp_wire *tr_mcp_http_wire_create(struct tr_http_exchange **x);

#endif

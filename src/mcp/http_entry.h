/*
 * mcp/http_entry.h - what the session layer needs to know of an HTTP request.
 */
#ifndef TR_MCP_HTTP_ENTRY_H
#define TR_MCP_HTTP_ENTRY_H

#include "access/authority.h"

enum tr_http_verb { TR_HTTP_POST, TR_HTTP_GET, TR_HTTP_DELETE };

struct tr_http_entry {
    enum tr_http_verb verb;
    bool has_session;
    bool has_version;
    tr_str session; /* Mcp-Session-Id */
    tr_str version; /* MCP-Protocol-Version */
    tr_str resume;  /* Last-Event-ID, or empty */
    tr_str traceparent;
    tr_str body;
    struct tr_authority authority; /* of who sends it */
};

#endif

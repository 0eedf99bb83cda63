/*
 * mcp/found.h - what stands behind a URI: a resource, a template, or nothing.
 */
#ifndef TR_MCP_FOUND_H
#define TR_MCP_FOUND_H

#include "cap/resource.h"
#include "mcp/request.h"

struct tr_mcp_found {
    const struct tr_cap_handler *handler; /* NULL: nothing has this URI, */
    const struct tr_cap_guard *guard;     /* which then is open to all */
    tr_str name;                          /* the URI, or the template */
    tr_str mime_type;
    const struct tr_json *args; /* {"uri", and the variables} */
    bool is_built_in;
    enum tr_cap_told told;
};

/* Finds it in the request's snapshot; what it makes lives in its arena. */
TR_NODISCARD tr_status tr_mcp_find(struct tr_mcp_request *request, tr_str uri,
                                   struct tr_mcp_found *out,
                                   struct tr_err *err);

#endif

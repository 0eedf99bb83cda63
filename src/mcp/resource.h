/*
 * mcp/resource.h - what stands behind a URI; for this folder only.
 */
#ifndef TR_MCP_RESOURCE_H
#define TR_MCP_RESOURCE_H

#include "mcp/request.h"

struct tr_cap_guard;
struct tr_cap_handler;

/* A resource, a template with what its variables stand for, or nothing. */
struct tr_mcp_resource {
    const struct tr_cap_handler *handler; /* NULL: nothing has this URI */
    const struct tr_cap_guard *guard;     /* then that of what is open to all */
    tr_str name;                          /* the URI, or the template */
    tr_str mime_type;
    const struct tr_json *args; /* {"uri", and the variables} */
};

/* Finds it for a request, in whose arena the arguments are. */
TR_NODISCARD tr_status tr_mcp_resource_find(struct tr_mcp_request *request,
                                            tr_str uri,
                                            struct tr_mcp_resource *out,
                                            struct tr_err *err);

/*
 * Asks whether the caller may watch a URI: `answer` hears of it, perhaps before
 * this returns.
 */
void tr_mcp_resource_ask(struct tr_mcp_request *request, tr_str uri,
                         tr_mcp_answer_fn *answer);

#endif

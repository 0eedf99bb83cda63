/*
 * mcp/origin.h - which web pages may talk to us.
 *
 * A page that resolves its own name to our address (DNS rebinding) says so in
 * Origin and Host: both must name this machine, or be allowed by name.
 */
#ifndef TR_MCP_ORIGIN_H
#define TR_MCP_ORIGIN_H

#include "http/request.h"

/* The most that tr_origin_fields writes. */
#define TR_ORIGIN_FIELDS 3

/* Origins that are allowed by name. */
struct tr_origins {
    const tr_str *items;
    size_t count;
};

/* Whether Host and Origin, as far as they are there, are local or allowed. */
bool tr_origin_is_allowed(const struct tr_http_request *request,
                          const struct tr_origins *allowed);

/* Writes the headers a browser wants before it lets a page read our answer. */
size_t tr_origin_fields(const struct tr_http_request *request,
                        tr_http_field out[TR_ORIGIN_FIELDS]);

#endif

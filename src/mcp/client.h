/*
 * mcp/client.h - what a session keeps of what its client says of itself.
 */
#ifndef TR_MCP_CLIENT_H
#define TR_MCP_CLIENT_H

#include "json/json.h"
#include "runtime/call.h"

/*
 * Copies the words of `initialize` into the arena: name and version of
 * clientInfo, cut to TR_LIMIT_CLIENT_NAME, and capabilities, of which only what
 * MCP knows is kept when they are longer than TR_LIMIT_CLIENT_CAPABILITIES.
 * Nothing else is: clientInfo may have a secret. False without memory.
 */
TR_NODISCARD bool tr_mcp_client_keep(struct tr_arena *arena,
                                     const struct tr_json *info,
                                     const struct tr_json *capabilities,
                                     struct tr_call_client *out);

/* What a client can be asked for, in the eight bits that the id of a session
 * has for it. */
unsigned tr_mcp_client_bits(const struct tr_json *capabilities);

/* Capabilities that have these bits, in the arena; false without memory. */
TR_NODISCARD bool tr_mcp_client_of_bits(struct tr_arena *arena, unsigned bits,
                                        const struct tr_json **out);

#endif

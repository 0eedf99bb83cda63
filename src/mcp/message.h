/*
 * mcp/message.h - a JSON-RPC 2.0 message, taken apart.
 */
#ifndef TR_MCP_MESSAGE_H
#define TR_MCP_MESSAGE_H

#include "json/json.h"

enum tr_mcp_message_kind {
    TR_MCP_MESSAGE_REQUEST,
    TR_MCP_MESSAGE_NOTIFICATION,
    TR_MCP_MESSAGE_RESPONSE
};

/* All of it is borrowed from the tree it was taken from. */
struct tr_mcp_message {
    enum tr_mcp_message_kind kind;
    const struct tr_json *id; /* a string or an integer; NULL when absent */
    tr_str method;
    const struct tr_json *params;         /* an object, or NULL */
    const struct tr_json *meta;           /* params._meta, an object, or NULL */
    const struct tr_json *progress_token; /* of _meta, or NULL */
    const struct tr_json *result;         /* of a response */
    const struct tr_json *error;
};

/*
 * Fails with TR_E_INVALID when it is no message. `out->id` is then set when it
 * could be read, so that the error can be answered to it.
 */
TR_NODISCARD tr_status tr_mcp_message_parse(const struct tr_json *tree,
                                            struct tr_mcp_message *out,
                                            struct tr_err *err);

/* Whether two ids are the same: 1 and "1" are not. */
bool tr_mcp_message_same_id(const struct tr_json *a, const struct tr_json *b);

#endif

/*
 * mcp/reply.h - answers, in the form of the request's own revision.
 *
 * There is one buffer per loop for what goes out: between open and send, no
 * other reply may be begun. The request stays with who holds it.
 */
#ifndef TR_MCP_REPLY_H
#define TR_MCP_REPLY_H

#include "json/writer.h"
#include "mcp/request.h"
#include "runtime/outcome.h"
#include "runtime/wire_error.h"

/*
 * The codes of JSON-RPC and MCP that do not come from a status (2026-07-28,
 * basic, Error Codes).
 */
enum tr_mcp_rpc_code {
    TR_MCP_RPC_PARSE = -32700,
    TR_MCP_RPC_REQUEST = -32600,
    TR_MCP_RPC_METHOD = -32601,
    TR_MCP_RPC_PARAMS = -32602,
    TR_MCP_RPC_INTERNAL = -32603,
    TR_MCP_RPC_HEADER = -32020,
    TR_MCP_RPC_CAPABILITY = -32021,
    TR_MCP_RPC_VERSION = -32022,
    TR_MCP_RPC_NO_RESOURCE = -32002, /* up to 2025-11-25 */
};

/* Of a name that a client made up, this much is repeated in an error. */
#define TR_MCP_SHOWN_BYTES 128

struct tr_mcp_rpc_error {
    int code;
    int http;    /* status; 200 is in-band */
    tr_str text; /* the message */
    tr_str data; /* JSON, or empty */
};

/* Opens {"jsonrpc","id","result":{ and what every result begins with. */
struct tr_json_writer *tr_mcp_reply_open(struct tr_mcp_request *request);

/* As tr_mcp_reply_open, with another resultType than "complete". */
struct tr_json_writer *tr_mcp_reply_open_as(struct tr_mcp_request *request,
                                            const char *result_type);

/*
 * Writes _meta (`meta`, an object or NULL, and what the revision wants there)
 * and sends the result.
 */
void tr_mcp_reply_send(struct tr_mcp_request *request,
                       const struct tr_json *meta);

/* Writes a value that the snapshot keeps as a compact writer has written it;
 * its bytes are copied only where they have to be. Once in an answer. */
void tr_mcp_reply_put_piece(struct tr_mcp_request *request, tr_str json);

/*
 * From here on the answer is kept until the call has ended. A client that is
 * asked something sends the call again at once, and would find what this round
 * still holds of its budgets.
 */
void tr_mcp_reply_keep(struct tr_mcp_request *request);

/* Whether nothing more may be said: the answer was sent, or is kept. */
static inline bool tr_mcp_reply_is_made(const struct tr_mcp_request *request)
{
    return request->is_answered || request->kept.len;
}

/* Sends the answer that was kept; false: there is none. */
bool tr_mcp_reply_send_kept(struct tr_mcp_request *request);

/* Sends an error. */
void tr_mcp_reply_error(struct tr_mcp_request *request,
                        const struct tr_mcp_rpc_error *error);

/* As tr_mcp_reply_error with the code and form that a status has. */
void tr_mcp_reply_failure(struct tr_mcp_request *request,
                          const struct tr_err *err, const struct tr_json *data);

/* The same for how a call has ended. */
void tr_mcp_reply_failed(struct tr_mcp_request *request,
                         const struct tr_call_outcome *failed);

/* What a client is told of a failure, whether in an error or in a result. */
struct tr_mcp_told {
    struct tr_call_failure failure;
    struct tr_buf data; /* JSON, or empty: the failure's, and more */
};

/* Makes it, and logs the failure if its author or the operator has to know of
 * it. The caller releases `data`. */
void tr_mcp_reply_tell(struct tr_mcp_request *request,
                       const struct tr_call_outcome *failed,
                       struct tr_mcp_told *told);

/* TR_MCP_RPC_PARAMS, in-band, with a message. */
TR_PRINTF(2, 3)
void tr_mcp_reply_bad_params(struct tr_mcp_request *request, const char *format,
                             ...);

/* Writes what the server is as the member `key`: its name and version, and to
 * who meets it also what it says of itself. */
void tr_mcp_reply_server_info(struct tr_mcp_request *request, const char *key);

/* Writes what a list or a read says of caching; nothing in older revisions. */
void tr_mcp_reply_caching(struct tr_mcp_request *request, int64_t ttl_ms,
                          bool is_private);

/* Writes an error message to a buffer, which has nothing else; `id` may be
 * NULL. */
void tr_mcp_rpc_error_write(struct tr_buf *out, const struct tr_json *id,
                            const struct tr_mcp_rpc_error *error);

/* Opens {"jsonrpc" in the loop's buffer; the caller closes it. */
struct tr_json_writer *tr_mcp_message_open(struct tr_mcp *mcp);

/* Opens {"jsonrpc","method","params":{ in the loop's buffer. */
struct tr_json_writer *tr_mcp_notify_open(struct tr_mcp *mcp,
                                          const char *method);

/*
 * Closes the notification and gives its text, valid until the next open; empty
 * when it cannot be written, and then nothing is to be sent.
 */
tr_str tr_mcp_notify_close(struct tr_mcp *mcp);

#endif

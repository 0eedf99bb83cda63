/*
 * mcp/call.h - the door of MCP: runs the handler of a request, listens to it
 * and answers.
 */
#ifndef TR_MCP_CALL_H
#define TR_MCP_CALL_H

#include "mcp/request.h"

struct tr_cap;
struct tr_cap_guard;
struct tr_cap_handler;

struct tr_mcp_run {
    const struct tr_cap_handler *handler;
    enum tr_call_kind kind;
    const struct tr_cap *cap;         /* of a capability */
    tr_str name;                      /* of what has no capability */
    const struct tr_cap_guard *guard; /* of that */
    const struct tr_json *args;       /* an object */
    const struct tr_shape *input; /* what they are checked by, of a prompt */
    const struct tr_json *key;    /* the idempotency key, or NULL */
    tr_mcp_answer_fn *answer;
};

/*
 * Runs a handler for the request, which the call holds until it has finished,
 * perhaps before this returns. In a stateless revision it first takes up
 * the answers and the journal of earlier rounds; a bad requestState is refused.
 */
void tr_mcp_run(struct tr_mcp_request *request, const struct tr_mcp_run *run);

/* Leaves a trace of a request for what nothing has the name of. */
void tr_mcp_note_unknown(struct tr_mcp_request *request, enum tr_call_kind kind,
                         tr_str asked);

/* Asks the client the questions of a handler (tr_call_door_ops.ask). */
enum tr_call_asked tr_mcp_ask(struct tr_call *call, struct tr_call_ask *asks,
                              size_t count, struct tr_err *err);

/* Takes the response of a client to one of our requests. */
void tr_mcp_answered(struct tr_mcp *mcp, struct tr_mcp_session *session,
                     const struct tr_mcp_message *message);

/*
 * Answers a failed call by its status, or by the client capability that is
 * missing.
 */
void tr_mcp_fail(struct tr_mcp_request *request,
                 const struct tr_call_outcome *outcome);

#endif

/*
 * mcp/request.h - one JSON-RPC request, from its arrival to its answer.
 *
 * A request owns its arena, in which its text, tree and call live, and belongs
 * to its loop's `struct tr_mcp`. Two hold it: who has received it, until it has
 * returned to its transport, and its call, while that runs. Each lets go with
 * tr_mcp_request_release; everybody else borrows it, and answering it frees
 * nothing.
 */
#ifndef TR_MCP_REQUEST_H
#define TR_MCP_REQUEST_H

#include "access/authority.h"
#include "mcp/message.h"
#include "mcp/revision.h"
#include "mcp/sink.h"
#include "runtime/journal.h"

struct tr_http_request;
struct tr_mcp;
struct tr_mcp_request;
struct tr_mcp_session;

/* Turns what a handler returned into the answer of its method. */
typedef void tr_mcp_answer_fn(struct tr_mcp_request *request,
                              const struct tr_call_outcome *outcome);

/* No level: the client did not ask for log messages. */
#define TR_MCP_NOTE_NONE (-1)

struct tr_mcp_request {
    struct tr_mcp *mcp;
    unsigned holders;
    struct tr_arena arena;
    struct tr_mcp_message message;
    const struct tr_json *batch; /* an array of messages instead, or NULL */
    enum tr_mcp_revision revision;
    struct tr_mcp_session *session; /* NULL in a stateless revision */
    struct tr_mcp_sink *sink;       /* owned; NULL once it was passed on */
    bool has_channel;               /* the sink is a channel (mcp/channel.h) */
    struct tr_mcp_head head;        /* of the answer; status 0: there is none */
    const struct tr_cap_snapshot *snapshot;
    const struct tr_http_request *http; /* until it is dispatched, or NULL */
    struct tr_access_authority
        authority; /* of who sends it; texts in the arena */
    tr_str trace_id;

    struct tr_call_client client;
    double progress; /* the last one sent */
    bool has_progress;
    int note_level; /* enum tr_call_note_level, or TR_MCP_NOTE_NONE */

    struct tr_call call;      /* while a handler runs */
    tr_mcp_answer_fn *answer; /* what to do when it has ended */
    bool is_running;          /* `call` is in use */
    bool introduces;          /* its answer says all of the server's own */
    bool is_answered;         /* the response was sent, or must not be */
    bool is_kept;             /* the answer of a round waits for its end */
    bool is_asking;           /* one that listens: about the next URI, */
    bool has_passed;          /* and its sender may watch that (listen.c) */
    size_t asked_uris;        /* that were asked about */
    tr_str kept;              /* what waits: "" until it is written */
    tr_str piece;             /* of the answer, that the snapshot has; or "" */
    size_t piece_at;          /* where it goes in what is written */
    tr_str uri;               /* what a resource read asks for */
    tr_str mime_type;         /* and what was declared of it */
    tr_str lacking;           /* the client capability that was needed */

    /* What a handler asked the client: with sessions, while it waits. */
    struct tr_call *asker; /* the call that waits, or NULL */
    struct tr_call_ask *asks;
    size_t ask_count;
    size_t asks_open;
    uint64_t first_ask;                /* the id of the first of them */
    const struct tr_json *answers;     /* without: from earlier rounds */
    struct tr_call_keeping *keeping;   /* a journal that is being written, */
    char kept_name[TR_CALL_KEPT_NAME]; /* and by which name */
    tr_str kept_journal; /* the name of one that this round was given, or "" */
    uint64_t started_ms;

    /* For mcp/access_log.h. */
    uint64_t started_ns;
    uint64_t bytes_out; /* of the answer */
    int error_code;     /* 0 when it was none */

    struct tr_mcp_request *next; /* in the list of those in work, or free */
    struct tr_mcp_request *previous;
};

/*
 * A request with an empty arena, which the caller holds. It takes the sink;
 * NULL, and the sink is still the caller's, when there is no memory.
 */
struct tr_mcp_request *tr_mcp_request_new(struct tr_mcp *mcp,
                                          struct tr_mcp_sink **sink);

/* Lets go of a request, which the last of its holders frees. */
void tr_mcp_request_release(struct tr_mcp_request *request);

/* The scopes of its sender that count here: what lists are made by. */
unsigned tr_mcp_request_scopes(const struct tr_mcp_request *request);

/*
 * Whether its sender may know what stands behind the guard. Who is going to be
 * refused there is not told before what the arguments are called.
 */
bool tr_mcp_request_may_know(const struct tr_mcp_request *request,
                             const struct tr_cap_guard *guard);

/*
 * Nobody wants the answer: stops the handler. That may end its call at once,
 * and the request with it, so the pointer is taken.
 */
void tr_mcp_request_cancel(struct tr_mcp_request **request);

/*
 * The request in work that has this id in this session (NULL: outside of all),
 * or NULL.
 */
struct tr_mcp_request *tr_mcp_request_find(struct tr_mcp *mcp,
                                           const struct tr_mcp_session *session,
                                           const struct tr_json *id);

#endif

/*
 * mcp/session.h - a session: what a client of an older revision says once.
 *
 * Over HTTP a session has an id that the client sends along (2025-06-18,
 * basic/transports, Session Management); on stdio there is one for the process.
 * It belongs to the loop that made it.
 */
#ifndef TR_MCP_SESSION_H
#define TR_MCP_SESSION_H

#include "mcp/caller.h"
#include "mcp/request.h"

struct tr_mcp_peer;

struct tr_mcp_session {
    struct tr_mcp *mcp;
    struct tr_arena arena; /* for the client's words */
    tr_str id;             /* empty on stdio, and before it is named */
    struct tr_access_authority
        owner;       /* who has opened it, and alone may use it */
    unsigned scopes; /* of its latest request */
    enum tr_mcp_revision revision;
    struct tr_call_client client;
    int note_level; /* enum tr_call_note_level */
    bool is_initialized;
    struct tr_mcp_peer *peer;   /* the one connection it lives with, or NULL */
    struct tr_mcp_sink *stream; /* for what no request asked for, or NULL */
    struct tr_mcp_channel *channels; /* its streams over HTTP, oldest first */
    struct tr_mcp_channel *last_channel;
    uint64_t channel_count;       /* the number of the last channel */
    uint64_t old_channels;        /* the last number before it was taken up */
    size_t kept_bytes;            /* of events that may be asked for again */
    struct tr_mcp_watch *watches; /* subscriptions; owned */
    size_t watch_count;
    struct tr_call_given *given; /* owned (mcp/given.h), or NULL */
    uint64_t used_ms;
    struct tr_mcp_caller *caller; /* whose it is counted as; NULL on stdio */
    struct tr_mcp_caller_link unused[2];
    bool is_unused;     /* nobody has come back to it yet */
    bool lists_are_due; /* its stream is to tell that all lists have changed */
    struct tr_mcp_session *next;
    struct tr_mcp_session *previous;
    struct tr_mcp_session *next_in_bucket;
};

/* The sessions of one loop, by their ids. */
#define TR_MCP_SESSION_BUCKETS 1024
struct tr_mcp_session_table {
    size_t count;
    struct tr_mcp_callers callers;
    struct tr_mcp_session *buckets[TR_MCP_SESSION_BUCKETS];
};

/*
 * A session of this caller, without an id; NULL when there is no room. Without
 * a caller it is nobody's before tr_mcp_session_own.
 */
struct tr_mcp_session *
tr_mcp_session_create(struct tr_mcp *mcp,
                      const struct tr_access_authority *owner);

/*
 * Gives the session a new id, by which it is found from then on; false without
 * memory. `purpose` is one of mcp/session_id.h.
 */
TR_NODISCARD bool tr_mcp_session_name(struct tr_mcp_session *session,
                                      tr_str purpose);

/* The same with an id that it has had before. */
TR_NODISCARD bool tr_mcp_session_rename(struct tr_mcp_session *session,
                                        tr_str id);

/* Makes this caller the owner of the session; false without memory. */
TR_NODISCARD bool tr_mcp_session_own(struct tr_mcp_session *session,
                                     const struct tr_access_authority *owner);

/* Ends its stream and cancels its requests. */
void tr_mcp_session_free(struct tr_mcp_session *session);

/*
 * The loop that an id belongs to, when that is another one; else NULL. It gave
 * it out, or has the place of the one that did so before a restart.
 */
struct tr_mcp *tr_mcp_session_elsewhere(struct tr_mcp *mcp, tr_str id);

/* The session of this id, or NULL. It counts as used. */
struct tr_mcp_session *tr_mcp_session_find(struct tr_mcp *mcp, tr_str id);

/* Ends sessions that nobody has used for long. */
void tr_mcp_session_sweep(struct tr_mcp *mcp);

/* The revision that a client gets which asks for `wanted`. */
enum tr_mcp_revision tr_mcp_session_revision(tr_str wanted);

/* Takes client, revision and capabilities from `initialize`; over HTTP it is
 * named, too. */
TR_NODISCARD tr_status tr_mcp_session_start(struct tr_mcp_session *session,
                                            const struct tr_json *params,
                                            struct tr_err *err);

/* Subscribes to a URI; TR_E_LIMIT when the session watches too many already. */
TR_NODISCARD tr_status tr_mcp_session_watch(struct tr_mcp_session *session,
                                            tr_str uri, tr_str topic,
                                            struct tr_err *err);
void tr_mcp_session_unwatch(struct tr_mcp_session *session, tr_str uri);

#endif

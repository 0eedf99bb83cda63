/*
 * mcp/session.h - what a client of an older revision has told us for good.
 *
 * Over HTTP a session has an id that the client sends along; on stdio there is
 * one for the process. It belongs to the loop that made it.
 */
#ifndef TR_MCP_SESSION_H
#define TR_MCP_SESSION_H

#include "mcp/request.h"

struct tr_session {
    struct tr_mcp *mcp;
    struct tr_arena arena; /* for the client's words */
    tr_str id;             /* empty on stdio */
    enum tr_revision revision;
    struct tr_client client;
    int note_level; /* enum tr_note_level */
    bool is_initialized;
    struct tr_sink *stream; /* for what no request asked for, or NULL */
    char **uris;            /* subscriptions; owned */
    size_t uri_count;
    uint64_t used_ms;
    struct tr_session *next;
};

/* A session with a new id, or without one; NULL when there is no room. */
struct tr_session *tr_session_create(struct tr_mcp *mcp, bool with_id);

/* Ends its stream and cancels its requests. */
void tr_session_free(struct tr_session *session);

/* The number of the loop that gave out this id; false when none did. */
bool tr_session_loop(tr_str id, size_t *out);

/* The session of this id, or NULL. */
struct tr_session *tr_session_find(struct tr_mcp *mcp, tr_str id);

/* Takes client, revision and capabilities from `initialize`. */
TR_NODISCARD tr_status tr_session_start(struct tr_session *session,
                                        const struct tr_json *params,
                                        struct tr_err *err);

/* TR_E_LIMIT when it watches too many already. */
TR_NODISCARD tr_status tr_session_watch(struct tr_session *session, tr_str uri,
                                        struct tr_err *err);
void tr_session_unwatch(struct tr_session *session, tr_str uri);
bool tr_session_watches(const struct tr_session *session, tr_str uri);

#endif

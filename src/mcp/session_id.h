/*
 * mcp/session_id.h - the id of a session, from which it can be taken up again
 * when its loop has forgotten it (docs/decisions/0028).
 *
 * An id has the loop's number in four digits, then a seal. The loop and the
 * caller are part of what the seal was made for: to anybody else it is a text
 * that was not made here.
 */
#ifndef TR_MCP_SESSION_ID_H
#define TR_MCP_SESSION_ID_H

#include "access/authority.h"
#include "access/ended.h"
#include "mcp/revision.h"

struct tr_crypto_keys;

/* All ids have this length. */
#define TR_MCP_SESSION_ID_BYTES 72

/* What an id is for: only one of MCP over HTTP is ever read. */
#define TR_MCP_SESSION_ID_HTTP TR_STR("session")
#define TR_MCP_SESSION_ID_SSE  TR_STR("sse")

/* What an id tells. */
struct tr_mcp_session_id {
    struct tr_access_ended session;
    enum tr_mcp_revision revision;
    unsigned client; /* what it can be asked for (mcp/client.h) */
};

/*
 * Makes an id, which nobody can guess: it "SHOULD be globally unique and
 * cryptographically secure" (2025-06-18, basic/transports, Session Management).
 */
struct tr_mcp_session_id_draft {
    const struct tr_crypto_keys *keys;
    tr_str purpose;
    size_t loop;
    const struct tr_access_authority *owner;
    int64_t now_s;
    enum tr_mcp_revision revision;
    unsigned client;
};
TR_NODISCARD tr_status tr_mcp_session_id_make(
    struct tr_arena *arena, const struct tr_mcp_session_id_draft *draft,
    tr_str *out, struct tr_err *err);

/*
 * Reads an id that `who` has sent. TR_E_INVALID for one that was not made here,
 * for this caller, within TR_LIMIT_SESSION_ID_S.
 */
TR_NODISCARD tr_status
tr_mcp_session_id_read(const struct tr_crypto_keys *keys, int64_t now_s,
                       tr_str id, const struct tr_access_authority *who,
                       struct tr_mcp_session_id *out, struct tr_err *err);

/* The number of the loop that an id names; false when it is no id. */
bool tr_mcp_session_id_loop(tr_str id, size_t *out);

#endif

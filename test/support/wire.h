/*
 * test/support/wire.h - whether what we send is MCP: each message is held
 * against its own definition in the JSON Schema of its revision.
 *
 * A talk is what ids are unique in: a connection, a session, or one request
 * where there is neither. It sees both directions: what was asked decides what
 * an answer must be, and a claim in the body or the answer to `initialize` the
 * revision.
 */
#ifndef TR_TEST_SUPPORT_WIRE_H
#define TR_TEST_SUPPORT_WIRE_H

#include "mcp/revision.h"
#include "support/mcp_schema.h"

struct wire_talk;

struct wire {
    struct tr_arena arena;
    struct mcp_schema schemas[TR_MCP_REVISIONS];
    bool is_open[TR_MCP_REVISIONS];
    struct wire_talk *talks; /* newest first */
};

/* False when TRAILS_SUITES has no schemas; close it all the same. */
bool wire_open(struct wire *wire);
void wire_close(struct wire *wire);

/* The talk of this name, which is new when there is none; NULL: no memory. */
struct wire_talk *wire_talk(struct wire *wire, tr_str name);

/* Ends all talks; what was compiled stays. */
void wire_forget(struct wire *wire);

/* Says the revision of a talk that does not begin with `initialize`. */
TR_NODISCARD tr_status wire_speaks(struct wire_talk *talk, tr_str revision,
                                   struct tr_err *err);

/* Remembers what a client sends, which may be anything. */
TR_NODISCARD tr_status wire_sent(struct wire *wire, struct wire_talk *talk,
                                 tr_str message, struct tr_err *err);

/* As wire_sent, for a client of ours: a request must be one of its revision. */
TR_NODISCARD tr_status wire_asked(struct wire *wire, struct wire_talk *talk,
                                  tr_str message, struct tr_err *err);

/* Checks what we send: TR_OK, or what is wrong with it. */
TR_NODISCARD tr_status wire_received(struct wire *wire, struct wire_talk *talk,
                                     tr_str message, struct tr_err *err);

/* As wire_received, for an event that may be replayed by its id. */
TR_NODISCARD tr_status wire_event(struct wire *wire, struct wire_talk *talk,
                                  tr_str id, tr_str message,
                                  struct tr_err *err);

#endif

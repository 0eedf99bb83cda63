/*
 * mcp/inside.h - one loop's MCP server, as the files of this folder see it.
 */
#ifndef TR_MCP_INSIDE_H
#define TR_MCP_INSIDE_H

#include "gate/trace.h"
#include "json/writer.h"
#include "loop/timer.h"
#include "mcp/access_log.h"
#include "mcp/mcp.h"
#include "mcp/request.h"
#include "mcp/tell.h"

struct tr_mcp {
    struct tr_mcp_opts opts;
    size_t number;     /* of this loop, from the hub */
    struct tr_buf out; /* what is being written */
    struct tr_json_writer writer;
    struct tr_mcp_request *requests; /* in work */
    struct tr_mcp_request *spare;    /* for reuse */
    size_t spare_count;
    struct tr_mcp_session *sessions; /* the youngest first */
    struct tr_mcp_session_table *table;
    struct tr_mcp_watches watches; /* of listen streams and sessions */
    struct tr_mcp_tell tell;       /* tells them what has changed */
    struct tr_mcp_listen *listens;
    size_t listen_count;
    size_t endings;  /* sessions whose end is being written to the store */
    bool is_stopped; /* no session begins any more */
    struct tr_mcp_relay *relays; /* exchanges here that other loops serve */
    struct tr_loop_timer heartbeat;
    struct tr_loop_timer sweep; /* ends sessions that nobody uses */
    struct tr_gate_traces traces;
    uint64_t next_ask; /* ids of our own requests */
    struct tr_mcp_access_log_counts counts;
};

/* Runs the method of a request whose revision and session are known. */
void tr_mcp_dispatch(struct tr_mcp_request *request);

/* Takes a notification of the client, which is never answered. */
void tr_mcp_notice(struct tr_mcp *mcp, struct tr_mcp_session *session,
                   const struct tr_mcp_message *message);

/* The methods, each in a file of its own. */
typedef void tr_mcp_method_fn(struct tr_mcp_request *request);
tr_mcp_method_fn tr_mcp_discover, tr_mcp_initialize, tr_mcp_ping;
tr_mcp_method_fn tr_mcp_tools_list, tr_mcp_tools_call;
tr_mcp_method_fn tr_mcp_resources_list, tr_mcp_templates_list,
    tr_mcp_resources_read, tr_mcp_subscribe, tr_mcp_unsubscribe;
tr_mcp_method_fn tr_mcp_prompts_list, tr_mcp_prompts_get;
tr_mcp_method_fn tr_mcp_complete, tr_mcp_set_level, tr_mcp_listen_begin;

/*
 * Asks whether the sender of a request may watch a URI. If so, `answer` hears
 * of it, perhaps before this returns; else it does, or the request is answered.
 */
void tr_mcp_watch_ask(struct tr_mcp_request *request, tr_str uri,
                      tr_mcp_answer_fn *answer);

/*
 * Writes what such a URI is told by to whoever sends the request; false without
 * memory.
 */
TR_NODISCARD bool tr_mcp_watch_topic(const struct tr_mcp_request *request,
                                     tr_str uri, struct tr_buf *out);

#endif

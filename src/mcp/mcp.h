/*
 * mcp/mcp.h - one loop's MCP server.
 *
 * It belongs to its loop's thread. What all loops share (registry, keys, the
 * hub that carries changes between them) is passed in and outlives it.
 */
#ifndef TR_MCP_MCP_H
#define TR_MCP_MCP_H

#include "json/writer.h"
#include "loop/timer.h"
#include "mcp/access.h"
#include "mcp/credential.h"
#include "mcp/message.h"
#include "mcp/origin.h"
#include "mcp/request.h"
#include "mcp/tell.h"

struct tr_bearer;
struct tr_call_env;
struct tr_hub;
struct tr_keys;
struct tr_log_lines;
struct tr_loop;
struct tr_registry;

struct tr_mcp_opts {
    struct tr_loop *loop;
    struct tr_registry *registry;
    const struct tr_keys *keys;
    struct tr_hub *hub;
    const struct tr_call_env *env; /* of its calls; NULL: no graph */
    struct tr_log_lines *log;      /* for faults and requests, or NULL */
    struct tr_bearer *bearer; /* who has which token; NULL: nobody has one */
    struct tr_credential_rules credentials;
    tr_str name;               /* of the server, for clients to show */
    tr_str version;            /* of the app */
    tr_str instructions;       /* for the model, or empty */
    struct tr_origins origins; /* web pages that may connect */
    size_t max_result_bytes;
    size_t max_sessions;
    size_t max_streams; /* of subscriptions/listen */
    size_t max_subscriptions;
    size_t max_batch;
    size_t replay_bytes;  /* of one session */
    unsigned max_nesting; /* of a message; 0: TR_LIMIT_NESTING */
    uint64_t call_timeout_ms;
    uint64_t session_timeout_ms;
    bool sessions;       /* clients of older revisions get one */
    bool portable_names; /* tool names without dots */
    bool production;     /* hides the text of unexpected errors, and dev */
    bool log_access;     /* a line per request */
    bool validation_as_result; /* field errors are a tool's result */
};

struct tr_mcp {
    struct tr_mcp_opts opts;
    size_t number;     /* of this loop, from the hub */
    struct tr_buf out; /* what is being written */
    struct tr_json_writer writer;
    struct tr_mcp_request *requests; /* in work */
    struct tr_mcp_request *spare;    /* for reuse */
    size_t spare_count;
    struct tr_session *sessions; /* the youngest first */
    struct tr_session_table *table;
    struct tr_watches watches; /* of listen streams and sessions */
    struct tr_tell tell;       /* what has changed, to them */
    struct tr_listen *listens;
    size_t listen_count;
    struct tr_relay *relays; /* exchanges here that other loops serve */
    struct tr_timer heartbeat;
    struct tr_timer sweep; /* ends sessions that nobody uses */
    uint64_t trace_seed;
    uint64_t trace_count;
    uint64_t next_ask; /* ids of our own requests */
    struct tr_access_counts counts;
};

TR_NODISCARD tr_status tr_mcp_create(const struct tr_mcp_opts *opts,
                                     struct tr_mcp **out, struct tr_err *err);

/*
 * Nothing new comes any more: ends the streams of those who listen, and what
 * waits for an answer of a client. Calls that run go on.
 */
void tr_mcp_quiet(struct tr_mcp *mcp);

/* Whether nothing of what was asked is left to do here. */
bool tr_mcp_is_idle(const struct tr_mcp *mcp);

/* Ends every stream and session and cancels what runs; calls may still end. */
void tr_mcp_stop(struct tr_mcp *mcp);

/* After tr_mcp_stop, when no request is left. NULL is allowed. */
void tr_mcp_free(struct tr_mcp *mcp);

/* Runs the method of a request whose revision and session are known. */
void tr_mcp_dispatch(struct tr_mcp_request *request);

/* A notification of the client; never answered. */
void tr_mcp_notice(struct tr_mcp *mcp, struct tr_session *session,
                   const struct tr_message *message);

/* The methods, each in a file of its own. */
typedef void tr_mcp_method_fn(struct tr_mcp_request *request);
tr_mcp_method_fn tr_mcp_discover, tr_mcp_initialize, tr_mcp_ping;
tr_mcp_method_fn tr_mcp_tools_list, tr_mcp_tools_call;
tr_mcp_method_fn tr_mcp_resources_list, tr_mcp_templates_list,
    tr_mcp_resources_read, tr_mcp_subscribe, tr_mcp_unsubscribe;
tr_mcp_method_fn tr_mcp_prompts_list, tr_mcp_prompts_get;
tr_mcp_method_fn tr_mcp_complete, tr_mcp_set_level, tr_mcp_listen;

#endif

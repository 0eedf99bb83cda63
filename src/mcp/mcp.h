/*
 * mcp/mcp.h - one loop's MCP server: its options, its life, its counts.
 *
 * It belongs to its loop's thread. What all loops share (registry, keys, the
 * hub that carries changes between them) is passed in and outlives it.
 */
#ifndef TR_MCP_MCP_H
#define TR_MCP_MCP_H

#include "base/err.h"
#include "base/str.h"
#include "gate/gate.h"
#include "project/view.h"

struct tr_call_env;
struct tr_mcp_hub;
struct tr_crypto_keys;
struct tr_json;
struct tr_loop_log_lines;
struct tr_loop;
struct tr_mcp;
struct tr_mcp_access_log_counts;
struct tr_cap_registry;

/* What the server says of itself to people; each may be empty. */
struct tr_mcp_about {
    tr_str title;
    tr_str description;
    tr_str website;
    const struct tr_json *icons; /* an array, or NULL */
};

struct tr_mcp_opts {
    struct tr_loop *loop;
    struct tr_cap_registry *registry;
    const struct tr_crypto_keys *keys;
    struct tr_mcp_hub *hub;
    const struct tr_call_env *env; /* of its calls; NULL: no graph */
    struct tr_loop_log_lines *log; /* for faults and requests, or NULL */
    struct tr_gate gate;           /* who is let in */
    struct tr_project_site site;   /* how tools are listed: where there is more
                                      of them, and whether they are plain */
    tr_str name;                   /* of the server, for clients to show */
    tr_str version;                /* of the app */
    struct tr_mcp_about about;
    size_t max_sessions;
    size_t max_caller_sessions; /* of one who has a name */
    size_t max_streams;         /* of subscriptions/listen */
    size_t max_subscriptions;
    size_t max_batch;
    size_t replay_bytes;  /* of one session */
    unsigned max_nesting; /* of a message; 0: TR_LIMIT_NESTING */
    uint64_t session_timeout_ms;
    bool sessions;       /* clients of older revisions get one */
    bool portable_names; /* tool names without dots */
    bool production;     /* hides the text of unexpected errors, and dev */
    bool log_access;     /* a line per request */
};

TR_NODISCARD tr_status tr_mcp_create(const struct tr_mcp_opts *opts,
                                     struct tr_mcp **out, struct tr_err *err);

/*
 * For a server that shuts down: ends the streams of those who listen, and what
 * waits for an answer of a client. Calls that run go on.
 */
void tr_mcp_quiet(struct tr_mcp *mcp);

/* Whether no request is left to be answered here. */
bool tr_mcp_is_idle(const struct tr_mcp *mcp);

/* Ends every stream and session and cancels what runs; calls may still end. */
void tr_mcp_stop(struct tr_mcp *mcp);

/* After tr_mcp_stop, when no request is left. NULL is allowed. */
void tr_mcp_free(struct tr_mcp *mcp);

/* How much there is of everything that one loop serves. */
struct tr_mcp_gauges {
    size_t sessions;
    size_t streams;       /* that wait for changes: of sessions, of listen */
    size_t subscriptions; /* resources that they watch */
    size_t running;       /* calls whose handler has not ended */
};

/* Counts all of them, on the loop. */
struct tr_mcp_gauges tr_mcp_measure(const struct tr_mcp *mcp);

/* What it has counted since it began; borrowed. */
const struct tr_mcp_access_log_counts *tr_mcp_counts(const struct tr_mcp *mcp);

/* Uses these keys to seal from now on. */
void tr_mcp_use_keys(struct tr_mcp *mcp, const struct tr_crypto_keys *keys);

/* Whether another loop still serves an exchange for it. */
bool tr_mcp_is_relaying(const struct tr_mcp *mcp);

/* How each of so many revisions lists what there is, the oldest first. */
#define TR_MCP_FORMS 5
struct tr_project_form;
void tr_mcp_list_forms(const struct tr_project_site *site,
                       struct tr_project_form *out);

#endif

/*
 * load/mcp.h - messages of MCP over the connections of load/client.h.
 */
#ifndef LOAD_MCP_H
#define LOAD_MCP_H

#include "json/json.h"
#include "load/client.h"

#define LOAD_MODERN "2026-07-28"
#define LOAD_SUBSCRIPTION                                                      \
    "/params/_meta/io.modelcontextprotocol~1subscriptionId"

/* One message to send. What is left out is not sent. */
struct load_message {
    const char *revision; /* LOAD_MODERN brings its _meta and its headers */
    const char *session;
    const char *path; /* "/mcp" */
    const char *id;   /* as JSON; NULL: a notification */
    const char *method;
    const char *name;   /* of the tool or resource, for the headers */
    const char *params; /* members, without braces */
    const char *meta;   /* more members of _meta */
};

/* Writes the whole request, head and body. */
void load_write_post(struct tr_buf *out, const struct load_message *message);

/* Has the judge remember a message that is sent in whatever way. */
void load_note(struct load_conn *conn, const struct load_message *message);

/* Sends it; a response is due. */
void load_post(struct load_conn *conn, const struct load_message *message);

/* GET or DELETE of a session; `last_id` is for Last-Event-ID, or empty. */
void load_ask(struct load_conn *conn, const char *verb, const char *path,
              const char *session, tr_str last_id);

/* Reads a message, until the next one is read; NULL, and a fault, when bad. */
const struct tr_json *load_parse(struct load *load, tr_str text);

/* A text or number below `root`; empty when it is not there. */
tr_str load_text(const struct tr_json *root, const char *pointer);

/* Calls a tool on a connection of its own and waits for the result. */
bool load_call(struct load *load, const char *tool, const char *arguments);

/*
 * judge.c: holds every message against the JSON Schema of its revision; what is
 * wrong is a fault. False when TRAILS_SUITES has no schemas.
 */
bool load_judge_open(struct load *load);
void load_judge_close(struct load *load);

/* proc.c: RssAnon of the server's process; below 0 when it is gone. */
long load_rss_kib(int pid);

/*
 * The descriptors of a server that nobody is connected to. It is called a few
 * times first, so that what it opens once is open.
 */
long load_baseline(struct load *load, int pid);

/* Runs until the server has as many descriptors as that. */
bool load_wait_descriptors(struct load *load, int pid, long wanted);

/* The same for sockets alone: those that listen, and one per connection. */
long load_sockets(int pid);
bool load_wait_sockets(struct load *load, int pid, long wanted);

/* What a scenario is told. */
struct load_args {
    unsigned port;
    int pid;
    size_t count;
    uint64_t seed;
    bool check_memory; /* the server is not instrumented */
};

/* The scenarios; each runs on a `load` of its own and leaves its fault there.
 */
typedef void load_scenario_fn(struct load *load, const struct load_args *args);
load_scenario_fn load_listen, load_slow, load_abort, load_sessions, load_stop,
    load_mixed, load_resume;

#endif

/*
 * test/support/session.h - a client with one session over HTTP, whose exchanges
 * are in memory and whose messages are held against the schema.
 */
#ifndef TR_TEST_SUPPORT_SESSION_H
#define TR_TEST_SUPPORT_SESSION_H

#include "mcp/http_wire.h"
#include "support/checked.h"
#include "support/exchange.h"

#define INITIALIZE(revision)                                                   \
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{"     \
    "\"protocolVersion\":\"" revision "\",\"capabilities\":{\"roots\":{}},"    \
    "\"clientInfo\":{\"name\":\"c\",\"version\":\"1\"}}}"
#define PING(id) "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"ping\"}"
#define PONG(id) "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"result\":{}}"
#define ASK                                                                    \
    "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\",\"params\":{"     \
    "\"name\":\"ask\"}}"
#define ROOTS                                                                  \
    "{\"jsonrpc\":\"2.0\",\"id\":\"trails-0\",\"method\":\"roots/list\","      \
    "\"params\":{}}"
#define ROOTS_ANSWER                                                           \
    "{\"jsonrpc\":\"2.0\",\"id\":\"trails-0\",\"result\":{\"roots\":[]}}"
#define ASK_RESULT                                                             \
    "{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{\"content\":[{\"type\":"        \
    "\"text\",\"text\":\"{\\\"roots\\\":[]}\"}]}}"

struct session_client {
    struct checked checked;
    char session[80]; /* "" when it has none */
};

/* The client sends `initialize`, and keeps the session that it gets. */
void session_open(struct session_client *client, const char *initialize);
void session_close(struct session_client *client);

/* Another `initialize`; the exchange is the caller's to look at. */
void session_start(struct session_client *client, const char *initialize,
                   struct exchange *x);

/* POST, in the session or as the entry says. */
void session_post(struct session_client *client, const char *text,
                  struct exchange *x);
void session_post_with(struct session_client *client, const char *text,
                       struct exchange *x, struct tr_mcp_http_entry entry);

/* GET or DELETE; `resume` is Last-Event-ID, or "". */
void session_verb(struct session_client *client, enum tr_mcp_http_verb verb,
                  const char *resume, struct exchange *x);

/* Checks everything that the exchange was told, and whether it has ended. */
void session_check(struct exchange *x, const char *log, bool is_released);

/* The same for an exchange that has ended, which is then released. */
void session_check_done(struct exchange *x, const char *log);

#endif

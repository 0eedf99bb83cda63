/*
 * test/support/rest_world.h - an app behind the door over plain HTTP, on a loop
 * with a test clock, and its clients in the same thread: what server/ puts
 * together, without its threads.
 *
 *     rest_world_open(&w, "", "capability 'x' { ... }");
 *     rest_world_ask(&w, REST_POST("/invoke/x", "", "{}"));
 *     CHECK_INT(w.status, 200);
 *     CHECK_STR(w.body, "...");
 *     rest_world_close(&w);
 */
#ifndef TR_TEST_SUPPORT_REST_WORLD_H
#define TR_TEST_SUPPORT_REST_WORLD_H

#include "http/server.h"
#include "rest/rest.h"
#include "server/app.h"
#include "server/env.h"
#include "support/folder.h"

struct tr_access_bearer;
struct tr_cap_registry;

struct rest_world {
    struct folder folder;
    struct tr_server_app app;
    struct tr_graph_store *store;
    struct tr_cap_registry *registry;
    struct tr_loop *loop;
    struct tr_server_env env;
    struct tr_access_bearer *bearer;
    struct tr_rest *rest;
    struct tr_http_server *server;
    bool is_closed; /* the server */
    size_t told;    /* how often others were told of something */

    /* The last answer. */
    char text[65536]; /* all of it */
    size_t len;
    int status; /* 0: there was none */
    tr_str body;
};

/* The one token, which has the scopes runtime and builder. */
#define REST_TOKEN  "a-token-of-the-tests"
#define REST_BEARER "Authorization: Bearer " REST_TOKEN "\r\n"

/* Bytes of requests, after which the connection ends; `fields` end with a line.
 */
#define REST_GET(target, fields)                                               \
    "GET " target                                                              \
    " HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n" fields "\r\n"
#define REST_POST(target, fields, body)                                        \
    "POST " target " HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n"     \
    "Content-Type: application/json\r\n"                                       \
    "Transfer-Encoding: chunked\r\n" fields "\r\n" body "0\r\n\r\n"

/* A body of REST_POST: what it has in so many bytes, in base 16. */
#define REST_BODY(hex, text) hex "\r\n" text "\r\n"

/* `toml` is added to the settings. */
void rest_world_open(struct rest_world *w, const char *toml, const char *lua);
void rest_world_close(struct rest_world *w);

/* A connection, without a listener that a sweep would see. */
int rest_world_connect(struct rest_world *w);

/* Sends a request, and reads until the connection has ended. */
void rest_world_ask(struct rest_world *w, const char *request);

/* A header of the answer; "" when it is not there. */
tr_str rest_world_header(const struct rest_world *w, const char *name);

/*
 * Sends a request again and again, and each allocation fails in turn that it
 * asks for: the answer is that of the first time, or one that says that it
 * could not be, or the connection ends without a byte. Then it is well again.
 */
void rest_world_sweep(struct rest_world *w, const char *request);

/* The same, each time of an app that was loaded again: for what is made once of
 * a snapshot. */
void rest_world_sweep_cold(struct rest_world *w, const char *request);

#endif

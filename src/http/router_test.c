#include "base/test.h"
#include "http/server.h"
#include "support/peer.h"
#include "support/web.h"

#include <unistd.h>

/* Answers with the method of the route and the path. */
#define ANSWER(name, text)                                                     \
    static void name(struct tr_http_exchange *x, void *app)                    \
    {                                                                          \
        (void)app;                                                             \
        tr_http_respond(x, 200, NULL, 0, TR_STR(text));                        \
    }
ANSWER(get_mcp, "GET /mcp")
ANSWER(post_mcp, "POST /mcp")
ANSWER(delete_mcp, "DELETE /mcp")
ANSWER(post_root, "POST /")
ANSWER(get_health, "GET /health")
ANSWER(post_any, "POST /run/*")
ANSWER(get_any, "GET /run/*")
ANSWER(get_fixed, "GET /run/all")
ANSWER(get_two, "GET /kg/*/*")
ANSWER(get_one, "GET /kg/*")
ANSWER(get_card, "GET /*/card")

static const struct tr_http_route table[] = {
    {TR_STR_INIT("POST"), TR_STR_INIT("/run/*"), post_any, NULL, true},
    {TR_STR_INIT("GET"), TR_STR_INIT("/run/*"), get_any, NULL, false},
    {TR_STR_INIT("GET"), TR_STR_INIT("/run/all"), get_fixed, NULL, false},
    {TR_STR_INIT("GET"), TR_STR_INIT("/kg/*/*"), get_two, NULL, false},
    {TR_STR_INIT("GET"), TR_STR_INIT("/kg/*"), get_one, NULL, false},
    {TR_STR_INIT("GET"), TR_STR_INIT("/*/card"), get_card, NULL, false},
    {TR_STR_INIT("GET"), TR_STR_INIT("/mcp"), get_mcp, NULL, false},
    {TR_STR_INIT("POST"), TR_STR_INIT("/mcp"), post_mcp, NULL, true},
    {TR_STR_INIT("DELETE"), TR_STR_INIT("/mcp"), delete_mcp, NULL, false},
    {TR_STR_INIT("POST"), TR_STR_INIT("/"), post_root, NULL, true},
    {TR_STR_INIT("GET"), TR_STR_INIT("/health"), get_health, NULL, false},
};

static void handle(struct tr_http_exchange *x, void *app)
{
    const struct tr_http_routes routes = {table, TR_LEN(table)};
    if (tr_http_route_find(routes, x))
        tr_http_route_run(x, app);
}

static const struct {
    const char *method;
    const char *path;
    const char *status;
    const char *has; /* part of the answer */
} rows[] = {
    {"GET", "/mcp", "200", "\r\n\r\nGET /mcp"},
    {"HEAD", "/mcp", "200", "Content-Length: 8\r\n"},
    {"POST", "/mcp", "200", "\r\n\r\nPOST /mcp"},
    {"DELETE", "/mcp", "200", "\r\n\r\nDELETE /mcp"},
    {"POST", "/", "200", "\r\n\r\nPOST /"},
    {"GET", "/health", "200", "\r\n\r\nGET /health"},
    {"PUT", "/mcp", "405", "Allow: GET, HEAD, POST, DELETE\r\n"},
    {"post", "/mcp", "405", "Allow: GET, HEAD, POST, DELETE\r\n"},
    {"HEAD", "/", "405", "Allow: POST\r\n"},
    {"GET", "/mcp/", "404", "Not Found"},
    {"GET", "/MCP", "404", "Not Found"},
    {"GET", "/mc", "404", "Not Found"},
    {"OPTIONS", "*", "404", "Not Found"},
    /* One segment of any kind, not empty, and as it was sent. */
    {"POST", "/run/a", "200", "\r\n\r\nPOST /run/*"},
    {"POST", "/run/a%2Fb.c", "200", "\r\n\r\nPOST /run/*"},
    {"POST", "/run/*", "200", "\r\n\r\nPOST /run/*"},
    {"GET", "/run/..", "200", "\r\n\r\nGET /run/*"},
    {"POST", "/run/", "404", "Not Found"},
    {"POST", "/run", "404", "Not Found"},
    {"POST", "/run//", "404", "Not Found"},
    {"POST", "/run/a/", "404", "Not Found"},
    {"POST", "/run/a/b", "404", "Not Found"},
    {"GET", "/kg/a", "200", "\r\n\r\nGET /kg/*"},
    {"GET", "/kg/a/b", "200", "\r\n\r\nGET /kg/*/*"},
    {"GET", "/kg/a/b/c", "404", "Not Found"},
    {"GET", "/kg//b", "404", "Not Found"},
    /* What is written out comes first, then the first that fits. */
    {"GET", "/run/all", "200", "\r\n\r\nGET /run/all"},
    {"POST", "/run/all", "405", "Allow: GET, HEAD\r\n"},
    {"PUT", "/run/a", "405", "Allow: POST, GET, HEAD\r\n"},
    {"GET", "/kg/card", "200", "\r\n\r\nGET /kg/*"},
    {"GET", "/x/card", "200", "\r\n\r\nGET /*/card"},
    {"GET", "/x/cards", "404", "Not Found"},
    {"PUT", "/x/card", "405", "Allow: GET, HEAD\r\n"},
};

TEST(routes_are_found_by_exact_path_and_method)
{
    struct tr_web web;
    tr_web_open(&web, NULL, handle, NULL);
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        char request[128];
        char status[32];
        int fd = tr_peer_connect(web.port);
        (void)snprintf(request, sizeof(request),
                       "%s %s HTTP/1.1\r\nHost: a\r\n"
                       "Connection: close\r\n\r\n",
                       rows[i].method, rows[i].path);
        (void)snprintf(status, sizeof(status), "HTTP/1.1 %s ", rows[i].status);
        const char *answer = tr_web_ask(&web, fd, request, "");
        CHECK_ROW(strncmp(answer, status, strlen(status)) == 0, rows[i].path);
        CHECK_ROW(strstr(answer, rows[i].has), rows[i].path);
        (void)close(fd);
    }
    tr_web_close(&web);
}

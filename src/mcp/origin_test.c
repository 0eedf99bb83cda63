/*
 * Which pages may talk to us: "Servers MUST validate the Origin header on all
 * incoming connections to prevent DNS rebinding attacks" (2025-06-18,
 * basic/transports, Security Warning; with 403 since 2025-11-25).
 */
#include "base/test.h"
#include "gate/page.h"
#include "loop/loop.h"
#include "mcp/inside.h"
#include "mcp/transport.h"
#include "support/peer.h"
#include "support/sample.h"
#include "support/web.h"

#include <unistd.h>

#define REFUSED                                                                \
    "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32600,\"message\":"             \
    "\"Origin or Host is not allowed\"}}"

static void handle(struct tr_http_exchange *x, void *app)
{
    (void)app;
    tr_http_respond_text(x, 200, "in\n");
}

struct site {
    struct sample sample;
    struct tr_web web;
};

static void open_site(struct site *site, tr_http_handler_fn *handler)
{
    static const tr_str allowed[] = {TR_STR_INIT("https://app.example"),
                                     TR_STR_INIT("http://lab.example:8080")};
    /* As server/routes.c does: before anything else. */
    const struct tr_http_opts opts = {.judge = tr_mcp_http_judge_origin};
    sample_open(&site->sample);
    site->sample.mcp->opts.gate.origins =
        (struct tr_gate_origins){allowed, TR_LEN(allowed)};
    tr_web_open(&site->web, &opts, handler, site->sample.mcp);
}

static void close_site(struct site *site)
{
    tr_web_close(&site->web);
    sample_close(&site->sample);
}

/* The whole answer to one request, after which the connection closes. */
static const char *send_text(struct site *site, const char *text)
{
    int fd = tr_peer_connect(site->web.port);
    const char *answer = tr_web_ask(&site->web, fd, text, "");
    (void)close(fd);
    return answer;
}

static const char *ask(struct site *site, const char *method, const char *host,
                       const char *origin)
{
    char text[512];
    (void)snprintf(text, sizeof(text),
                   "%s /mcp HTTP/1.1\r\nHost: %s\r\n%s%s%s"
                   "Connection: close\r\nContent-Length: 0\r\n\r\n",
                   method, host, origin ? "Origin: " : "", origin ? origin : "",
                   origin ? "\r\n" : "");
    return send_text(site, text);
}

static void check_rows(const char *const (*rows)[2], size_t count,
                       const char *status)
{
    struct site site;
    open_site(&site, handle);
    for (size_t i = 0; i < count; i++) {
        const char *answer = ask(&site, "POST", rows[i][0], rows[i][1]);
        CHECK_ROW(strstr(answer, status) == answer,
                  rows[i][1] ? rows[i][1] : rows[i][0]);
    }
    close_site(&site);
}

TEST(origin_and_host_of_this_machine_are_allowed)
{
    static const char *const rows[][2] = {
        {"localhost", NULL},
        {"localhost:8000", "http://localhost:3000"},
        {"LOCALHOST:8000", "http://LocalHost"},
        {"127.0.0.1:8000", "http://127.0.0.1:8000"},
        {"[::1]:8000", "https://[::1]"},
        {"127.1.2.3:8000", NULL},
        {"[::ffff:127.0.0.1]:8000", NULL},
    };
    check_rows(rows, TR_LEN(rows), "HTTP/1.1 200 ");
}

TEST(origin_that_is_allowed_by_name_is_its_own_host_too)
{
    static const char *const rows[][2] = {
        {"localhost", "https://app.example"},
        {"app.example", "https://app.example"},
        {"app.example", NULL},
        {"lab.example:8080", "http://lab.example:8080"},
        {"localhost", "http://lab.example:8080"},
    };
    check_rows(rows, TR_LEN(rows), "HTTP/1.1 200 ");
}

TEST(origin_that_is_foreign_is_refused)
{
    static const char *const rows[][2] = {
        {"localhost", "https://evil.example"},
        {"localhost", "http://app.example"}, /* another scheme */
        {"localhost", "https://app.example:444"},
        {"localhost", "https://app.example.evil.example"},
        {"localhost", "http://localhost.evil.example"},
        {"localhost", "http://127.0.0.1.evil.example"},
        {"localhost", "http://localhost@evil.example"},
        {"localhost", "http://localhost:80.evil.example"},
        {"localhost", "null"}, /* a sandboxed page */
        {"localhost", "file://"},
        {"localhost", "localhost"},
    };
    check_rows(rows, TR_LEN(rows), "HTTP/1.1 403 ");
}

/* A name of theirs that leads to our address: the page's Origin is its own. */
TEST(origin_of_a_foreign_host_is_refused)
{
    static const char *const rows[][2] = {
        {"evil.example", NULL},
        {"192.0.2.1:8000", NULL},
        {"[2001:db8::1]:8000", NULL},
        {"127.0.0.1.evil.example", NULL},
        {"evil.example:8000", "http://evil.example:8000"},
        {"evil.example", "http://localhost"},
        {"lab.example", NULL}, /* without its port */
        {"localhost.evil.example", NULL},
    };
    check_rows(rows, TR_LEN(rows), "HTTP/1.1 403 ");
}

TEST(origin_refusal_is_an_error_of_json_rpc)
{
    struct site site;
    open_site(&site, handle);
    const char *answer =
        ask(&site, "POST", "localhost", "https://evil.example");
    CHECK(strstr(answer, "\r\nContent-Type: application/json\r\n"));
    CHECK(strstr(answer, "\r\n\r\n" REFUSED));
    close_site(&site);
}

/* What a browser asks before a page of that origin may send. */
TEST(origin_is_told_what_its_page_may_read)
{
    struct site site;
    open_site(&site, tr_mcp_http_options);
    const char *answer =
        ask(&site, "OPTIONS", "localhost", "https://app.example");
    static const char *const wanted[] = {
        "HTTP/1.1 204 ",
        "\r\nAccess-Control-Allow-Origin: https://app.example\r\n",
        "\r\nAccess-Control-Expose-Headers: Mcp-Session-Id, WWW-Authent",
        "\r\nVary: Origin\r\n",
        "\r\nAccess-Control-Allow-Methods: POST, GET, DELETE, OPTIONS\r\n",
    };
    for (size_t i = 0; i < TR_LEN(wanted); i++)
        CHECK_ROW(strstr(answer, wanted[i]), wanted[i]);
    answer = ask(&site, "OPTIONS", "localhost", NULL);
    CHECK(!strstr(answer, "Access-Control"));
    CHECK(strstr(answer, "\r\nAllow: POST, GET, DELETE, OPTIONS\r\n"));
    close_site(&site);
}

static void fail_to_answer(struct tr_http_exchange *x, void *app)
{
    const tr_http_field bad = {TR_STR("X"), TR_STR("a\r\nb")};
    (void)app;
    tr_http_respond(x, 200, &bad, 1, TR_STR(""));
}

/* Whatever goes wrong after its head was read: a page that cannot read what is
 * wrong cannot mend it. */
TEST(origin_may_read_errors_too)
{
#define PAGE "Host: localhost\r\nOrigin: https://app.example\r\n"
    static const struct {
        tr_http_handler_fn *handler;
        const char *text;
        const char *status;
    } rows[] = {
        {fail_to_answer, "GET / HTTP/1.1\r\n" PAGE "\r\n", "HTTP/1.1 500 "},
        {handle,
         "POST / HTTP/1.1\r\n" PAGE "Content-Length: 99999999999\r\n\r\n",
         "HTTP/1.1 413 "},
        {handle,
         "POST / HTTP/1.1\r\n" PAGE "Transfer-Encoding: chunked\r\n\r\nx\r\n",
         "HTTP/1.1 400 "},
    };
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        struct site site;
        open_site(&site, rows[i].handler);
        const char *answer = send_text(&site, rows[i].text);
        CHECK_ROW(strstr(answer, rows[i].status) == answer, rows[i].text);
        CHECK_ROW(strstr(answer, "\r\nAccess-Control-Allow-Origin: "
                                 "https://app.example\r\n"),
                  rows[i].text);
        close_site(&site);
    }
}

/* Each request has its own origin, or none, whoever sent one before it. */
TEST(origin_of_one_request_is_not_that_of_the_next)
{
    struct site site;
    open_site(&site, handle);
    const char *answer =
        send_text(&site, "GET / HTTP/1.1\r\n" PAGE "\r\n"
                         "GET / HTTP/1.1\r\nHost: localhost\r\n"
                         "Connection: close\r\n\r\n");
    const char *first = strstr(answer, "Access-Control-Allow-Origin");
    CHECK(first && !strstr(first + 1, "Access-Control-Allow-Origin"));
    close_site(&site);
}

TEST(origin_judges_refuse_what_may_come_once_and_comes_twice)
{
    static const struct {
        const char *fields;
        bool is_good;
    } rows[] = {
        {"Origin: http://localhost\r\norigin: http://localhost\r\n", false},
        {"Authorization: Bearer a\r\nAUTHORIZATION: Bearer a\r\n", false},
        {"Mcp-Session-Id: a\r\nX: y\r\nmcp-session-id: a\r\n", false},
        {"MCP-Protocol-Version: a\r\nMcp-Protocol-Version: a\r\n", false},
        {"Mcp-Method: a\r\nMcp-Method: a\r\n", false},
        {"Mcp-Name: a\r\nMcp-Name: b\r\n", false},
        {"Mcp-Param-Region: a\r\nMCP-PARAM-REGION: a\r\n", false},
        {"Content-Type: a\r\nContent-Type: a\r\n", false},
        {"Last-Event-ID: a\r\nLast-Event-ID: a\r\n", false},
        {"Accept: a\r\nAccept: a\r\nMcp-Name: a\r\nMcp-Nam: a\r\n", true},
    };
    struct site site;
    open_site(&site, handle);
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        char text[512];
        (void)snprintf(text, sizeof(text),
                       "GET / HTTP/1.1\r\nHost: localhost\r\n%s"
                       "Connection: close\r\n\r\n",
                       rows[i].fields);
        const char *answer = send_text(&site, text);
        const char *wanted =
            rows[i].is_good ? "HTTP/1.1 200 " : "HTTP/1.1 400 ";
        CHECK_ROW(strstr(answer, wanted) == answer, rows[i].fields);
    }
    close_site(&site);
}

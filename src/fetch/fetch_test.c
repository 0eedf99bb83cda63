#include "fetch/fetch.h"

#include "base/test.h"
#include "loop/loop.h"
#include "loop/thread.h"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#define HEADER(n, v)                                                           \
    {                                                                          \
        .name = TR_STR_INIT(n), .value = TR_STR_INIT(v)                        \
    }

/* A server on a thread of its own that gives each connection one answer, the
 * next one of a list; the last again and again. What redirects says that it
 * closes: libcurl tries connections that end without a word so often only. */
struct web {
    int fd;
    pthread_t thread;
    const char *const *answers;
    size_t at;
    char head[8192]; /* of the latest request, with what came of its body */
    char origin[64];
};

static void read_head(struct web *web, int fd)
{
    size_t len = 0;
    ssize_t got;
    while (len < sizeof(web->head) - 1 &&
           (got = read(fd, web->head + len, sizeof(web->head) - 1 - len)) > 0) {
        len += (size_t)got;
        web->head[len] = '\0';
        if (strstr(web->head, "\r\n\r\n"))
            return;
    }
}

static void *serve(void *data)
{
    struct web *web = data;
    int fd;
    while ((fd = accept(web->fd, NULL, NULL)) >= 0) {
        const char *answer = web->answers[web->at];
        read_head(web, fd);
        web->at += web->answers[web->at + 1] != NULL;
        if (write(fd, answer, strlen(answer)) < 0)
            read_head(web, fd);
        (void)shutdown(fd, SHUT_WR);
        (void)close(fd);
    }
    return NULL;
}

static void open_web(struct web *web, const char *const *answers)
{
    struct sockaddr_in at = {.sin_family = AF_INET,
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof(at);
    struct tr_err err = {0};
    *web =
        (struct web){.fd = socket(AF_INET, SOCK_STREAM, 0), .answers = answers};
    CHECK_INT(bind(web->fd, (struct sockaddr *)&at, size), 0);
    CHECK_INT(listen(web->fd, 8), 0);
    CHECK_INT(getsockname(web->fd, (struct sockaddr *)&at, &size), 0);
    (void)snprintf(web->origin, sizeof(web->origin), "http://127.0.0.1:%u",
                   (unsigned)ntohs(at.sin_port));
    CHECK_OK(tr_loop_thread_start(&web->thread, serve, web, &err), &err);
}

static void close_web(struct web *web)
{
    (void)shutdown(web->fd, SHUT_RDWR);
    (void)pthread_join(web->thread, NULL);
    (void)close(web->fd);
}

/* A loop and a client of it. */
struct out {
    struct tr_loop *loop;
    struct tr_fetch_client *client;
    struct tr_fetch_totals *totals;
    struct tr_fetch *fetch;
    tr_str allow[1];
    unsigned done;
};

static void open_out(struct out *out, const char *allow)
{
    struct tr_err err = {0};
    *out = (struct out){.allow = {tr_str_from(allow)}};
    CHECK_OK(tr_loop_create(NULL, &out->loop, &err), &err);
    CHECK_OK(tr_fetch_totals_create(&out->totals, &err), &err);
    const struct tr_fetch_opts opts = {.loop = out->loop,
                                       .allow = out->allow,
                                       .allow_count = allow ? 1 : 0,
                                       .totals = out->totals};
    CHECK_OK(tr_fetch_client_create(&opts, &out->client, &err), &err);
}

static void close_out(struct out *out)
{
    tr_fetch_free(out->fetch);
    tr_fetch_client_close(out->client);
    tr_loop_run(out->loop);
    tr_loop_free(out->loop);
    tr_fetch_totals_free(out->totals);
}

static void on_done(void *data)
{
    ((struct out *)data)->done++;
}

/* Fetches, and waits for its end. */
static const struct tr_fetch_reply *run(struct out *out,
                                        struct tr_fetch_request *request)
{
    struct tr_err err = {0};
    request->done = on_done;
    request->data = out;
    tr_fetch_free(out->fetch);
    out->fetch = NULL;
    out->done = 0;
    CHECK_OK(tr_fetch_start(out->client, request, &out->fetch, &err), &err);
    CHECK_INT(out->done, 0);
    tr_loop_run(out->loop);
    CHECK_INT(out->done, 1);
    return tr_fetch_reply_of(out->fetch);
}

static const struct tr_fetch_reply *get(struct out *out, struct web *web,
                                        const char *const *answers)
{
    struct tr_fetch_request request = {.follows = true, .max_bytes = 64};
    char url[128];
    open_web(web, answers);
    int len = snprintf(url, sizeof(url), "%s/a?secret", web->origin);
    request.url = (tr_str){url, (size_t)len};
    open_out(out, web->origin);
    return run(out, &request);
}

static tr_str header(const struct tr_fetch_reply *reply, const char *name)
{
    for (size_t i = 0; i < reply->header_count; i++) {
        if (tr_str_eq(reply->headers[i].name, tr_str_from(name)))
            return reply->headers[i].value;
    }
    return TR_STR("");
}

TEST(an_answer_has_a_code_headers_and_a_body)
{
    static const char *const answers[] = {
        "HTTP/1.1 404 Gone\r\nContent-Length: 4\r\nX-One:  two "
        "\xff\r\n\r\nbody",
        NULL};
    struct web web;
    struct out out;
    const struct tr_fetch_reply *reply = get(&out, &web, answers);
    CHECK_OK(reply->status, &reply->err);
    CHECK_INT(reply->code, 404);
    CHECK_INT(reply->hops, 0);
    CHECK_STR(reply->body, "body");
    CHECK_STR(header(reply, "x-one"), "two ?");
    CHECK(strncmp(web.head, "GET /a?secret HTTP/1.1\r\n", 24) == 0);
    close_out(&out);
    close_web(&web);
}

static const struct {
    const char *answer;
    tr_status status;
    const char *reason;
} broken[] = {
    {"", TR_E_UNAVAILABLE, "protocol"},
    {"SSH-2.0-OpenSSH\r\n\r\n", TR_E_UNAVAILABLE, "protocol"},
    {"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nbody", TR_E_UNAVAILABLE,
     "protocol"},
    {"HTTP/1.1 200 OK\r\nContent-Length: 65\r\n\r\n"
     "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
     TR_E_LIMIT, "size"},
    {"HTTP/1.1 200 OK\r\nno header\r\n\r\n", TR_E_UNAVAILABLE, "protocol"},
    {"HTTP/1.1 200 OK\r\nX: a\x01\r\n\r\n", TR_E_UNAVAILABLE, "protocol"},
    {"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\n"
     "body",
     TR_E_UNAVAILABLE, "protocol"},
    /* "yes", with its last ten bytes and without them */
    {"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n"
     "\x1f\x8b\x08\x01\x01\x01\x01\x01\x02\x03\xab",
     TR_E_UNAVAILABLE, "protocol"},
    {"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n"
     "1\r\n\x1f\r\n0\r\n\r\n",
     TR_E_UNAVAILABLE, "protocol"},
    {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n"
     "Transfer-Encoding: deflate\r\n\r\n1\r\nx\r\n0\r\n\r\n",
     TR_E_UNAVAILABLE, "protocol"},
    {"HTTP/1.1 302 Found\r\nLocation: /../x\r\nConnection: "
     "close\r\nContent-Length: 0\r\n\r\n",
     TR_E_UNAVAILABLE, "redirect"},
    {"HTTP/1.1 302 Found\r\nLocation: file:///etc/passwd\r\n"
     "Connection: close\r\nContent-Length: 0\r\n\r\n",
     TR_E_UNAVAILABLE, "redirect"},
    {"HTTP/1.1 302 Found\r\nLocation: http://u@127.0.0.1/\r\n"
     "Connection: close\r\nContent-Length: 0\r\n\r\n",
     TR_E_UNAVAILABLE, "redirect"},
    {"HTTP/1.1 302 Found\r\nLocation: http://a.example/\r\n"
     "Connection: close\r\nContent-Length: 0\r\n\r\n",
     TR_E_INVALID, "redirect"},
    {"HTTP/1.1 302 Found\r\nLocation: https://127.0.0.1:1/\r\n"
     "Connection: close\r\nContent-Length: 0\r\n\r\n",
     TR_E_INTERNAL, "address"},
    {"HTTP/1.1 302 Found\r\nLocation: /again\r\nConnection: "
     "close\r\nContent-Length: 0\r\n\r\n",
     TR_E_UNAVAILABLE, "redirect"},
};

TEST(a_broken_answer_is_an_error_without_the_url)
{
    for (size_t i = 0; i < TR_LEN(broken); i++) {
        const char *const answers[] = {broken[i].answer, NULL};
        struct web web;
        struct out out;
        const struct tr_fetch_reply *reply = get(&out, &web, answers);
        CHECK_ROW(reply->status == broken[i].status, broken[i].answer);
        if (!reply->reason || strcmp(reply->reason, broken[i].reason) != 0)
            print_error("got: %s: %s\n", reply->reason, reply->err.msg);
        CHECK_ROW(reply->reason && strcmp(reply->reason, broken[i].reason) == 0,
                  broken[i].answer);
        CHECK_ROW(!strstr(reply->err.msg, "secret"), reply->err.msg);
        CHECK_ROW(strstr(reply->err.msg, reply->host) != NULL, reply->err.msg);
        close_out(&out);
        close_web(&web);
    }
}

TEST(a_redirect_is_followed_as_browsers_do)
{
    static const char *const answers[] = {
        "HTTP/1.1 303 See\r\nLocation: b?c\r\nConnection: "
        "close\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", NULL};
    static const struct tr_fetch_header headers[] = {
        HEADER("X-Key", "k"), HEADER("Content-Type", "text/plain")};
    struct web web;
    struct out out;
    char url[128];
    open_web(&web, answers);
    (void)snprintf(url, sizeof(url), "%s/x/a", web.origin);
    struct tr_fetch_request request = {.url = tr_str_from(url),
                                       .method = TR_STR("POST"),
                                       .headers = headers,
                                       .header_count = 2,
                                       .body = TR_STR("hello"),
                                       .has_body = true,
                                       .follows = true};
    open_out(&out, web.origin);
    const struct tr_fetch_reply *reply = run(&out, &request);
    CHECK_OK(reply->status, &reply->err);
    CHECK_INT(reply->hops, 1);
    CHECK_STR(reply->body, "ok");
    CHECK(strncmp(web.head, "GET /x/b?c HTTP/1.1\r\n", 21) == 0);
    CHECK(strstr(web.head, "X-Key: k\r\n"));
    CHECK(!strstr(web.head, "Content-Type"));
    CHECK(!strstr(web.head, "Content-Length"));
    close_out(&out);
    close_web(&web);
}

TEST(headers_do_not_go_to_another_origin)
{
    static const char *const fine[] = {
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", NULL};
    static const struct tr_fetch_header headers[] = {
        HEADER("Authorization", "Bearer k"),
        HEADER("X-Key", "k"),
        HEADER("Accept", "text/plain"),
        {.name = TR_STR_INIT("Accept-Language"),
         .value = TR_STR_INIT("k"),
         .is_secret = true}};
    struct web web;
    struct web other;
    struct out out;
    char answer[256];
    open_web(&other, fine);
    (void)snprintf(answer, sizeof(answer),
                   "HTTP/1.1 307 T\r\nLocation: %s/b\r\n"
                   "Connection: close\r\nContent-Length: 0\r\n\r\n",
                   other.origin);
    const char *const answers[] = {answer, NULL};
    open_web(&web, answers);
    open_out(&out, NULL);
    tr_fetch_client_close(out.client);
    const tr_str allow[] = {tr_str_from(web.origin), tr_str_from(other.origin)};
    const struct tr_fetch_opts opts = {
        .loop = out.loop, .allow = allow, .allow_count = 2};
    struct tr_err err = {0};
    CHECK_OK(tr_fetch_client_create(&opts, &out.client, &err), &err);
    struct tr_fetch_request request = {.url = tr_str_from(web.origin),
                                       .headers = headers,
                                       .header_count = 4,
                                       .follows = true};
    const struct tr_fetch_reply *reply = run(&out, &request);
    CHECK_OK(reply->status, &reply->err);
    CHECK(strstr(web.head, "Authorization: Bearer k\r\n"));
    CHECK(!strstr(other.head, "Authorization"));
    CHECK(!strstr(other.head, "X-Key"));
    CHECK(strstr(web.head, "Accept-Language: k\r\n"));
    CHECK(!strstr(other.head, "Accept-Language"));
    CHECK(strstr(other.head, "Accept: text/plain\r\n"));
    request.method = TR_STR("POST");
    request.body = TR_STR("k");
    request.has_body = request.is_secret = true;
    reply = run(&out, &request);
    CHECK_INT(reply->status, TR_E_UNAVAILABLE);
    CHECK(strcmp(reply->reason, "redirect") == 0);
    close_out(&out);
    close_web(&web);
    close_web(&other);
}

static const char *const inside[] = {
    "https://127.0.0.1:1/",
    "https://localhost:1/",
    "https://[::1]:1/",
    "https://[::ffff:127.0.0.1]:1/",
    "https://[64:ff9b::7f00:1]:1/",
    "https://[::]:1/",
    "https://0.0.0.0:1/",
    "https://169.254.169.254/",
    "https://10.255.255.1:1/",
};

TEST(no_socket_is_opened_to_an_address_inside)
{
    struct out out;
    open_out(&out, NULL);
    for (size_t i = 0; i < TR_LEN(inside); i++) {
        struct tr_fetch_request request = {.url = tr_str_from(inside[i])};
        const struct tr_fetch_reply *reply = run(&out, &request);
        CHECK_ROW(reply->status == TR_E_INTERNAL, inside[i]);
        CHECK_ROW(strcmp(reply->reason, "address") == 0, inside[i]);
    }
    close_out(&out);
}

TEST(nobody_who_answers_is_an_error)
{
    struct out out;
    struct tr_fetch_request request = {.url = TR_STR("http://127.0.0.1:1/"),
                                       .is_operators = true};
    open_out(&out, NULL);
    CHECK(strcmp(run(&out, &request)->reason, "connect") == 0);
    request.url = TR_STR("https://no.such.host.invalid/");
    CHECK(strcmp(run(&out, &request)->reason, "dns") == 0);
    close_out(&out);
}

static tr_status refuse(void *data, const struct tr_fetch_url *url,
                        struct tr_err *err)
{
    (void)data;
    return tr_fail(err, TR_E_SCOPE, "not %s", url->host);
}

TEST(a_request_that_may_not_be_is_not_begun)
{
    static const struct tr_fetch_header bad[] = {
        HEADER("X", "a\r\nHost: b"),
        HEADER("X", "a\0b"),
        HEADER("X\r\nY", "a"),
        HEADER("", "a"),
        HEADER("X:", "a"),
        HEADER("Host", "b"),
        HEADER("content-LENGTH", "1"),
        HEADER("Transfer-Encoding", "chunked"),
        HEADER("Connection", "close"),
        HEADER("Upgrade", "h2c"),
        HEADER("Proxy-Authorization", "x"),
    };
    struct out out;
    struct tr_err err = {0};
    struct tr_fetch *fetch = NULL;
    open_out(&out, NULL);
    struct tr_fetch_request request = {.url = TR_STR("https://a.example/"),
                                       .header_count = 1};
    for (size_t i = 0; i < TR_LEN(bad); i++) {
        request.headers = &bad[i];
        CHECK_INT(tr_fetch_start(out.client, &request, &fetch, &err),
                  TR_E_INVALID);
    }
    request.header_count = 0;
    request.method = TR_STR("TRACE");
    CHECK_INT(tr_fetch_start(out.client, &request, &fetch, &err), TR_E_INVALID);
    request.method = TR_STR("GET");
    request.has_body = true;
    CHECK_INT(tr_fetch_start(out.client, &request, &fetch, &err), TR_E_INVALID);
    request.has_body = false;
    request.url = TR_STR("http://a.example/");
    CHECK_INT(tr_fetch_start(out.client, &request, &fetch, &err), TR_E_INVALID);
    request.is_operators = true;
    CHECK_INT(tr_fetch_start(out.client, &request, &fetch, &err), TR_E_INVALID);
    request.may = refuse;
    CHECK_INT(tr_fetch_start(out.client, &request, &fetch, &err), TR_E_SCOPE);
    close_out(&out);
}

TEST(a_fetch_that_is_freed_tells_nobody)
{
    static const char *const answers[] = {
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", NULL};
    struct web web;
    struct out out;
    struct tr_err err = {0};
    open_web(&web, answers);
    open_out(&out, web.origin);
    struct tr_fetch_request request = {
        .url = tr_str_from(web.origin), .done = on_done, .data = &out};
    CHECK_OK(tr_fetch_start(out.client, &request, &out.fetch, &err), &err);
    tr_fetch_free(out.fetch);
    out.fetch = NULL;
    tr_loop_run(out.loop);
    CHECK_INT(out.done, 0);
    close_out(&out);
    close_web(&web);
}

static void add_up(void *data, const struct tr_fetch_host_count *count)
{
    struct tr_fetch_host_count *sum = data;
    sum->answered += count->answered;
    sum->failed += count->failed;
    sum->refused += count->refused;
    sum->bytes += count->bytes;
}

TEST(hosts_are_counted)
{
    static const char *const answers[] = {
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", NULL};
    struct web web;
    struct out out;
    struct tr_fetch_host_count sum = {0};
    (void)get(&out, &web, answers);
    struct tr_fetch_request inner = {.url = TR_STR("https://127.0.0.1:1/")};
    (void)run(&out, &inner);
    struct tr_fetch_request nobody = {.url = TR_STR("http://127.0.0.1:1/"),
                                      .is_operators = true};
    (void)run(&out, &nobody);
    tr_fetch_totals_each(out.totals, add_up, &sum);
    CHECK_INT(sum.answered, 1);
    CHECK_INT(sum.refused, 1);
    CHECK_INT(sum.failed, 1);
    CHECK_INT(sum.bytes, 2);
    close_out(&out);
    close_web(&web);
}

static void must_be(void *data, const struct tr_fetch_host_count *count)
{
    CHECK(strcmp(count->host, data) == 0);
    CHECK_INT(count->refused, 1);
}

/* Else it could fill the list of hosts with names of its own making. */
TEST(where_a_host_leads_is_counted_as_its_own_doing)
{
    static const char *const answers[] = {
        "HTTP/1.1 302 Found\r\nLocation: http://made.up.example/\r\n"
        "Connection: close\r\nContent-Length: 0\r\n\r\n",
        NULL};
    struct web web;
    struct out out;
    const struct tr_fetch_reply *reply = get(&out, &web, answers);
    CHECK(strcmp(reply->host, "made.up.example") == 0);
    tr_fetch_totals_each(out.totals, must_be, web.origin + strlen("http://"));
    close_out(&out);
    close_web(&web);
}

TEST(an_origin_is_what_allow_takes)
{
    CHECK(!tr_fetch_check_allow(TR_STR("https://wiki.example")));
    CHECK(!tr_fetch_check_allow(TR_STR("http://127.0.0.1:9000/")));
    CHECK(tr_fetch_check_allow(TR_STR("wiki.example")));
    CHECK(tr_fetch_check_allow(TR_STR("https://wiki.example/a")));
    CHECK(tr_fetch_check_allow(TR_STR("https://*.example")));
    CHECK(tr_fetch_check_allow(TR_STR("")));
}

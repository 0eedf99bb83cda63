#include "fetch/fetch.h"

#include "base/test.h"
#include "loop/thread.h"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

TEST(only_what_nobody_can_read_on_the_way_is_fetched)
{
    static const char *const good[] = {
        "https://a.example/keys",    "https://a",
        "http://127.0.0.1:8000/a",   "http://localhost/keys",
        "http://[::1]:80/keys.json", "http://localhost",
    };
    static const char *const bad[] = {
        "",
        "https://",
        "http://a.example/keys",
        "http://localhost.example/keys",
        "http://127.0.0.1.example/",
        "http://127.0.0.10/",
        "HTTPS://a.example/keys",
        "ftp://localhost/keys",
        "file:///etc/passwd",
        "http://localhost@a.example/",
    };
    for (size_t i = 0; i < TR_LEN(good); i++)
        CHECK_ROW(tr_fetch_takes(tr_str_from(good[i])), good[i]);
    for (size_t i = 0; i < TR_LEN(bad); i++)
        CHECK_ROW(!tr_fetch_takes(tr_str_from(bad[i])), bad[i]);
}

TEST(what_cannot_be_fetched_is_an_error)
{
    struct tr_fetch plain = {.url = "http://a.example/"};
    struct tr_fetch nobody = {.url = "http://127.0.0.1:1/"};
    struct tr_err err = {0};
    struct tr_buf out;
    tr_buf_init(&out, 1024);
    CHECK_INT(tr_fetch_get(&plain, &out, &err), TR_E_INVALID);
    CHECK_STR(tr_str_from(err.msg), "http://a.example/ is not https");
    CHECK_INT(tr_fetch_get(&nobody, &out, &err), TR_E_IO);
    CHECK_INT(out.len, 0);
    tr_buf_done(&out);
}

/* A server on a thread of its own that gives each connection one answer. */
struct web {
    int fd;
    pthread_t thread;
    const char *answer; /* NULL: it says nothing until the other side goes */
    char url[64];
};

static void read_head(int fd)
{
    char bytes[2048];
    size_t len = 0;
    ssize_t got;
    while (len < sizeof(bytes) - 1 &&
           (got = read(fd, bytes + len, sizeof(bytes) - 1 - len)) > 0) {
        len += (size_t)got;
        bytes[len] = '\0';
        if (strstr(bytes, "\r\n\r\n"))
            return;
    }
}

static void *serve(void *data)
{
    const struct web *web = data;
    int fd;
    while ((fd = accept(web->fd, NULL, NULL)) >= 0) {
        read_head(fd);
        if (!web->answer || write(fd, web->answer, strlen(web->answer)) <= 0)
            read_head(fd);
        (void)close(fd);
    }
    return NULL;
}

static void open_web(struct web *web, const char *answer)
{
    struct sockaddr_in at = {.sin_family = AF_INET,
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof(at);
    struct tr_err err = {0};
    *web =
        (struct web){.fd = socket(AF_INET, SOCK_STREAM, 0), .answer = answer};
    CHECK_INT(bind(web->fd, (struct sockaddr *)&at, size), 0);
    CHECK_INT(listen(web->fd, 8), 0);
    CHECK_INT(getsockname(web->fd, (struct sockaddr *)&at, &size), 0);
    (void)snprintf(web->url, sizeof(web->url), "http://127.0.0.1:%u/keys",
                   (unsigned)ntohs(at.sin_port));
    CHECK_OK(tr_loop_thread_start(&web->thread, serve, web, &err), &err);
}

static void close_web(struct web *web)
{
    (void)shutdown(web->fd, SHUT_RDWR);
    (void)pthread_join(web->thread, NULL);
    (void)close(web->fd);
}

static bool has_enough(void *data)
{
    (void)data;
    return false;
}

/* Fetches from a server that answers so. */
static tr_status ask(const char *answer, size_t max, char body[64],
                     struct tr_err *err)
{
    struct tr_buf out;
    struct web web;
    open_web(&web, answer);
    tr_buf_init(&out, max);
    struct tr_fetch fetch = {.url = web.url,
                             .goes_on = answer ? NULL : has_enough};
    tr_status status = tr_fetch_get(&fetch, &out, err);
    (void)snprintf(body, 64, "%.*s", TR_FMT(tr_buf_str(&out)));
    tr_buf_done(&out);
    close_web(&web);
    return status;
}

#define OK "HTTP/1.1 200 OK\r\nConnection: close\r\n"

/* A way around that leads nowhere is not taken to this machine. */
TEST(body_of_a_200_is_fetched)
{
    struct tr_err err = {0};
    char body[64];
    CHECK_INT(setenv("http_proxy", "http://127.0.0.1:1/", 1), 0);
    CHECK_OK(ask(OK "Content-Length: 7\r\n\r\n{\"a\":1}", 64, body, &err),
             &err);
    CHECK_STR(tr_str_from(body), "{\"a\":1}");
    CHECK_INT(unsetenv("http_proxy"), 0);
}

TEST(other_answers_are_errors)
{
    struct tr_err err = {0};
    char body[64];
    CHECK_INT(ask("HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\n"
                  "Content-Length: 0\r\nConnection: close\r\n\r\n",
                  64, body, &err),
              TR_E_IO);
    CHECK(strstr(err.msg, "status 302"));
    CHECK_INT(ask(OK "Content-Length: 10\r\n\r\n0123456789", 9, body, &err),
              TR_E_LIMIT);
    CHECK_INT(ask(NULL, 64, body, &err), TR_E_CANCELLED);
}

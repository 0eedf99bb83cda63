/* Several loops behind one address; also built and run with TSan. */
#include "base/test.h"
#include "http/conn.h"
#include "http/server.h"
#include "http/sse.h"
#include "loop/loop.h"
#include "net/listener.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <unistd.h>

#define LOOPS    2
#define CLIENTS  4
#define REQUESTS 200

struct site;

struct one {
    struct site *site;
    pthread_t thread;
    struct tr_loop *loop;
    struct tr_http_server *server;
    struct tr_http_sse *streams[CLIENTS];
    size_t stream_count;
};

struct site {
    struct one ones[LOOPS];
    size_t turn; /* of the loop that gets the next connection */
    struct tr_net_listener *listener;
    unsigned port;
    _Atomic unsigned streams; /* open on all loops */
};

/* A request is worked on by the other loop, and answered by its own. */
struct work {
    struct one *one;
    struct tr_http_exchange *x;
    uint64_t sum;
};

static void answer(void *data)
{
    struct work *work = data;
    char text[32];
    (void)snprintf(text, sizeof(text), "%llu", (unsigned long long)work->sum);
    tr_http_respond(work->x, 200, NULL, 0, tr_str_from(text));
}

static void add_up(void *data)
{
    struct work *work = data;
    tr_str body = tr_http_exchange_request(work->x)->body;
    for (size_t i = 0; i < body.len; i++)
        work->sum += (unsigned char)body.ptr[i];
    CHECK_OK(tr_loop_post(work->one->loop, answer, work, NULL), NULL);
}

static struct one *other_of(struct one *one)
{
    struct one *ones = one->site->ones;
    return &ones[(size_t)(one - ones + 1) % LOOPS];
}

static void handle(struct tr_http_exchange *x, void *app)
{
    struct one *one = app;
    if (tr_str_eq(tr_http_exchange_request(x)->path, TR_STR("/stream"))) {
        CHECK(one->stream_count < CLIENTS);
        one->streams[one->stream_count++] = tr_http_sse_open(x, NULL, 0);
        tr_http_exchange_forget(x);
        atomic_fetch_add(&one->site->streams, 1);
        return;
    }
    struct work *work = TR_NEW(&x->arena, struct work);
    if (!work) {
        tr_http_respond_text(x, 500, NULL);
        return;
    }
    *work = (struct work){.one = one, .x = x};
    CHECK_OK(tr_loop_post(other_of(one)->loop, add_up, work, NULL), NULL);
}

static void *run(void *data)
{
    tr_loop_run(((struct one *)data)->loop);
    return NULL;
}

struct guest {
    struct tr_http_server *server;
    int fd;
};

static void arrive(void *data)
{
    struct guest *guest = data;
    tr_http_server_take(guest->server, guest->fd);
    free(guest);
}

/* The first loop accepts, and each gets a connection in turn. */
static void on_accept(void *owner, int fd)
{
    struct site *site = owner;
    struct one *one = &site->ones[site->turn++ % LOOPS];
    struct guest *guest = calloc(1, sizeof(*guest));
    CHECK(guest);
    if (!guest)
        return;
    *guest = (struct guest){one->server, fd};
    CHECK_OK(tr_loop_post(one->loop, arrive, guest, NULL), NULL);
}

static void open_site(struct site *site)
{
    const struct tr_net_listen_opts opts = {.address = TR_STR("127.0.0.1:0"),
                                            .on_accept = on_accept,
                                            .owner = site};
    *site = (struct site){0};
    for (size_t i = 0; i < LOOPS; i++) {
        struct one *one = &site->ones[i];
        one->site = site;
        CHECK_OK(tr_loop_create(NULL, &one->loop, NULL), NULL);
        CHECK_OK(tr_http_server_create(one->loop, NULL, handle, one,
                                       &one->server, NULL),
                 NULL);
    }
    CHECK_OK(
        tr_net_listener_open(site->ones[0].loop, &opts, &site->listener, NULL),
        NULL);
    site->port = tr_net_listener_port(site->listener);
    for (size_t i = 0; i < LOOPS; i++)
        CHECK(pthread_create(&site->ones[i].thread, NULL, run,
                             &site->ones[i]) == 0);
}

/* On its loop: ends the streams properly, then the server. */
static void close_one(void *data)
{
    struct one *one = data;
    for (size_t i = 0; i < one->stream_count; i++)
        tr_http_sse_close(one->streams[i]);
    if (one == one->site->ones)
        tr_net_listener_close(one->site->listener);
    tr_http_server_close(one->server, 5000, NULL, NULL);
}

static void close_site(struct site *site)
{
    for (size_t i = 0; i < LOOPS; i++)
        CHECK_OK(
            tr_loop_post(site->ones[i].loop, close_one, &site->ones[i], NULL),
            NULL);
    for (size_t i = 0; i < LOOPS; i++)
        (void)pthread_join(site->ones[i].thread, NULL);
    for (size_t i = 0; i < LOOPS; i++)
        tr_loop_free(site->ones[i].loop);
}

static int connect_to(const struct site *site)
{
    struct sockaddr_in to = {.sin_family = AF_INET,
                             .sin_port = htons((in_port_t)site->port),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    CHECK(fd >= 0 && connect(fd, (struct sockaddr *)&to, sizeof(to)) == 0);
    return fd;
}

/* Up to `end`, or to the end of the stream when it is empty. */
static void read_until(int fd, const char *end, char *text, size_t size)
{
    size_t len = 0;
    text[0] = '\0';
    while (!end[0] || !strstr(text, end)) {
        CHECK(len + 1 < size);
        ssize_t count = recv(fd, text + len, size - len - 1, 0);
        if (count <= 0)
            break;
        len += (size_t)count;
        text[len] = '\0';
    }
    CHECK_ROW(!end[0] || strstr(text, end), text);
}

static void *be_client(void *data)
{
    struct site *site = data;
    char text[1024];
    int fd = connect_to(site);
    for (int i = 0; i < REQUESTS; i++) {
        char request[128];
        int len = snprintf(request, sizeof(request),
                           "POST / HTTP/1.1\r\nHost: a\r\n"
                           "Content-Length: 3\r\n\r\n%03d",
                           i);
        CHECK(send(fd, request, (size_t)len, MSG_NOSIGNAL) == len);
        char end[32];
        (void)snprintf(end, sizeof(end), "\r\n\r\n%d",
                       '0' * 3 + i / 100 + i / 10 % 10 + i % 10);
        read_until(fd, end, text, sizeof(text));
    }
    (void)close(fd);
    return NULL;
}

TEST(http_serves_many_clients_on_several_loops)
{
    struct site site;
    pthread_t clients[CLIENTS];
    open_site(&site);
    for (size_t i = 0; i < CLIENTS; i++)
        CHECK(pthread_create(&clients[i], NULL, be_client, &site) == 0);
    for (size_t i = 0; i < CLIENTS; i++)
        (void)pthread_join(clients[i], NULL);
    close_site(&site);
}

struct news {
    struct one *one;
    const char *text; /* a constant: copied by every loop */
};

static void send_news(void *data)
{
    struct news *news = data;
    for (size_t i = 0; i < news->one->stream_count; i++)
        CHECK_OK(tr_http_sse_send(news->one->streams[i], TR_STR(""), TR_STR(""),
                                  tr_str_from(news->text), NULL),
                 NULL);
}

TEST(http_carries_news_to_the_streams_of_every_loop)
{
    struct site site;
    struct news news[LOOPS];
    int fds[CLIENTS];
    char text[1024];
    open_site(&site);
    for (size_t i = 0; i < CLIENTS; i++) {
        static const char request[] = "GET /stream HTTP/1.1\r\nHost: a\r\n\r\n";
        fds[i] = connect_to(&site);
        CHECK(send(fds[i], request, sizeof(request) - 1, MSG_NOSIGNAL) > 0);
        read_until(fds[i], "\r\n\r\n", text, sizeof(text));
    }
    CHECK_INT(atomic_load(&site.streams), CLIENTS);
    for (size_t i = 0; i < LOOPS; i++) {
        news[i] = (struct news){&site.ones[i], "news"};
        CHECK_OK(tr_loop_post(site.ones[i].loop, send_news, &news[i], NULL),
                 NULL);
    }
    for (size_t i = 0; i < CLIENTS; i++)
        read_until(fds[i], "data: news\n\n", text, sizeof(text));
    close_site(&site);
    for (size_t i = 0; i < CLIENTS; i++) {
        read_until(fds[i], "0\r\n\r\n", text, sizeof(text));
        (void)close(fds[i]);
    }
}

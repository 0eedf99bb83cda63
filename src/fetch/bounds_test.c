/*
 * How many fetches there may be at once, and what becomes of one without
 * memory; the host says nothing, or is as short as it can be.
 */
#include "base/test.h"
#include "fetch/fetch.h"
#include "loop/loop.h"
#include "support/peer.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#define STARTED (TR_LIMIT_FETCHES + 1)

/* A host that takes connections, and counts them. */
struct host {
    int fd;
    int peers[STARTED];
    size_t count;
    size_t wanted;
    char origin[64];
    tr_str allow;
    struct tr_loop *loop;
    struct tr_fetch_totals *totals;
    struct tr_fetch_client *client;
    struct tr_fetch *fetches[STARTED];
    unsigned done;
};

static void open_host(struct host *host)
{
    struct sockaddr_in at = {.sin_family = AF_INET,
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof(at);
    struct tr_err err = {0};
    *host = (struct host){.fd = socket(AF_INET, SOCK_STREAM, 0)};
    CHECK_INT(bind(host->fd, (struct sockaddr *)&at, size), 0);
    CHECK_INT(listen(host->fd, STARTED), 0);
    CHECK_INT(fcntl(host->fd, F_SETFL, O_NONBLOCK), 0);
    CHECK_INT(getsockname(host->fd, (struct sockaddr *)&at, &size), 0);
    (void)snprintf(host->origin, sizeof(host->origin), "http://127.0.0.1:%u",
                   (unsigned)ntohs(at.sin_port));
    host->allow = tr_str_from(host->origin);
    CHECK_OK(tr_loop_create(NULL, &host->loop, &err), &err);
    CHECK_OK(tr_fetch_totals_create(&host->totals, &err), &err);
    const struct tr_fetch_opts opts = {.loop = host->loop,
                                       .allow = &host->allow,
                                       .allow_count = 1,
                                       .totals = host->totals};
    CHECK_OK(tr_fetch_client_create(&opts, &host->client, &err), &err);
}

static void close_host(struct host *host)
{
    for (size_t i = 0; i < STARTED; i++)
        tr_fetch_free(host->fetches[i]);
    for (size_t i = 0; i < host->count; i++)
        (void)close(host->peers[i]);
    (void)close(host->fd);
    tr_fetch_client_close(host->client);
    tr_loop_run(host->loop);
    tr_loop_free(host->loop);
    tr_fetch_totals_free(host->totals);
}

static void on_done(void *data)
{
    ((struct host *)data)->done++;
}

static tr_status begin(struct host *host, size_t i, struct tr_err *err)
{
    const struct tr_fetch_request request = {
        .url = host->allow, .done = on_done, .data = host, .timeout_ms = 60000};
    return tr_fetch_start(host->client, &request, &host->fetches[i], err);
}

/* Takes all connections that are there. */
static bool has_taken(void *data)
{
    struct host *host = data;
    int fd;
    while ((fd = accept(host->fd, NULL, NULL)) >= 0)
        host->peers[host->count++] = fd;
    return host->count >= host->wanted;
}

static void give_up(struct host *host, size_t i)
{
    tr_fetch_free(host->fetches[i]);
    host->fetches[i] = NULL;
}

TEST(a_process_has_so_many_fetches_and_a_host_so_many_connections)
{
    struct host host;
    struct tr_err err = {0};
    open_host(&host);
    for (size_t i = 0; i < TR_LIMIT_FETCHES; i++)
        CHECK_OK(begin(&host, i, &err), &err);
    CHECK_INT(begin(&host, TR_LIMIT_FETCHES, &err), TR_E_UNAVAILABLE);
    CHECK_STR(tr_str_from(err.msg), "more than 256 fetches run at once");
    host.wanted = TR_LIMIT_FETCH_AT_ONCE;
    tr_peer_until(host.loop, has_taken, &host);
    tr_peer_settle(host.loop);
    (void)has_taken(&host);
    CHECK_INT(host.count, TR_LIMIT_FETCH_AT_ONCE);
    CHECK_INT(host.done, 0); /* the others wait */

    /* One that is given up makes room for one, and its connection for one. */
    give_up(&host, 0);
    CHECK_OK(begin(&host, TR_LIMIT_FETCHES, &err), &err);
    CHECK_INT(begin(&host, 0, &err), TR_E_UNAVAILABLE);
    host.wanted++;
    tr_peer_until(host.loop, has_taken, &host);
    close_host(&host);
}

static tr_status begin_and_free(void *context, struct tr_err *err)
{
    struct host *host = context;
    TR_TRY(begin(host, 0, err));
    give_up(host, 0);
    return TR_OK;
}

TEST(a_fetch_without_memory_does_not_begin)
{
    struct host host;
    struct tr_err err = {0};
    open_host(&host);
    CHECK_OK(begin_and_free(&host, &err), &err); /* libcurl is there */
    tr_test_sweep(begin_and_free, &host);
    for (size_t i = 0; i < TR_LIMIT_FETCHES; i++) /* and is not counted */
        CHECK_OK(begin(&host, i, &err), &err);
    close_host(&host);
}

static bool is_asked(void *data)
{
    struct host *host = data;
    char byte;
    (void)has_taken(data);
    return host->done ||
           (host->count && recv(host->peers[host->count - 1], &byte, 1,
                                MSG_PEEK | MSG_DONTWAIT) == 1);
}

static bool is_done(void *data)
{
    return ((struct host *)data)->done > 0;
}

static const char answer[] =
    "HTTP/1.1 200 OK\r\nConnection: close\r\nX-One: two\r\n"
    "Content-Length: 5\r\n\r\nhello";

/* Whatever fails on the way is told as the end of the fetch, and no memory is
 * no answer. */
static tr_status fetch_all(void *context, struct tr_err *err)
{
    struct host *host = context;
    host->done = 0;
    TR_TRY(begin(host, 0, err));
    tr_peer_until(host->loop, is_asked, host);
    if (!host->done)
        CHECK(write(host->peers[host->count - 1], answer, strlen(answer)) > 0);
    tr_peer_until(host->loop, is_done, host);
    const struct tr_fetch_reply *reply = tr_fetch_reply_of(host->fetches[0]);
    tr_status status = reply->status;
    if (status == TR_OK)
        CHECK_STR(reply->body, "hello");
    give_up(host, 0);
    while (host->count)
        (void)close(host->peers[--host->count]);
    tr_peer_settle(host->loop);
    return status == TR_OK ? TR_OK : TR_E_NOMEM;
}

TEST(a_fetch_that_runs_out_of_memory_ends_and_no_other)
{
    struct host host;
    struct tr_err err = {0};
    open_host(&host);
    CHECK_OK(begin(&host, 1, &err), &err);
    tr_peer_until(host.loop, is_asked, &host);
    int other = host.peers[0];
    host.count = 0;
    CHECK_OK(fetch_all(&host, &err), &err);
    tr_test_sweep(fetch_all, &host);
    host.done = 0;
    CHECK(write(other, answer, strlen(answer)) > 0);
    tr_peer_until(host.loop, is_done, &host);
    CHECK_STR(tr_fetch_reply_of(host.fetches[1])->body, "hello");
    (void)close(other);
    close_host(&host);
}

static tr_status create(void *context, struct tr_err *err)
{
    struct host *host = context;
    const struct tr_fetch_opts opts = {.loop = host->loop};
    struct tr_fetch_totals *totals = NULL;
    struct tr_fetch_client *client = NULL;
    TR_TRY(tr_fetch_totals_create(&totals, err));
    tr_fetch_totals_free(totals);
    TR_TRY(tr_fetch_client_create(&opts, &client, err));
    tr_fetch_client_close(client);
    return TR_OK;
}

TEST(no_client_is_made_without_memory)
{
    struct host host;
    open_host(&host);
    tr_test_sweep(create, &host);
    close_host(&host);
}

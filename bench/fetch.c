/*
 * bench/fetch.c - 32 requests at once to a host that takes 50 ms for each: ours
 * on a loop, and those of 32 calls of a tool that a server has at once, against
 * libcurl's multi interface on its own. What counts is how long one waits for
 * all of them.
 */
#include "fetch/fetch.h"

#include "bench.h"
#include "loop/loop.h"

#include <curl/curl.h>
#include <uv.h>

#include <assert.h>
#include <sys/socket.h>
#include <unistd.h>

#define AT_ONCE    32
#define LATENCY_MS 50
#define ROUNDS     9

#define ANSWER "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

/* The host. ----------------------------------------------------------------*/

struct peer {
    uv_tcp_t tcp;
    uv_timer_t timer;
    uv_write_t write;
    char bytes[4096];
};

static void on_due(uv_timer_t *timer)
{
    struct peer *peer = timer->data;
    char answer[] = ANSWER;
    uv_buf_t bytes = uv_buf_init(answer, sizeof(answer) - 1);
    (void)uv_try_write((uv_stream_t *)&peer->tcp, &bytes, 1);
}

static void give_room(uv_handle_t *tcp, size_t wanted, uv_buf_t *out)
{
    struct peer *peer = tcp->data;
    (void)wanted;
    *out = uv_buf_init(peer->bytes, sizeof(peer->bytes));
}

/* A request comes in one piece; who goes is left to the end of the process. */
static void on_request(uv_stream_t *tcp, ssize_t count, const uv_buf_t *bytes)
{
    struct peer *peer = tcp->data;
    (void)bytes;
    if (count < 0)
        (void)uv_read_stop(tcp);
    else if (count > 0)
        (void)uv_timer_start(&peer->timer, on_due, LATENCY_MS, 0);
}

static void on_peer(uv_stream_t *listener, int rc)
{
    struct peer *peer = calloc(1, sizeof(*peer));
    assert(peer && rc == 0);
    (void)rc;
    peer->tcp.data = peer->timer.data = peer;
    (void)uv_tcp_init(listener->loop, &peer->tcp);
    (void)uv_timer_init(listener->loop, &peer->timer);
    (void)uv_accept(listener, (uv_stream_t *)&peer->tcp);
    (void)uv_tcp_nodelay(&peer->tcp, 1);
    (void)uv_read_start((uv_stream_t *)&peer->tcp, give_room, on_request);
}

static void serve(int fd)
{
    uv_loop_t loop;
    uv_tcp_t listener;
    (void)uv_loop_init(&loop);
    (void)uv_tcp_init(&loop, &listener);
    (void)uv_tcp_open(&listener, fd);
    (void)uv_listen((uv_stream_t *)&listener, 128, on_peer);
    (void)uv_run(&loop, UV_RUN_DEFAULT);
}

/* Both sides. --------------------------------------------------------------*/

static double now_ns(void)
{
    return (double)uv_hrtime();
}

struct ours {
    struct tr_loop *loop;
    struct tr_fetch_client *client;
    struct tr_fetch *fetches[AT_ONCE];
};

static void on_done(void *data)
{
    (void)data;
}

static double time_ours(struct ours *o, const char *url)
{
    const struct tr_fetch_request request = {
        .url = tr_str_from(url), .is_operators = true, .done = on_done};
    double began = now_ns();
    for (size_t i = 0; i < AT_ONCE; i++) {
        tr_status status =
            tr_fetch_start(o->client, &request, &o->fetches[i], NULL);
        assert(status == TR_OK);
        (void)status;
    }
    tr_loop_run(o->loop);
    double took = now_ns() - began;
    for (size_t i = 0; i < AT_ONCE; i++) {
        assert(tr_fetch_reply_of(o->fetches[i])->body.len == 2);
        tr_fetch_free(o->fetches[i]);
    }
    return took;
}

static size_t take(char *bytes, size_t size, size_t count, void *data)
{
    (void)bytes;
    (void)data;
    return size * count;
}

static double time_theirs(CURLM *multi, const char *url)
{
    CURL *easy[AT_ONCE];
    int running = 0;
    double began = now_ns();
    for (size_t i = 0; i < AT_ONCE; i++) {
        easy[i] = curl_easy_init();
        (void)curl_easy_setopt(easy[i], CURLOPT_URL, url);
        (void)curl_easy_setopt(easy[i], CURLOPT_WRITEFUNCTION, take);
        (void)curl_multi_add_handle(multi, easy[i]);
    }
    do {
        (void)curl_multi_perform(multi, &running);
        if (running)
            (void)curl_multi_poll(multi, NULL, 0, 1000, NULL);
    } while (running);
    double took = now_ns() - began;
    for (size_t i = 0; i < AT_ONCE; i++) {
        (void)curl_multi_remove_handle(multi, easy[i]);
        curl_easy_cleanup(easy[i]);
    }
    return took;
}

static void measure(const char *url, struct tr_bench_ratio *row)
{
    struct ours o = {0};
    CURLM *multi = curl_multi_init();
    tr_status status = tr_loop_create(NULL, &o.loop, NULL);
    const struct tr_fetch_opts opts = {.loop = o.loop};
    if (status == TR_OK)
        status = tr_fetch_client_create(&opts, &o.client, NULL);
    assert(status == TR_OK && multi);
    (void)status;
    row->ours_ns = row->theirs_ns = 1e18;
    for (int i = 0; i < ROUNDS; i++) {
        double ours = time_ours(&o, url);
        double theirs = time_theirs(multi, url);
        row->ours_ns = ours < row->ours_ns ? ours : row->ours_ns;
        row->theirs_ns = theirs < row->theirs_ns ? theirs : row->theirs_ns;
    }
    (void)curl_multi_cleanup(multi);
    tr_fetch_client_close(o.client);
    tr_loop_run(o.loop);
    tr_loop_free(o.loop);
}

/* Calls of a server. -------------------------------------------------------*/

#define META                                                                   \
    "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","   \
    "\"io.modelcontextprotocol/clientCapabilities\":{}}"
#define CALL                                                                   \
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{"     \
    "\"name\":\"get\",\"arguments\":{}," META "}}"

/* Each on its own connection; below 0 when one has failed. */
static double time_calls(const int *fds, tr_str request)
{
    char answer[4096];
    bool good = true;
    double began = now_ns();
    for (size_t i = 0; i < AT_ONCE; i++)
        good = good && send(fds[i], request.ptr, request.len, MSG_NOSIGNAL) ==
                           (ssize_t)request.len;
    for (size_t i = 0; i < AT_ONCE && good; i++) {
        ssize_t got = recv(fds[i], answer, sizeof(answer), 0);
        good = got > 0 && memmem(answer, (size_t)got, "\"ok\"", 4);
    }
    return good ? now_ns() - began : -1;
}

static bool measure_calls(const struct tr_bench_server *app, const char *url,
                          struct tr_bench_ratio *row)
{
    char request[1024];
    int fds[AT_ONCE];
    bool good = true;
    CURLM *multi = curl_multi_init();
    size_t len = tr_bench_mcp_request(request, sizeof(request), "/mcp",
                                      "tools/call", "get", CALL);
    for (size_t i = 0; i < AT_ONCE; i++)
        fds[i] = tr_bench_connect(app);
    row->ours_ns = row->theirs_ns = 1e18;
    for (int i = 0; i < ROUNDS && good; i++) {
        double ours = time_calls(fds, (tr_str){request, len});
        double theirs = time_theirs(multi, url);
        good = ours > 0;
        row->ours_ns = ours < row->ours_ns ? ours : row->ours_ns;
        row->theirs_ns = theirs < row->theirs_ns ? theirs : row->theirs_ns;
    }
    for (size_t i = 0; i < AT_ONCE; i++)
        (void)close(fds[i]);
    (void)curl_multi_cleanup(multi);
    return good;
}

static bool report_calls(const char *url, struct tr_bench_ratio *row)
{
    struct tr_bench_server app = {0};
    (void)setenv("TRAILS_APP_URL", url, 1);
    if (!tr_bench_app_start("bench/fetch_app", &app))
        return false;
    bool good = measure_calls(&app, url, row);
    tr_bench_server_stop(&app);
    (void)unsetenv("TRAILS_APP_URL");
    if (!good)
        (void)fprintf(stderr, "bench: bench/fetch_app does not answer\n");
    return good && tr_bench_report_ratio(row);
}

bool tr_bench_fetch(const char *only)
{
    struct tr_bench_ratio row = {.name = "fetch, 32 at once",
                                 .rival = "libcurl multi",
                                 .target = 1 / 1.2};
    struct tr_bench_ratio calls = row;
    struct tr_bench_server host = {0};
    char url[64];
    bool met = true;
    calls.name = "fetch, 32 calls at once";
    if (!strstr(row.name, only) && !strstr(calls.name, only))
        return true;
    if (!tr_bench_server_start(serve, &host))
        return false;
    (void)snprintf(url, sizeof(url), "http://127.0.0.1:%u/", host.port);
    if (strstr(row.name, only)) {
        measure(url, &row);
        met = tr_bench_report_ratio(&row);
    }
    if (strstr(calls.name, only))
        met = report_calls(url, &calls) && met;
    tr_bench_server_stop(&host);
    return met;
}

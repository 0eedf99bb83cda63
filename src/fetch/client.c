#include "fetch/inside.h"
#include "loop/loop.h"
#include "loop/thread.h"

/* A socket that libcurl watches. */
struct poll {
    uv_poll_t uv;
    struct tr_fetch_client *client;
    curl_socket_t fd;
};

/* Each loop has one, whether its calls fetch or not. */
_Static_assert(sizeof(struct tr_fetch_client) < 512, "who fetches nothing");

/* What has ended is told only here, outside of libcurl's own calls. */
static void tell_ended(struct tr_fetch_client *client)
{
    const struct tr_fetch_curl *c = &client->curl;
    struct CURLMsg *message = NULL;
    int left = 0;
    while ((message = c->multi_info_read(client->multi, &left))) {
        struct tr_fetch *fetch = NULL;
        CURLcode code = message->data.result;
        if (message->msg != CURLMSG_DONE ||
            c->easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &fetch) !=
                CURLE_OK)
            continue;
        tr_fetch_hop_ended(fetch, code);
    }
    while (client->lost) {
        struct tr_fetch *fetch = client->lost;
        tr_fetch_client_find(fetch);
        tr_fetch_hop_ended(fetch, CURLE_OUT_OF_MEMORY);
    }
}

void tr_fetch_client_find(struct tr_fetch *fetch)
{
    struct tr_fetch **at = &fetch->client->lost;
    if (!fetch->is_lost)
        return;
    while (*at != fetch)
        at = &(*at)->next_lost;
    *at = fetch->next_lost;
    fetch->is_lost = false;
}

/* What libcurl is told of a failure ends all that it has, not this one alone:
 * so it is told of none, and the fetch is ended by us. */
static void lose(struct tr_fetch_client *client, CURL *easy)
{
    struct tr_fetch *fetch = NULL;
    if (client->curl.easy_getinfo(easy, CURLINFO_PRIVATE, &fetch) != CURLE_OK ||
        !fetch || fetch->is_lost)
        return;
    fetch->is_lost = true;
    fetch->next_lost = client->lost;
    client->lost = fetch;
}

static void act(struct tr_fetch_client *client, curl_socket_t fd, int events)
{
    int running = 0;
    sigset_t before;
    /* Its threads, which look names up, begin with our mask. */
    tr_loop_thread_hold_signals(&before);
    (void)client->curl.multi_socket_action(client->multi, fd, events, &running);
    tr_loop_thread_free_signals(&before);
    tell_ended(client);
}

static void on_poll(uv_poll_t *uv, int status, int events)
{
    const struct poll *poll = uv->data;
    int what = status < 0 ? CURL_CSELECT_ERR : 0;
    if (events & UV_READABLE)
        what |= CURL_CSELECT_IN;
    if (events & UV_WRITABLE)
        what |= CURL_CSELECT_OUT;
    act(poll->client, poll->fd, what);
}

static void on_poll_closed(uv_handle_t *uv)
{
    free(uv->data);
}

static struct poll *watch(struct tr_fetch_client *client, curl_socket_t fd)
{
    struct poll *poll = calloc(1, sizeof(*poll));
    if (!poll)
        return NULL;
    poll->client = client;
    poll->fd = fd;
    if (uv_poll_init_socket(tr_loop_uv(client->opts.loop), &poll->uv, fd)) {
        free(poll);
        return NULL;
    }
    poll->uv.data = poll;
    (void)client->curl.multi_assign(client->multi, fd, poll);
    return poll;
}

static int on_socket(CURL *easy, curl_socket_t fd, int what, void *data,
                     void *of_socket)
{
    struct tr_fetch_client *client = data;
    struct poll *poll = of_socket;
    if (what == CURL_POLL_REMOVE) {
        if (poll)
            uv_close((uv_handle_t *)&poll->uv, on_poll_closed);
        (void)client->curl.multi_assign(client->multi, fd, NULL);
        return 0;
    }
    if (!poll)
        poll = watch(client, fd);
    int events = (what & CURL_POLL_IN ? UV_READABLE : 0) |
                 (what & CURL_POLL_OUT ? UV_WRITABLE : 0);
    if (!poll || uv_poll_start(&poll->uv, events, on_poll))
        lose(client, easy);
    return 0;
}

static void on_timer(uv_timer_t *timer)
{
    act(timer->data, CURL_SOCKET_TIMEOUT, 0);
}

/* What is outside keeps real time, whatever the loop's clock does. */
static int on_timeout(CURLM *multi, long ms, void *data)
{
    struct tr_fetch_client *client = data;
    (void)multi;
    if (ms < 0)
        (void)uv_timer_stop(&client->timer);
    else
        (void)uv_timer_start(&client->timer, on_timer, (uint64_t)ms, 0);
    return 0;
}

static bool set_up(struct tr_fetch_client *client)
{
    const struct tr_fetch_curl *c = &client->curl;
    CURLM *m = client->multi;
    return c->multi_setopt(m, CURLMOPT_SOCKETFUNCTION, on_socket) == CURLM_OK &&
           c->multi_setopt(m, CURLMOPT_SOCKETDATA, client) == CURLM_OK &&
           c->multi_setopt(m, CURLMOPT_TIMERFUNCTION, on_timeout) == CURLM_OK &&
           c->multi_setopt(m, CURLMOPT_TIMERDATA, client) == CURLM_OK &&
           c->multi_setopt(m, CURLMOPT_MAX_HOST_CONNECTIONS,
                           (long)TR_LIMIT_FETCH_AT_ONCE) == CURLM_OK;
}

tr_status tr_fetch_client_open(struct tr_fetch_client *client,
                               struct tr_err *err)
{
    if (client->multi)
        return TR_OK;
    TR_TRY(tr_fetch_curl_load(&client->curl, err));
    client->multi = client->curl.multi_init();
    if (!client->multi)
        return tr_fail(err, TR_E_NOMEM, "no memory for libcurl");
    (void)uv_timer_init(tr_loop_uv(client->opts.loop), &client->timer);
    client->timer.data = client;
    return set_up(client)
               ? TR_OK
               : tr_fail(err, TR_E_UNSUPPORTED, "libcurl is too old");
}

/* A path says nothing: a host is at an address, or it is not. */
static const char *read_origin(tr_str text, struct tr_fetch_url *out)
{
    return tr_fetch_url_read_prefix(text, out, NULL) == TR_OK &&
                   (!out->path.len || tr_str_eq(out->path, TR_STR("/")))
               ? NULL
               : "must be an origin such as https://wiki.example or "
                 "http://127.0.0.1:9000";
}

const char *tr_fetch_check_allow(tr_str text)
{
    struct tr_fetch_url url;
    return read_origin(text, &url);
}

tr_status tr_fetch_bounds_read(struct tr_arena *arena,
                               const struct tr_fetch_opts *opts,
                               struct tr_fetch_bounds *out, struct tr_err *err)
{
    if (opts->allow_count > TR_LIMIT_FETCH_ALLOW)
        return tr_fail(err, TR_E_LIMIT, "fetch.allow has more than %d",
                       TR_LIMIT_FETCH_ALLOW);
    struct tr_fetch_url *allow =
        opts->allow_count
            ? TR_NEW_ARRAY(arena, struct tr_fetch_url, opts->allow_count)
            : NULL;
    if (opts->allow_count && !allow)
        return tr_fail(err, TR_E_NOMEM, "no memory for going out");
    for (size_t i = 0; i < opts->allow_count; i++) {
        const char *why = read_origin(opts->allow[i], &allow[i]);
        if (why)
            return tr_fail(err, TR_E_INVALID, "fetch.allow %s", why);
    }
    *out = (struct tr_fetch_bounds){.allow = allow,
                                    .allow_count = opts->allow_count,
                                    .timeout_ms = opts->timeout_ms,
                                    .max_bytes = opts->max_bytes};
    return TR_OK;
}

/* A loop that fetches nothing has few bytes. */
tr_status tr_fetch_client_create(const struct tr_fetch_opts *opts,
                                 struct tr_fetch_client **out,
                                 struct tr_err *err)
{
    struct tr_fetch_client *client = calloc(1, sizeof(*client));
    if (!client)
        return tr_fail(err, TR_E_NOMEM, "no memory for going out");
    client->opts = *opts;
    tr_arena_init(&client->arena, TR_LIMIT_FETCH_ALLOW_MEMORY);
    tr_status status =
        tr_fetch_bounds_read(&client->arena, opts, &client->bounds, err);
    if (status != TR_OK) {
        tr_arena_done(&client->arena);
        free(client);
        return status;
    }
    *out = client;
    return TR_OK;
}

bool tr_fetch_is_allowed(const struct tr_fetch *fetch,
                         const struct tr_fetch_url *url)
{
    const struct tr_fetch_bounds *bounds = fetch->request.bounds;
    for (size_t i = 0; i < bounds->allow_count; i++) {
        if (tr_fetch_url_same_origin(&bounds->allow[i], url))
            return true;
    }
    return false;
}

static void on_timer_closed(uv_handle_t *uv)
{
    struct tr_fetch_client *client = uv->data;
    tr_arena_done(&client->arena);
    free(client);
}

void tr_fetch_client_close(struct tr_fetch_client *client)
{
    if (!client)
        return;
    if (!client->multi) {
        tr_arena_done(&client->arena);
        free(client);
        return;
    }
    (void)client->curl.multi_cleanup(client->multi);
    (void)uv_timer_stop(&client->timer);
    uv_close((uv_handle_t *)&client->timer, on_timer_closed);
}

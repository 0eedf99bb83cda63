#include "fetch/fetch.h"

#include "base/ascii.h"
#include "base/time.h"
#include "crypto/random.h"
#include "fetch/inside.h"

static const tr_str methods[] = {
    TR_STR_INIT("GET"),     TR_STR_INIT("HEAD"),  TR_STR_INIT("POST"),
    TR_STR_INIT("PUT"),     TR_STR_INIT("PATCH"), TR_STR_INIT("DELETE"),
    TR_STR_INIT("OPTIONS"),
};

/* The request. -------------------------------------------------------------*/

static tr_status check_method(const struct tr_fetch_request *request,
                              struct tr_err *err)
{
    tr_str method = request->method;
    size_t i = 0;
    while (i < TR_LEN(methods) && !tr_str_eq(methods[i], method))
        i++;
    if (i == TR_LEN(methods))
        return tr_fail(err, TR_E_INVALID,
                       "the method is GET, HEAD, POST, PUT, PATCH, DELETE or "
                       "OPTIONS");
    if (request->has_body && i < 2)
        return tr_fail(err, TR_E_INVALID, "%s has no body", methods[i].ptr);
    return TR_OK;
}

static tr_status check_request(const struct tr_fetch_request *request,
                               struct tr_err *err)
{
    TR_TRY(check_method(request, err));
    if (request->header_count > TR_LIMIT_FETCH_HEADERS)
        return tr_fail(err, TR_E_LIMIT, "a request has at most %zu headers",
                       TR_LIMIT_FETCH_HEADERS);
    for (size_t i = 0; i < request->header_count; i++)
        TR_TRY(tr_fetch_header_check(&request->headers[i], err));
    if (request->body.len > TR_LIMIT_FETCH_SENT)
        return tr_fail(err, TR_E_LIMIT, "a body has at most %zu bytes",
                       TR_LIMIT_FETCH_SENT);
    return TR_OK;
}

/* Whether this hop may be: what is asked of each. */
static tr_status check_hop(struct tr_fetch *fetch, struct tr_err *err)
{
    const struct tr_fetch_request *request = &fetch->request;
    const struct tr_fetch_url *url = &fetch->url;
    bool is_first = fetch->reply.hops == 0;
    bool is_operators = request->is_operators && is_first;
    tr_fetch_url_place(url, fetch->reply.host);
    if (request->may)
        TR_TRY(request->may(request->may_data, url, err));
    fetch->is_named = is_operators || tr_fetch_is_allowed(fetch, url);
    bool is_safe = url->is_https || (is_operators ? tr_fetch_url_is_private(url)
                                                  : fetch->is_named);
    if (!is_safe)
        return tr_fail(err, TR_E_INVALID,
                       "%s is asked over https, unless [fetch] allow names it "
                       "with http",
                       fetch->reply.host);
    memcpy(fetch->asked, fetch->reply.host, sizeof(fetch->asked));
    return TR_OK;
}

/* From hop to hop. ---------------------------------------------------------*/

/* Only who waits no more leaves a look-up behind: else it has ended. */
static bool is_abandoned(const struct tr_fetch *fetch)
{
    tr_status status = fetch->reply.status;
    return fetch->is_looking_up &&
           (status == TR_E_TIMEOUT || status == TR_E_CANCELLED);
}

static void leave(struct tr_fetch *fetch)
{
    if (is_abandoned(fetch))
        tr_fetch_totals_abandon(fetch->client->opts.totals);
    fetch->reply.micros = (tr_time_ticks_ns() - fetch->began_ns) / 1000;
    tr_fetch_totals_leave(fetch->client->opts.totals, fetch->asked,
                          &fetch->reply);
}

static void finish(struct tr_fetch *fetch)
{
    struct tr_fetch_reply *reply = &fetch->reply;
    if (reply->status == TR_OK) {
        reply->headers = fetch->headers.items;
        reply->header_count = fetch->headers.count;
        reply->body = tr_buf_str(&fetch->body);
    }
    leave(fetch);
    fetch->request.done(fetch->request.data);
}

static tr_status fail_redirect(struct tr_fetch *fetch, const char *why)
{
    fetch->reply.reason = "redirect";
    return tr_fail(&fetch->reply.err, TR_E_UNAVAILABLE, "%s: %s",
                   fetch->reply.host, why);
}

/* As browsers do (Fetch Standard, HTTP-redirect fetch, 11 and 12). */
static void choose_method(struct tr_fetch *fetch)
{
    unsigned code = fetch->reply.code;
    bool is_post = tr_str_eq(fetch->method, TR_STR("POST"));
    bool is_head = tr_str_eq(fetch->method, TR_STR("HEAD"));
    if (((code == 301 || code == 302) && is_post) ||
        (code == 303 && !is_head)) {
        fetch->method = TR_STR("GET");
        fetch->has_body = false;
    }
}

/* libcurl has made the place absolute; it is read as strictly as any other. */
static tr_status read_place(struct tr_fetch *fetch, struct tr_fetch_url *out)
{
    struct tr_err why = {0};
    char *place = NULL;
    size_t begin = fetch->text.len;
    (void)fetch->client->curl.easy_getinfo(fetch->easy, CURLINFO_REDIRECT_URL,
                                           &place);
    if (!place)
        return fail_redirect(fetch, "a redirect to nowhere");
    if (fetch->reply.hops == TR_LIMIT_FETCH_REDIRECTS)
        return fail_redirect(fetch, "too many redirects");
    tr_buf_put(&fetch->text, tr_str_from(place));
    if (tr_buf_check(&fetch->text, &why) != TR_OK)
        return fail_redirect(fetch, "a redirect to a URL that is too long");
    tr_str text = {fetch->text.ptr + begin, fetch->text.len - begin};
    if (tr_fetch_url_read(text, out, &why) != TR_OK)
        return fail_redirect(fetch, "a redirect to what is no proper URL");
    return TR_OK;
}

static tr_status go_on(struct tr_fetch *fetch)
{
    struct tr_fetch_url next;
    struct tr_fetch_reply *reply = &fetch->reply;
    tr_status status = read_place(fetch, &next);
    if (status != TR_OK)
        return status;
    choose_method(fetch);
    bool is_foreign = !tr_fetch_url_same_origin(&next, &fetch->url);
    if (is_foreign && fetch->has_body && fetch->request.is_secret)
        return fail_redirect(fetch, "a redirect that would take a secret to "
                                    "another host");
    fetch->is_foreign = fetch->is_foreign || is_foreign;
    fetch->url = next;
    reply->hops++;
    reply->reason = "redirect";
    TR_TRY(check_hop(fetch, &reply->err));
    reply->reason = NULL;
    tr_fetch_hop_end(fetch);
    return tr_fetch_hop_begin(fetch, &reply->err);
}

static bool is_redirect(const struct tr_fetch *fetch)
{
    unsigned code = fetch->reply.code;
    bool is_one =
        code == 301 || code == 302 || code == 303 || code == 307 || code == 308;
    if (!is_one || !fetch->request.follows)
        return false;
    for (size_t i = 0; i < fetch->headers.count; i++) {
        if (tr_str_eq(fetch->headers.items[i].name, TR_STR("location")))
            return true;
    }
    return false;
}

void tr_fetch_hop_ended(struct tr_fetch *fetch, CURLcode code)
{
    const struct tr_fetch_curl *c = &fetch->client->curl;
    struct tr_fetch_reply *reply = &fetch->reply;
    long status = 0;
    (void)c->easy_getinfo(fetch->easy, CURLINFO_RESPONSE_CODE, &status);
    (void)c->multi_remove(fetch->client->multi, fetch->easy);
    fetch->is_running = false;
    reply->code = (unsigned)status;
    if (code != CURLE_OK) {
        tr_fetch_hop_explain(fetch, code);
    } else if (is_redirect(fetch)) {
        reply->status = go_on(fetch);
        if (reply->status == TR_OK)
            return;
    }
    tr_fetch_hop_end(fetch);
    finish(fetch);
}

/* The whole. ---------------------------------------------------------------*/

/* The default, or the most that there may be; 0 is no bound. */
static uint64_t least(uint64_t usual, uint64_t most)
{
    return most && most < usual ? most : usual;
}

static void complete(struct tr_fetch_request *request,
                     const struct tr_fetch_bounds *most)
{
    if (!request->method.len)
        request->method = TR_STR("GET");
    if (!request->timeout_ms)
        request->timeout_ms =
            least((uint64_t)1000 * TR_LIMIT_FETCH_SECONDS, most->timeout_ms);
    if (!request->max_bytes)
        request->max_bytes = least(TR_LIMIT_FETCH_BODY, most->max_bytes);
}

static tr_status check_most(const struct tr_fetch_request *request,
                            const struct tr_fetch_bounds *most,
                            struct tr_err *err)
{
    if (most->timeout_ms && request->timeout_ms > most->timeout_ms)
        return tr_fail(err, TR_E_LIMIT,
                       "a fetch takes at most %llu s: [fetch] timeout_s",
                       (unsigned long long)most->timeout_ms / 1000);
    if (most->max_bytes && request->max_bytes > most->max_bytes)
        return tr_fail(err, TR_E_LIMIT,
                       "a body has at most %zu bytes: [fetch] max_bytes",
                       most->max_bytes);
    return TR_OK;
}

static tr_status begin(struct tr_fetch *fetch, struct tr_err *err)
{
    tr_buf_put(&fetch->text, fetch->request.url);
    TR_TRY(tr_buf_check(&fetch->text, err));
    TR_TRY(tr_fetch_url_read(tr_buf_str(&fetch->text), &fetch->url, err));
    TR_TRY(check_request(&fetch->request, err));
    TR_TRY(check_most(&fetch->request, fetch->request.bounds, err));
    TR_TRY(check_hop(fetch, err));
    TR_TRY(tr_fetch_client_open(fetch->client, err));
    if (!tr_fetch_totals_enter(fetch->client->opts.totals))
        return tr_fail(err, TR_E_UNAVAILABLE,
                       "more than %d fetches run at once", TR_LIMIT_FETCHES);
    tr_status status = tr_fetch_hop_begin(fetch, err);
    if (status != TR_OK) {
        fetch->reply.status = status;
        leave(fetch);
        tr_fetch_hop_end(fetch);
    }
    return status;
}

tr_status tr_fetch_start(struct tr_fetch_client *client,
                         const struct tr_fetch_request *request,
                         struct tr_fetch **out, struct tr_err *err)
{
    struct tr_fetch *fetch = calloc(1, sizeof(*fetch));
    if (!fetch)
        return tr_fail(err, TR_E_NOMEM, "no memory to fetch");
    fetch->client = client;
    fetch->request = *request;
    fetch->began_ns = tr_time_ticks_ns();
    if (!request->bounds)
        fetch->request.bounds = &client->bounds;
    complete(&fetch->request, fetch->request.bounds);
    fetch->method = fetch->request.method;
    fetch->has_body = fetch->request.has_body;
    tr_arena_init(&fetch->arena, (TR_LIMIT_FETCH_HEAD + TR_KIB(64)) * 2);
    tr_buf_init(&fetch->body, fetch->request.max_bytes);
    /* Room for all hops: views of the first must not move. */
    tr_buf_init(&fetch->text,
                TR_LIMIT_FETCH_URL * (TR_LIMIT_FETCH_REDIRECTS + 1));
    tr_status status = tr_buf_room(&fetch->text, fetch->text.max)
                           ? begin(fetch, err)
                           : tr_fail(err, TR_E_NOMEM, "no memory to fetch");
    if (status != TR_OK)
        tr_fetch_free(fetch);
    else
        *out = fetch;
    return status;
}

const struct tr_fetch_reply *tr_fetch_reply_of(const struct tr_fetch *fetch)
{
    return &fetch->reply;
}

void tr_fetch_free(struct tr_fetch *fetch)
{
    if (!fetch)
        return;
    if (fetch->is_running) {
        fetch->reply.status = TR_E_CANCELLED;
        leave(fetch);
        tr_fetch_hop_end(fetch);
    }
    if (fetch->text.ptr)
        tr_crypto_secret_wipe(fetch->text.ptr, fetch->text.len);
    tr_buf_done(&fetch->text);
    tr_buf_done(&fetch->body);
    tr_arena_done(&fetch->arena);
    free(fetch);
}

/*
 * One hop: what libcurl is told, and what it tells us. It follows nothing,
 * remembers no cookie, and sees only URLs that were written by url.c.
 */
#include "base/time.h"
#include "crypto/random.h"
#include "fetch/address.h"
#include "fetch/inside.h"

#include <sys/socket.h>

#define NS_PER_MS 1000000u

/* What libcurl calls. ------------------------------------------------------*/

/* A thread of libcurl's begins to look up the name. */
static int on_lookup(void *resolver, void *reserved, void *data)
{
    (void)resolver;
    (void)reserved;
    ((struct tr_fetch *)data)->is_looking_up = true;
    return 0;
}

/* The address that is connected to is the one that is looked at: a second
 * look-up cannot change it. */
static curl_socket_t on_open(void *data, curlsocktype purpose,
                             struct curl_sockaddr *address)
{
    struct tr_fetch *fetch = data;
    const char *kind = tr_fetch_address_kind(&address->addr);
    (void)purpose;
    fetch->is_looking_up = false;
    if (kind && !fetch->is_named) {
        fetch->refused = kind;
        return CURL_SOCKET_BAD;
    }
    return socket(address->family, address->socktype | SOCK_CLOEXEC,
                  address->protocol);
}

/* Once more before anything is sent: a connection may be an old one. */
static int on_connected(void *data, char *theirs, char *ours, int their_port,
                        int our_port)
{
    struct tr_fetch *fetch = data;
    (void)ours;
    (void)their_port;
    (void)our_port;
    if (!fetch->is_named)
        fetch->refused = tr_fetch_address_text_kind(theirs);
    return fetch->refused && !fetch->is_named ? CURL_PREREQFUNC_ABORT
                                              : CURL_PREREQFUNC_OK;
}

/* A return of less than was given makes libcurl end the transfer. */
static size_t on_body(char *bytes, size_t size, size_t count, void *data)
{
    struct tr_fetch *fetch = data;
    tr_buf_put(&fetch->body, (tr_str){bytes, size * count});
    return fetch->body.failed == TR_OK ? size * count : 0;
}

/* libcurl takes the half of a compressed body for the whole, and unpacks what a
 * transfer has packed though nobody has asked for it. */
static bool is_encoded(const struct tr_fetch_header *header)
{
    static const struct {
        tr_str name;
        tr_str plain; /* the one value that packs nothing */
    } rows[] = {
        {TR_STR_INIT("content-encoding"), TR_STR_INIT("identity")},
        {TR_STR_INIT("transfer-encoding"), TR_STR_INIT("chunked")},
    };
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        if (tr_str_eq(header->name, rows[i].name))
            return !tr_fetch_header_is(header->value, rows[i].plain);
    }
    return false;
}

static const char *take_line(struct tr_fetch *fetch, tr_str line)
{
    struct tr_fetch_header header;
    fetch->head_bytes += line.len;
    if (fetch->head_bytes > TR_LIMIT_FETCH_HEAD ||
        fetch->headers.count == TR_LIMIT_FETCH_LINES)
        return "a head that is too large";
    if (tr_str_starts(line, TR_STR("HTTP/"))) { /* the one before was a 1xx */
        fetch->headers.count = 0;
        return NULL;
    }
    line = tr_str_trim(line);
    if (!line.len)
        return NULL;
    const char *bad = tr_fetch_header_read(&fetch->arena, line, &header);
    if (!bad && is_encoded(&header))
        bad = "its body is compressed, which nobody has asked for";
    if (!bad && !tr_vec_push(&fetch->arena, &fetch->headers, header))
        bad = "no memory for the headers";
    return bad;
}

static size_t on_header(char *bytes, size_t size, size_t count, void *data)
{
    struct tr_fetch *fetch = data;
    fetch->bad_head = take_line(fetch, (tr_str){bytes, size * count});
    return fetch->bad_head ? 0 : size * count;
}

/* What libcurl is told. ----------------------------------------------------*/

static bool add_line(struct tr_fetch *fetch, tr_str name, tr_str value)
{
    const struct tr_fetch_curl *c = &fetch->client->curl;
    char line[TR_LIMIT_NAME_BYTES + TR_LIMIT_FETCH_URL + 4];
    int len = snprintf(line, sizeof(line), value.len ? "%.*s: %.*s" : "%.*s;",
                       TR_FMT(name), TR_FMT(value));
    struct curl_slist *longer = c->slist_append(fetch->sent, line);
    tr_crypto_secret_wipe(line, (size_t)len);
    if (longer)
        fetch->sent = longer;
    return longer != NULL;
}

/* Without a value libcurl leaves a header out that it would add. */
static bool leave_out(struct tr_fetch *fetch, const char *line)
{
    struct curl_slist *longer =
        fetch->client->curl.slist_append(fetch->sent, line);
    if (longer)
        fetch->sent = longer;
    return longer != NULL;
}

static bool add_headers(struct tr_fetch *fetch)
{
    const struct tr_fetch_request *request = &fetch->request;
    bool has_type = false;
    for (size_t i = 0; i < request->header_count; i++) {
        const struct tr_fetch_header *header = &request->headers[i];
        bool is_of_body = tr_fetch_header_is_of_body(header->name);
        if (is_of_body && !fetch->has_body)
            continue;
        if (fetch->is_foreign &&
            (header->is_secret || !tr_fetch_header_is_harmless(header->name)))
            continue;
        has_type = has_type || is_of_body;
        if (!add_line(fetch, header->name, header->value))
            return false;
    }
    return leave_out(fetch, "Expect:") &&
           (has_type || leave_out(fetch, "Content-Type:"));
}

static bool set_method(struct tr_fetch *fetch)
{
    const struct tr_fetch_curl *c = &fetch->client->curl;
    const tr_str body = fetch->has_body ? fetch->request.body : TR_STR("");
    CURL *e = fetch->easy;
    char method[16];
    (void)snprintf(method, sizeof(method), "%.*s", TR_FMT(fetch->method));
    if (tr_str_eq(fetch->method, TR_STR("HEAD")))
        return c->easy_setopt(e, CURLOPT_NOBODY, 1L) == CURLE_OK;
    bool has_length = fetch->has_body ||
                      tr_str_eq(fetch->method, TR_STR("POST")) ||
                      tr_str_eq(fetch->method, TR_STR("PUT")) ||
                      tr_str_eq(fetch->method, TR_STR("PATCH"));
    if (has_length && (c->easy_setopt(e, CURLOPT_POSTFIELDSIZE_LARGE,
                                      (curl_off_t)body.len) != CURLE_OK ||
                       c->easy_setopt(e, CURLOPT_POSTFIELDS,
                                      body.len ? body.ptr : "") != CURLE_OK))
        return false;
    return c->easy_setopt(e, CURLOPT_CUSTOMREQUEST, method) == CURLE_OK;
}

static bool set_callbacks(struct tr_fetch *f)
{
    const struct tr_fetch_curl *c = &f->client->curl;
    CURL *e = f->easy;
    return c->easy_setopt(e, CURLOPT_PRIVATE, f) == CURLE_OK &&
           c->easy_setopt(e, CURLOPT_WRITEFUNCTION, on_body) == CURLE_OK &&
           c->easy_setopt(e, CURLOPT_WRITEDATA, f) == CURLE_OK &&
           c->easy_setopt(e, CURLOPT_HEADERFUNCTION, on_header) == CURLE_OK &&
           c->easy_setopt(e, CURLOPT_HEADERDATA, f) == CURLE_OK &&
           c->easy_setopt(e, CURLOPT_RESOLVER_START_FUNCTION, on_lookup) ==
               CURLE_OK &&
           c->easy_setopt(e, CURLOPT_RESOLVER_START_DATA, f) == CURLE_OK &&
           c->easy_setopt(e, CURLOPT_OPENSOCKETFUNCTION, on_open) == CURLE_OK &&
           c->easy_setopt(e, CURLOPT_OPENSOCKETDATA, f) == CURLE_OK &&
           c->easy_setopt(e, CURLOPT_PREREQFUNCTION, on_connected) ==
               CURLE_OK &&
           c->easy_setopt(e, CURLOPT_PREREQDATA, f) == CURLE_OK &&
           c->easy_setopt(e, CURLOPT_ERRORBUFFER, f->why) == CURLE_OK;
}

/*
 * Behind a proxy nobody can check an address, so the environment's is only for
 * hosts that were named. A loop must not wait for a name to be found, either:
 * QUICK_EXIT leaves that to its thread.
 */
static bool set_rules(struct tr_fetch *f)
{
    const struct tr_fetch_curl *c = &f->client->curl;
    const char *ca_file = f->client->opts.ca_file;
    CURL *e = f->easy;
    /* What only the request names, over http, is this machine. */
    bool has_proxy =
        tr_fetch_is_allowed(f, &f->url) || (f->is_named && f->url.is_https);
    return c->easy_setopt(e, CURLOPT_PROTOCOLS_STR, "http,https") == CURLE_OK &&
           c->easy_setopt(e, CURLOPT_PATH_AS_IS, 1L) == CURLE_OK &&
           c->easy_setopt(e, CURLOPT_FOLLOWLOCATION, 0L) == CURLE_OK &&
           c->easy_setopt(e, CURLOPT_NOSIGNAL, 1L) == CURLE_OK &&
           c->easy_setopt(e, CURLOPT_QUICK_EXIT, 1L) == CURLE_OK &&
           c->easy_setopt(e, CURLOPT_SSLVERSION,
                          (long)CURL_SSLVERSION_TLSv1_2) == CURLE_OK &&
           c->easy_setopt(e, CURLOPT_USERAGENT, "trails") == CURLE_OK &&
           (has_proxy || c->easy_setopt(e, CURLOPT_PROXY, "") == CURLE_OK) &&
           (!ca_file ||
            (c->easy_setopt(e, CURLOPT_CAINFO, ca_file) == CURLE_OK &&
             c->easy_setopt(e, CURLOPT_CAPATH, NULL) == CURLE_OK));
}

static uint64_t left_ms(const struct tr_fetch *fetch)
{
    uint64_t passed = (tr_time_ticks_ns() - fetch->began_ns) / NS_PER_MS;
    return passed < fetch->request.timeout_ms
               ? fetch->request.timeout_ms - passed
               : 1;
}

static bool set_up(struct tr_fetch *fetch)
{
    const struct tr_fetch_curl *c = &fetch->client->curl;
    char url[TR_LIMIT_FETCH_URL + 16];
    struct tr_buf text;
    tr_buf_init_fixed(&text, url, sizeof(url));
    tr_fetch_url_write(&fetch->url, &text);
    tr_buf_putc(&text, '\0');
    bool ok = text.failed == TR_OK && set_callbacks(fetch) &&
              set_rules(fetch) && set_method(fetch) && add_headers(fetch) &&
              c->easy_setopt(fetch->easy, CURLOPT_URL, url) == CURLE_OK &&
              c->easy_setopt(fetch->easy, CURLOPT_TIMEOUT_MS,
                             (long)left_ms(fetch)) == CURLE_OK &&
              c->easy_setopt(fetch->easy, CURLOPT_HTTPHEADER, fetch->sent) ==
                  CURLE_OK;
    tr_crypto_secret_wipe(url, sizeof(url));
    return ok;
}

tr_status tr_fetch_hop_begin(struct tr_fetch *fetch, struct tr_err *err)
{
    struct tr_fetch_client *client = fetch->client;
    fetch->is_looking_up = false;
    fetch->refused = NULL;
    fetch->bad_head = NULL;
    fetch->head_bytes = 0;
    fetch->headers.count = 0;
    fetch->why[0] = '\0';
    tr_buf_clear(&fetch->body);
    fetch->easy = client->curl.easy_init();
    if (!fetch->easy)
        return tr_fail(err, TR_E_NOMEM, "no memory for libcurl");
    if (!set_up(fetch))
        return tr_fail(err, TR_E_UNSUPPORTED,
                       "libcurl is too old, or has no memory");
    if (client->curl.multi_add(client->multi, fetch->easy) != CURLM_OK)
        return tr_fail(err, TR_E_NOMEM, "no memory for libcurl");
    fetch->is_running = true;
    return TR_OK;
}

void tr_fetch_hop_end(struct tr_fetch *fetch)
{
    const struct tr_fetch_curl *c = &fetch->client->curl;
    tr_fetch_client_find(fetch);
    if (fetch->is_running)
        (void)c->multi_remove(fetch->client->multi, fetch->easy);
    if (fetch->easy)
        c->easy_cleanup(fetch->easy);
    for (struct curl_slist *at = fetch->sent; at; at = at->next)
        tr_crypto_secret_wipe(at->data, strlen(at->data));
    if (fetch->sent)
        c->slist_free_all(fetch->sent);
    fetch->easy = NULL;
    fetch->sent = NULL;
    fetch->is_running = false;
}

/* How it ended. ------------------------------------------------------------*/

struct ending {
    tr_status status;
    const char *reason;
    const char *text;
};

static struct ending of_code(CURLcode code)
{
    switch (code) {
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
        return (struct ending){TR_E_UNAVAILABLE, "dns",
                               "its name cannot be found"};
    case CURLE_COULDNT_CONNECT:
        return (struct ending){TR_E_UNAVAILABLE, "connect",
                               "nobody answers there"};
    case CURLE_OPERATION_TIMEDOUT:
        return (struct ending){TR_E_TIMEOUT, "time", "it took too long"};
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CIPHER:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_INVALIDCERTSTATUS:
        return (struct ending){TR_E_UNAVAILABLE, "tls", NULL};
    case CURLE_OUT_OF_MEMORY:
        return (struct ending){TR_E_UNAVAILABLE, "protocol",
                               "a line that is too long, or no memory"};
    default:
        return (struct ending){TR_E_UNAVAILABLE, "protocol",
                               "it broke off, or spoke no HTTP"};
    }
}

/* Up to this OpenSSL has no word for what is wrong. */
#define FAULT_UNSPECIFIED 1

/* Whose a certificate is stands in libcurl's words as its owner wrote it; what
 * else is wrong with one is said in words that OpenSSL has for it. */
static const char *fault_of_certificate(const struct tr_fetch *fetch)
{
    long fault = 0;
    (void)fetch->client->curl.easy_getinfo(fetch->easy,
                                           CURLINFO_SSL_VERIFYRESULT, &fault);
    return fault > FAULT_UNSPECIFIED ? NULL
                                     : "its certificate is of somebody else";
}

static struct ending ending_of(const struct tr_fetch *fetch, CURLcode code)
{
    if (fetch->bad_head)
        return (struct ending){TR_E_UNAVAILABLE, "protocol", fetch->bad_head};
    if (fetch->body.failed == TR_E_NOMEM)
        return (struct ending){TR_E_NOMEM, "size", "no memory for its body"};
    if (fetch->body.failed != TR_OK)
        return (struct ending){TR_E_LIMIT, "size",
                               "its body is larger than max_bytes"};
    if (code == CURLE_PEER_FAILED_VERIFICATION)
        return (struct ending){TR_E_UNAVAILABLE, "tls",
                               fault_of_certificate(fetch)};
    return of_code(code);
}

void tr_fetch_hop_explain(struct tr_fetch *fetch, CURLcode code)
{
    struct tr_fetch_reply *reply = &fetch->reply;
    struct ending ending = ending_of(fetch, code);
    if (fetch->refused &&
        (code == CURLE_COULDNT_CONNECT || code == CURLE_ABORTED_BY_CALLBACK)) {
        reply->reason = "address";
        reply->status = tr_fail(&reply->err, TR_E_INTERNAL,
                                "%s is at a %s address, and [fetch] allow "
                                "does not name it",
                                reply->host, fetch->refused);
        return;
    }
    reply->reason = ending.reason;
    reply->status = tr_fail(&reply->err, ending.status, "%s: %s", reply->host,
                            ending.text ? ending.text : fetch->why);
}

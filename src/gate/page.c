#include "gate/page.h"

#include "net/listener.h"

/* What a page may read of an answer of any door. */
#define SHARED                                                                 \
    "Mcp-Session-Id, WWW-Authenticate, X-Trace-Id, X-Provenance, "             \
    "traceparent, ETag, Link, Deprecation, Retry-After, X-Total-Count, "       \
    "Idempotent-Replayed"

#define ORIGIN_HEADER TR_STR("Origin")

/* A page that wants to send headers with longer names than this may not: what
 * it asks for is repeated in the answer, which has a bound. */
#define WANTED_BYTES 1024

/* Leaves the port out: "localhost:80" is "localhost", "[::1]:80" is "[::1]". */
static tr_str host_of(tr_str authority)
{
    for (size_t i = authority.len; i > 0; i--) {
        char c = authority.ptr[i - 1];
        if (c == ':')
            return (tr_str){authority.ptr, i - 1};
        if (c < '0' || c > '9')
            break;
    }
    return authority;
}

static bool is_local(tr_str authority)
{
    tr_str host = host_of(authority);
    return tr_http_same_name(host, TR_STR("localhost")) ||
           tr_str_eq(host, TR_STR("127.0.0.1")) ||
           tr_str_eq(host, TR_STR("[::1]")) || tr_net_host_is_loopback(host);
}

/* Gives "host:port" of an origin; empty for what is none. */
static tr_str authority_of(tr_str origin)
{
    static const tr_str schemes[] = {TR_STR_INIT("http://"),
                                     TR_STR_INIT("https://")};
    for (size_t i = 0; i < TR_LEN(schemes); i++) {
        if (tr_str_starts(origin, schemes[i]))
            return tr_str_skip(origin, schemes[i].len);
    }
    return (tr_str){NULL, 0};
}

static bool origin_is_local(tr_str origin)
{
    return is_local(authority_of(origin));
}

/* Host must be a name of ours, and not one that only leads to us. */
static bool host_is_allowed(tr_str host, const struct tr_gate_origins *allowed)
{
    if (!host.len || is_local(host))
        return true;
    for (size_t i = 0; i < allowed->count; i++) {
        if (tr_http_same_name(authority_of(allowed->items[i]), host))
            return true;
    }
    return false;
}

static bool may_come_once(tr_str name)
{
    static const tr_str names[] = {
        TR_STR_INIT("Origin"), TR_STR_INIT("Authorization"),
        TR_STR_INIT("Content-Type"), TR_STR_INIT("Last-Event-ID")};
    if (name.len > 4 &&
        tr_http_same_name((tr_str){name.ptr, 4}, TR_STR("Mcp-")))
        return true;
    for (size_t i = 0; i < TR_LEN(names); i++) {
        if (tr_http_same_name(names[i], name))
            return true;
    }
    return false;
}

static bool has_double(const struct tr_http_request *request)
{
    for (size_t i = 1; i < request->header_count; i++) {
        tr_http_field field = tr_http_header_at(request, i);
        if (!may_come_once(field.name))
            continue;
        for (size_t j = 0; j < i; j++) {
            if (tr_http_same_name(tr_http_header_at(request, j).name,
                                  field.name))
                return true;
        }
    }
    return false;
}

static bool is_allowed(const struct tr_http_request *request,
                       const struct tr_gate_origins *allowed)
{
    tr_str origin;
    if (!host_is_allowed(request->host, allowed))
        return false;
    if (!tr_http_header_find(request, TR_STR("Origin"), &origin) ||
        origin_is_local(origin))
        return true;
    for (size_t i = 0; i < allowed->count; i++) {
        if (tr_str_eq(allowed->items[i], origin))
            return true;
    }
    return false;
}

int tr_gate_judge_page(const struct tr_gate *gate, struct tr_http_exchange *x,
                       const char **why)
{
    const struct tr_http_request *http = tr_http_exchange_request(x);
    if (has_double(http)) {
        *why = "A header that may come once comes twice";
        return 400;
    }
    if (!is_allowed(http, &gate->origins)) {
        *why = "Origin or Host is not allowed";
        return 403;
    }
    if (tr_http_header(http, ORIGIN_HEADER).len)
        tr_http_exchange_share(x, TR_STR(SHARED));
    return 0;
}

bool tr_gate_sends_json(const struct tr_http_request *http)
{
    tr_str type = tr_http_header(http, TR_STR("Content-Type"));
    tr_str before;
    tr_str after;
    if (tr_str_cut(type, ';', &before, &after))
        type = tr_str_trim(before);
    return tr_http_same_name(type, TR_STR("application/json"));
}

void tr_gate_answer_options(struct tr_http_exchange *x, tr_str methods)
{
    const struct tr_http_request *http = tr_http_exchange_request(x);
    tr_http_field fields[4] = {{TR_STR("Allow"), methods}};
    size_t count = 1;
    if (tr_http_header(http, ORIGIN_HEADER).len) {
        tr_str wanted =
            tr_http_header(http, TR_STR("Access-Control-Request-Headers"));
        if (wanted.len > WANTED_BYTES)
            wanted = TR_STR("");
        fields[count++] =
            (tr_http_field){TR_STR("Access-Control-Allow-Methods"), methods};
        fields[count++] =
            (tr_http_field){TR_STR("Access-Control-Allow-Headers"),
                            wanted.len ? wanted : TR_STR("content-type")};
        fields[count++] =
            (tr_http_field){TR_STR("Access-Control-Max-Age"), TR_STR("600")};
    }
    tr_http_respond(x, 204, fields, count, TR_STR(""));
}

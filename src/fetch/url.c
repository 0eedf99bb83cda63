#include "fetch/url.h"

#include "base/ascii.h"
#include "base/text.h"

#include <arpa/inet.h>

#define HTTP_PORT  80
#define HTTPS_PORT 443

/* A text that is read from its start, for errors that know their place. */
struct reader {
    tr_str text;
    size_t at;
    struct tr_err *err;
};

static tr_status fail(const struct reader *r, size_t at, const char *why)
{
    return tr_fail_in(r->err, TR_E_INVALID, r->text, at, "a URL %s", why);
}

/* Visible ASCII, without what RFC 3986 leaves out. */
static bool is_plain(char c)
{
    return c > ' ' && c < 0x7F && !strchr("\"<>\\^`{|}", c);
}

static tr_status check_bytes(struct reader *r)
{
    if (r->text.len > TR_LIMIT_FETCH_URL)
        return tr_fail(r->err, TR_E_LIMIT, "a URL has at most %zu bytes",
                       TR_LIMIT_FETCH_URL);
    for (size_t i = 0; i < r->text.len; i++) {
        if ((unsigned char)r->text.ptr[i] >= 0x80)
            return fail(r, i,
                        "is ASCII: a host as xn--, the rest encoded "
                        "with %");
        if (!is_plain(r->text.ptr[i]))
            return fail(r, i, "has a character that must be encoded with %");
    }
    return TR_OK;
}

static bool take_word(struct reader *r, tr_str word)
{
    tr_str rest = tr_str_skip(r->text, r->at);
    if (rest.len < word.len)
        return false;
    for (size_t i = 0; i < word.len; i++) {
        if (tr_ascii_to_lower(rest.ptr[i]) != word.ptr[i])
            return false;
    }
    r->at += word.len;
    return true;
}

static tr_status read_scheme(struct reader *r, struct tr_fetch_url *out)
{
    out->is_https = take_word(r, TR_STR("https://"));
    if (!out->is_https && !take_word(r, TR_STR("http://")))
        return fail(r, 0, "begins with https:// or http://");
    return TR_OK;
}

/* What is up to the first of `ends`, from where the reader is. */
static tr_str up_to(const struct reader *r, const char *ends)
{
    tr_str rest = tr_str_skip(r->text, r->at);
    size_t len = 0;
    while (len < rest.len && !strchr(ends, rest.ptr[len]))
        len++;
    return (tr_str){rest.ptr, len};
}

static bool is_number(tr_str label)
{
    bool is_hex = label.len > 1 && label.ptr[0] == '0' &&
                  tr_ascii_to_lower(label.ptr[1]) == 'x';
    for (size_t i = is_hex ? 2 : 0; i < label.len; i++) {
        if (is_hex ? tr_ascii_hex_value(label.ptr[i]) < 0
                   : !tr_ascii_is_digit(label.ptr[i]))
            return false;
    }
    return label.len > 0;
}

/*
 * A name whose last label is a number is taken for an IPv4 address, in forms
 * that few know (WHATWG URL, 3.5); only four plain numbers are let through.
 */
static bool is_disguised(const char *host)
{
    struct in_addr address;
    const char *last = strrchr(host, '.');
    return is_number(tr_str_from(last ? last + 1 : host)) &&
           inet_pton(AF_INET, host, &address) != 1;
}

static tr_status read_name(struct reader *r, struct tr_fetch_url *out)
{
    tr_str name = up_to(r, ":/?#");
    if (!name.len || name.len > TR_LIMIT_FETCH_HOST)
        return fail(r, r->at, "has a host of 1 to 253 characters");
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];
        bool is_dot = c == '.';
        if (is_dot && (i == 0 || i + 1 == name.len || name.ptr[i - 1] == '.'))
            return fail(r, r->at + i, "has a host with a dot too many");
        if (!is_dot && !tr_ascii_is_alnum(c) && c != '-' && c != '_')
            return fail(r, r->at + i,
                        "has a host of letters, digits, - and dots, and no "
                        "user before it");
        out->host[i] = tr_ascii_to_lower(c);
    }
    out->host[name.len] = '\0';
    if (is_disguised(out->host))
        return fail(r, r->at, "has an address as four numbers, or in brackets");
    r->at += name.len;
    return TR_OK;
}

/* [::1], written anew, so that each address has one spelling. */
static tr_status read_ipv6(struct reader *r, struct tr_fetch_url *out)
{
    char text[INET6_ADDRSTRLEN];
    struct in6_addr address;
    size_t begin = ++r->at;
    tr_str inner = up_to(r, "]/?#");
    r->at += inner.len;
    if (r->at == r->text.len || r->text.ptr[r->at] != ']' ||
        inner.len >= sizeof(text))
        return fail(r, begin, "has an IPv6 address in brackets");
    memcpy(text, inner.ptr, inner.len);
    text[inner.len] = '\0';
    r->at++;
    if (inet_pton(AF_INET6, text, &address) != 1 ||
        !inet_ntop(AF_INET6, &address, out->host, sizeof(text)))
        return fail(r, begin, "has an IPv6 address in brackets");
    return TR_OK;
}

static tr_status read_port(struct reader *r, struct tr_fetch_url *out)
{
    out->port = out->is_https ? HTTPS_PORT : HTTP_PORT;
    if (r->at < r->text.len && r->text.ptr[r->at] == ':') {
        size_t begin = ++r->at;
        tr_str digits = up_to(r, "/?#");
        int64_t port = 0;
        if (!digits.len || digits.len > 5 || !is_number(digits) ||
            !tr_str_to_i64(digits, &port) || port < 1 || port > 65535)
            return fail(r, begin, "has a port from 1 to 65535");
        out->port = (unsigned)port;
        r->at += digits.len;
    }
    if (r->at < r->text.len && !strchr("/?#", r->text.ptr[r->at]))
        return fail(r, r->at, "has a path, or nothing, after its host");
    return TR_OK;
}

/* How often a path may be encoded in itself: some decode more than once. */
enum { LEVELS = 3 };

/*
 * "." and "..", also with parameters behind them ("..;v=1"), which some leave
 * out before they look, or with what ends a name for others: a NUL, a blank.
 */
static bool is_dots(tr_str part)
{
    size_t dots = 0;
    while (dots < part.len && part.ptr[dots] == '.')
        dots++;
    bool ends = dots == part.len || part.ptr[dots] == ';' ||
                (unsigned char)part.ptr[dots] <= ' ';
    return ends && (dots == 1 || dots == 2);
}

static bool goes_up(tr_str path)
{
    size_t begin = 0;
    for (size_t i = 0; i <= path.len; i++) {
        if (i < path.len && path.ptr[i] != '/' && path.ptr[i] != '\\')
            continue;
        if (is_dots((tr_str){path.ptr + begin, i - begin}))
            return true;
        begin = i + 1;
    }
    return false;
}

/* What somebody may find in it who decodes it, once or again. */
static tr_status check_path(const struct reader *r, tr_str path)
{
    char text[TR_LIMIT_FETCH_URL];
    size_t at = r->at - path.len;
    tr_str plain = {text, path.len};
    if (path.len)
        memcpy(text, path.ptr, path.len);
    for (int level = 0;; level++) {
        size_t before = plain.len;
        if (goes_up(plain))
            return fail(r, at, "has no . or .. in its path");
        plain = tr_percent_decode_leniently(plain, text);
        if (plain.len == before)
            return TR_OK;
        if (level == LEVELS)
            return fail(r, at, "has a path that is encoded too often");
    }
}

static tr_status check_escapes(const struct reader *r, tr_str part)
{
    size_t base = part.len ? (size_t)(part.ptr - r->text.ptr) : 0;
    for (size_t i = 0; i < part.len; i++) {
        if (part.ptr[i] == '%' && !tr_percent_is_encoded(part, i))
            return fail(r, base + i, "has two digits after each %");
    }
    return TR_OK;
}

static tr_status read_rest(struct reader *r, struct tr_fetch_url *out)
{
    out->path = up_to(r, "?#");
    r->at += out->path.len;
    TR_TRY(check_escapes(r, out->path));
    TR_TRY(check_path(r, out->path));
    out->has_query = r->at < r->text.len && r->text.ptr[r->at] == '?';
    if (out->has_query) {
        r->at++;
        out->query = up_to(r, "#");
        r->at += out->query.len;
    }
    return check_escapes(r, out->query);
}

tr_status tr_fetch_url_read(tr_str text, struct tr_fetch_url *out,
                            struct tr_err *err)
{
    struct reader r = {text, 0, err};
    *out = (struct tr_fetch_url){0};
    TR_TRY(check_bytes(&r));
    TR_TRY(read_scheme(&r, out));
    bool is_ipv6 = r.at < text.len && text.ptr[r.at] == '[';
    TR_TRY(is_ipv6 ? read_ipv6(&r, out) : read_name(&r, out));
    TR_TRY(read_port(&r, out));
    return read_rest(&r, out);
}

tr_status tr_fetch_url_read_prefix(tr_str text, struct tr_fetch_url *out,
                                   struct tr_err *err)
{
    TR_TRY(tr_fetch_url_read(text, out, err));
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] == '?' || text.ptr[i] == '#')
            return tr_fail_in(err, TR_E_INVALID, text, i,
                              "the beginning of a URL ends with its path");
    }
    return TR_OK;
}

bool tr_fetch_url_is_meant(tr_str text)
{
    for (size_t i = 0; i + 2 < text.len; i++) {
        if (memcmp(text.ptr + i, "://", 3) == 0)
            return true;
    }
    return false;
}

bool tr_fetch_url_same_origin(const struct tr_fetch_url *a,
                              const struct tr_fetch_url *b)
{
    return a->is_https == b->is_https && a->port == b->port &&
           strcmp(a->host, b->host) == 0;
}

bool tr_fetch_url_is_below(const struct tr_fetch_url *url,
                           const struct tr_fetch_url *prefix)
{
    tr_str path = prefix->path;
    if (!tr_fetch_url_same_origin(url, prefix))
        return false;
    if (path.len && path.ptr[path.len - 1] == '/')
        path.len--;
    return tr_str_starts(url->path, path) &&
           (url->path.len == path.len || url->path.ptr[path.len] == '/');
}

bool tr_fetch_url_is_private(const struct tr_fetch_url *url)
{
    return url->is_https || strcmp(url->host, "127.0.0.1") == 0 ||
           strcmp(url->host, "::1") == 0 || strcmp(url->host, "localhost") == 0;
}

void tr_fetch_url_place(const struct tr_fetch_url *url,
                        char out[TR_FETCH_URL_PLACE])
{
    bool is_ipv6 = strchr(url->host, ':') != NULL;
    bool is_usual = url->port == (url->is_https ? HTTPS_PORT : HTTP_PORT);
    int len =
        snprintf(out, TR_FETCH_URL_PLACE, is_ipv6 ? "[%s]" : "%s", url->host);
    if (!is_usual)
        (void)snprintf(out + len, TR_FETCH_URL_PLACE - (size_t)len, ":%u",
                       url->port);
}

void tr_fetch_url_write(const struct tr_fetch_url *url, struct tr_buf *out)
{
    char place[TR_FETCH_URL_PLACE];
    tr_fetch_url_place(url, place);
    tr_buf_put(out, url->is_https ? TR_STR("https://") : TR_STR("http://"));
    tr_buf_put(out, tr_str_from(place));
    tr_buf_put(out, url->path.len ? url->path : TR_STR("/"));
    if (url->has_query) {
        tr_buf_putc(out, '?');
        tr_buf_put(out, url->query);
    }
}

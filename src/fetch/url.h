/*
 * fetch/url.h - URLs of what may be fetched, and prefixes of them.
 *
 * Strict on purpose: what is compared here must be what is asked for later, and
 * what the other side takes it for. So there is no user in a URL, no dot
 * segment, encoded or not, no host that is a number in disguise, nothing that
 * is not ASCII; the host is in lower case. Errors say what is wrong and where,
 * and nothing of the URL, which may hold a secret.
 */
#ifndef TR_FETCH_URL_H
#define TR_FETCH_URL_H

#include "base/buf.h"
#include "base/err.h"
#include "base/limits.h"

/* Path and query are views of the text that was read. */
struct tr_fetch_url {
    bool is_https; /* else http */
    unsigned port;
    tr_str path;  /* begins with '/', or is empty */
    tr_str query; /* after the '?' */
    bool has_query;
    char host[TR_LIMIT_FETCH_HOST + 1]; /* an IPv6 address without brackets */
};

/* TR_E_INVALID for what is no such URL, with its place. */
TR_NODISCARD tr_status tr_fetch_url_read(tr_str text, struct tr_fetch_url *out,
                                         struct tr_err *err);

/* The same for what begins URLs: without query and fragment. */
TR_NODISCARD tr_status tr_fetch_url_read_prefix(tr_str text,
                                                struct tr_fetch_url *out,
                                                struct tr_err *err);

/* Whether a text means to be a URL: words of other kinds are no prefixes. */
bool tr_fetch_url_is_meant(tr_str text);

/* Scheme, host and port. */
bool tr_fetch_url_same_origin(const struct tr_fetch_url *a,
                              const struct tr_fetch_url *b);

/* Same origin, and the segments of the prefix are the first of the URL. */
bool tr_fetch_url_is_below(const struct tr_fetch_url *url,
                           const struct tr_fetch_url *prefix);

/* https, or http to 127.0.0.1, ::1 or localhost. */
bool tr_fetch_url_is_private(const struct tr_fetch_url *url);

/* As it is asked for: without a fragment. */
void tr_fetch_url_write(const struct tr_fetch_url *url, struct tr_buf *out);

/* "api.example.com", "api.example.com:8443", "[::1]:80": all that is told of a
 * URL in logs and errors. */
#define TR_FETCH_URL_PLACE (TR_LIMIT_FETCH_HOST + 10)
void tr_fetch_url_place(const struct tr_fetch_url *url,
                        char out[TR_FETCH_URL_PLACE]);

#endif

/*
 * fetch/fetch.h - one document over HTTPS, for a thread that may wait.
 *
 * libcurl is loaded when it is first needed: a process that fetches nothing
 * runs without it.
 */
#ifndef TR_FETCH_FETCH_H
#define TR_FETCH_FETCH_H

#include "base/buf.h"

struct tr_fetch {
    const char *url; /* https, or http to 127.0.0.1, ::1 or localhost */
    /* Called now and then; false ends the transfer. May be NULL. */
    bool (*goes_on)(void *data);
    void *data;
};

/* Whether tr_fetch_get takes this URL. */
bool tr_fetch_takes(tr_str url);

/*
 * Appends the body of a response with status 200 to `out`, whose maximum holds.
 * Redirects are not followed. TR_E_UNSUPPORTED without libcurl, TR_E_LIMIT,
 * TR_E_CANCELLED, TR_E_IO for everything else; the message has nothing of the
 * response in it.
 */
TR_NODISCARD tr_status tr_fetch_get(const struct tr_fetch *fetch,
                                    struct tr_buf *out, struct tr_err *err);

#endif

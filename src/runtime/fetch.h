/*
 * runtime/fetch.h - a handler asks another host.
 *
 * The declarations of the call and of all that have invoked it decide where it
 * may go. What comes of it is a value for the journal, which a later round is
 * given instead of a second request; a call that has fetched is not run again
 * for a conflict.
 */
#ifndef TR_RUNTIME_FETCH_H
#define TR_RUNTIME_FETCH_H

#include "fetch/fetch.h"
#include "json/json.h"
#include "runtime/call.h"

#define TR_CALL_FETCH_MARK 16

/* In the arena of the call. */
struct tr_call_fetching {
    struct tr_call *call;
    struct tr_fetch *fetch; /* NULL before and after */
    bool has_hidden;        /* the URL: what it asks for is not looked at */
    tr_str method;          /* borrowed from the request, as long as it */
    char mark[TR_CALL_FETCH_MARK]; /* of what it asks for */
};

/*
 * Notes what a request asks for, so that a later round can be told from it: its
 * method and its URL, whatever the order of the query. Of a URL with a secret
 * nothing is noted but the host.
 */
void tr_call_fetch_mark(struct tr_call_fetching *fetching,
                        const struct tr_fetch_request *request);

/* Whether the reply in the journal is one to a request such as this. */
bool tr_call_fetch_is_same(const struct tr_call_fetching *fetching,
                           const struct tr_json *reply);

/*
 * Begins it; all but `may` is set in the request. Where the declarations do not
 * have the URL the call has failed, whatever it makes of the error. TR_E_LIMIT
 * for one fetch too many, or one that may bring too much; and what
 * tr_fetch_start says.
 */
TR_NODISCARD tr_status tr_call_fetch_begin(struct tr_call_fetching *fetching,
                                           struct tr_fetch_request *request,
                                           struct tr_err *err);

/*
 * After it is done: {host, method, asked, code, headers: [[name, value], ...],
 * body or body64}, or {host, method, asked, status, message, reason}, in the
 * arena. Notes it, and frees it.
 */
TR_NODISCARD tr_status tr_call_fetch_end(struct tr_call_fetching *fetching,
                                         struct tr_json *out,
                                         struct tr_err *err);

/* Ends one that may still run. */
void tr_call_fetch_give_up(struct tr_call_fetching *fetching);

#endif

/*
 * gate/gate.h - who is let in: whom a token, or an HTTP request, stands for.
 *
 * One for each loop, with the loop's bearer; a door borrows it or has a copy.
 */
#ifndef TR_GATE_GATE_H
#define TR_GATE_GATE_H

#include "base/buf.h"
#include "base/err.h"
#include "http/exchange.h"

struct tr_access_authority;
struct tr_access_bearer;
struct tr_graph_store;
struct tr_loop;

/* Which credentials the server wants; the same for all loops. */
struct tr_gate_rules {
    bool is_required;    /* nobody comes in without one, */
    bool closes;         /* nor once a token was stored */
    bool http_statuses;  /* MCP: 401 and 403 for scopes too, not in-band */
    tr_str realm;        /* whose credentials they are, or empty */
    tr_str metadata_url; /* of the protected resource (RFC 9728), or empty */
    tr_str brought;      /* what standard input brings by itself, or empty */
};

/* Origins of web pages that are allowed by name. */
struct tr_gate_origins {
    const tr_str *items;
    size_t count;
};

struct tr_gate {
    struct tr_loop *loop;
    struct tr_access_bearer *bearer; /* NULL: nobody has a token */
    struct tr_graph_store *store;    /* of stored tokens, or NULL */
    struct tr_gate_rules rules;
    struct tr_gate_origins origins; /* web pages that may connect */
};

/*
 * Finds who has a token; an empty one is none. The authority is borrowed until
 * somebody else is asked for. TR_E_UNAUTHENTICATED says why nobody is let in;
 * other failures are not the caller's.
 */
TR_NODISCARD tr_status tr_gate_resolve(const struct tr_gate *gate, tr_str token,
                                       const struct tr_access_authority **out,
                                       struct tr_err *err);

/*
 * What a challenge says after `Bearer` (RFC 6750, section 3; RFC 9728, section
 * 5.1; 2025-11-25, basic/authorization, Scope Selection Strategy).
 */
struct tr_gate_challenge {
    const char *error; /* or NULL */
    const char *why;
    const char *scope; /* that would do, or NULL */
    bool is_scope;     /* only the scope is missing, not the token */
};

/* The longest challenge has two URLs and a sentence. */
#define TR_GATE_CHALLENGE_BYTES 4096

/* Writes the value of WWW-Authenticate into `text`. */
tr_str tr_gate_write_challenge(const struct tr_gate *gate,
                               const struct tr_gate_challenge *challenge,
                               char text[TR_GATE_CHALLENGE_BYTES]);

/* Why a request goes no further. With 401 and 400 there is a challenge. */
struct tr_gate_refusal {
    int http; /* 400, 401 or 503 */
    struct tr_gate_challenge challenge;
    struct tr_err err; /* has its words */
};

/*
 * Who an HTTP request is from; borrowed until somebody else is asked for. It is
 * asked once for each request, and again where the handler had to wait for the
 * body: a token may have been revoked meanwhile. When it goes no further this
 * returns false; it is the door's to answer.
 */
bool tr_gate_identify(const struct tr_gate *gate, struct tr_http_exchange *x,
                      const struct tr_access_authority **out,
                      struct tr_gate_refusal *refusal);

/* The token of a request over HTTP, or "". */
tr_str tr_gate_token_of(const struct tr_http_request *http);

#endif

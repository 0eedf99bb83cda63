/*
 * gate/trace.h - the id that ties a request to its log lines and records.
 */
#ifndef TR_GATE_TRACE_H
#define TR_GATE_TRACE_H

#include "base/err.h"
#include "base/str.h"

/* Digits of base 16 of an id. */
#define TR_GATE_TRACE_LEN 32

/* Where a loop's ids come from: none comes twice. */
struct tr_gate_traces {
    uint64_t seed;
    uint64_t count;
};

TR_NODISCARD tr_status tr_gate_traces_init(struct tr_gate_traces *traces,
                                           struct tr_err *err);

/* Writes a new id; no NUL follows it. */
void tr_gate_trace_make(struct tr_gate_traces *traces,
                        char to[TR_GATE_TRACE_LEN]);

/* The header traceparent; "" when it is not there once: two are none. */
struct tr_http_request;
tr_str tr_gate_trace_of(const struct tr_http_request *http);

/* The id of a traceparent (W3C Trace Context, section 3.2); false when it is
 * not well-formed. */
bool tr_gate_trace_parse(tr_str traceparent, tr_str *out);

#endif

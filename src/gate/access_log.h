/*
 * gate/access_log.h - a line of the log and some counts for each request, when
 * it is done; each door has its own names for what was asked.
 *
 * They never say what a request carried: no arguments, no results. The text of
 * a fault is logged, because in production nobody else is shown it.
 */
#ifndef TR_GATE_ACCESS_LOG_H
#define TR_GATE_ACCESS_LOG_H

#include "base/err.h"
#include "base/str.h"

struct tr_loop_log_lines;

/* Steps of a histogram, the last without an upper bound. */
#define TR_GATE_STEPS 15

/* The upper bounds of all steps but the last, in microseconds. */
extern const uint64_t tr_gate_step_bounds[TR_GATE_STEPS - 1];

/* How long the requests of one kind took. */
struct tr_gate_histogram {
    uint64_t steps[TR_GATE_STEPS]; /* not cumulative */
    uint64_t micros;
};

void tr_gate_histogram_count(struct tr_gate_histogram *histogram,
                             uint64_t micros);
void tr_gate_histogram_add(struct tr_gate_histogram *to,
                           const struct tr_gate_histogram *from);
uint64_t tr_gate_histogram_total(const struct tr_gate_histogram *histogram);

/* Error codes that are told apart; the last entry counts all others. */
#define TR_GATE_CODES 24

struct tr_gate_codes {
    struct {
        int code; /* 0: not used, or others */
        uint64_t count;
    } items[TR_GATE_CODES];
};

void tr_gate_codes_count(struct tr_gate_codes *codes, int code, uint64_t count);
void tr_gate_codes_add(struct tr_gate_codes *to,
                       const struct tr_gate_codes *from);

/* A request, as the log has it. */
struct tr_gate_line {
    tr_str method;
    tr_str name; /* of what was asked for, cut to what fits; or "" */
    tr_str principal;
    int status; /* of HTTP */
    int code;   /* of JSON-RPC; 0: none */
    uint64_t micros;
    uint64_t bytes; /* of the answer */
    tr_str trace_id;
};

void tr_gate_log_line(struct tr_loop_log_lines *log,
                      const struct tr_gate_line *line);

/* The same for a failure that nobody foresaw, or that an author has to mend:
 * then `where` is its place in the app. */
void tr_gate_log_fault(struct tr_loop_log_lines *log,
                       const struct tr_gate_line *line, tr_str where,
                       const struct tr_err *err);

#endif

/*
 * rest/problem.h - what is wrong with a request, as RFC 9457 has it.
 *
 *     {"type": "trails://meta/problem/validation", "title": ..., "status": 422,
 *      "detail": ..., "code": "validation", "trace_id": ..., "fields": [...]}
 */
#ifndef TR_REST_PROBLEM_H
#define TR_REST_PROBLEM_H

#include "base/buf.h"
#include "json/json.h"

#define TR_REST_PROBLEM_TYPE TR_STR("application/problem+json")

struct tr_rest_problem {
    int status;
    const char *code;  /* NULL: HTTP has said it all; then so is the type */
    const char *title; /* of the code */
    tr_str detail;     /* what is wrong this time, or empty */
    tr_str instance;   /* the IRI of its activity, or empty */
    tr_str trace_id;   /* or empty */
    const struct tr_json *data; /* more members, or NULL */
    int retry_after_s;          /* 0: it is not said */
};

/*
 * Writes it to a buffer, which has nothing else, and returns the status to send
 * it with: what is documented (project/view.h) is sent, and nothing else.
 */
TR_NODISCARD int tr_rest_problem_write(struct tr_buf *out,
                                       const struct tr_rest_problem *problem);

/* What a status of ours is called by people. */
const char *tr_rest_problem_title(tr_status status);

#endif

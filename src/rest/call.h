/*
 * rest/call.h - the door of runtime/: runs the handler of a request, and says
 * why one has failed.
 */
#ifndef TR_REST_CALL_H
#define TR_REST_CALL_H

#include "rest/request.h"

/* What a request runs: a capability, or what has a name and a guard. */
struct tr_rest_run {
    enum tr_call_kind kind;
    const struct tr_cap_handler *handler;
    const struct tr_json *args;       /* an object */
    const struct tr_cap *cap;         /* or NULL; then there are */
    const struct tr_cap_guard *guard; /* this, */
    tr_str name;                      /* and this */
    const struct tr_json *key;        /* the idempotency key, or NULL */
    tr_rest_answer_fn *answer;
};

/* Runs a handler for the request, which `answer` ends, perhaps before this
 * returns. */
void tr_rest_call_run(struct tr_rest_request *request,
                      const struct tr_rest_run *run);

/* Leaves a trace of a request for what nothing has the name of. */
void tr_rest_call_unknown(struct tr_rest_request *request,
                          enum tr_call_kind kind, tr_str asked);

/* Answers a call that has failed. */
void tr_rest_call_refuse(struct tr_rest_request *request,
                         const struct tr_call_outcome *outcome);

#endif

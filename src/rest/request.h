/*
 * rest/request.h - one request, from its handler to its answer.
 *
 * It owns its arena and belongs to its loop's door. Whoever has it answers it
 * once, now or when its call has ended, and that releases it.
 */
#ifndef TR_REST_REQUEST_H
#define TR_REST_REQUEST_H

#include "access/authority.h"
#include "gate/trace.h"
#include "rest/accept.h"
#include "rest/problem.h"
#include "rest/rest.h"

struct tr_rest_request;

/* Turns the outcome of a call into an answer. */
typedef void tr_rest_answer_fn(struct tr_rest_request *request,
                               const struct tr_call_outcome *outcome);

#define TR_REST_FIELDS 12

/* Its texts are those of the exchange, which lives as long, or in the arena. */
struct tr_rest_request {
    struct tr_rest *rest;
    struct tr_http_exchange *x;
    const struct tr_http_request *http;
    struct tr_arena arena;
    const struct tr_cap_snapshot *snapshot;
    struct tr_access_authority authority; /* borrowed until a call begins */
    struct tr_rest_offers offers;
    size_t form; /* which of them it gets */
    char trace[TR_GATE_TRACE_LEN];
    struct tr_call_client client;
    struct tr_call call;
    tr_rest_answer_fn *answer;
    bool is_running;
    bool has_asked;              /* a handler wanted to ask the client */
    bool is_gone;                /* the peer */
    enum tr_call_ask_kind asked; /* what */

    /* Of the answer. */
    tr_http_field fields[TR_REST_FIELDS];
    size_t field_count;

    /* For the log. */
    size_t route; /* its row of the table */
    tr_str name;  /* what it is about */
    int status;
    uint64_t bytes;
    uint64_t started_ns;

    struct tr_rest_request *next;  /* in the list of those in work, or free */
    struct tr_rest_request **link; /* what points to it in that list */
};

/* Begins a request whose caller is let in; NULL: it was answered. */
struct tr_rest_request *tr_rest_request_begin(struct tr_http_exchange *x,
                                              struct tr_rest *rest);

/* The same for what everybody may have. */
struct tr_rest_request *tr_rest_request_open(struct tr_http_exchange *x,
                                             struct tr_rest *rest);

/* What it can be answered with; who wants none of them has been told: false. */
bool tr_rest_request_offer(struct tr_rest_request *request,
                           struct tr_rest_offers offers);

/* Adds a header to the answer; its texts are borrowed until that. */
void tr_rest_request_add(struct tr_rest_request *request, tr_str name,
                         tr_str value);

/* Answers, and releases it: what is written in the door's buffer, if all of
 * that could be written. Without a body it has no type. */
void tr_rest_request_end(struct tr_rest_request *request, int status,
                         tr_str type);

/* The same with a body that stands elsewhere, until it is released. */
void tr_rest_request_end_with(struct tr_rest_request *request, int status,
                              tr_str type, tr_str body);

/* The same with a problem, with its trace and activity. */
void tr_rest_request_refuse(struct tr_rest_request *request,
                            const struct tr_rest_problem *problem);

/* As that, for an error of ours before a call has begun. */
void tr_rest_request_fail(struct tr_rest_request *request,
                          const struct tr_err *err);

/* Logs why it failed, for its author or the operator. */
void tr_rest_request_log_fault(const struct tr_rest_request *request,
                               const struct tr_call_outcome *failed);

/* Whether the answer is to be in this type. */
bool tr_rest_request_wants(const struct tr_rest_request *request, tr_str type);

/* The segment of the path behind `before`, decoded; false: it was answered. */
bool tr_rest_request_segment(struct tr_rest_request *request, size_t before,
                             tr_str *out);

#endif

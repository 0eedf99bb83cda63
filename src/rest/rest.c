#include "rest/rest.h"

#include "base/limits.h"
#include "rest/inside.h"
#include "rest/request.h"

tr_status tr_rest_create(const struct tr_rest_opts *opts, struct tr_rest **out,
                         struct tr_err *err)
{
    struct tr_rest *rest = calloc(1, sizeof(*rest));
    if (!rest)
        return tr_fail(err, TR_E_NOMEM, "no memory for the door over HTTP");
    rest->opts = *opts;
    tr_buf_init(&rest->out, TR_LIMIT_MESSAGE);
    tr_buf_init(&rest->filled.text, TR_LIMIT_MESSAGE);
    tr_rest_meter_init(&rest->measured);
    tr_status status = tr_gate_traces_init(&rest->traces, err);
    if (status != TR_OK) {
        free(rest);
        return status;
    }
    *out = rest;
    return TR_OK;
}

bool tr_rest_is_idle(const struct tr_rest *rest)
{
    return !rest->requests;
}

void tr_rest_stop(struct tr_rest *rest)
{
    struct tr_rest_request *request = rest->requests;
    while (request) {
        struct tr_rest_request *next = request->next;
        if (request->is_running)
            tr_call_cancel(&request->call);
        request = next;
    }
}

void tr_rest_free(struct tr_rest *rest)
{
    if (!rest)
        return;
    while (rest->spare) {
        struct tr_rest_request *next = rest->spare->next;
        tr_arena_done(&rest->spare->arena);
        free(rest->spare);
        rest->spare = next;
    }
    tr_rest_meter_done(&rest->measured);
    tr_buf_done(&rest->filled.text);
    tr_buf_done(&rest->out);
    free(rest);
}

const struct tr_rest_counts *tr_rest_counts(const struct tr_rest *rest)
{
    return &rest->counts;
}

void tr_rest_counts_add(struct tr_rest_counts *to,
                        const struct tr_rest_counts *from)
{
    for (size_t i = 0; i < TR_REST_ROUTES; i++)
        tr_gate_histogram_add(&to->routes[i], &from->routes[i]);
    tr_gate_codes_add(&to->refused, &from->refused);
}

size_t tr_rest_running(const struct tr_rest *rest)
{
    size_t running = 0;
    const struct tr_rest_request *request = rest->requests;
    for (; request; request = request->next)
        running += request->is_running;
    return running;
}

#include "rest/request.h"

#include "base/limits.h"
#include "base/time.h"
#include "cap/registry.h"
#include "prov/activity.h"
#include "rest/call.h"
#include "rest/inside.h"
#include "rest/read.h"
#include "rest/routes.h"

/* A busy loop has so many requests in work; more than that are not kept. */
#define SPARE_MAX 64

/* A spare request may keep so much; after a large one it starts anew. */
#define SPARE_BYTES TR_KIB(64)

static struct tr_rest_request *take_spare(struct tr_rest *rest)
{
    struct tr_rest_request *request = rest->spare;
    if (request) {
        rest->spare = request->next;
        rest->spare_count--;
        return request;
    }
    request = calloc(1, sizeof(*request));
    if (request)
        tr_arena_init(&request->arena, TR_LIMIT_REQUEST_MEMORY);
    return request;
}

static void link_request(struct tr_rest_request *request)
{
    struct tr_rest *rest = request->rest;
    request->next = rest->requests;
    request->link = &rest->requests;
    if (request->next)
        request->next->link = &request->next;
    rest->requests = request;
}

/* The caller's id, when it has sent one (W3C Trace Context, 3.2). */
static void take_trace(struct tr_rest_request *request)
{
    tr_str id;
    if (tr_gate_trace_parse(tr_gate_trace_of(request->http), &id))
        memcpy(request->trace, id.ptr, sizeof(request->trace));
    else
        tr_gate_trace_make(&request->rest->traces, request->trace);
}

struct tr_rest_request *tr_rest_request_open(struct tr_http_exchange *x,
                                             struct tr_rest *rest)
{
    static const struct tr_rest_problem no_memory = {.status = 507};
    struct tr_rest_request *request = take_spare(rest);
    if (!request) {
        tr_rest_refuse(x, rest, &no_memory);
        return NULL;
    }
    struct tr_arena arena = request->arena;
    *request = (struct tr_rest_request){
        .rest = rest,
        .x = x,
        .http = tr_http_exchange_request(x),
        .arena = arena,
        .snapshot = tr_cap_registry_pin(rest->opts.registry),
        .started_ns = tr_time_ticks_ns(),
        .route = tr_rest_route_index(x),
    };
    tr_http_exchange_take_report(x);
    link_request(request);
    take_trace(request);
    return request;
}

static void refuse_types(struct tr_rest_request *request)
{
    char text[256];
    struct tr_buf detail;
    tr_buf_init_fixed(&detail, text, sizeof(text));
    tr_buf_put(&detail, TR_STR("there is "));
    for (size_t i = 0; i < request->offers.count; i++)
        tr_buf_putf(&detail, "%s%.*s", i ? ", " : "",
                    TR_FMT(request->offers.items[i]));
    const struct tr_rest_problem problem = {.status = 406,
                                            .detail = tr_buf_str(&detail)};
    tr_rest_request_refuse(request, &problem);
}

bool tr_rest_request_offer(struct tr_rest_request *request,
                           struct tr_rest_offers offers)
{
    request->offers = offers;
    if (tr_rest_accept_choose(request->http, offers, &request->form))
        return true;
    refuse_types(request);
    return false;
}

struct tr_rest_request *tr_rest_request_begin(struct tr_http_exchange *x,
                                              struct tr_rest *rest)
{
    const struct tr_access_authority *authority = NULL;
    static const struct tr_err no_memory = {.code = TR_E_NOMEM,
                                            .msg = "no memory for the caller"};
    if (!tr_rest_identify(x, rest, &authority))
        return NULL;
    struct tr_rest_request *request = tr_rest_request_open(x, rest);
    if (!request)
        return NULL;
    if (tr_access_authority_copy(&request->arena, authority,
                                 &request->authority))
        return request;
    tr_rest_request_fail(request, &no_memory);
    return NULL;
}

void tr_rest_request_add(struct tr_rest_request *request, tr_str name,
                         tr_str value)
{
    if (request->field_count < TR_REST_FIELDS)
        request->fields[request->field_count++] = (tr_http_field){name, value};
}

static struct tr_gate_line line_of(const struct tr_rest_request *request)
{
    return (struct tr_gate_line){
        .method = tr_rest_route_name(request->route),
        .name = request->name,
        .principal = request->authority.principal,
        .status = request->is_gone ? 499 : request->status,
        .micros = (tr_time_ticks_ns() - request->started_ns) / 1000,
        .bytes = request->bytes,
        .trace_id = {request->trace, sizeof(request->trace)},
    };
}

void tr_rest_request_log_fault(const struct tr_rest_request *request,
                               const struct tr_call_outcome *failed)
{
    struct tr_gate_line line = line_of(request);
    if (request->rest->opts.log)
        tr_gate_log_fault(request->rest->opts.log, &line, failed->where,
                          &failed->err);
}

static void count_and_log(const struct tr_rest_request *request)
{
    struct tr_rest *rest = request->rest;
    struct tr_gate_line line = line_of(request);
    tr_gate_histogram_count(&rest->counts.routes[request->route], line.micros);
    if (line.status >= 400)
        tr_gate_codes_count(&rest->counts.refused, line.status, 1);
    if (rest->opts.log && rest->opts.log_access)
        tr_gate_log_line(rest->opts.log, &line);
}

static void release(struct tr_rest_request *request)
{
    struct tr_rest *rest = request->rest;
    *request->link = request->next;
    if (request->next)
        request->next->link = request->link;
    tr_cap_snapshot_unpin(request->snapshot);
    if (rest->spare_count < SPARE_MAX) {
        tr_arena_recycle(&request->arena, SPARE_BYTES);
        request->next = rest->spare;
        rest->spare = request;
        rest->spare_count++;
    } else {
        tr_arena_done(&request->arena);
        free(request);
    }
}

/* The bytes are logged before they are sent: their names stand in them. */
static void end(struct tr_rest_request *request, int status, tr_str body)
{
    struct tr_http_exchange *x = request->x;
    tr_http_field fields[TR_REST_FIELDS];
    size_t count = request->field_count;
    request->status = status;
    request->bytes = body.len;
    memcpy(fields, request->fields, sizeof(fields));
    tr_http_exchange_on_gone(x, NULL, NULL);
    count_and_log(request);
    tr_http_respond(x, status, fields, count, body);
    release(request);
}

/* What ties the answer to what is known of the call. */
static void add_trace(struct tr_rest_request *request,
                      char parent[TR_CALL_TRACEPARENT],
                      char activity[TR_PROV_ACTIVITY_IRI])
{
    const struct tr_call *call = &request->call;
    tr_rest_request_add(request, TR_STR("X-Trace-Id"),
                        (tr_str){request->trace, sizeof(request->trace)});
    if (!call->started_ns)
        return;
    tr_prov_activity_iri(call->activity.id, activity);
    tr_rest_request_add(request, TR_STR("X-Provenance"),
                        (tr_str){activity, TR_PROV_ACTIVITY_IRI});
    if (tr_call_traceparent(call, parent))
        tr_rest_request_add(request, TR_STR("traceparent"),
                            (tr_str){parent, TR_CALL_TRACEPARENT});
}

void tr_rest_request_end(struct tr_rest_request *request, int status,
                         tr_str type)
{
    struct tr_err err;
    if (tr_buf_check(&request->rest->out, &err) != TR_OK) {
        tr_err_prefix(&err, "the answer cannot be written");
        err.code = TR_E_INTERNAL;
        request->field_count = 0;
        tr_rest_request_fail(request, &err);
        return;
    }
    tr_rest_request_end_with(request, status, type,
                             tr_buf_str(&request->rest->out));
}

void tr_rest_request_end_with(struct tr_rest_request *request, int status,
                              tr_str type, tr_str body)
{
    char parent[TR_CALL_TRACEPARENT];
    char activity[TR_PROV_ACTIVITY_IRI];
    if (type.len)
        tr_rest_request_add(request, TR_STR("Content-Type"), type);
    if (request->offers.count)
        tr_rest_request_add(request, TR_STR("Vary"),
                            TR_STR("Authorization, Accept"));
    add_trace(request, parent, activity);
    end(request, status, body);
}

void tr_rest_request_refuse(struct tr_rest_request *request,
                            const struct tr_rest_problem *problem)
{
    char parent[TR_CALL_TRACEPARENT];
    char activity[TR_PROV_ACTIVITY_IRI];
    char seconds[24];
    struct tr_rest_problem whole = *problem;
    whole.trace_id = (tr_str){request->trace, sizeof(request->trace)};
    if (request->call.started_ns) {
        tr_prov_activity_iri(request->call.activity.id, activity);
        whole.instance = (tr_str){activity, sizeof(activity)};
    }
    int status = tr_rest_problem_write(&request->rest->out, &whole);
    tr_rest_request_add(request, TR_STR("Content-Type"), TR_REST_PROBLEM_TYPE);
    tr_rest_request_add(request, TR_STR("Cache-Control"), TR_STR("no-store"));
    if (problem->retry_after_s) {
        int len =
            snprintf(seconds, sizeof(seconds), "%d", problem->retry_after_s);
        tr_rest_request_add(request, TR_STR("Retry-After"),
                            (tr_str){seconds, (size_t)len});
    }
    add_trace(request, parent, activity);
    end(request, status, tr_buf_str(&request->rest->out));
}

void tr_rest_request_fail(struct tr_rest_request *request,
                          const struct tr_err *err)
{
    const struct tr_call_outcome failed = {.status = err->code, .err = *err};
    tr_rest_call_refuse(request, &failed);
}

bool tr_rest_request_wants(const struct tr_rest_request *request, tr_str type)
{
    return tr_str_eq(request->offers.items[request->form], type);
}

bool tr_rest_request_segment(struct tr_rest_request *request, size_t before,
                             tr_str *out)
{
    struct tr_err err = {0};
    tr_status status = tr_rest_read_segment(
        &request->arena, tr_str_skip(request->http->path, before), out, &err);
    const struct tr_rest_problem wrong = {.status = 400,
                                          .detail = tr_str_from(err.msg)};
    if (status == TR_E_SYNTAX)
        tr_rest_request_refuse(request, &wrong);
    else if (status != TR_OK)
        tr_rest_request_fail(request, &err);
    return status == TR_OK;
}

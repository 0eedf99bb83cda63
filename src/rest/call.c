#include "rest/call.h"

#include "cap/cap.h"
#include "cap/live.h"
#include "loop/loop.h"
#include "rest/inside.h"
#include "runtime/outcome.h"

static struct tr_rest_request *request_of(struct tr_call *call)
{
    return tr_call_root(call)->door_data;
}

/* One response says how a call has ended, and nothing before that. */
static void progress(struct tr_call *call, double value, const double *total,
                     tr_str message)
{
    (void)call;
    (void)value;
    (void)total;
    (void)message;
}

static void note(struct tr_call *call, enum tr_call_note_level level,
                 tr_str logger, const struct tr_json *data)
{
    (void)call;
    (void)level;
    (void)logger;
    (void)data;
}

static enum tr_call_asked ask(struct tr_call *call, struct tr_call_ask *asks,
                              size_t count, struct tr_err *err)
{
    struct tr_rest_request *request = request_of(call);
    (void)count;
    request->has_asked = true;
    request->asked = asks[0].kind;
    (void)tr_fail(err, TR_E_UNSUPPORTED,
                  "nobody can be asked over plain HTTP: call it over MCP");
    return TR_CALL_ASKED_REFUSED;
}

static void updated(struct tr_call *call, tr_str uri)
{
    const struct tr_rest_tell *tell = &request_of(call)->rest->opts.tell;
    tell->updated(tell->data, uri);
}

static void list_changed(struct tr_call *call, enum tr_call_list_kind kind)
{
    const struct tr_rest_tell *tell = &request_of(call)->rest->opts.tell;
    tell->list_changed(tell->data, kind);
}

static void close_stream(struct tr_call *call)
{
    (void)call;
}

static void finished(struct tr_call *call,
                     const struct tr_call_outcome *outcome)
{
    struct tr_rest_request *request = request_of(call);
    const struct tr_rest_tell *tell = &request->rest->opts.tell;
    request->is_running = false;
    tell->ended(tell->data, call);
    request->answer(request, outcome);
}

static const struct tr_call_door_ops door = {
    .finished = finished,
    .ask = ask,
    .updated = updated,
    .list_changed = list_changed,
    .progress = progress,
    .note = note,
    .close_stream = close_stream,
};

/* Nobody waits for the answer: the call ends, and with it the request. */
static void peer_gone(struct tr_http_exchange *x, void *data)
{
    struct tr_rest_request *request = data;
    (void)x;
    request->is_gone = true;
    tr_call_cancel(&request->call);
}

static void init_call(struct tr_rest_request *request, enum tr_call_kind kind)
{
    const struct tr_rest_opts *opts = &request->rest->opts;
    request->call = (struct tr_call){
        .loop = opts->loop,
        .arena = &request->arena,
        .snapshot = request->snapshot,
        .kind = kind,
        .principal = request->authority.principal,
        .authority = &request->authority,
        .in_production = opts->production,
        .trace_id = {request->trace, sizeof(request->trace)},
        .client = &request->client,
        .env = opts->env,
        .timeout_ms = tr_cap_snapshot_live(request->snapshot)->call_timeout_ms,
        .door = &door,
        .door_data = request,
    };
}

void tr_rest_call_run(struct tr_rest_request *request,
                      const struct tr_rest_run *run)
{
    struct tr_call *call = &request->call;
    init_call(request, run->kind);
    call->handler = run->handler;
    call->cap = run->cap;
    call->guard = run->guard;
    call->args = run->args;
    call->given_idempotency_key = run->key;
    call->activity.name = run->name;
    request->answer = run->answer;
    request->is_running = true;
    tr_http_exchange_on_gone(request->x, peer_gone, request);
    tr_call_invoke(call);
}

void tr_rest_call_unknown(struct tr_rest_request *request,
                          enum tr_call_kind kind, tr_str asked)
{
    init_call(request, kind);
    tr_call_record_unknown(&request->call, asked);
}

/* The scope that a refusal is about: its own before those of preconditions. */
static unsigned lacking(const struct tr_rest_request *request)
{
    const struct tr_cap_guard *guard = tr_call_guard(&request->call);
    unsigned lacks =
        guard ? guard->needed & ~tr_call_scopes(&request->call) : 0;
    if (!guard)
        return 0;
    return lacks && !(lacks & guard->scope) ? lacks & -lacks : guard->scope;
}

static void add_challenge(struct tr_rest_request *request, tr_status status,
                          char text[TR_GATE_CHALLENGE_BYTES])
{
    bool is_denied = status == TR_E_SCOPE;
    if (!is_denied && status != TR_E_UNAUTHENTICATED)
        return;
    unsigned scope = lacking(request);
    const struct tr_gate_challenge challenge = {
        .error = is_denied ? "insufficient_scope" : NULL,
        .why = "the token does not have the scope",
        .scope = scope ? tr_scope_name((enum tr_scope)scope) : NULL,
        .is_scope = true,
    };
    tr_rest_request_add(
        request, TR_STR("WWW-Authenticate"),
        tr_gate_write_challenge(&request->rest->opts.gate, &challenge, text));
}

/* What was asked for is not there any more, and will not be again. */
static bool is_retired(const struct tr_call_outcome *outcome)
{
    return outcome->status == TR_E_INVALID &&
           tr_str_eq(
               tr_json_text(tr_json_find(outcome->data, TR_STR("reason"))),
               TR_STR("retired"));
}

static void name_problem(const struct tr_rest_request *request,
                         const struct tr_call_outcome *outcome,
                         struct tr_rest_problem *problem)
{
    static const char *const kinds[] = {
        [TR_CALL_ASK_ELICIT] = "It asks the caller for input",
        [TR_CALL_ASK_SAMPLE] = "It asks the caller for a model",
        [TR_CALL_ASK_ROOTS] = "It asks the caller for its roots",
    };
    problem->code = tr_status_name(outcome->err.code);
    problem->title = tr_rest_problem_title(outcome->err.code);
    if (outcome->status == TR_E_UNSUPPORTED && request->has_asked) {
        problem->status = 409;
        problem->code = "asks_client";
        problem->title = kinds[request->asked];
    } else if (is_retired(outcome)) {
        problem->status = 410;
        problem->code = "retired";
        problem->title = "It was withdrawn";
    }
}

void tr_rest_call_refuse(struct tr_rest_request *request,
                         const struct tr_call_outcome *outcome)
{
    const struct tr_call_tell_how how = {.in_production =
                                             request->rest->opts.production};
    char challenge[TR_GATE_CHALLENGE_BYTES];
    struct tr_call_failure failure;
    int64_t wait_s = 0;
    tr_call_failure_tell(outcome, how, &failure);
    struct tr_rest_problem problem = {
        .status = failure.wire.http,
        .detail = failure.text,
        .data = failure.data,
        .retry_after_s = failure.wire.retry_after_s,
    };
    if (tr_json_i64(tr_json_find(failure.data, TR_STR("retry_after_s")),
                    &wait_s) &&
        wait_s > 0 && wait_s < INT32_MAX)
        problem.retry_after_s = (int)wait_s;
    name_problem(request, outcome, &problem);
    add_challenge(request, outcome->status, challenge);
    if (failure.is_fault)
        tr_rest_request_log_fault(request, outcome);
    tr_rest_request_refuse(request, &problem);
}

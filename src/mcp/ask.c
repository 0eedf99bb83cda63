#include "json/build.h"
#include "mcp/call.h"
#include "mcp/form.h"
#include "mcp/inside.h"
#include "mcp/reply.h"
#include "mcp/session.h"
#include "mcp/state.h"
#include "runtime/journal.h"
#include "runtime/outcome.h"

#include <inttypes.h>

static const struct {
    const char *method;
    const char *capability; /* the client must have declared it */
} kinds[] = {
    [TR_CALL_ASK_ELICIT] = {"elicitation/create", "elicitation"},
    [TR_CALL_ASK_SAMPLE] = {"sampling/createMessage", "sampling"},
    [TR_CALL_ASK_ROOTS] = {"roots/list", "roots"},
};

static bool wants_url(const struct tr_call_ask *ask)
{
    return ask->kind == TR_CALL_ASK_ELICIT &&
           tr_str_eq(tr_json_text(tr_json_find(ask->params, TR_STR("mode"))),
                     TR_STR("url"));
}

static bool wants_tools(const struct tr_call_ask *ask)
{
    return ask->kind == TR_CALL_ASK_SAMPLE &&
           tr_json_find(ask->params, TR_STR("tools"));
}

/*
 * A revision decides which questions there are, whatever the client declares:
 * elicitation came with 2025-06-18; its URL mode, and tools in sampling, with
 * 2025-11-25 (client/elicitation, client/sampling).
 */
static bool revision_can(enum tr_mcp_revision revision,
                         const struct tr_call_ask *ask)
{
    if (tr_mcp_revision_has(revision, TR_MCP_HAS_RICH_ASKS))
        return true;
    if (ask->kind != TR_CALL_ASK_ELICIT)
        return !wants_tools(ask);
    return tr_mcp_revision_has(revision, TR_MCP_HAS_ELICITATION) &&
           !wants_url(ask) &&
           tr_mcp_form_is_plain(
               tr_json_find(ask->params, TR_STR("requestedSchema")));
}

/*
 * A bare `elicitation: {}` means forms; a client must name `url`, and `tools`
 * of sampling (2025-11-25, client/elicitation, Capabilities).
 */
static bool client_can(const struct tr_mcp_request *request,
                       const struct tr_call_ask *ask)
{
    const struct tr_json *capability = tr_json_find(
        request->client.capabilities, tr_str_from(kinds[ask->kind].capability));
    if (!capability || !revision_can(request->revision, ask))
        return false;
    if (wants_url(ask))
        return tr_json_find(capability, TR_STR("url"));
    return !wants_tools(ask) || tr_json_find(capability, TR_STR("tools"));
}

/*
 * Nothing is asked unless the client has declared that it can answer all of it
 * (2026-07-28, basic/patterns/mrtr, Server Requirements, 7).
 */
static bool refuse_lacking(struct tr_mcp_request *request,
                           const struct tr_call_ask *asks, size_t count,
                           struct tr_err *err)
{
    for (size_t i = 0; i < count; i++) {
        if (client_can(request, &asks[i]))
            continue;
        const char *what = kinds[asks[i].kind].capability;
        request->lacking = tr_str_from(what);
        if (revision_can(request->revision, &asks[i]))
            (void)tr_fail(err, TR_E_UNSUPPORTED,
                          "the client did not declare the capability '%s'",
                          what);
        else
            (void)tr_fail(
                err, TR_E_UNSUPPORTED, "MCP %.*s does not have this kind of %s",
                TR_FMT(tr_mcp_revision_name(request->revision)), what);
        return true;
    }
    return false;
}

/* Writes the params without what revisions before 2025-11-25 do not know. */
static void put_plain(struct tr_json_writer *w, const struct tr_json *params)
{
    tr_jw_open(w, '{');
    for (size_t i = 0; i < params->len; i++) {
        const struct tr_json_member *member = &params->as.members[i];
        tr_str key = tr_json_text(&member->key);
        if (tr_str_eq(key, TR_STR("mode")))
            continue;
        tr_jw_key_str(w, key);
        if (tr_str_eq(key, TR_STR("requestedSchema")))
            tr_mcp_form_put_plain(w, &member->value);
        else
            tr_jw_value(w, &member->value);
    }
    tr_jw_close(w, '}');
}

/* A page elsewhere has a name where there are sessions (2025-11-25,
 * client/elicitation, URL Mode Elicitation Requests). */
static void put_page(struct tr_json_writer *w, const struct tr_json *params,
                     tr_str id)
{
    tr_jw_open(w, '{');
    for (size_t i = 0; i < params->len; i++) {
        tr_jw_key_str(w, tr_json_text(&params->as.members[i].key));
        tr_jw_value(w, &params->as.members[i].value);
    }
    tr_jw_put_string(w, "elicitationId", id);
    tr_jw_close(w, '}');
}

/* `id` is that of the request of ours; empty in a round, which has none. */
static void put_question(struct tr_json_writer *w,
                         const struct tr_call_ask *ask,
                         enum tr_mcp_revision revision, tr_str id)
{
    tr_jw_put_string(w, "method", tr_str_from(kinds[ask->kind].method));
    tr_jw_key(w, "params");
    if (!tr_mcp_revision_has(revision, TR_MCP_HAS_RICH_ASKS))
        put_plain(w, ask->params);
    else if (id.len && wants_url(ask))
        put_page(w, ask->params, id);
    else
        tr_jw_value(w, ask->params);
}

/*
 * Takes the answers that this round and earlier ones brought, and says whether
 * none is missing. TR_E_VALIDATION: one is not what was asked for.
 */
static tr_status take_answers(const struct tr_mcp_request *request,
                              const struct tr_call *call,
                              struct tr_call_ask *asks, size_t count,
                              bool *complete, struct tr_call_outcome *refusal)
{
    *complete = true;
    for (size_t i = 0; i < count; i++) {
        const struct tr_json *answer =
            tr_json_find(request->answers, asks[i].key);
        tr_status status =
            answer ? tr_call_ask_take(call, &asks[i], answer, &refusal->err)
                   : TR_OK;
        if (status == TR_E_VALIDATION)
            tr_call_outcome_set_fields(refusal, asks[i].wrong);
        TR_TRY(status);
        *complete = *complete && answer;
    }
    return TR_OK;
}

/* The answer to this request is what we want to know. */
static void send_round(struct tr_mcp_request *request,
                       const struct tr_call_ask *asks, size_t count,
                       tr_str state)
{
    tr_mcp_reply_keep(request);
    struct tr_json_writer *w = tr_mcp_reply_open_as(request, "input_required");
    tr_jw_key(w, "inputRequests");
    tr_jw_open(w, '{');
    for (size_t i = 0; i < count; i++) {
        if (asks[i].answer)
            continue;
        tr_jw_key_str(w, asks[i].key);
        tr_jw_open(w, '{');
        put_question(w, &asks[i], request->revision, TR_STR(""));
        tr_jw_close(w, '}');
    }
    tr_jw_close(w, '}');
    tr_jw_put_string(w, "requestState", state);
    tr_mcp_reply_send(request, NULL);
}

static void fail_round(struct tr_mcp_request *request, const struct tr_err *err,
                       const struct tr_json *data)
{
    tr_mcp_reply_keep(request);
    tr_mcp_reply_failure(request, err, data);
}

static void on_kept(void *data, tr_status status, const struct tr_err *err)
{
    struct tr_mcp_request *request = data;
    struct tr_err why = *err;
    tr_str state;
    request->keeping = NULL;
    if (status == TR_OK)
        status = tr_mcp_state_seal(
            request, (tr_str){request->kept_name, sizeof(request->kept_name)},
            &state, &why);
    if (status == TR_OK)
        send_round(request, request->asks, request->ask_count, state);
    else
        fail_round(request, &why, NULL);
    tr_call_end_round(&request->call);
}

/* What the client cannot keep, the store does; the question waits for it. */
static enum tr_call_asked keep_first(struct tr_mcp_request *request,
                                     struct tr_call_ask *asks, size_t count,
                                     struct tr_err *err)
{
    struct tr_call_keep keep = {
        .life_s = TR_MCP_STATE_LIFE_S, .done = on_kept, .data = request};
    struct tr_buf text;
    tr_buf_init(&text, TR_LIMIT_IDEMPOTENCY_RESULT_BYTES);
    tr_status status = tr_mcp_state_journal(request, &text, err);
    keep.text = tr_buf_str(&text);
    if (status == TR_OK)
        status =
            tr_call_journal_keep(&request->call, &keep, &request->keeping, err);
    tr_buf_done(&text);
    memcpy(request->kept_name, keep.name, sizeof(request->kept_name));
    request->asks = asks;
    request->ask_count = count;
    return status == TR_OK ? TR_CALL_ASKED_WAITING : TR_CALL_ASKED_REFUSED;
}

/*
 * A stateless revision: the answer to this request is what we want to know,
 * and the client sends it again together with its answers.
 */
static enum tr_call_asked ask_in_rounds(struct tr_mcp_request *request,
                                        const struct tr_call *call,
                                        struct tr_call_ask *asks, size_t count,
                                        struct tr_err *err)
{
    struct tr_call_outcome refusal = {0};
    bool complete;
    tr_str state;
    if (take_answers(request, call, asks, count, &complete, &refusal) !=
        TR_OK) {
        fail_round(request, &refusal.err, refusal.data);
        return TR_CALL_ASKED_ENDED;
    }
    if (complete)
        return TR_CALL_ASKED_ANSWERED;
    tr_status status = tr_mcp_state_seal(request, TR_STR(""), &state, err);
    if (status == TR_E_LIMIT)
        return keep_first(request, asks, count, err);
    if (status != TR_OK)
        return TR_CALL_ASKED_REFUSED;
    send_round(request, asks, count, state);
    return TR_CALL_ASKED_ENDED;
}

/* Sends one question; false when it cannot be written. */
static bool send_question(const struct tr_mcp_request *request,
                          const struct tr_call_ask *ask, uint64_t number)
{
    struct tr_mcp *mcp = request->mcp;
    char id[32];
    struct tr_json_writer *w = tr_mcp_message_open(mcp);
    (void)snprintf(id, sizeof(id), "trails-%" PRIu64, number);
    tr_jw_put_string(w, "id", tr_str_from(id));
    put_question(w, ask, request->revision, tr_str_from(id));
    tr_jw_close(w, '}');
    if (tr_jw_finish(w, NULL) != TR_OK)
        return false;
    request->sink->ops->send(request->sink, tr_buf_str(&mcp->out));
    return true;
}

/*
 * With a session we send requests of our own, and the handler waits. What
 * cannot be sent is answered by us, so that the handler does not wait for it.
 */
static enum tr_call_asked ask_at_once(struct tr_mcp_request *request,
                                      struct tr_call *call,
                                      struct tr_call_ask *asks, size_t count,
                                      struct tr_err *err)
{
    struct tr_mcp *mcp = request->mcp;
    if (request->asker) {
        (void)tr_fail(err, TR_E_CONFLICT, "another question is open");
        return TR_CALL_ASKED_REFUSED;
    }
    request->asker = call;
    request->asks = asks;
    request->ask_count = count;
    request->asks_open = count;
    request->first_ask = mcp->next_ask;
    mcp->next_ask += count;
    for (size_t i = 0; i < count; i++) {
        if (send_question(request, &asks[i], request->first_ask + i))
            continue;
        asks[i].refusal = TR_STR("the question cannot be written");
        request->asks_open--;
    }
    if (request->asks_open)
        return TR_CALL_ASKED_WAITING;
    request->asker = NULL;
    return TR_CALL_ASKED_ANSWERED;
}

enum tr_call_asked tr_mcp_ask(struct tr_call *call, struct tr_call_ask *asks,
                              size_t count, struct tr_err *err)
{
    struct tr_mcp_request *request = tr_call_root(call)->door_data;
    if (tr_mcp_reply_is_made(request) || tr_call_is_stopped(call)) {
        (void)tr_fail(err, TR_E_CANCELLED, "the call was cancelled");
        return TR_CALL_ASKED_REFUSED;
    }
    if (refuse_lacking(request, asks, count, err))
        return TR_CALL_ASKED_REFUSED;
    if (!tr_mcp_revision_has(request->revision, TR_MCP_HAS_SESSIONS))
        return ask_in_rounds(request, call, asks, count, err);
    if (!request->session) {
        (void)tr_fail(err, TR_E_UNSUPPORTED,
                      "a client without a session cannot be asked");
        return TR_CALL_ASKED_REFUSED;
    }
    return ask_at_once(request, call, asks, count, err);
}

/* Finds the request that waits for this id, and which of its asks it is. */
static struct tr_mcp_request *find_asker(struct tr_mcp *mcp,
                                         const struct tr_mcp_session *session,
                                         tr_str id, size_t *index)
{
    static const tr_str prefix = TR_STR_INIT("trails-");
    int64_t number;
    if (!tr_str_starts(id, prefix) ||
        !tr_str_to_i64(tr_str_skip(id, prefix.len), &number) || number < 0)
        return NULL;
    for (struct tr_mcp_request *r = mcp->requests; r; r = r->next) {
        uint64_t at = (uint64_t)number - r->first_ask;
        if (r->session == session && r->asker && at < r->ask_count) {
            *index = (size_t)at;
            return r;
        }
    }
    return NULL;
}

static void take_response(struct tr_mcp_request *request,
                          struct tr_call_ask *ask,
                          const struct tr_mcp_message *message)
{
    const struct tr_json *why = tr_json_find(message->error, TR_STR("message"));
    tr_str text = why ? tr_json_text(why) : TR_STR("the client gave no answer");
    const struct tr_json *answer;
    struct tr_err err = {0};
    if (message->result &&
        tr_json_copy(&request->arena, message->result, &answer)) {
        if (tr_call_ask_take(request->asker, ask, answer, &err) == TR_OK)
            return;
        text = tr_str_from(err.msg);
    }
    if (!text.len || !tr_arena_copy(&request->arena, text, &ask->refusal))
        ask->refusal = TR_STR("the client gave no answer");
}

void tr_mcp_answered(struct tr_mcp *mcp, struct tr_mcp_session *session,
                     const struct tr_mcp_message *message)
{
    size_t index = 0;
    struct tr_mcp_request *request =
        find_asker(mcp, session, tr_json_text(message->id), &index);
    if (!request)
        return;
    struct tr_call_ask *ask = &request->asks[index];
    if (ask->answer || ask->refusal.len)
        return;
    take_response(request, ask, message);
    if (--request->asks_open)
        return;
    struct tr_call *call = request->asker;
    request->asker = NULL;
    call->host->resume(call);
}

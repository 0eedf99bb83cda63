#include "base/limits.h"
#include "cap/snapshot.h"
#include "mcp/call.h"
#include "mcp/hub.h"
#include "mcp/inside.h"
#include "mcp/reply.h"
#include "mcp/session.h"
#include "mcp/watch.h"
#include "runtime/found.h"

/*
 * Whether somebody will tell of changes under this URI: what is accepted and
 * never told would be a promise that nobody keeps.
 */
static tr_status check_told(const struct tr_mcp_request *request, tr_str uri,
                            const struct tr_call_found *found,
                            struct tr_err *err)
{
    bool is_ours = tr_str_starts(uri, TR_STR("trails://"));
    bool has_own = request->authority.principal.len ||
                   !request->mcp->opts.production; /* as builtin/ shows it */
    if (found->is_built_in || (is_ours && !found->handler))
        TR_TRY(tr_mcp_watch_check(request->snapshot, uri, err));
    if (!found->handler || (uri.len && memchr(uri.ptr, '\n', uri.len)))
        return tr_fail(err, TR_E_INVALID,
                       "nothing is told of this URI: there is no such "
                       "resource");
    if (!tr_mcp_request_may_know(request, found->guard))
        return TR_OK; /* the guard refuses it, in its own words */
    if (found->told == TR_CAP_TOLD_NEVER)
        return tr_fail(err, TR_E_INVALID,
                       "nothing is told of this URI: read it again when you "
                       "need it");
    if (found->told == TR_CAP_TOLD_OWN && !has_own)
        return tr_fail(err, TR_E_INVALID,
                       "nothing is told of this URI without a credential: "
                       "nobody has activities of its own");
    return TR_OK;
}

bool tr_mcp_watch_topic(const struct tr_mcp_request *request, tr_str uri,
                        struct tr_buf *out)
{
    const struct tr_cap_resource *resource =
        tr_cap_snapshot_find_resource(request->snapshot, uri);
    tr_buf_clear(out);
    tr_mcp_hub_topic(out, uri, resource ? resource->told : TR_CAP_TOLD_ALL,
                     tr_mcp_request_scopes(request),
                     request->authority.principal);
    return tr_buf_check(out, NULL) == TR_OK;
}

void tr_mcp_watch_ask(struct tr_mcp_request *request, tr_str uri,
                      tr_mcp_answer_fn *answer)
{
    struct tr_call_found found;
    struct tr_err err;
    tr_status status =
        tr_call_find(request->snapshot, uri, &request->arena, &found, &err);
    if (status == TR_OK)
        status = check_told(request, uri, &found, &err);
    if (status != TR_OK) {
        tr_mcp_reply_failure(request, &err, NULL);
        return;
    }
    struct tr_mcp_run run = {
        .handler = &tr_call_pass,
        .kind = TR_CALL_SUBSCRIPTION,
        .name = uri,
        .guard = found.guard,
        .args = found.args,
        .answer = answer,
    };
    tr_mcp_run(request, &run);
}

/*
 * Reads the URI of a subscription; answers and returns false when it is none.
 */
static bool read_uri(struct tr_mcp_request *request, tr_str *out)
{
    const struct tr_json *uri =
        tr_json_find(request->message.params, TR_STR("uri"));
    if (!tr_json_is(uri, TR_JSON_STRING)) {
        tr_mcp_reply_bad_params(request, "params.uri must be a string");
        return false;
    }
    if (!request->session) {
        tr_mcp_reply_bad_params(request, "subscriptions need a session");
        return false;
    }
    *out = tr_json_text(uri);
    return true;
}

static tr_status watch(struct tr_mcp_request *request, struct tr_err *err)
{
    struct tr_buf topic;
    tr_buf_init(&topic, TR_LIMIT_MESSAGE);
    tr_status status =
        tr_mcp_watch_topic(request, request->uri, &topic)
            ? tr_mcp_session_watch(request->session, request->uri,
                                   tr_buf_str(&topic), err)
            : tr_fail(err, TR_E_NOMEM, "no memory for a subscription");
    tr_buf_done(&topic);
    return status;
}

/* The caller may: now the session watches. */
static void answer_subscribe(struct tr_mcp_request *request,
                             const struct tr_call_outcome *outcome)
{
    struct tr_err err;
    if (outcome->status != TR_OK) {
        tr_mcp_fail(request, outcome);
    } else if (watch(request, &err) != TR_OK) {
        tr_mcp_reply_failure(request, &err, NULL);
    } else {
        (void)tr_mcp_reply_open(request);
        tr_mcp_reply_send(request, NULL);
    }
}

void tr_mcp_subscribe(struct tr_mcp_request *request)
{
    if (read_uri(request, &request->uri))
        tr_mcp_watch_ask(request, request->uri, answer_subscribe);
}

void tr_mcp_unsubscribe(struct tr_mcp_request *request)
{
    tr_str uri;
    if (!read_uri(request, &uri))
        return;
    tr_mcp_session_unwatch(request->session, uri);
    (void)tr_mcp_reply_open(request);
    tr_mcp_reply_send(request, NULL);
}

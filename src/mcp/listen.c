#include "mcp/listen.h"

#include "base/limits.h"
#include "cap/snapshot.h"
#include "json/copy.h"
#include "mcp/mcp.h"
#include "mcp/reply.h"
#include "mcp/session.h"

#define SUBSCRIPTION_KEY "io.modelcontextprotocol/subscriptionId"

static const struct {
    const char *member; /* of params.notifications */
    const char *method;
} lists[] = {
    [TR_LIST_TOOLS] = {"toolsListChanged", "notifications/tools/list_changed"},
    [TR_LIST_RESOURCES] = {"resourcesListChanged",
                           "notifications/resources/list_changed"},
    [TR_LIST_PROMPTS] = {"promptsListChanged",
                         "notifications/prompts/list_changed"},
};

static void put_subscription(const struct tr_listen *listen)
{
    struct tr_json_writer *w = &listen->mcp->writer;
    tr_jw_key(w, "_meta");
    tr_jw_open(w, '{');
    tr_jw_key(w, SUBSCRIPTION_KEY);
    tr_jw_value(w, listen->id);
    tr_jw_close(w, '}');
}

static void send_to(struct tr_sink *sink, struct tr_mcp *mcp)
{
    tr_str text = tr_notify_close(mcp);
    if (sink)
        sink->ops->send(sink, TR_MESSAGE_NOTIFICATION, 200, text);
}

static bool listens_to(const struct tr_listen *listen, tr_str uri)
{
    for (size_t i = 0; listen->uris && i < listen->uris->len; i++) {
        if (tr_str_eq(tr_json_text(&listen->uris->as.items[i]), uri))
            return true;
    }
    return false;
}

void tr_listen_updated(struct tr_mcp *mcp, tr_str uri)
{
    for (struct tr_listen *l = mcp->listens; l; l = l->next) {
        if (!listens_to(l, uri))
            continue;
        struct tr_json_writer *w =
            tr_notify_open(mcp, "notifications/resources/updated");
        tr_jw_key(w, "uri");
        tr_jw_string(w, uri);
        put_subscription(l);
        send_to(l->sink, mcp);
    }
    for (struct tr_session *s = mcp->sessions; s; s = s->next) {
        if (!tr_session_watches(s, uri))
            continue;
        struct tr_json_writer *w =
            tr_notify_open(mcp, "notifications/resources/updated");
        tr_jw_key(w, "uri");
        tr_jw_string(w, uri);
        send_to(s->stream, mcp);
    }
}

void tr_listen_list_changed(struct tr_mcp *mcp, enum tr_list_kind kind)
{
    for (struct tr_listen *l = mcp->listens; l; l = l->next) {
        if (!(l->lists & 1u << kind))
            continue;
        (void)tr_notify_open(mcp, lists[kind].method);
        put_subscription(l);
        send_to(l->sink, mcp);
    }
    for (struct tr_session *s = mcp->sessions; s; s = s->next) {
        if (!s->is_initialized)
            continue;
        (void)tr_notify_open(mcp, lists[kind].method);
        send_to(s->stream, mcp);
    }
}

static void free_listen(struct tr_listen *listen)
{
    struct tr_listen **link = &listen->mcp->listens;
    while (*link && *link != listen)
        link = &(*link)->next;
    if (*link)
        *link = listen->next;
    if (listen->sink) {
        listen->sink->gone = NULL;
        listen->sink->ops->release(listen->sink);
    }
    tr_arena_done(&listen->arena);
    free(listen);
}

static void peer_gone(void *owner)
{
    free_listen(owner);
}

bool tr_listen_cancel(struct tr_mcp *mcp, const struct tr_json *id)
{
    for (struct tr_listen *l = mcp->listens; l; l = l->next) {
        if (tr_message_same_id(l->id, id)) {
            free_listen(l);
            return true;
        }
    }
    return false;
}

void tr_listen_end(struct tr_listen *listen)
{
    struct tr_mcp *mcp = listen->mcp;
    struct tr_json_writer *w = tr_message_open(mcp);
    tr_jw_key(w, "id");
    tr_jw_value(w, listen->id);
    tr_jw_key(w, "result");
    tr_jw_open(w, '{');
    tr_jw_key(w, "resultType");
    tr_jw_string(w, TR_STR("complete"));
    put_subscription(listen);
    tr_jw_close(w, '}');
    tr_jw_close(w, '}');
    listen->sink->ops->send(listen->sink, TR_MESSAGE_RESPONSE, 200,
                            tr_buf_str(&mcp->out));
    free_listen(listen);
}

/* Only strings count; the rest of what was asked for is left out. */
static bool take_uris(struct tr_listen *listen, const struct tr_json *wanted,
                      struct tr_err *err)
{
    const struct tr_json *uris =
        tr_json_find(wanted, TR_STR("resourceSubscriptions"));
    if (!uris)
        return true;
    size_t max = listen->mcp->opts.max_subscriptions;
    if (uris->kind != TR_JSON_ARRAY || uris->len > max) {
        (void)tr_fail(err, TR_E_INVALID,
                      "resourceSubscriptions must be an array of at most %zu",
                      max);
        return false;
    }
    for (size_t i = 0; i < uris->len; i++) {
        if (uris->as.items[i].kind != TR_JSON_STRING) {
            (void)tr_fail(err, TR_E_INVALID,
                          "resourceSubscriptions must be URIs");
            return false;
        }
    }
    return tr_json_copy(&listen->arena, uris, &listen->uris) ||
           tr_fail(err, TR_E_LIMIT, "too much to listen to") == TR_OK;
}

static void take_lists(struct tr_listen *listen, const struct tr_json *wanted)
{
    for (unsigned kind = 0; kind < TR_LEN(lists); kind++) {
        bool on = false;
        if (tr_json_bool(tr_json_find(wanted, tr_str_from(lists[kind].member)),
                         &on) &&
            on)
            listen->lists |= 1u << kind;
    }
}

/* What we agreed to; always the first message of the stream. */
static void acknowledge(struct tr_listen *listen)
{
    struct tr_json_writer *w =
        tr_notify_open(listen->mcp, "notifications/subscriptions/acknowledged");
    tr_jw_key(w, "notifications");
    tr_jw_open(w, '{');
    for (unsigned kind = 0; kind < TR_LEN(lists); kind++) {
        if (listen->lists & 1u << kind) {
            tr_jw_key(w, lists[kind].member);
            tr_jw_bool(w, true);
        }
    }
    if (listen->uris) {
        tr_jw_key(w, "resourceSubscriptions");
        tr_jw_value(w, listen->uris);
    }
    tr_jw_close(w, '}');
    put_subscription(listen);
    send_to(listen->sink, listen->mcp);
}

static size_t count_listens(const struct tr_mcp *mcp)
{
    size_t count = 0;
    for (struct tr_listen *l = mcp->listens; l; l = l->next)
        count++;
    return count;
}

static struct tr_listen *new_listen(struct tr_mcp_request *request)
{
    struct tr_listen *listen = calloc(1, sizeof(*listen));
    if (!listen)
        return NULL;
    tr_arena_init(&listen->arena, TR_LIMIT_SESSION_MEMORY);
    listen->mcp = request->mcp;
    if (!tr_json_copy(&listen->arena, request->message.id, &listen->id)) {
        tr_arena_done(&listen->arena);
        free(listen);
        return NULL;
    }
    listen->next = request->mcp->listens;
    request->mcp->listens = listen;
    return listen;
}

/* The stream takes the sink over; the request is done with. */
static void open_stream(struct tr_mcp_request *request,
                        struct tr_listen *listen)
{
    listen->sink = request->sink;
    listen->sink->gone = peer_gone;
    listen->sink->owner = listen;
    request->sink = NULL;
    acknowledge(listen);
    tr_request_release(request);
}

void tr_mcp_listen(struct tr_mcp_request *request)
{
    const struct tr_json *wanted =
        tr_json_find(request->message.params, TR_STR("notifications"));
    struct tr_err err = {0};
    if (!tr_json_is(wanted, TR_JSON_OBJECT)) {
        tr_reply_bad_params(request, "params.notifications must be an object");
        return;
    }
    bool full = count_listens(request->mcp) >= request->mcp->opts.max_streams;
    struct tr_listen *listen = full ? NULL : new_listen(request);
    if (!listen) {
        (void)tr_fail(&err, TR_E_LIMIT, "Subscription limit reached");
        tr_reply_failure(request, &err, NULL);
        return;
    }
    take_lists(listen, wanted);
    if (take_uris(listen, wanted, &err)) {
        open_stream(request, listen);
        return;
    }
    free_listen(listen);
    tr_reply_failure(request, &err, NULL);
}

#include "mcp/listen.h"

#include "base/limits.h"
#include "cap/cap.h"
#include "cap/snapshot.h"
#include "mcp/call.h"
#include "mcp/inside.h"
#include "mcp/reply.h"
#include "mcp/watch.h"

const struct tr_mcp_listen_list tr_mcp_listen_lists[TR_MCP_LISTEN_LISTS] = {
    [TR_CALL_LIST_TOOLS] = {"toolsListChanged",
                            "notifications/tools/list_changed"},
    [TR_CALL_LIST_RESOURCES] = {"resourcesListChanged",
                                "notifications/resources/list_changed"},
    [TR_CALL_LIST_PROMPTS] = {"promptsListChanged",
                              "notifications/prompts/list_changed"},
};

static void free_listen(struct tr_mcp_listen *listen)
{
    struct tr_mcp *mcp = listen->mcp;
    tr_mcp_tell_forget(listen);
    for (size_t i = 0; i < listen->watch_count; i++)
        tr_mcp_watch_remove(&mcp->watches, &listen->watches[i]);
    *listen->link = listen->next;
    if (listen->next)
        listen->next->link = listen->link;
    mcp->listen_count--;
    if (listen->sink) {
        listen->sink->gone = NULL;
        listen->sink->ops->release(listen->sink);
    }
    free(listen);
}

static void peer_gone(void *owner)
{
    free_listen(owner);
}

/*
 * Writes the id as it came: "the value is the JSON-RPC ID" of the request, so
 * a number stays a number (2026-07-28, basic/patterns/subscriptions, Receiving
 * Notifications).
 */
static tr_str write_id(struct tr_mcp *mcp, const struct tr_json *id)
{
    struct tr_json_writer w;
    tr_buf_clear(&mcp->out);
    tr_jw_init(&w, &mcp->out);
    tr_jw_value(&w, id);
    return tr_buf_str(&mcp->out);
}

bool tr_mcp_listen_cancel(struct tr_mcp *mcp, const struct tr_json *id)
{
    if (!mcp->listens)
        return false;
    tr_str text = write_id(mcp, id);
    for (struct tr_mcp_listen *l = mcp->listens; l; l = l->next) {
        if (tr_str_eq((tr_str){l->id, l->id_len}, text)) {
            free_listen(l);
            return true;
        }
    }
    return false;
}

void tr_mcp_listen_end(struct tr_mcp_listen *listen)
{
    static const struct tr_mcp_head head = {.status = 200};
    struct tr_buf *out = &listen->mcp->out;
    tr_str id = {listen->id, listen->id_len};
    tr_buf_clear(out);
    tr_buf_put(out, TR_STR("{\"jsonrpc\":\"2.0\",\"id\":"));
    tr_buf_put(out, id);
    tr_buf_put(out, TR_STR(",\"result\":{\"resultType\":\"complete\","));
    tr_buf_put(out, TR_STR(TR_MCP_LISTEN_META));
    tr_buf_put(out, id);
    tr_buf_put(out, TR_STR("}}}"));
    listen->sink->ops->answer(listen->sink, &head, tr_buf_str(out));
    free_listen(listen);
}

/* False when that is no list of URIs, or too long a one. */
static bool check_uris(const struct tr_mcp_request *request,
                       const struct tr_json *uris, struct tr_err *err)
{
    size_t max = request->mcp->opts.max_subscriptions;
    size_t bytes = 0;
    if (!uris)
        return true;
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
        bytes += uris->as.items[i].len;
    }
    if (bytes > TR_LIMIT_SESSION_MEMORY) {
        (void)tr_fail(err, TR_E_INVALID, "too much to listen to");
        return false;
    }
    return true;
}

/* Which lists are to be told of, a bit each; false when one is no bool. */
static bool read_lists(const struct tr_json *wanted, unsigned *out)
{
    *out = 0;
    for (unsigned kind = 0; kind < TR_MCP_LISTEN_LISTS; kind++) {
        const struct tr_json *asked =
            tr_json_find(wanted, tr_str_from(tr_mcp_listen_lists[kind].member));
        bool on = false;
        if (asked && !tr_json_bool(asked, &on))
            return false;
        *out |= (unsigned)on << kind;
    }
    return true;
}

/*
 * Says what we agreed to: it "MUST" be the first message of the stream
 * (2026-07-28, basic/patterns/subscriptions, Acknowledgment).
 */
static void acknowledge(struct tr_mcp_listen *listen,
                        const struct tr_json *uris)
{
    struct tr_mcp *mcp = listen->mcp;
    struct tr_json_writer *w =
        tr_mcp_notify_open(mcp, "notifications/subscriptions/acknowledged");
    tr_jw_key(w, "notifications");
    tr_jw_open(w, '{');
    for (unsigned kind = 0; kind < TR_MCP_LISTEN_LISTS; kind++) {
        if (listen->lists & 1u << kind)
            tr_jw_put_bool(w, tr_mcp_listen_lists[kind].member, true);
    }
    if (uris)
        tr_jw_put_value(w, "resourceSubscriptions", uris);
    tr_jw_close(w, '}');
    tr_buf_putc(&mcp->out, ',');
    tr_buf_put(&mcp->out, TR_STR(TR_MCP_LISTEN_META));
    tr_buf_put(&mcp->out, (tr_str){listen->id, listen->id_len});
    tr_buf_put(&mcp->out, TR_STR("}}}"));
    listen->sink->ops->send(listen->sink, tr_buf_str(&mcp->out));
}

/* Makes a stream in the list of the loop, with room for its watches. */
static struct tr_mcp_listen *new_listen(struct tr_mcp_request *request,
                                        size_t watch_count)
{
    struct tr_mcp *mcp = request->mcp;
    tr_str id = write_id(mcp, request->message.id);
    size_t size = sizeof(struct tr_mcp_listen) +
                  watch_count * sizeof(struct tr_mcp_watch);
    struct tr_mcp_listen *listen =
        id.len > TR_LIMIT_SESSION_MEMORY ? NULL : calloc(1, size + id.len);
    if (!listen)
        return NULL;
    listen->mcp = mcp;
    listen->scopes = tr_mcp_request_scopes(request);
    listen->id = (char *)listen + size;
    listen->id_len = id.len;
    memcpy(listen->id, id.ptr, id.len);
    listen->next = mcp->listens;
    listen->link = &mcp->listens;
    if (listen->next)
        listen->next->link = &listen->next;
    mcp->listens = listen;
    mcp->listen_count++;
    return listen;
}

/*
 * Whether this stream watches the topic already. The newest watch stands first,
 * so while a stream adds its own the first one is enough to look at.
 */
static bool is_watched(const struct tr_mcp_listen *listen, tr_str text)
{
    const struct tr_mcp_topic *topic =
        tr_mcp_watch_find(&listen->mcp->watches, text);
    const struct tr_mcp_watch *newest =
        topic ? topic->watches[TR_MCP_WATCHER_LISTEN] : NULL;
    return newest && newest->owner == listen;
}

static bool add_watch(struct tr_mcp_listen *listen, tr_str topic)
{
    struct tr_mcp_watch *watch = &listen->watches[listen->watch_count];
    if (!tr_mcp_watch_add(&listen->mcp->watches, TR_MCP_WATCHER_LISTEN, topic,
                          listen, watch))
        return false;
    listen->watch_count++;
    return true;
}

/* A URI that is named twice is told once. */
static bool add_watches(const struct tr_mcp_request *request,
                        struct tr_mcp_listen *listen,
                        const struct tr_json *uris)
{
    struct tr_buf topic;
    bool done = true;
    tr_buf_init(&topic, TR_LIMIT_MESSAGE);
    for (size_t i = 0; uris && i < uris->len && done; i++) {
        tr_str uri = tr_json_text(&uris->as.items[i]);
        done = tr_mcp_watch_topic(request, uri, &topic) &&
               (is_watched(listen, tr_buf_str(&topic)) ||
                add_watch(listen, tr_buf_str(&topic)));
    }
    tr_buf_done(&topic);
    return done;
}

/* The stream takes the sink over. */
static void open_stream(struct tr_mcp_request *request,
                        struct tr_mcp_listen *listen,
                        const struct tr_json *uris)
{
    listen->sink = request->sink;
    listen->sink->gone = peer_gone;
    listen->sink->owner = listen;
    request->sink = NULL;
    acknowledge(listen, uris);
}

static const struct tr_json *wanted_by(const struct tr_mcp_request *request)
{
    return tr_json_find(request->message.params, TR_STR("notifications"));
}

static const struct tr_json *uris_of(const struct tr_mcp_request *request)
{
    return tr_json_find(wanted_by(request), TR_STR("resourceSubscriptions"));
}

static void begin(struct tr_mcp_request *request)
{
    struct tr_mcp *mcp = request->mcp;
    const struct tr_json *uris = uris_of(request);
    struct tr_err err = {0};
    bool has_room =
        request->sink->feed && mcp->listen_count < mcp->opts.max_streams;
    struct tr_mcp_listen *listen =
        has_room ? new_listen(request, uris ? uris->len : 0) : NULL;
    if (listen && add_watches(request, listen, uris)) {
        (void)read_lists(wanted_by(request), &listen->lists);
        open_stream(request, listen, uris);
        return;
    }
    if (listen)
        free_listen(listen);
    (void)tr_fail(&err, TR_E_UNAVAILABLE, "Subscription limit reached");
    tr_mcp_reply_failure(request, &err, NULL);
}

static void answer_asked(struct tr_mcp_request *request,
                         const struct tr_call_outcome *outcome);

/*
 * Asks for each URI whether the caller may watch it, one after the other. What
 * is answered at once goes on in this loop, so that many URIs need no deep
 * stack; a policy that takes its time is gone on from by answer_asked.
 */
static void ask_rest(struct tr_mcp_request *request)
{
    const struct tr_json *uris = uris_of(request);
    size_t count = uris ? uris->len : 0;
    request->has_passed = true;
    request->is_asking = true;
    while (request->has_passed && request->asked_uris < count) {
        request->has_passed = false;
        tr_mcp_watch_ask(request,
                         tr_json_text(&uris->as.items[request->asked_uris++]),
                         answer_asked);
    }
    request->is_asking = false;
    if (request->has_passed)
        begin(request);
}

static void answer_asked(struct tr_mcp_request *request,
                         const struct tr_call_outcome *outcome)
{
    if (outcome->status != TR_OK)
        tr_mcp_fail(request, outcome);
    else if (request->is_asking)
        request->has_passed = true;
    else
        ask_rest(request);
}

/* The stream has a guard as any door, and each URI has its own behind that. */
void tr_mcp_listen_begin(struct tr_mcp_request *request)
{
    struct tr_err err = {0};
    unsigned lists;
    if (!tr_json_is(wanted_by(request), TR_JSON_OBJECT) ||
        !read_lists(wanted_by(request), &lists)) {
        tr_mcp_reply_bad_params(request,
                                "params.notifications must be an object, and "
                                "its ...ListChanged true or false");
        return;
    }
    if (!check_uris(request, uris_of(request), &err)) {
        tr_mcp_reply_failure(request, &err, NULL);
        return;
    }
    struct tr_mcp_run run = {
        .handler = &tr_call_pass,
        .kind = TR_CALL_SUBSCRIPTION,
        .name = TR_STR("subscriptions/listen"),
        .guard = &tr_cap_guard_open,
        .answer = answer_asked,
    };
    tr_mcp_run(request, &run);
}

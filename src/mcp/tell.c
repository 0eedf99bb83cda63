#include "mcp/tell.h"

#include "base/limits.h"
#include "mcp/inside.h"
#include "mcp/listen.h"
#include "mcp/reply.h"
#include "mcp/session.h"

#define UPDATED "notifications/resources/updated"

/* How often slow streams are looked at. */
#define CATCH_UP_MS 10

/* So many notes are gathered before they are sent; so much memory is kept. */
#define NOTES_MAX  65536
#define KEPT_BYTES TR_KIB(64)

/* A note is one change for one stream. */
struct note {
    struct tr_mcp_watch *watch;
    uint32_t prefix; /* where its text begins in `prefixes` */
    uint32_t len;
    uint32_t next; /* of the same stream; its number from 1, 0 is none */
};

/*
 * Notifications to many differ in the id of the subscription only: what stands
 * before it is written once.
 */
static void put_prefix(struct tr_buf *out, const char *method, tr_str uri)
{
    tr_buf_put(out, TR_STR("{\"jsonrpc\":\"2.0\",\"method\":\""));
    tr_buf_put(out, tr_str_from(method));
    tr_buf_put(out, TR_STR("\",\"params\":{"));
    if (uri.ptr) {
        tr_buf_put(out, TR_STR("\"uri\":"));
        tr_buf_put_json(out, uri);
        tr_buf_putc(out, ',');
    }
    tr_buf_put(out, TR_STR(TR_MCP_LISTEN_META));
}

static size_t queued(const struct tr_mcp_listen *listen)
{
    return listen->sink->feed->queued(listen->sink);
}

static void add_slow(struct tr_mcp_listen *listen)
{
    struct tr_mcp_tell *tell = &listen->mcp->tell;
    if (listen->slow_link)
        return;
    listen->next_slow = tell->slow;
    listen->slow_link = &tell->slow;
    if (tell->slow)
        tell->slow->slow_link = &listen->next_slow;
    tell->slow = listen;
    if (!tell->catch_up.active)
        tr_loop_timer_start(&tell->catch_up, CATCH_UP_MS, CATCH_UP_MS);
}

static void remove_slow(struct tr_mcp_listen *listen)
{
    if (!listen->slow_link)
        return;
    *listen->slow_link = listen->next_slow;
    if (listen->next_slow)
        listen->next_slow->slow_link = listen->slow_link;
    listen->slow_link = NULL;
}

/* Whether a stream has to wait; once slow, it is so until it has heard all. */
static bool must_wait(struct tr_mcp_listen *listen)
{
    if (listen->slow_link)
        return true;
    if (queued(listen) < TR_LIMIT_LISTEN_QUEUE)
        return false;
    add_slow(listen);
    return true;
}

static void mark(struct tr_mcp_watch *watch)
{
    watch->is_due = true;
    add_slow(watch->owner);
}

/* Marks all: without memory nobody knows what the stream has still to hear. */
static void mark_all(struct tr_mcp_listen *listen)
{
    for (size_t i = 0; i < listen->watch_count; i++)
        mark(&listen->watches[i]);
}

static struct note *note_at(const struct tr_mcp_tell *tell, uint32_t number)
{
    return (struct note *)(void *)tell->notes.ptr + (number - 1);
}

/* False when there is no memory; notes are numbered from 1. */
static bool add_note(struct tr_mcp *mcp, const struct note *note)
{
    struct tr_mcp_tell *tell = &mcp->tell;
    struct tr_mcp_listen *listen = note->watch->owner;
    char *room = tr_buf_room(&tell->notes, sizeof(*note));
    if (!room)
        return false;
    memcpy(room, note, sizeof(*note));
    tell->notes.len += sizeof(*note);
    uint32_t number = (uint32_t)(tell->notes.len / sizeof(*note));
    if (listen->last_note) {
        note_at(tell, listen->last_note)->next = number;
    } else {
        listen->first_note = number;
        listen->next_gathered = tell->gathered;
        tell->gathered = listen;
    }
    listen->last_note = number;
    return true;
}

/*
 * Makes a note for each stream that watches the topic; without memory the
 * stream is told later.
 */
static void gather(struct tr_mcp *mcp, struct tr_mcp_topic *topic)
{
    struct tr_mcp_tell *tell = &mcp->tell;
    struct tr_mcp_watch *watch = topic->watches[TR_MCP_WATCHER_LISTEN];
    if (!watch)
        return;
    struct note note = {.prefix = (uint32_t)tell->prefixes.len};
    put_prefix(&tell->prefixes, UPDATED, tr_mcp_topic_uri(topic));
    note.len = (uint32_t)tell->prefixes.len - note.prefix;
    for (; watch; watch = watch->next) {
        note.watch = watch;
        if (tell->prefixes.failed || !add_note(mcp, &note))
            mark(watch);
    }
}

static void put_message(const struct tr_mcp_listen *listen, tr_str prefix)
{
    struct tr_buf *out = &listen->mcp->out;
    tr_buf_put(out, prefix);
    tr_buf_put(out, (tr_str){listen->id, listen->id_len});
    tr_buf_put(out, TR_STR("}}}"));
}

/* False when there is no memory. */
static bool send_one(struct tr_mcp_listen *listen, tr_str prefix)
{
    struct tr_mcp *mcp = listen->mcp;
    tr_buf_clear(&mcp->out);
    if (!prefix.ptr)
        return false;
    put_message(listen, prefix);
    if (mcp->out.failed)
        return false;
    listen->sink->ops->send(listen->sink, tr_buf_str(&mcp->out));
    return true;
}

/* Sends what has been put together; true when more may follow at once. */
static bool send_framed(struct tr_mcp_listen *listen)
{
    struct tr_buf *out = &listen->mcp->out;
    if (out->failed)
        mark_all(listen);
    else
        listen->sink->feed->send(listen->sink, tr_buf_str(out));
    tr_buf_clear(out);
    return !must_wait(listen);
}

/* Sends all of its notes in one piece, or in a few when they are many. */
static void send_notes(struct tr_mcp_listen *listen, uint32_t number)
{
    struct tr_mcp *mcp = listen->mcp;
    const struct tr_mcp_feed_ops *feed = listen->sink->feed;
    bool can_send = !must_wait(listen);
    tr_buf_clear(&mcp->out);
    for (; number; number = note_at(&mcp->tell, number)->next) {
        const struct note *note = note_at(&mcp->tell, number);
        tr_str prefix = {mcp->tell.prefixes.ptr + note->prefix, note->len};
        if (!can_send) {
            mark(note->watch);
            continue;
        }
        tr_buf_put(&mcp->out, feed->before);
        put_message(listen, prefix);
        tr_buf_put(&mcp->out, feed->after);
        if (mcp->out.len >= TR_LIMIT_LISTEN_QUEUE || mcp->out.failed)
            can_send = send_framed(listen);
    }
    if (can_send && mcp->out.len)
        (void)send_framed(listen);
}

static void keep_some(struct tr_buf *buf)
{
    if (buf->held > KEPT_BYTES)
        tr_buf_done(buf);
    tr_buf_clear(buf);
}

void tr_mcp_tell_gathered(struct tr_mcp *mcp)
{
    struct tr_mcp_tell *tell = &mcp->tell;
    while (tell->gathered) {
        struct tr_mcp_listen *listen = tell->gathered;
        uint32_t first = listen->first_note;
        tell->gathered = listen->next_gathered;
        listen->first_note = listen->last_note = 0;
        send_notes(listen, first);
    }
    keep_some(&tell->prefixes);
    keep_some(&tell->notes);
}

/* A session has no stream while its client has not opened one. */
static void send_to_session(struct tr_mcp_session *session, tr_str text)
{
    if (session->stream && text.len)
        session->stream->ops->send(session->stream, text);
}

static void tell_sessions(struct tr_mcp *mcp, struct tr_mcp_topic *topic)
{
    struct tr_mcp_watch *watch = topic->watches[TR_MCP_WATCHER_SESSION];
    if (!watch)
        return;
    struct tr_json_writer *w = tr_mcp_notify_open(mcp, UPDATED);
    tr_jw_put_string(w, "uri", tr_mcp_topic_uri(topic));
    tr_str text = tr_mcp_notify_close(mcp);
    for (; watch; watch = watch->next)
        send_to_session(watch->owner, text);
}

void tr_mcp_tell_updated(struct tr_mcp *mcp, tr_str text)
{
    struct tr_mcp_topic *topic = tr_mcp_watch_find(&mcp->watches, text);
    if (!topic)
        return;
    if (mcp->tell.notes.len >= NOTES_MAX * sizeof(struct note))
        tr_mcp_tell_gathered(mcp);
    gather(mcp, topic);
    tell_sessions(mcp, topic);
}

void tr_mcp_tell_all_updated(struct tr_mcp *mcp)
{
    for (struct tr_mcp_listen *l = mcp->listens; l; l = l->next)
        mark_all(l);
    for (size_t i = 0; i < mcp->watches.bucket_count; i++) {
        struct tr_mcp_topic *topic = mcp->watches.buckets[i];
        for (; topic; topic = topic->next)
            tell_sessions(mcp, topic);
    }
}

/* Writes a prefix while nothing is gathered; NULL when there is no memory. */
static tr_str only_prefix(struct tr_mcp *mcp, const char *method, tr_str uri)
{
    struct tr_buf *prefixes = &mcp->tell.prefixes;
    tr_buf_clear(prefixes);
    put_prefix(prefixes, method, uri);
    return prefixes->failed ? (tr_str){NULL, 0} : tr_buf_str(prefixes);
}

void tr_mcp_tell_list_changed(struct tr_mcp *mcp, enum tr_call_list_kind kind,
                              uint32_t viewers)
{
    const char *method = tr_mcp_listen_lists[kind].method;
    tr_str prefix = only_prefix(mcp, method, (tr_str){NULL, 0});
    for (struct tr_mcp_listen *l = mcp->listens; l; l = l->next) {
        if (!(l->lists & 1u << kind) || !(viewers >> l->scopes & 1u))
            continue;
        if (must_wait(l) || !send_one(l, prefix)) {
            l->lists_due |= 1u << kind;
            add_slow(l);
        }
    }
    tr_buf_clear(&mcp->tell.prefixes);
    (void)tr_mcp_notify_open(mcp, method);
    tr_str text = tr_mcp_notify_close(mcp);
    for (struct tr_mcp_session *s = mcp->sessions; s; s = s->next) {
        if (s->is_initialized && viewers >> s->scopes & 1u)
            send_to_session(s, text);
    }
}

void tr_mcp_tell_lists(struct tr_mcp_session *session)
{
    for (unsigned kind = 0; kind < TR_MCP_LISTEN_LISTS; kind++) {
        (void)tr_mcp_notify_open(session->mcp,
                                 tr_mcp_listen_lists[kind].method);
        send_to_session(session, tr_mcp_notify_close(session->mcp));
    }
}

static bool tell_list(struct tr_mcp_listen *listen, unsigned kind)
{
    const char *method = tr_mcp_listen_lists[kind].method;
    if (!(listen->lists_due & 1u << kind))
        return true;
    if (!send_one(listen, only_prefix(listen->mcp, method, (tr_str){NULL, 0})))
        return false;
    listen->lists_due &= ~(1u << kind);
    return true;
}

static bool tell_watch(struct tr_mcp_listen *listen, struct tr_mcp_watch *watch)
{
    if (!watch->is_due)
        return true;
    if (queued(listen) >= TR_LIMIT_LISTEN_QUEUE ||
        !send_one(listen,
                  only_prefix(listen->mcp, UPDATED, tr_mcp_watch_uri(watch))))
        return false;
    watch->is_due = false;
    return true;
}

/* Whether the stream has been told everything. */
static bool tell_due(struct tr_mcp_listen *listen)
{
    bool all = true;
    for (unsigned kind = 0; kind < TR_MCP_LISTEN_LISTS && all; kind++)
        all = tell_list(listen, kind);
    for (size_t i = 0; i < listen->watch_count && all; i++)
        all = tell_watch(listen, &listen->watches[i]);
    return all;
}

static void on_catch_up(void *data)
{
    struct tr_mcp *mcp = data;
    struct tr_mcp_listen *next;
    for (struct tr_mcp_listen *l = mcp->tell.slow; l; l = next) {
        next = l->next_slow;
        if (queued(l) < TR_LIMIT_LISTEN_QUEUE / 2 && tell_due(l))
            remove_slow(l);
    }
    tr_buf_clear(&mcp->tell.prefixes);
    if (!mcp->tell.slow)
        tr_loop_timer_stop(&mcp->tell.catch_up);
}

void tr_mcp_tell_forget(struct tr_mcp_listen *listen)
{
    struct tr_mcp_listen **link = &listen->mcp->tell.gathered;
    remove_slow(listen);
    while (*link && *link != listen)
        link = &(*link)->next_gathered;
    if (*link)
        *link = listen->next_gathered;
}

void tr_mcp_tell_init(struct tr_mcp *mcp)
{
    struct tr_mcp_tell *tell = &mcp->tell;
    tr_buf_init(&tell->prefixes, 2 * TR_LIMIT_MESSAGE);
    tr_buf_init(&tell->notes, TR_MIB(64));
    tr_loop_timer_init(&tell->catch_up, mcp->opts.loop, on_catch_up, mcp);
}

void tr_mcp_tell_done(struct tr_mcp *mcp)
{
    tr_loop_timer_stop(&mcp->tell.catch_up);
    tr_buf_done(&mcp->tell.prefixes);
    tr_buf_done(&mcp->tell.notes);
}

#include "mcp/batch.h"

#include "base/limits.h"
#include "cap/snapshot.h"
#include "mcp/call.h"
#include "mcp/inside.h"
#include "mcp/modern.h"
#include "mcp/receive.h"
#include "mcp/reply.h"
#include "mcp/session.h"
#include "mcp/trace.h"

/* So long may answers be together; the rest is for what is said instead. */
#define ANSWERS_MAX (TR_LIMIT_MESSAGE / 4 * 3)

/* An answer that waits for the others. */
struct answer {
    const struct tr_json *id;
    tr_str text; /* empty when there was no memory for it */
    struct answer *next;
};

/* A batch lives until the last of its requests has let go of its sink. */
struct batch {
    struct tr_mcp *mcp;
    struct tr_arena arena;       /* has the messages and the answers */
    struct tr_mcp_sink *sink;    /* what it came over; owned */
    const struct tr_json *items; /* an array */
    const struct tr_cap_snapshot *snapshot; /* the same for all of them */
    struct tr_access_authority authority;
    struct answer *first;
    struct answer **last;
    size_t open;    /* requests without an answer, and one while it starts */
    bool is_stream; /* over HTTP, something was sent before the answers */
};

struct member {
    struct tr_mcp_sink sink; /* first: its functions find the message by it */
    struct batch *batch;
    struct answer answer;
};

/*
 * What does not fit is answered by an error: its client waits for something.
 * Empty when there is no memory for that either.
 */
static tr_str text_of(const struct batch *batch, const struct answer *answer,
                      size_t room)
{
    static const struct tr_mcp_rpc_error too_long = {
        .code = TR_MCP_RPC_INTERNAL,
        .text = TR_STR_INIT("the answers to the batch are too long"),
    };
    if (answer->text.len && answer->text.len <= room)
        return answer->text;
    tr_mcp_rpc_error_write(&batch->mcp->out, answer->id, &too_long);
    return tr_buf_str(&batch->mcp->out);
}

/*
 * In a body, and on a connection of lines, the answers are one array
 * (2025-03-26, basic/transports, Sending Messages to the Server).
 */
static void send_array(struct batch *batch)
{
    static const struct tr_mcp_head head = {.status = 200};
    struct tr_buf text;
    tr_buf_init(&text, TR_LIMIT_MESSAGE);
    tr_buf_putc(&text, '[');
    for (struct answer *a = batch->first; a; a = a->next) {
        size_t room = text.len < ANSWERS_MAX ? ANSWERS_MAX - text.len : 0;
        tr_str one = text_of(batch, a, room);
        if (one.len && text.len > 1)
            tr_buf_putc(&text, ',');
        tr_buf_put(&text, one);
    }
    tr_buf_putc(&text, ']');
    if (tr_buf_check(&text, NULL) == TR_OK)
        batch->sink->ops->answer(batch->sink, &head, tr_buf_str(&text));
    tr_buf_done(&text);
}

/*
 * On a stream no answer waits for the others; the stream ends when the batch
 * lets go of it.
 */
static void become_stream(struct batch *batch)
{
    batch->is_stream = true;
    for (; batch->first; batch->first = batch->first->next)
        batch->sink->ops->send(batch->sink,
                               text_of(batch, batch->first, TR_LIMIT_MESSAGE));
    batch->last = &batch->first;
}

/* One of those who wait for the batch is done; the last one ends it. */
static void release_batch(struct batch *batch)
{
    if (--batch->open)
        return;
    if (batch->first)
        send_array(batch);
    else if (!batch->is_stream)
        batch->sink->ops->accept(batch->sink);
    batch->sink->ops->release(batch->sink);
    tr_cap_snapshot_unpin(batch->snapshot);
    tr_arena_done(&batch->arena);
    free(batch);
}

static struct batch *batch_of(struct tr_mcp_sink *sink)
{
    return ((struct member *)(void *)sink)->batch;
}

static void send(struct tr_mcp_sink *sink, tr_str message)
{
    struct batch *batch = batch_of(sink);
    batch->sink->ops->send(batch->sink, message);
    if (batch->sink->has_head && !batch->is_stream)
        become_stream(batch);
}

static void answer(struct tr_mcp_sink *sink, const struct tr_mcp_head *head,
                   tr_str message)
{
    struct batch *batch = batch_of(sink);
    (void)head;
    if (batch->is_stream) {
        batch->sink->ops->send(batch->sink, message);
        return;
    }
    struct answer *kept = &((struct member *)(void *)sink)->answer;
    if (!tr_arena_copy(&batch->arena, message, &kept->text))
        kept->text = (tr_str){NULL, 0};
    *batch->last = kept;
    batch->last = &kept->next;
}

/* Does nothing: the batch accepts once for all of its messages. */
static void accept(struct tr_mcp_sink *sink)
{
    (void)sink;
}

static void release(struct tr_mcp_sink *sink)
{
    release_batch(batch_of(sink));
}

static const struct tr_mcp_sink_ops ops = {
    .send = send,
    .answer = answer,
    .accept = accept,
    .release = release,
};

static void run_request(struct batch *batch, struct tr_mcp_session *session,
                        enum tr_mcp_revision revision,
                        const struct tr_mcp_message *message)
{
    struct member *member = TR_NEW(&batch->arena, struct member);
    struct tr_mcp_sink *sink = member ? &member->sink : NULL;
    struct tr_mcp_request *request =
        sink ? tr_mcp_request_new(batch->mcp, &sink) : NULL;
    if (!request)
        return;
    member->sink.ops = &ops;
    member->batch = batch;
    member->answer.id = message->id;
    batch->open++;
    tr_cap_snapshot_unpin(request->snapshot);
    tr_cap_snapshot_pin(batch->snapshot);
    request->snapshot = batch->snapshot;
    request->message = *message;
    request->authority = batch->authority;
    tr_mcp_trace_start(request);
    if (session)
        tr_mcp_join(request, session);
    else
        tr_mcp_join_none(request, revision);
    tr_mcp_dispatch(request);
    tr_mcp_request_release(request);
}

static void run_all(struct batch *batch, struct tr_mcp_session *session,
                    enum tr_mcp_revision revision)
{
    struct tr_mcp_message message;
    for (size_t i = 0; i < batch->items->len; i++) {
        if (tr_mcp_message_parse(&batch->items->as.items[i], &message, NULL) !=
            TR_OK)
            continue; /* cannot be: check_one saw all of them before */
        if (message.kind == TR_MCP_MESSAGE_REQUEST)
            run_request(batch, session, revision, &message);
        else if (message.kind == TR_MCP_MESSAGE_RESPONSE)
            tr_mcp_answered(batch->mcp, session, &message);
        else
            tr_mcp_notice(batch->mcp, session, &message);
    }
}

/*
 * Says why a message cannot be in a batch; NULL when it can. That initialize
 * cannot is 2025-03-26, basic/lifecycle, Initialization.
 */
static const char *check_one(const struct tr_json *item, struct tr_err *err)
{
    struct tr_mcp_message message;
    const struct tr_json *claim;
    if (tr_mcp_message_parse(item, &message, err) != TR_OK)
        return err->msg;
    if (tr_mcp_modern_claim(&message, &claim))
        return "a stateless revision has no batches";
    if (tr_str_eq(message.method, TR_STR("initialize")))
        return "initialize must not be in a batch";
    return NULL;
}

static const char *check(const struct tr_mcp_request *request,
                         enum tr_mcp_revision revision, struct tr_err *err)
{
    const struct tr_json *items = request->batch;
    const char *why = NULL;
    if (!tr_mcp_revision_has(revision, TR_MCP_HAS_BATCHES))
        return "this revision has no batches";
    if (items->len == 0)
        return "the batch is empty";
    if (items->len > request->mcp->opts.max_batch)
        return "the batch has too many messages";
    for (size_t i = 0; i < items->len && !why; i++)
        why = check_one(&items->as.items[i], err);
    return why;
}

static void refuse(struct tr_mcp_request *request, const char *why)
{
    struct tr_mcp_rpc_error error = {
        .code = TR_MCP_RPC_REQUEST, .http = 400, .text = tr_str_from(why)};
    tr_mcp_reply_error(request, &error);
}

void tr_mcp_batch_take(struct tr_mcp_request *request,
                       struct tr_mcp_session *session,
                       enum tr_mcp_revision revision)
{
    struct tr_err err = {0};
    const char *why = check(request, revision, &err);
    struct batch *batch = why ? NULL : calloc(1, sizeof(*batch));
    if (!batch) {
        refuse(request, why ? why : "no memory for the batch");
        return;
    }
    *batch = (struct batch){
        .mcp = request->mcp,
        .arena = request->arena,
        .sink = request->sink,
        .items = request->batch,
        .snapshot = request->snapshot,
        .authority = request->authority,
        .last = &batch->first,
        .open = 1,
    };
    tr_cap_snapshot_pin(batch->snapshot);
    tr_arena_init(&request->arena, TR_LIMIT_REQUEST_MEMORY);
    request->sink = NULL;
    request->authority =
        (struct tr_access_authority){0}; /* its texts now belong to the batch */
    request->trace_id = (tr_str){NULL, 0};
    run_all(batch, session, revision);
    release_batch(batch);
}

#include "mcp/request.h"

#include "base/limits.h"
#include "base/time.h"
#include "cap/registry.h"
#include "loop/loop.h"
#include "mcp/inside.h"

/* A busy loop has so many requests in work; more than that are not kept. */
#define SPARE_MAX 64

/* A spare request may keep so much; after a large one it starts anew. */
#define SPARE_BYTES TR_KIB(64)

static struct tr_mcp_request *take_spare(struct tr_mcp *mcp)
{
    struct tr_mcp_request *request = mcp->spare;
    if (request) {
        mcp->spare = request->next;
        mcp->spare_count--;
        return request;
    }
    request = calloc(1, sizeof(*request));
    if (request)
        tr_arena_init(&request->arena, TR_LIMIT_REQUEST_MEMORY);
    return request;
}

/* The scopes of a request until it is known who sends it. */
static unsigned scopes_of_nobody(const struct tr_mcp *mcp)
{
    return mcp->opts.gate.rules.is_required ? 0 : TR_SCOPE_RUNTIME;
}

unsigned tr_mcp_request_scopes(const struct tr_mcp_request *request)
{
    return tr_access_decide_all(&request->authority,
                                request->mcp->opts.production);
}

bool tr_mcp_request_may_know(const struct tr_mcp_request *request,
                             const struct tr_cap_guard *guard)
{
    return tr_cap_guard_is_shown(guard, tr_mcp_request_scopes(request));
}

struct tr_mcp_request *tr_mcp_request_new(struct tr_mcp *mcp,
                                          struct tr_mcp_sink **sink)
{
    struct tr_mcp_request *request = take_spare(mcp);
    if (!request)
        return NULL;
    struct tr_arena arena = request->arena;
    *request = (struct tr_mcp_request){
        .mcp = mcp,
        .holders = 1,
        .arena = arena,
        .sink = *sink,
        .snapshot = tr_cap_registry_pin(mcp->opts.registry),
        .authority = {.scopes = scopes_of_nobody(mcp)},
        .note_level = TR_MCP_NOTE_NONE,
        .started_ms = tr_loop_now_ms(mcp->opts.loop),
        .started_ns = tr_time_ticks_ns(),
        .next = mcp->requests,
    };
    *sink = NULL;
    if (mcp->requests)
        mcp->requests->previous = request;
    mcp->requests = request;
    return request;
}

static void unlink_request(struct tr_mcp_request *request)
{
    if (request->next)
        request->next->previous = request->previous;
    if (request->previous)
        request->previous->next = request->next;
    else
        request->mcp->requests = request->next;
}

void tr_mcp_request_release(struct tr_mcp_request *request)
{
    struct tr_mcp *mcp = request->mcp;
    if (--request->holders)
        return;
    tr_mcp_access_log_tell(request);
    unlink_request(request);
    if (request->sink)
        request->sink->ops->release(request->sink);
    tr_cap_snapshot_unpin(request->snapshot);
    if (mcp->spare_count == SPARE_MAX) {
        tr_arena_done(&request->arena);
        free(request);
        return;
    }
    tr_arena_recycle(&request->arena, SPARE_BYTES);
    request->next = mcp->spare;
    mcp->spare = request;
    mcp->spare_count++;
}

void tr_mcp_request_cancel(struct tr_mcp_request **request)
{
    struct tr_mcp_request *taken = *request;
    *request = NULL;
    if (!taken->is_answered)
        taken->head.status = 499; /* as others tell of a client that has gone */
    taken->is_answered = true;
    if (taken->is_running)
        tr_call_cancel(&taken->call);
}

struct tr_mcp_request *tr_mcp_request_find(struct tr_mcp *mcp,
                                           const struct tr_mcp_session *session,
                                           const struct tr_json *id)
{
    struct tr_mcp_request *request = mcp->requests;
    while (request && !(request->session == session &&
                        tr_mcp_message_same_id(request->message.id, id)))
        request = request->next;
    return request;
}

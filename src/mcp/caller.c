#include "mcp/caller.h"

#include "base/hash.h"
#include "mcp/inside.h"
#include "mcp/session.h"

/* A session that was never used stands in two queues. */
enum { OF_ALL, OF_CALLER };

static void push(struct tr_mcp_caller_queue *queue,
                 struct tr_mcp_session *session, int which)
{
    session->unused[which] = (struct tr_mcp_caller_link){.before = queue->last};
    if (queue->last)
        queue->last->unused[which].after = session;
    else
        queue->first = session;
    queue->last = session;
}

static void drop(struct tr_mcp_caller_queue *queue,
                 struct tr_mcp_session *session, int which)
{
    struct tr_mcp_caller_link link = session->unused[which];
    if (link.before)
        link.before->unused[which].after = link.after;
    else
        queue->first = link.after;
    if (link.after)
        link.after->unused[which].before = link.before;
    else
        queue->last = link.before;
}

/* Finds what points to the caller; to NULL when it has no session. */
static struct tr_mcp_caller **find(struct tr_mcp *mcp, tr_str principal,
                                   bool is_authenticated)
{
    struct tr_mcp_callers *all = &mcp->table->callers;
    uint64_t hash = tr_hash_bytes(principal, tr_hash_seed(all));
    struct tr_mcp_caller **link = &all->buckets[hash % TR_MCP_CALLER_BUCKETS];
    while (*link &&
           ((*link)->is_authenticated != is_authenticated ||
            !tr_str_eq((tr_str){(*link)->principal, (*link)->len}, principal)))
        link = &(*link)->next;
    return link;
}

/*
 * Nobody in particular may be many: they share half of the maximum, and cannot
 * take the other half from those who have a name.
 */
static size_t bound_of(const struct tr_mcp *mcp,
                       const struct tr_access_authority *who)
{
    return who->principal.len ? mcp->opts.max_caller_sessions
                              : (mcp->opts.max_sessions + 1) / 2;
}

bool tr_mcp_caller_make_room(struct tr_mcp *mcp,
                             const struct tr_access_authority *who)
{
    const struct tr_mcp_caller *caller =
        *find(mcp, who->principal, who->is_authenticated);
    struct tr_mcp_session *first;
    if (caller && caller->count >= bound_of(mcp, who))
        first = caller->unused.first;
    else if (mcp->table->count >= mcp->opts.max_sessions)
        first = mcp->table->callers.unused.first;
    else
        return true;
    if (first)
        tr_mcp_session_free(first);
    return first != NULL;
}

bool tr_mcp_caller_join(struct tr_mcp_session *session,
                        const struct tr_access_authority *who)
{
    struct tr_mcp *mcp = session->mcp;
    tr_str name = who->principal;
    struct tr_mcp_caller **link = find(mcp, name, who->is_authenticated);
    if (!*link) {
        *link = calloc(1, sizeof(**link) + name.len);
        if (!*link)
            return false;
        (*link)->is_authenticated = who->is_authenticated;
        (*link)->len = name.len;
        if (name.len)
            memcpy((*link)->principal, name.ptr, name.len);
    }
    (*link)->count++;
    session->caller = *link;
    session->is_unused = true;
    push(&mcp->table->callers.unused, session, OF_ALL);
    push(&session->caller->unused, session, OF_CALLER);
    return true;
}

void tr_mcp_caller_use(struct tr_mcp_session *session)
{
    if (!session->is_unused)
        return;
    session->is_unused = false;
    drop(&session->mcp->table->callers.unused, session, OF_ALL);
    drop(&session->caller->unused, session, OF_CALLER);
}

void tr_mcp_caller_leave(struct tr_mcp_session *session)
{
    struct tr_mcp_caller *caller = session->caller;
    if (!caller)
        return;
    tr_mcp_caller_use(session);
    session->caller = NULL;
    if (--caller->count > 0)
        return;
    *find(session->mcp, (tr_str){caller->principal, caller->len},
          caller->is_authenticated) = caller->next;
    free(caller);
}

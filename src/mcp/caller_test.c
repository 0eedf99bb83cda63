#include "mcp/caller.h"

#include "base/limits.h"
#include "base/test.h"
#include "mcp/inside.h"
#include "mcp/session.h"
#include "mcp/session_id.h"
#include "support/session.h"

static struct tr_access_authority named(const char *name)
{
    return (struct tr_access_authority){.is_authenticated = name[0] != '\0',
                                        .principal = tr_str_from(name)};
}

static struct tr_mcp_session *open_as(struct session_client *client,
                                      const char *name)
{
    const struct tr_access_authority who = named(name);
    struct tr_mcp_session *session =
        tr_mcp_session_create(client->checked.sample.mcp, &who);
    if (session)
        CHECK(tr_mcp_session_name(session, TR_MCP_SESSION_ID_HTTP));
    return session;
}

static bool is_there(struct session_client *client, const char *id)
{
    const struct tr_mcp_session *s = client->checked.sample.mcp->sessions;
    while (s && !tr_str_eq(s->id, tr_str_from(id)))
        s = s->next;
    return s != NULL;
}

static void copy_id(const struct tr_mcp_session *session, char id[80])
{
    (void)snprintf(id, 80, "%.*s", TR_FMT(session->id));
}

#define FLOOD 5000

/* One caller who only begins sessions gets them, and nobody else pays. */
TEST(session_flood_of_one_caller_ends_its_own_unused_ones)
{
    struct session_client client;
    struct exchange x;
    char other[80];
    char used[80];
    session_open(&client, INITIALIZE("2025-11-25"));
    struct tr_mcp *mcp = client.checked.sample.mcp;
    mcp->opts.max_sessions = 100;
    mcp->opts.max_caller_sessions = 20;
    copy_id(open_as(&client, "token:other"), other);
    copy_id(open_as(&client, "token:flood"), used);
    CHECK(tr_mcp_session_find(mcp, tr_str_from(used)));
    for (size_t i = 0; i < FLOOD; i++) {
        CHECK(open_as(&client, "token:flood"));
        CHECK(mcp->table->count <= 22);
    }
    CHECK_INT(mcp->table->count, 22);
    CHECK(is_there(&client, other) && is_there(&client, used));
    session_post(&client, PING("1"), &x); /* as is the one of nobody */
    session_check_done(&x, "200 " PONG("1") "\n");
    session_close(&client);
}

/* Who comes back to each of its sessions has no more than its bound. */
TEST(session_flood_of_used_ones_stops_at_the_callers_bound)
{
    struct session_client client;
    struct tr_mcp_session *session;
    size_t count = 0;
    session_open(&client, INITIALIZE("2025-11-25"));
    struct tr_mcp *mcp = client.checked.sample.mcp;
    mcp->opts.max_sessions = 100;
    mcp->opts.max_caller_sessions = 20;
    while ((session = open_as(&client, "token:flood"))) {
        CHECK(tr_mcp_session_find(mcp, session->id) == session);
        count++;
    }
    CHECK_INT(count, 20);
    CHECK(!open_as(&client, "token:flood"));
    CHECK(open_as(&client, "token:other"));
    session_close(&client);
}

/* Nobody may be many, who all together leave room for those with a name. */
TEST(session_flood_of_nobody_leaves_half)
{
    struct session_client client;
    struct tr_mcp_session *session;
    size_t count = 0;
    session_open(&client, INITIALIZE("2025-11-25"));
    struct tr_mcp *mcp = client.checked.sample.mcp;
    mcp->opts.max_sessions = 100;
    for (size_t i = 0; i < FLOOD; i++)
        CHECK(open_as(&client, ""));
    CHECK_INT(mcp->table->count, 50);
    for (size_t i = 0; i < 50; i++) {
        session = open_as(&client, "token:a");
        CHECK(session && tr_mcp_session_find(mcp, session->id));
    }
    CHECK_INT(mcp->table->count, 100);
    /* At the maximum the oldest that was never used goes, whosever it is. */
    while ((session = open_as(&client, "token:b"))) {
        CHECK(tr_mcp_session_find(mcp, session->id));
        CHECK_INT(mcp->table->count, 100);
        count++;
    }
    CHECK_INT(count, 50);
    while (mcp->sessions)
        tr_mcp_session_free(mcp->sessions);
    for (size_t i = 0; i < TR_MCP_CALLER_BUCKETS; i++)
        CHECK(!mcp->table->callers.buckets[i]);
    CHECK(!mcp->table->callers.unused.first);
    CHECK(!mcp->table->callers.unused.last);
    session_close(&client);
}

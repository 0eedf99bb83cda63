/*
 * A client whose session its loop has forgotten. To forget all sessions is what
 * a restart does: keys and store stay.
 */
#include "mcp/take_up.h"

#include "base/limits.h"
#include "base/test.h"
#include "crypto/random.h"
#include "crypto/seal.h"
#include "loop/loop.h"
#include "mcp/inside.h"
#include "mcp/session.h"
#include "mcp/session_id.h"
#include "runtime/env.h"
#include "support/folder.h"
#include "support/peer.h"
#include "support/session.h"

#define LATEST   "2025-11-25"
#define ELICITS  "{\"elicitation\":{\"url\":{}},\"roots\":{}}"
#define NOT_HERE "Session not found"
#define LIST_CHANGED(list)                                                     \
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/" list "/list_changed\"," \
    "\"params\":{}}"
#define WATCH                                                                  \
    "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"resources/subscribe\","        \
    "\"params\":{\"uri\":\"test://text\"}}"
#define LEVEL                                                                  \
    "{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"logging/setLevel\","           \
    "\"params\":{\"level\":\"error\"}}"

struct world {
    struct session_client client;
    struct folder folder;
    struct tr_call_env env;
    struct tr_crypto_uuid_maker uuids;
};

static struct tr_mcp *mcp_of(struct world *w)
{
    return w->client.checked.sample.mcp;
}

static void give_store(struct world *w)
{
    struct tr_err err = {0};
    folder_open(&w->folder);
    const struct tr_graph_store_opts opts = {.folder = w->folder.path,
                                             .db = {.no_sync = true}};
    CHECK_OK(tr_graph_store_open(&opts, &w->env.store, &err), &err);
    CHECK_OK(tr_graph_store_loop_reader(w->env.store,
                                        w->client.checked.sample.loop,
                                        &w->env.reader, &err),
             &err);
    w->env.uuids = &w->uuids;
    w->env.prov_key = tr_graph_store_prov_key(w->env.store);
    mcp_of(w)->opts.env = &w->env;
}

static void open_world(struct world *w, const char *initialize)
{
    *w = (struct world){0};
    session_open(&w->client, initialize);
    give_store(w);
}

static void close_world(struct world *w)
{
    tr_mcp_stop(mcp_of(w));
    tr_graph_reader_free(w->env.reader);
    session_close(&w->client);
    tr_graph_store_close(w->env.store);
    folder_close(&w->folder);
}

static void forget(struct world *w)
{
    while (mcp_of(w)->sessions)
        tr_mcp_session_free(mcp_of(w)->sessions);
}

static bool is_released(void *exchange)
{
    return ((struct exchange *)exchange)->is_released;
}

/* Ends the session, and waits until the store knows. */
static void end(struct world *w, const char *log)
{
    struct exchange x;
    session_verb(&w->client, TR_MCP_HTTP_DELETE, "", &x);
    tr_peer_until(w->client.checked.sample.loop, is_released, &x);
    CHECK_STR(tr_buf_str(&x.log), log);
    exchange_done(&x);
}

/* POSTs a ping as this caller, with this id: the status. */
static int ping_as(struct world *w, const char *id,
                   struct tr_access_authority who)
{
    struct exchange x;
    struct tr_mcp_http_entry entry = {
        .has_session = true, .session = tr_str_from(id), .authority = who};
    session_post_with(&w->client, PING("1"), &x, entry);
    int64_t status = 0;
    CHECK(x.is_released && x.log.len > 3);
    CHECK(tr_str_to_i64((tr_str){x.log.ptr, 3}, &status));
    CHECK(status != 404 ||
          memmem(x.log.ptr, x.log.len, NOT_HERE, strlen(NOT_HERE)));
    exchange_done(&x);
    return (int)status;
}

static int ping(struct world *w)
{
    return ping_as(w, w->client.session, (struct tr_access_authority){0});
}

static struct tr_access_authority named(const char *name, const char *token)
{
    return (struct tr_access_authority){.is_authenticated = true,
                                        .principal = tr_str_from(name),
                                        .token_id = tr_str_from(token)};
}

/* Gives the world's client a session of this caller. */
static void open_for(struct world *w, struct tr_access_authority who,
                     tr_str purpose)
{
    struct tr_mcp_session *session = tr_mcp_session_create(mcp_of(w), &who);
    if (!session || !tr_mcp_session_name(session, purpose))
        abort();
    (void)snprintf(w->client.session, sizeof(w->client.session), "%.*s",
                   TR_FMT(session->id));
}

static void open_as(struct world *w, struct tr_access_authority who)
{
    open_for(w, who, TR_MCP_SESSION_ID_HTTP);
}

TEST(session_is_taken_up_with_what_its_client_can)
{
    static const char *const revisions[] = {"2025-03-26", "2025-06-18", LATEST};
    char hello[512];
    for (size_t i = 0; i < TR_LEN(revisions); i++) {
        struct world w;
        (void)snprintf(hello, sizeof(hello),
                       "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":"
                       "\"initialize\",\"params\":{\"protocolVersion\":\"%s\","
                       "\"capabilities\":" ELICITS ",\"clientInfo\":{\"name\":"
                       "\"c\",\"version\":\"1\"}}}",
                       revisions[i]);
        open_world(&w, hello);
        forget(&w);
        CHECK_INT(ping(&w), 200);
        const struct tr_mcp_session *session = mcp_of(&w)->sessions;
        CHECK(!session->next && session->is_initialized);
        CHECK_STR(session->id, w.client.session);
        CHECK_STR(tr_mcp_revision_name(session->revision), revisions[i]);
        const struct tr_json *can = session->client.capabilities;
        CHECK_INT(can->len, 2);
        CHECK(tr_json_pointer(can, TR_STR("/elicitation/url")));
        CHECK(!tr_json_pointer(can, TR_STR("/elicitation/form")));
        CHECK(tr_json_find(can, TR_STR("roots")));
        CHECK_INT(ping(&w), 200);
        CHECK(!mcp_of(&w)->sessions->next);
        close_world(&w);
    }
}

/* Whatever comes first: a request, a notification, a batch or a stream. */
TEST(session_is_taken_up_by_whatever_its_client_sends)
{
    static const struct {
        const char *text, *log;
    } rows[] = {
        {PING("1"), "200 " PONG("1") "\n"},
        {"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}",
         "202\n"},
        {"[" PING("1") "]", "200 [" PONG("1") "]\n"},
        {ROOTS_ANSWER, "202\n"},
    };
    struct world w;
    struct exchange x;
    open_world(&w, INITIALIZE("2025-03-26"));
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        forget(&w);
        session_post(&w.client, rows[i].text, &x);
        session_check_done(&x, rows[i].log);
        CHECK(mcp_of(&w)->sessions && !mcp_of(&w)->sessions->next);
    }
    close_world(&w);
}

/* What was in it is gone; its stream says once that the lists may differ. */
TEST(session_that_is_taken_up_is_empty_and_tells_its_lists_once)
{
    struct world w;
    struct exchange x;
    open_world(&w, INITIALIZE("2025-03-26"));
    session_post(&w.client, WATCH, &x);
    exchange_done(&x);
    session_post(&w.client, LEVEL, &x);
    exchange_done(&x);
    CHECK_INT(mcp_of(&w)->sessions->watch_count, 1);
    forget(&w);
    session_verb(&w.client, TR_MCP_HTTP_GET, "", &x);
    const struct tr_mcp_session *session = mcp_of(&w)->sessions;
    CHECK_INT(session->watch_count, 0);
    CHECK_INT(session->note_level, TR_CALL_NOTE_INFO);
    CHECK_STR(
        tr_buf_str(&x.log),
        "open\n"
        "event 1785240000000001-1 " LIST_CHANGED(
            "tools") "\n"
                     "event 1785240000000001-2 " LIST_CHANGED(
                         "resources") "\n"
                                      "event 1785240000000001-3 " LIST_CHANGED(
                                          "prompts") "\n");
    exchange_lose(&x);
    exchange_done(&x);
    session_verb(&w.client, TR_MCP_HTTP_GET, "", &x);
    CHECK_STR(tr_buf_str(&x.log), "open\n");
    close_world(&w);
    exchange_done(&x);
}

/* Events of before are gone; those that came since can be asked for. */
TEST(session_that_is_taken_up_begins_its_stream_anew)
{
    static const char *const before[] = {
        "1-0", "2-1", "77-5", "1785239999999999-1", "9785240000000001-1"};
    struct world w;
    struct exchange x;
    open_world(&w, INITIALIZE("2025-03-26"));
    for (size_t i = 0; i < TR_LEN(before); i++) {
        forget(&w);
        CHECK_INT(ping(&w), 200);
        session_verb(&w.client, TR_MCP_HTTP_GET, before[i], &x);
        CHECK_ROW(tr_str_starts(tr_buf_str(&x.log), TR_STR("open\nevent ")),
                  before[i]);
        CHECK_ROW(memmem(x.log.ptr, x.log.len, "prompts/list_changed", 20),
                  before[i]);
        exchange_lose(&x);
        exchange_done(&x);
    }
    session_verb(&w.client, TR_MCP_HTTP_GET, "1785240000000002-2", &x);
    CHECK_STR(tr_buf_str(&x.log),
              "open\nevent 1785240000000002-3 " LIST_CHANGED("prompts") "\n");
    exchange_lose(&x);
    exchange_done(&x);
    session_verb(&w.client, TR_MCP_HTTP_GET, "nonsense", &x);
    CHECK(tr_str_starts(tr_buf_str(&x.log), TR_STR("400 ")));
    exchange_done(&x);
    close_world(&w);
}

/* An answer to a question of before is none to a question of today. */
TEST(session_that_is_taken_up_asks_with_other_ids)
{
    struct world w;
    struct exchange asking;
    struct exchange x;
    open_world(&w, INITIALIZE("2025-06-18"));
    forget(&w);
    mcp_of(&w)->next_ask = 0; /* as in another process */
    session_post(&w.client, ASK, &asking);
    CHECK(memmem(asking.log.ptr, asking.log.len, "\"trails-1785240000000000\"",
                 25));
    session_post(&w.client, ROOTS_ANSWER, &x);
    session_check_done(&x, "202\n");
    CHECK(!asking.is_released);
    close_world(&w);
    exchange_done(&asking);
}

TEST(session_is_taken_up_by_its_caller_alone)
{
    static const struct {
        const char *name, *token;
        int status;
    } rows[] = {{"ann", "t1", 200}, {"ann", "t2", 200}, {"ann", "", 200},
                {"bob", "t1", 404}, {"an", "t1", 404},  {"annn", "t1", 404},
                {"", "", 404}};
    struct world w;
    open_world(&w, INITIALIZE(LATEST));
    char of_nobody[80];
    memcpy(of_nobody, w.client.session, sizeof(of_nobody));
    open_as(&w, named("ann", "t1"));
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        struct tr_access_authority who = named(rows[i].name, rows[i].token);
        forget(&w);
        CHECK_INT(ping_as(&w, w.client.session, who), rows[i].status);
        CHECK((mcp_of(&w)->sessions != NULL) == (rows[i].status == 200));
        CHECK_INT(ping_as(&w, of_nobody, who), 404);
    }
    struct tr_access_authority nobody = {0};
    forget(&w);
    CHECK_INT(ping_as(&w, w.client.session, nobody), 404);
    CHECK_INT(ping_as(&w, of_nobody, nobody), 200);
    /* Nor when it is here: what others see is the same. */
    CHECK_INT(ping_as(&w, of_nobody, named("ann", "t1")), 404);
    close_world(&w);
}

/* In memory it lives as long as it is used; without it, 24 hours. */
TEST(session_is_taken_up_for_a_day)
{
    struct world w;
    open_world(&w, INITIALIZE(LATEST));
    struct tr_loop *loop = w.client.checked.sample.loop;
    for (int hour = 0; hour < 23; hour++)
        tr_loop_step(loop, UINT64_C(3600) * 1000);
    CHECK(!mcp_of(&w)->sessions); /* nobody has used it */
    CHECK_INT(ping(&w), 200);
    tr_loop_step(loop, UINT64_C(3599) * 1000);
    forget(&w);
    CHECK_INT(ping(&w), 200); /* which does not make it younger */
    tr_loop_step(loop, 1000);
    CHECK_INT(ping(&w), 200);
    forget(&w);
    CHECK_INT(ping(&w), 404);
    close_world(&w);
}

TEST(session_id_that_is_forged_is_none)
{
    struct world w;
    char id[80];
    struct tr_crypto_keys *others = NULL;
    open_world(&w, INITIALIZE(LATEST));
    forget(&w);
    const size_t len = strlen(w.client.session);
    for (size_t i = 0; i < len; i++) { /* the loop's number is sealed, too */
        memcpy(id, w.client.session, sizeof(id));
        id[i] = id[i] == 'A' ? 'B' : 'A';
        CHECK_INT(ping_as(&w, id, (struct tr_access_authority){0}), 404);
        memcpy(id, w.client.session, sizeof(id));
        id[i] = '\0';
        CHECK_INT(ping_as(&w, id, (struct tr_access_authority){0}), 404);
    }
    memcpy(id, w.client.session, sizeof(id));
    memcpy(id + len, "A", 2);
    CHECK_INT(ping_as(&w, id, (struct tr_access_authority){0}), 404);
    CHECK(!mcp_of(&w)->sessions);
    CHECK_OK(tr_crypto_keys_create(&others, NULL), NULL);
    tr_mcp_use_keys(mcp_of(&w), others);
    CHECK_INT(ping(&w), 404);
    tr_mcp_use_keys(mcp_of(&w), w.client.checked.sample.keys);
    CHECK_INT(ping(&w), 200);
    tr_crypto_keys_free(others);
    close_world(&w);
}

/* One of HTTP+SSE is the stream that it came with, and ends with it. */
TEST(session_of_sse_is_not_taken_up)
{
    struct world w;
    open_world(&w, INITIALIZE(LATEST));
    open_for(&w, (struct tr_access_authority){0}, TR_MCP_SESSION_ID_SSE);
    forget(&w);
    CHECK_INT(ping(&w), 404);
    close_world(&w);
}

/* Without a store nobody would remember what was ended. */
TEST(session_is_not_taken_up_without_a_store)
{
    struct world w;
    open_world(&w, INITIALIZE(LATEST));
    forget(&w);
    mcp_of(&w)->opts.env = NULL;
    CHECK_INT(ping(&w), 404);
    mcp_of(&w)->opts.env = &w.env;
    CHECK_INT(ping(&w), 200);
    close_world(&w);
}

TEST(session_that_its_client_has_ended_is_not_taken_up)
{
    struct world w;
    struct exchange x;
    open_world(&w, INITIALIZE(LATEST));
    end(&w, "200\n");
    CHECK(!mcp_of(&w)->sessions);
    CHECK_INT(ping(&w), 404);
    session_verb(&w.client, TR_MCP_HTTP_GET, "", &x);
    CHECK(tr_str_starts(tr_buf_str(&x.log), TR_STR("404 ")));
    exchange_done(&x);
    open_as(&w, named("", ""));
    open_as(&w, (struct tr_access_authority){0});
    forget(&w); /* one that is not here can be ended as well */
    end(&w, "200\n");
    CHECK_INT(ping(&w), 404);
    close_world(&w);
}

/* A client that is told so may try again. */
TEST(session_whose_end_cannot_be_written_stays)
{
    struct world w;
    struct tr_db *db = NULL;
    struct tr_err err = {0};
    open_world(&w, INITIALIZE(LATEST));
    CHECK_OK(tr_db_open(tr_graph_store_path(w.env.store), NULL, &db, &err),
             &err);
    CHECK_OK(tr_db_exec(db, "ALTER TABLE ended RENAME TO gone", &err), &err);
    end(&w, "503\n");
    CHECK_INT(ping(&w), 200);
    forget(&w);
    CHECK_INT(ping(&w), 503); /* nobody knows whether it was ended */
    CHECK_OK(tr_db_exec(db, "ALTER TABLE gone RENAME TO ended", &err), &err);
    tr_db_close(db);
    CHECK_INT(ping(&w), 200);
    end(&w, "200\n");
    CHECK_INT(ping(&w), 404);
    close_world(&w);
}

/* The client may go before the store knows; then nobody is answered. */
TEST(session_ends_also_when_its_client_does_not_wait)
{
    struct world w;
    struct exchange x;
    open_world(&w, INITIALIZE(LATEST));
    session_verb(&w.client, TR_MCP_HTTP_DELETE, "", &x);
    exchange_lose(&x);
    CHECK(x.is_released && !tr_mcp_is_idle(mcp_of(&w)));
    while (!tr_mcp_is_idle(mcp_of(&w)))
        (void)tr_loop_turn(w.client.checked.sample.loop);
    CHECK_STR(tr_buf_str(&x.log), "");
    exchange_done(&x);
    CHECK_INT(ping(&w), 404);
    close_world(&w);
}

/* It counts among its caller's, and those that were never used make room. */
TEST(session_that_is_taken_up_needs_room)
{
    struct world w;
    char ids[4][80];
    const struct tr_access_authority ann = named("ann", "");
    open_world(&w, INITIALIZE(LATEST));
    mcp_of(&w)->opts.max_caller_sessions = 2;
    for (size_t i = 0; i < TR_LEN(ids); i++) {
        open_as(&w, ann);
        memcpy(ids[i], w.client.session, sizeof(ids[i]));
    }
    CHECK_INT(mcp_of(&w)->table->count, 3); /* with that of nobody */
    CHECK_INT(ping_as(&w, ids[0], ann), 200);
    CHECK_INT(ping_as(&w, ids[1], ann), 200);
    CHECK_INT(mcp_of(&w)->table->count, 3);
    CHECK_INT(ping_as(&w, ids[2], ann), 503); /* both are in use */
    CHECK_INT(ping_as(&w, ids[0], ann), 200);
    close_world(&w);
}

/* A loop that has stopped says so: a 404 would end the session for good. */
TEST(session_is_not_taken_up_by_a_loop_that_has_stopped)
{
    struct world w;
    open_world(&w, INITIALIZE(LATEST));
    tr_mcp_stop(mcp_of(&w));
    CHECK_INT(ping(&w), 503);
    CHECK(!mcp_of(&w)->sessions);
    close_world(&w);
}

static tr_status take_up(void *context, struct tr_err *err)
{
    struct world *w = context;
    struct tr_mcp_session *session = NULL;
    const struct tr_access_authority nobody = {0};
    tr_status status = tr_mcp_take_up(mcp_of(w), tr_str_from(w->client.session),
                                      &nobody, &session);
    (void)err;
    if (status == TR_OK)
        tr_mcp_session_free(session);
    return status == TR_E_LIMIT ? TR_E_NOMEM : status;
}

TEST(session_is_taken_up_with_every_allocation_failing)
{
    struct world w;
    open_world(&w, INITIALIZE(LATEST));
    forget(&w);
    CHECK_OK(take_up(&w, NULL), NULL); /* the store keeps its statement */
    tr_test_sweep(take_up, &w);
    close_world(&w);
}

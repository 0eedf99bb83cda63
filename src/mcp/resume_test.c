/*
 * A stream is resumed after the last event that its client has seen
 * (2025-06-18, basic/transports, Resumability and Redelivery): Last-Event-ID,
 * lost and bad ids, polling. resume_random_test.c breaks streams at random.
 */
#include "base/test.h"
#include "loop/loop.h"
#include "mcp/channel.h"
#include "mcp/hub.h"
#include "mcp/inside.h"
#include "mcp/session.h"
#include "support/session.h"

#define CHANGED                                                                \
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/"                   \
    "list_changed\",\"params\":{}}"

/* Something happens that every session is told. */
static void change(struct session_client *client)
{
    tr_mcp_hub_list_changed(client->checked.sample.hub, TR_CALL_LIST_TOOLS);
    (void)tr_loop_turn(client->checked.sample.loop);
}

TEST(stream_is_resumed_after_the_last_event_that_was_seen)
{
    struct session_client client;
    struct exchange x;
    session_open(&client, INITIALIZE("2025-06-18"));
    session_post(&client, ASK,
                 &x); /* revisions before polling get no priming */
    session_check(&x, "open\nevent 2-1 " ROOTS "\n", false);
    exchange_lose(&x);
    session_check_done(&x, "open\nevent 2-1 " ROOTS "\n");
    session_post(&client, ROOTS_ANSWER, &x);
    session_check_done(&x, "202\n");
    session_verb(&client, TR_MCP_HTTP_GET, "2-1", &x);
    session_check_done(&x, "open\nevent 2-2 " ASK_RESULT "\n");
    session_verb(&client, TR_MCP_HTTP_GET, "2-1",
                 &x); /* as often as it likes */
    session_check_done(&x, "open\nevent 2-2 " ASK_RESULT "\n");
    session_verb(&client, TR_MCP_HTTP_GET, "2-2", &x);
    session_check_done(&x, "open\n");
    session_close(&client);
}

TEST(stream_is_taken_over_by_who_resumes_it)
{
    struct session_client client;
    struct exchange old;
    struct exchange x;
    session_open(&client, INITIALIZE("2025-11-25"));
    session_post(&client, ASK, &old);
    session_verb(&client, TR_MCP_HTTP_GET, "2-0", &x);
    session_check_done(&old, "open\nevent 2-0 \nevent 2-1 " ROOTS "\n");
    session_check(&x, "open\nevent 2-1 " ROOTS "\n", false);
    struct exchange answer;
    session_post(&client, ROOTS_ANSWER, &answer);
    exchange_done(&answer);
    session_check_done(&x,
                       "open\nevent 2-1 " ROOTS "\nevent 2-2 " ASK_RESULT "\n");
    session_close(&client);
}

TEST(stream_is_not_resumed_from_what_was_never_sent)
{
    static const char *const ids[] = {
        "2-9", "9-1", "1-0", "0-0", "-1-0",  "2",  "2-",
        "-",   "x",   "2-x", "2 1", "2-1-1", "''", "18446744073709551617-0",
        "2-+1"};
    struct session_client client;
    struct exchange stream;
    struct exchange x;
    session_open(&client, INITIALIZE("2025-11-25"));
    session_verb(&client, TR_MCP_HTTP_GET, "", &stream);
    for (size_t i = 0; i < TR_LEN(ids); i++) {
        session_verb(&client, TR_MCP_HTTP_GET, ids[i], &x);
        CHECK_ROW(memcmp(x.log.ptr, "400 ", 4) == 0, ids[i]);
        exchange_done(&x);
    }
    session_close(&client);
    exchange_done(&stream);
}

TEST(stream_whose_events_are_no_longer_kept_says_so)
{
    struct session_client client;
    struct exchange x;
    session_open(&client, INITIALIZE("2025-11-25"));
    client.checked.sample.mcp->opts.replay_bytes = 300;
    session_verb(&client, TR_MCP_HTTP_GET, "", &x);
    exchange_lose(&x);
    exchange_done(&x);
    for (size_t i = 0; i < 10; i++) {
        tr_mcp_hub_list_changed(client.checked.sample.hub, TR_CALL_LIST_TOOLS);
        (void)tr_loop_turn(client.checked.sample.loop);
    }
    CHECK(client.checked.sample.mcp->sessions->kept_bytes <= 300);
    session_verb(&client, TR_MCP_HTTP_GET, "2-0", &x);
    CHECK_STR(tr_buf_str(&x.log),
              "400 {\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32000,"
              "\"message\":\"Bad Request: the events after Last-Event-ID are "
              "no longer kept\"}}\n");
    exchange_done(&x);
    session_close(&client);
}

/* An id names a stream, and only what belongs to that comes again. */
TEST(resumed_stream_has_nothing_of_another)
{
    struct session_client client;
    struct exchange stream;
    struct exchange asking;
    struct exchange x;
    session_open(&client, INITIALIZE("2025-06-18"));
    session_verb(&client, TR_MCP_HTTP_GET, "", &stream);
    session_post(&client, ASK, &asking);
    change(&client);
    exchange_lose(&stream);
    exchange_lose(&asking);
    session_check_done(&stream, "open\nevent 2-1 " CHANGED "\n");
    session_check_done(&asking, "open\nevent 3-1 " ROOTS "\n");
    change(&client);
    session_post(&client, ROOTS_ANSWER, &x);
    session_check_done(&x, "202\n");
    session_verb(&client, TR_MCP_HTTP_GET, "2-1", &stream);
    session_check(&stream, "open\nevent 2-2 " CHANGED "\n", false);
    session_verb(&client, TR_MCP_HTTP_GET, "3-1", &asking);
    session_check_done(&asking, "open\nevent 3-2 " ASK_RESULT "\n");
    session_close(&client);
    session_check_done(&stream, "open\nevent 2-2 " CHANGED "\n");
}

/* Nor is a stream there for another session, whoever knows its events. */
TEST(resumed_stream_must_be_of_the_same_session)
{
    struct session_client client;
    struct exchange stream;
    struct exchange x;
    session_open(&client, INITIALIZE("2025-11-25"));
    session_verb(&client, TR_MCP_HTTP_GET, "", &stream);
    session_check(&stream, "open\nevent 2-0 \n", false);
    session_start(&client, INITIALIZE("2025-11-25"), &x);
    memcpy(client.session, x.session, sizeof(client.session));
    exchange_done(&x);
    session_verb(&client, TR_MCP_HTTP_GET, "2-0", &x);
    CHECK_STR(tr_buf_str(&x.log),
              "400 {\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32000,"
              "\"message\":\"Bad Request: Last-Event-ID was not sent to this "
              "session\"}}\n");
    CHECK(!stream.is_released);
    exchange_done(&x);
    session_close(&client);
    exchange_done(&stream);
}

/* A client that polls (2025-11-25) is sent away, and comes for the result. */
TEST(resumed_stream_of_a_client_that_polls_has_the_result)
{
    struct session_client client;
    struct exchange asking;
    struct exchange x;
    session_open(&client, INITIALIZE("2025-11-25"));
    session_post(&client, ASK, &asking);
    struct tr_mcp_sink *channel = client.checked.sample.mcp->requests->sink;
    tr_mcp_channel_pause(channel);
    session_check_done(&asking, "open\nevent 2-0 \nevent 2-1 " ROOTS "\n");
    session_post(&client, ROOTS_ANSWER, &x);
    session_check_done(&x, "202\n");
    session_verb(&client, TR_MCP_HTTP_GET, "2-1", &x);
    session_check_done(&x, "open\nevent 2-2 " ASK_RESULT "\n");
    session_close(&client);
}

/* Others would not come back: their stream stays. */
TEST(stream_of_a_client_that_does_not_poll_is_not_paused)
{
    struct session_client client;
    struct exchange asking;
    session_open(&client, INITIALIZE("2025-06-18"));
    session_post(&client, ASK, &asking);
    tr_mcp_channel_pause(client.checked.sample.mcp->requests->sink);
    session_check(&asking, "open\nevent 2-1 " ROOTS "\n", false);
    session_close(&client);
    exchange_done(&asking);
}

TEST(stream_that_ended_long_ago_is_no_longer_kept)
{
    struct session_client client;
    struct exchange x;
    session_open(&client, INITIALIZE("2025-11-25"));
    session_post(&client, ASK, &x);
    exchange_lose(&x);
    exchange_done(&x);
    session_post(&client, ROOTS_ANSWER, &x);
    exchange_done(&x);
    session_verb(&client, TR_MCP_HTTP_GET, "2-1", &x);
    session_check_done(&x, "open\nevent 2-2 " ASK_RESULT "\n");
    tr_loop_step(client.checked.sample.loop, 400000);
    session_verb(&client, TR_MCP_HTTP_GET, "2-1", &x);
    CHECK_STR(tr_buf_str(&x.log),
              "400 {\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32000,"
              "\"message\":\"Bad Request: the events after Last-Event-ID are "
              "no longer kept\"}}\n");
    exchange_done(&x);
    session_close(&client);
}

#include "mcp/http_session.h"

#include "base/limits.h"
#include "base/test.h"
#include "loop/loop.h"
#include "mcp/inside.h"
#include "mcp/session.h"
#include "mcp/session_id.h"
#include "support/session.h"

TEST(session_answers_at_once_without_a_stream)
{
    struct session_client client;
    struct exchange x;
    session_open(&client, INITIALIZE("2025-11-25"));
    CHECK_INT(strlen(client.session), TR_MCP_SESSION_ID_BYTES);
    session_post(&client, PING("1"), &x);
    session_check_done(&x, "200 " PONG("1") "\n");
    CHECK(!client.checked.sample.mcp->sessions->channels);
    session_close(&client);
}

TEST(session_that_is_not_there_is_told_apart_from_none)
{
    struct session_client client;
    struct exchange x;
    session_open(&client, INITIALIZE("2025-11-25"));
    session_post_with(&client, PING("1"), &x, (struct tr_mcp_http_entry){0});
    session_check_done(&x,
                       "400 {\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":"
                       "-32000,\"message\":\"Bad Request: Session ID "
                       "required\"}}\n");
    char other[80];
    memcpy(other, client.session, sizeof(other));
    for (size_t i = 0; i < TR_MCP_SESSION_ID_BYTES; i++) {
        other[i] = other[i] == 'f' ? '0' : 'f';
        struct tr_mcp_http_entry entry = {.has_session = true,
                                          .session = tr_str_from(other)};
        session_post_with(&client, PING("1"), &x, entry);
        session_check_done(
            &x, "404 {\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":"
                "-32001,\"message\":\"Session not found\"}}\n");
        other[i] = client.session[i];
    }
    session_verb(&client, TR_MCP_HTTP_DELETE, "", &x);
    session_check_done(&x, "200\n");
    session_post(&client, PING("1"), &x);
    CHECK(x.log.len > 3 && memcmp(x.log.ptr, "404", 3) == 0);
    exchange_done(&x);
    session_close(&client);
}

TEST(session_with_an_unknown_version_header_is_refused)
{
    struct session_client client;
    struct exchange x;
    session_open(&client, INITIALIZE("2025-06-18"));
    struct tr_mcp_http_entry entry = {
        .has_session = true,
        .has_version = true,
        .session = tr_str_from(client.session),
        .version = TR_STR("2025-06-19"),
    };
    session_post_with(&client, PING("1"), &x, entry);
    CHECK(memcmp(x.log.ptr, "400", 3) == 0);
    exchange_done(&x);
    session_close(&client);
}

TEST(session_does_not_answer_to_an_answer_by_its_id)
{
    struct session_client client;
    struct exchange asking;
    struct exchange x;
    session_open(&client, INITIALIZE("2025-06-18"));
    session_post(&client, ASK, &asking);
    struct tr_mcp_http_entry entry = {
        .has_session = true,
        .has_version = true,
        .session = tr_str_from(client.session),
        .version = TR_STR("2025-06-19"),
    };
    session_post_with(&client, ROOTS_ANSWER, &x, entry);
    CHECK_STR(tr_buf_str(&x.log),
              "400 {\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32000,"
              "\"message\":\"Bad Request: Unsupported protocol version\"}}\n");
    exchange_done(&x);
    session_close(&client);
    exchange_done(&asking);
}

TEST(session_whose_initialize_is_refused_has_never_been)
{
    struct session_client client;
    session_open(&client, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":"
                          "\"initialize\",\"params\":{}}");
    CHECK_STR(tr_str_from(client.session), "");
    CHECK(!client.checked.sample.mcp->sessions);
    session_close(&client);
}

TEST(session_that_nobody_uses_expires)
{
    struct session_client client;
    struct exchange stream;
    session_open(&client, INITIALIZE("2025-11-25"));
    struct tr_loop *loop = client.checked.sample.loop;
    session_verb(&client, TR_MCP_HTTP_GET, "", &stream);
    tr_loop_step(loop, UINT64_C(3000) * TR_LIMIT_SESSION_S);
    CHECK(client.checked.sample.mcp->sessions); /* somebody listens */
    exchange_lose(&stream);
    CHECK(stream.is_released);
    tr_loop_step(loop, UINT64_C(1000) * TR_LIMIT_SESSION_S - 30000);
    CHECK(client.checked.sample.mcp->sessions);
    tr_loop_step(loop, 60000);
    CHECK(!client.checked.sample.mcp->sessions);
    exchange_done(&stream);
    session_close(&client);
}

TEST(session_number_is_limited)
{
    struct session_client client;
    struct exchange x;
    session_open(&client, INITIALIZE("2025-11-25"));
    client.checked.sample.mcp->opts.max_sessions = 1;
    session_post(&client, PING("1"), &x);
    session_check_done(&x, "200 " PONG("1") "\n");
    session_start(&client, INITIALIZE("2025-11-25"), &x);
    CHECK(memcmp(x.log.ptr, "503", 3) == 0);
    exchange_done(&x);
    session_close(&client);
}

TEST(stream_of_a_session_is_one_at_a_time)
{
    struct session_client client;
    struct exchange first;
    struct exchange second;
    session_open(&client, INITIALIZE("2025-11-25"));
    session_verb(&client, TR_MCP_HTTP_GET, "", &first);
    session_check(&first, "open\nevent 2-0 \n", false);
    session_verb(&client, TR_MCP_HTTP_GET, "", &second);
    CHECK(memcmp(second.log.ptr, "409", 3) == 0);
    exchange_done(&second);
    exchange_lose(&first);
    session_verb(&client, TR_MCP_HTTP_GET, "", &second);
    session_check(&second, "open\nevent 3-0 \n", false);
    session_close(&client);
    exchange_done(&first);
    CHECK(second.is_released);
    exchange_done(&second);
}

TEST(stream_ends_with_its_session)
{
    struct session_client client;
    struct exchange stream;
    struct exchange asking;
    struct exchange x;
    session_open(&client, INITIALIZE("2025-11-25"));
    session_verb(&client, TR_MCP_HTTP_GET, "", &stream);
    session_post(&client, ASK, &asking);
    CHECK(!stream.is_released && !asking.is_released);
    session_verb(&client, TR_MCP_HTTP_DELETE, "", &x);
    session_check_done(&x, "200\n");
    CHECK(stream.is_released && asking.is_released);
    CHECK(!client.checked.sample.mcp->requests);
    exchange_done(&stream);
    exchange_done(&asking);
    session_close(&client);
}

TEST(batch_is_answered_with_one_array)
{
    struct session_client client;
    struct exchange x;
    session_open(&client, INITIALIZE("2025-03-26"));
    session_post(
        &client,
        "[" PING("1") ",{\"jsonrpc\":\"2.0\",\"method\":\"notifications/"
                      "initialized\"}," PING("2") "]",
        &x);
    session_check_done(&x, "200 [" PONG("1") "," PONG("2") "]\n");
    session_post(
        &client,
        "[{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}]", &x);
    session_check_done(&x, "202\n");
    session_close(&client);
}

TEST(batch_that_asks_becomes_a_stream_of_single_messages)
{
    struct session_client client;
    struct exchange x;
    struct exchange answer;
    session_open(&client, INITIALIZE("2025-03-26"));
    session_post(&client, "[" PING("1") "," ASK "," PING("2") "]", &x);
    session_check(&x,
                  "open\nevent 2-1 " ROOTS
                  "\nevent 2-2 " PONG("1") "\nevent 2-3 " PONG("2") "\n",
                  false);
    session_post(&client, "[" ROOTS_ANSWER "]", &answer);
    session_check_done(&answer, "202\n");
    session_check_done(&x, "open\nevent 2-1 " ROOTS
                           "\nevent 2-2 " PONG("1") "\nevent 2-3 " PONG(
                               "2") "\nevent 2-4 " ASK_RESULT "\n");
    session_close(&client);
}

TEST(batch_ends_with_its_session)
{
    struct session_client client;
    struct exchange x;
    struct exchange deleted;
    session_open(&client, INITIALIZE("2025-03-26"));
    session_post(&client, "[" PING("1") "," ASK "]", &x);
    session_verb(&client, TR_MCP_HTTP_DELETE, "", &deleted);
    exchange_done(&deleted);
    CHECK(x.is_released && !client.checked.sample.mcp->requests);
    exchange_done(&x);
    session_close(&client);
}

TEST(batch_is_refused_whole)
{
    static const char *const batches[] = {
        "[]",
        "[1]",
        "[" PING("1") ",{\"jsonrpc\":\"2.0\"}]",
        "[" PING("1") ",[" PING("2") "]]",
        "[" INITIALIZE("2025-03-26") "]",
        "[" PING("1") ",{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\","
                      "\"params\":{" SAMPLE_META "}}]",
        "[" PING("1") "," PING("2") "," PING("3") "," PING("4") "]",
    };
    struct session_client client;
    struct exchange x;
    session_open(&client, INITIALIZE("2025-03-26"));
    client.checked.sample.mcp->opts.max_batch = 3;
    for (size_t i = 0; i < TR_LEN(batches); i++) {
        session_post(&client, batches[i], &x);
        CHECK_ROW(memcmp(x.log.ptr, "400 ", 4) == 0, batches[i]);
        CHECK_ROW(x.is_released, batches[i]);
        exchange_done(&x);
    }
    session_close(&client);
    session_open(&client, INITIALIZE("2025-06-18"));
    session_post(&client, "[" PING("1") "]", &x);
    CHECK(memcmp(x.log.ptr, "400 ", 4) == 0);
    exchange_done(&x);
    session_close(&client);
}

TEST(client_without_a_session_is_served_but_not_asked)
{
    struct session_client client = {.session = ""};
    struct exchange x;
    struct tr_mcp_http_entry newest = {.has_version = true,
                                       .version = TR_STR("2025-11-25")};
    struct tr_mcp_http_entry unknown = {.has_version = true,
                                        .version = TR_STR("2026-07-28")};
    checked_open(&client.checked);
    client.checked.sample.mcp->opts.sessions = false;
    session_start(&client, INITIALIZE("2025-06-18"), &x);
    CHECK(!x.session[0] && !client.checked.sample.mcp->sessions);
    CHECK(memmem(x.log.ptr, x.log.len, "2025-06-18", 10));
    CHECK(!memmem(x.log.ptr, x.log.len, "subscribe", 9));
    CHECK(!memmem(x.log.ptr, x.log.len, "listChanged", 11));
    exchange_done(&x);
    checked_speaks(&client.checked, TR_STR("2025-03-26")); /* the default */
    session_post(&client, "[" PING("1") "]", &x);
    session_check_done(&x, "200 [" PONG("1") "]\n");
    checked_speaks(&client.checked, newest.version);
    session_post_with(&client, "[" PING("1") "]", &x, newest);
    CHECK(memcmp(x.log.ptr, "400 ", 4) == 0);
    exchange_done(&x);
    session_post_with(&client, PING("1"), &x, unknown);
    CHECK(memcmp(x.log.ptr, "400 ", 4) == 0);
    exchange_done(&x);
    session_post_with(&client, ASK, &x, newest);
    CHECK(memmem(x.log.ptr, x.log.len, "\"isError\":true", 14));
    exchange_done(&x);
    session_post_with(&client, ROOTS_ANSWER, &x, newest);
    session_check_done(&x, "202\n");
    session_close(&client);
}

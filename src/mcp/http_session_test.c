#include "mcp/http_session.h"

#include "base/limits.h"
#include "base/test.h"
#include "loop/loop.h"
#include "mcp/hub.h"
#include "mcp/inside.h"
#include "mcp/receive.h"
#include "mcp/session.h"
#include "support/checked.h"
#include "support/exchange.h"

#define INITIALIZE(revision)                                                   \
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{"     \
    "\"protocolVersion\":\"" revision "\",\"capabilities\":{\"roots\":{}},"    \
    "\"clientInfo\":{\"name\":\"c\",\"version\":\"1\"}}}"
#define PING(id) "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"ping\"}"
#define PONG(id) "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"result\":{}}"
#define ASK                                                                    \
    "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\",\"params\":{"     \
    "\"name\":\"ask\"}}"
#define ROOTS                                                                  \
    "{\"jsonrpc\":\"2.0\",\"id\":\"trails-0\",\"method\":\"roots/list\","      \
    "\"params\":{}}"
#define ROOTS_ANSWER                                                           \
    "{\"jsonrpc\":\"2.0\",\"id\":\"trails-0\",\"result\":{\"roots\":[]}}"
#define ASK_RESULT                                                             \
    "{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{\"content\":[{\"type\":"        \
    "\"text\",\"text\":\"{\\\"roots\\\":[]}\"}]}}"

/* A client with one session. */
struct client {
    struct checked checked;
    char session[64];
};

/* An exchange whose messages are checked. */
static struct tr_mcp_wire *begin(struct client *client, struct exchange *x)
{
    struct tr_mcp_wire *wire = exchange_open(x);
    x->saw = checked_saw;
    x->saw_data = &client->checked;
    return wire;
}

static struct tr_mcp_request *receive(struct client *client, struct exchange *x,
                                      const char *text)
{
    struct tr_sink *sink = &begin(client, x)->sink;
    checked_sends(&client->checked, tr_str_from(text));
    return tr_mcp_receive(client->checked.sample.mcp, &sink, tr_str_from(text));
}

static void post_with(struct client *client, const char *text,
                      struct exchange *x, struct tr_http_entry entry)
{
    struct tr_mcp_request *request = receive(client, x, text);
    if (request) {
        tr_http_session_take(request, &entry);
        tr_request_release(request);
    }
    (void)tr_loop_turn(client->checked.sample.loop);
}

static void post(struct client *client, const char *text, struct exchange *x)
{
    struct tr_http_entry entry = {
        .has_session = client->session[0] != '\0',
        .session = tr_str_from(client->session),
    };
    post_with(client, text, x, entry);
}

static void verb(struct client *client, enum tr_http_verb verb,
                 const char *resume, struct exchange *x)
{
    struct tr_http_entry entry = {
        .verb = verb,
        .has_session = true,
        .session = tr_str_from(client->session),
        .resume = tr_str_from(resume),
    };
    struct tr_mcp_wire *wire = begin(client, x);
    tr_http_session_verb(client->checked.sample.mcp, &entry, &wire);
}

/* Everything that was told is this, and the exchange has ended or not. */
static void check(struct exchange *x, const char *log, bool is_released)
{
    CHECK_STR(tr_buf_str(&x->log), log);
    CHECK(x->is_released == is_released);
}

static void check_done(struct exchange *x, const char *log)
{
    check(x, log, true);
    exchange_done(x);
}

static void start(struct client *client, const char *initialize,
                  struct exchange *x)
{
    struct tr_mcp_request *request = receive(client, x, initialize);
    tr_http_session_start(request);
    tr_request_release(request);
    CHECK(x->is_released);
}

static void open_client(struct client *client, const char *initialize)
{
    struct exchange x;
    checked_open(&client->checked);
    start(client, initialize, &x);
    memcpy(client->session, x.session, sizeof(client->session));
    exchange_done(&x);
}

static void close_client(struct client *client)
{
    checked_close(&client->checked);
}

TEST(session_answers_at_once_without_a_stream)
{
    struct client client;
    struct exchange x;
    open_client(&client, INITIALIZE("2025-11-25"));
    CHECK_INT(strlen(client.session), 52);
    post(&client, PING("1"), &x);
    check_done(&x, "200 " PONG("1") "\n");
    CHECK(!client.checked.sample.mcp->sessions->channels);
    close_client(&client);
}

TEST(session_that_is_not_there_is_told_apart_from_none)
{
    struct client client;
    struct exchange x;
    open_client(&client, INITIALIZE("2025-11-25"));
    post_with(&client, PING("1"), &x, (struct tr_http_entry){0});
    check_done(&x, "400 {\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":"
                   "-32000,\"message\":\"Bad Request: Session ID "
                   "required\"}}\n");
    char other[64];
    memcpy(other, client.session, sizeof(other));
    for (size_t i = 0; i < 52; i++) {
        other[i] = other[i] == 'f' ? '0' : 'f';
        struct tr_http_entry entry = {.has_session = true,
                                      .session = tr_str_from(other)};
        post_with(&client, PING("1"), &x, entry);
        check_done(&x, "404 {\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":"
                       "-32001,\"message\":\"Session not found\"}}\n");
        other[i] = client.session[i];
    }
    verb(&client, TR_HTTP_DELETE, "", &x);
    check_done(&x, "200\n");
    post(&client, PING("1"), &x);
    CHECK(x.log.len > 3 && memcmp(x.log.ptr, "404", 3) == 0);
    exchange_done(&x);
    close_client(&client);
}

TEST(session_with_an_unknown_version_header_is_refused)
{
    struct client client;
    struct exchange x;
    open_client(&client, INITIALIZE("2025-06-18"));
    struct tr_http_entry entry = {
        .has_session = true,
        .has_version = true,
        .session = tr_str_from(client.session),
        .version = TR_STR("2025-06-19"),
    };
    post_with(&client, PING("1"), &x, entry);
    CHECK(memcmp(x.log.ptr, "400", 3) == 0);
    exchange_done(&x);
    close_client(&client);
}

TEST(session_does_not_answer_to_an_answer_by_its_id)
{
    struct client client;
    struct exchange asking;
    struct exchange x;
    open_client(&client, INITIALIZE("2025-06-18"));
    post(&client, ASK, &asking);
    struct tr_http_entry entry = {
        .has_session = true,
        .has_version = true,
        .session = tr_str_from(client.session),
        .version = TR_STR("2025-06-19"),
    };
    post_with(&client, ROOTS_ANSWER, &x, entry);
    CHECK_STR(tr_buf_str(&x.log),
              "400 {\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32000,"
              "\"message\":\"Bad Request: Unsupported protocol version\"}}\n");
    exchange_done(&x);
    close_client(&client);
    exchange_done(&asking);
}

TEST(session_whose_initialize_is_refused_has_never_been)
{
    struct client client;
    open_client(&client, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":"
                         "\"initialize\",\"params\":{}}");
    CHECK_STR(tr_str_from(client.session), "");
    CHECK(!client.checked.sample.mcp->sessions);
    close_client(&client);
}

TEST(session_that_nobody_uses_expires)
{
    struct client client;
    struct exchange stream;
    open_client(&client, INITIALIZE("2025-11-25"));
    struct tr_loop *loop = client.checked.sample.loop;
    verb(&client, TR_HTTP_GET, "", &stream);
    tr_loop_step(loop, UINT64_C(3000) * TR_LIMIT_SESSION_S);
    CHECK(client.checked.sample.mcp->sessions); /* somebody listens */
    exchange_lose(&stream);
    CHECK(stream.is_released);
    tr_loop_step(loop, UINT64_C(1000) * TR_LIMIT_SESSION_S - 30000);
    CHECK(client.checked.sample.mcp->sessions);
    tr_loop_step(loop, 60000);
    CHECK(!client.checked.sample.mcp->sessions);
    exchange_done(&stream);
    close_client(&client);
}

TEST(session_number_is_limited)
{
    struct client client;
    struct exchange x;
    open_client(&client, INITIALIZE("2025-11-25"));
    client.checked.sample.mcp->opts.max_sessions = 1;
    start(&client, INITIALIZE("2025-11-25"), &x);
    CHECK(memcmp(x.log.ptr, "503", 3) == 0);
    exchange_done(&x);
    close_client(&client);
}

TEST(stream_of_a_session_is_one_at_a_time)
{
    struct client client;
    struct exchange first;
    struct exchange second;
    open_client(&client, INITIALIZE("2025-11-25"));
    verb(&client, TR_HTTP_GET, "", &first);
    check(&first, "open\nevent 2-0 \n", false);
    verb(&client, TR_HTTP_GET, "", &second);
    CHECK(memcmp(second.log.ptr, "409", 3) == 0);
    exchange_done(&second);
    exchange_lose(&first);
    verb(&client, TR_HTTP_GET, "", &second);
    check(&second, "open\nevent 3-0 \n", false);
    close_client(&client);
    exchange_done(&first);
    CHECK(second.is_released);
    exchange_done(&second);
}

TEST(stream_is_resumed_after_the_last_event_that_was_seen)
{
    struct client client;
    struct exchange x;
    open_client(&client, INITIALIZE("2025-06-18"));
    post(&client, ASK, &x); /* revisions before polling get no priming */
    check(&x, "open\nevent 2-1 " ROOTS "\n", false);
    exchange_lose(&x);
    check_done(&x, "open\nevent 2-1 " ROOTS "\n");
    post(&client, ROOTS_ANSWER, &x);
    check_done(&x, "202\n");
    verb(&client, TR_HTTP_GET, "2-1", &x);
    check_done(&x, "open\nevent 2-2 " ASK_RESULT "\n");
    verb(&client, TR_HTTP_GET, "2-1", &x); /* as often as it likes */
    check_done(&x, "open\nevent 2-2 " ASK_RESULT "\n");
    verb(&client, TR_HTTP_GET, "2-2", &x);
    check_done(&x, "open\n");
    close_client(&client);
}

TEST(stream_is_taken_over_by_who_resumes_it)
{
    struct client client;
    struct exchange old;
    struct exchange x;
    open_client(&client, INITIALIZE("2025-11-25"));
    post(&client, ASK, &old);
    verb(&client, TR_HTTP_GET, "2-0", &x);
    check_done(&old, "open\nevent 2-0 \nevent 2-1 " ROOTS "\n");
    check(&x, "open\nevent 2-1 " ROOTS "\n", false);
    struct exchange answer;
    post(&client, ROOTS_ANSWER, &answer);
    exchange_done(&answer);
    check_done(&x, "open\nevent 2-1 " ROOTS "\nevent 2-2 " ASK_RESULT "\n");
    close_client(&client);
}

TEST(stream_is_not_resumed_from_what_was_never_sent)
{
    static const char *const ids[] = {
        "2-9", "9-1", "1-0", "0-0", "-1-0",  "2",  "2-",
        "-",   "x",   "2-x", "2 1", "2-1-1", "''", "18446744073709551617-0",
        "2-+1"};
    struct client client;
    struct exchange stream;
    struct exchange x;
    open_client(&client, INITIALIZE("2025-11-25"));
    verb(&client, TR_HTTP_GET, "", &stream);
    for (size_t i = 0; i < TR_LEN(ids); i++) {
        verb(&client, TR_HTTP_GET, ids[i], &x);
        CHECK_ROW(memcmp(x.log.ptr, "400 ", 4) == 0, ids[i]);
        exchange_done(&x);
    }
    close_client(&client);
    exchange_done(&stream);
}

TEST(stream_whose_events_are_no_longer_kept_says_so)
{
    struct client client;
    struct exchange x;
    open_client(&client, INITIALIZE("2025-11-25"));
    client.checked.sample.mcp->opts.replay_bytes = 300;
    verb(&client, TR_HTTP_GET, "", &x);
    exchange_lose(&x);
    exchange_done(&x);
    for (size_t i = 0; i < 10; i++) {
        tr_hub_list_changed(client.checked.sample.hub, TR_LIST_TOOLS);
        (void)tr_loop_turn(client.checked.sample.loop);
    }
    CHECK(client.checked.sample.mcp->sessions->kept_bytes <= 300);
    verb(&client, TR_HTTP_GET, "2-0", &x);
    CHECK_STR(tr_buf_str(&x.log),
              "400 {\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32000,"
              "\"message\":\"Bad Request: the events after Last-Event-ID are "
              "no longer kept\"}}\n");
    exchange_done(&x);
    close_client(&client);
}

TEST(stream_ends_with_its_session)
{
    struct client client;
    struct exchange stream;
    struct exchange asking;
    struct exchange x;
    open_client(&client, INITIALIZE("2025-11-25"));
    verb(&client, TR_HTTP_GET, "", &stream);
    post(&client, ASK, &asking);
    CHECK(!stream.is_released && !asking.is_released);
    verb(&client, TR_HTTP_DELETE, "", &x);
    check_done(&x, "200\n");
    CHECK(stream.is_released && asking.is_released);
    CHECK(!client.checked.sample.mcp->requests);
    exchange_done(&stream);
    exchange_done(&asking);
    close_client(&client);
}

TEST(batch_is_answered_with_one_array)
{
    struct client client;
    struct exchange x;
    open_client(&client, INITIALIZE("2025-03-26"));
    post(&client,
         "[" PING("1") ",{\"jsonrpc\":\"2.0\",\"method\":\"notifications/"
                       "initialized\"}," PING("2") "]",
         &x);
    check_done(&x, "200 [" PONG("1") "," PONG("2") "]\n");
    post(&client,
         "[{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}]",
         &x);
    check_done(&x, "202\n");
    close_client(&client);
}

TEST(batch_that_asks_becomes_a_stream_of_single_messages)
{
    struct client client;
    struct exchange x;
    struct exchange answer;
    open_client(&client, INITIALIZE("2025-03-26"));
    post(&client, "[" PING("1") "," ASK "," PING("2") "]", &x);
    check(&x,
          "open\nevent 2-1 " ROOTS
          "\nevent 2-2 " PONG("1") "\nevent 2-3 " PONG("2") "\n",
          false);
    post(&client, "[" ROOTS_ANSWER "]", &answer);
    check_done(&answer, "202\n");
    check_done(&x, "open\nevent 2-1 " ROOTS "\nevent 2-2 " PONG(
                       "1") "\nevent 2-3 " PONG("2") "\nevent 2-4 " ASK_RESULT
                                                     "\n");
    close_client(&client);
}

TEST(batch_ends_with_its_session)
{
    struct client client;
    struct exchange x;
    struct exchange deleted;
    open_client(&client, INITIALIZE("2025-03-26"));
    post(&client, "[" PING("1") "," ASK "]", &x);
    verb(&client, TR_HTTP_DELETE, "", &deleted);
    exchange_done(&deleted);
    CHECK(x.is_released && !client.checked.sample.mcp->requests);
    exchange_done(&x);
    close_client(&client);
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
    struct client client;
    struct exchange x;
    open_client(&client, INITIALIZE("2025-03-26"));
    client.checked.sample.mcp->opts.max_batch = 3;
    for (size_t i = 0; i < TR_LEN(batches); i++) {
        post(&client, batches[i], &x);
        CHECK_ROW(memcmp(x.log.ptr, "400 ", 4) == 0, batches[i]);
        CHECK_ROW(x.is_released, batches[i]);
        exchange_done(&x);
    }
    close_client(&client);
    open_client(&client, INITIALIZE("2025-06-18"));
    post(&client, "[" PING("1") "]", &x);
    CHECK(memcmp(x.log.ptr, "400 ", 4) == 0);
    exchange_done(&x);
    close_client(&client);
}

TEST(client_without_a_session_is_served_but_not_asked)
{
    struct client client = {.session = ""};
    struct exchange x;
    struct tr_http_entry newest = {.has_version = true,
                                   .version = TR_STR("2025-11-25")};
    struct tr_http_entry unknown = {.has_version = true,
                                    .version = TR_STR("2026-07-28")};
    checked_open(&client.checked);
    client.checked.sample.mcp->opts.sessions = false;
    start(&client, INITIALIZE("2025-06-18"), &x);
    CHECK(!x.session[0] && !client.checked.sample.mcp->sessions);
    CHECK(memmem(x.log.ptr, x.log.len, "2025-06-18", 10));
    CHECK(!memmem(x.log.ptr, x.log.len, "subscribe", 9));
    CHECK(!memmem(x.log.ptr, x.log.len, "listChanged", 11));
    exchange_done(&x);
    checked_speaks(&client.checked, TR_STR("2025-03-26")); /* the default */
    post(&client, "[" PING("1") "]", &x);
    check_done(&x, "200 [" PONG("1") "]\n");
    checked_speaks(&client.checked, newest.version);
    post_with(&client, "[" PING("1") "]", &x, newest);
    CHECK(memcmp(x.log.ptr, "400 ", 4) == 0);
    exchange_done(&x);
    post_with(&client, PING("1"), &x, unknown);
    CHECK(memcmp(x.log.ptr, "400 ", 4) == 0);
    exchange_done(&x);
    post_with(&client, ASK, &x, newest);
    CHECK(memmem(x.log.ptr, x.log.len, "\"isError\":true", 14));
    exchange_done(&x);
    post_with(&client, ROOTS_ANSWER, &x, newest);
    check_done(&x, "202\n");
    close_client(&client);
}

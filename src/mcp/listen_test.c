#include "mcp/listen.h"

#include "base/limits.h"
#include "base/test.h"
#include "loop/loop.h"
#include "mcp/hub.h"
#include "mcp/inside.h"
#include "support/checked.h"

#define LISTEN(id, wanted)                                                     \
    "{\"jsonrpc\":\"2.0\",\"id\":" id                                          \
    ",\"method\":\"subscriptions/listen\",\"params\":{\"notifications\":"      \
    "{" wanted "}," SAMPLE_META "}}"
#define UPDATED(uri, id) FRAMED(uri, id) "\n"
#define FRAMED(uri, id)                                                        \
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/resources/updated\","     \
    "\"params\":{\"uri\":\"" uri "\",\"_meta\":{"                              \
    "\"io.modelcontextprotocol/subscriptionId\":" id "}}}"
#define TOOLS_CHANGED(id)                                                      \
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\","    \
    "\"params\":{\"_meta\":{"                                                  \
    "\"io.modelcontextprotocol/subscriptionId\":" id "}}}\n"

/* A client whose connection takes as much as a test lets it. */
struct slow {
    struct checked checked; /* first: the sink stands at its start */
    struct tr_mcp_feed_ops feed;
    size_t queued;
    size_t pieces;     /* that were sent framed */
    size_t full_after; /* so many, nothing more is taken; 0: never */
};

static size_t queued(const struct tr_mcp_sink *sink)
{
    return ((const struct slow *)(const void *)sink)->queued;
}

static void slow_open(struct slow *slow)
{
    checked_open(&slow->checked);
    slow->queued = slow->pieces = slow->full_after = 0;
    slow->feed = *slow->checked.sample.sink.feed;
    slow->feed.queued = queued;
    slow->checked.sample.sink.feed = &slow->feed;
}

static void change(struct slow *slow, const char *uri)
{
    tr_mcp_hub_updated(slow->checked.sample.hub, tr_str_from(uri));
}

/* What was sent since the last look. */
static tr_str look(struct slow *slow)
{
    (void)tr_loop_turn(slow->checked.sample.loop);
    return tr_buf_str(&slow->checked.sample.sent);
}

static size_t lines_of(tr_str text)
{
    size_t count = 0;
    tr_str line;
    while (tr_str_cut(text, '\n', &line, &text))
        count++;
    return count;
}

TEST(a_change_is_told_to_those_who_watch_with_their_own_ids)
{
    struct slow slow;
    slow_open(&slow);
    (void)sample_send(
        &slow.checked.sample,
        TR_STR(LISTEN("1", "\"resourceSubscriptions\":[\"a\",\"b\"]")));
    (void)sample_send(
        &slow.checked.sample,
        TR_STR(LISTEN("\"1\"", "\"resourceSubscriptions\":[\"b\",\"c\"]")));
    tr_buf_clear(&slow.checked.sample.sent);
    change(&slow, "a");
    change(&slow, "d");
    CHECK_STR(look(&slow), UPDATED("a", "1"));
    tr_buf_clear(&slow.checked.sample.sent);
    change(&slow, "b");
    CHECK_STR(look(&slow), UPDATED("b", "1") UPDATED("b", "\"1\""));
    checked_close(&slow.checked);
}

static void keep_framed(struct tr_mcp_sink *sink, tr_str messages)
{
    struct slow *slow = (struct slow *)(void *)sink;
    tr_buf_put(&slow->checked.sample.sent, messages);
    if (++slow->pieces == slow->full_after)
        slow->queued = TR_LIMIT_LISTEN_QUEUE;
}

/* A transport that frames messages, as HTTP does. */
static void frame(struct slow *slow)
{
    slow->feed.send = keep_framed;
    slow->feed.before = TR_STR("<");
    slow->feed.after = TR_STR(">");
}

TEST(changes_that_come_together_are_sent_in_one_piece)
{
    struct slow slow;
    slow_open(&slow);
    (void)sample_send(
        &slow.checked.sample,
        TR_STR(LISTEN("1", "\"resourceSubscriptions\":[\"a\",\"b\"]")));
    tr_buf_clear(&slow.checked.sample.sent);
    frame(&slow);
    change(&slow, "b");
    change(&slow, "a");
    change(&slow, "b");
    change(&slow, "c");
    (void)look(&slow);
    tr_buf_put(&slow.checked.sample.sent, TR_STR("\n"));
    CHECK_INT(slow.pieces, 1);
    CHECK_STR(
        tr_buf_str(&slow.checked.sample.sent),
        "<" FRAMED("b", "1") "><" FRAMED("a", "1") "><" FRAMED("b", "1") ">\n");
    checked_close(&slow.checked);
}

/* More than may wait at a time goes out in pieces, and the rest later. */
TEST(many_changes_at_once_are_sent_as_far_as_they_are_taken)
{
    struct slow slow;
    struct tr_buf message;
    char uri[TR_KIB(1)];
    size_t count = 2 * TR_LIMIT_LISTEN_QUEUE / sizeof(uri);
    slow_open(&slow);
    memset(uri, 'x', sizeof(uri) - 1);
    uri[sizeof(uri) - 1] = '\0';
    tr_buf_init(&message, TR_MIB(1));
    tr_buf_put(&message, TR_STR("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":"
                                "\"subscriptions/listen\",\"params\":{"
                                "\"notifications\":{"
                                "\"resourceSubscriptions\":[\""));
    tr_buf_put(&message, tr_str_from(uri));
    tr_buf_put(&message, TR_STR("\"]}," SAMPLE_META "}}"));
    (void)sample_send(&slow.checked.sample, tr_buf_str(&message));
    tr_buf_done(&message);
    frame(&slow);
    slow.full_after = 1;
    for (size_t i = 0; i < count; i++)
        change(&slow, uri);
    (void)look(&slow);
    CHECK_INT(slow.pieces, 1);
    slow.queued = 0;
    slow.full_after = 0;
    tr_buf_clear(&slow.checked.sample.sent);
    tr_loop_step(slow.checked.sample.loop, 10);
    CHECK_INT(lines_of(look(&slow)), 1);
    checked_close(&slow.checked);
}

TEST(a_cancelled_stream_is_told_nothing_more)
{
    struct slow slow;
    slow_open(&slow);
    (void)sample_send(&slow.checked.sample,
                      TR_STR(LISTEN("1", "\"resourceSubscriptions\":[\"a\"]")));
    (void)sample_send(&slow.checked.sample,
                      TR_STR(LISTEN("\"1\"", "\"resourceSubscriptions\":"
                                             "[\"a\"]")));
    (void)sample_send(&slow.checked.sample,
                      TR_STR("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/"
                             "cancelled\",\"params\":{\"requestId\":1}}"));
    tr_buf_clear(&slow.checked.sample.sent);
    change(&slow, "a");
    CHECK_STR(look(&slow), UPDATED("a", "\"1\""));
    CHECK_INT(slow.checked.sample.mcp->listen_count, 1);
    checked_close(&slow.checked);
}

TEST(a_uri_that_is_asked_for_twice_is_told_once)
{
    struct slow slow;
    slow_open(&slow);
    (void)sample_send(
        &slow.checked.sample,
        TR_STR(LISTEN("1", "\"resourceSubscriptions\":[\"a\",\"b\",\"a\"]")));
    tr_buf_clear(&slow.checked.sample.sent);
    change(&slow, "a");
    CHECK_STR(look(&slow), UPDATED("a", "1"));
    checked_close(&slow.checked);
}

TEST(a_slow_client_is_told_of_each_uri_once_when_it_catches_up)
{
    struct slow slow;
    slow_open(&slow);
    (void)sample_send(&slow.checked.sample,
                      TR_STR(LISTEN("1", "\"toolsListChanged\":true,"
                                         "\"resourceSubscriptions\":"
                                         "[\"a\",\"b\",\"c\"]")));
    tr_buf_clear(&slow.checked.sample.sent);
    slow.queued = TR_LIMIT_LISTEN_QUEUE;
    for (int i = 0; i < 1000; i++) {
        change(&slow, "b");
        change(&slow, "a");
        tr_mcp_hub_list_changed(slow.checked.sample.hub, TR_CALL_LIST_TOOLS);
        CHECK_INT(look(&slow).len, 0);
    }
    tr_loop_step(slow.checked.sample.loop, 1000);
    CHECK_INT(look(&slow).len, 0);

    slow.queued = 0;
    tr_loop_step(slow.checked.sample.loop, 10);
    CHECK_STR(look(&slow),
              TOOLS_CHANGED("1") UPDATED("a", "1") UPDATED("b", "1"));
    tr_buf_clear(&slow.checked.sample.sent);
    tr_loop_step(slow.checked.sample.loop, 1000);
    CHECK_INT(look(&slow).len, 0);

    change(&slow, "c"); /* and is no longer slow */
    CHECK_STR(look(&slow), UPDATED("c", "1"));
    checked_close(&slow.checked);
}

TEST(a_slow_client_may_go_while_it_has_to_be_told)
{
    struct slow slow;
    slow_open(&slow);
    (void)sample_send(&slow.checked.sample,
                      TR_STR(LISTEN("1", "\"resourceSubscriptions\":[\"a\"]")));
    slow.queued = TR_LIMIT_LISTEN_QUEUE;
    change(&slow, "a");
    (void)look(&slow);
    CHECK(slow.checked.sample.mcp->tell.slow != NULL);
    slow.checked.sample.mcp->listens->sink->gone(
        slow.checked.sample.mcp->listens);
    CHECK(!slow.checked.sample.mcp->tell.slow &&
          !slow.checked.sample.mcp->listens);
    tr_loop_step(slow.checked.sample.loop, 1000);
    checked_close(&slow.checked);
}

/* More than the hub keeps: what is watched counts as changed, once. */
TEST(changes_that_do_not_fit_are_not_lost)
{
    struct slow slow;
    static char uri[1024];
    slow_open(&slow);
    (void)sample_send(
        &slow.checked.sample,
        TR_STR(LISTEN("1", "\"resourceSubscriptions\":[\"a\",\"b\"]")));
    (void)sample_send(
        &slow.checked.sample,
        TR_STR("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\","
               "\"params\":{\"protocolVersion\":\"2025-11-25\","
               "\"capabilities\":{},\"clientInfo\":{\"name\":\"c\","
               "\"version\":\"1\"}}}"));
    (void)sample_send(
        &slow.checked.sample,
        TR_STR("{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"resources/"
               "subscribe\",\"params\":{\"uri\":\"a\"}}"));
    tr_buf_clear(&slow.checked.sample.sent);
    memset(uri, 'x', sizeof(uri) - 1);
    for (size_t i = 0; i <= TR_LIMIT_CHANGES / sizeof(uri); i++)
        change(&slow, uri);
    change(&slow, "a");
    CHECK_STR(look(&slow), "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/"
                           "resources/updated\",\"params\":{\"uri\":\"a\"}}\n");
    tr_buf_clear(&slow.checked.sample.sent);
    tr_loop_step(slow.checked.sample.loop, 10);
    CHECK_STR(look(&slow), UPDATED("a", "1") UPDATED("b", "1"));
    tr_buf_clear(&slow.checked.sample.sent);
    change(&slow, "b"); /* and then it is as before */
    CHECK_STR(look(&slow), UPDATED("b", "1"));
    checked_close(&slow.checked);
}

TEST(what_cannot_be_listened_to_is_refused)
{
    static const struct {
        const char *message;
        const char *wanted;
    } rows[] = {
        {LISTEN("1", "\"resourceSubscriptions\":{}"),
         "resourceSubscriptions must be an array of at most 1000"},
        {LISTEN("1", "\"resourceSubscriptions\":[1]"),
         "resourceSubscriptions must be URIs"},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"subscriptions/listen\","
         "\"params\":{" SAMPLE_META "}}",
         "params.notifications must be an object"},
    };
    struct slow slow;
    slow_open(&slow);
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        tr_str answer =
            sample_send(&slow.checked.sample, tr_str_from(rows[i].message));
        CHECK_ROW(memmem(answer.ptr, answer.len, rows[i].wanted,
                         strlen(rows[i].wanted)),
                  rows[i].wanted);
    }
    CHECK_INT(slow.checked.sample.mcp->listen_count, 0);
    checked_close(&slow.checked);
}

TEST(streams_are_counted_and_limited)
{
    struct slow slow;
    slow_open(&slow);
    slow.checked.sample.mcp->opts.max_streams = 2;
    for (int i = 0; i < 2; i++)
        CHECK_INT(lines_of(sample_send(&slow.checked.sample,
                                       TR_STR(LISTEN("1", "")))),
                  1);
    tr_str answer = sample_send(&slow.checked.sample, TR_STR(LISTEN("1", "")));
    CHECK(memmem(answer.ptr, answer.len, "Subscription limit reached", 26));
    checked_close(&slow.checked);
}

/* It is kept for as long as the stream is open. */
TEST(an_id_that_is_too_long_to_keep_is_refused)
{
    struct slow slow;
    static char big[TR_KIB(300)];
    slow_open(&slow);
    memset(big, 'x', sizeof(big) - 1);
    struct tr_buf message;
    tr_buf_init(&message, TR_MIB(1));
    tr_buf_putf(&message, "%s", "{\"jsonrpc\":\"2.0\",\"id\":\"");
    tr_buf_put(&message, tr_str_from(big));
    tr_buf_putf(&message, "%s",
                "\",\"method\":\"subscriptions/listen\",\"params\":"
                "{\"notifications\":{}," SAMPLE_META "}}");
    tr_str answer = sample_send(&slow.checked.sample, tr_buf_str(&message));
    CHECK(memmem(answer.ptr, answer.len, "Subscription limit reached", 26));
    tr_buf_done(&message);
    checked_close(&slow.checked);
}

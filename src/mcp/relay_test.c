/*
 * A session lives on one loop, and its client's connections arrive on any. Two
 * loops in one thread, turned in turns: `near`, which has the connection, and
 * `far`, which has the session. test/load/ does the same with threads.
 */
#include "mcp/relay.h"

#include "base/test.h"
#include "cap/registry.h"
#include "json/build.h"
#include "loop/loop.h"
#include "mcp/hub.h"
#include "mcp/inside.h"
#include "mcp/session.h"
#include "mcp/transport.h"
#include "support/peer.h"
#include "support/sample.h"
#include "support/web.h"

#include <sys/socket.h>
#include <unistd.h>

#define INITIALIZE                                                             \
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{"     \
    "\"protocolVersion\":\"2025-11-25\",\"capabilities\":{\"roots\":{}},"      \
    "\"clientInfo\":{\"name\":\"c\",\"version\":\"1\"}}}"
#define PING "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}"
#define PONG "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}"
#define CALL(id, tool)                                                         \
    "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"tools/call\","            \
    "\"params\":{\"name\":\"" tool "\"}}"
#define ROOTS                                                                  \
    "{\"jsonrpc\":\"2.0\",\"id\":\"trails-0\",\"method\":\"roots/list\","      \
    "\"params\":{}}"
#define ROOTS_ANSWER                                                           \
    "{\"jsonrpc\":\"2.0\",\"id\":\"trails-0\",\"result\":{\"roots\":[]}}"
#define SUBSCRIBE                                                              \
    "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"resources/subscribe\","        \
    "\"params\":{\"uri\":\"test://text\"}}"

enum { NEAR, FAR, LOOPS };

/* Two servers that share everything but their loops, and one session. */
struct pair {
    struct sample sample; /* has what they share; its own loop is not used */
    struct tr_web webs[LOOPS];
    struct tr_mcp *mcps[LOOPS];
    char session[80]; /* of FAR */
};

/* A connection, and what has come over it so far. */
struct line {
    struct pair *pair;
    int fd;
    size_t len;
    const char *wanted;
    bool has_ended;
    char text[8192];
};

static void handle(struct tr_http_exchange *x, void *app)
{
    struct tr_mcp *mcp = *(struct tr_mcp **)app;
    tr_str method = tr_http_exchange_request(x)->method;
    if (tr_str_eq(method, TR_STR("POST")))
        tr_mcp_http_post(x, mcp);
    else if (tr_str_eq(method, TR_STR("GET")))
        tr_mcp_http_get(x, mcp);
    else
        tr_mcp_http_delete(x, mcp);
}

static void build(const struct tr_cap_handler *handler, struct tr_call *call)
{
    (void)handler;
    (void)call;
    abort(); /* nobody may call it */
}

/* Only a builder may call it, and nobody here is one. */
static void add_tool(struct tr_cap_builder *builder)
{
    struct tr_err err;
    struct tr_cap cap = {
        .id = TR_STR("build"),
        .description = TR_STR("Builds."),
        .guard.scope = TR_SCOPE_BUILDER,
        .handler.run = build,
    };
    CHECK_OK(tr_cap_registry_add_cap(builder, &cap, &err), &err);
}

static void turn(struct pair *pair)
{
    for (size_t i = 0; i < LOOPS; i++)
        (void)tr_loop_turn(pair->webs[i].loop);
}

static struct line dial(struct pair *pair, size_t loop)
{
    return (struct line){.pair = pair,
                         .fd = tr_peer_connect(pair->webs[loop].port)};
}

static void hang_up(struct line *line)
{
    CHECK(close(line->fd) == 0);
}

/* Reads what is there; whether the text that is waited for has come. */
static bool has_come(void *data)
{
    struct line *line = data;
    turn(line->pair);
    CHECK(line->len + 1 < sizeof(line->text));
    ssize_t count = recv(line->fd, line->text + line->len,
                         sizeof(line->text) - line->len - 1, MSG_DONTWAIT);
    if (count > 0)
        line->len += (size_t)count;
    line->text[line->len] = '\0';
    line->has_ended = line->has_ended || count == 0;
    return line->wanted ? strstr(line->text, line->wanted) != NULL
                        : line->has_ended;
}

/* Waits for a text; for the end of the connection when it is NULL. */
static void expect(struct line *line, const char *wanted)
{
    line->wanted = wanted;
    tr_peer_until(line->pair->webs[NEAR].loop, has_come, line);
}

static void say(struct line *line, const char *method, const char *headers,
                const char *body)
{
    char text[2048];
    const char *session = line->pair->session;
    (void)snprintf(text, sizeof(text),
                   "%s /mcp HTTP/1.1\r\nHost: localhost\r\n%s%s%s%s"
                   "Content-Type: application/json\r\nContent-Length: %zu"
                   "\r\n\r\n%s",
                   method, session[0] ? "Mcp-Session-Id: " : "", session,
                   session[0] ? "\r\n" : "", headers, strlen(body), body);
    line->len = 0;
    tr_peer_send(line->pair->webs[NEAR].loop, line->fd, tr_str_from(text));
}

static void open_session(struct pair *pair)
{
    struct line line = dial(pair, FAR);
    say(&line, "POST", "", INITIALIZE);
    expect(&line, "\r\n\r\n{");
    const char *id = strstr(line.text, "Mcp-Session-Id: ");
    if (!id)
        abort();
    (void)snprintf(pair->session, sizeof(pair->session), "%.72s",
                   id + strlen("Mcp-Session-Id: "));
    hang_up(&line);
}

static void open_pair(struct pair *pair)
{
    struct tr_err err;
    sample_open_with(&pair->sample, add_tool);
    pair->session[0] = '\0';
    for (size_t i = 0; i < LOOPS; i++) {
        struct tr_mcp_opts opts = pair->sample.mcp->opts;
        tr_web_open(&pair->webs[i], NULL, handle, &pair->mcps[i]);
        opts.loop = pair->webs[i].loop;
        CHECK_OK(tr_mcp_create(&opts, &pair->mcps[i], &err), &err);
    }
    open_session(pair);
    CHECK(pair->mcps[FAR]->sessions && !pair->mcps[NEAR]->sessions);
}

static bool is_quiet(void *data)
{
    struct pair *pair = data;
    turn(pair);
    return tr_mcp_is_idle(pair->mcps[NEAR]) && tr_mcp_is_idle(pair->mcps[FAR]);
}

static void close_pair(struct pair *pair)
{
    for (size_t i = 0; i < LOOPS; i++)
        tr_mcp_stop(pair->mcps[i]);
    tr_peer_until(pair->webs[NEAR].loop, is_quiet, pair);
    for (int i = 0; i < 20; i++)
        turn(pair); /* far hears that near has let go */
    for (size_t i = 0; i < LOOPS; i++)
        tr_mcp_free(pair->mcps[i]);
    for (size_t i = 0; i < LOOPS; i++)
        tr_web_close(&pair->webs[i]);
    sample_close(&pair->sample);
}

TEST(relay_carries_a_message_to_its_session_and_the_answer_back)
{
    struct pair pair;
    open_pair(&pair);
    struct line line = dial(&pair, NEAR);
    say(&line, "POST", "", PING);
    expect(&line, PONG);
    CHECK(strstr(line.text, "HTTP/1.1 200 ") == line.text);
    CHECK(strstr(line.text, "\r\nContent-Type: application/json\r\n"));
    say(&line, "POST", "",
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
    expect(&line, "\r\n\r\n");
    CHECK(strstr(line.text, "HTTP/1.1 202 ") == line.text);
    say(&line, "POST", "", "[]");
    expect(&line, "this revision has no batches");
    CHECK(strstr(line.text, "HTTP/1.1 400 ") == line.text);
    hang_up(&line);
    close_pair(&pair);
}

/* Near knows whose a session is by its id; the rest is for far to say. */
TEST(relay_carries_what_far_says_of_a_session_that_is_not_there)
{
    struct pair pair;
    open_pair(&pair);
    char *last = &pair.session[60];
    *last = *last == '0' ? '1' : '0';
    struct line line = dial(&pair, NEAR);
    say(&line, "POST", "", PING);
    expect(&line, "Session not found");
    CHECK(strstr(line.text, "HTTP/1.1 404 ") == line.text);
    hang_up(&line);
    close_pair(&pair);
}

TEST(relay_carries_a_question_and_its_answer)
{
    struct pair pair;
    open_pair(&pair);
    struct line asking = dial(&pair, NEAR);
    struct line line = dial(&pair, NEAR);
    say(&asking, "POST", "", CALL("7", "ask"));
    expect(&asking, "event: message\nid: ");
    expect(&asking, "data: " ROOTS "\n\n");
    say(&line, "POST", "", ROOTS_ANSWER);
    expect(&line, "HTTP/1.1 202 ");
    expect(&asking, "\"id\":7,\"result\":{");
    hang_up(&line);
    hang_up(&asking);
    close_pair(&pair);
}

/* The head of a refusal has to come along with it. */
TEST(relay_carries_a_status_and_its_challenge)
{
    struct pair pair;
    open_pair(&pair);
    pair.mcps[FAR]->opts.gate.rules.http_statuses = true;
    struct line line = dial(&pair, NEAR);
    say(&line, "POST", "", CALL("7", "build"));
    expect(&line, "\"error\":{");
    CHECK(strstr(line.text, "HTTP/1.1 401 ") == line.text);
    CHECK(strstr(line.text,
                 "\r\nWWW-Authenticate: Bearer scope=\"builder\"\r\n"));
    hang_up(&line);
    close_pair(&pair);
}

TEST(relay_carries_what_a_session_is_told)
{
    struct pair pair;
    open_pair(&pair);
    struct line line = dial(&pair, NEAR);
    struct line stream = dial(&pair, NEAR);
    say(&line, "POST", "", SUBSCRIBE);
    expect(&line, "\"result\":{}");
    say(&stream, "GET", "Accept: text/event-stream\r\n", "");
    expect(&stream, "Content-Type: text/event-stream\r\n");
    tr_mcp_hub_updated(pair.sample.hub, TR_STR("test://text"));
    expect(&stream, "notifications/resources/updated");
    hang_up(&stream);
    hang_up(&line);
    close_pair(&pair);
}

/* The client has gone from near while far still works for it. */
TEST(relay_that_lost_its_client_is_resumed_over_another)
{
    struct pair pair;
    open_pair(&pair);
    struct line line = dial(&pair, NEAR);
    struct line asking = dial(&pair, NEAR);
    say(&asking, "POST", "", CALL("7", "ask"));
    expect(&asking, "data: " ROOTS "\n\n");
    CHECK(strstr(asking.text, "\nid: 2-1\n"));
    hang_up(&asking);
    say(&line, "POST", "", ROOTS_ANSWER);
    expect(&line, "HTTP/1.1 202 ");
    say(&line, "GET", "Last-Event-ID: 2-1\r\n", "");
    expect(&line, "\nid: 2-2\n");
    expect(&line, "\"id\":7,\"result\":{");
    CHECK(!strstr(line.text, ROOTS));
    hang_up(&line);
    close_pair(&pair);
}

TEST(relay_ends_with_its_session)
{
    struct pair pair;
    open_pair(&pair);
    struct line asking = dial(&pair, NEAR);
    struct line stream = dial(&pair, NEAR);
    struct line line = dial(&pair, FAR);
    say(&stream, "GET", "Connection: close\r\n", "");
    expect(&stream, "Content-Type: text/event-stream\r\n");
    say(&asking, "POST", "Connection: close\r\n", CALL("7", "ask"));
    expect(&asking, ROOTS);
    CHECK(pair.mcps[NEAR]->relays);
    say(&line, "DELETE", "", "");
    expect(&line, "HTTP/1.1 200 ");
    expect(&stream, NULL);
    expect(&asking, NULL);
    CHECK(!strstr(asking.text, "\"result\""));
    tr_peer_until(pair.webs[NEAR].loop, is_quiet, &pair);
    CHECK(!pair.mcps[FAR]->sessions);
    hang_up(&stream);
    hang_up(&asking);
    hang_up(&line);
    close_pair(&pair);
}

static bool has_left(void *data)
{
    return tr_mcp_is_relaying(((struct pair *)data)->mcps[NEAR]);
}

/* A message is on its way to far when its session ends there. */
TEST(relay_whose_session_ends_meanwhile_is_told_so)
{
    struct pair pair;
    open_pair(&pair);
    struct line line = dial(&pair, NEAR);
    say(&line, "POST", "", PING);
    tr_peer_until(pair.webs[NEAR].loop, has_left, &pair);
    tr_mcp_session_free(pair.mcps[FAR]->sessions);
    expect(&line, "Session not found");
    hang_up(&line);
    close_pair(&pair);
}

TEST(relay_carries_the_end_of_a_session)
{
    struct pair pair;
    open_pair(&pair);
    struct line line = dial(&pair, NEAR);
    say(&line, "DELETE", "", "");
    expect(&line, "\r\n\r\n");
    CHECK(strstr(line.text, "HTTP/1.1 200 ") == line.text);
    CHECK(!pair.mcps[FAR]->sessions);
    hang_up(&line);
    close_pair(&pair);
}

/* Near stops: its clients go, and the session stays where it is. */
TEST(relay_ends_when_near_stops)
{
    struct pair pair;
    open_pair(&pair);
    struct line asking = dial(&pair, NEAR);
    say(&asking, "POST", "Connection: close\r\n", CALL("7", "ask"));
    expect(&asking, ROOTS);
    tr_mcp_stop(pair.mcps[NEAR]);
    expect(&asking, NULL);
    CHECK(pair.mcps[FAR]->sessions && pair.mcps[FAR]->requests);
    hang_up(&asking);
    struct line line = dial(&pair, FAR);
    say(&line, "POST", "", PING);
    expect(&line, PONG);
    hang_up(&line);
    close_pair(&pair);
}

#include "mcp/peer.h"

#include "base/test.h"
#include "crypto/encoding.h"
#include "loop/loop.h"
#include "mcp/hub.h"
#include "mcp/inside.h"
#include "support/checked.h"

#define MODERN(method, rest)                                                   \
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"" method                       \
    "\",\"params\":{" rest SAMPLE_META "}}"
#define LEGACY(method, params)                                                 \
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"" method                       \
    "\",\"params\":{" params "}}"
#define INITIALIZE_AS(revision, capabilities)                                  \
    LEGACY("initialize",                                                       \
           "\"protocolVersion\":\"" revision "\",\"capabilities\":"            \
           "{" capabilities "},\"clientInfo\":{\"name\":\"c\","                \
           "\"version\":\"1\"}")
#define INITIALIZE                                                             \
    LEGACY("initialize", "\"protocolVersion\":\"2025-11-25\","                 \
                         "\"capabilities\":{\"roots\":{}},"                    \
                         "\"clientInfo\":{\"name\":\"c\",\"version\":\"1\"}")

static bool contains(tr_str text, const char *part)
{
    return text.len && memmem(text.ptr, text.len, part, strlen(part));
}

/* What is sent in one conversation, and what one answer must contain. */
struct row {
    const char *message;
    const char *wanted;
};

static void converse(const struct row *rows, size_t count)
{
    struct checked client;
    checked_open(&client);
    for (size_t i = 0; i < count; i++) {
        tr_str answer =
            sample_send(&client.sample, tr_str_from(rows[i].message));
        if (!contains(answer, rows[i].wanted))
            print_error("sent: %s\ngot:  %.*s\n", rows[i].message,
                        TR_FMT(answer));
        CHECK_ROW(contains(answer, rows[i].wanted), rows[i].wanted);
    }
    checked_close(&client);
}

/* Says so where no schemas are: then the other tests do not check messages. */
TEST(peer_is_sent_nothing_but_messages_of_its_revision)
{
    char path[512];
    struct checked client;
    if (!tr_test_suite("mcp-schema/2026-07-28.json", path, sizeof(path)))
        skip();
    checked_open(&client);
    CHECK(client.has_schemas);
    checked_close(&client);
}

TEST(peer_is_told_what_is_wrong_with_a_message)
{
    static const struct row rows[] = {
        {"{\"jsonrpc\":", "\"code\":-32700,\"message\":\"Parse error: line 1, "
                          "column 12: expected a value, but the text ends"},
        {"[]", "\"code\":-32600"},
        {"7", "\"code\":-32600,\"message\":\"a message must be an object\""},
        {"{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"ping\"}",
         "\"id\":1,\"error\":{\"code\":-32600"},
        {"{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}",
         "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32600"},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}",
         "the client has not sent initialize"},
        {LEGACY("ping", ""), "\"id\":1,\"result\":{}"},
    };
    converse(rows, TR_LEN(rows));
}

TEST(peer_of_a_stateless_revision_must_bring_its_meta)
{
    static const struct row rows[] = {
        {LEGACY("server/discover", ""), "\"code\":-32602"},
        {LEGACY("server/discover",
                "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":5}"),
         "protocolVersion\\\"] must be a string"},
        {LEGACY("server/discover",
                "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":"
                "\"2026-07-28\"}"),
         "clientCapabilities\\\"] is missing"},
        {LEGACY("server/discover",
                "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":"
                "\"v999\",\"io.modelcontextprotocol/clientCapabilities\":{}}"),
         "\"code\":-32022,\"message\":\"Unsupported protocol version\","
         "\"data\":{\"supported\":[\"2026-07-28\"],\"requested\":\"v999\"}"},
        {MODERN("server/discover", ""),
         "\"resultType\":\"complete\",\"supportedVersions\":[\"2026-07-28\"]"},
        {MODERN("initialize", ""), "\"code\":-32601"},
        {MODERN("no/such", ""), "\"code\":-32601"},
    };
    converse(rows, TR_LEN(rows));
}

TEST(peer_calls_a_tool_in_both_eras)
{
    static const struct row rows[] = {
        {MODERN("tools/call", "\"name\":\"say.echo\",\"arguments\":{\"text\":"
                              "\"hi\"},"),
         "\"resultType\":\"complete\",\"content\":[{\"type\":\"text\",\"text\":"
         "\"{\\\"text\\\":\\\"hi\\\"}\"}]"},
        {INITIALIZE, "\"protocolVersion\":\"2025-11-25\",\"capabilities\":"
                     "{\"tools\":{\"listChanged\":true}"},
        {LEGACY("tools/call",
                "\"name\":\"say.echo\",\"arguments\":{\"text\":\"hi\"}"),
         "\"id\":1,\"result\":{\"content\":["},
        {LEGACY("tools/call", "\"name\":\"say_echo\",\"arguments\":"
                              "{\"text\":\"the other spelling\"}"),
         "the other spelling"},
        {LEGACY("tools/call", "\"name\":\"nope\""),
         "\"code\":-32602,\"message\":\"Unknown tool: nope\""},
        {LEGACY("tools/call", "\"name\":7"), "params.name must be a string"},
        {LEGACY("tools/call", "\"name\":\"say.echo\",\"arguments\":null"),
         "\"field\":\"text\",\"code\":\"required\""},
        {LEGACY("tools/call", "\"name\":\"ask\",\"arguments\":[]"),
         "params.arguments must be an object"},
    };
    converse(rows, TR_LEN(rows));
}

TEST(peer_hears_of_every_field_that_is_wrong)
{
    static const struct row rows[] = {
        {MODERN("tools/call", "\"name\":\"say.echo\",\"arguments\":{\"times\":"
                              "\"x\"},"),
         "\"code\":-32602,\"message\":\"validation failed on 2 field(s): "
         "text is required; times must be an integer\","
         "\"data\":{\"fields\":[{\"field\":\"text\",\"code\":\"required\""},
    };
    converse(rows, TR_LEN(rows));
}

/* The value of the first member of this name, which is a string. */
static tr_str text_after(tr_str text, const char *member)
{
    tr_str name = tr_str_from(member);
    tr_str value = {NULL, 0};
    tr_str after;
    while (text.len && !tr_str_starts(text, name))
        text = tr_str_skip(text, 1);
    CHECK(tr_str_cut(tr_str_skip(text, name.len), '"', &value, &after));
    return value;
}

TEST(peer_is_asked_in_rounds_without_a_session)
{
    struct checked client;
    char message[2048];
    checked_open(&client);
    tr_str first = sample_send(
        &client.sample, TR_STR(MODERN("tools/call", "\"name\":\"ask\",")));
    CHECK(contains(first, "\"resultType\":\"input_required\",\"inputRequests\":"
                          "{\"where\":{\"method\":\"roots/list\",\"params\":"
                          "{}}},\"requestState\":\""));
    tr_str sealed = text_after(first, "\"requestState\":\"");
    (void)snprintf(message, sizeof(message),
                   MODERN("tools/call",
                          "\"name\":\"ask\",\"inputResponses\":{\"where\":"
                          "{\"roots\":[]}},\"requestState\":\"%.*s\","),
                   TR_FMT(sealed));
    CHECK(contains(sample_send(&client.sample, tr_str_from(message)),
                   "{\\\"roots\\\":[]}"));
    checked_close(&client);
}

/* Neither the names of its members nor what was answered. */
TEST(peer_cannot_read_a_state)
{
    static const char *const words[] = {"\"j\"", "\"d\"", "\"a\"", "where"};
    struct checked client;
    struct tr_arena arena;
    char message[2048];
    tr_str bytes;
    checked_open(&client);
    tr_arena_init(&arena, TR_MIB(1));
    tr_str sealed = text_after(
        sample_send(&client.sample,
                    TR_STR(MODERN("tools/call", "\"name\":\"ask\","))),
        "\"requestState\":\"");
    /* The answer to another question is kept, and what was asked is again. */
    (void)snprintf(message, sizeof(message),
                   MODERN("tools/call",
                          "\"name\":\"ask\",\"inputResponses\":{\"x\":{"
                          "\"where\":1}},\"requestState\":\"%.*s\","),
                   TR_FMT(sealed));
    sealed = text_after(sample_send(&client.sample, tr_str_from(message)),
                        "\"requestState\":\"");
    CHECK_OK(tr_crypto_base64url_decode(&arena, sealed, &bytes, NULL), NULL);
    for (size_t i = 0; i < TR_LEN(words); i++)
        CHECK_ROW(!contains(bytes, words[i]), words[i]);
    tr_arena_done(&arena);
    checked_close(&client);
}

TEST(peer_cannot_use_a_state_for_another_tool)
{
    struct checked client;
    char message[2048];
    checked_open(&client);
    tr_str sealed = text_after(
        sample_send(&client.sample,
                    TR_STR(MODERN("tools/call", "\"name\":\"ask\","))),
        "\"requestState\":\"");
    (void)snprintf(message, sizeof(message),
                   MODERN("tools/call",
                          "\"name\":\"say.echo\",\"arguments\":{\"text\":"
                          "\"x\"},\"requestState\":\"%.*s\","),
                   TR_FMT(sealed));
    CHECK(contains(sample_send(&client.sample, tr_str_from(message)),
                   "\"code\":-32602,\"message\":\"params.requestState is not "
                   "valid\""));
    checked_close(&client);
}

TEST(peer_is_asked_at_once_with_a_session)
{
    static const struct row rows[] = {
        {INITIALIZE, "\"serverInfo\":{\"name\":\"sample\",\"version\":\"1\"}"},
        {LEGACY("tools/call", "\"name\":\"ask\""),
         "{\"jsonrpc\":\"2.0\",\"id\":\"trails-0\",\"method\":\"roots/list\","
         "\"params\":{}}"},
        {"{\"jsonrpc\":\"2.0\",\"id\":\"trails-0\",\"result\":{\"roots\":[]}}",
         "\"id\":1,\"result\":{\"content\":"},
        {LEGACY("tools/call", "\"name\":\"ask\""), "\"id\":\"trails-1\""},
        {"{\"jsonrpc\":\"2.0\",\"id\":\"trails-1\",\"error\":{\"code\":1,"
         "\"message\":\"not now\"}}",
         "\"code\":-32602,\"message\":\"not now\""},
    };
    converse(rows, TR_LEN(rows));
}

TEST(peer_that_cannot_be_asked_is_told_which_capability_it_lacks)
{
    static const struct row rows[] = {
        {LEGACY("tools/call",
                "\"name\":\"ask\",\"_meta\":{"
                "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
                "\"io.modelcontextprotocol/clientCapabilities\":{}}"),
         "\"code\":-32021,\"message\":\"the client must support 'roots' for "
         "this\",\"data\":{\"requiredCapabilities\":{\"roots\":{}}}"},
        {LEGACY("initialize", "\"protocolVersion\":\"2025-06-18\","
                              "\"capabilities\":{}"),
         "\"protocolVersion\":\"2025-06-18\""},
        {LEGACY("tools/call", "\"name\":\"ask\""), "\"isError\":true"},
    };
    converse(rows, TR_LEN(rows));
}

TEST(peer_is_asked_as_its_revision_has_it)
{
    static const struct row rows[] = {
        {INITIALIZE_AS("2025-11-25", "\"elicitation\":{\"url\":{}}"), "result"},
        {LEGACY("tools/call", "\"name\":\"ask.form\""),
         "\"params\":{\"mode\":\"form\",\"message\":\"Who?\""},
        {LEGACY("tools/call", "\"name\":\"ask.url\""),
         "\"params\":{\"mode\":\"url\""},
        {INITIALIZE_AS("2025-06-18", "\"elicitation\":{\"url\":{}}"), "result"},
        {LEGACY("tools/call", "\"name\":\"ask.form\""),
         "\"params\":{\"message\":\"Who?\",\"requestedSchema\":{"},
        {LEGACY("tools/call", "\"name\":\"ask.url\""),
         "MCP 2025-06-18 does not have this kind of elicitation"},
        {INITIALIZE_AS("2025-03-26", "\"elicitation\":{}"), "result"},
        {LEGACY("tools/call", "\"name\":\"ask.form\""), "\"isError\":true"},
        {INITIALIZE_AS("2024-11-05", "\"elicitation\":{}"), "result"},
        {LEGACY("tools/call", "\"name\":\"ask.form\""),
         "MCP 2024-11-05 does not have this kind of elicitation"},
    };
    converse(rows, TR_LEN(rows));
}

TEST(peer_that_cancels_hears_no_more_of_its_request)
{
    struct checked client;
    checked_open(&client);
    (void)sample_send(&client.sample, TR_STR(INITIALIZE));
    (void)sample_send(&client.sample,
                      TR_STR(LEGACY("tools/call", "\"name\":\"ask\"")));
    tr_str answer = sample_send(&client.sample,
                                TR_STR("{\"jsonrpc\":\"2.0\",\"method\":"
                                       "\"notifications/cancelled\",\"params\":"
                                       "{\"requestId\":1}}"));
    CHECK_INT(answer.len, 0);
    CHECK(!client.sample.mcp->requests);
    checked_close(&client);
}

TEST(peer_reads_what_there_is_and_is_told_what_there_is_not)
{
    static const struct row rows[] = {
        {MODERN("resources/read", "\"uri\":\"test://text\","),
         "\"contents\":[{\"uri\":\"test://text\",\"mimeType\":\"text/plain\","
         "\"text\":\"some text\"}],\"ttlMs\":0,\"cacheScope\":\"private\""},
        {MODERN("resources/read", "\"uri\":\"test://item/7\","),
         "\"uri\":\"test://item/7\",\"text\":\"some text\""},
        {MODERN("resources/read", "\"uri\":\"test://none\","),
         "\"code\":-32602,\"message\":\"Resource not found\",\"data\":"
         "{\"uri\":\"test://none\"}"},
        {MODERN("prompts/get",
                "\"name\":\"greet\",\"arguments\":{\"name\":\"x\"},"),
         "\"messages\":[{\"role\":\"user\",\"content\":{\"type\":\"text\","
         "\"text\":\"some text\"}}]"},
        {MODERN("prompts/get", "\"name\":\"greet\","),
         "\"field\":\"name\",\"code\":\"required\""},
        {MODERN("prompts/get",
                "\"name\":\"greet\",\"arguments\":{\"nam\":\"x\"},"),
         "validation failed on 2 field(s)"},
        {MODERN("tools/list", "\"cursor\":\"made up\","), "Invalid cursor"},
        {MODERN("tools/list", "\"cursor\":null,"), "\"tools\":["},
        {INITIALIZE, "result"},
        {LEGACY("resources/read", "\"uri\":\"test://none\""),
         "\"code\":-32002"},
        {LEGACY("logging/setLevel", "\"level\":\"loud\""),
         "params.level is not a log level"},
    };
    converse(rows, TR_LEN(rows));
}

TEST(peer_that_listens_is_told_of_changes_it_asked_for)
{
    struct checked client;
    checked_open(&client);
    tr_str answer = sample_send(
        &client.sample,
        TR_STR(MODERN("subscriptions/listen",
                      "\"notifications\":{\"toolsListChanged\":true,"
                      "\"resourceSubscriptions\":[\"test://text\"]},")));
    CHECK(contains(answer, "notifications/subscriptions/acknowledged"));
    tr_buf_clear(&client.sample.sent);
    tr_mcp_hub_list_changed(client.sample.hub, TR_CALL_LIST_PROMPTS);
    tr_mcp_hub_list_changed(client.sample.hub, TR_CALL_LIST_TOOLS);
    tr_mcp_hub_list_changed(client.sample.hub, TR_CALL_LIST_TOOLS);
    tr_mcp_hub_updated(client.sample.hub, TR_STR("test://text"));
    tr_mcp_hub_updated(client.sample.hub, TR_STR("test://other"));
    (void)tr_loop_turn(client.sample.loop);
    CHECK_STR(tr_buf_str(&client.sample.sent),
              "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/"
              "list_changed\",\"params\":{\"_meta\":{"
              "\"io.modelcontextprotocol/subscriptionId\":1}}}\n"
              "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/resources/"
              "updated\",\"params\":{\"uri\":\"test://text\",\"_meta\":{"
              "\"io.modelcontextprotocol/subscriptionId\":1}}}\n");
    checked_close(&client);
}

TEST(peer_gets_a_long_result_cut_with_a_notice)
{
    struct checked client;
    char message[4096];
    char text[2001];
    memset(text, 'x', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    checked_open(&client);
    (void)snprintf(message, sizeof(message),
                   MODERN("tools/call", "\"name\":\"say.echo\",\"arguments\":"
                                        "{\"text\":\"%s\"},"),
                   text);
    CHECK(contains(sample_send(&client.sample, tr_str_from(message)),
                   "[cut: 1000 of 2011 bytes shown, the limit is 1000]"));
    checked_close(&client);
}

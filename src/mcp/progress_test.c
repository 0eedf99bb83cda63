/*
 * Progress of a request (basic/utilities/progress, in every revision): it "MUST
 * increase with each notification", is sent to who gave a token, and stops when
 * the request has its response.
 */
#include "base/test.h"
#include "cap/registry.h"
#include "json/build.h"
#include "loop/loop.h"
#include "mcp/inside.h"
#include "support/checked.h"

#define INITIALIZE(revision)                                                   \
    "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{"     \
    "\"protocolVersion\":\"" revision "\",\"capabilities\":{\"roots\":{}},"    \
    "\"clientInfo\":{\"name\":\"c\",\"version\":\"1\"}}}"
#define MODERN_META                                                            \
    "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","              \
    "\"io.modelcontextprotocol/clientCapabilities\":{\"roots\":{}}"
#define CALL(name, meta)                                                       \
    "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\",\"params\":{"     \
    "\"name\":\"" name "\",\"_meta\":{" meta "}}}"
#define PROGRESS(token, rest)                                                  \
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{"  \
    "\"progressToken\":" token ",\"progress\":" rest "}}\n"

/* Each row is what a client of the revision sends before and with its call. */
static const struct era {
    const char *initialize; /* NULL: it stands for itself */
    const char *meta;       /* without a token */
    bool has_message;
} eras[] = {
    {INITIALIZE("2024-11-05"), "", false},
    {INITIALIZE("2025-03-26"), "", true},
    {INITIALIZE("2025-06-18"), "", true},
    {INITIALIZE("2025-11-25"), "", true},
    {NULL, MODERN_META, true},
};

static void finish_with_text(struct tr_call *call)
{
    struct tr_json text = tr_json_make_text(TR_JSON_STRING, TR_STR("done"));
    struct tr_call_outcome outcome = {.value = &text};
    tr_call_finish(call, &outcome);
}

/* Goes forward, back, on the spot, and forward again. */
static void wander(const struct tr_cap_handler *handler, struct tr_call *call)
{
    static const double steps[] = {1, 3, 2, 3, -1, 3.5};
    double total = 4;
    (void)handler;
    for (size_t i = 0; i < TR_LEN(steps); i++)
        call->door->progress(call, steps[i], &total, TR_STR("on the way"));
    finish_with_text(call);
}

static void report_and_finish(struct tr_call *call)
{
    call->door->progress(call, 2, NULL, TR_STR(""));
    finish_with_text(call);
}

/* Asks, and says how far it has come when nobody wants to hear it any more. */
static void ask_then_report(const struct tr_cap_handler *handler,
                            struct tr_call *call)
{
    static const struct tr_call_host_ops host = {report_and_finish,
                                                 report_and_finish};
    static const struct tr_json params = {.kind = TR_JSON_OBJECT};
    struct tr_err err;
    (void)handler;
    struct tr_call_ask *ask = TR_NEW(call->arena, struct tr_call_ask);
    if (!ask)
        abort();
    *ask = (struct tr_call_ask){
        .key = TR_STR("where"), .kind = TR_CALL_ASK_ROOTS, .params = &params};
    call->host = &host;
    call->door->progress(call, 1, NULL, TR_STR(""));
    if (call->door->ask(call, ask, 1, &err) == TR_CALL_ASKED_ENDED)
        report_and_finish(call);
}

static void add_tools(struct tr_cap_builder *builder)
{
    const struct tr_cap forward = {
        .id = TR_STR("wander"),
        .description = TR_STR("Comes forward."),
        .handler.run = wander,
    };
    const struct tr_cap late = {
        .id = TR_STR("report"),
        .description = TR_STR("Reports too late."),
        .handler.run = ask_then_report,
    };
    struct tr_err err;
    CHECK_OK(tr_cap_registry_add_cap(builder, &forward, &err), &err);
    CHECK_OK(tr_cap_registry_add_cap(builder, &late, &err), &err);
}

static void open_era(struct checked *client, const struct era *era)
{
    checked_open_with(client, add_tools);
    if (era->initialize)
        (void)sample_send(&client->sample, tr_str_from(era->initialize));
}

/* Calls a tool with a token, or without one when it is NULL. */
static tr_str call_tool(struct checked *client, const struct era *era,
                        const char *tool, const char *token)
{
    char text[1024];
    char given[64] = "";
    if (token)
        (void)snprintf(given, sizeof(given), "\"progressToken\":%s%s", token,
                       era->meta[0] ? "," : "");
    (void)snprintf(text, sizeof(text), CALL("%s", "%s%s"), tool, given,
                   era->meta);
    return sample_send(&client->sample, tr_str_from(text));
}

static size_t count(tr_str text, const char *part)
{
    size_t found = 0;
    const char *at = text.len ? text.ptr : NULL;
    while (at && (at = memmem(at, text.len - (size_t)(at - text.ptr), part,
                              strlen(part)))) {
        found++;
        at++;
    }
    return found;
}

TEST(progress_only_goes_forward_in_each_era)
{
    static const char without[] = PROGRESS("7", "1,\"total\":4")
        PROGRESS("7", "3,\"total\":4") PROGRESS("7", "3.5,\"total\":4");
#define TEXT ",\"total\":4,\"message\":\"on the way\""
    static const char with[] = PROGRESS("7", "1" TEXT) PROGRESS("7", "3" TEXT)
        PROGRESS("7", "3.5" TEXT);
#undef TEXT
    for (size_t i = 0; i < TR_LEN(eras); i++) {
        struct checked client;
        open_era(&client, &eras[i]);
        tr_str sent = call_tool(&client, &eras[i], "wander", "7");
        tr_str wanted = tr_str_from(eras[i].has_message ? with : without);
        CHECK(tr_str_starts(sent, wanted));
        sent = tr_str_skip(sent, wanted.len);
        CHECK_INT(count(sent, "progress"), 0);
        CHECK_INT(count(sent, "\"text\":\"done\""), 1);
        checked_close(&client);
    }
}

TEST(progress_is_for_who_gave_a_token)
{
    for (size_t i = 0; i < TR_LEN(eras); i++) {
        struct checked client;
        open_era(&client, &eras[i]);
        tr_str sent = call_tool(&client, &eras[i], "wander", NULL);
        CHECK_INT(count(sent, "notifications/progress"), 0);
        CHECK_INT(count(sent, "\"text\":\"done\""), 1);
        checked_close(&client);
    }
}

/* 7 and "7" are two tokens. */
TEST(progress_gives_the_token_back_as_it_came)
{
    struct checked client;
    open_era(&client, &eras[3]);
    tr_str sent = call_tool(&client, &eras[3], "wander", "\"7\"");
    CHECK_INT(count(sent, "\"progressToken\":\"7\""), 3);
    sent = call_tool(&client, &eras[3], "wander", "7");
    CHECK_INT(count(sent, "\"progressToken\":7,"), 3);
    checked_close(&client);
}

/* Without a session a question is the response, and the last word. */
TEST(progress_ends_with_the_response)
{
    const struct era *modern = &eras[TR_LEN(eras) - 1];
    struct checked client;
    open_era(&client, modern);
    tr_str sent = call_tool(&client, modern, "report", "7");
    CHECK(tr_str_starts(sent, TR_STR(PROGRESS("7", "1"))));
    CHECK_INT(count(sent, "input_required"), 1);
    CHECK_INT(count(sent, "notifications/progress"), 1);
    CHECK(!client.sample.mcp->requests);
    checked_close(&client);
}

TEST(progress_ends_when_the_request_is_cancelled)
{
    struct checked client;
    open_era(&client, &eras[3]);
    tr_str sent = call_tool(&client, &eras[3], "report", "7");
    CHECK_INT(count(sent, "notifications/progress"), 1);
    sent = sample_send(&client.sample,
                       TR_STR("{\"jsonrpc\":\"2.0\",\"method\":"
                              "\"notifications/cancelled\",\"params\":"
                              "{\"requestId\":7}}"));
    CHECK_INT(sent.len, 0);
    CHECK(!client.sample.mcp->requests);
    checked_close(&client);
}

/* Between a handler's own reports, and always behind the next of them. */
TEST(progress_says_now_and_then_that_we_are_still_at_it)
{
    struct checked client;
    open_era(&client, &eras[3]);
    (void)call_tool(&client, &eras[3], "report", "\"t\"");
    tr_buf_clear(&client.sample.sent);
    tr_loop_step(client.sample.loop, 15000);
    CHECK_STR(tr_buf_str(&client.sample.sent), PROGRESS("\"t\"", "1.000001"));
    tr_buf_clear(&client.sample.sent);
    tr_loop_step(client.sample.loop, 15000);
    CHECK(tr_str_starts(tr_buf_str(&client.sample.sent),
                        TR_STR("{\"jsonrpc\":\"2.0\",\"method\":"
                               "\"notifications/progress\",\"params\":{"
                               "\"progressToken\":\"t\","
                               "\"progress\":1.00000")));
    tr_str sent = sample_send(&client.sample,
                              TR_STR("{\"jsonrpc\":\"2.0\",\"id\":\"trails-0\","
                                     "\"result\":{\"roots\":[]}}"));
    CHECK(tr_str_starts(sent, TR_STR(PROGRESS("\"t\"", "2"))));
    tr_buf_clear(&client.sample.sent);
    tr_loop_step(client.sample.loop, 15000);
    CHECK_INT(client.sample.sent.len, 0);
    checked_close(&client);
}

/*
 * How a call that fails is answered: every status there is, as an error and as
 * the result of the tool, in all revisions, in and out of production.
 */
#include "base/test.h"
#include "cap/live.h"
#include "cap/registry.h"
#include "fields/field.h"
#include "json/reader.h"
#include "mcp/inside.h"
#include "runtime/wire_error.h"
#include "support/checked.h"

#define CALL(id, rest)                                                         \
    "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"tools/call\",\"params\":" \
    "{\"name\":\"fail\",\"arguments\":{\"status\":%d}" rest "}}"

/* Fails with the status that it is told. */
static void fail_as_told(const struct tr_cap_handler *handler,
                         struct tr_call *call)
{
    struct tr_call_outcome outcome = {0};
    int64_t status = 0;
    (void)handler;
    (void)tr_json_i64(tr_json_find(call->args, TR_STR("status")), &status);
    outcome.status = tr_fail(&outcome.err, (tr_status)status, "it was %s",
                             tr_status_name((tr_status)status));
    outcome.data = call->args;
    tr_call_finish(call, &outcome);
}

static void add_fail(struct tr_cap_builder *builder)
{
    static const struct tr_field fields[] = {
        {.name = TR_STR_INIT("status"), .kind = TR_FIELD_INTEGER}};
    struct tr_shape draft = {.fields = fields, .count = TR_LEN(fields)};
    struct tr_cap cap = {.id = TR_STR("fail"),
                         .description = TR_STR("Fails."),
                         .handler.run = fail_as_told};
    struct tr_err err;
    CHECK_OK(tr_shape_register(tr_cap_registry_arena(builder),
                               tr_cap_registry_patterns(builder), &draft,
                               &cap.input_shape, &err),
             &err);
    CHECK_OK(tr_cap_registry_add_cap(builder, &cap, &err), &err);
}

static void greet(struct checked *client, enum tr_mcp_revision revision)
{
    char message[512];
    tr_str name = tr_mcp_revision_name(revision);
    if (!tr_mcp_revision_has(revision, TR_MCP_HAS_SESSIONS))
        return;
    (void)snprintf(
        message, sizeof(message),
        "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\","
        "\"params\":{\"protocolVersion\":\"%.*s\",\"capabilities\":{},"
        "\"clientInfo\":{\"name\":\"c\",\"version\":\"1\"}}}",
        TR_FMT(name));
    (void)sample_send(&client->sample, tr_str_from(message));
}

static const struct tr_json *find(const struct tr_json *value, const char *key)
{
    return tr_json_find(value, tr_str_from(key));
}

/* What is told is the same in both forms: the message, then the data. */
static void check_told(tr_str message, const struct tr_json *data,
                       tr_status status, bool in_production)
{
    struct tr_call_wire_error wire = tr_call_wire_error(status, false);
    bool hide = wire.is_hidden && in_production;
    char text[64] = "internal error";
    if (!hide)
        (void)snprintf(text, sizeof(text), "it was %s", tr_status_name(status));
    CHECK_STR(message, text);
    CHECK((find(data, "status") != NULL) == !hide);
    CHECK((find(data, "trace_id") != NULL) == wire.is_ours);
}

static void check_result(struct tr_arena *arena, const struct tr_json *result,
                         enum tr_mcp_revision revision, tr_status status,
                         bool in_production)
{
    const struct tr_json *content = find(result, "content");
    const struct tr_json *data = NULL;
    bool is_error = false;
    CHECK(tr_json_bool(find(result, "isError"), &is_error) && is_error);
    CHECK(content && content->len >= 1);
    tr_str second = tr_json_text(find(tr_json_at(content, 1), "text"));
    if (second.len)
        CHECK_OK(tr_json_read(arena, second, NULL, &data, NULL), NULL);
    check_told(tr_json_text(find(tr_json_at(content, 0), "text")), data, status,
               in_production);
    bool may = tr_mcp_revision_has(revision, TR_MCP_HAS_STRUCTURED) && data;
    CHECK((find(result, "structuredContent") != NULL) == may);
}

static void check_answer(tr_str answer, const struct sample *sample,
                         enum tr_mcp_revision revision, tr_status status)
{
    struct tr_arena arena;
    const struct tr_json *tree = NULL;
    int64_t code = 0;
    struct tr_call_wire_error wire = tr_call_wire_error(
        status, tr_mcp_revision_has(revision, TR_MCP_HAS_OWN_CODES));
    tr_arena_init(&arena, TR_MIB(1));
    CHECK_OK(tr_json_read(&arena, answer, NULL, &tree, NULL), NULL);
    const struct tr_json *error = find(tree, "error");
    bool for_host = status == TR_E_SCOPE || status == TR_E_UNAUTHENTICATED;
    CHECK_ROW(!error == (sample->live->errors_as_results && !for_host),
              tr_status_name(status));
    if (error) {
        CHECK(tr_json_i64(find(error, "code"), &code) && code == wire.code);
        check_told(tr_json_text(find(error, "message")), find(error, "data"),
                   status, sample->mcp->opts.production);
    } else {
        check_result(&arena, find(tree, "result"), revision, status,
                     sample->mcp->opts.production);
    }
    tr_arena_done(&arena);
}

static void try_all(enum tr_mcp_revision revision, bool as_results,
                    bool in_production)
{
    struct checked client;
    char message[512];
    checked_open_with(&client, add_fail);
    client.sample.live->errors_as_results = as_results;
    client.sample.mcp->opts.production = in_production;
    greet(&client, revision);
    for (int status = TR_OK + 1; status <= TR_E_INTERNAL; status++) {
        (void)snprintf(message, sizeof(message),
                       tr_mcp_revision_has(revision, TR_MCP_HAS_SESSIONS)
                           ? CALL("1", "")
                           : CALL("1", "," SAMPLE_META),
                       status);
        tr_str answer = sample_send(&client.sample, tr_str_from(message));
        answer.len -= answer.len > 0; /* the line feed */
        check_answer(answer, &client.sample, revision, (tr_status)status);
    }
    checked_close(&client);
}

TEST(errors_of_each_status_are_errors_or_results_in_each_revision)
{
    for (int i = 0; i < TR_MCP_REVISIONS; i++)
        for (int how = 0; how < 4; how++)
            try_all((enum tr_mcp_revision)i, how & 1, how & 2);
}

TEST(errors_in_a_batch_are_results_too)
{
    struct checked client;
    char message[512];
    checked_open_with(&client, add_fail);
    client.sample.live->errors_as_results = true;
    greet(&client, TR_MCP_2025_03_26);
    (void)snprintf(message, sizeof(message),
                   "[" CALL("1", "") "," CALL("2", "") "]", TR_E_CONFLICT,
                   TR_E_SCOPE);
    tr_str answer = sample_send(&client.sample, tr_str_from(message));
    CHECK(memmem(answer.ptr, answer.len, "\"isError\":true", 14));
    CHECK(memmem(answer.ptr, answer.len, "\"code\":-32004", 13));
    checked_close(&client);
}

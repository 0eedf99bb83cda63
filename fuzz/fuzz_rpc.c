/*
 * Whatever a client sends, what we answer is MCP: each line of the input is one
 * message to the sample app. Where TRAILS_SUITES has no schemas it is JSON-RPC
 * that is asked for.
 */
#include "json/reader.h"
#include "judge.h"
#include "mcp/message.h"
#include "support/sample.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* First the sample, which finds us by it. */
struct client {
    struct sample sample;
    struct wire *wire;
};

/* Errors to what has no id have none either. */
static void check_message(const struct tr_json *tree)
{
    struct tr_mcp_message message;
    struct tr_err err;
    if (tr_mcp_message_parse(tree, &message, &err) != TR_OK &&
        !tr_json_find(tree, TR_STR("error")))
        abort();
}

/* One message, or the answers to a batch. */
static void check_line(tr_str line)
{
    struct tr_arena arena;
    const struct tr_json *tree = NULL;
    tr_arena_init(&arena, (size_t)64 << 20);
    if (tr_json_read(&arena, line, NULL, &tree, NULL) != TR_OK)
        abort();
    if (!tr_json_is(tree, TR_JSON_ARRAY))
        check_message(tree);
    for (size_t i = 0; tree->kind == TR_JSON_ARRAY && i < tree->len; i++)
        check_message(&tree->as.items[i]);
    tr_arena_done(&arena);
}

static void watch(struct sample *sample, bool is_ours, tr_str message)
{
    struct wire *wire = ((struct client *)(void *)sample)->wire;
    if (is_ours)
        judge_saw(wire, TR_STR(""), message);
    else
        judge_sent(wire, message);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct client client;
    tr_str rest = {(const char *)data, size};
    tr_str line;
    tr_str answer;
    sample_open(&client.sample);
    client.wire = judge_open();
    client.sample.watch = watch;
    while (rest.len) {
        if (!tr_str_cut(rest, '\n', &line, &rest)) {
            line = rest;
            rest.len = 0;
        }
        tr_str answers = sample_send(&client.sample, line);
        while (tr_str_cut(answers, '\n', &answer, &answers))
            check_line(answer);
    }
    sample_close(&client.sample);
    return 0;
}

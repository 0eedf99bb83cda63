/*
 * Whatever a client sends, what we answer is JSON-RPC: each line of the input
 * is one message to the sample app.
 */
#include "json/reader.h"
#include "mcp/message.h"
#include "support/sample.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_line(tr_str line)
{
    struct tr_arena arena;
    const struct tr_json *tree = NULL;
    struct tr_message message;
    struct tr_err err;
    tr_arena_init(&arena, (size_t)64 << 20);
    if (tr_json_read(&arena, line, NULL, &tree, &err) != TR_OK)
        abort();
    /* Errors to what has no id have none either. */
    if (tr_message_parse(tree, &message, &err) != TR_OK &&
        !tr_json_find(tree, TR_STR("error")))
        abort();
    tr_arena_done(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sample sample;
    tr_str rest = {(const char *)data, size};
    tr_str line;
    tr_str answer;
    sample_open(&sample);
    while (rest.len) {
        if (!tr_str_cut(rest, '\n', &line, &rest)) {
            line = rest;
            rest.len = 0;
        }
        tr_str answers = sample_send(&sample, line);
        while (tr_str_cut(answers, '\n', &answer, &answers))
            check_line(answer);
    }
    sample_close(&sample);
    return 0;
}

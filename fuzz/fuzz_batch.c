/*
 * Whatever is in a batch, it is refused, or each request in it is answered
 * once: the input is the body of one POST.
 */
#include "json/reader.h"
#include "judge.h"
#include "loop/loop.h"
#include "mcp/batch.h"
#include "mcp/inside.h"
#include "mcp/receive.h"
#include "mcp/reply.h"
#include "support/exchange.h"
#include "support/sample.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t count_requests(const struct tr_json *items)
{
    struct tr_mcp_message message;
    size_t count = 0;
    for (size_t i = 0; i < items->len; i++)
        count += tr_mcp_message_parse(&items->as.items[i], &message, NULL) ==
                     TR_OK &&
                 message.kind == TR_MCP_MESSAGE_REQUEST;
    return count;
}

static void check(tr_str body, tr_str log)
{
    struct tr_arena arena;
    const struct tr_json *items = NULL;
    const struct tr_json *answers = NULL;
    tr_arena_init(&arena, (size_t)64 << 20);
    if (tr_json_read(&arena, body, NULL, &items, NULL) != TR_OK)
        abort();
    size_t wanted = count_requests(items);
    log.len--; /* the line end */
    if (tr_str_starts(log, TR_STR("200 "))) {
        if (tr_json_read(&arena, tr_str_skip(log, 4), NULL, &answers, NULL) !=
                TR_OK ||
            answers->kind != TR_JSON_ARRAY || answers->len != wanted)
            abort();
    } else if (tr_str_eq(log, TR_STR("202"))) {
        if (wanted)
            abort();
    } else if (!tr_str_starts(log, TR_STR("400 "))) {
        abort();
    }
    tr_arena_done(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sample sample;
    struct exchange x = {0};
    tr_str body = {(const char *)data, size};
    struct wire *wire = judge_open();
    sample_open(&sample);
    struct tr_mcp_sink *sink = &exchange_open(&x)->sink;
    x.saw = judge_saw;
    x.saw_data = wire;
    judge_speaks(wire, "2025-03-26");
    judge_sent(wire, body);
    struct tr_mcp_request *request = tr_mcp_receive(sample.mcp, &sink, body);
    bool is_batch = request && request->batch;
    if (is_batch)
        tr_mcp_batch_take(request, NULL, TR_MCP_2025_03_26);
    if (request)
        tr_mcp_request_release(request);
    (void)tr_loop_turn(sample.loop);
    if (is_batch)
        check(body, tr_buf_str(&x.log));
    sample_close(&sample);
    if (!x.is_released)
        abort();
    exchange_done(&x);
    return 0;
}

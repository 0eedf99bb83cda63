/*
 * A requestState that we sealed ourselves, with anything in it: the seal holds,
 * the contents may still be nonsense. And the input as it is, unsealed.
 */
#include "crypto/seal.h"
#include "mcp/inside.h"
#include "support/sample.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define BEFORE                                                                 \
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{"     \
    "\"name\":\"ask\"," SAMPLE_META                                            \
    ",\"inputResponses\":{\"where\":{\"roots\":[]}},"                          \
    "\"requestState\":"

static void send_state(struct sample *sample, tr_str state)
{
    struct tr_buf message;
    tr_buf_init(&message, (size_t)1 << 20);
    tr_buf_put(&message, TR_STR(BEFORE));
    tr_buf_put_json(&message, state);
    tr_buf_put(&message, TR_STR("}}"));
    (void)sample_send(sample, tr_buf_str(&message));
    tr_buf_done(&message);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sample sample;
    struct tr_arena arena;
    tr_str input = {(const char *)data, size};
    tr_str sealed;
    sample_open(&sample);
    tr_arena_init(&arena, (size_t)1 << 20);
    struct tr_crypto_seal how = {
        .keys = sample.keys,
        .purpose = TR_STR("requestState"),
        .is_secret = true,
    };
    if (tr_crypto_seal(&arena, &how, input, &sealed, NULL) == TR_OK)
        send_state(&sample, sealed);
    send_state(&sample, input);
    tr_arena_done(&arena);
    sample_close(&sample);
    return 0;
}

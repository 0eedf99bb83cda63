#include "mcp/trace.h"

#include "mcp/mcp.h"

#define ID_LEN 32

/* 00-<32 hexadecimal digits>-<16>-<2>; the id must not be all zeros. */
static bool read_traceparent(tr_str text, tr_str *out)
{
    static const tr_str none = TR_STR_INIT("00000000000000000000000000000000");
    if (text.len != 55 || text.ptr[2] != '-' || text.ptr[35] != '-' ||
        text.ptr[52] != '-')
        return false;
    for (size_t i = 3; i < 3 + ID_LEN; i++) {
        char c = text.ptr[i];
        if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f')))
            return false;
    }
    *out = (tr_str){text.ptr + 3, ID_LEN};
    return !tr_str_eq(*out, none);
}

static void put_hex(char *to, uint64_t value)
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 16; i > 0; i--) {
        to[i - 1] = digits[value & 15];
        value >>= 4;
    }
}

void tr_trace_start(struct tr_mcp_request *request)
{
    const struct tr_json *parent =
        tr_json_find(request->message.meta, TR_STR("traceparent"));
    if (read_traceparent(tr_json_text(parent), &request->trace_id))
        return;
    char *text = tr_arena_alloc(&request->arena, ID_LEN);
    if (!text)
        return;
    put_hex(text, request->mcp->trace_seed);
    put_hex(text + 16, ++request->mcp->trace_count);
    request->trace_id = (tr_str){text, ID_LEN};
}

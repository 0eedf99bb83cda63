#include "mcp/trace.h"

#include "base/ascii.h"
#include "mcp/inside.h"

#define ID_LEN     32
#define PARENT_LEN 16

/*
 * An id has digits of base 16, in lower case as the standard wants it, and is
 * not all 0.
 */
static bool is_id(tr_str text)
{
    bool any = false;
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        if (tr_ascii_hex_value(c) < 0 || tr_ascii_is_upper(c))
            return false;
        any = any || c != '0';
    }
    return any;
}

static bool is_hex(tr_str text)
{
    return tr_str_eq(text, TR_STR("00")) || is_id(text);
}

/*
 * Reads the trace id (W3C Trace Context, section 3.2): version 00 is 55 bytes
 * long; later ones may go on after another hyphen, and ff is none.
 */
static bool parse(tr_str text, tr_str *out)
{
    if (text.len < 55 || text.ptr[2] != '-' || text.ptr[35] != '-' ||
        text.ptr[52] != '-')
        return false;
    tr_str version = {text.ptr, 2};
    tr_str id = {text.ptr + 3, ID_LEN};
    if (!is_hex(version) || tr_str_eq(version, TR_STR("ff")) || !is_id(id) ||
        !is_id((tr_str){text.ptr + 36, PARENT_LEN}) ||
        !is_hex((tr_str){text.ptr + 53, 2}))
        return false;
    if (text.len > 55 &&
        (text.ptr[55] != '-' || tr_str_eq(version, TR_STR("00"))))
        return false;
    *out = id;
    return true;
}

static tr_str parent_of(const struct tr_mcp_request *request)
{
    return tr_json_text(
        tr_json_find(request->message.meta, TR_STR("traceparent")));
}

static void put_hex(char *to, uint64_t value)
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 16; i > 0; i--) {
        to[i - 1] = digits[value & 15];
        value >>= 4;
    }
}

void tr_mcp_trace_start(struct tr_mcp_request *request)
{
    if (parse(parent_of(request), &request->trace_id))
        return;
    char *text = tr_arena_alloc(&request->arena, ID_LEN);
    if (!text)
        return;
    put_hex(text, request->mcp->trace_seed);
    put_hex(text + 16, ++request->mcp->trace_count);
    request->trace_id = (tr_str){text, ID_LEN};
}

void tr_mcp_trace_join(struct tr_mcp_request *request, tr_str traceparent)
{
    tr_str own;
    tr_str id;
    tr_str copy;
    if (traceparent.len && parse(traceparent, &id) &&
        !parse(parent_of(request), &own) &&
        tr_arena_copy(&request->arena, id, &copy))
        request->trace_id = copy;
}

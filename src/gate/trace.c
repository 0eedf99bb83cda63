#include "gate/trace.h"

#include "base/ascii.h"
#include "crypto/random.h"
#include "http/exchange.h"

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
bool tr_gate_trace_parse(tr_str traceparent, tr_str *out)
{
    if (traceparent.len < 55 || traceparent.ptr[2] != '-' ||
        traceparent.ptr[35] != '-' || traceparent.ptr[52] != '-')
        return false;
    tr_str version = {traceparent.ptr, 2};
    tr_str id = {traceparent.ptr + 3, TR_GATE_TRACE_LEN};
    if (!is_hex(version) || tr_str_eq(version, TR_STR("ff")) || !is_id(id) ||
        !is_id((tr_str){traceparent.ptr + 36, PARENT_LEN}) ||
        !is_hex((tr_str){traceparent.ptr + 53, 2}))
        return false;
    if (traceparent.len > 55 &&
        (traceparent.ptr[55] != '-' || tr_str_eq(version, TR_STR("00"))))
        return false;
    *out = id;
    return true;
}

tr_str tr_gate_trace_of(const struct tr_http_request *http)
{
    tr_str found = {NULL, 0};
    size_t count = 0;
    for (size_t i = 0; i < http->header_count; i++) {
        tr_http_field field = tr_http_header_at(http, i);
        if (!tr_http_same_name(field.name, TR_STR("traceparent")))
            continue;
        found = field.value;
        count++;
    }
    return count == 1 ? found : TR_STR("");
}

static void put_hex(char *to, uint64_t value)
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 16; i > 0; i--) {
        to[i - 1] = digits[value & 15];
        value >>= 4;
    }
}

tr_status tr_gate_traces_init(struct tr_gate_traces *traces, struct tr_err *err)
{
    traces->count = 0;
    return tr_crypto_random_bytes(&traces->seed, sizeof(traces->seed), err);
}

void tr_gate_trace_make(struct tr_gate_traces *traces,
                        char to[TR_GATE_TRACE_LEN])
{
    put_hex(to, traces->seed);
    put_hex(to + 16, ++traces->count);
}

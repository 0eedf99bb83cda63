#include "runtime/wire_error.h"

/* What is written to now is free again soon. */
#define RETRY_AFTER_S 1

struct tr_call_wire_error tr_call_wire_error(tr_status status, bool own_codes)
{
    /* In 2026-07-28 the codes of applications move out of MCP's range. */
    static const struct {
        int seed;
        int own;
        int http;
        bool is_ours;
        bool is_hidden;
    } table[] = {
        [TR_OK] = {0, 0, 200, false, false},
        [TR_E_NOMEM] = {-32603, -32603, 507, true, true},
        [TR_E_SYNTAX] = {-32602, -32602, 400, false, false},
        [TR_E_INVALID] = {-32602, -32602, 400, false, false},
        [TR_E_VALIDATION] = {-32602, -32602, 422, false, false},
        [TR_E_UNAUTHENTICATED] = {-32001, -31001, 401, false, false},
        [TR_E_SCOPE] = {-32004, -31004, 403, false, false},
        [TR_E_POLICY] = {-32002, -31002, 403, false, false},
        [TR_E_BUDGET] = {-32003, -31003, 429, false, false},
        [TR_E_PRECONDITION] = {-32602, -32602, 409, false, false},
        [TR_E_NOT_FOUND] = {-32602, -32602, 404, false, false},
        [TR_E_CONFLICT] = {-32602, -32602, 409, false, false},
        [TR_E_LIMIT] = {-32603, -32603, 503, true, false},
        [TR_E_TIMEOUT] = {-32603, -32603, 503, true, false},
        [TR_E_CANCELLED] = {-32603, -32603, 503, true, false},
        [TR_E_UNAVAILABLE] = {-32005, -31005, 503, true, false},
        [TR_E_UNSUPPORTED] = {-32602, -32602, 400, false, false},
        [TR_E_IO] = {-32603, -32603, 500, true, true},
        [TR_E_INTERNAL] = {-32603, -32603, 500, true, true},
    };
    size_t row = (size_t)status < TR_LEN(table) ? status : TR_E_INTERNAL;
    return (struct tr_call_wire_error){
        .code = own_codes ? table[row].own : table[row].seed,
        .seed_code = table[row].seed,
        .http = table[row].http,
        .is_ours = table[row].is_ours,
        .is_hidden = table[row].is_hidden,
        .is_hosts = status == TR_E_UNAUTHENTICATED || status == TR_E_SCOPE,
        .retry_after_s = status == TR_E_UNAVAILABLE ? RETRY_AFTER_S : 0,
    };
}

#include "base/ascii.h"
#include "http/bytes.h"
#include "http/exchange.h"

bool tr_http_same_name(tr_str a, tr_str b)
{
    if (a.len != b.len)
        return false;
    for (size_t i = 0; i < a.len; i++) {
        if (!tr_ascii_is_same(a.ptr[i], b.ptr[i]))
            return false;
    }
    return true;
}

tr_http_field tr_http_header_at(const struct tr_http_request *request, size_t i)
{
    const struct tr_http_span *span = &request->spans[i];
    return (tr_http_field){
        .name = {request->bytes + span->name, span->name_len},
        .value = {request->bytes + span->value, span->value_len},
    };
}

bool tr_http_header_find(const struct tr_http_request *request, tr_str name,
                         tr_str *out)
{
    for (size_t i = 0; i < request->header_count; i++) {
        if (request->spans[i].name_len != name.len)
            continue;
        tr_http_field field = tr_http_header_at(request, i);
        if (tr_http_same_name(field.name, name)) {
            *out = field.value;
            return true;
        }
    }
    return false;
}

tr_str tr_http_header(const struct tr_http_request *request, tr_str name)
{
    tr_str value = {NULL, 0};
    (void)tr_http_header_find(request, name, &value);
    return value;
}

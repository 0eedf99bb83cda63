#include "base/ascii.h"
#include "http/bytes.h"
#include "http/exchange.h"

/* Mostly others write them as we do. */
bool tr_http_same_letters(const char *a, const char *b, size_t len)
{
    if (len == 0 || memcmp(a, b, len) == 0)
        return true;
    for (size_t i = 0; i < len; i++) {
        if (!tr_ascii_is_same(a[i], b[i]))
            return false;
    }
    return true;
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

/* The forms of a request target: RFC 9112, section 3.2. */
#include "base/text.h"
#include "http/bytes.h"
#include "http/head.h"

static bool starts_without_case(tr_str s, tr_str prefix)
{
    return s.len >= prefix.len &&
           tr_http_same_name((tr_str){s.ptr, prefix.len}, prefix);
}

/* RFC 3986, section 2.1: two hexadecimal digits follow every '%'. */
static bool has_good_escapes(tr_str s)
{
    for (size_t i = 0; i < s.len; i++) {
        if (s.ptr[i] == '%' && !tr_percent_is_encoded(s, i))
            return false;
    }
    return true;
}

/* Cuts scheme and authority off; an empty path means "/". */
static bool split_absolute(tr_str *target, tr_str *host)
{
    tr_str rest;
    if (starts_without_case(*target, TR_STR("http://")))
        rest = tr_str_skip(*target, 7);
    else if (starts_without_case(*target, TR_STR("https://")))
        rest = tr_str_skip(*target, 8);
    else
        return false;
    size_t len = 0;
    while (len < rest.len && rest.ptr[len] != '/' && rest.ptr[len] != '?')
        len++;
    *host = (tr_str){rest.ptr, len};
    *target = tr_str_skip(rest, len);
    return len > 0 && tr_http_all(*host, TR_HTTP_HOST);
}

bool tr_http_target_split(tr_str method, tr_str target,
                          struct tr_http_request *out)
{
    tr_str rest = target;
    tr_str host = {NULL, 0};
    out->host = host;
    out->query = (tr_str){NULL, 0};
    if (tr_str_eq(target, TR_STR("*"))) {
        out->path = target;
        return tr_str_eq(method, TR_STR("OPTIONS"));
    }
    if (!has_good_escapes(target))
        return false;
    if (target.ptr[0] != '/' && !split_absolute(&rest, &host))
        return false;
    out->host = host;
    if (!tr_str_cut(rest, '?', &out->path, &out->query))
        out->path = rest;
    if (out->path.len == 0)
        out->path = TR_STR("/");
    return true;
}

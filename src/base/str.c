#include "base/str.h"

int tr_str_cmp(tr_str a, tr_str b)
{
    size_t shared = a.len < b.len ? a.len : b.len;
    int order = shared ? memcmp(a.ptr, b.ptr, shared) : 0;
    return order ? order : (a.len > b.len) - (a.len < b.len);
}

tr_str tr_str_skip(tr_str s, size_t from)
{
    if (from >= s.len)
        return (tr_str){NULL, 0};
    return (tr_str){s.ptr + from, s.len - from};
}

bool tr_str_cut(tr_str s, char sep, tr_str *before, tr_str *after)
{
    const char *at = s.len ? memchr(s.ptr, sep, s.len) : NULL;
    if (!at)
        return false;
    size_t len = (size_t)(at - s.ptr);
    *before = (tr_str){s.ptr, len};
    *after = (tr_str){at + 1, s.len - len - 1};
    return true;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

tr_str tr_str_trim(tr_str s)
{
    while (s.len && is_blank(s.ptr[0]))
        s = tr_str_skip(s, 1);
    while (s.len && is_blank(s.ptr[s.len - 1]))
        s.len--;
    return s;
}

bool tr_str_to_i64(tr_str s, int64_t *out)
{
    bool negative = s.len && s.ptr[0] == '-';
    size_t i = negative;
    /* Counting down reaches INT64_MIN, which has no positive counterpart. */
    int64_t value = 0;

    if (i == s.len)
        return false;
    for (; i < s.len; i++) {
        int digit = s.ptr[i] - '0';
        if (digit < 0 || digit > 9)
            return false;
        if (value < (INT64_MIN + digit) / 10)
            return false;
        value = value * 10 - digit;
    }
    if (!negative && value == INT64_MIN)
        return false;
    *out = negative ? value : -value;
    return true;
}

#include "access/bearer.h"
#include "base/ascii.h"
#include "base/limits.h"

/* RFC 6750, 2.1: 1*( ALPHA / DIGIT / "-" / "." / "_" / "~" / "+" / "/" ) *"="
 */
static bool is_token_letter(char c)
{
    return tr_ascii_is_alnum(c) || (c && strchr("-._~+/", c));
}

static bool is_scheme(tr_str word)
{
    static const char scheme[] = "bearer";
    size_t i = 0;
    while (i < word.len && i < sizeof(scheme) - 1 &&
           (word.ptr[i] | 0x20) == scheme[i])
        i++;
    return i == word.len && i == sizeof(scheme) - 1;
}

tr_status tr_bearer_parse(tr_str header, tr_str *out, struct tr_err *err)
{
    tr_str word = header;
    tr_str token = {NULL, 0};
    if (!tr_str_cut(header, ' ', &word, &token))
        word = header;
    if (!is_scheme(word))
        return tr_fail(err, TR_E_NOT_FOUND, "this is no bearer token");
    token = tr_str_trim(token);
    size_t i = 0;
    while (i < token.len && is_token_letter(token.ptr[i]))
        i++;
    size_t letters = i;
    while (i < token.len && token.ptr[i] == '=')
        i++;
    if (!letters || i < token.len || token.len > TR_LIMIT_BEARER_BYTES)
        return tr_fail(err, TR_E_SYNTAX, "what follows 'Bearer' is no token");
    *out = token;
    return TR_OK;
}

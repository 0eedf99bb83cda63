#include "base/ascii.h"
#include "cap/rules.h"

static bool is_letter_or_hyphen(char c)
{
    return tr_ascii_is_letter(c) || c == '-';
}

/* Digits without a leading zero, from the front of `*text`. */
static bool scan_number(tr_str *text)
{
    size_t len = 0;
    while (len < text->len && tr_ascii_is_digit(text->ptr[len]))
        len++;
    if (len == 0 || (len > 1 && text->ptr[0] == '0'))
        return false;
    *text = tr_str_skip(*text, len);
    return true;
}

static bool scan_char(tr_str *text, char c)
{
    if (text->len == 0 || text->ptr[0] != c)
        return false;
    *text = tr_str_skip(*text, 1);
    return true;
}

/* One identifier; in a pre-release a number has no leading zero. */
static bool scan_identifier(tr_str *text, bool is_build)
{
    size_t len = 0;
    bool has_letter = false;
    while (len < text->len && (tr_ascii_is_digit(text->ptr[len]) ||
                               is_letter_or_hyphen(text->ptr[len])))
        has_letter |= is_letter_or_hyphen(text->ptr[len++]);
    if (len == 0 ||
        (!is_build && !has_letter && len > 1 && text->ptr[0] == '0'))
        return false;
    *text = tr_str_skip(*text, len);
    return true;
}

static bool scan_identifiers(tr_str *text, bool is_build)
{
    do {
        if (!scan_identifier(text, is_build))
            return false;
    } while (scan_char(text, '.'));
    return true;
}

/* https://semver.org, 2.0.0, items 2, 9 and 10 */
bool tr_cap_is_semver(tr_str text)
{
    if (!scan_number(&text) || !scan_char(&text, '.') || !scan_number(&text) ||
        !scan_char(&text, '.') || !scan_number(&text))
        return false;
    if (scan_char(&text, '-') && !scan_identifiers(&text, false))
        return false;
    if (scan_char(&text, '+') && !scan_identifiers(&text, true))
        return false;
    return text.len == 0;
}

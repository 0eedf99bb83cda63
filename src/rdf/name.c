#include "base/ascii.h"
#include "base/text.h"
#include "rdf/iri.h"

#include <strings.h>

/* tr_ascii_is_digit takes a char, which a code point may not fit into. */
static bool is_digit(uint32_t c)
{
    return c < 0x80 && tr_ascii_is_digit((char)c);
}

/* PN_CHARS_BASE above ASCII. */
static const uint32_t base_ranges[][2] = {
    {0x00C0, 0x00D6}, {0x00D8, 0x00F6}, {0x00F8, 0x02FF}, {0x0370, 0x037D},
    {0x037F, 0x1FFF}, {0x200C, 0x200D}, {0x2070, 0x218F}, {0x2C00, 0x2FEF},
    {0x3001, 0xD7FF}, {0xF900, 0xFDCF}, {0xFDF0, 0xFFFD}, {0x10000, 0xEFFFF},
};

static bool is_base(uint32_t c)
{
    if (c < 0x80)
        return tr_ascii_is_letter((char)c);
    for (size_t i = 0; i < TR_LEN(base_ranges); i++) {
        if (c >= base_ranges[i][0] && c <= base_ranges[i][1])
            return true;
    }
    return false;
}

bool tr_rdf_is_name_start(uint32_t c)
{
    return is_base(c) || c == '_';
}

bool tr_rdf_is_name_char(uint32_t c)
{
    return is_base(c) || is_digit(c) || c == '_' || c == '-' || c == 0xB7 ||
           (c >= 0x0300 && c <= 0x036F) || c == 0x203F || c == 0x2040;
}

/* Bytes of the next character, 0 at the end or when it is no UTF-8. */
static size_t next_char(tr_str s, size_t at, uint32_t *out)
{
    if (at >= s.len)
        return 0;
    if ((s.ptr[at] & 0x80) == 0) {
        *out = (unsigned char)s.ptr[at];
        return 1;
    }
    return tr_utf8_decode(tr_str_skip(s, at), out);
}

/* Name characters, dots, and what `more` has, from `at` on; the end is after
 * the last one that is no dot. */
static size_t tail_end(tr_str s, size_t at, const char *more)
{
    size_t end = at;
    uint32_t c = 0;
    for (;;) {
        size_t len = next_char(s, at, &c);
        bool is_more = c && c < 0x80 && strchr(more, (int)c);
        if (len == 0 || !(c == '.' || is_more || tr_rdf_is_name_char(c)))
            return end;
        at += len;
        if (c != '.')
            end = at;
    }
}

size_t tr_rdf_label_len(tr_str s)
{
    uint32_t c = 0;
    size_t len = next_char(s, 0, &c);
    if (len == 0 || !(tr_rdf_is_name_start(c) || is_digit(c)))
        return 0;
    return tail_end(s, len, "");
}

static size_t language_part(tr_str s, size_t at, bool with_digits)
{
    size_t end = at;
    while (end < s.len && (tr_ascii_is_letter(s.ptr[end]) ||
                           (with_digits && tr_ascii_is_digit(s.ptr[end]))))
        end++;
    return end;
}

size_t tr_rdf_language_len(tr_str s)
{
    size_t end = language_part(s, 0, false);
    while (end && end + 1 < s.len && s.ptr[end] == '-') {
        size_t part = language_part(s, end + 1, true);
        if (part == end + 1)
            break;
        end = part;
    }
    return end;
}

bool tr_rdf_language_eq(tr_str a, tr_str b)
{
    return a.len == b.len &&
           (a.len == 0 || strncasecmp(a.ptr, b.ptr, a.len) == 0);
}

bool tr_rdf_is_plain_local(tr_str s)
{
    uint32_t c = 0;
    size_t len = next_char(s, 0, &c);
    if (s.len == 0)
        return true;
    if (len == 0 || !(tr_rdf_is_name_start(c) || is_digit(c) || c == ':'))
        return false;
    return tail_end(s, len, ":") == s.len;
}

bool tr_rdf_is_prefix(tr_str s)
{
    uint32_t c = 0;
    size_t len = next_char(s, 0, &c);
    return s.len == 0 || (len && is_base(c) && tail_end(s, len, "") == s.len);
}

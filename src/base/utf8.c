#include "base/text.h"

static bool is_continuation(unsigned char byte)
{
    return (byte & 0xC0) == 0x80;
}

/*
 * RFC 3629, section 4: the first byte decides the length and narrows the
 * second one; that is what rules out overlong forms and surrogates.
 */
size_t tr_utf8_sequence(tr_str s)
{
    const unsigned char *b = (const unsigned char *)s.ptr;

    if (s.len == 0)
        return 0;
    if (b[0] < 0x80)
        return 1;
    if (b[0] < 0xC2 || b[0] > 0xF4 || s.len < 2)
        return 0;
    if (b[0] < 0xE0)
        return is_continuation(b[1]) ? 2 : 0;

    unsigned char low = b[0] == 0xE0 ? 0xA0 : b[0] == 0xF0 ? 0x90 : 0x80;
    unsigned char high = b[0] == 0xED ? 0x9F : b[0] == 0xF4 ? 0x8F : 0xBF;
    size_t len = b[0] < 0xF0 ? 3 : 4;
    if (s.len < len || b[1] < low || b[1] > high || !is_continuation(b[2]))
        return 0;
    return len == 3 || is_continuation(b[3]) ? len : 0;
}

size_t tr_utf8_decode(tr_str s, uint32_t *out)
{
    static const unsigned char first_mask[] = {0, 0x7F, 0x1F, 0x0F, 0x07};
    size_t len = tr_utf8_sequence(s);
    if (len == 0)
        return 0;

    uint32_t code_point = (unsigned char)s.ptr[0] & first_mask[len];
    for (size_t i = 1; i < len; i++)
        code_point = code_point << 6 | ((unsigned char)s.ptr[i] & 0x3F);
    *out = code_point;
    return len;
}

size_t tr_utf8_encode(uint32_t code_point, char out[4])
{
    if (code_point > 0x10FFFF || (code_point >= 0xD800 && code_point < 0xE000))
        return 0;
    if (code_point < 0x80) {
        out[0] = (char)code_point;
        return 1;
    }

    size_t len = code_point < 0x800 ? 2 : code_point < 0x10000 ? 3 : 4;
    static const unsigned char first_bits[] = {0, 0, 0xC0, 0xE0, 0xF0};
    for (size_t i = len - 1; i > 0; i--) {
        out[i] = (char)(0x80 | (code_point & 0x3F));
        code_point >>= 6;
    }
    out[0] = (char)(first_bits[len] | code_point);
    return len;
}

/* Bytes of plain ASCII `s` starts with, looked at eight at a time. */
static size_t ascii_len(tr_str s)
{
    size_t i = 0;
    for (; i + 8 <= s.len; i += 8) {
        uint64_t eight;
        memcpy(&eight, s.ptr + i, 8);
        if (eight & UINT64_C(0x8080808080808080))
            break;
    }
    while (i < s.len && (unsigned char)s.ptr[i] < 0x80)
        i++;
    return i;
}

size_t tr_utf8_valid_len(tr_str s)
{
    size_t i = 0;
    while (i < s.len) {
        tr_str rest = {s.ptr + i, s.len - i};
        size_t step = (unsigned char)s.ptr[i] < 0x80 ? ascii_len(rest)
                                                     : tr_utf8_sequence(rest);
        if (step == 0)
            break;
        i += step;
    }
    return i;
}

tr_str tr_utf8_cut(tr_str s, size_t max)
{
    s.len = s.len < max ? s.len : max;
    s.len = tr_utf8_valid_len(s);
    return s;
}

void tr_utf8_mend(char *text, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        i += tr_utf8_valid_len((tr_str){text + i, len - i});
        if (i < len)
            text[i] = '?';
    }
}

/* Line and paragraph separators, embeddings, overrides and isolates. */
static bool turns_text(uint32_t c)
{
    return (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

size_t tr_utf8_control(tr_str s)
{
    uint32_t c = 0;
    size_t bytes = tr_utf8_decode(s, &c);
    bool obeyed = c < ' ' || (c >= 0x7f && c < 0xa0) || turns_text(c);
    return bytes && obeyed ? bytes : 0;
}

size_t tr_utf8_count(tr_str s)
{
    size_t count = 0;
    for (size_t i = 0; i < s.len; i++)
        count += !is_continuation((unsigned char)s.ptr[i]);
    return count;
}

/*
 * base/scan.h - look at eight bytes at once.
 *
 * The bit trick behind all of it: for a word of eight bytes, (x - 0x01..01) &
 * ~x & 0x80..80 marks the lowest byte that is zero. Marks above the lowest one
 * may be wrong, so only the lowest is ever used.
 */
#ifndef TR_BASE_SCAN_H
#define TR_BASE_SCAN_H

#include "base/str.h"

#define TR_SCAN_ONES  UINT64_C(0x0101010101010101)
#define TR_SCAN_HIGHS UINT64_C(0x8080808080808080)

/* Eight bytes, the first one lowest whatever the machine's order. */
static inline uint64_t tr_scan_load(const char *bytes)
{
    uint64_t word;
    memcpy(&word, bytes, sizeof(word));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

/* Index of the byte that the lowest mark stands for. */
static inline size_t tr_scan_first(uint64_t marks)
{
    return (size_t)__builtin_ctzll(marks) >> 3;
}

static inline uint64_t tr_scan_equal(uint64_t word, unsigned char byte)
{
    uint64_t x = word ^ (TR_SCAN_ONES * byte);
    return (x - TR_SCAN_ONES) & ~x & TR_SCAN_HIGHS;
}

/* Marks a quote, a backslash or a control character. */
static inline uint64_t tr_scan_json_special(uint64_t word)
{
    uint64_t control = (word - TR_SCAN_ONES * 0x20) & ~word & TR_SCAN_HIGHS;
    return control | tr_scan_equal(word, '"') | tr_scan_equal(word, '\\');
}

static inline bool tr_is_json_special(char c)
{
    return (unsigned char)c < 0x20 || c == '"' || c == '\\';
}

/* Bytes before the first that a JSON string must escape. */
static inline size_t tr_scan_json_text(tr_str s)
{
    size_t i = 0;
    for (; i + 8 <= s.len; i += 8) {
        uint64_t marks = tr_scan_json_special(tr_scan_load(s.ptr + i));
        if (marks)
            return i + tr_scan_first(marks);
    }
    while (i < s.len && !tr_is_json_special(s.ptr[i]))
        i++;
    return i;
}

/* As tr_scan_json_text, but stops before a byte that is not ASCII too. */
static inline size_t tr_scan_json_ascii(tr_str s)
{
    size_t i = 0;
    for (; i + 8 <= s.len; i += 8) {
        uint64_t word = tr_scan_load(s.ptr + i);
        uint64_t marks = tr_scan_json_special(word) | (word & TR_SCAN_HIGHS);
        if (marks)
            return i + tr_scan_first(marks);
    }
    while (i < s.len && !tr_is_json_special(s.ptr[i]) &&
           (unsigned char)s.ptr[i] < 0x80)
        i++;
    return i;
}

#endif

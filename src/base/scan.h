/*
 * base/scan.h - tell plain text in JSON strings from the rest, quickly.
 *
 * "Special" is what a JSON string must escape: a quote, a backslash or a
 * control character. Marks are bit sets: bit i stands for byte i. Everything
 * rests on two primitives, which x86-64 does in one step and other machines
 * in two words of eight bytes.
 */
#ifndef TR_BASE_SCAN_H
#define TR_BASE_SCAN_H

#include "base/str.h"

#define TR_SCAN_STEP 16

#ifdef __SSE2__
#    include <emmintrin.h>

/* Marks special bytes; with `ascii`, bytes that are not ASCII as well. */
static inline uint32_t tr_scan_bytes(__m128i bytes, bool ascii)
{
    __m128i quote = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('"'));
    __m128i backslash = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\'));
    __m128i last_control = _mm_set1_epi8(0x1F);
    __m128i control =
        _mm_cmpeq_epi8(_mm_max_epu8(bytes, last_control), last_control);
    __m128i marks = _mm_or_si128(control, _mm_or_si128(quote, backslash));
    return (uint32_t)_mm_movemask_epi8(ascii ? _mm_or_si128(marks, bytes)
                                             : marks);
}

static inline uint32_t tr_scan_step(const char *at, bool ascii)
{
    return tr_scan_bytes(_mm_loadu_si128((const __m128i *)(const void *)at),
                         ascii);
}

static inline uint32_t tr_scan_words(uint64_t a, uint64_t b)
{
    return tr_scan_bytes(_mm_set_epi64x((long long)b, (long long)a), true);
}

#else

/* The high bit of each byte that is zero, exactly. */
static inline uint64_t tr_scan_zeros(uint64_t word)
{
    const uint64_t low = UINT64_C(0x7F7F7F7F7F7F7F7F);
    return ~(((word & low) + low) | word | low);
}

/* Marks special bytes; with `ascii`, bytes that are not ASCII as well. */
static inline uint32_t tr_scan_word(uint64_t word, bool ascii)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    uint64_t marks = tr_scan_zeros(word & ones * 0xE0) |
                     tr_scan_zeros(word ^ ones * '"') |
                     tr_scan_zeros(word ^ ones * '\\');
    if (ascii)
        marks |= word & ones * 0x80;
    /* Gathers the high bits, byte 0 lowest, in the highest byte. */
    return (uint32_t)((marks >> 7) * UINT64_C(0x0102040810204080) >> 56);
}

static inline uint64_t tr_scan_load(const char *at)
{
    uint64_t word = 0;
    for (unsigned i = 0; i < 8; i++)
        word |= (uint64_t)(unsigned char)at[i] << 8 * i;
    return word;
}

static inline uint32_t tr_scan_step(const char *at, bool ascii)
{
    return tr_scan_word(tr_scan_load(at), ascii) |
           tr_scan_word(tr_scan_load(at + 8), ascii) << 8;
}

static inline uint32_t tr_scan_words(uint64_t a, uint64_t b)
{
    return tr_scan_word(a, true) | tr_scan_word(b, true) << 8;
}

#endif

/* Marks what is special or not ASCII in 64 bytes. */
static inline uint64_t tr_scan_64(const char *at)
{
    return (uint64_t)tr_scan_step(at, true) |
           (uint64_t)tr_scan_step(at + 16, true) << 16 |
           (uint64_t)tr_scan_step(at + 32, true) << 32 |
           (uint64_t)tr_scan_step(at + 48, true) << 48;
}

static inline bool tr_is_json_special(char c)
{
    return (unsigned char)c < 0x20 || c == '"' || c == '\\';
}

/* The first special byte at or after `at`, or `end`. */
static inline const char *tr_scan_plain(const char *at, const char *end)
{
    for (; end - at >= TR_SCAN_STEP; at += TR_SCAN_STEP) {
        uint32_t marks = tr_scan_step(at, false);
        if (marks)
            return at + __builtin_ctz(marks);
    }
    while (at < end && !tr_is_json_special(*at))
        at++;
    return at;
}

/* The first byte at or after `at` that is special or not ASCII, or `end`. */
static inline const char *tr_scan_plain_ascii(const char *at, const char *end)
{
    for (; end - at >= TR_SCAN_STEP; at += TR_SCAN_STEP) {
        uint32_t marks = tr_scan_step(at, true);
        if (marks)
            return at + __builtin_ctz(marks);
    }
    while (at < end && !tr_is_json_special(*at) && (*at & 0x80) == 0)
        at++;
    return at;
}

/*
 * As tr_copy_plain_ascii, for up to 16 bytes. Two words that overlap in the
 * middle take less time than a loop over the bytes.
 */
static inline bool tr_copy_short_plain_ascii(char *to, tr_str s)
{
    if (s.len >= 8) {
        uint64_t first;
        uint64_t last;
        memcpy(&first, s.ptr, 8);
        memcpy(&last, s.ptr + s.len - 8, 8);
        memcpy(to, &first, 8);
        memcpy(to + s.len - 8, &last, 8);
        return tr_scan_words(first, last) == 0;
    }
    if (s.len >= 4) {
        uint32_t first;
        uint32_t last;
        memcpy(&first, s.ptr, 4);
        memcpy(&last, s.ptr + s.len - 4, 4);
        memcpy(to, &first, 4);
        memcpy(to + s.len - 4, &last, 4);
        uint64_t both = (uint64_t)first << 32 | last;
        return tr_scan_words(both, both) == 0;
    }
    bool plain = true;
    for (size_t i = 0; i < s.len; i++) {
        to[i] = s.ptr[i];
        plain &= !tr_is_json_special(s.ptr[i]) && (s.ptr[i] & 0x80) == 0;
    }
    return plain;
}

/*
 * Copies `s` to `to` and tells whether all of it is ASCII that a JSON string
 * can hold as it is. When it is not, what stands at `to` is of no use.
 */
static inline bool tr_copy_plain_ascii(char *to, tr_str s)
{
    if (s.len <= 16)
        return tr_copy_short_plain_ascii(to, s);
    memcpy(to, s.ptr, s.len);
    const char *end = s.ptr + s.len;
    return tr_scan_plain_ascii(s.ptr, end) == end;
}

#endif

/*
 * base/str.h - a view of bytes that somebody else owns.
 *
 * Not terminated, may contain NUL, never freed through the view. Passed by
 * value. An empty view may have a NULL `ptr`.
 */
#ifndef TR_BASE_STR_H
#define TR_BASE_STR_H

#include "base/compiler.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct tr_str {
    const char *ptr;
    size_t len;
} tr_str;

/* A view of a string literal; the INIT form stands in static initialisers. */
#define TR_STR_INIT(literal)                                                   \
    {                                                                          \
        (literal), sizeof(literal) - 1                                         \
    }
#define TR_STR(literal) ((tr_str)TR_STR_INIT(literal))

/* The two arguments of "%.*s". */
#define TR_FMT(s) (int)((s).len), (s).ptr

/* A view of a NUL-terminated string; NULL gives the empty view. */
static inline tr_str tr_str_from(const char *text)
{
    return (tr_str){text, text ? strlen(text) : 0};
}

static inline bool tr_str_eq(tr_str a, tr_str b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

static inline bool tr_str_starts(tr_str s, tr_str prefix)
{
    return s.len >= prefix.len &&
           (prefix.len == 0 || memcmp(s.ptr, prefix.ptr, prefix.len) == 0);
}

/* Order of the bytes, shorter first where one is the start of the other. */
int tr_str_cmp(tr_str a, tr_str b);

/* Everything from byte `from` on; past the end it is empty. */
tr_str tr_str_skip(tr_str s, size_t from);

/* Splits at the first `sep`; false, and nothing written, when there is none. */
bool tr_str_cut(tr_str s, char sep, tr_str *before, tr_str *after);

/* Without spaces, tabs and line ends at both ends. */
tr_str tr_str_trim(tr_str s);

/* The whole of `s` as a decimal integer with an optional '-'. */
bool tr_str_to_i64(tr_str s, int64_t *out);

#endif

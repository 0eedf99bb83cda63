/*
 * base/ascii.h - the classes of ASCII. ctype.h would ask the locale.
 *
 * A byte outside ASCII is in none of them.
 */
#ifndef TR_BASE_ASCII_H
#define TR_BASE_ASCII_H

#include <stdbool.h>

static inline bool tr_ascii_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static inline bool tr_ascii_is_lower(char c)
{
    return c >= 'a' && c <= 'z';
}

static inline bool tr_ascii_is_upper(char c)
{
    return c >= 'A' && c <= 'Z';
}

static inline bool tr_ascii_is_letter(char c)
{
    return tr_ascii_is_lower(c) || tr_ascii_is_upper(c);
}

/* A letter or a digit. */
static inline bool tr_ascii_is_alnum(char c)
{
    return tr_ascii_is_letter(c) || tr_ascii_is_digit(c);
}

/* A capital letter in lower case, and everything else as it is. */
static inline char tr_ascii_to_lower(char c)
{
    return (char)(tr_ascii_is_upper(c) ? c | 0x20 : c);
}

/* Whether they are the same, or the same letter in two cases. */
static inline bool tr_ascii_is_same(char a, char b)
{
    return a == b || ((a ^ b) == 0x20 && tr_ascii_is_letter(a));
}

/* The value of a hexadecimal digit in either case, -1 when it is none. */
static inline int tr_ascii_hex_value(char c)
{
    if (tr_ascii_is_digit(c))
        return c - '0';
    char lower = (char)(c | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

#endif

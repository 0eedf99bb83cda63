#include "base/ascii.h"
#include "rdf/iri.h"

#include <strings.h>

/* Tags that are older than the grammar and do not follow it (BCP 47, 2.1,
 * irregular and regular). */
static const char *const grandfathered[] = {
    "en-GB-oed", "i-ami",     "i-bnn",      "i-default",   "i-enochian",
    "i-hak",     "i-klingon", "i-lux",      "i-mingo",     "i-navajo",
    "i-pwn",     "i-tao",     "i-tay",      "i-tsu",       "sgn-BE-FR",
    "sgn-BE-NL", "sgn-CH-DE", "art-lojban", "cel-gaulish", "no-bok",
    "no-nyn",    "zh-guoyu",  "zh-hakka",   "zh-min",      "zh-min-nan",
    "zh-xiang",
};

static bool is_grandfathered(tr_str tag)
{
    for (size_t i = 0; i < TR_LEN(grandfathered); i++) {
        if (tr_rdf_language_eq(tag, tr_str_from(grandfathered[i])))
            return true;
    }
    return false;
}

/* A subtag: its length, and what it is made of. */
struct subtag {
    size_t len;
    bool is_alpha;
    bool is_digits;
    char first;
};

/* The next subtag of *rest, which moves behind it and its hyphen; of length 0
 * at the end. What is neither letter nor digit makes it too long. */
static struct subtag peek(tr_str rest)
{
    struct subtag sub = {.is_alpha = true, .is_digits = true};
    for (; sub.len < rest.len && rest.ptr[sub.len] != '-'; sub.len++) {
        char c = rest.ptr[sub.len];
        sub.is_alpha &= tr_ascii_is_letter(c);
        sub.is_digits &= tr_ascii_is_digit(c);
        if (!tr_ascii_is_alnum(c))
            return (struct subtag){.len = SIZE_MAX};
    }
    sub.first = rest.len ? rest.ptr[0] : '\0';
    return sub;
}

static void skip(tr_str *rest, struct subtag sub)
{
    *rest = tr_str_skip(*rest, sub.len + 1);
}

/* Subtags of `min` to 8 characters; false when there is none. */
static bool take_all(tr_str *rest, size_t min)
{
    size_t count = 0;
    for (;; count++) {
        struct subtag sub = peek(*rest);
        if (sub.len < min || sub.len > 8)
            return count > 0;
        skip(rest, sub);
    }
}

static void take_extlangs(tr_str *rest)
{
    for (int i = 0; i < 3; i++) {
        struct subtag sub = peek(*rest);
        if (sub.len != 3 || !sub.is_alpha)
            return;
        skip(rest, sub);
    }
}

static bool is_variant(struct subtag sub)
{
    return (sub.len >= 5 && sub.len <= 8) ||
           (sub.len == 4 && tr_ascii_is_digit(sub.first));
}

static bool is_region(struct subtag sub)
{
    return (sub.len == 2 && sub.is_alpha) || (sub.len == 3 && sub.is_digits);
}

static bool take_tail(tr_str *rest)
{
    struct subtag sub = peek(*rest);
    if (sub.len == 4 && sub.is_alpha) {
        skip(rest, sub);
        sub = peek(*rest);
    }
    if (is_region(sub))
        skip(rest, sub);
    while (is_variant(peek(*rest)))
        skip(rest, peek(*rest));
    while (rest->len) {
        sub = peek(*rest);
        if (sub.len != 1)
            return false;
        skip(rest, sub);
        bool is_private = sub.first == 'x' || sub.first == 'X';
        if (!take_all(rest, is_private ? 1 : 2))
            return false;
    }
    return true;
}

bool tr_rdf_language_is_valid(tr_str tag)
{
    tr_str rest = tag;
    struct subtag sub = peek(rest);
    if (tag.len == 0 || tag.ptr[tag.len - 1] == '-')
        return false;
    if (sub.len == 2 && sub.is_alpha && tag.len == 2)
        return true; /* nearly all of them */
    if (is_grandfathered(tag))
        return true;
    if (sub.len == 1 && (sub.first == 'x' || sub.first == 'X')) {
        skip(&rest, sub);
        return take_all(&rest, 1) && rest.len == 0;
    }
    if (sub.len < 2 || sub.len > 8 || !sub.is_alpha)
        return false;
    skip(&rest, sub);
    if (sub.len <= 3)
        take_extlangs(&rest);
    return take_tail(&rest);
}

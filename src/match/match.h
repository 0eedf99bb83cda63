/*
 * match/match.h - Lua's patterns (Lua 5.4 manual, section 6.4.1) with a bound.
 *
 * A pattern is compiled once and then tried at as many offsets as needed; every
 * step costs one of the steps that were granted. Recursion is at most as deep
 * as the pattern has items. This file knows nothing of Lua states and never
 * raises.
 */
#ifndef TR_MATCH_MATCH_H
#define TR_MATCH_MATCH_H

#include "base/err.h"

#define TR_MATCH_CAPTURES 32
#define TR_MATCH_ITEMS    256

enum tr_match_kind {
    TR_MATCH_TEXT, /* characters that stand for themselves */
    TR_MATCH_ONE,  /* a character of a set, as often as `repeat` says */
    TR_MATCH_OPEN,
    TR_MATCH_POSITION,
    TR_MATCH_CLOSE,
    TR_MATCH_BALANCE,  /* %b */
    TR_MATCH_FRONTIER, /* %f */
    TR_MATCH_SAME,     /* %1 */
    TR_MATCH_END,
};

enum tr_match_repeat {
    TR_MATCH_ONCE,
    TR_MATCH_MAYBE,
    TR_MATCH_MANY, /* * */
    TR_MATCH_SOME, /* + */
    TR_MATCH_FEW,  /* - */
};

/* What a character must be, one bit each. */
struct tr_match_set {
    uint64_t bits[4];
};

static inline bool tr_match_has(const struct tr_match_set *set, unsigned char c)
{
    return set->bits[c / 64] >> c % 64 & 1;
}

struct tr_match_item {
    uint8_t kind;   /* enum tr_match_kind */
    uint8_t repeat; /* enum tr_match_repeat */
    uint8_t number; /* of the capture that it begins, ends or repeats */
    uint8_t open;   /* %b: the opening and the closing character */
    uint8_t close;
    uint32_t len; /* of a literal run */
    union {
        const char *text; /* borrowed from the pattern */
        struct tr_match_set set;
    } as;
};

struct tr_match_pattern {
    size_t count;
    unsigned captures;
    struct tr_match_item items[TR_MATCH_ITEMS];
};

struct tr_match_capture {
    const char *at;
    size_t len;
    bool is_position; /* `()`: where it is, not what is there */
};

/* One subject that patterns are tried on. */
struct tr_match_subject {
    tr_str subject;
    size_t steps; /* that are left */
    bool is_spent;
    struct tr_match_capture captures[TR_MATCH_CAPTURES];
};

/*
 * `pattern` must outlive `out`; a leading '^' is the caller's to take off.
 * TR_E_SYNTAX when it is malformed, TR_E_LIMIT when it has too many items.
 */
TR_NODISCARD tr_status tr_match_compile(tr_str pattern,
                                        struct tr_match_pattern *out,
                                        struct tr_err *err);

/* Grants steps according to the length of the subject. */
void tr_match_begin(struct tr_match_subject *m, tr_str subject);

/*
 * Where the match that begins at `at` ends; NULL when there is none, or when
 * the steps are spent: then `is_spent` is set.
 */
const char *tr_match_at(struct tr_match_subject *m,
                        const struct tr_match_pattern *pattern, const char *at);

/* Whether the pattern has characters that mean more than themselves. */
bool tr_match_is_special(tr_str pattern);

#endif

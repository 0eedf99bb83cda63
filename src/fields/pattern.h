/*
 * fields/pattern.h - regular expressions with a work limit (PCRE2).
 *
 * The dialect is what ECMA-262, XPath and Perl have in common, on code points:
 * unanchored search, `$` only at the very end, \d \w \s are ASCII. A search
 * that does too much fails with TR_E_LIMIT: that is never a match. Patterns
 * belong to a set that frees them together; matching needs no lock.
 */
#ifndef TR_FIELDS_PATTERN_H
#define TR_FIELDS_PATTERN_H

#include "base/arena.h"
#include "base/err.h"

struct tr_field_pattern;

/* The caller's storage; all patterns that were compiled into it. */
struct tr_field_patterns {
    struct tr_field_pattern *newest;
};

enum tr_field_pattern_flags {
    TR_FIELD_PATTERN_CASELESS = 1,
    TR_FIELD_PATTERN_BYTES = 2, /* the subject is bytes, not UTF-8 */
};

#define TR_FIELD_PATTERN_GROUPS 32

/* Where a match is: at[0] the whole, then the groups; from > to is unset. */
struct tr_field_pattern_hit {
    size_t count; /* 0 when there is none */
    struct {
        size_t from;
        size_t to;
    } at[TR_FIELD_PATTERN_GROUPS];
};

/*
 * Compiles once per registration. TR_E_INVALID says what is wrong and at which
 * byte of `source`; TR_E_LIMIT when it is too long or too large.
 */
TR_NODISCARD tr_status tr_field_pattern_compile(
    struct tr_field_patterns *set, tr_str source, unsigned flags,
    const struct tr_field_pattern **out, struct tr_err *err);

/*
 * Whether clients, SHACL and we read a pattern alike (decision 0008): else
 * TR_E_INVALID says what and at which byte. What compiles may still be refused.
 * `is_xpath` lets pass what XPath has and ECMA-262 does not, and we read right.
 */
TR_NODISCARD tr_status tr_field_pattern_check(tr_str source, bool is_xpath,
                                              struct tr_err *err);

/* Frees every pattern of the set; the set may be used again. */
void tr_field_patterns_done(struct tr_field_patterns *set);

/*
 * Whether the pattern occurs anywhere in `subject`. Scratch is in `arena`.
 * Fails with TR_E_LIMIT, TR_E_INVALID (not UTF-8) or TR_E_NOMEM.
 */
TR_NODISCARD tr_status
tr_field_pattern_match(const struct tr_field_pattern *pattern, tr_str subject,
                       struct tr_arena *arena, bool *out, struct tr_err *err);

/* As tr_field_pattern_match, from byte `from` on; *out says where it is. */
TR_NODISCARD tr_status
tr_field_pattern_find(const struct tr_field_pattern *pattern, tr_str subject,
                      size_t from, struct tr_arena *arena,
                      struct tr_field_pattern_hit *out, struct tr_err *err);

#endif

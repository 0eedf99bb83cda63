/*
 * Whether a pattern is in the dialect that clients, SHACL and we read alike:
 * ECMA-262 with the flag u (22.2.1, without Annex B), which is how clients
 * compile what a schema has, less what PCRE2 takes for something else.
 */
#include "base/ascii.h"
#include "fields/pattern.h"
#include "fields/pattern_names.h"

#define MAX_DEPTH 200 /* of groups; PCRE2 has 250 */

/* One pass over a pattern. The first complaint sticks. */
struct scan {
    tr_str source;
    size_t at;
    bool is_xpath;
    bool can_repeat;   /* a quantifier may follow */
    const char *wrong; /* what is, or NULL */
    size_t wrong_at;
    size_t groups;       /* that can be referred to, so far */
    size_t reference;    /* the highest, 0: none */
    size_t reference_at; /* where it stands */
    size_t depth;
    bool is_look[MAX_DEPTH]; /* of each open group: it looks around */
};

static void complain(struct scan *s, size_t at, const char *what)
{
    if (s->wrong)
        return;
    s->wrong = what;
    s->wrong_at = at;
}

/* The character `ahead` of the next; NUL at the end. */
static char peek(const struct scan *s, size_t ahead)
{
    return s->source.len - s->at > ahead ? s->source.ptr[s->at + ahead] : '\0';
}

static bool take(struct scan *s, const char *text)
{
    if (!tr_str_starts(tr_str_skip(s->source, s->at), tr_str_from(text)))
        return false;
    s->at += strlen(text);
    return true;
}

static bool is_one_of(char c, const char *set)
{
    return c && strchr(set, c);
}

static size_t take_digits(struct scan *s)
{
    size_t from = s->at;
    while (tr_ascii_is_digit(peek(s, 0)))
        s->at++;
    return s->at - from;
}

static bool is_hex(char c)
{
    return tr_ascii_hex_value(c) >= 0;
}

static bool take_hex(struct scan *s, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!is_hex(peek(s, i)))
            return false;
    }
    s->at += count;
    return true;
}

/* What follows \u: four digits, or a code point in braces. */
static bool take_code_point(struct scan *s)
{
    if (peek(s, 0) != '{')
        return take_hex(s, 4);
    size_t from = ++s->at;
    while (is_hex(peek(s, 0)))
        s->at++;
    return s->at > from && s->at - from <= 6 && take(s, "}");
}

static bool take_property(struct scan *s)
{
    size_t from = s->at + 1;
    if (peek(s, 0) != '{')
        return false;
    while (peek(s, 0) && peek(s, 0) != '}')
        s->at++;
    tr_str name = {s->source.ptr + from, s->at - from};
    return take(s, "}") && tr_field_pattern_is_name(name);
}

/* An escape that means the same inside a class and outside; `is_set` says that
 * it stands for several characters. */
static void scan_escape(struct scan *s, bool *is_set)
{
    size_t from = s->at++;
    char c = peek(s, 0);
    s->at += c != '\0';
    *is_set = is_one_of(c, "dDsSwWpP");
    if (is_one_of(c, "dDsSwWfnrt^$\\.*+?()[]{}|/"))
        return;
    if (c == 'p' || c == 'P') {
        if (!take_property(s))
            complain(s, from,
                     "a property of characters that ECMA-262 does "
                     "not have");
    } else if (c == 'x') {
        if (!take_hex(s, 2))
            complain(s, from, "\\x without two hexadecimal digits");
    } else if (c == 'u') {
        if (!take_code_point(s))
            complain(s, from, "\\u without a code point");
    } else if (c == '0') {
        if (tr_ascii_is_digit(peek(s, 0)))
            complain(s, from, "an octal escape");
    } else {
        complain(s, from, "an escape that not everybody reads alike");
    }
}

/* One character of a class, or a set of them. */
static void scan_class_atom(struct scan *s, bool *is_set)
{
    *is_set = false;
    if (peek(s, 0) != '\\')
        s->at++;
    else if (is_one_of(peek(s, 1), "-b"))
        s->at += 2;
    else
        scan_escape(s, is_set);
}

static void scan_class(struct scan *s)
{
    size_t from = s->at++;
    (void)take(s, "^");
    while (peek(s, 0) != ']') {
        bool from_set;
        bool to_set;
        if (s->at >= s->source.len) {
            complain(s, from, "a class that does not end");
            return;
        }
        if (peek(s, 0) == '-' && peek(s, 1) == '[')
            complain(s, s->at, "the subtraction of a class");
        scan_class_atom(s, &from_set);
        if (peek(s, 0) != '-' || peek(s, 1) == ']' || !peek(s, 1))
            continue;
        if (peek(s, 1) == '[') /* the next round says so */
            continue;
        size_t dash = s->at++;
        scan_class_atom(s, &to_set);
        if (from_set || to_set)
            complain(s, dash,
                     "a range from or to a set; write \\- for the "
                     "character");
    }
    s->at++;
    s->can_repeat = true;
}

static void scan_name(struct scan *s, size_t from)
{
    size_t begin = s->at;
    while (tr_ascii_is_alnum(peek(s, 0)) || peek(s, 0) == '_')
        s->at++;
    if (s->at == begin || tr_ascii_is_digit(s->source.ptr[begin]) ||
        !take(s, ">"))
        complain(s, from, "a name of a group that is none");
}

static void scan_open(struct scan *s)
{
    size_t from = s->at++;
    bool is_look =
        take(s, "?=") || take(s, "?!") || take(s, "?<=") || take(s, "?<!");
    if (!is_look && take(s, "?<")) {
        scan_name(s, from);
        s->groups++;
    } else if (!is_look && !take(s, "?:")) {
        if (peek(s, 0) == '?')
            complain(s, from, "a group of a kind that ECMA-262 does not have");
        s->groups++;
    }
    if (s->depth == MAX_DEPTH)
        complain(s, from, "more than 200 groups in each other");
    else
        s->is_look[s->depth++] = is_look;
    s->can_repeat = false;
}

static void scan_close(struct scan *s)
{
    if (s->depth == 0)
        complain(s, s->at, "a ) without its (");
    else
        s->can_repeat = !s->is_look[--s->depth];
    s->at++;
}

/* {n}, {n,} or {n,m} */
static bool take_braces(struct scan *s)
{
    s->at++;
    if (!take_digits(s))
        return false;
    if (take(s, ","))
        (void)take_digits(s);
    return take(s, "}");
}

static void scan_quantifier(struct scan *s)
{
    size_t from = s->at;
    if (peek(s, 0) != '{')
        s->at++;
    else if (!take_braces(s))
        complain(s, from, "a { that begins no count; write \\{");
    if (!s->can_repeat)
        complain(s, from, "a quantifier after nothing that can be repeated");
    (void)take(s, "?");
    s->can_repeat = false;
}

/* \12 where there are fewer groups is an octal number to some, the group 1 and
 * a 2 to others. The number is bounded: no pattern has so many groups. */
static void scan_reference(struct scan *s)
{
    size_t from = s->at++;
    size_t number = 0;
    for (; tr_ascii_is_digit(peek(s, 0)); s->at++) {
        if (number <= s->source.len)
            number = number * 10 + (size_t)(peek(s, 0) - '0');
    }
    if (number <= s->reference)
        return;
    s->reference = number;
    s->reference_at = from;
}

/* An escape outside of classes. */
static void scan_outer_escape(struct scan *s)
{
    size_t from = s->at;
    char c = peek(s, 1);
    bool is_set;
    s->can_repeat = true;
    if (c == 'b' || c == 'B') {
        s->at += 2;
        s->can_repeat = false;
    } else if (c >= '1' && c <= '9') {
        scan_reference(s);
    } else if (take(s, "\\k<")) {
        scan_name(s, from);
    } else if (s->is_xpath && c == '-') {
        s->at += 2;
    } else {
        scan_escape(s, &is_set);
    }
}

static void scan_term(struct scan *s)
{
    char c = peek(s, 0);
    if (c == '\\') {
        scan_outer_escape(s);
    } else if (c == '[') {
        scan_class(s);
    } else if (c == '(') {
        scan_open(s);
    } else if (c == ')') {
        scan_close(s);
    } else if (is_one_of(c, "*+?{")) {
        scan_quantifier(s);
    } else {
        if (c == ']' || c == '}')
            complain(s, s->at, "a ] or } that ends nothing; write \\] or \\}");
        s->can_repeat = !is_one_of(c, "^$|");
        s->at++;
    }
}

tr_status tr_field_pattern_check(tr_str source, bool is_xpath,
                                 struct tr_err *err)
{
    struct scan s = {.source = source, .is_xpath = is_xpath};
    while (s.at < source.len && !s.wrong)
        scan_term(&s);
    if (s.depth)
        complain(&s, source.len, "a ( without its )");
    if (s.reference > s.groups)
        complain(&s, s.reference_at,
                 "a reference to a group that there is not");
    if (!s.wrong)
        return TR_OK;
    return tr_fail(err, TR_E_INVALID,
                   "the pattern is not one that ECMA-262, XPath and Perl "
                   "share: %s, at byte %zu",
                   s.wrong, s.wrong_at);
}

#include "base/ascii.h"
#include "match/match.h"

static bool is_graphic(char c)
{
    return c > ' ' && c < 127;
}

static bool in_class(char c, unsigned char name)
{
    switch (name) {
    case 'a':
        return tr_ascii_is_letter(c);
    case 'c':
        return (unsigned char)c < ' ' || c == 127;
    case 'd':
        return tr_ascii_is_digit(c);
    case 'g':
        return is_graphic(c);
    case 'l':
        return tr_ascii_is_lower(c);
    case 'p':
        return is_graphic(c) && !tr_ascii_is_alnum(c);
    case 's':
        return c == ' ' || (c >= '\t' && c <= '\r');
    case 'u':
        return tr_ascii_is_upper(c);
    case 'w':
        return tr_ascii_is_alnum(c);
    case 'x':
        return tr_ascii_hex_value(c) >= 0;
    case 'z': /* no longer in the manual, but Lua still has it */
        return c == 0;
    default:
        return false;
    }
}

static bool is_class(unsigned char name)
{
    return tr_ascii_is_letter((char)name) &&
           strchr("acdglpsuwxz", name | 0x20) != NULL;
}

static void set_add(struct tr_match_set *set, unsigned char c)
{
    set->bits[c / 64] |= UINT64_C(1) << c % 64;
}

static void set_invert(struct tr_match_set *set)
{
    for (size_t i = 0; i < TR_LEN(set->bits); i++)
        set->bits[i] = ~set->bits[i];
}

/* What stands after a '%': a class, or the character itself. */
static void set_add_escaped(struct tr_match_set *set, unsigned char name)
{
    if (!is_class(name)) {
        set_add(set, name);
        return;
    }
    bool inverted = tr_ascii_is_upper((char)name);
    for (unsigned c = 0; c < 256; c++)
        if (in_class((char)c, name | 0x20) != inverted)
            set_add(set, (unsigned char)c);
}

/* Reading a pattern. */
struct source {
    const char *at;
    const char *end;
    struct tr_match_pattern *out;
    unsigned open[TR_MATCH_CAPTURES]; /* numbers of captures not yet closed */
    unsigned open_count;
    uint32_t closed; /* bit i: capture i may be referred to */
};

static struct tr_match_item *add_item(struct source *s, enum tr_match_kind kind)
{
    if (s->out->count == TR_MATCH_ITEMS)
        return NULL;
    struct tr_match_item *item = &s->out->items[s->out->count++];
    *item = (struct tr_match_item){.kind = (uint8_t)kind};
    return item;
}

static tr_status too_long(struct tr_err *err)
{
    return tr_fail(err, TR_E_LIMIT, "pattern too long");
}

/* The ']' that ends a set; one that comes first or after '%' does not. */
static const char *find_set_end(const char *at, const char *end)
{
    do {
        if (at == end)
            return NULL;
        if (*at++ == '%' && at < end)
            at++;
    } while (at == end || *at != ']');
    return at;
}

/*
 * A '%' that ends a range is itself, not an escape. So the last character can
 * be a '%' that escapes: it then takes the ']', as in Lua, and that is `*end`.
 */
static void fill_set(struct tr_match_set *set, const char *at, const char *end)
{
    while (at < end) {
        unsigned char c = (unsigned char)*at++;
        if (c == '%') {
            set_add_escaped(set, (unsigned char)*at++);
        } else if (end - at >= 2 && at[0] == '-') {
            unsigned char last = (unsigned char)at[1];
            for (unsigned i = c; i <= last; i++)
                set_add(set, (unsigned char)i);
            at += 2;
        } else {
            set_add(set, c);
        }
    }
}

/* From behind the '[' to behind the ']'. */
static tr_status read_set(struct source *s, struct tr_match_set *set,
                          struct tr_err *err)
{
    bool inverted = s->at < s->end && *s->at == '^';
    if (inverted)
        s->at++;
    const char *end = find_set_end(s->at, s->end);
    if (!end)
        return tr_fail(err, TR_E_SYNTAX, "malformed pattern (missing ']')");
    fill_set(set, s->at, end);
    s->at = end + 1;
    if (inverted)
        set_invert(set);
    return TR_OK;
}

static uint8_t read_repeat(struct source *s)
{
    if (s->at == s->end)
        return TR_MATCH_ONCE;
    switch (*s->at++) {
    case '?':
        return TR_MATCH_MAYBE;
    case '*':
        return TR_MATCH_MANY;
    case '+':
        return TR_MATCH_SOME;
    case '-':
        return TR_MATCH_FEW;
    default:
        s->at--;
        return TR_MATCH_ONCE;
    }
}

/*
 * Adds a character that stands for itself, to the run before it unless it is
 * repeated.
 */
static tr_status add_literal(struct source *s, const char *at,
                             struct tr_err *err)
{
    uint8_t repeat = read_repeat(s);
    struct tr_match_item *last =
        s->out->count ? &s->out->items[s->out->count - 1] : NULL;
    if (repeat == TR_MATCH_ONCE && last && last->kind == TR_MATCH_TEXT &&
        last->as.text + last->len == at) {
        last->len++;
        return TR_OK;
    }
    struct tr_match_item *item =
        add_item(s, repeat == TR_MATCH_ONCE ? TR_MATCH_TEXT : TR_MATCH_ONE);
    if (!item)
        return too_long(err);
    item->repeat = repeat;
    if (repeat == TR_MATCH_ONCE) {
        item->as.text = at;
        item->len = 1;
    } else {
        set_add(&item->as.set, (unsigned char)*at);
    }
    return TR_OK;
}

static tr_status add_set(struct source *s, const struct tr_match_set *set,
                         struct tr_err *err)
{
    struct tr_match_item *item = add_item(s, TR_MATCH_ONE);
    if (!item)
        return too_long(err);
    item->as.set = *set;
    item->repeat = read_repeat(s);
    return TR_OK;
}

static tr_status add_open(struct source *s, struct tr_err *err)
{
    bool is_position = s->at < s->end && *s->at == ')';
    if (s->out->captures == TR_MATCH_CAPTURES)
        return tr_fail(err, TR_E_SYNTAX, "too many captures");
    struct tr_match_item *item =
        add_item(s, is_position ? TR_MATCH_POSITION : TR_MATCH_OPEN);
    if (!item)
        return too_long(err);
    item->number = (uint8_t)s->out->captures++;
    if (is_position) {
        s->at++;
        s->closed |= UINT32_C(1) << item->number;
    } else {
        s->open[s->open_count++] = item->number;
    }
    return TR_OK;
}

static tr_status add_close(struct source *s, struct tr_err *err)
{
    if (s->open_count == 0)
        return tr_fail(err, TR_E_SYNTAX, "invalid pattern capture");
    struct tr_match_item *item = add_item(s, TR_MATCH_CLOSE);
    if (!item)
        return too_long(err);
    item->number = (uint8_t)s->open[--s->open_count];
    s->closed |= UINT32_C(1) << item->number;
    return TR_OK;
}

static tr_status add_balance(struct source *s, struct tr_err *err)
{
    if (s->end - s->at < 2)
        return tr_fail(err, TR_E_SYNTAX,
                       "malformed pattern (missing arguments to '%%b')");
    struct tr_match_item *item = add_item(s, TR_MATCH_BALANCE);
    if (!item)
        return too_long(err);
    item->open = (uint8_t)s->at[0];
    item->close = (uint8_t)s->at[1];
    s->at += 2;
    return TR_OK;
}

static tr_status add_frontier(struct source *s, struct tr_err *err)
{
    if (s->at == s->end || *s->at != '[')
        return tr_fail(err, TR_E_SYNTAX, "missing '[' after '%%f' in pattern");
    s->at++;
    struct tr_match_item *item = add_item(s, TR_MATCH_FRONTIER);
    return item ? read_set(s, &item->as.set, err) : too_long(err);
}

static tr_status add_same(struct source *s, unsigned char digit,
                          struct tr_err *err)
{
    unsigned number = digit - (unsigned)'1';
    if (number >= TR_MATCH_CAPTURES || !(s->closed >> number & 1))
        return tr_fail(err, TR_E_SYNTAX, "invalid capture index %%%c", digit);
    struct tr_match_item *item = add_item(s, TR_MATCH_SAME);
    if (!item)
        return too_long(err);
    item->number = (uint8_t)number;
    return TR_OK;
}

static tr_status add_escaped(struct source *s, struct tr_err *err)
{
    if (s->at == s->end)
        return tr_fail(err, TR_E_SYNTAX, "malformed pattern (ends with '%%')");
    const char *at = s->at++;
    unsigned char c = (unsigned char)*at;
    if (c == 'b')
        return add_balance(s, err);
    if (c == 'f')
        return add_frontier(s, err);
    if (tr_ascii_is_digit((char)c))
        return add_same(s, c, err);
    if (!is_class(c))
        return add_literal(s, at, err);
    struct tr_match_set set = {0};
    set_add_escaped(&set, c);
    return add_set(s, &set, err);
}

static tr_status add_next(struct source *s, struct tr_err *err)
{
    const char *at = s->at++;
    struct tr_match_set set = {0};
    switch (*at) {
    case '(':
        return add_open(s, err);
    case ')':
        return add_close(s, err);
    case '%':
        return add_escaped(s, err);
    case '[':
        TR_TRY(read_set(s, &set, err));
        return add_set(s, &set, err);
    case '.':
        set_invert(&set);
        return add_set(s, &set, err);
    case '$':
        if (s->at == s->end)
            return add_item(s, TR_MATCH_END) ? TR_OK : too_long(err);
        return add_literal(s, at, err);
    default:
        return add_literal(s, at, err);
    }
}

tr_status tr_match_compile(tr_str pattern, struct tr_match_pattern *out,
                           struct tr_err *err)
{
    if (pattern.len == 0)
        pattern.ptr = ""; /* an empty view may have no pointer */
    struct source s = {
        .at = pattern.ptr, .end = pattern.ptr + pattern.len, .out = out};
    if (pattern.len > UINT32_MAX)
        return too_long(err);
    out->count = 0;
    out->captures = 0;
    while (s.at < s.end)
        TR_TRY(add_next(&s, err));
    if (s.open_count > 0)
        return tr_fail(err, TR_E_SYNTAX, "unfinished capture");
    return TR_OK;
}

bool tr_match_is_special(tr_str pattern)
{
    for (size_t i = 0; i < pattern.len; i++)
        if (pattern.ptr[i] != '\0' && strchr("^$*+?.([%-", pattern.ptr[i]))
            return true;
    return false;
}

#include "match/match.h"

#include "base/limits.h"

static bool spend(struct tr_match_subject *m, size_t steps)
{
    if (steps < m->steps) {
        m->steps -= steps;
        return true;
    }
    m->steps = 0;
    m->is_spent = true;
    return false;
}

static const char *end_of(const struct tr_match_subject *m)
{
    return m->subject.ptr + m->subject.len;
}

static bool fits(const struct tr_match_subject *m,
                 const struct tr_match_item *item, const char *at)
{
    return at < end_of(m) && tr_match_has(&item->as.set, (unsigned char)*at);
}

static const char *match_text(struct tr_match_subject *m, const char *at,
                              const char *text, size_t len)
{
    if (!spend(m, len / 16) || len > (size_t)(end_of(m) - at) ||
        (len > 0 && memcmp(at, text, len) != 0))
        return NULL;
    return at + len;
}

static const char *match_balance(struct tr_match_subject *m, const char *at,
                                 const struct tr_match_item *item)
{
    size_t depth = 1;
    if (at == end_of(m) || (unsigned char)*at != item->open)
        return NULL;
    for (at++; at < end_of(m) && spend(m, 1); at++) {
        unsigned char c = (unsigned char)*at;
        if (c == item->close && --depth == 0)
            return at + 1;
        if (c != item->close && c == item->open)
            depth++;
    }
    return NULL;
}

/* The subject counts as having a NUL before its start and after its end. */
static bool is_frontier(const struct tr_match_subject *m, const char *at,
                        const struct tr_match_item *item)
{
    unsigned char before = at == m->subject.ptr ? '\0' : (unsigned char)at[-1];
    unsigned char after = at == end_of(m) ? '\0' : (unsigned char)*at;
    return !tr_match_has(&item->as.set, before) &&
           tr_match_has(&item->as.set, after);
}

static const char *match_same(struct tr_match_subject *m, const char *at,
                              const struct tr_match_item *item)
{
    const struct tr_match_capture *capture = &m->captures[item->number];
    if (capture->is_position) /* as in Lua, where its length is negative */
        return NULL;
    return match_text(m, at, capture->at, capture->len);
}

struct rest {
    const struct tr_match_item *items;
    size_t count;
};

static const char *match(struct tr_match_subject *m, struct rest rest,
                         const char *at);

static struct rest after(struct rest rest)
{
    return (struct rest){rest.items + 1, rest.count - 1};
}

/* Takes as many characters as there are, then one less each time. */
static const char *match_most(struct tr_match_subject *m, struct rest rest,
                              const char *at, const char *least)
{
    const char *most = at;
    while (fits(m, rest.items, most))
        most++;
    if (!spend(m, (size_t)(most - at) / 4))
        return NULL;
    for (; most >= least; most--) {
        const char *end = match(m, after(rest), most);
        if (end || m->is_spent)
            return end;
    }
    return NULL;
}

static const char *match_fewest(struct tr_match_subject *m, struct rest rest,
                                const char *at)
{
    for (;; at++) {
        const char *end = match(m, after(rest), at);
        if (end || m->is_spent || !fits(m, rest.items, at))
            return end;
    }
}

static const char *match_repeated(struct tr_match_subject *m, struct rest rest,
                                  const char *at)
{
    switch ((enum tr_match_repeat)rest.items->repeat) {
    case TR_MATCH_MAYBE:
        if (fits(m, rest.items, at)) {
            const char *end = match(m, after(rest), at + 1);
            if (end || m->is_spent)
                return end;
        }
        return match(m, after(rest), at);
    case TR_MATCH_MANY:
        return match_most(m, rest, at, at);
    case TR_MATCH_SOME:
        return match_most(m, rest, at, at + 1);
    case TR_MATCH_FEW:
        return match_fewest(m, rest, at);
    case TR_MATCH_ONCE:
        break;
    }
    return NULL;
}

/*
 * Matches the items that can match in one way only; NULL when one does not fit.
 * A capture that is begun again after going back is simply written again,
 * because what stands before an item in a pattern never changes.
 */
static const char *match_simple(struct tr_match_subject *m,
                                const struct tr_match_item *item,
                                const char *at)
{
    struct tr_match_capture *capture = &m->captures[item->number];
    switch ((enum tr_match_kind)item->kind) {
    case TR_MATCH_TEXT:
        return match_text(m, at, item->as.text, item->len);
    case TR_MATCH_ONE:
        return fits(m, item, at) ? at + 1 : NULL;
    case TR_MATCH_OPEN:
    case TR_MATCH_POSITION:
        *capture =
            (struct tr_match_capture){at, 0, item->kind == TR_MATCH_POSITION};
        return at;
    case TR_MATCH_CLOSE:
        capture->len = (size_t)(at - capture->at);
        return at;
    case TR_MATCH_BALANCE:
        return match_balance(m, at, item);
    case TR_MATCH_FRONTIER:
        return is_frontier(m, at, item) ? at : NULL;
    case TR_MATCH_SAME:
        return match_same(m, at, item);
    case TR_MATCH_END:
        return at == end_of(m) ? at : NULL;
    }
    return NULL;
}

static const char *match(struct tr_match_subject *m, struct rest rest,
                         const char *at)
{
    for (; at && rest.count > 0; rest = after(rest)) {
        if (!spend(m, 1))
            return NULL;
        if (rest.items->kind == TR_MATCH_ONE &&
            rest.items->repeat != TR_MATCH_ONCE)
            return match_repeated(m, rest, at);
        at = match_simple(m, rest.items, at);
    }
    return at;
}

void tr_match_begin(struct tr_match_subject *m, tr_str subject)
{
    m->subject = subject;
    m->is_spent = false;
    m->steps = TR_LIMIT_LUA_PATTERN_STEPS +
               TR_LIMIT_LUA_PATTERN_STEPS_PER_BYTE * subject.len;
}

const char *tr_match_at(struct tr_match_subject *m,
                        const struct tr_match_pattern *pattern, const char *at)
{
    struct rest all = {pattern->items, pattern->count};
    const char *end = match(m, all, at);
    return m->is_spent ? NULL : end;
}

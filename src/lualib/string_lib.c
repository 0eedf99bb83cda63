#include "base/ascii.h"
#include "lualib/bounded.h"
#include "lualib/lualib.h"
#include "match/match.h"

#include <lauxlib.h>

/* A search over one subject; on the C stack, holds nothing to release. */
struct search {
    lua_State *L;
    tr_str subject;
    const char *at; /* where the next match may begin */
    bool is_anchored;
    size_t paid; /* steps that were left when they were last charged */
    struct tr_match_pattern pattern;
    struct tr_match_subject m;
};

static tr_str check_str(lua_State *L, int argument)
{
    tr_str s;
    s.ptr = luaL_checklstring(L, argument, &s.len);
    return s;
}

static void begin(struct search *s, lua_State *L, tr_str subject,
                  tr_str pattern)
{
    struct tr_err err = {0};
    s->L = L;
    s->subject = subject;
    s->at = subject.ptr;
    s->is_anchored = pattern.len > 0 && pattern.ptr[0] == '^';
    if (s->is_anchored)
        pattern = tr_str_skip(pattern, 1);
    if (tr_match_compile(pattern, &s->pattern, &err) != TR_OK)
        (void)luaL_error(L, "%s", err.msg);
    tr_match_begin(&s->m, subject);
    s->paid = s->m.steps;
}

static const char *end_of(const struct search *s)
{
    return s->subject.ptr + s->subject.len;
}

/*
 * Charges the steps since the last call; two match steps cost one instruction.
 */
static void pay(struct search *s)
{
    size_t steps = s->paid - s->m.steps;
    s->paid = s->m.steps;
    tr_lualib_of(s->L)->spend(s->L, steps / 2);
}

static const char *try_at(struct search *s, const char *at)
{
    const char *end = tr_match_at(&s->m, &s->pattern, at);
    if (s->m.is_spent) {
        pay(s);
        (void)luaL_error(s->L, "pattern too complex");
    }
    return end;
}

/* The next match at or after `at`; NULL when there is none. */
static const char *find(struct search *s, const char **start)
{
    const char *end = NULL;
    const char *at = s->at;
    for (; at <= end_of(s); at++) {
        end = try_at(s, at);
        if (end || s->is_anchored)
            break;
    }
    pay(s);
    *start = at;
    return end;
}

static void push_capture(const struct search *s, unsigned i, const char *start,
                         const char *end)
{
    const struct tr_match_capture *capture = &s->m.captures[i];
    if (s->pattern.captures == 0)
        (void)lua_pushlstring(s->L, start, (size_t)(end - start));
    else if (capture->is_position)
        lua_pushinteger(s->L, capture->at - s->subject.ptr + 1);
    else
        (void)lua_pushlstring(s->L, capture->at, capture->len);
}

/* All captures; the whole match when there are none and `whole` says so. */
static int push_captures(const struct search *s, const char *start,
                         const char *end, bool whole)
{
    unsigned count = s->pattern.captures;
    if (count == 0 && whole)
        count = 1;
    luaL_checkstack(s->L, (int)count, "too many captures");
    for (unsigned i = 0; i < count; i++)
        push_capture(s, i, start, end);
    return (int)count;
}

/* From 1; negative ones count from the end (manual, section 6.4). */
static size_t start_of(lua_Integer position, size_t len)
{
    if (position > 0)
        return (size_t)position - 1;
    if (position == 0 || position < -(lua_Integer)len)
        return 0;
    return len - (size_t)-position;
}

static int find_plain(lua_State *L, tr_str subject, tr_str text, size_t from)
{
    tr_lualib_of(L)->spend(L, (subject.len - from) / 8);
    const char *found = text.len == 0
                            ? subject.ptr + from
                            : memmem(subject.ptr + from, subject.len - from,
                                     text.ptr, text.len);
    if (!found) {
        lua_pushnil(L);
        return 1;
    }
    lua_pushinteger(L, found - subject.ptr + 1);
    lua_pushinteger(L, found - subject.ptr + (lua_Integer)text.len);
    return 2;
}

static int find_or_match(lua_State *L, bool is_find)
{
    tr_str subject = check_str(L, 1);
    tr_str pattern = check_str(L, 2);
    size_t from = start_of(luaL_optinteger(L, 3, 1), subject.len);
    const char *start = NULL;
    struct search s;
    if (from > subject.len) {
        lua_pushnil(L);
        return 1;
    }
    if (is_find && (lua_toboolean(L, 4) || !tr_match_is_special(pattern)))
        return find_plain(L, subject, pattern, from);
    begin(&s, L, subject, pattern);
    s.at += from;
    const char *end = find(&s, &start);
    if (!end) {
        lua_pushnil(L);
        return 1;
    }
    if (!is_find)
        return push_captures(&s, start, end, true);
    lua_pushinteger(L, start - subject.ptr + 1);
    lua_pushinteger(L, end - subject.ptr);
    return push_captures(&s, start, end, false) + 2;
}

static int string_find(lua_State *L)
{
    return find_or_match(L, true);
}

static int string_match(lua_State *L)
{
    return find_or_match(L, false);
}

/* Upvalues: subject, pattern, where to go on, where the last match ended. */
static int next_match(lua_State *L)
{
    struct search s;
    tr_str subject;
    tr_str pattern;
    subject.ptr = lua_tolstring(L, lua_upvalueindex(1), &subject.len);
    pattern.ptr = lua_tolstring(L, lua_upvalueindex(2), &pattern.len);
    size_t from = (size_t)lua_tointeger(L, lua_upvalueindex(3));
    lua_Integer last = lua_tointeger(L, lua_upvalueindex(4));
    if (from > subject.len)
        return 0;
    begin(&s, L, subject, pattern);
    for (const char *at = subject.ptr + from; at <= end_of(&s); at++) {
        const char *end = try_at(&s, at);
        if (!end || end - subject.ptr == last)
            continue;
        pay(&s);
        lua_pushinteger(L, end - subject.ptr);
        lua_copy(L, -1, lua_upvalueindex(3));
        lua_replace(L, lua_upvalueindex(4));
        return push_captures(&s, at, end, true);
    }
    pay(&s);
    return 0;
}

/*
 * A '^' does not anchor here, where it would end the iteration: it stands for
 * itself (manual, section 6.4, string.gmatch).
 */
static int string_gmatch(lua_State *L)
{
    tr_str subject = check_str(L, 1);
    tr_str pattern = check_str(L, 2);
    size_t from = start_of(luaL_optinteger(L, 3, 1), subject.len);
    lua_settop(L, 2);
    if (pattern.len > 0 && pattern.ptr[0] == '^') {
        lua_pushliteral(L, "%");
        lua_insert(L, 2);
        lua_concat(L, 2);
    }
    lua_pushinteger(L, (lua_Integer)from);
    lua_pushinteger(L, -1);
    lua_pushcclosure(L, next_match, 4);
    return 1;
}

struct replace {
    struct search s;
    luaL_Buffer out;
    int type; /* of the replacement, argument 3 */
};

/* Pushes capture `i`; 0 is the whole match, which may also stand for 1. */
static void push_numbered(struct replace *r, int i, const char *start,
                          const char *end)
{
    if (i == 0)
        (void)lua_pushlstring(r->s.L, start, (size_t)(end - start));
    else if (i == 1 || (unsigned)i <= r->s.pattern.captures)
        push_capture(&r->s, (unsigned)i - 1, start, end);
    else
        (void)luaL_error(r->s.L,
                         "invalid capture index %%%d in replacement string", i);
}

static void add_text(struct replace *r, const char *start, const char *end)
{
    tr_str text;
    text.ptr = lua_tolstring(r->s.L, 3, &text.len);
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        if (c != '%') {
            luaL_addchar(&r->out, c);
            continue;
        }
        char next = ++i < text.len ? text.ptr[i] : '\0';
        if (next == '%') {
            luaL_addchar(&r->out, '%');
        } else if (tr_ascii_is_digit(next)) {
            push_numbered(r, next - '0', start, end);
            (void)luaL_tolstring(r->s.L, -1, NULL);
            lua_remove(r->s.L, -2);
            luaL_addvalue(&r->out);
        } else {
            (void)luaL_error(r->s.L,
                             "invalid use of '%%' in replacement string");
        }
    }
}

/*
 * Appends what a function or a table gives for the match; false and nil keep
 * it.
 */
static void add_value(struct replace *r, const char *start, const char *end)
{
    lua_State *L = r->s.L;
    if (r->type == LUA_TFUNCTION) {
        lua_pushvalue(L, 3);
        lua_call(L, push_captures(&r->s, start, end, true), 1);
    } else {
        push_capture(&r->s, 0, start, end);
        (void)lua_gettable(L, 3);
    }
    if (!lua_toboolean(L, -1)) {
        lua_pop(L, 1);
        luaL_addlstring(&r->out, start, (size_t)(end - start));
    } else if (lua_isstring(L, -1)) {
        luaL_addvalue(&r->out);
    } else {
        (void)luaL_error(L, "invalid replacement value (a %s)",
                         luaL_typename(L, -1));
    }
}

static void add_replacement(struct replace *r, const char *start,
                            const char *end)
{
    if (r->type == LUA_TSTRING || r->type == LUA_TNUMBER)
        add_text(r, start, end);
    else
        add_value(r, start, end);
}

static lua_Integer replace_all(struct replace *r, lua_Integer most)
{
    lua_Integer count = 0;
    const char *last = NULL;
    const char *at = r->s.at;
    while (count < most) {
        const char *end = try_at(&r->s, at);
        if (end && end != last) {
            count++;
            add_replacement(r, at, end);
            at = last = end;
        } else if (at < end_of(&r->s)) {
            luaL_addchar(&r->out, *at++);
        } else {
            break;
        }
        if (r->s.is_anchored)
            break;
    }
    luaL_addlstring(&r->out, at, (size_t)(end_of(&r->s) - at));
    return count;
}

static int string_gsub(lua_State *L)
{
    struct replace r;
    tr_str subject = check_str(L, 1);
    tr_str pattern = check_str(L, 2);
    lua_Integer most = luaL_optinteger(L, 4, (lua_Integer)subject.len + 1);
    r.type = lua_type(L, 3);
    luaL_argexpected(L,
                     r.type == LUA_TNUMBER || r.type == LUA_TSTRING ||
                         r.type == LUA_TFUNCTION || r.type == LUA_TTABLE,
                     3, "string/function/table");
    if (r.type == LUA_TNUMBER)
        (void)lua_tostring(L, 3);
    begin(&r.s, L, subject, pattern);
    tr_lualib_make_room(L);
    luaL_buffinit(L, &r.out);
    lua_Integer count = replace_all(&r, most);
    luaL_pushresult(&r.out);
    lua_pushinteger(L, count);
    pay(&r.s);
    return 2;
}

void tr_lualib_push_string(lua_State *L)
{
    static const luaL_Reg patterns[] = {
        {"find", string_find},
        {"match", string_match},
        {"gmatch", string_gmatch},
        {"gsub", string_gsub},
        {NULL, NULL},
    };
    luaL_newlib(L, patterns);
    tr_lualib_add_bounded_strings(L);
    lua_pushliteral(L, "");
    if (lua_getmetatable(L, -1)) {
        lua_pushvalue(L, -3);
        lua_setfield(L, -2, "__index");
        lua_pushboolean(L, 0);
        lua_setfield(L, -2, "__metatable");
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
}

/*
 * Any bytes as a Lua pattern and a subject: our matcher finds what Lua's own
 * string.find finds, and is malformed where Lua's raises.
 *
 * The first byte is the length of the pattern; the subject follows it. Both
 * are short, because Lua's matcher has no bound.
 */
#include "match/match.h"

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define PATTERN_MAX 16
#define SUBJECT_MAX 24

static void must(bool holds)
{
    if (!holds)
        abort();
}

/* What string.find returned, from stack index 1 on. */
static void compare_captures(lua_State *L, const struct tr_match_subject *m,
                             const struct tr_match_pattern *pattern)
{
    must(lua_gettop(L) == 2 + (int)pattern->captures);
    for (unsigned i = 0; i < pattern->captures; i++) {
        const struct tr_match_capture *capture = &m->captures[i];
        if (capture->is_position) {
            must(lua_tointeger(L, (int)i + 3) ==
                 capture->at - m->subject.ptr + 1);
            continue;
        }
        size_t len = 0;
        const char *text = lua_tolstring(L, (int)i + 3, &len);
        must(len == capture->len && memcmp(text, capture->at, len) == 0);
    }
}

/* Runs string.find(subject, pattern) of Lua itself. */
static int find_in_lua(lua_State *L, tr_str subject, tr_str pattern)
{
    luaL_requiref(L, "string", luaopen_string, 0);
    (void)lua_getfield(L, -1, "find");
    lua_remove(L, 1);
    (void)lua_pushlstring(L, subject.ptr, subject.len);
    (void)lua_pushlstring(L, pattern.ptr, pattern.len);
    return lua_pcall(L, 2, LUA_MULTRET, 0);
}

static void compare(lua_State *L, tr_str subject, tr_str pattern)
{
    struct tr_match_pattern compiled;
    struct tr_match_subject m;
    struct tr_err err = {0};
    bool is_anchored = pattern.len > 0 && pattern.ptr[0] == '^';
    bool is_plain = !tr_match_is_special(pattern);
    int status = find_in_lua(L, subject, pattern);
    tr_status st = tr_match_compile(tr_str_skip(pattern, is_anchored ? 1 : 0),
                                    &compiled, &err);
    if (st != TR_OK) {
        /* Lua notices only when it comes to the malformed part. */
        must(status != LUA_OK || lua_isnil(L, 1) || is_plain);
        return;
    }
    must(status == LUA_OK);
    tr_match_begin(&m, subject);
    const char *end = NULL;
    const char *at = subject.ptr;
    for (; at <= subject.ptr + subject.len; at++) {
        end = tr_match_at(&m, &compiled, at);
        if (m.is_spent)
            return;
        if (end || is_anchored)
            break;
    }
    must(!end == lua_isnil(L, 1));
    if (!end)
        return;
    must(lua_tointeger(L, 1) == at - subject.ptr + 1);
    must(lua_tointeger(L, 2) == end - subject.ptr);
    compare_captures(L, &m, &compiled);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    size_t len = data[0] % (PATTERN_MAX + 1);
    if (len > size - 1)
        len = size - 1;
    tr_str pattern = {(const char *)data + 1, len};
    tr_str subject = tr_str_skip((tr_str){(const char *)data, size}, 1 + len);
    if (subject.len > SUBJECT_MAX)
        subject.len = SUBJECT_MAX;
    if (subject.len == 0)
        subject.ptr = "";
    lua_State *L = luaL_newstate();
    if (!L)
        return 0;
    compare(L, subject, pattern);
    lua_close(L);
    return 0;
}

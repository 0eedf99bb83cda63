#include "base/err.h"
#include "lualib/bounded.h"
#include "lualib/lualib.h"

#include <lauxlib.h>

#include <limits.h>

/* Comparisons after which they are paid for, and what one of them costs. */
#define ROUND 64
#define PRICE 8

/* What is on the stack while it sorts. */
enum { TABLE = 1, LESS, SORT };

enum phase {
    DESCENDING, /* to a leaf, by the larger child */
    CLIMBING,   /* from there to where the root's item belongs */
    CHECKING,   /* that no item is less than the one before it */
};

/*
 * Items 1 to `size` are the heap; those after it are where they belong. `root`
 * is where an item is out of place, and `at` where the search for its place is.
 */
struct sort {
    lua_Integer count;
    lua_Integer size;
    lua_Integer root;
    lua_Integer at;
    enum phase phase;
    unsigned asked;
    bool is_raw;
};

static void push_item(lua_State *L, const struct sort *s, lua_Integer i)
{
    if (s->is_raw)
        (void)lua_rawgeti(L, TABLE, i);
    else
        (void)lua_geti(L, TABLE, i);
}

static void pop_item(lua_State *L, const struct sort *s, lua_Integer i)
{
    if (s->is_raw)
        lua_rawseti(L, TABLE, i);
    else
        lua_seti(L, TABLE, i);
}

static void swap(lua_State *L, const struct sort *s, lua_Integer a,
                 lua_Integer b)
{
    push_item(L, s, a);
    push_item(L, s, b);
    pop_item(L, s, a);
    pop_item(L, s, b);
}

/* The next item that may be out of place: all below it are a heap. */
static void begin_next(lua_State *L, struct sort *s)
{
    if (s->root > 1) {
        s->root--;
    } else {
        swap(L, s, 1, s->size);
        s->size--;
    }
    s->at = s->root;
    s->phase = DESCENDING;
    if (s->size > 1)
        return;
    s->at = 1;
    s->phase = CHECKING;
}

/*
 * Puts the root's item where it belongs, and those on the way up by one. No
 * order function runs meanwhile: it can fail and be left at any time, and the
 * table still has every item once.
 */
static void put_root(lua_State *L, const struct sort *s)
{
    push_item(L, s, s->root);
    for (lua_Integer i = s->at; i > s->root; i /= 2) {
        push_item(L, s, i);
        lua_insert(L, -2);
        pop_item(L, s, i);
    }
    pop_item(L, s, s->root);
}

/* Whether there is one: is item *a less than item *b? */
static bool next_question(lua_State *L, struct sort *s, lua_Integer *a,
                          lua_Integer *b)
{
    for (;;) {
        if (s->phase == CHECKING) {
            *a = s->at + 1;
            *b = s->at;
            return s->at < s->count;
        }
        if (s->phase == DESCENDING && 2 * s->at < s->size) {
            *a = 2 * s->at;
            *b = 2 * s->at + 1;
            return true;
        }
        if (s->phase == DESCENDING && 2 * s->at == s->size)
            s->at *= 2;
        s->phase = CLIMBING;
        *a = s->at;
        *b = s->root;
        if (s->at > s->root)
            return true;
        begin_next(L, s);
    }
}

static void take_answer(lua_State *L, struct sort *s, bool is_less)
{
    switch (s->phase) {
    case DESCENDING:
        s->at = 2 * s->at + is_less;
        break;
    case CLIMBING:
        if (is_less) {
            s->at /= 2;
            break;
        }
        put_root(L, s);
        begin_next(L, s);
        break;
    case CHECKING:
        if (is_less)
            (void)luaL_error(L, "invalid order function for sorting");
        s->at++;
        break;
    }
}

/*
 * Puts below the two items on top of the stack what compares them; false: Lua
 * itself does. A metamethod that we call can be left, one that Lua calls
 * cannot.
 */
static bool insert_less(lua_State *L)
{
    int kind = lua_type(L, -2);
    if (!lua_isnil(L, LESS))
        lua_pushvalue(L, LESS);
    else if (kind == lua_type(L, -1) &&
             (kind == LUA_TNUMBER || kind == LUA_TSTRING))
        return false;
    else if (luaL_getmetafield(L, -2, "__lt") == LUA_TNIL &&
             luaL_getmetafield(L, -1, "__lt") == LUA_TNIL)
        return false;
    lua_insert(L, -3);
    return true;
}

static int go_on(lua_State *L, int status, lua_KContext has_answer);

static bool compare(lua_State *L)
{
    bool is_less = false;
    if (insert_less(L)) {
        lua_callk(L, 2, 1, 1, go_on);
        is_less = lua_toboolean(L, -1);
    } else {
        is_less = lua_compare(L, -2, -1, LUA_OPLT);
    }
    lua_settop(L, SORT);
    return is_less;
}

static int run_on(lua_State *L, struct sort *s)
{
    lua_Integer a = 0;
    lua_Integer b = 0;
    while (next_question(L, s, &a, &b)) {
        if (++s->asked % ROUND == 0) {
            tr_lualib_of(L)->spend(L, (uint64_t)ROUND * PRICE);
            if (tr_lualib_of(L)->pauses(L))
                return lua_yieldk(L, 0, 0, go_on);
        }
        push_item(L, s, a);
        push_item(L, s, b);
        bool is_less = compare(L);
        take_answer(L, s, is_less);
    }
    return 0;
}

static int go_on(lua_State *L, int status, lua_KContext has_answer)
{
    struct sort *s = (struct sort *)lua_touserdata(L, SORT);
    (void)status;
    if (has_answer)
        take_answer(L, s, lua_toboolean(L, -1));
    lua_settop(L, SORT);
    return run_on(L, s);
}

int tr_lualib_sort(lua_State *L)
{
    lua_Integer count = tr_lualib_steady_len(L);
    if (count < 2)
        return 0;
    luaL_argcheck(L, count < INT_MAX, 1, "array too big");
    if (!lua_isnoneornil(L, LESS))
        luaL_checktype(L, LESS, LUA_TFUNCTION);
    lua_settop(L, LESS);
    tr_lualib_of(L)->has_callbacks = true;
    struct sort *s = (struct sort *)lua_newuserdatauv(L, sizeof(*s), 0);
    *s = (struct sort){.count = count, .size = count, .root = count / 2 + 1};
    s->is_raw = !lua_getmetatable(L, TABLE);
    lua_settop(L, SORT);
    begin_next(L, s);
    return run_on(L, s);
}

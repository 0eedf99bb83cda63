#include "lua/random_lib.h"

#include "json/build.h"
#include "lua/base_lib.h"
#include "lua/convert.h"
#include "lua/journal.h"

#include <lualib.h>

/* One entry in the journal, however many numbers follow. */
static void ensure_seed(lua_State *L, struct tr_lua_run *run)
{
    int64_t seed = 0;
    char text[24];
    tr_str kept;
    if (run->random.is_seeded)
        return;
    const struct tr_json *replayed = tr_lua_replayed(L, run, "random");
    if (!tr_json_i64(replayed, &seed)) {
        seed = (int64_t)tr_lua_random_entropy();
        int len = snprintf(text, sizeof(text), "%lld", (long long)seed);
        if (!tr_arena_copy(run->call->arena, (tr_str){text, (size_t)len},
                           &kept))
            tr_lua_raise_nomem(L);
        struct tr_json value = tr_json_make_integer(kept);
        tr_lua_record(L, run, "random", &value);
    }
    tr_lua_random_seed(&run->random, (uint64_t)seed);
}

int tr_lua_random_push(lua_State *L, struct tr_lua_run *run, int first)
{
    ensure_seed(L, run);
    if (lua_isnoneornil(L, first)) {
        lua_pushnumber(L, tr_lua_random_fraction(&run->random));
        return 1;
    }
    lua_Integer low = luaL_checkinteger(L, first);
    lua_Integer high = low;
    if (lua_isnoneornil(L, first + 1))
        low = 1;
    else
        high = luaL_checkinteger(L, first + 1);
    luaL_argcheck(L, low <= high, first, "interval is empty");
    lua_pushinteger(L, tr_lua_random_between(&run->random, low, high));
    return 1;
}

static int math_random(lua_State *L)
{
    struct tr_lua_run *run = tr_lua_of(L)->running;
    if (!run)
        return luaL_error(L, "math.random is for handlers: every loop must "
                             "load the same app");
    return tr_lua_random_push(L, run, 1);
}

void tr_lua_push_math_lib(lua_State *L)
{
    static const char *const names[] = {
        "abs",        "acos",       "asin", "atan", "ceil", "cos", "deg",
        "exp",        "floor",      "fmod", "huge", "log",  "max", "min",
        "maxinteger", "mininteger", "modf", "pi",   "rad",  "sin", "sqrt",
        "tan",        "tointeger",  "type", "ult",
    };
    lua_newtable(L);
    for (size_t i = 0; i < TR_LEN(names); i++) {
        tr_lua_push_original(L, LUA_MATHLIBNAME, names[i]);
        lua_setfield(L, -2, names[i]);
    }
    lua_pushcfunction(L, math_random);
    lua_setfield(L, -2, "random");
}

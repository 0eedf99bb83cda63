#include "lua/random_lib.h"

#include "base/hash.h"
#include "json/build.h"
#include "lua/base_lib.h"
#include "lua/convert.h"
#include "lua/journal.h"

#include <lualib.h>

#include <sys/random.h>

/* SplitMix64, as the authors of xoshiro advise for seeding. */
static uint64_t split_mix(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9E3779B97F4A7C15));
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

static void random_seed(struct tr_lua_random *random, uint64_t seed)
{
    for (size_t i = 0; i < TR_LEN(random->state); i++)
        random->state[i] = split_mix(&seed);
    random->is_seeded = true;
}

static uint64_t random_next(struct tr_lua_random *random)
{
    uint64_t *s = random->state;
    uint64_t result = tr_bits_rotate_left(s[1] * 5, 7) * 9;
    uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = tr_bits_rotate_left(s[3], 45);
    return result;
}

/* From 0 up to, not including, 1. */
static double random_fraction(struct tr_lua_random *random)
{
    return (double)(random_next(random) >> 11) * 0x1p-53;
}

/* From `low` to `high`, both included, all equally likely. */
static int64_t random_between(struct tr_lua_random *random, int64_t low,
                              int64_t high)
{
    uint64_t span = (uint64_t)high - (uint64_t)low;
    if (span == UINT64_MAX)
        return (int64_t)random_next(random);
    /* Drop the numbers that would make the first ones more likely. */
    uint64_t count = span + 1;
    uint64_t unfair = (UINT64_MAX - count + 1) % count;
    uint64_t number = 0;
    do
        number = random_next(random);
    while (number < unfair);
    return (int64_t)((uint64_t)low + number % count);
}

/* A number that nobody can guess. */
static uint64_t random_entropy(void)
{
    uint64_t number = 0;
    if (getrandom(&number, sizeof(number), GRND_NONBLOCK) ==
        (ssize_t)sizeof(number))
        return number;
    struct timespec now;
    (void)clock_gettime(CLOCK_REALTIME, &now);
    return tr_hash_bytes((tr_str){(const char *)&now, sizeof(now)},
                         tr_hash_seed(&now));
}

/*
 * Seeds the generator once per call: one entry in the journal, however many
 * numbers follow.
 */
static void ensure_seed(lua_State *L, struct tr_lua_run *run)
{
    int64_t seed = 0;
    char text[24];
    tr_str kept;
    if (run->random.is_seeded)
        return;
    const struct tr_json *replayed = tr_lua_replayed(L, run, "random");
    if (!tr_json_i64(replayed, &seed)) {
        seed = (int64_t)random_entropy();
        int len = snprintf(text, sizeof(text), "%lld", (long long)seed);
        if (!tr_arena_copy(run->call->arena, (tr_str){text, (size_t)len},
                           &kept))
            tr_lua_raise_nomem(L);
        struct tr_json value = tr_json_make_integer(kept);
        tr_lua_record(L, run, "random", &value);
    }
    random_seed(&run->random, (uint64_t)seed);
}

int tr_lua_random_push(lua_State *L, struct tr_lua_run *run, int first)
{
    ensure_seed(L, run);
    if (lua_isnoneornil(L, first)) {
        lua_pushnumber(L, random_fraction(&run->random));
        return 1;
    }
    lua_Integer low = luaL_checkinteger(L, first);
    lua_Integer high = low;
    if (lua_isnoneornil(L, first + 1))
        low = 1;
    else
        high = luaL_checkinteger(L, first + 1);
    luaL_argcheck(L, low <= high, first, "interval is empty");
    lua_pushinteger(L, random_between(&run->random, low, high));
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
        tr_lualib_push_original(L, LUA_MATHLIBNAME, names[i]);
        lua_setfield(L, -2, names[i]);
    }
    lua_pushcfunction(L, math_random);
    lua_setfield(L, -2, "random");
}

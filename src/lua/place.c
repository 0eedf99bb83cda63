#include "lua/place.h"

#include "base/text.h"
#include "lua/state.h"
#include "lualib/lualib.h"

/* Frames that are looked at for the price of a question to the store. */
#define FEW_FRAMES 64

/* Looking for a frame goes through those above it: so many steps are one
 * instruction. */
#define STEPS_PER_INSTRUCTION 16

static void pay_for_frames(lua_State *L, lua_State *thread)
{
    lua_Debug frame;
    uint64_t frames = FEW_FRAMES;
    while (lua_getstack(thread, (int)frames, &frame))
        frames *= 2;
    if (frames > FEW_FRAMES)
        tr_lua_spend(L, frames * frames / STEPS_PER_INSTRUCTION);
}

/*
 * table.sort calls order functions, and `pairs` calls __pairs; both in a way
 * that can be left.
 */
static bool calls_back(lua_State *L)
{
    lua_CFunction fn = lua_tocfunction(L, -1);
    return fn && (fn == tr_lualib_sort || fn == tr_lua_of(L)->pairs);
}

/*
 * Lua names a function by the instruction that has called it. It cannot for one
 * that was called last by another: its frame has taken the other's place.
 */
static bool is_in_callback(lua_State *thread)
{
    lua_Debug frame;
    for (int i = 0; lua_getstack(thread, i, &frame); i++) {
        if (!lua_checkstack(thread, 1))
            return true;
        (void)lua_getinfo(thread, "nf", &frame);
        bool is_found =
            strcmp(frame.namewhat, "metamethod") == 0 || calls_back(thread);
        lua_pop(thread, 1);
        if (is_found)
            return true;
    }
    return false;
}

static bool can_be_left(lua_State *L, lua_State *thread)
{
    if (!lua_isyieldable(thread))
        return false;
    if (!tr_lualib_of(L)->has_callbacks)
        return true;
    pay_for_frames(L, thread);
    return !is_in_callback(thread);
}

tr_str tr_lua_place_of(lua_State *thread, char *text, size_t size)
{
    lua_Debug frame;
    text[0] = '\0';
    for (int i = 0; lua_getstack(thread, i, &frame); i++) {
        (void)lua_getinfo(thread, "Sl", &frame);
        if (frame.currentline <= 0)
            continue;
        (void)snprintf(text, size, "%s:%d", frame.short_src, frame.currentline);
        break;
    }
    return tr_str_from(text);
}

bool tr_lua_place_can_wait(lua_State *L)
{
    const struct tr_lua_resumer *resumer = tr_lua_of(L)->resumer;
    bool can = can_be_left(L, L);
    for (; can && resumer; resumer = resumer->outer)
        can = can_be_left(L, resumer->L);
    return can;
}

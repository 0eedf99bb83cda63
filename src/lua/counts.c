#include "lua/counts.h"

#include "base/limits.h"
#include "lua/host.h"

/*
 * All loops add to one counter, which is contended: only changes of this size
 * are worth it.
 */
#define STEP_BYTES TR_KIB(64)

static struct tr_lua_counts *counts_of(const struct tr_lua *lua)
{
    return lua->host ? lua->host->counts : NULL;
}

static void tell_bytes(struct tr_lua *lua, size_t bytes)
{
    struct tr_lua_counts *counts = counts_of(lua);
    if (counts) /* unsigned: what is below zero wraps around and subtracts */
        (void)atomic_fetch_add(&counts->bytes,
                               (uint64_t)bytes - (uint64_t)lua->told_bytes);
    lua->told_bytes = bytes;
}

void tr_lua_count_state(struct tr_lua *lua)
{
    struct tr_lua_counts *counts = counts_of(lua);
    if (counts)
        (void)atomic_fetch_add(&counts->states, 1);
    tell_bytes(lua, lua->lib.memory.used);
}

void tr_lua_uncount_state(struct tr_lua *lua)
{
    struct tr_lua_counts *counts = counts_of(lua);
    if (counts)
        (void)atomic_fetch_sub(&counts->states, 1);
    tell_bytes(lua, 0);
}

void tr_lua_count_load(struct tr_lua *lua)
{
    tell_bytes(lua, lua->lib.memory.used);
}

void tr_lua_count_memory(struct tr_lua *lua)
{
    size_t used = lua->lib.memory.used;
    size_t told = lua->told_bytes;
    if ((used > told ? used - told : told - used) >= STEP_BYTES)
        tell_bytes(lua, used);
}

void tr_lua_count_stop(struct tr_lua *lua, enum tr_lua_stop_reason reason)
{
    struct tr_lua_counts *counts = counts_of(lua);
    if (!counts)
        return;
    if (reason == TR_LUA_STOP_MEMORY || reason == TR_LUA_STOP_FULL)
        (void)atomic_fetch_add(&counts->memory_stops, 1);
    else if (reason == TR_LUA_STOP_INSTRUCTIONS || reason == TR_LUA_STOP_HELD)
        (void)atomic_fetch_add(&counts->instruction_stops, 1);
    else if (reason == TR_LUA_STOP_TIME)
        (void)atomic_fetch_add(&counts->time_stops, 1);
}

/*
 * lua/fault.h - errors that C raises, as Lua sees them: {code, message, data}.
 *
 * A handler may catch one with pcall, look at its code, or let it pass; then
 * the call fails with the status that the code names.
 */
#ifndef TR_LUA_FAULT_H
#define TR_LUA_FAULT_H

#include "json/json.h"

#include <lua.h>

/* Raises {code = the name of `status`, message, data}. `data` may be NULL. */
_Noreturn void tr_lua_raise_fault(lua_State *L, tr_status status,
                                  tr_str message, const struct tr_json *data);

struct tr_lua_fault {
    tr_status status;
    tr_str message;
    const struct tr_json *data; /* or NULL */
    const struct tr_json *told; /* when nobody catches it, the caller is told
                                   this, and no more than that something is
                                   hidden; NULL: all */
    bool is_callers;            /* it is about what the caller sent */
};
_Noreturn void tr_lua_raise(lua_State *L, const struct tr_lua_fault *fault);

/* Pushes what tr_lua_raise raises: an error as a value. */
void tr_lua_push_fault(lua_State *L, const struct tr_lua_fault *fault);

/* What the caller is told instead of the fault at `index`; NULL: all. */
const struct tr_json *tr_lua_fault_told(lua_State *L, int index);

/* Whether the fault at `index` is about what the caller sent. */
bool tr_lua_fault_is_callers(lua_State *L, int index);

/* The status that a code names; TR_E_INTERNAL when it names none. */
tr_status tr_lua_fault_status(tr_str code);

/* Makes the metatable of faults, whose tostring is the message. */
void tr_lua_fault_open(lua_State *L);

#endif

#include "lua/fault.h"

#include "lua/convert.h"
#include "lua/sandbox.h"
#include "lua/state.h"
#include "runtime/outcome.h"

static int fault_text(lua_State *L)
{
    lua_pushliteral(L, "message");
    (void)lua_rawget(L, 1);
    (void)luaL_tolstring(L, -1, NULL);
    return 1;
}

void tr_lua_fault_open(lua_State *L)
{
    tr_lua_of(L)->refs.fault = tr_lua_new_mark(L, "error");
    lua_pushcfunction(L, fault_text);
    lua_setfield(L, -2, "__tostring");
    lua_pop(L, 1);
}

/* The keys of what a caller is told, and of whose fault it is: no strings that
 * an author could write. */
static const char told_key = 0;
static const char callers_key = 0;

const struct tr_json *tr_lua_fault_told(lua_State *L, int index)
{
    lua_rawgetp(L, index, &told_key);
    const struct tr_json *told = lua_touserdata(L, -1);
    lua_pop(L, 1);
    return told;
}

bool tr_lua_fault_is_callers(lua_State *L, int index)
{
    bool is_callers = lua_rawgetp(L, index, &callers_key) != LUA_TNIL;
    lua_pop(L, 1);
    return is_callers;
}

void tr_lua_raise_fault(lua_State *L, tr_status status, tr_str message,
                        const struct tr_json *data)
{
    const struct tr_lua_fault fault = {
        .status = status, .message = message, .data = data};
    tr_lua_raise(L, &fault);
}

void tr_lua_push_fault(lua_State *L, const struct tr_lua_fault *fault)
{
    char storage[TR_LIMIT_ERROR_TEXT];
    tr_str message = fault->message;
    if (!fault->told) /* else it may be passed on, and tell what is hidden */
        message =
            tr_call_error_text(fault->status, message, fault->data, storage);
    lua_createtable(L, 0, 3);
    lua_pushstring(L, tr_status_name(fault->status));
    lua_setfield(L, -2, "code");
    tr_lua_push_str(L, message);
    lua_setfield(L, -2, "message");
    if (fault->data) {
        tr_lua_push_json(L, fault->data);
        lua_setfield(L, -2, "data");
    }
    if (fault->told) {
        lua_pushlightuserdata(L, (void *)(uintptr_t)fault->told);
        lua_rawsetp(L, -2, &told_key);
    }
    if (fault->is_callers) {
        lua_pushboolean(L, true);
        lua_rawsetp(L, -2, &callers_key);
    }
    tr_lua_set_mark(L, tr_lua_of(L)->refs.fault);
}

void tr_lua_raise(lua_State *L, const struct tr_lua_fault *fault)
{
    tr_lua_push_fault(L, fault);
    (void)lua_error(L);
    abort(); /* not reached: lua_error does not return */
}

tr_status tr_lua_fault_status(tr_str code)
{
    for (int status = TR_OK + 1; status <= TR_E_INTERNAL; status++)
        if (tr_str_eq(code, tr_str_from(tr_status_name((tr_status)status))))
            return (tr_status)status;
    return TR_E_INTERNAL;
}

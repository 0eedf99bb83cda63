#include "fields/error.h"
#include "lua/convert.h"
#include "lua/fault.h"
#include "lua/outcome.h"
#include "runtime/outcome.h"

struct thrown {
    struct tr_lua_run *run;
    struct tr_call_outcome *outcome;
};

static tr_str text_at(lua_State *L, const char *name)
{
    tr_str text = {NULL, 0};
    lua_pushstring(L, name);
    if (lua_rawget(L, 2) == LUA_TSTRING)
        text.ptr = lua_tolstring(L, -1, &text.len);
    return text; /* valid: it is on the stack, and in the table */
}

/*
 * {code, message, data}. Runs outside of the call's budget, so no code of the
 * app may run: everything is raw, and `tostring` is not asked.
 */
static int read_thrown(lua_State *L)
{
    struct thrown *thrown = lua_touserdata(L, 1);
    struct tr_call_outcome *out = thrown->outcome;
    lua_xmove(thrown->run->thread.L, L, 1);
    if (!lua_istable(L, 2)) {
        const char *text = lua_isnumber(L, 2) ? lua_tostring(L, 2) : NULL;
        if (text)
            out->status = tr_fail(&out->err, TR_E_INTERNAL, "%s", text);
        else
            out->status =
                tr_fail(&out->err, TR_E_INTERNAL, "the handler threw a %s",
                        luaL_typename(L, 2));
        return 0;
    }
    tr_str message = text_at(L, "message");
    out->status = tr_fail(&out->err, tr_lua_fault_status(text_at(L, "code")),
                          "%.*s", TR_FMT(message));
    if (message.len == 0)
        (void)tr_fail(&out->err, out->status,
                      out->status == TR_E_VALIDATION
                          ? "the input is not valid"
                          : "the handler threw a table");
    out->data = tr_lua_fault_told(L, 2);
    if (out->data) {
        (void)tr_fail(&out->err, out->status, "%s", TR_FIELD_HIDDEN);
        return 0;
    }
    lua_pushliteral(L, "data");
    if (lua_rawget(L, 2) != LUA_TNIL)
        out->data = tr_lua_to_json_new(L, -1, thrown->run->call->arena);
    return 0;
}

void tr_lua_outcome_of_error(struct tr_lua_run *run,
                             struct tr_call_outcome *outcome)
{
    lua_State *co = run->thread.L;
    struct thrown thrown = {run, outcome};
    struct tr_err err = {0};
    if (lua_type(co, -1) == LUA_TSTRING) {
        outcome->status =
            tr_fail(&outcome->err, TR_E_INTERNAL, "%s", lua_tostring(co, -1));
        return;
    }
    tr_status st = tr_lua_protect(run->lua, read_thrown, &thrown, &err);
    if (st != TR_OK)
        outcome->status = tr_fail(&outcome->err, TR_E_INTERNAL,
                                  "the handler threw: %s", err.msg);
    if (outcome->status == TR_E_VALIDATION)
        tr_call_outcome_check_fields(run->call, outcome);
}

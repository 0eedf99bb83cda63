#include "fields/error.h"
#include "lua/convert.h"
#include "lua/fault.h"
#include "lua/host.h"
#include "lua/outcome.h"
#include "lua/place.h"
#include "runtime/outcome.h"
#include "runtime/wire_error.h"

struct thrown {
    struct tr_lua_run *run;
    struct tr_call_outcome *outcome;
    bool has_no_place; /* the app has thrown it, and knows what it says; or it
                          is about what the caller sent */
};

/* Whether a text begins with a line of the same file. */
static bool names_file(const char *text, tr_str where)
{
    while (where.len && where.ptr[where.len - 1] != ':')
        where.len--;
    return where.len && strncmp(text, where.ptr, where.len) == 0;
}

/* What is hidden in production can say it in its text. The rest but for these
 * is of interest to the caller, who did it. */
void tr_lua_outcome_place(struct tr_lua_run *run,
                          struct tr_call_outcome *outcome)
{
    char text[LUA_IDSIZE + 16];
    tr_str where = tr_lua_place_of(run->thread.L, text, sizeof(text));
    tr_status status = outcome->status;
    bool is_clients = run->refusal && run->wait == TR_LUA_WAIT_ANSWERS;
    if (where.len == 0)
        where = run->handler->where;
    if (where.len == 0 || names_file(outcome->err.msg, where))
        return;
    if (tr_call_wire_error(status, false).is_hidden)
        tr_err_prefix(&outcome->err, "%.*s", TR_FMT(where));
    else if ((status == TR_E_INVALID || status == TR_E_SYNTAX ||
              status == TR_E_LIMIT ||
              (status == TR_E_UNSUPPORTED && !is_clients)) &&
             !tr_arena_copy(run->call->arena, where, &outcome->where))
        outcome->where = TR_STR("");
}

bool tr_lua_outcome_was_sent(const struct tr_json *args, tr_str text)
{
    const struct tr_json *item;
    bool found = tr_json_find(args, text) != NULL ||
                 (tr_json_is(args, TR_JSON_STRING) &&
                  tr_str_eq(tr_json_text(args), text));
    for (size_t i = 0; tr_json_is(args, TR_JSON_OBJECT) && i < args->len; i++)
        found =
            found || tr_lua_outcome_was_sent(&args->as.members[i].value, text);
    for (size_t i = 0; (item = tr_json_at(args, i)); i++)
        found = found || tr_lua_outcome_was_sent(item, text);
    return found;
}

/* Whether what is wrong with a field is that the author named it, or named for
 * it what it does not have. */
static bool is_of_author(tr_str code)
{
    static const char *const codes[] = {"unknown_field", "unknown_form",
                                        "no_order", "not_for_this",
                                        "needs_index"};
    size_t i = 0;
    while (i < TR_LEN(codes) && !tr_str_eq(code, tr_str_from(codes[i])))
        i++;
    return i < TR_LEN(codes);
}

/*
 * An author who names a field or a capability that is not there, or a path that
 * goes nowhere, has made a mistake that no caller can mend: it is a fault,
 * unless the name of the field came from the caller or may have.
 */
static void blame(const struct tr_lua_run *run, struct tr_call_outcome *out)
{
    const struct tr_json *fields = tr_json_find(out->data, TR_STR("fields"));
    const struct tr_json *item;
    bool is_refused =
        run->refusal && strcmp(run->refusal->msg, out->err.msg) == 0;
    if (out->status == TR_E_NOT_FOUND
            ? is_refused
            : out->status == TR_E_VALIDATION && !fields)
        out->status = out->err.code = TR_E_INTERNAL;
    if (out->status != TR_E_VALIDATION || run->root->was_answered_wrong)
        return;
    for (size_t i = 0; (item = tr_json_at(fields, i)); i++) {
        tr_str name = tr_json_text(tr_json_find(item, TR_STR("field")));
        tr_str code = tr_json_text(tr_json_find(item, TR_STR("code")));
        if (!is_of_author(code) ||
            tr_lua_outcome_was_sent(run->call->args, name))
            continue;
        out->data = NULL;
        out->status = tr_fail(
            &out->err, TR_E_INTERNAL, "%.*s",
            TR_FMT(tr_json_text(tr_json_find(item, TR_STR("message")))));
        return;
    }
}

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
    bool is_apps = !tr_lua_has_mark(L, 2, thrown->run->lua->refs.fault);
    thrown->has_no_place = is_apps || tr_lua_fault_is_callers(L, 2);
    if (!is_apps)
        blame(thrown->run, out);
    return 0;
}

void tr_lua_outcome_of_error(struct tr_lua_run *run,
                             struct tr_call_outcome *outcome)
{
    lua_State *co = run->thread.L;
    struct thrown thrown = {.run = run, .outcome = outcome};
    struct tr_err err = {0};
    tr_status st = TR_OK;
    if (lua_type(co, -1) == LUA_TSTRING)
        outcome->status =
            tr_fail(&outcome->err, TR_E_INTERNAL, "%s", lua_tostring(co, -1));
    else
        st = tr_lua_protect(run->lua, read_thrown, &thrown, &err);
    if (st != TR_OK)
        outcome->status = tr_fail(&outcome->err, TR_E_INTERNAL,
                                  "the handler threw: %s", err.msg);
    if (!thrown.has_no_place)
        tr_lua_outcome_place(run, outcome);
    if (outcome->status == TR_E_VALIDATION)
        tr_call_outcome_check_fields(run->call, outcome);
}

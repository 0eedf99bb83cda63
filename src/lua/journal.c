#include "lua/journal.h"

#include "json/build.h"
#include "lua/convert.h"
#include "runtime/journal.h"

size_t tr_lua_journal_position(const struct tr_lua_run *run)
{
    const struct tr_call *root = tr_call_root(run->call);
    return root->journal_at + root->journal.count;
}

const struct tr_json *tr_lua_replayed(lua_State *L, struct tr_lua_run *run,
                                      const char *kind)
{
    const struct tr_json *entry = tr_call_replayed(tr_call_root(run->call));
    if (!entry)
        return NULL;
    const struct tr_json *value = tr_json_find(entry, tr_str_from(kind));
    if (!value)
        tr_lua_fail_replay(L);
    return value;
}

void tr_lua_fail_replay(lua_State *L)
{
    (void)luaL_error(L, "the handler took another way than before its "
                        "question: what it does must depend on its "
                        "arguments and on ctx alone");
    abort(); /* not reached: luaL_error does not return */
}

void tr_lua_record(lua_State *L, struct tr_lua_run *run, const char *kind,
                   const struct tr_json *value)
{
    struct tr_err err = {0};
    struct tr_json entry;
    struct tr_json_member member = {
        .key = tr_json_make_text(TR_JSON_STRING, tr_str_from(kind)),
        .value = *value,
    };
    if (!tr_json_make_object(run->call->arena, &member, 1, &entry))
        tr_lua_raise_nomem(L);
    tr_status st = tr_call_record(tr_call_root(run->call), entry, &err);
    if (st == TR_E_NOMEM)
        tr_lua_raise_nomem(L);
    if (st != TR_OK)
        (void)luaL_error(L, "%s", err.msg);
}

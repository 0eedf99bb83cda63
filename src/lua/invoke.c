#include "lua/invoke.h"

#include "base/limits.h"
#include "graph/kg.h"
#include "json/build.h"
#include "lua/convert.h"
#include "lua/ctx.h"
#include "lua/fault.h"
#include "lua/journal.h"
#include "runtime/env.h"
#include "runtime/journal.h"

/* The record of an outcome: an object, so that it can be stored. */
struct record {
    struct tr_json_member members[15];
    size_t count;
};

static void put(struct record *record, const char *key, struct tr_json value)
{
    record->members[record->count++] = (struct tr_json_member){
        tr_json_make_text(TR_JSON_STRING, tr_str_from(key)), value};
}

static void put_tree(struct record *record, const char *key,
                     const struct tr_json *value)
{
    if (value)
        put(record, key, *value);
}

static struct tr_json number(lua_State *L, struct tr_arena *arena, size_t n)
{
    lua_pushinteger(L, (lua_Integer)n);
    struct tr_json value = tr_lua_to_json(L, -1, arena);
    lua_pop(L, 1);
    return value;
}

/*
 * Nodes that the child created are gone when this is called, but not the names
 * that it drew.
 */
static void put_names(struct record *record, lua_State *L,
                      const struct tr_lua_run *run)
{
    struct tr_graph_kg *kg = tr_call_root(run->call)->kg;
    struct tr_json names;
    if (!kg || !kg->seed)
        return;
    if (!tr_call_names(run->call->arena, kg, &names))
        tr_lua_raise_nomem(L);
    put(record, "names", names);
}

/* A handler and the one that it invokes first begin at the same position. */
static size_t depth_of(const struct tr_lua_run *run)
{
    size_t depth = 0;
    for (const struct tr_call *call = run->call; call->parent;
         call = call->parent)
        depth++;
    return depth;
}

/*
 * What the child has used, and how many it invoked: when it is not repeated,
 * its parent has used it all the same, and later ones get the numbers they had.
 */
static void put_used(struct record *record, lua_State *L,
                     const struct tr_lua_run *run)
{
    struct tr_arena *arena = run->call->arena;
    const struct tr_call_used *used = &run->call->used;
    int64_t tokens = used->tokens - run->used_from.tokens;
    int64_t micro_usd = used->micro_usd - run->used_from.micro_usd;
    put(record, "invocations",
        number(L, arena, tr_call_root(run->call)->round.invocations));
    if (used->is_said)
        put(record, "said", tr_json_make_bool(true));
    if (tokens)
        put(record, "tokens", number(L, arena, (size_t)tokens));
    if (micro_usd)
        put(record, "micro_usd", number(L, arena, (size_t)micro_usd));
}

static struct tr_json record_of(lua_State *L, const struct tr_lua_run *run,
                                const struct tr_call_outcome *outcome)
{
    struct record record = {0};
    struct tr_json value;
    struct tr_arena *arena = run->call->arena;
    put(&record, "id", tr_json_make_text(TR_JSON_STRING, run->child.id));
    put(&record, "from", number(L, arena, run->journal_from));
    put(&record, "depth", number(L, arena, depth_of(run)));
    put(&record, "asked", number(L, arena, run->root->asked.count));
    if (outcome->status != TR_OK) {
        tr_str name = tr_str_from(tr_status_name(outcome->status));
        tr_str message = tr_str_from(outcome->err.msg);
        put(&record, "status", tr_json_make_text(TR_JSON_STRING, name));
        put(&record, "message", tr_json_make_text(TR_JSON_STRING, message));
    }
    put_tree(&record, "data", outcome->data);
    if (outcome->is_error)
        put(&record, "is_error", tr_json_make_bool(true));
    put_tree(&record, "value", outcome->value);
    put_tree(&record, "content", outcome->content);
    put_names(&record, L, run);
    put_used(&record, L, run);
    if (!tr_json_make_object(arena, record.members, record.count, &value))
        tr_lua_raise_nomem(L);
    return value;
}

/* The text of the only block, when that is what there is. */
static const struct tr_json *only_text(const struct tr_json *content)
{
    const struct tr_json *first = tr_json_at(content, 0);
    bool is_text = tr_str_eq(tr_json_text(tr_json_find(first, TR_STR("type"))),
                             TR_STR("text"));
    return content && content->len == 1 && is_text
               ? tr_json_find(first, TR_STR("text"))
               : NULL;
}

static void push_blocks(lua_State *L, const struct tr_json *content)
{
    lua_createtable(L, (int)content->len, 0);
    for (uint32_t i = 0; i < content->len; i++) {
        tr_lua_push_json(L, &content->as.items[i]);
        tr_lua_set_mark(L, tr_lua_of(L)->refs.block);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    tr_lua_mark_array(L);
}

/*
 * Pushes what ctx:error would make, so that the handler can return it in turn.
 */
static void push_failure(lua_State *L, const struct tr_json *content,
                         const struct tr_json *data)
{
    const struct tr_json *text = only_text(content);
    lua_createtable(L, 0, 2);
    tr_lua_push_str(L, text ? tr_json_text(text) : TR_STR("it failed"));
    lua_setfield(L, -2, "message");
    if (data) {
        tr_lua_push_json(L, data);
        lua_setfield(L, -2, "data");
    }
    tr_lua_set_mark(L, tr_lua_of(L)->refs.failure);
}

/*
 * Pushes the result: plain data, a text, blocks, or nil. Raises what the other
 * handler threw.
 */
static int push_result(lua_State *L, const struct tr_json *record)
{
    const struct tr_json *value = tr_json_find(record, TR_STR("value"));
    const struct tr_json *content = tr_json_find(record, TR_STR("content"));
    const struct tr_json *status = tr_json_find(record, TR_STR("status"));
    const struct tr_json *data = tr_json_find(record, TR_STR("data"));
    if (status)
        tr_lua_raise_fault(
            L, tr_lua_fault_status(tr_json_text(status)),
            tr_json_text(tr_json_find(record, TR_STR("message"))), data);
    if (tr_json_find(record, TR_STR("is_error")))
        push_failure(L, content, data);
    else if (value)
        tr_lua_push_json(L, value);
    else if (only_text(content))
        tr_lua_push_json(L, only_text(content));
    else if (content && content->len > 0)
        push_blocks(L, content);
    else
        lua_pushnil(L);
    return 1;
}

static size_t count_changes(const struct tr_lua_run *run)
{
    const struct tr_graph_kg *kg = tr_call_root(run->call)->kg;
    return kg ? kg->changes.ops.count + kg->changes.raises.count : 0;
}

static int after_child(lua_State *L, int status, lua_KContext context)
{
    struct tr_lua_run *run = (struct tr_lua_run *)context;
    const struct tr_err *refusal = run->refusal;
    (void)status;
    if (refusal)
        tr_lua_raise_fault(L, refusal->code, tr_str_from(refusal->msg), NULL);
    if (!run->child_outcome)
        tr_lua_raise_nomem(L);
    struct tr_json record = record_of(L, run, run->child_outcome);
    /*
     * An invocation that has changed the graph is not recorded: it has to
     * change it again when the handler is run again.
     */
    if (count_changes(run) == run->changes_from)
        tr_lua_record(L, run, "invoke", &record);
    return push_result(L, &record);
}

/* Raises when it was another capability that was invoked here. */
static const struct tr_json *check_id(lua_State *L,
                                      const struct tr_json *record)
{
    tr_str id;
    id.ptr = lua_tolstring(L, 2, &id.len);
    if (!tr_str_eq(tr_json_text(tr_json_find(record, TR_STR("id"))), id))
        tr_lua_fail_replay(L);
    return record;
}

static bool has_number(const struct tr_json *record, const char *key,
                       size_t expected)
{
    int64_t value = -1;
    return tr_json_i64(tr_json_find(record, tr_str_from(key)), &value) &&
           (size_t)value == expected;
}

/* What an earlier round recorded for an invocation that began here. */
static const struct tr_json *find_record(lua_State *L, struct tr_lua_run *run)
{
    struct tr_call *root = tr_call_root(run->call);
    size_t position = tr_lua_journal_position(run);
    size_t depth = depth_of(run);
    const struct tr_json *entry = NULL;
    for (size_t i = root->journal_at; (entry = tr_json_at(root->replay, i));
         i++) {
        const struct tr_json *record = tr_json_find(entry, TR_STR("invoke"));
        if (has_number(record, "from", position) &&
            has_number(record, "depth", depth)) {
            root->journal_at = i + 1;
            return check_id(L, record);
        }
    }
    return NULL;
}

/*
 * Counts the questions of an invocation that is not repeated, so that later
 * ones get the numbers they had before.
 */
static void skip_questions(lua_State *L, struct tr_lua_run *run,
                           const struct tr_json *record)
{
    int64_t asked = 0;
    struct tr_lua_run *root = run->root;
    if (!tr_json_i64(tr_json_find(record, TR_STR("asked")), &asked))
        return;
    while ((int64_t)root->asked.count < asked &&
           root->asked.count < TR_LIMIT_LUA_ASKS)
        if (!tr_vec_push(root->call->arena, &root->asked, TR_STR("")))
            tr_lua_raise_nomem(L);
}

/*
 * Skips the names that an invocation drew which is not repeated, so that later
 * nodes get the names they had before.
 */
static void skip_names(lua_State *L, struct tr_lua_run *run,
                       const struct tr_json *record)
{
    const struct tr_json *names = tr_json_find(record, TR_STR("names"));
    struct tr_graph_kg *kg = NULL;
    struct tr_err err = {0};
    if (!names)
        return;
    tr_status status = tr_call_kg(run->call, &kg, &err);
    if (status != TR_OK)
        tr_lua_raise_fault(L, status, tr_str_from(err.msg), NULL);
    tr_call_take_names(kg, names);
}

static void skip_used(struct tr_lua_run *run, const struct tr_json *record)
{
    struct tr_call_used used = {
        .is_said = tr_json_find(record, TR_STR("said")) != NULL};
    int64_t invocations = 0;
    (void)tr_json_i64(tr_json_find(record, TR_STR("tokens")), &used.tokens);
    (void)tr_json_i64(tr_json_find(record, TR_STR("micro_usd")),
                      &used.micro_usd);
    tr_call_budget_add(run->call, used);
    if (tr_json_i64(tr_json_find(record, TR_STR("invocations")), &invocations))
        tr_call_root(run->call)->round.invocations = (uint64_t)invocations;
}

int tr_lua_ctx_invoke(lua_State *L)
{
    struct tr_lua_run *run = tr_lua_ctx_run(L);
    (void)luaL_checkstring(L, 2);
    lua_settop(L, 3);
    if (lua_isnil(L, 3)) {
        lua_newtable(L);
        lua_replace(L, 3);
    }
    const struct tr_json *record = find_record(L, run);
    if (record) {
        skip_questions(L, run, record);
        skip_names(L, run, record);
        skip_used(run, record);
        return push_result(L, record);
    }
    tr_lua_run_must_wait(L, run, "ctx:invoke");
    run->child.id = tr_lua_to_text(L, 2, run->call->arena);
    run->child.args = tr_lua_to_json_new(L, 3, run->call->arena);
    if (run->child.args->kind != TR_JSON_OBJECT)
        return luaL_argerror(L, 3, "must be a table of names");
    run->journal_from = tr_lua_journal_position(run);
    run->changes_from = count_changes(run);
    run->used_from = run->call->used;
    return tr_lua_run_wait(L, run, TR_LUA_WAIT_CHILD, after_child);
}

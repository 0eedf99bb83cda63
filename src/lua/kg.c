#include "lua/kg.h"

#include "base/nearest.h"
#include "base/time.h"
#include "lua/convert.h"
#include "lua/ctx.h"
#include "lua/fault.h"
#include "lua/kg_inside.h"
#include "lua/outcome.h"
#include "lua/place.h"
#include "lua/sandbox.h"
#include "model/value_term.h"
#include "query/node.h"
#include "runtime/env.h"
#include "runtime/journal.h"
#include "runtime/outcome.h"

/* What a question to the store costs a handler, beside its time. */
#define WORK 1000

static const luaL_Reg methods[] = {
    {"create", tr_lua_kg_create}, {"update", tr_lua_kg_update},
    {"upsert", tr_lua_kg_upsert}, {"delete", tr_lua_kg_delete},
    {"add", tr_lua_kg_add},       {"remove", tr_lua_kg_remove},
    {"next", tr_lua_kg_next},     {"transaction", tr_lua_kg_transaction},
    {"get", tr_lua_kg_get},       {"exists", tr_lua_kg_exists},
    {"label", tr_lua_kg_label},   {"list", tr_lua_kg_list},
    {"where", tr_lua_kg_where},   {"count", tr_lua_kg_count},
    {"search", tr_lua_kg_search}, {"traverse", tr_lua_kg_traverse},
    {"quads", tr_lua_kg_quads},   {"aggregate", tr_lua_kg_aggregate},
};

/* Upvalue 1: the methods. */
static int kg_index(lua_State *L)
{
    struct tr_nearest nearest;
    tr_str name;
    lua_settop(L, 2);
    lua_pushvalue(L, 2);
    if (lua_rawget(L, lua_upvalueindex(1)) != LUA_TNIL)
        return 1;
    name.ptr = luaL_checklstring(L, 2, &name.len);
    tr_nearest_init(&nearest, name);
    for (size_t i = 0; i < TR_LEN(methods); i++)
        tr_nearest_offer(&nearest, tr_str_from(methods[i].name));
    if (nearest.best.len > 0)
        return luaL_error(L, "ctx.kg has no '%s', did you mean '%s'?", name.ptr,
                          nearest.best.ptr);
    return luaL_error(L, "ctx.kg has no '%s'", name.ptr);
}

static int kg_newindex(lua_State *L)
{
    return luaL_error(L, "ctx.kg is read-only");
}

void tr_lua_kg_open(lua_State *L)
{
    (void)luaL_newmetatable(L, "kg");
    lua_createtable(L, 0, TR_LEN(methods));
    for (size_t i = 0; i < TR_LEN(methods); i++) {
        lua_pushcfunction(L, methods[i].func);
        lua_setfield(L, -2, methods[i].name);
    }
    lua_pushcclosure(L, kg_index, 1);
    lua_setfield(L, -2, "__index");
    lua_pushcfunction(L, kg_newindex);
    lua_setfield(L, -2, "__newindex");
    lua_pushboolean(L, 0);
    lua_setfield(L, -2, "__metatable");
    tr_lua_of(L)->refs.kg = luaL_ref(L, LUA_REGISTRYINDEX);
}

/* It keeps its ctx, and raises when that does. */
void tr_lua_kg_push(lua_State *L, int index)
{
    index = lua_absindex(L, index);
    (void)lua_newuserdatauv(L, 0, 1);
    lua_pushvalue(L, index);
    (void)lua_setiuservalue(L, -2, 1);
    tr_lua_set_mark(L, tr_lua_of(L)->refs.kg);
}

void tr_lua_kg_begin(lua_State *L, struct tr_lua_kg *use)
{
    (void)luaL_checkudata(L, 1, "kg");
    if (!tr_lua_place_can_wait(L))
        (void)luaL_error(L, "ctx.kg cannot wait here, in a comparator, a "
                            "callback of gsub or a metamethod: read first");
    (void)lua_getiuservalue(L, 1, 1);
    *use = (struct tr_lua_kg){.L = L};
    use->run = tr_lua_ctx_run_of(L, -1);
    lua_pop(L, 1);
    tr_lua_spend(L, WORK);
    use->began_ns = tr_time_ticks_ns();
    tr_lua_kg_check(use, tr_call_kg(use->run->call, &use->kg, &use->err));
    use->kg->errors = (struct tr_field_errors){0};
    use->kg->about = NULL;
    use->scratch = tr_lua_scratch(L);
}

void tr_lua_kg_begin_change(lua_State *L, struct tr_lua_kg *use)
{
    tr_lua_kg_begin(L, use);
    tr_status status =
        tr_call_may_change(use->run->call, NULL, false, &use->err);
    if (use->run->call->decides_only)
        (void)luaL_error(L, "a policy only looks: it cannot change the graph");
    tr_lua_kg_check(use, status);
}

void tr_lua_kg_begin_naming(lua_State *L, struct tr_lua_kg *use)
{
    tr_lua_kg_begin_change(L, use);
    tr_status st = tr_call_fix_names(use->run->call, use->kg, &use->err);
    if (st == TR_E_NOMEM)
        tr_lua_raise_nomem(L);
    if (st != TR_OK)
        (void)luaL_error(L, "%s", use->err.msg);
}

void tr_lua_kg_check(struct tr_lua_kg *use, tr_status status)
{
    if (status == TR_OK) {
        tr_lua_hook_if_slow(use->L, use->began_ns);
        return;
    }
    if (status == TR_E_NOMEM)
        tr_lua_raise_nomem(use->L);
    if (status == TR_E_INTERNAL) { /* of use to the author alone */
        tr_str line = tr_lua_push_line(use->L);
        if (line.len)
            tr_err_prefix(&use->err, "%.*s", TR_FMT(line));
        lua_pop(use->L, 1);
    }
    tr_call_say_read_again(use->run->call, &use->err);
    const struct tr_lua_fault fault = {
        .status = status,
        .message = tr_str_from(use->err.msg),
        .data = tr_call_graph_data(use->run->call, status),
        .told = tr_call_graph_told(use->run->call, status),
        .is_callers = status == TR_E_INVALID && tr_lua_kg_was_sent(use)};
    tr_lua_raise(use->L, &fault);
}

bool tr_lua_kg_was_sent(const struct tr_lua_kg *use)
{
    return use->given.ptr &&
           tr_lua_outcome_was_sent(use->run->call->args, use->given);
}

tr_status tr_lua_kg_enter(struct tr_lua_kg *use)
{
    TR_TRY(tr_graph_kg_enter(use->kg, &use->read, &use->err));
    use->read.arena = use->scratch;
    return TR_OK;
}

void tr_lua_kg_leave(struct tr_lua_kg *use)
{
    tr_graph_kg_leave(use->kg);
}

const struct tr_model_type *tr_lua_kg_type(struct tr_lua_kg *use, int index)
{
    const struct tr_model *model = use->kg->model;
    struct tr_nearest nearest;
    tr_str name;
    name.ptr = luaL_checklstring(use->L, index, &name.len);
    const struct tr_model_type *type = tr_model_find(model, name);
    if (type)
        return type;
    tr_nearest_init(&nearest, name);
    for (size_t i = 0; i < model->count; i++)
        tr_nearest_offer(&nearest, model->types[i]->name);
    (void)luaL_error(use->L,
                     nearest.best.len
                         ? "there is no node type '%s', did you mean "
                           "'%s'?"
                         : "there is no node type '%s'",
                     name.ptr, nearest.best.len ? nearest.best.ptr : "");
    abort(); /* not reached: luaL_error does not return */
}

/* Where a node's table stands for the node, its id is taken. */
static void replace_by_id(lua_State *L, int index)
{
    if (!lua_istable(L, index))
        return;
    lua_pushliteral(L, "id");
    (void)lua_rawget(L, index);
    lua_replace(L, index);
}

tr_str tr_lua_kg_iri(struct tr_lua_kg *use, int index)
{
    return tr_lua_kg_iri_of(use, index, NULL);
}

tr_str tr_lua_kg_iri_of(struct tr_lua_kg *use, int index,
                        const struct tr_model_type *type)
{
    lua_State *L = use->L;
    tr_str iri = {0};
    replace_by_id(L, index);
    luaL_argexpected(L, lua_type(L, index) == LUA_TSTRING, index,
                     "id, or a node");
    use->given = tr_lua_to_text(L, index, use->scratch);
    if (type && !strchr(lua_tostring(L, index), ':')) {
        (void)lua_pushfstring(L, "trails://%s/%s/%s",
                              use->kg->model->project.ptr, type->name.ptr,
                              lua_tostring(L, index));
        lua_replace(L, index);
    }
    tr_str text = tr_lua_to_text(L, index, use->scratch);
    tr_lua_kg_check(use, tr_model_untyped_iri(use->kg->model, text,
                                              use->scratch, &iri, &use->err));
    use->given = (tr_str){0};
    return iri;
}

/* {"id": iri, ...} as the iri, where a field refers to a node. */
static void take_id(struct tr_json *value)
{
    const struct tr_json *id = tr_json_find(value, TR_STR("id"));
    if (value->kind == TR_JSON_OBJECT && tr_json_is(id, TR_JSON_STRING))
        *value = *id;
}

static void take_ids(struct tr_json *object, const struct tr_shape *shape);

static void take_value(struct tr_json *value, const struct tr_field *field)
{
    if (field->kind == TR_FIELD_REF)
        take_id(value);
    else if (field->object)
        take_ids(value, field->object);
}

/* The tree is ours alone: it was made just now. */
static void take_ids(struct tr_json *object, const struct tr_shape *shape)
{
    for (uint32_t i = 0; object->kind == TR_JSON_OBJECT && i < object->len;
         i++) {
        struct tr_json_member *member =
            (struct tr_json_member *)(uintptr_t)&object->as.members[i];
        const struct tr_field *field =
            tr_shape_find(shape, tr_json_text(&member->key));
        struct tr_json *value = &member->value;
        if (!field)
            continue;
        take_value(value, field);
        for (uint32_t k = 0; value->kind == TR_JSON_ARRAY && k < value->len;
             k++)
            take_value((struct tr_json *)(uintptr_t)&value->as.items[k], field);
    }
}

const struct tr_json *tr_lua_kg_fields(struct tr_lua_kg *use, int index,
                                       const struct tr_model_type *type)
{
    luaL_checktype(use->L, index, LUA_TTABLE);
    const struct tr_json *fields =
        tr_lua_to_json_new(use->L, index, use->scratch);
    if (type)
        take_ids((struct tr_json *)(uintptr_t)fields, type->shape);
    luaL_argexpected(use->L, fields->kind == TR_JSON_OBJECT, index,
                     "table of fields");
    if (type) {
        use->kg->about = type;
        tr_lua_kg_check(use, tr_call_spell_keys(use->run->call, type,
                                                use->scratch, &fields,
                                                &use->kg->errors, &use->err));
    }
    return fields;
}

struct tr_lua_options tr_lua_kg_options(struct tr_lua_kg *use, int index,
                                        const char *what,
                                        const struct tr_lua_option *list,
                                        size_t count)
{
    struct tr_lua_options o = {use->L, index, what, NULL, NULL};
    if (lua_isnoneornil(use->L, index)) {
        lua_settop(use->L, index);
        lua_newtable(use->L);
        lua_replace(use->L, index);
    }
    luaL_checktype(use->L, index, LUA_TTABLE);
    tr_lua_options_check(&o, list, count);
    return o;
}

tr_str tr_lua_kg_option_iri(struct tr_lua_kg *use,
                            const struct tr_lua_options *o, const char *name,
                            const struct tr_model_type *type)
{
    int kind = tr_lua_option_push(o, name);
    if (kind == LUA_TNIL)
        return TR_STR("");
    if (kind != LUA_TSTRING && kind != LUA_TTABLE)
        tr_lua_options_fail(o, name, " must be an id, or a node");
    return tr_lua_kg_iri_of(use, lua_gettop(use->L), type);
}

size_t tr_lua_kg_limit(const struct tr_lua_options *o)
{
    int64_t limit = tr_lua_option_i64(o, "limit");
    if (tr_lua_option_has(o, "limit") && limit < 1)
        tr_lua_options_fail(o, "limit must be at least 1", "");
    return (size_t)limit;
}

static tr_status read_node(struct tr_lua_kg *use, tr_str iri,
                           const struct tr_model_type *type,
                           struct tr_json *node, bool *found)
{
    tr_rdf_id id = TR_RDF_ID_NONE;
    TR_TRY(tr_graph_node_find(&use->read, iri, &id, &use->err));
    if (id == TR_RDF_ID_NONE)
        return TR_OK;
    TR_TRY(type
               ? tr_query_node_read_as(&use->read, id, type, node, found,
                                       &use->err)
               : tr_query_node_read_id(&use->read, id, node, found, &use->err));
    if (*found)
        tr_graph_kg_note_used(use->kg, id);
    return TR_OK;
}

int tr_lua_kg_push_node(struct tr_lua_kg *use, tr_str iri,
                        const struct tr_model_type *type)
{
    struct tr_json node = {0};
    bool found = false;
    tr_lua_kg_check(use, tr_lua_kg_enter(use));
    tr_status status = read_node(use, iri, type, &node, &found);
    tr_lua_kg_leave(use);
    tr_lua_kg_check(use, status);
    if (found)
        tr_lua_push_json(use->L, &node);
    else
        lua_pushnil(use->L);
    return 1;
}

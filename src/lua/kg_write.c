#include "graph/kg.h"
#include "graph/node.h"
#include "json/build.h"
#include "lua/base_lib.h"
#include "lua/convert.h"
#include "lua/fault.h"
#include "lua/kg_inside.h"
#include "model/value_term.h"

/* create(type, fields, {id =}): type may be nil, then fields are predicates. */
int tr_lua_kg_create(lua_State *L)
{
    static const struct tr_lua_option list[] = {{"id", NULL}};
    struct tr_lua_kg use;
    tr_lua_kg_begin_naming(L, &use);
    const struct tr_model_type *type =
        lua_isnoneornil(L, 2) ? NULL : tr_lua_kg_type(&use, 2);
    struct tr_lua_options o =
        tr_lua_kg_options(&use, 4, "kg:create", list, TR_LEN(list));
    const struct tr_json *fields = tr_lua_kg_fields(&use, 3, type);
    tr_str iri = tr_lua_kg_option_iri(&use, &o, "id", type);
    tr_lua_kg_check(
        &use, tr_graph_kg_create(use.kg, type, iri, fields, &iri, &use.err));
    return tr_lua_kg_push_node(&use, iri, NULL);
}

/* The type of a node that is there; NULL when it has none, or is not. */
static const struct tr_model_type *type_of(struct tr_lua_kg *use, tr_str iri)
{
    const struct tr_model_type *type = NULL;
    tr_rdf_id id = TR_RDF_ID_NONE;
    tr_lua_kg_check(use, tr_lua_kg_enter(use));
    tr_status status = tr_graph_node_find(&use->read, iri, &id, &use->err);
    if (status == TR_OK && id != TR_RDF_ID_NONE)
        status = tr_graph_node_type(&use->read, id, &type, &use->err);
    tr_lua_kg_leave(use);
    tr_lua_kg_check(use, status);
    return type;
}

/* update(id, fields, {if_version =, replace =}) */
int tr_lua_kg_update(lua_State *L)
{
    static const struct tr_lua_option list[] = {{"if_version", NULL},
                                                {"replace", NULL}};
    struct tr_lua_kg use;
    tr_lua_kg_begin_change(L, &use);
    struct tr_lua_options o =
        tr_lua_kg_options(&use, 4, "kg:update", list, TR_LEN(list));
    tr_str iri = tr_lua_kg_iri(&use, 2);
    struct tr_graph_kg_update update = {
        .fields = tr_lua_kg_fields(&use, 3, type_of(&use, iri)),
        .replace = tr_lua_option_bool(&o, "replace", false),
        .has_version = tr_lua_option_has(&o, "if_version"),
        .version = tr_lua_option_i64(&o, "if_version"),
    };
    tr_lua_kg_check(&use, tr_graph_kg_update(use.kg, iri, &update, &use.err));
    return tr_lua_kg_push_node(&use, iri, NULL);
}

/* {name: value of `fields`, ...} */
static const struct tr_json *pick(struct tr_lua_kg *use,
                                  const struct tr_shape *shape,
                                  const struct tr_json *fields,
                                  const tr_str *names, size_t count)
{
    struct tr_json *filter = TR_NEW(use->scratch, struct tr_json);
    struct tr_json_member *members =
        TR_NEW_ARRAY(use->scratch, struct tr_json_member, count + 1);
    if (!filter || !members)
        tr_lua_raise_nomem(use->L);
    for (size_t i = 0; i < count; i++) {
        const struct tr_json *value = tr_json_find(fields, names[i]);
        const struct tr_field *field = tr_shape_find(shape, names[i]);
        if (field && field->index == TR_FIELD_INDEX_NONE)
            (void)luaL_error(use->L,
                             "kg:upsert is by '%s', and it has "
                             "index = false",
                             names[i].ptr);
        else if (!value)
            (void)luaL_error(use->L, "kg:upsert is by '%s', which is not given",
                             names[i].ptr);
        else
            members[i] = (struct tr_json_member){
                tr_json_make_text(TR_JSON_STRING, names[i]), *value};
    }
    if (!tr_json_make_object(use->scratch, members, count, filter))
        tr_lua_raise_nomem(use->L);
    return filter;
}

/* The one node that has these values; empty when there is none. */
static tr_str find_one(struct tr_lua_kg *use, const struct tr_query *query)
{
    struct tr_query_page page = {0};
    tr_rdf_term term = {0};
    tr_lua_kg_check(use, tr_lua_kg_enter(use));
    tr_status status = tr_query_where(&use->read, query, &page, &use->err);
    bool many = status == TR_OK && page.count > 1;
    if (status == TR_OK && page.count == 1)
        status =
            tr_rdf_graph_get(use->read.graph, page.ids[0], &term, &use->err);
    bool copied = tr_arena_copy(use->scratch, term.text, &term.text);
    tr_lua_kg_leave(use);
    tr_lua_kg_check(use, status);
    if (!copied)
        tr_lua_raise_nomem(use->L);
    if (many)
        tr_lua_raise_fault(use->L, TR_E_CONFLICT,
                           TR_STR("kg:upsert found more than one node"), NULL);
    return term.text;
}

static const tr_str *only_unique(const struct tr_shape *shape, size_t *count)
{
    *count = shape->unique->count;
    return shape->unique->names;
}

/* The IRI of a node that upsert means, empty for a new one; argument 4 says
 * which: {by = names}, {id =}, or nothing, then it is by what is unique. */
static tr_str find_target(struct tr_lua_kg *use,
                          const struct tr_model_type *type,
                          const struct tr_json *fields)
{
    static const struct tr_lua_option list[] = {{"by", NULL}, {"id", NULL}};
    const struct tr_shape *shape = type->shape;
    struct tr_lua_options o =
        tr_lua_kg_options(use, 4, "kg:upsert", list, TR_LEN(list));
    size_t count = 0;
    const tr_str *by = tr_lua_option_strs(&o, "by", use->scratch, &count);
    tr_str iri = tr_lua_kg_option_iri(use, &o, "id", type);
    if (iri.len)
        return iri;
    if (count == 0 && shape->unique_count != 1)
        (void)luaL_error(use->L, "kg:upsert must be told `by` which fields, "
                                 "or the `id`");
    else if (count == 0)
        by = only_unique(shape, &count);
    struct tr_query query = {.type = type,
                             .filter = pick(use, shape, fields, by, count),
                             .errors = &use->kg->errors,
                             .limit = 2};
    return find_one(use, &query);
}

/* upsert(type, fields, {by = names} or {id =}): the node, and whether it is
 * new. */
int tr_lua_kg_upsert(lua_State *L)
{
    struct tr_lua_kg use;
    tr_lua_kg_begin_naming(L, &use);
    const struct tr_model_type *type = tr_lua_kg_type(&use, 2);
    const struct tr_json *fields = tr_lua_kg_fields(&use, 3, type);
    tr_str iri = find_target(&use, type, fields);
    bool exists = iri.len > 0 && type_of(&use, iri);
    struct tr_graph_kg_update update = {.fields = fields};
    tr_lua_kg_check(
        &use,
        exists ? tr_graph_kg_update(use.kg, iri, &update, &use.err)
               : tr_graph_kg_create(use.kg, type, iri, fields, &iri, &use.err));
    (void)tr_lua_kg_push_node(&use, iri, NULL);
    lua_pushboolean(L, !exists);
    return 2;
}

/* delete(id, {if_version =}): whether it was there. */
int tr_lua_kg_delete(lua_State *L)
{
    static const struct tr_lua_option list[] = {{"if_version", NULL}};
    struct tr_lua_kg use;
    bool found = false;
    tr_lua_kg_begin_change(L, &use);
    struct tr_lua_options o =
        tr_lua_kg_options(&use, 3, "kg:delete", list, TR_LEN(list));
    tr_str iri = tr_lua_kg_iri(&use, 2);
    bool has_version = tr_lua_option_has(&o, "if_version");
    int64_t version = tr_lua_option_i64(&o, "if_version");
    tr_lua_kg_check(&use, tr_graph_kg_delete(use.kg, iri,
                                             has_version ? &version : NULL,
                                             &found, &use.err));
    lua_pushboolean(L, found);
    return 1;
}

/* next(name, least): a number that no other call gets, if this one lands. */
int tr_lua_kg_next(lua_State *L)
{
    struct tr_lua_kg use;
    int64_t number = 0;
    tr_str name;
    tr_lua_kg_begin_change(L, &use);
    luaL_checktype(L, 2, LUA_TSTRING);
    name.ptr = lua_tolstring(L, 2, &name.len);
    lua_Integer least = luaL_optinteger(L, 3, 1);
    tr_lua_kg_check(&use,
                    tr_graph_kg_next(use.kg, name, least, &number, &use.err));
    lua_pushinteger(L, number);
    return 1;
}

/* subject, predicate, value and perhaps a graph, from argument 2 on. */
static int put_quad(lua_State *L, bool is_added)
{
    struct tr_lua_kg use;
    tr_rdf_quad quad = {0};
    tr_lua_kg_begin_change(L, &use);
    lua_settop(L, 5);
    quad.subject = tr_rdf_term_iri(tr_lua_kg_iri(&use, 2));
    quad.predicate = tr_rdf_term_iri(tr_lua_kg_iri(&use, 3));
    luaL_checkany(L, 4);
    const struct tr_json *value = tr_lua_to_json_new(L, 4, use.scratch);
    tr_lua_kg_check(&use,
                    tr_model_untyped_term(use.kg->model, value, use.scratch,
                                          &quad.object, &use.err));
    if (!lua_isnil(L, 5))
        quad.graph = tr_rdf_term_iri(tr_lua_kg_iri(&use, 5));
    tr_lua_kg_check(&use,
                    tr_graph_kg_put_quad(use.kg, &quad, is_added, &use.err));
    return 0;
}

int tr_lua_kg_add(lua_State *L)
{
    return put_quad(L, true);
}

int tr_lua_kg_remove(lua_State *L)
{
    return put_quad(L, false);
}

/*
 * On the stack are the kg, the function and the mark of the changes before it,
 * then the results.
 */
static int end_transaction(lua_State *L, int status, lua_KContext context)
{
    struct tr_lua_kg use;
    (void)context;
    tr_lua_of(L)->running->transactions--;
    if (status == LUA_OK || status == LUA_YIELD)
        return lua_gettop(L) - 3;
    tr_lua_check_caught(L, status);
    const struct tr_graph_change_mark *mark = lua_touserdata(L, 3);
    tr_lua_kg_begin(L, &use);
    tr_graph_kg_undo(use.kg, *mark);
    return lua_error(L);
}

/* transaction(fn): what fn has changed is taken back when it raises. */
int tr_lua_kg_transaction(lua_State *L)
{
    struct tr_lua_kg use;
    tr_lua_kg_begin(L, &use);
    luaL_checktype(L, 2, LUA_TFUNCTION);
    lua_settop(L, 2);
    struct tr_graph_change_mark *mark =
        (struct tr_graph_change_mark *)lua_newuserdatauv(L, sizeof(*mark), 0);
    *mark = tr_graph_kg_mark(use.kg);
    lua_pushvalue(L, 2);
    tr_lua_of(L)->running->transactions++; /* one that is left lands nothing */
    int status = lua_pcallk(L, 0, LUA_MULTRET, 0, 0, end_transaction);
    return end_transaction(L, status, 0);
}

#include "base/limits.h"
#include "graph/node.h"
#include "json/build.h"
#include "lua/convert.h"
#include "lua/fault.h"
#include "lua/kg_inside.h"
#include "model/value_term.h"
#include "query/query.h"
#include "runtime/outcome.h"

/* get(id), or get(type, id): there the end of an id is enough. */
int tr_lua_kg_get(lua_State *L)
{
    struct tr_lua_kg use;
    tr_lua_kg_begin(L, &use);
    if (lua_isnone(L, 3))
        return tr_lua_kg_push_node(&use, tr_lua_kg_iri(&use, 2), NULL);
    const struct tr_model_type *type = tr_lua_kg_type(&use, 2);
    return tr_lua_kg_push_node(&use, tr_lua_kg_iri_of(&use, 3, type), type);
}

/* label(id): what people call it, nil when nothing is known. */
int tr_lua_kg_label(lua_State *L)
{
    struct tr_lua_kg use;
    tr_str label = {0};
    tr_rdf_id id = TR_RDF_ID_NONE;
    tr_lua_kg_begin(L, &use);
    tr_str iri = tr_lua_kg_iri(&use, 2);
    tr_lua_kg_check(&use, tr_lua_kg_enter(&use));
    tr_status status = tr_graph_node_find(&use.read, iri, &id, &use.err);
    if (status == TR_OK && id != TR_RDF_ID_NONE)
        status = tr_graph_node_label(&use.read, id, &label, &use.err);
    tr_lua_kg_leave(&use);
    tr_lua_kg_check(&use, status);
    if (label.len)
        tr_lua_push_str(L, label);
    else
        lua_pushnil(L);
    return 1;
}

void tr_lua_kg_note_page(struct tr_lua_kg *use,
                         const struct tr_query_page *page)
{
    for (size_t i = 0; i < page->count; i++)
        tr_graph_kg_note_used(use->kg, page->ids[i]);
}

int tr_lua_kg_push_page(struct tr_lua_kg *use, const struct tr_json *nodes,
                        const struct tr_query_page *page)
{
    tr_lua_spend(use->L, 100 * (uint64_t)page->count);
    tr_lua_push_json(use->L, nodes);
    if (page->next.len)
        tr_lua_push_str(use->L, page->next);
    else
        lua_pushnil(use->L);
    return 2;
}

_Noreturn void tr_lua_kg_refuse_after(struct tr_lua_kg *use)
{
    const struct tr_lua_fault fault = {
        .status = TR_E_INVALID,
        .message = TR_STR("after is not what a page before gave as next: "
                          "begin again without it"),
        .data = tr_call_bad_cursor(use->run->call, TR_STR("after")),
        .is_callers = tr_lua_kg_was_sent(use)};
    tr_lua_raise(use->L, &fault);
}

/* A query finds no place to go on from; all else is found, or empty. */
static void check_page(struct tr_lua_kg *use, tr_status status)
{
    if (status == TR_E_NOT_FOUND)
        tr_lua_kg_refuse_after(use);
    use->given = (tr_str){0};
    tr_lua_kg_check(use, status);
}

static const struct tr_lua_option page_options[] = {{"after", NULL},
                                                    {"limit", NULL}};

tr_str tr_lua_kg_page_after(struct tr_lua_kg *use,
                            const struct tr_lua_options *o)
{
    tr_str after = {0};
    if (tr_lua_option_push(o, "after") != LUA_TSTRING)
        return tr_lua_kg_option_iri(use, o, "after", NULL);
    use->given = tr_lua_to_text(use->L, lua_gettop(use->L), use->scratch);
    if (tr_model_untyped_iri(use->kg->model, use->given, use->scratch, &after,
                             NULL) != TR_OK)
        tr_lua_kg_refuse_after(use);
    return after;
}

/* list(type, {limit =, after =}): id, _type, _version and label of each. */
int tr_lua_kg_list(lua_State *L)
{
    struct tr_lua_kg use;
    struct tr_query_page page = {0};
    struct tr_json nodes = {0};
    tr_lua_kg_begin(L, &use);
    const struct tr_model_type *type = tr_lua_kg_type(&use, 2);
    struct tr_lua_options o = tr_lua_kg_options(
        &use, 3, "kg:list", page_options, TR_LEN(page_options));
    size_t limit = tr_lua_kg_limit(&o);
    tr_str after = tr_lua_kg_page_after(&use, &o);
    tr_lua_kg_check(&use, tr_lua_kg_enter(&use));
    tr_status status =
        tr_query_list_type(&use.read, type, after, limit, &page, &use.err);
    if (status == TR_OK)
        status = tr_query_page_brief(&use.read, &page, &nodes, &use.err);
    tr_lua_kg_note_page(&use, &page);
    tr_lua_kg_leave(&use);
    check_page(&use, status);
    return tr_lua_kg_push_page(&use, &nodes, &page);
}

int tr_lua_kg_push_found(struct tr_lua_kg *use, tr_status status,
                         const struct tr_query_page *page, bool more)
{
    struct tr_json nodes = {0};
    if (status == TR_OK)
        status = tr_query_page_nodes(&use->read, page, &nodes, &use->err);
    tr_lua_kg_note_page(use, page);
    tr_lua_kg_leave(use);
    tr_lua_kg_check(use, status);
    (void)tr_lua_kg_push_page(use, &nodes, page);
    lua_pushboolean(use->L, more);
    lua_replace(use->L, -2);
    return 2;
}

/* The index of the argument of traverse that is its path. */
enum { ROUTE = 3 };

/* A step of a path: "owner", "^owner", or {path = "part", min =, max =}. */
static struct tr_query_step read_step(struct tr_lua_kg *use, int index)
{
    static const struct tr_lua_option list[] = {
        {"path", NULL}, {"min", NULL}, {"max", NULL}};
    struct tr_query_step step = {0};
    lua_State *L = use->L;
    if (!lua_istable(L, index)) {
        luaL_argexpected(L, lua_type(L, index) == LUA_TSTRING, ROUTE,
                         "step, or an array of steps");
        step.path = tr_lua_to_text(L, index, use->scratch);
        return step;
    }
    struct tr_lua_options o =
        tr_lua_kg_options(use, index, "kg:traverse", list, TR_LEN(list));
    if (!tr_arena_copy(use->scratch, tr_lua_option_str(&o, "path"), &step.path))
        tr_lua_raise_nomem(L);
    int64_t min = tr_lua_option_i64(&o, "min");
    int64_t max = tr_lua_option_i64(&o, "max");
    if (min < 0 || max < 0)
        tr_lua_options_fail(&o, "min and max must not be negative", "");
    step.min = (size_t)min;
    step.max = (size_t)max;
    return step;
}

static void read_route(struct tr_lua_kg *use, struct tr_query_route *out)
{
    lua_State *L = use->L;
    bool is_list = lua_istable(L, ROUTE) && lua_rawlen(L, ROUTE) > 0;
    size_t count = is_list ? (size_t)lua_rawlen(L, ROUTE) : 1;
    luaL_argcheck(L, count <= TR_LIMIT_TRAVERSE_DEPTH, ROUTE, "is too long");
    struct tr_query_step *steps = tr_lua_must_have(
        L, TR_NEW_ARRAY(use->scratch, struct tr_query_step, count));
    for (size_t i = 0; i < count; i++) {
        if (is_list)
            (void)lua_rawgeti(L, ROUTE, (lua_Integer)i + 1);
        else
            lua_pushvalue(L, ROUTE);
        steps[i] = read_step(use, lua_gettop(L));
        lua_pop(L, 1);
    }
    out->steps = steps;
    out->count = count;
}

/* traverse(id, path, {limit =}): the nodes at its end, and whether the limit
 * has left some out. */
int tr_lua_kg_traverse(lua_State *L)
{
    static const struct tr_lua_option list[] = {{"limit", NULL}};
    struct tr_lua_kg use;
    struct tr_query_route route = {0};
    struct tr_query_page page = {0};
    tr_rdf_id id = TR_RDF_ID_NONE;
    bool more = false;
    tr_lua_kg_begin(L, &use);
    struct tr_lua_options o =
        tr_lua_kg_options(&use, 4, "kg:traverse", list, TR_LEN(list));
    tr_str iri = tr_lua_kg_iri(&use, 2);
    route.limit = tr_lua_kg_limit(&o);
    read_route(&use, &route);
    tr_lua_kg_check(&use, tr_lua_kg_enter(&use));
    tr_status status = tr_graph_node_find(&use.read, iri, &id, &use.err);
    if (status == TR_OK && id != TR_RDF_ID_NONE)
        status =
            tr_query_traverse(&use.read, id, &route, &page, &more, &use.err);
    return tr_lua_kg_push_found(&use, status, &page, more);
}

/* A part of a pattern that is an IRI; NULL when it is not given. */
static const tr_rdf_term *read_part(struct tr_lua_kg *use,
                                    const struct tr_lua_options *o,
                                    const char *name)
{
    tr_str iri = tr_lua_kg_option_iri(use, o, name, NULL);
    if (!iri.len)
        return NULL;
    tr_rdf_term *term =
        tr_lua_must_have(use->L, TR_NEW(use->scratch, tr_rdf_term));
    *term = tr_rdf_term_iri(iri);
    return term;
}

static const tr_rdf_term *read_object(struct tr_lua_kg *use,
                                      const struct tr_lua_options *o)
{
    if (tr_lua_option_push(o, "object") == LUA_TNIL)
        return NULL;
    tr_rdf_term *term =
        tr_lua_must_have(use->L, TR_NEW(use->scratch, tr_rdf_term));
    const struct tr_json *value =
        tr_lua_to_json_new(use->L, lua_gettop(use->L), use->scratch);
    tr_lua_kg_check(use, tr_model_untyped_term(use->kg->model, value,
                                               use->scratch, term, &use->err));
    return term;
}

static void push_quad(struct tr_lua_kg *use, const tr_rdf_quad *quad)
{
    lua_State *L = use->L;
    struct tr_json value = {0};
    lua_createtable(L, 0, 4);
    tr_lua_push_str(L, quad->subject.text);
    lua_setfield(L, -2, "subject");
    tr_lua_push_str(L, quad->predicate.text);
    lua_setfield(L, -2, "predicate");
    tr_lua_kg_check(use,
                    tr_model_value_from_term(NULL, &quad->object, use->scratch,
                                             &value, &use->err));
    tr_lua_push_json(L, &value);
    lua_setfield(L, -2, "object");
    if (quad->graph.kind != TR_RDF_TERM_NONE) {
        tr_lua_push_str(L, quad->graph.text);
        lua_setfield(L, -2, "graph");
    }
}

/* quads{subject =, predicate =, object =, graph =, limit =}: an array of these,
 * and whether there are more. */
int tr_lua_kg_quads(lua_State *L)
{
    static const struct tr_lua_option list[] = {
        {"subject", NULL}, {"predicate", NULL}, {"object", NULL},
        {"graph", NULL},   {"limit", NULL},
    };
    struct tr_lua_kg use;
    struct tr_query_matches found = {0};
    tr_lua_kg_begin(L, &use);
    struct tr_lua_options o =
        tr_lua_kg_options(&use, 2, "kg:quads", list, TR_LEN(list));
    struct tr_query_match match = {.subject = read_part(&use, &o, "subject"),
                                   .predicate =
                                       read_part(&use, &o, "predicate"),
                                   .object = read_object(&use, &o),
                                   .graph = read_part(&use, &o, "graph"),
                                   .limit = tr_lua_kg_limit(&o)};
    tr_lua_kg_check(&use, tr_lua_kg_enter(&use));
    tr_status status =
        tr_query_match_quads(&use.read, &match, &found, &use.err);
    tr_lua_kg_leave(&use);
    tr_lua_kg_check(&use, status);
    lua_createtable(L, (int)found.count, 0);
    for (size_t i = 0; i < found.count; i++) {
        push_quad(&use, &found.items[i]);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    tr_lua_mark_array(L);
    lua_pushboolean(L, found.more);
    return 2;
}

/* What is asked of all instances of a type: where, count, exists, aggregate,
 * search. */
#include "base/limits.h"
#include "graph/node.h"
#include "json/build.h"
#include "lua/convert.h"
#include "lua/fault.h"
#include "lua/kg_inside.h"
#include "query/aggregate.h"
#include "runtime/outcome.h"

/* Fields of which it is said what is wrong. */
#define SHOWN 4

/* A text of the scratch arena. */
static tr_str keep_text(struct tr_lua_kg *use, tr_str text)
{
    tr_str copy;
    if (!tr_arena_copy(use->scratch, text, &copy))
        tr_lua_raise_nomem(use->L);
    return copy;
}

/* Where the app has called it, and what is wrong with which field. */
static tr_str say_fields(struct tr_lua_kg *use, const char *what)
{
    const struct tr_field_errors *errors = &use->kg->errors;
    char text[TR_LIMIT_ERROR_TEXT];
    struct tr_buf out;
    tr_str line = tr_lua_push_line(use->L);
    tr_buf_init_fixed(&out, text, sizeof(text));
    if (line.len)
        tr_buf_putf(&out, "%.*s: ", TR_FMT(line));
    tr_buf_putf(&out, "%s: ", what);
    for (size_t i = 0; i < errors->count && i < SHOWN; i++) {
        tr_field_message_put(&out, i ? TR_STR("; ") : TR_STR(""));
        tr_field_message_put(&out, errors->items[i].message);
    }
    return keep_text(use, tr_buf_str(&out));
}

/* As tr_lua_kg_check, of a query that is refused for what it names. */
static void check_query(struct tr_lua_kg *use, const char *what,
                        tr_status status)
{
    if (status != TR_E_VALIDATION || use->kg->errors.count == 0) {
        tr_lua_kg_check(use, status);
        return;
    }
    const struct tr_lua_fault fault = {
        .status = status,
        .message = say_fields(use, what),
        .data = tr_call_graph_data(use->run->call, status),
        .told = tr_call_graph_told(use->run->call, status),
    };
    tr_lua_raise(use->L, &fault);
}

/* The type and the filter, arguments 2 and 3; the filter may be absent. */
static struct tr_query read_query(struct tr_lua_kg *use)
{
    lua_State *L = use->L;
    struct tr_query query = {.type = tr_lua_kg_type(use, 2),
                             .errors = &use->kg->errors};
    *query.errors = (struct tr_field_errors){0};
    if (!lua_isnoneornil(L, 3))
        query.filter = tr_lua_kg_fields(use, 3, query.type);
    return query;
}

/* where -------------------------------------------------------------------- */

/* An order, or what the page before gave as `after`. */
static tr_str read_text(struct tr_lua_kg *use, const struct tr_lua_options *o,
                        const char *name)
{
    tr_str text = tr_lua_option_str(o, name);
    return text.len ? keep_text(use, text) : text;
}

/* A page in the order of ids begins behind a node, which may be a table. */
static tr_str read_after(struct tr_lua_kg *use, const struct tr_lua_options *o,
                         bool is_ordered)
{
    tr_str after = {0};
    if (!is_ordered)
        return tr_lua_kg_page_after(use, o);
    after = read_text(use, o, "after");
    use->given = after;
    return after;
}

static tr_status read_page(struct tr_lua_kg *use, const struct tr_query *query,
                           struct tr_query_page *page, struct tr_json *nodes)
{
    TR_TRY(tr_query_where(&use->read, query, page, &use->err));
    return query->shown
               ? tr_query_page_fields(&use->read, page, query->shown,
                                      query->shown_count, nodes, &use->err)
               : tr_query_page_nodes(&use->read, page, nodes, &use->err);
}

/* where(type, filter, {order =, limit =, after =, fields =}) */
int tr_lua_kg_where(lua_State *L)
{
    static const struct tr_lua_option list[] = {
        {"after", NULL}, {"fields", NULL}, {"limit", NULL}, {"order", NULL}};
    struct tr_lua_kg use;
    struct tr_query_page page = {0};
    struct tr_json nodes = {0};
    tr_lua_kg_begin(L, &use);
    struct tr_lua_options o =
        tr_lua_kg_options(&use, 4, "kg:where", list, TR_LEN(list));
    struct tr_query query = read_query(&use);
    if (tr_lua_option_has(&o, "fields"))
        query.shown =
            tr_lua_option_strs(&o, "fields", use.scratch, &query.shown_count);
    query.limit = tr_lua_kg_limit(&o);
    query.order = read_text(&use, &o, "order");
    query.after = read_after(&use, &o, query.order.len > 0);
    tr_lua_kg_check(&use, tr_lua_kg_enter(&use));
    tr_status status = read_page(&use, &query, &page, &nodes);
    tr_lua_kg_note_page(&use, &page);
    tr_lua_kg_leave(&use);
    if (status == TR_E_NOT_FOUND || (status == TR_E_INVALID && query.after.len))
        tr_lua_kg_refuse_after(&use);
    use.given = (tr_str){0};
    check_query(&use, "kg:where", status);
    return tr_lua_kg_push_page(&use, &nodes, &page);
}

/* count and exists ----------------------------------------------------------
 */

/* count(type, filter): how many, and whether that is exact. */
int tr_lua_kg_count(lua_State *L)
{
    struct tr_lua_kg use;
    struct tr_query_count count = {0};
    tr_lua_kg_begin(L, &use);
    struct tr_query query = read_query(&use);
    tr_lua_kg_check(&use, tr_lua_kg_enter(&use));
    tr_status status =
        tr_query_where_count(&use.read, &query, &count, &use.err);
    tr_lua_kg_leave(&use);
    check_query(&use, "kg:count", status);
    lua_pushinteger(L, (lua_Integer)count.count);
    lua_pushboolean(L, !count.at_least);
    return 2;
}

static tr_status is_there(struct tr_lua_kg *use, tr_str iri, bool *out)
{
    tr_rdf_id id = TR_RDF_ID_NONE;
    TR_TRY(tr_graph_node_find(&use->read, iri, &id, &use->err));
    return id == TR_RDF_ID_NONE
               ? TR_OK
               : tr_graph_node_exists(&use->read, id, out, &use->err);
}

/* exists(id), or exists(type, filter) */
int tr_lua_kg_exists(lua_State *L)
{
    struct tr_lua_kg use;
    struct tr_query query = {0};
    tr_str iri = {0};
    bool exists = false;
    tr_lua_kg_begin(L, &use);
    if (lua_isnoneornil(L, 3))
        iri = tr_lua_kg_iri(&use, 2);
    else
        query = read_query(&use);
    tr_lua_kg_check(&use, tr_lua_kg_enter(&use));
    tr_status status =
        query.type ? tr_query_where_exists(&use.read, &query, &exists, &use.err)
                   : is_there(&use, iri, &exists);
    tr_lua_kg_leave(&use);
    check_query(&use, "kg:exists", status);
    lua_pushboolean(L, exists);
    return 1;
}

/* aggregate -----------------------------------------------------------------
 */

static void read_measures(struct tr_lua_kg *use, const struct tr_lua_options *o,
                          struct tr_query_aggregate *out)
{
    struct tr_query_measure *list = TR_NEW_ARRAY(
        use->scratch, struct tr_query_measure, TR_LIMIT_QUERY_MEASURES);
    if (!list)
        tr_lua_raise_nomem(use->L);
    out->measures = list;
    for (int kind = TR_QUERY_SUM; kind <= TR_QUERY_AVG; kind++) {
        const char *name =
            tr_query_measure_name((enum tr_query_measure_kind)kind).ptr;
        size_t count = 0;
        if (!tr_lua_option_has(o, name))
            continue;
        const tr_str *fields =
            tr_lua_option_strs(o, name, use->scratch, &count);
        for (size_t i = 0; i < count; i++) {
            if (out->measure_count == TR_LIMIT_QUERY_MEASURES)
                tr_lua_options_fail(o, name, " names too many fields");
            list[out->measure_count++] = (struct tr_query_measure){
                (enum tr_query_measure_kind)kind, fields[i]};
        }
    }
}

/* What is null is nil in Lua: an object does without it. */
static void leave_out_nulls(struct tr_json *value)
{
    /* The tree is ours alone: it was made just now. */
    struct tr_json_member *members =
        (struct tr_json_member *)(uintptr_t)value->as.members;
    uint32_t count = 0;
    if (value->kind == TR_JSON_ARRAY) {
        for (uint32_t i = 0; i < value->len; i++)
            leave_out_nulls((struct tr_json *)(uintptr_t)&value->as.items[i]);
        return;
    }
    for (uint32_t i = 0; value->kind == TR_JSON_OBJECT && i < value->len; i++) {
        if (members[i].value.kind == TR_JSON_OBJECT)
            leave_out_nulls(&members[i].value);
        if (members[i].value.kind != TR_JSON_NULL)
            members[count++] = members[i];
    }
    if (value->kind == TR_JSON_OBJECT)
        value->len = count;
}

static struct tr_query_aggregate read_aggregate(struct tr_lua_kg *use,
                                                const struct tr_lua_options *o)
{
    struct tr_query query = read_query(use);
    struct tr_query_aggregate out = {.type = query.type,
                                     .filter = query.filter,
                                     .group = read_text(use, o, "group"),
                                     .errors = query.errors};
    (void)tr_lua_option_bool(o, "count", true);
    read_measures(use, o, &out);
    return out;
}

/* aggregate(type, filter, {group =, sum =, ...}): with a group an array of
 * them, and whether there are more; else the one. */
int tr_lua_kg_aggregate(lua_State *L)
{
    static const struct tr_lua_option list[] = {
        {"avg", NULL}, {"count", NULL}, {"group", NULL},
        {"max", NULL}, {"min", NULL},   {"sum", NULL}};
    struct tr_lua_kg use;
    struct tr_query_groups groups = {0};
    struct tr_json out = {0};
    tr_lua_kg_begin(L, &use);
    struct tr_lua_options o =
        tr_lua_kg_options(&use, 4, "kg:aggregate", list, TR_LEN(list));
    struct tr_query_aggregate asked = read_aggregate(&use, &o);
    tr_lua_kg_check(&use, tr_lua_kg_enter(&use));
    tr_status status = tr_query_aggregate(&use.read, &asked, &groups, &use.err);
    if (status == TR_OK)
        status =
            tr_query_groups_json(&use.read, &asked, &groups, &out, &use.err);
    tr_lua_kg_leave(&use);
    check_query(&use, "kg:aggregate", status);
    leave_out_nulls(&out);
    tr_lua_push_json(L, asked.group.len ? &out : tr_json_at(&out, 0));
    if (!asked.group.len)
        return 1;
    lua_pushboolean(L, groups.more);
    return 2;
}

/* search --------------------------------------------------------------------
 */

/* search(text, {type =, filter =, limit =}): the best first, whether there are
 * or may be more, and what was left undone, or nil. */
int tr_lua_kg_search(lua_State *L)
{
    static const struct tr_lua_option list[] = {
        {"filter", NULL}, {"limit", NULL}, {"type", NULL}};
    struct tr_lua_kg use;
    struct tr_query_page page = {0};
    bool more = false;
    tr_lua_kg_begin(L, &use);
    struct tr_lua_options o =
        tr_lua_kg_options(&use, 3, "kg:search", list, TR_LEN(list));
    (void)luaL_checkstring(L, 2);
    struct tr_query_search search = {.text = tr_lua_to_text(L, 2, use.scratch),
                                     .errors = &use.kg->errors,
                                     .limit = tr_lua_kg_limit(&o)};
    if (tr_lua_option_push(&o, "type") != LUA_TNIL)
        search.type = tr_lua_kg_type(&use, lua_gettop(L));
    if (tr_lua_option_has(&o, "filter"))
        search.filter =
            tr_lua_option_json(&o, "filter", TR_JSON_OBJECT, use.scratch);
    if (search.filter && !search.type)
        tr_lua_options_fail(&o, "filter needs a type", "");
    tr_lua_kg_check(&use, tr_lua_kg_enter(&use));
    tr_status status =
        tr_query_search(&use.read, &search, &page, &more, &use.err);
    if (status == TR_E_VALIDATION) {
        tr_lua_kg_leave(&use);
        check_query(&use, "kg:search", status);
    }
    (void)tr_lua_kg_push_found(&use, status, &page, more);
    if (page.is_partial)
        lua_pushfstring(L,
                        "not all nodes with its rarest word were looked at,"
                        " %d at most: add a rarer word",
                        (int)TR_LIMIT_SEARCH_NODES);
    else
        lua_pushnil(L);
    return 3;
}

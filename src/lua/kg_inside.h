/*
 * lua/kg_inside.h - what the functions of ctx.kg share; for them only.
 *
 * Nothing may raise or yield between enter and leave: the reader would stay in
 * its transaction. So arguments are read and paid for before, and results are
 * pushed after.
 */
#ifndef TR_LUA_KG_INSIDE_H
#define TR_LUA_KG_INSIDE_H

#include "graph/kg.h"
#include "lua/options.h"
#include "lua/run.h"
#include "query/query.h"

/* One call of one function of ctx.kg. */
struct tr_lua_kg {
    lua_State *L;
    struct tr_lua_run *run;
    struct tr_graph_kg *kg;
    struct tr_arena *scratch;      /* for results, on their way to Lua */
    struct tr_graph_read_ctx read; /* between enter and leave */
    uint64_t began_ns;
    tr_str given; /* the text that is read as an id now, or {0} */
    struct tr_err err;
};

/*
 * Begins the use of the kg that is argument 1, and pays for it. Raises, as the
 * next two do, when the call has no graph or has used up its budget.
 */
void tr_lua_kg_begin(lua_State *L, struct tr_lua_kg *use);

/*
 * The same for functions that change the graph, and for those that may name new
 * nodes.
 */
void tr_lua_kg_begin_change(lua_State *L, struct tr_lua_kg *use);
void tr_lua_kg_begin_naming(lua_State *L, struct tr_lua_kg *use);

/*
 * Returns only when `status` is TR_OK: raises use->err as a fault otherwise. So
 * it must not be called between enter and leave.
 */
void tr_lua_kg_check(struct tr_lua_kg *use, tr_status status);

/* Whether the text that is read now is one that the caller sent. */
bool tr_lua_kg_was_sent(const struct tr_lua_kg *use);

TR_NODISCARD tr_status tr_lua_kg_enter(struct tr_lua_kg *use);
void tr_lua_kg_leave(struct tr_lua_kg *use);

/* The type that an argument names; raises when there is none. */
const struct tr_model_type *tr_lua_kg_type(struct tr_lua_kg *use, int index);

/* The IRI of an argument: an id, a name with a prefix, or a node's table. */
tr_str tr_lua_kg_iri(struct tr_lua_kg *use, int index);

/* The same; of a node of this type, the end of its id is enough. */
tr_str tr_lua_kg_iri_of(struct tr_lua_kg *use, int index,
                        const struct tr_model_type *type);

/* An argument as an object; fields that are refs may be nodes' tables, and keys
 * where they have `by`. */
const struct tr_json *tr_lua_kg_fields(struct tr_lua_kg *use, int index,
                                       const struct tr_model_type *type);

/* The options at `index`, which may be absent: then the table is empty. */
struct tr_lua_options tr_lua_kg_options(struct tr_lua_kg *use, int index,
                                        const char *what,
                                        const struct tr_lua_option *list,
                                        size_t count);

/* An option that is an id or a node, perhaps of a type; empty when absent. */
tr_str tr_lua_kg_option_iri(struct tr_lua_kg *use,
                            const struct tr_lua_options *o, const char *name,
                            const struct tr_model_type *type);

/* `limit` of the options; 0 when it is not said. */
size_t tr_lua_kg_limit(const struct tr_lua_options *o);

/* Pushes the node; nil when there is none, or it is not of the type. */
int tr_lua_kg_push_node(struct tr_lua_kg *use, tr_str iri,
                        const struct tr_model_type *type);

/* Remembers that the nodes of a page were read. */
void tr_lua_kg_note_page(struct tr_lua_kg *use,
                         const struct tr_query_page *page);

/* Pushes a page as an array, and where the next one begins, or nil. */
int tr_lua_kg_push_page(struct tr_lua_kg *use, const struct tr_json *nodes,
                        const struct tr_query_page *page);

/* Leaves, and pushes the nodes that were found and whether there are more. */
int tr_lua_kg_push_found(struct tr_lua_kg *use, tr_status status,
                         const struct tr_query_page *page, bool more);

/* The option `after`: what a page goes on from was given by the one before. */
tr_str tr_lua_kg_page_after(struct tr_lua_kg *use,
                            const struct tr_lua_options *o);

/* Raises that `after` is nothing to go on from. */
_Noreturn void tr_lua_kg_refuse_after(struct tr_lua_kg *use);

/* Functions that change the graph, and those that read it. */
int tr_lua_kg_create(lua_State *L);
int tr_lua_kg_update(lua_State *L);
int tr_lua_kg_upsert(lua_State *L);
int tr_lua_kg_delete(lua_State *L);
int tr_lua_kg_add(lua_State *L);
int tr_lua_kg_remove(lua_State *L);
int tr_lua_kg_next(lua_State *L);
int tr_lua_kg_transaction(lua_State *L);
int tr_lua_kg_get(lua_State *L);
int tr_lua_kg_exists(lua_State *L);
int tr_lua_kg_label(lua_State *L);
int tr_lua_kg_list(lua_State *L);
int tr_lua_kg_where(lua_State *L);
int tr_lua_kg_count(lua_State *L);
int tr_lua_kg_aggregate(lua_State *L);
int tr_lua_kg_search(lua_State *L);
int tr_lua_kg_traverse(lua_State *L);
int tr_lua_kg_quads(lua_State *L);

#endif

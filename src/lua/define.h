/*
 * lua/define.h - capability, resource, resource_template, prompt, completion,
 * policy.
 *
 * Each registers a handler with the state, in order. In the state that loads
 * the app they also describe it to the registry's builder; in the others they
 * only see to it that the same things come in the same order.
 */
#ifndef TR_LUA_DEFINE_H
#define TR_LUA_DEFINE_H

#include "cap/cap.h"
#include "lua/host.h"
#include "lua/options.h"

struct tr_cap_builder;

/* Adds the six functions to the table on top of the stack. */
void tr_lua_add_definers(lua_State *L);

/* What is being defined: the options, and where it goes. */
struct tr_lua_definition {
    struct tr_lua_options o;
    tr_str name;
    struct tr_cap_builder *builder;
    struct tr_arena *arena; /* scratch */
    struct tr_cap_handler handler;
};

/* Raises with the message of an error from the registry. */
void tr_lua_definition_check(const struct tr_lua_definition *d,
                             tr_status status, const struct tr_err *err);

/* Reads the options of a capability and adds it. */
void tr_lua_define_capability(const struct tr_lua_definition *d);

/* The fields of an option, registered; NULL when it is a name, or absent. */
const struct tr_shape *tr_lua_read_shape(const struct tr_lua_definition *d,
                                         const char *name);

/* `scope` and `policy_required`, and where they stand. */
struct tr_cap_guard tr_lua_read_guard(const struct tr_lua_options *o,
                                      struct tr_arena *arena);

/* `preconditions` or `postconditions`, which have the same form; NULL when
 * there are none. */
const struct tr_cap_precondition *
tr_lua_read_conditions(const struct tr_lua_options *o, const char *option,
                       struct tr_arena *arena, size_t *count);

/* Raises unless every option of a capability has a known name. */
void tr_lua_check_capability(const struct tr_lua_options *o);

#endif

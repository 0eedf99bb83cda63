/*
 * lua/field.h - the fields of a shape, as authors write them.
 *
 * A field is a kind, which may have options: integer { optional = true }.
 * A table of fields has no order of its own: they are taken in the order of
 * their names, or, from an array of { "name", field }, in that order.
 */
#ifndef TR_LUA_FIELD_H
#define TR_LUA_FIELD_H

#include "fields/field.h"
#include "lua/options.h"

/* Adds text, integer, decimal, ref and all other kinds to the table on top. */
void tr_lua_add_fields(lua_State *L);

/*
 * Fills `out`, a draft in `arena` that borrows from the table of fields at
 * `index`. `o` says what it is for.
 */
void tr_lua_read_fields(const struct tr_lua_options *o, int index,
                        struct tr_arena *arena, struct tr_shape *out);

/* The option `schema`: a table, or JSON text. What it says is not looked at. */
const struct tr_json *tr_lua_read_schema(const struct tr_lua_options *o,
                                         struct tr_arena *arena);

#endif

/*
 * lua/options.h - tables with named options, as authors write them.
 *
 * Everything is read raw, so no code of the app runs meanwhile, and texts stay
 * valid as long as the table is on the stack. All of it may raise; messages
 * name what is being described, the option, and what was meant instead.
 */
#ifndef TR_LUA_OPTIONS_H
#define TR_LUA_OPTIONS_H

#include "json/json.h"

#include <lua.h>

/* A table on the stack, and what it describes: "capability 'greet'". */
struct tr_lua_options {
    lua_State *L;
    int index; /* absolute */
    const char *kind;
    const char *name;                    /* may be NULL */
    const struct tr_lua_options *within; /* what it is a part of, or NULL */
};

/* An option, and how JSON spells it; NULL when that is the same. */
struct tr_lua_option {
    const char *name;
    const char *json_name;
};

/* Raises unless every key is in the list. */
void tr_lua_options_check(const struct tr_lua_options *o,
                          const struct tr_lua_option *list, size_t count);

/* As tr_lua_options_check, and pushes a copy with the names of JSON. */
void tr_lua_options_push_json(const struct tr_lua_options *o,
                              const struct tr_lua_option *list, size_t count);

/* Pushes an option and returns its type. */
int tr_lua_option_push(const struct tr_lua_options *o, const char *name);
bool tr_lua_option_has(const struct tr_lua_options *o, const char *name);

/*
 * The value of an option; one that is absent is empty, `otherwise`, 0 or NULL.
 */
tr_str tr_lua_option_str(const struct tr_lua_options *o, const char *name);
bool tr_lua_option_bool(const struct tr_lua_options *o, const char *name,
                        bool otherwise);
int64_t tr_lua_option_i64(const struct tr_lua_options *o, const char *name);
double tr_lua_option_double(const struct tr_lua_options *o, const char *name);

/* The value as JSON, copied into the arena; it must be of this kind. */
const struct tr_json *tr_lua_option_json(const struct tr_lua_options *o,
                                         const char *name,
                                         enum tr_json_kind kind,
                                         struct tr_arena *arena);

/*
 * An array of strings, in the arena; one string counts as an array of one. The
 * second reads the value on top of the stack, and leaves it there.
 */
const tr_str *tr_lua_option_strs(const struct tr_lua_options *o,
                                 const char *name, struct tr_arena *arena,
                                 size_t *count);
const tr_str *tr_lua_options_strs(const struct tr_lua_options *o,
                                  const char *name, struct tr_arena *arena,
                                  size_t *count);

/* Where the function that runs was called: "app.lua:7". Left on the stack. */
tr_str tr_lua_push_line(lua_State *L);

_Noreturn void tr_lua_options_fail(const struct tr_lua_options *o,
                                   const char *message, const char *detail);

/*
 * Raises unless the status is TR_OK, with what an error of the registry says;
 * `part` names which part of the table it is about, or is "".
 */
void tr_lua_options_check_status(const struct tr_lua_options *o,
                                 tr_status status, const struct tr_err *err,
                                 const char *part);

#endif

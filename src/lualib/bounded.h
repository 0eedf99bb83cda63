/*
 * lualib/bounded.h - functions of Lua's libraries that work long in one go.
 *
 * The count hook does not see what C does. So whatever takes time in proportion
 * to a number or a length that the caller chooses pays for it:
 *
 *   string.rep ("", 1e18)         repeats nothing; else by its result
 *   string.upper, format, ...     by the length of the result
 *   string.unpack, packsize       by the length of the format
 *   string.byte, table.unpack     by the number of results
 *   table.concat, move            by the range, before it is walked
 *   table.insert, remove          by what has to be shifted
 *   utf8.len, codepoint, offset   by the bytes they may look at
 *   tonumber                      by the length of the text
 *
 * Memory needs no such list: the allocator charges it (memory.h).
 */
#ifndef TR_LUALIB_BOUNDED_H
#define TR_LUALIB_BOUNDED_H

#include <lua.h>

/*
 * The length of a table, argument 1, which the original function will see, too.
 * A
 * `__len` of the app might say something else each time and is refused: what is
 * paid for must be what is walked.
 */
lua_Integer tr_lualib_steady_len(lua_State *L);

/* The functions of `string` that have to do with lengths, into the table. */
void tr_lualib_add_bounded_strings(lua_State *L);

#endif

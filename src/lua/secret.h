/*
 * lua/secret.h - ctx:secret and ctx:hmac: texts that an app uses and cannot
 * read.
 *
 * A secret is a userdata with nothing but its name in Lua's reach. A text put
 * together with one, "Bearer " .. secret, is such a value, too: it prints as
 * "Bearer [secret NAME]", and only what sends it away has its bytes.
 */
#ifndef TR_LUA_SECRET_H
#define TR_LUA_SECRET_H

#include "base/buf.h"

#include <lua.h>

/* Whether the value at `index` is a secret, or put together with one. */
bool tr_lua_is_secret(lua_State *L, int index);

/*
 * Appends the bytes of the string, number or secret at `index`; false for
 * another value. Whoever owns the buffer ends it with
 * tr_crypto_secret_buf_done, and raises nothing before. Fails as tr_buf_put
 * does.
 */
bool tr_lua_put_secret(lua_State *L, int index, struct tr_buf *out);

/* How many bytes stand before the first secret in the value at `index`;
 * SIZE_MAX when there is none in it. */
size_t tr_lua_secret_begins(lua_State *L, int index);

/* Makes the metatable of secrets. */
void tr_lua_secret_open(lua_State *L);

/* Functions of ctx. */
int tr_lua_ctx_secret(lua_State *L);
int tr_lua_ctx_hmac(lua_State *L);

#endif

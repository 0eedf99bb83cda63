#include "lua/secret.h"

#include "base/limits.h"
#include "base/nearest.h"
#include "crypto/digest.h"
#include "crypto/encoding.h"
#include "crypto/random.h"
#include "crypto/secrets.h"
#include "lua/convert.h"
#include "lua/ctx.h"
#include "lua/host.h"

/* Parts that are no secret are strings, which its user values hold. */
struct secret {
    size_t count;
    const struct tr_crypto_secret *parts[]; /* NULL: user value i + 1 */
};

static const struct secret *test(lua_State *L, int index)
{
    return luaL_testudata(L, index, "secret");
}

bool tr_lua_is_secret(lua_State *L, int index)
{
    return test(L, index) != NULL;
}

/* Pushes one with room for the parts. */
static struct secret *push_new(lua_State *L, size_t count)
{
    size_t size = sizeof(struct secret) + count * sizeof(void *);
    struct secret *made = lua_newuserdatauv(L, size, (int)count);
    made->count = count;
    memset(made->parts, 0, count * sizeof(void *));
    luaL_setmetatable(L, "secret");
    return made;
}

bool tr_lua_put_secret(lua_State *L, int index, struct tr_buf *out)
{
    const struct secret *secret = test(L, index);
    tr_str text;
    index = lua_absindex(L, index);
    if (!secret && !lua_isstring(L, index))
        return false;
    if (!secret) {
        text.ptr = lua_tolstring(L, index, &text.len);
        tr_crypto_secret_put(out, text);
        return true;
    }
    for (size_t i = 0; i < secret->count; i++) {
        if (secret->parts[i]) {
            tr_crypto_secret_put(out, secret->parts[i]->bytes);
            continue;
        }
        (void)lua_getiuservalue(L, index, (int)i + 1);
        text.ptr = lua_tolstring(L, -1, &text.len);
        tr_crypto_secret_put(out, text);
        lua_pop(L, 1);
    }
    return true;
}

size_t tr_lua_secret_begins(lua_State *L, int index)
{
    const struct secret *secret = test(L, index);
    size_t len = 0;
    for (size_t i = 0; secret && i < secret->count; i++) {
        if (secret->parts[i])
            return len;
        (void)lua_getiuservalue(L, index, (int)i + 1);
        len += lua_rawlen(L, -1);
        lua_pop(L, 1);
    }
    return SIZE_MAX;
}

static int secret_text(lua_State *L)
{
    const struct secret *secret = luaL_checkudata(L, 1, "secret");
    luaL_Buffer out;
    luaL_buffinit(L, &out);
    for (size_t i = 0; i < secret->count; i++) {
        if (secret->parts[i])
            lua_pushfstring(L, "[secret %s]", secret->parts[i]->name.ptr);
        else
            (void)lua_getiuservalue(L, 1, (int)i + 1);
        luaL_addvalue(&out);
    }
    luaL_pushresult(&out);
    return 1;
}

static size_t count_parts(lua_State *L, int index)
{
    const struct secret *secret = test(L, index);
    return secret ? secret->count : 1;
}

/* Copies the parts of the value at `index` into the secret on top, from the
 * `at`-th on. */
static size_t add_parts(lua_State *L, int index, struct secret *to, size_t at)
{
    const struct secret *from = test(L, index);
    if (!from) {
        lua_pushvalue(L, index);
        (void)lua_tolstring(L, -1, NULL); /* of a number */
        (void)lua_setiuservalue(L, -2, (int)at + 1);
        return at + 1;
    }
    for (size_t i = 0; i < from->count; i++, at++) {
        to->parts[at] = from->parts[i];
        (void)lua_getiuservalue(L, index, (int)i + 1);
        (void)lua_setiuservalue(L, -2, (int)at + 1);
    }
    return at;
}

static int secret_concat(lua_State *L)
{
    lua_settop(L, 2);
    for (int i = 1; i <= 2; i++)
        if (!lua_isstring(L, i) && !test(L, i))
            return luaL_error(L,
                              "a secret is put together with texts, not "
                              "with a %s value",
                              luaL_typename(L, i));
    size_t count = count_parts(L, 1) + count_parts(L, 2);
    if (count > TR_LIMIT_SECRET_PARTS)
        return luaL_error(L, "a text with secrets has at most %d parts",
                          (int)TR_LIMIT_SECRET_PARTS);
    struct secret *made = push_new(L, count);
    (void)add_parts(L, 2, made, add_parts(L, 1, made, 0));
    return 1;
}

static int refuse_index(lua_State *L)
{
    return luaL_error(L, "a secret cannot be read");
}

void tr_lua_secret_open(lua_State *L)
{
    static const luaL_Reg functions[] = {
        {"__tostring", secret_text}, {"__concat", secret_concat},
        {"__index", refuse_index},   {"__len", refuse_index},
        {"__pairs", refuse_index},   {NULL, NULL},
    };
    (void)luaL_newmetatable(L, "secret");
    luaL_setfuncs(L, functions, 0);
    lua_pushboolean(L, 0);
    lua_setfield(L, -2, "__metatable");
    lua_pop(L, 1);
}

/* Says how the secret is set, and which one may have been meant. */
static int refuse_absent(lua_State *L, const struct tr_crypto_secrets *secrets,
                         tr_str name)
{
    struct tr_nearest nearest;
    tr_nearest_init(&nearest, name);
    for (size_t i = 0; i < tr_crypto_secrets_count(secrets); i++)
        tr_nearest_offer(&nearest, tr_crypto_secrets_at(secrets, i)->name);
    if (nearest.best.len)
        return luaL_error(L, "there is no secret '%s', did you mean '%s'?",
                          name.ptr, nearest.best.ptr);
    return luaL_error(L,
                      "there is no secret '%s': set it in [secrets] of "
                      "trails.toml, or as TRAILS_SECRET_%s",
                      name.ptr, name.ptr);
}

int tr_lua_ctx_secret(lua_State *L)
{
    const struct tr_crypto_secrets *secrets = tr_lua_of(L)->host->secrets;
    tr_str name;
    (void)tr_lua_ctx_run(L);
    name.ptr = luaL_checklstring(L, 2, &name.len);
    const struct tr_crypto_secret *secret =
        tr_crypto_secrets_find(secrets, name);
    if (!secret)
        return refuse_absent(L, secrets, name);
    push_new(L, 1)->parts[0] = secret;
    return 1;
}

/* The digest; what has touched the key is wiped. */
static tr_status compute(lua_State *L, tr_str text,
                         unsigned char out[TR_CRYPTO_SHA256_BYTES])
{
    struct tr_crypto_hmac hmac;
    struct tr_buf key;
    struct tr_err err;
    tr_buf_init(&key, TR_LIMIT_SECRETS_BYTES);
    (void)tr_lua_put_secret(L, 2, &key);
    tr_status status = tr_buf_check(&key, &err);
    if (status == TR_OK) {
        tr_crypto_hmac_init(&hmac, tr_buf_str(&key));
        tr_crypto_hmac_add(&hmac, text);
        tr_crypto_hmac_done(&hmac, out);
        tr_crypto_secret_wipe(&hmac, sizeof(hmac));
    }
    tr_crypto_secret_buf_done(&key);
    return status;
}

/* ctx:hmac(key, text, form): HMAC-SHA-256, as a text in one of the forms. */
int tr_lua_ctx_hmac(lua_State *L)
{
    enum { HEX, BASE64, BASE64URL, RAW };
    static const char *const forms[] = {"hex", "base64", "base64url", "raw",
                                        NULL};
    unsigned char bytes[TR_CRYPTO_SHA256_BYTES];
    char hex[2 * TR_CRYPTO_SHA256_BYTES];
    tr_str digest = {(const char *)bytes, sizeof(bytes)};
    tr_str text;
    (void)tr_lua_ctx_run(L);
    luaL_argexpected(L, lua_type(L, 2) == LUA_TSTRING || test(L, 2), 2,
                     "secret or string");
    text.ptr = luaL_checklstring(L, 3, &text.len);
    int form = luaL_checkoption(L, 4, "hex", forms);
    tr_status status = compute(L, text, bytes);
    if (status == TR_E_LIMIT)
        return luaL_error(L, "the key is too long");
    if (status == TR_OK && form == BASE64)
        status =
            tr_crypto_base64_encode(tr_lua_scratch(L), digest, &text, NULL);
    else if (status == TR_OK && form == BASE64URL)
        status =
            tr_crypto_base64url_encode(tr_lua_scratch(L), digest, &text, NULL);
    if (status != TR_OK)
        tr_lua_raise_nomem(L);
    tr_lua_spend(L, text.len / 8);
    tr_crypto_hex_write(digest, hex);
    tr_lua_push_str(L, form == HEX   ? (tr_str){hex, sizeof(hex)}
                       : form == RAW ? digest
                                     : text);
    return 1;
}

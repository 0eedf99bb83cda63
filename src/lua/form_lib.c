#include "lua/form_lib.h"

#include "base/limits.h"
#include "base/text.h"
#include "lua/convert.h"
#include "lua/state.h"

/* A space is a plus sign; all else as in a URL. */
static void put_encoded(struct tr_buf *out, tr_str text)
{
    for (tr_str part = {0}; text.len; text = tr_str_skip(text, 1)) {
        const char *space = memchr(text.ptr, ' ', text.len);
        part =
            (tr_str){text.ptr, space ? (size_t)(space - text.ptr) : text.len};
        tr_percent_put(out, part, "");
        text = tr_str_skip(text, part.len);
        if (!space)
            return;
        tr_buf_putc(out, '+');
    }
}

static void put_pair(struct tr_buf *out, tr_str name,
                     const struct tr_json *value)
{
    bool on = false;
    if (out->len)
        tr_buf_putc(out, '&');
    put_encoded(out, name);
    tr_buf_putc(out, '=');
    if (tr_json_bool(value, &on))
        tr_buf_put(out, on ? TR_STR("true") : TR_STR("false"));
    else
        put_encoded(out, tr_json_text(value));
}

static bool is_scalar(const struct tr_json *value)
{
    return value->kind == TR_JSON_STRING || value->kind == TR_JSON_NUMBER ||
           value->kind == TR_JSON_BOOL;
}

/* False for a value that is neither one nor an array of such. */
static bool put_member(struct tr_buf *out, const struct tr_json_member *member)
{
    const struct tr_json *value = &member->value;
    tr_str name = tr_json_text(&member->key);
    bool is_list = value->kind == TR_JSON_ARRAY;
    for (size_t i = 0; is_list && i < value->len; i++) {
        if (!is_scalar(&value->as.items[i]))
            return false;
        put_pair(out, name, &value->as.items[i]);
    }
    if (!is_list && is_scalar(value))
        put_pair(out, name, value);
    return is_list || is_scalar(value);
}

/* form.encode { a = 1, b = { "x", "y" } }: names in the order of their bytes,
 * an array as a name that comes again. */
static int form_encode(lua_State *L)
{
    struct tr_arena *scratch = tr_lua_scratch(L);
    struct tr_buf out;
    tr_str text = {"", 0};
    size_t wrong = 0;
    luaL_checktype(L, 1, LUA_TTABLE);
    struct tr_json value = tr_lua_to_json(L, 1, scratch);
    if (value.kind != TR_JSON_OBJECT)
        return luaL_error(L, "form.encode takes names and their values");
    tr_buf_init(&out, TR_LIMIT_LUA_SCRATCH);
    while (wrong < value.len && put_member(&out, &value.as.members[wrong]))
        wrong++;
    bool is_kept = !out.len || tr_arena_copy(scratch, tr_buf_str(&out), &text);
    is_kept = is_kept && tr_buf_check(&out, NULL) == TR_OK;
    tr_buf_done(&out);
    if (wrong < value.len)
        return luaL_error(
            L, "'%s' is no text, number or boolean, nor an array of these",
            tr_json_text(&value.as.members[wrong].key).ptr);
    if (!is_kept)
        tr_lua_raise_nomem(L);
    tr_lua_spend(L, text.len / 8);
    tr_lua_push_str(L, text);
    return 1;
}

void tr_lua_push_form_lib(lua_State *L)
{
    static const luaL_Reg functions[] = {
        {"encode", form_encode},
        {NULL, NULL},
    };
    luaL_newlib(L, functions);
}

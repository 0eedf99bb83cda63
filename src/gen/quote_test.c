#include "gen/quote.h"

#include "base/limits.h"
#include "base/test.h"
#include "base/text.h"
#include "gen/scan.h"
#include "json/reader.h"

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>

/* What Lua makes of `return <text>`, on the stack. */
static void read_back(lua_State *L, const struct tr_buf *text)
{
    struct tr_buf chunk;
    tr_buf_init(&chunk, TR_MIB(1));
    tr_buf_put(&chunk, TR_STR("return "));
    tr_buf_put(&chunk, tr_buf_str(text));
    bool runs = luaL_loadbuffer(L, chunk.ptr, chunk.len, "=x") == LUA_OK &&
                lua_pcall(L, 0, 1, 0) == LUA_OK;
    tr_buf_done(&chunk);
    if (!runs)
        tr_test_fail("it is Lua", lua_tostring(L, -1), __FILE__, __LINE__);
}

static void check_text(lua_State *L, tr_str text)
{
    struct tr_buf quoted;
    tr_str back;
    tr_buf_init(&quoted, TR_MIB(1));
    tr_gen_put_text(&quoted, text);
    CHECK(!memchr(quoted.ptr, '\n', quoted.len));
    CHECK(!memchr(quoted.ptr, '\r', quoted.len));
    CHECK(!tr_gen_scan_has_long_text(tr_buf_str(&quoted)));
    read_back(L, &quoted);
    back.ptr = lua_tolstring(L, -1, &back.len);
    CHECK(tr_str_eq(back, text));
    lua_pop(L, 1);
    tr_buf_done(&quoted);
}

TEST(a_text_reads_back_whatever_is_in_it)
{
    static const tr_str rows[] = {
        TR_STR_INIT(""),
        TR_STR_INIT("plain"),
        TR_STR_INIT("\"'\\"),
        TR_STR_INIT("]] ]=] --[["),
        TR_STR_INIT("a\nb\r\nc\rd\t"),
        TR_STR_INIT("\0001\000"),
        TR_STR_INIT("\x01"
                    "2\x1f"
                    "9\x7f"),
        TR_STR_INIT("\\n \\z \\x41 \\u{41} \\065"),
        TR_STR_INIT("\xc3\xa4 \xe2\x80\xa8 \xf0\x9f\x98\x80"),
        TR_STR_INIT("\" .. os.exit() .. \""),
        TR_STR_INIT("%s %d"),
    };
    lua_State *L = luaL_newstate();
    CHECK(L);
    for (size_t i = 0; i < TR_LEN(rows); i++)
        check_text(L, rows[i]);
    for (size_t i = 0; i < 2000; i++) {
        char text[24];
        size_t len = (size_t)tr_test_random_below(sizeof(text));
        for (size_t k = 0; k < len; k++)
            text[k] = "\"'\\\n\r]=[-z019\t\0x "[tr_test_random_below(17)];
        check_text(L, (tr_str){text, len});
    }
    lua_close(L);
}

TEST(keys_and_members_are_names_where_lua_takes_them)
{
    static const struct {
        const char *name;
        const char *key;
        const char *member;
    } rows[] = {
        {"a", "a =", "args.a"},
        {"_1", "_1 =", "args._1"},
        {"end", "[\"end\"] =", "args[\"end\"]"},
        {"1a", "[\"1a\"] =", "args[\"1a\"]"},
        {"", "[\"\"] =", "args[\"\"]"},
        {"a b", "[\"a b\"] =", "args[\"a b\"]"},
        {"a\"]", "[\"a\\\"]\"] =", "args[\"a\\\"]\"]"},
    };
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        struct tr_buf out;
        tr_buf_init(&out, TR_KIB(1));
        tr_gen_put_key(&out, tr_str_from(rows[i].name));
        CHECK_STR(tr_buf_str(&out), rows[i].key);
        tr_buf_clear(&out);
        tr_gen_put_member(&out, "args", tr_str_from(rows[i].name));
        CHECK_STR(tr_buf_str(&out), rows[i].member);
        tr_buf_done(&out);
    }
}

TEST(every_word_that_lua_keeps_is_known)
{
    static const char *const words[] = {
        "and",      "break",  "do",   "else", "elseif", "end",  "false", "for",
        "function", "goto",   "if",   "in",   "local",  "nil",  "not",   "or",
        "repeat",   "return", "then", "true", "until",  "while"};
    lua_State *L = luaL_newstate();
    CHECK(L);
    for (size_t i = 0; i < TR_LEN(words); i++) {
        char chunk[64];
        (void)snprintf(chunk, sizeof(chunk), "local %s = 1", words[i]);
        CHECK_ROW(luaL_loadstring(L, chunk) != LUA_OK, words[i]);
        CHECK_ROW(tr_gen_is_reserved(tr_str_from(words[i])), words[i]);
        lua_settop(L, 0);
    }
    CHECK(!tr_gen_is_reserved(TR_STR("node_type")));
    lua_close(L);
}

TEST(values_are_written_as_app_lua_has_them)
{
    static const struct {
        const char *json;
        const char *lua;
    } rows[] = {
        {"null", "null"},
        {"true", "true"},
        {"false", "false"},
        {"-12.5e3", "-12.5e3"},
        {"[]", "array {}"},
        {"{}", "{}"},
        {"[1,\"a\",[true]]", "{ 1, \"a\", { true } }"},
        {"{\"a\":1,\"b c\":{\"end\":null}}",
         "{ a = 1, [\"b c\"] = { [\"end\"] = null } }"},
    };
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        struct tr_arena arena;
        struct tr_buf out;
        struct tr_err err = {0};
        const struct tr_json *value;
        tr_arena_init(&arena, TR_MIB(1));
        tr_buf_init(&out, TR_KIB(1));
        CHECK_OK(
            tr_json_read(&arena, tr_str_from(rows[i].json), NULL, &value, &err),
            &err);
        tr_gen_put_value(&out, value);
        CHECK_STR(tr_buf_str(&out), rows[i].lua);
        tr_buf_done(&out);
        tr_arena_done(&arena);
    }
}

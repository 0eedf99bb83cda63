/*
 * Random values to JSON and back; random patterns against Lua's own.
 */
#include "base/limits.h"
#include "base/test.h"
#include "base/text.h"
#include "json/build.h"
#include "json/reader.h"
#include "json/writer.h"
#include "lua/convert.h"
#include "lua/state.h"

#include <lualib.h>

/* Texts of random JSON. ----------------------------------------------------*/

static void put_random(struct tr_buf *out, unsigned depth);

static void put_random_string(struct tr_buf *out)
{
    struct tr_buf text;
    char storage[64];
    size_t count = tr_test_random_below(6);
    tr_buf_init_fixed(&text, storage, sizeof(storage));
    for (size_t i = 0; i < count; i++) {
        char bytes[4];
        uint32_t code = (uint32_t)tr_test_random_below(
            tr_test_random_below(2) ? 0x80 : 0x110000);
        size_t len = tr_utf8_encode(code, bytes);
        tr_buf_put(&text, (tr_str){bytes, len});
    }
    tr_buf_put_json(out, tr_buf_str(&text));
}

static void put_random_number(struct tr_buf *out)
{
    struct tr_json_writer w;
    tr_jw_init(&w, out);
    switch (tr_test_random_below(4)) {
    case 0:
        tr_jw_i64(&w, (int64_t)tr_test_random());
        break;
    case 1:
        tr_jw_i64(&w, (int64_t)tr_test_random_below(10));
        break;
    case 2:
        tr_jw_double(&w, (double)(int64_t)tr_test_random() * 1e-9 + 0.5);
        break;
    default:
        tr_jw_double(&w, (double)tr_test_random() * 1e280 + 0.25);
    }
}

static void put_random_list(struct tr_buf *out, unsigned depth, bool is_object)
{
    size_t count = tr_test_random_below(5);
    tr_buf_putc(out, is_object ? '{' : '[');
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            tr_buf_putc(out, ',');
        if (is_object) {
            put_random_string(out);
            tr_buf_putc(out, ':');
        }
        put_random(out, depth + 1);
    }
    tr_buf_putc(out, is_object ? '}' : ']');
}

static void put_random(struct tr_buf *out, unsigned depth)
{
    switch (tr_test_random_below(depth > 5 ? 4 : 8)) {
    case 0:
        tr_buf_put(out, TR_STR("null"));
        break;
    case 1:
        tr_buf_put(out,
                   tr_test_random_below(2) ? TR_STR("true") : TR_STR("false"));
        break;
    case 2:
        put_random_number(out);
        break;
    case 3:
        put_random_string(out);
        break;
    case 4:
    case 5:
        put_random_list(out, depth, false);
        break;
    default:
        put_random_list(out, depth, true);
    }
}

/* There and back. ----------------------------------------------------------*/

struct trip {
    struct tr_arena *arena;
    const struct tr_json *value;
    struct tr_json back;
};

static int go_and_return(lua_State *L)
{
    struct trip *trip = lua_touserdata(L, 1);
    tr_lua_push_json(L, trip->value);
    trip->back = tr_lua_to_json(L, -1, trip->arena);
    return 0;
}

static void canonical(const struct tr_json *value, struct tr_buf *out)
{
    struct tr_json_writer w;
    tr_jw_init(&w, out);
    tr_jw_canonical(&w, value);
    CHECK_OK(tr_jw_finish(&w, NULL), NULL);
}

static void check_trip(struct tr_lua *lua)
{
    struct tr_arena arena;
    struct tr_buf text;
    struct tr_buf before;
    struct tr_buf after;
    struct tr_err err = {0};
    struct trip trip = {.arena = &arena};
    tr_arena_init(&arena, TR_MIB(16));
    tr_buf_init(&text, TR_MIB(1));
    tr_buf_init(&before, TR_MIB(1));
    tr_buf_init(&after, TR_MIB(1));
    put_random(&text, 0);
    CHECK_OK(tr_json_read(&arena, tr_buf_str(&text), NULL, &trip.value, &err),
             &err);
    CHECK_OK(tr_lua_protect(lua, go_and_return, &trip, &err), &err);
    canonical(trip.value, &before);
    canonical(&trip.back, &after);
    tr_buf_putc(&before, '\0');
    CHECK_STR(tr_buf_str(&after), before.ptr);
    tr_buf_done(&after);
    tr_buf_done(&before);
    tr_buf_done(&text);
    tr_arena_done(&arena);
}

TEST(lua_values_survive_the_way_to_lua_and_back)
{
    struct tr_lua *lua = NULL;
    struct tr_err err = {0};
    size_t count = tr_test_scaled(100000);
    CHECK_OK(tr_lua_state_create(NULL, NULL, &lua, &err), &err);
    for (size_t i = 0; i < count; i++)
        check_trip(lua);
    tr_lua_state_free(lua);
}

/* Patterns. ----------------------------------------------------------------*/

/* Calls every function that takes a pattern and writes down what it says. */
static const char try_all[] =
    "local s, p, r, n = ...\n"
    "local out = {}\n"
    "local function add(...)\n"
    "  for i = 1, select('#', ...) do\n"
    "    out[#out + 1] = tostring((select(i, ...))) end\n"
    "  out[#out + 1] = '|' end\n"
    "add(pcall(string.find, s, p))\n"
    "add(pcall(string.find, s, p, n))\n"
    "add(pcall(string.find, s, p, 1, true))\n"
    "add(pcall(string.match, s, p, n))\n"
    "add(pcall(function() for a, b in string.gmatch(s, p) do add(a, b) end "
    "end))\n"
    "add(pcall(string.gsub, s, p, r))\n"
    "add(pcall(string.gsub, s, p, r, 2))\n"
    "add(pcall(string.gsub, s, p, function(a, b) return b or a end))\n"
    "add(pcall(string.gsub, s, p, { a = 'A', b = false }))\n"
    "return table.concat(out, ',')\n";

struct attempt {
    char subject[24];
    char pattern[16];
    char replacement[8];
    lua_Integer init;
};

static void fill(char *to, size_t size, const char *alphabet)
{
    size_t len = (size_t)tr_test_random_below(size);
    for (size_t i = 0; i < len; i++)
        to[i] = alphabet[tr_test_random_below(strlen(alphabet))];
    to[len] = '\0';
}

/* Pushes what the functions of this state say. */
static int run_attempt(lua_State *L, const struct attempt *attempt)
{
    lua_pushstring(L, attempt->subject);
    lua_pushstring(L, attempt->pattern);
    lua_pushstring(L, attempt->replacement);
    lua_pushinteger(L, attempt->init);
    return lua_pcall(L, 4, 1, 0);
}

static void open_ours(struct tr_lua *lua)
{
    CHECK_INT(luaL_loadstring(lua->L, try_all), LUA_OK);
    lua_rawgeti(lua->L, LUA_REGISTRYINDEX, lua->refs.globals);
    CHECK(lua_setupvalue(lua->L, -2, 1) != NULL);
}

/* Lua notices a malformed pattern late, and has a message with a place. */
static bool is_same(const char *ours, const char *theirs)
{
    return strcmp(ours, theirs) == 0 || strstr(ours, "malformed") ||
           strstr(ours, "capture") || strstr(ours, "missing '['");
}

TEST(lua_patterns_are_those_of_lua)
{
    struct tr_lua *lua = NULL;
    struct tr_err err = {0};
    lua_State *other = luaL_newstate();
    size_t count = tr_test_scaled(60000);
    luaL_openlibs(other);
    CHECK_OK(tr_lua_state_create(NULL, NULL, &lua, &err), &err);
    for (size_t i = 0; i < count; i++) {
        struct attempt attempt;
        fill(attempt.subject, sizeof(attempt.subject), "aab1 (]-");
        fill(attempt.pattern, sizeof(attempt.pattern),
             "ab1.%%[]()^$*+-?adwsfb1");
        fill(attempt.replacement, sizeof(attempt.replacement), "x%01%2");
        attempt.init = (lua_Integer)tr_test_random_below(60) - 30;
        open_ours(lua);
        CHECK_INT(luaL_loadstring(other, try_all), LUA_OK);
        CHECK_INT(run_attempt(lua->L, &attempt), LUA_OK);
        CHECK_INT(run_attempt(other, &attempt), LUA_OK);
        const char *ours = lua_tostring(lua->L, -1);
        const char *theirs = lua_tostring(other, -1);
        if (!is_same(ours, theirs))
            print_error("subject: %s\nours:   %s\ntheirs: %s\n",
                        attempt.subject, ours, theirs);
        CHECK_ROW(is_same(ours, theirs), attempt.pattern);
        lua_settop(lua->L, 0);
        lua_settop(other, 0);
    }
    tr_lua_state_free(lua);
    lua_close(other);
}

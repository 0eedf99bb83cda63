/* `table.sort`, which is ours: what Lua's own does, and that it can be left. */
#include "base/test.h"
#include "support/lua_door.h"

#define HANDLER(body)                                                          \
    "capability 'one' { description = 'd', run = function(ctx, args) " body    \
    " end }\n"

#define TEXT(text) "[{\"type\":\"text\",\"text\":\"" text "\"}]"

static void check(const char *body, const char *expected)
{
    struct lua_app app;
    char source[2048];
    (void)snprintf(source, sizeof(source), HANDLER("%s"), body);
    lua_app_open(&app, source);
    lua_check(&app, "one", "{}", expected);
    lua_app_close(&app);
}

/* Each length to 40, then some; few and many different items. */
TEST(lua_sort_puts_all_items_in_order)
{
    check("local x = 1\n"
          "local function random(most)\n"
          "  x = x * 69621 % 2147483647 return x % most end\n"
          "local lengths = { 100, 127, 128, 129, 1000, 1023, 4096 }\n"
          "for n = 0, 40 do lengths[#lengths + 1] = n end\n"
          "local orders = { false, function(a, b) return a < b end,\n"
          "  function(a, b) return a > b end }\n"
          "for _, n in ipairs(lengths) do for _, most in ipairs { 3, 1e9 } do\n"
          "  for _, less in ipairs(orders) do\n"
          "    local t, sum, calls = {}, 0, 0\n"
          "    for i = 1, n do t[i] = random(most) sum = sum + t[i] end\n"
          "    table.sort(t, less and function(a, b)\n"
          "      calls = calls + 1 return less(a, b) end or nil)\n"
          "    for i = 1, n do sum = sum - t[i]\n"
          "      assert(i == 1 or less and not less(t[i], t[i - 1])\n"
          "        or not less and t[i - 1] <= t[i]) end\n"
          "    assert(sum == 0 and #t == n)\n"
          "    assert(calls <= 2 * n * (math.log(n + 1, 2) + 1), calls)\n"
          "  end end end return 'ok'",
          TEXT("ok"));
}

TEST(lua_sort_takes_texts_and_metamethods)
{
    check("local t = { 'b', 'a', 'C' } table.sort(t)\n"
          "local mt = { __lt = function(a, b) return a.n < b.n end }\n"
          "local function o(n) return setmetatable({ n = n }, mt) end\n"
          "local u = { o(3), o(1), o(2) } table.sort(u)\n"
          "local back = {}\n"
          "local v = setmetatable({}, { __index = back,\n"
          "  __newindex = function(_, k, x) rawset(back, k, x) end })\n"
          "v[1] = 1 table.sort(v)\n"
          "return table.concat(t) .. u[1].n .. u[2].n .. u[3].n",
          TEXT("Cab123"));
}

static const struct {
    const char *body;
    const char *says;
} wrong[] = {
    {"table.sort({ 1, 2 }, function() return true end)",
     "invalid order function for sorting"},
    {"table.sort({ 3, 1, 2, 5, 4 }, function() return true end)",
     "invalid order function for sorting"},
    {"table.sort({ 1, 2, 1 }, function(a, b) return a <= b end)",
     "invalid order function for sorting"},
    {"table.sort({ 1, 'a' })", "attempt to compare string with number"},
    {"table.sort({ {}, {} })", "attempt to compare two table values"},
    {"table.sort({ true, false })", "attempt to compare two boolean values"},
    {"table.sort({ 1, 2 }, 3)",
     "bad argument #2 to 'sort' (function expected, got number)"},
    {"table.sort(1)", "bad argument #1 to 'sort' (table expected, got number)"},
    {"table.sort({ 1, 2 }, function() error('mine', 0) end)", "mine"},
};

TEST(lua_sort_says_what_is_wrong)
{
    for (size_t i = 0; i < TR_LEN(wrong); i++) {
        char body[512];
        (void)snprintf(body, sizeof(body),
                       "local _, e = pcall(function() %s end)\n"
                       "assert(e:find([[%s]], 1, true), e) return 'ok'",
                       wrong[i].body, wrong[i].says);
        check(body, TEXT("ok"));
    }
}

/* Wherever the order function fails, no item is lost and none is there twice.
 */
TEST(lua_sort_that_fails_has_lost_nothing)
{
    check("for most = 1, 60 do\n"
          "  local t, seen, calls = {}, {}, 0\n"
          "  for i = 1, 20 do t[i] = i * 7 % 23 end\n"
          "  pcall(table.sort, t, function(a, b) calls = calls + 1\n"
          "    if calls == most then error('x') end return a < b end)\n"
          "  for i = 1, 20 do assert(not seen[t[i]]) seen[t[i]] = true end\n"
          "  for i = 1, 20 do assert(seen[i * 7 % 23]) end\n"
          "end return 'ok'",
          TEXT("ok"));
}

/* A coroutine of the app can yield out of its own order function. */
TEST(lua_sort_can_be_left_by_a_coroutine)
{
    check("local t = { 3, 1, 2 }\n"
          "local co = coroutine.wrap(function()\n"
          "  table.sort(t, function(a, b) coroutine.yield('asked')\n"
          "    return a < b end) return 'sorted' end)\n"
          "local n = 0\n"
          "while co() == 'asked' do n = n + 1 end\n"
          "return n > 2 and table.concat(t)",
          TEXT("123"));
}

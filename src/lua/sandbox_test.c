/*
 * What code in app.lua cannot do, however it tries.
 */
#include "lua/sandbox.h"

#include "base/buf.h"
#include "base/limits.h"
#include "base/test.h"
#include "support/lua_door.h"

/* Each row is the body of a handler; it must raise this, or return `safe`. */
static const struct {
    const char *body;
    const char *raises; /* a part of the message; NULL: it returns 'safe' */
} attempts[] = {
    {"x = 1", "globals are read-only after the app has loaded"},
    {"_G.x = 1", "globals are read-only after the app has loaded"},
    {"_ENV.x = 1", "globals are read-only after the app has loaded"},
    {"string = nil", "globals are read-only after the app has loaded"},
    {"saved_env.x = 1", "globals are read-only after the app has loaded"},
    {"rawset(_G, 'x', 1)", "table expected"},
    {"setmetatable(_G, {})", "table expected"},
    {"getmetatable(_G).__newindex = nil", "boolean"},
    {"next(_G)", "table expected"},
    {"local f, t = pairs(_G) assert(t == nil) t.x = 1", "nil"},
    {"string.rep = nil", "'string' is read-only"},
    {"rawset(string, 'rep', 1)", "table expected"},
    {"table.insert(string, 1)", "table expected"},
    {"table.move({ 1 }, 1, 1, 1, math)", "'math' is read-only"},
    {"getmetatable('').__index = nil", "boolean"},
    {"getmetatable(ctx).__index = nil", "boolean"},
    {"getmetatable(ctx:text('x')).a = 1", "boolean"},
    {"setmetatable(ctx:text('x'), nil)", "protected metatable"},
    {"setmetatable(array {}, {})", "protected metatable"},
    {"getmetatable(null).a = 1", "boolean"},
    {"text.kind = 1", "has no members"},
    {"json.kind = 1", "read-only"},
    {"return json.encode(text)", "userdata"},
    {"setmetatable({}, { __gc = print })", "'__gc' is not available"},
    {"collectgarbage()", "only \"count\" is available"},
    {"collectgarbage('stop')", "only \"count\" is available"},
    {"coroutine.yield()", "attempt to yield from outside a coroutine"},
    {"capability 'late' { run = print }",
     "only be defined while the app loads"},
    {"local t = {} for k in pairs(_G) do t[k] = true end "
     "for _, n in ipairs { 'io', 'os', 'debug', 'package', 'load', "
     "'loadstring', 'loadfile', 'dofile', 'warn' } do "
     "assert(not t[n] and _G[n] == nil, n) end return 'safe'",
     NULL},
    {"return whatever", "'whatever' is not defined"},
    {"return pritn", "'pritn' is not defined, did you mean 'print'?"},
    {"return strng", "'strng' is not defined, did you mean 'text', or Lua's "
                     "'string'?"},
    {"assert(_G.whatever == nil and _G.print == print) return 'safe'", NULL},
    {"assert(string.dump == nil and ('').dump == nil) return 'safe'", NULL},
    {"assert(math.randomseed == nil) return 'safe'", NULL},
    {"assert(coroutine.running() == nil) return 'safe'", NULL},
    {"assert(not coroutine.isyieldable()) return 'safe'", NULL},
    {"assert(tonumber('ff', 16) == 255 and tonumber(' 7 ') == 7) "
     "return 'safe'",
     NULL},
    {"assert(getmetatable('') == false) return 'safe'", NULL},
    {"assert(('x'):rep(3) == 'xxx') return 'safe'", NULL},
    {"local t = { 3, 1, 2 } table.sort(t) return t[1] == 1 and 'safe'", NULL},
    {"local co = coroutine.wrap(function(a) local b = coroutine.yield(a + 1) "
     "return b * 2 end) assert(co(1) == 2 and co(4) == 8) return 'safe'",
     NULL},
    {"local co = coroutine.create(function() error('e') end) "
     "local ok, e = coroutine.resume(co) assert(not ok and e:find('e')) "
     "assert(coroutine.status(co) == 'dead') "
     "assert(not coroutine.resume(co)) return 'safe'",
     NULL},
    {"local co = coroutine.create(function() coroutine.yield() end) "
     "coroutine.resume(co) assert(coroutine.close(co)) return 'safe'",
     NULL},
    {"local ok, a, b = pcall(function(...) return ... end, 1, 2) "
     "assert(ok and a == 1 and b == 2) return 'safe'",
     NULL},
    {"local ok, e = xpcall(error, function(m) return m .. '!' end, 'x') "
     "assert(not ok and e == 'x!') return 'safe'",
     NULL},
    {"local ok, v = xpcall(function(a) return a end, print, 5) "
     "assert(ok and v == 5) return 'safe'",
     NULL},
    {"assert(collectgarbage('count') > 10) return 'safe'", NULL},
    {"assert(tostring(null) == 'null' and null == null) return 'safe'", NULL},
    {"local n = 0 for k, v in pairs(string) do n = n + 1 end "
     "assert(n > 10) return 'safe'",
     NULL},
};

static void add_handler(struct tr_buf *out, size_t i, const char *body)
{
    tr_buf_putf(out,
                "capability 'try%zu' { description = 'd', "
                "run = function(ctx, args) %s end }\n",
                i, body);
}

TEST(lua_sandbox_has_no_way_out)
{
    struct tr_buf source;
    struct lua_app app;
    tr_buf_init(&source, TR_KIB(64));
    tr_buf_put(&source, TR_STR("saved_env = _ENV\n"));
    for (size_t i = 0; i < TR_LEN(attempts); i++)
        add_handler(&source, i, attempts[i].body);
    tr_buf_putc(&source, '\0');
    lua_app_open(&app, source.ptr);
    for (size_t i = 0; i < TR_LEN(attempts); i++) {
        char name[32];
        struct lua_call c;
        (void)snprintf(name, sizeof(name), "try%zu", i);
        lua_call_init(&c, &app, name, "{}");
        lua_call_start(&c);
        lua_call_wait(&c, 1);
        const char *text = lua_call_text(&c);
        const char *wanted = attempts[i].raises ? attempts[i].raises : "safe";
        if (!strstr(text, wanted))
            print_error("got: %s\n", text);
        CHECK_ROW(strstr(text, wanted), attempts[i].body);
        CHECK_ROW((c.outcome.status == TR_OK) == !attempts[i].raises,
                  attempts[i].body);
        lua_call_done(&c);
    }
    tr_buf_done(&source);
    lua_app_close(&app);
}

TEST(lua_app_may_set_globals_while_it_loads)
{
    struct lua_app app;
    lua_app_open(&app, "greeting = 'hi'\n_G.name = 'you'\n"
                       "function greet() return greeting .. name end\n"
                       "capability 'c' { description = 'd', run = greet }");
    lua_check(&app, "c", "{}", "[{\"type\":\"text\",\"text\":\"hiyou\"}]");
    lua_app_close(&app);
}

TEST(lua_regular_expressions_are_those_of_fields)
{
    struct lua_app app;
    lua_app_open(&app,
                 "capability 'c' { description = 'd', run = function(ctx)\n"
                 "  assert(re.match('a1b22', [[\\d+]]) == '1')\n"
                 "  local k, v = re.match('key=val', [[(\\w+)=(\\w+)]])\n"
                 "  assert(k == 'key' and v == 'val')\n"
                 "  assert(re.match('x', 'y') == nil)\n"
                 "  assert(re.find('aab', 'b') == 3)\n"
                 "  local f, t, g = re.find('xaab', '(a)+', 2)\n"
                 "  assert(f == 2 and t == 3 and g == 'a')\n"
                 "  assert(re.find('x', 'x', 9) == nil)\n"
                 "  assert(re.gsub('a1b2', [[\\d]], '%') == 'a%b%')\n"
                 "  local s, n = re.gsub('a1b2', [[\\d]], function(d)\n"
                 "    return tostring(d * 2) end, 1)\n"
                 "  assert(s == 'a2b2' and n == 1, s)\n"
                 "  assert(re.gsub('ab', '', '-') == '-a-b-')\n"
                 "  assert(re.match('bc', '(a)?b(c)') == false)\n"
                 "  assert(not pcall(re.match, 'x', '('))\n"
                 "  assert(not pcall(re.match, '\\255', 'x'))\n"
                 "  return 'ok' end }");
    lua_check(&app, "c", "{}", "[{\"type\":\"text\",\"text\":\"ok\"}]");
    lua_app_close(&app);
}

TEST(lua_json_goes_both_ways)
{
    struct lua_app app;
    lua_app_open(&app,
                 "capability 'c' { description = 'd', run = function(ctx)\n"
                 "  assert(json.encode { b = 1, a = array {} } == "
                 "'{\"a\":[],\"b\":1}')\n"
                 "  local v = json.decode '[1, 2.5, null, {}]'\n"
                 "  assert(math.type(v[1]) == 'integer' and v[2] == 2.5)\n"
                 "  assert(v[3] == null and next(v[4]) == nil)\n"
                 "  assert(json.encode(v) == '[1,2.5,null,{}]')\n"
                 "  assert(not pcall(json.decode, '[1'))\n"
                 "  assert(not pcall(json.encode, print))\n"
                 "  return 'ok' end }");
    lua_check(&app, "c", "{}", "[{\"type\":\"text\",\"text\":\"ok\"}]");
    lua_app_close(&app);
}

TEST(lua_time_and_chance_have_a_form)
{
    struct lua_app app;
    lua_app_open(&app,
                 "capability 'c' { description = 'd', run = function(ctx)\n"
                 "  assert(ctx:now_text(0) == '1970-01-01T00:00:00Z')\n"
                 "  assert(ctx:now_text(1.5) == '1970-01-01T00:00:01.5Z')\n"
                 "  assert(#ctx:now_text() >= 20)\n"
                 "  for i = 1, 100 do\n"
                 "    local r = ctx:random(3, 5)\n"
                 "    assert(r >= 3 and r <= 5 and math.type(r) == 'integer')\n"
                 "    local f = math.random()\n"
                 "    assert(f >= 0 and f < 1)\n"
                 "    assert(math.random(1) == 1)\n"
                 "  end\n"
                 "  math.random(math.mininteger, math.maxinteger)\n"
                 "  assert(not pcall(math.random, 2, 1))\n"
                 "  assert(not pcall(ctx.sleep, ctx, -1))\n"
                 "  return 'ok' end }");
    lua_check(&app, "c", "{}", "[{\"type\":\"text\",\"text\":\"ok\"}]");
    lua_app_close(&app);
}

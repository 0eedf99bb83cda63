/*
 * require: files of an app's folder.
 */
#include "lua/require.h"

#include "base/test.h"
#include "cap/snapshot.h"
#include "lua/host.h"
#include "support/folder.h"
#include "support/lua_door.h"

#include <sys/stat.h>
#include <unistd.h>

static void open_lib(struct folder *folder)
{
    folder_open(folder);
    CHECK(mkdir(folder_path(folder, "lib"), 0700) == 0);
    CHECK(mkdir(folder_path(folder, "lib/tax"), 0700) == 0);
}

TEST(require_runs_a_file_once_and_gives_its_value)
{
    struct folder folder;
    struct lua_app app;
    struct tr_err err = {0};
    open_lib(&folder);
    folder_write(&folder, "lib/money.lua",
                 "local rates = require 'lib.tax.rates'\n"
                 "count = (_G.count or 0) + 1\n"
                 "return { gross = function(n) return n * rates.vat end }\n");
    folder_write(&folder, "lib/tax/rates.lua", "return { vat = 3 }");
    folder_write(
        &folder, "lib/caps.lua",
        "capability 'price' { side_effects = {}, input = { n = integer },\n"
        "  run = function(ctx, args)\n"
        "    local money = require 'lib.money'\n"
        "    return money.gross(args.n) + count\n"
        "  end }\n");
    CHECK_OK(lua_app_try_in(&app,
                            "local a = require 'lib.money'\n"
                            "assert(a == require('lib.money'))\n"
                            "assert(require 'lib.caps' == true)\n"
                            "assert(require 'lib.caps' == true)\n",
                            folder.path, &err),
             &err);
    lua_check(&app, "price", "{\"n\":2}", "7");
    lua_app_close(&app);
    folder_close(&folder);
}

/* What the only handler gives in the state of another loop. */
static void check_other_state(const struct lua_app *app, const char *expected)
{
    static char other; /* states are told apart by the address of their loop */
    const struct tr_cap *cap =
        tr_cap_snapshot_find_cap(app->snapshot, TR_STR("a"));
    const struct tr_lua_handler *handler = cap->handler.data;
    struct tr_lua *lua = NULL;
    struct tr_lua *second = NULL;
    CHECK_OK(tr_lua_host_state(handler->host, app->loop, &lua, NULL), NULL);
    CHECK_OK(tr_lua_host_state(handler->host, (struct tr_loop *)(void *)&other,
                               &second, NULL),
             NULL);
    CHECK(lua != second);
    lua_rawgeti(second->L, LUA_REGISTRYINDEX, second->refs.handlers);
    lua_rawgeti(second->L, -1, 1);
    CHECK(lua_pcall(second->L, 0, 1, 0) == LUA_OK);
    CHECK(strcmp(lua_tostring(second->L, -1), expected) == 0);
    lua_settop(second->L, 0);
}

/* Each loop has a state of its own: it gets the text that was read first. */
TEST(require_reads_a_file_once_for_all_states)
{
    struct folder folder;
    struct lua_app app;
    struct tr_err err = {0};
    open_lib(&folder);
    folder_write(&folder, "lib/a.lua", "return 'first'");
    CHECK_OK(lua_app_try_in(&app,
                            "local a = require 'lib.a'\n"
                            "capability 'a' { side_effects = {},\n"
                            "  run = function() return a end }\n",
                            folder.path, &err),
             &err);
    folder_write(&folder, "lib/a.lua", "return 'second'");
    check_other_state(&app, "first");
    lua_check(&app, "a", "{}", "[{\"type\":\"text\",\"text\":\"first\"}]");
    lua_app_close(&app);
    folder_close(&folder);
}

static const struct {
    const char *source;
    const char *message;
} bad[] = {
    {"require 'lib.gone'",
     "app.lua:1: there is no module 'lib.gone': no file lib/gone.lua"},
    {"require 'money'", "app.lua:1: require takes a module of the folder lib"},
    {"require 'lib'", "require takes a module of the folder lib"},
    {"require 'lib..x'", "require takes a module of the folder lib"},
    {"require 'lib.'", "require takes a module of the folder lib"},
    {"require '../lib.x'", "require takes a module of the folder lib"},
    {"require 'lib./etc/passwd'", "require takes a module of the folder lib"},
    {"require 'lib.a\\0b'", "require takes a module of the folder lib"},
    {"require(('lib.'):rep(1000) .. 'a')",
     "require takes a module of the folder lib"},
    {"require(nil)", "string expected"},
    {"require 'lib.link'", "app.lua:1: lib/link.lua is not below the folder"},
    {"require 'lib.out.x'", "lib/out/x.lua is not below the folder"},
    {"\nrequire 'lib.one'",
     "lib/two.lua:1: modules that require each other: lib.one -> lib.two -> "
     "lib.one"},
    {"require 'lib.self'",
     "lib/self.lua:1: modules that require each other: lib.self -> lib.self"},
    {"require 'lib.syntax'", "lib/syntax.lua:2: "},
    {"require 'lib.raises'", "lib/raises.lua:2: not today"},
    {"require 'lib.undefined'", "lib/undefined.lua:1: 'os' is not defined"},
    {"require 'lib.type'", "lib/type.lua:2: "},
    {"require 'lib.bytes'", "lib/bytes.lua: attempt to load a binary chunk"},
    {"for i = 1, 300 do require('lib.many.m' .. i) end",
     "app.lua:1: an app has at most 256 modules"},
};

static void write_bad(struct folder *folder, const struct folder *outside)
{
    open_lib(folder);
    CHECK(symlink("/etc/passwd", folder_path(folder, "lib/link.lua")) == 0);
    CHECK(symlink(outside->path, folder_path(folder, "lib/out")) == 0);
    CHECK(mkdir(folder_path(folder, "lib/many"), 0700) == 0);
    folder_write(folder, "lib/one.lua", "require 'lib.two'");
    folder_write(folder, "lib/two.lua", "require 'lib.one'");
    folder_write(folder, "lib/self.lua", "require 'lib.self'");
    folder_write(folder, "lib/syntax.lua", "\nlocal = 1");
    folder_write(folder, "lib/raises.lua", "\nerror 'not today'");
    folder_write(folder, "lib/undefined.lua", "return os.time()");
    folder_write(folder, "lib/type.lua",
                 "\nnode_type 'T' { fields = { a = text { mn_length = 1 } } }");
    folder_write(folder, "lib/bytes.lua", "\x1bLua");
    for (int i = 1; i <= 300; i++) {
        char name[32];
        (void)snprintf(name, sizeof(name), "lib/many/m%d.lua", i);
        folder_write(folder, name, "");
    }
}

TEST(require_says_what_is_wrong_and_in_which_file)
{
    struct folder folder;
    struct folder outside;
    folder_open(&outside);
    folder_write(&outside, "x.lua", "return 1");
    write_bad(&folder, &outside);
    for (size_t i = 0; i < TR_LEN(bad); i++) {
        struct lua_app app;
        struct tr_err err = {0};
        tr_status st = lua_app_try_in(&app, bad[i].source, folder.path, &err);
        CHECK_ROW(st != TR_OK, bad[i].source);
        if (!strstr(err.msg, bad[i].message))
            print_error("got: %s\n", err.msg);
        CHECK_ROW(strstr(err.msg, bad[i].message) != NULL, bad[i].source);
    }
    folder_close(&folder);
    folder_close(&outside);
}

TEST(require_lets_an_app_go_on_without_a_module)
{
    struct folder folder;
    struct lua_app app;
    struct tr_err err = {0};
    open_lib(&folder);
    folder_write(&folder, "lib/half.lua",
                 "tries = (_G.tries or 0) + 1\n"
                 "if tries == 1 then error 'half' end\n"
                 "return 'whole'");
    CHECK_OK(lua_app_try_in(&app,
                            "assert(not pcall(require, 'lib.half'))\n"
                            "assert(not pcall(require, 'lib.none'))\n"
                            "assert(require 'lib.half' == 'whole')\n",
                            folder.path, &err),
             &err);
    lua_app_close(&app);
    folder_close(&folder);
}

TEST(require_of_a_handler_gives_what_was_loaded)
{
    struct folder folder;
    struct lua_app app;
    struct tr_err err = {0};
    open_lib(&folder);
    folder_write(&folder, "lib/late.lua", "return 1");
    CHECK_OK(lua_app_try_in(&app,
                            "capability 'late' { side_effects = {},\n"
                            "  run = function() return require 'lib.late' end "
                            "}\n",
                            folder.path, &err),
             &err);
    lua_check(
        &app, "late", "{}",
        "internal: app.lua:2: 'lib.late' was not required while the app was "
        "loaded");
    lua_app_close(&app);
    folder_close(&folder);
}

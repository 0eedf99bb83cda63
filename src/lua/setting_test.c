/*
 * setting "name" (field), and ctx.settings.
 */
#include "lua/setting.h"

#include "base/test.h"
#include "config/config.h"
#include "support/lua_door.h"

static tr_status load(struct lua_app *app, struct tr_arena *arena,
                      const char *source, const char *toml, struct tr_err *err)
{
    const struct tr_config_load *config = NULL;
    tr_arena_init(arena, TR_MIB(1));
    CHECK_OK(tr_config_load(arena, tr_str_from(toml), NULL, &config, NULL),
             NULL);
    *app = (struct lua_app){.own = &config->own};
    return lua_app_try_as_set(app, source, err);
}

static void check(const char *body, const char *expected)
{
    char source[1024];
    struct lua_app app;
    struct tr_arena arena;
    struct tr_err err = {0};
    (void)snprintf(source, sizeof(source),
                   "local m = setting 'max_open' (integer { default = 5 })\n"
                   "setting 'hosts' (text { many = true })\n"
                   "setting 'none' (text { optional = true })\n"
                   "local s\n"
                   "capability 'c' { side_effects = {}, run = function(ctx)\n"
                   "  s = ctx.settings %s\nend }",
                   body);
    CHECK_OK(load(&app, &arena, source,
                  "[app]\nmax_open = 7\nhosts = ['a', 'b']", &err),
             &err);
    struct lua_call c;
    lua_call_init(&c, &app, "c", "{}");
    lua_call_start(&c);
    lua_call_wait(&c, 0);
    CHECK_ROW(strstr(lua_call_text(&c), expected), lua_call_text(&c));
    lua_call_done(&c);
    lua_app_close(&app);
    tr_arena_done(&arena);
}

TEST(setting_gives_its_value_at_once_and_to_handlers)
{
    check("return { m, s.max_open, s.hosts[2], s.none == nil }",
          "[7,7,\"b\",true]");
    check("local t = {} for k, v in pairs(s) do t[#t + 1] = k end "
          "table.sort(t) return t",
          "[\"hosts\",\"max_open\"]");
}

TEST(settings_cannot_be_changed)
{
    check("s.max_open = 1", "settings are read-only");
    check("s.hosts[1] = 'x' return s.hosts", "[\"a\",\"b\"]");
    check("rawset(s, 'max_open', 1)", "table expected");
    check("return tostring(getmetatable(s))", "false");
    check("return s.max_opne", "app.lua:6: there is no setting 'max_opne', did "
                               "you mean 'max_open'?");
    check("return s.zzz", "there is no setting 'zzz': declare it");
    check("setting 'x' (text)", "can only be defined while the app loads");
}

TEST(setting_that_is_wrong_is_told_whatever_the_app_does)
{
    static const char *const sources[] = {
        "setting 'a' (integer)",
        "pcall(function() setting 'a' (integer) end)",
        "pcall(function() setting 'a' (integer) end) error('x')",
    };
    for (size_t i = 0; i < TR_LEN(sources); i++) {
        struct lua_app app;
        struct tr_arena arena;
        struct tr_err err = {0};
        CHECK(load(&app, &arena, sources[i], "[app]\na = 'x'", &err) ==
              TR_E_VALIDATION);
        CHECK_STR(tr_str_from(err.msg), "app.a must be an integer");
        CHECK(err.place.line == 2);
        tr_arena_done(&arena);
    }
}

TEST(setting_is_a_name_and_a_field)
{
    static const struct {
        const char *source;
        const char *says;
    } rows[] = {
        {"setting 'a'", "app.lua:1: setting 'a': its table { ... } is missing"},
        {"setting(5)", "app.lua:1: write setting 'name' (integer"},
        {"setting 'a' (nil)", "app.lua:1: setting 'a': write setting 'name'"},
        {"setting 'a' { default = 1 }", "app.lua:1: setting 'a': field 'a'"},
        {"setting 'a' (ref 'B')", "not a ref"},
        {"setting 'a' (text { default = '' }) setting 'a' (text)",
         "it is declared twice"},
        {"setting 'a' (integer { default = 'x' })", "a must be an integer"},
    };
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        struct lua_app app;
        struct tr_arena arena;
        struct tr_err err = {0};
        CHECK_ROW(load(&app, &arena, rows[i].source, "", &err) == TR_E_INVALID,
                  rows[i].source);
        CHECK_ROW(strstr(err.msg, rows[i].says), err.msg);
        tr_arena_done(&arena);
    }
}

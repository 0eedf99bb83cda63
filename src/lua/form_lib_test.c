/*
 * form.encode: what it writes, and what it refuses.
 */
#include "lua/form_lib.h"

#include "base/test.h"
#include "support/lua_door.h"

static const struct {
    const char *table;
    const char *expected;
} rows[] = {
    {"{}", "\"\""},
    {"{ a = 1 }", "\"a=1\""},
    {"{ b = 'x', a = 1.5, c = true, d = false }",
     "\"a=1.5&b=x&c=true&d=false\""},
    {"{ a = 'b c', [' '] = ' ' }", "\"+=+&a=b+c\""},
    {"{ a = 'x&y=z+%' }", "\"a=x%26y%3Dz%2B%25\""},
    {"{ a = '\xc3\xa4~-._*' }", "\"a=%C3%A4~-._%2A\""},
    {"{ a = { 'x', 2, true } }", "\"a=x&a=2&a=true\""},
    {"{ a = array {}, b = 1 }", "\"b=1\""},
    {"{ a = '' }", "\"a=\""},
    {"{ a = {} }", "'a' is no text, number or boolean"},
    {"{ a = { b = 1 } }", "'a' is no text, number or boolean"},
    {"{ a = { { 1 } } }", "'a' is no text, number or boolean"},
    {"{ a = null }", "'a' is no text, number or boolean"},
    {"{ 1, 2 }", "takes names and their values"},
    {"{ a = print }", "'a' cannot be sent: it is a function"},
    {"{ a = '\\xff' }", "'a' cannot be sent: it is not UTF-8"},
    {"'a=b'", "table expected, got string"},
    {"nil", "table expected"},
};

TEST(form_has_names_and_values)
{
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        char source[512];
        struct lua_app app;
        struct lua_call c;
        (void)snprintf(source, sizeof(source),
                       "capability 'c' { side_effects = {},\n"
                       "  run = function() return { form.encode(%s) } end }",
                       rows[i].table);
        lua_app_open(&app, source);
        lua_call_init(&c, &app, "c", "{}");
        lua_call_start(&c);
        lua_call_wait(&c, 0);
        CHECK_ROW(strstr(lua_call_text(&c), rows[i].expected),
                  lua_call_text(&c));
        lua_call_done(&c);
        lua_app_close(&app);
    }
}

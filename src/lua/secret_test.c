/*
 * ctx:secret and ctx:hmac: what can be done with a secret, and that nothing
 * reads it.
 */
#include "lua/secret.h"

#include "base/test.h"
#include "crypto/secrets.h"
#include "support/lua_door.h"

#define VALUE "hunter2-of-the-tests"

/* An app with one secret, API_KEY. */
struct fixture {
    struct lua_app app;
    struct tr_crypto_secrets *secrets;
};

static void open_with_secret(struct fixture *f, const char *source)
{
    const struct tr_crypto_secret draft = {.name = TR_STR("API_KEY"),
                                           .bytes = TR_STR(VALUE)};
    struct tr_err err = {0};
    CHECK_OK(tr_crypto_secrets_create(&f->secrets, NULL), NULL);
    CHECK_OK(tr_crypto_secrets_add(f->secrets, &draft, NULL), NULL);
    f->app = (struct lua_app){.secrets = f->secrets};
    CHECK_OK(lua_app_try_as_set(&f->app, source, &err), &err);
}

static void close_fixture(struct fixture *f)
{
    lua_app_close(&f->app);
    tr_crypto_secrets_free(f->secrets);
}

/* What a handler returns that has the secret as `s`. */
static void check(const char *body, const char *expected)
{
    char source[1024];
    struct fixture f;
    (void)snprintf(source, sizeof(source),
                   "capability 'c' { side_effects = {}, run = function(ctx)\n"
                   "  local s = ctx:secret('API_KEY')\n"
                   "  %s\nend }",
                   body);
    open_with_secret(&f, source);
    struct lua_call c;
    lua_call_init(&c, &f.app, "c", "{}");
    lua_call_start(&c);
    lua_call_wait(&c, 0);
    const char *text = lua_call_text(&c);
    CHECK_ROW(strstr(text, expected), text);
    CHECK_ROW(!strstr(text, VALUE), text);
    lua_call_done(&c);
    close_fixture(&f);
}

TEST(secret_prints_as_its_name)
{
    check("return tostring(s)", "[secret API_KEY]");
    check("return ('%s|%20s'):format(s, s)", "[secret API_KEY]|");
    check("return tostring('Bearer ' .. s)", "Bearer [secret API_KEY]");
    check("return tostring(1 .. s .. 2 .. s .. 'x')",
          "1[secret API_KEY]2[secret API_KEY]x");
    check("return type(s)", "userdata");
}

TEST(secret_cannot_be_read)
{
    static const char *const bodies[] = {
        "return #s",
        "return s.x",
        "return s:sub(1)",
        "return s[1]",
        "s.x = 1",
        "for k in pairs(s) do end",
        "for k in ipairs(s) do end",
        "return s < 'i'",
        "return s <= s",
        "return s + 1",
        "return ('x'):rep(s)",
        "return (string.sub(s, 1))",
        "return (string.byte(s, 1))",
        "return ('x'):find(s)",
        "return re.match(s, '.')",
        "return table.concat({ s })",
        "return utf8.char(s)",
        "return tonumber(s) .. 'x'",
        "return math.floor(s)",
        "return json.encode(s)",
        "return json.encode { a = { s } }",
        "return json.encode { [s] = 1 }",
        "return json.decode(s)",
        "return s .. {}",
        "return s .. nil",
        "return setmetatable(s, {})",
        "return ctx:now_text(s)",
        "error(s)",
        "error({ code = 'invalid', message = 'x', data = { s } })",
    };
    for (size_t i = 0; i < TR_LEN(bodies); i++)
        check(bodies[i], "internal");
    check("error({ code = 'invalid', message = s })", "threw a table");
    check("return tostring(getmetatable(s))", "false");
    check("return tostring(s == 'hunter2-of-the-tests')", "false");
    check("return tostring(s == ctx:secret 'API_KEY')", "false");
    check("return tostring(rawequal(s, ctx:secret 'API_KEY'))", "false");
}

TEST(secret_is_refused_where_values_leave_and_the_place_is_named)
{
    check("return { a = { s } }", "'a[1]' cannot be sent: it is a secret: "
                                  "[secret API_KEY]");
    check("return { a = 'x' .. s }", "'a' cannot be sent: it is a secret: "
                                     "x[secret API_KEY]");
    check("return s", "cannot be sent: it is a secret: [secret API_KEY]");
    check("return { 'x', s }", "cannot be sent");
    check("return ctx:result { value = { s } }", "it is a secret");
    check("return ctx:text(s)", "string expected, got secret");
    check("return ctx:error(s)", "string expected, got secret");
    check("return ctx:error('x', { s })", "it is a secret");
    check("ctx:progress(1, 2, s)", "string expected, got secret");
    check("ctx:log('info', s)", "it is a secret");
    check("ctx:log('info', 'x', s)", "string expected, got secret");
    check("ctx:elicit { message = s, fields = { a = text } }", "message");
    check("return ctx:invoke('c', { a = s })", "it is a secret");
}

TEST(secret_that_is_not_there_is_named_with_how_to_set_it)
{
    check("return ctx:secret('API_KEZ')",
          "there is no secret 'API_KEZ', did you mean 'API_KEY'?");
    check("return ctx:secret('OTHER_ONE')",
          "there is no secret 'OTHER_ONE': set it in [secrets] of "
          "trails.toml, or as TRAILS_SECRET_OTHER_ONE");
    check("return ctx:secret()", "string expected");
    check("return ctx:secret(s)", "string expected, got secret");
}

/* Computed by another implementation. */
TEST(hmac_is_a_text_in_one_of_four_forms)
{
    check("return ctx:hmac('Jefe', 'what do ya want for nothing?')",
          "5bdcc146bf60754e6a042426089575c7"
          "5a003f089d2739839dec58b964ec3843");
    check("return ctx:hmac('key', 'x', 'base64')",
          "T8O36vNNfllKb1HZUXulQ6v0EGeydYf/2CujWE5NPN0=");
    check("return ctx:hmac('key', 'x', 'base64url')",
          "T8O36vNNfllKb1HZUXulQ6v0EGeydYf_2CujWE5NPN0");
    check("return tostring(#ctx:hmac('key', 'x', 'raw'))", "32");
    check("return tostring(ctx:hmac(s, 'x') == "
          "ctx:hmac('hunter2-of-' .. 'the-tests', 'x'))",
          "true");
    check("return tostring(ctx:hmac('a' .. s .. 1, 'x') == "
          "ctx:hmac('ahunter2-of-' .. 'the-tests1', 'x'))",
          "true");
    check("return ctx:hmac('', '')", "b613679a0814d9ec772f95d778c35fc5"
                                     "ff1697c493715653c6c712144292c5ad");
    check("return ctx:hmac(s, s)", "string expected, got secret");
    check("return ctx:hmac(1, 'x')", "secret or string expected");
    check("return ctx:hmac(s, 'x', 'md5')", "invalid option 'md5'");
    check("return ctx:hmac(('x'):rep(70000), 'x')", "the key is too long");
}

TEST(secret_texts_have_a_number_of_parts)
{
    check("local t = s for i = 2, 64 do t = t .. s end return tostring(#"
          "tostring(t))",
          "1024");
    check("local t = s for i = 2, 65 do t = t .. s end", "at most 64 parts");
}

#include "config/config.h"

#include "base/limits.h"
#include "base/log.h"
#include "base/test.h"
#include "config/settings.h"
#include "json/json.h"

static const struct tr_config_load *
load(struct tr_arena *arena, const char *toml, char *const *environment)
{
    const struct tr_config_load *out = NULL;
    struct tr_err err = {0};
    CHECK_OK(tr_config_load(arena, tr_str_from(toml), environment, &out, &err),
             &err);
    return out;
}

TEST(config_without_a_file_has_the_defaults_of_the_table)
{
    struct tr_arena arena;
    tr_arena_init(&arena, TR_MIB(1));
    const struct tr_config *config = &load(&arena, "", NULL)->config;
    CHECK_STR(config->project.name, "local");
    CHECK_INT(config->project.env, TR_CONFIG_ENV_DEVELOPMENT);
    CHECK_STR(config->server.http, "127.0.0.1:8000");
    CHECK_INT(config->server.threads, 0);
    CHECK_STR(config->store.path, "data");
    CHECK_INT(config->log.level, TR_LOG_INFO);
    tr_arena_done(&arena);
}

TEST(config_takes_booleans_as_toml_writes_them)
{
    struct tr_arena arena;
    struct tr_err err = {0};
    const struct tr_config_load *out = NULL;
    tr_arena_init(&arena, TR_MIB(1));
    CHECK_INT(load(&arena, "", NULL)->config.mcp.sessions, 1);
    CHECK_INT(
        load(&arena, "[mcp]\nsessions = false", NULL)->config.mcp.sessions, 0);
    CHECK_INT(tr_config_load(&arena, TR_STR("[mcp]\nsessions = 'no'"), NULL,
                             &out, &err),
              TR_E_INVALID);
    CHECK_STR(tr_str_from(err.msg),
              "mcp.sessions must be true or false, not a string");
    tr_arena_done(&arena);
}

TEST(config_shows_icons_as_toml_and_as_json_has_them)
{
    struct tr_arena arena;
    struct tr_buf out;
    tr_arena_init(&arena, TR_MIB(1));
    tr_buf_init(&out, TR_MIB(1));
    const struct tr_config_load *loaded =
        load(&arena,
             "[[project.icons]]\nsrc = 'https://a'\nsizes = ['any']\n"
             "[[project.icons]]\nsrc = 'https://b'\n",
             NULL);
    tr_config_show(loaded, &out);
    tr_buf_putc(&out, '\0');
    CHECK(strstr(out.ptr,
                 "icons = [{ src = \"https://a\", sizes = [\"any\"] }, "
                 "{ src = \"https://b\" }] # file\n"));
    const struct tr_config_load *again = load(&arena, out.ptr, NULL);
    CHECK_INT(again->config.project.icons->len, 2);
    tr_buf_clear(&out);
    tr_config_show_json(loaded, &out);
    tr_buf_putc(&out, '\0');
    CHECK(strstr(out.ptr, "\"src\": \"https://b\""));
    tr_buf_done(&out);
    tr_arena_done(&arena);
}

static void count_mistake(const void *data, const struct tr_err *err)
{
    size_t *count = *(size_t *const *)data;
    CHECK(err->msg[0] && err->place.line);
    ++*count;
}

TEST(config_tells_of_each_mistake)
{
    struct tr_arena arena;
    struct tr_err err = {0};
    size_t count = 0;
    size_t *counter = &count;
    const struct tr_config_listener listener = {count_mistake, &counter};
    const struct tr_config_load *out = NULL;
    tr_arena_init(&arena, TR_MIB(1));
    CHECK_INT(tr_config_load_whole(
                  &arena,
                  TR_STR("x = 1\n[server]\nthreads = 999\nthread = 1\n"
                         "[project]\nname = 'A'\nenv = 'x'\n"),
                  NULL, &listener, &out, &err),
              TR_E_INVALID);
    CHECK_INT(count, 5);
    CHECK(!out);
    CHECK_STR(tr_str_from(err.msg), "5 mistakes");
    tr_arena_done(&arena);
}

TEST(config_knows_where_each_value_came_from)
{
    char env[] = "TRAILS_ENV=production";
    char other[] = "TRAILS_ENVIRONMENT=test";
    char *environment[] = {other, env, NULL};
    struct tr_arena arena;
    tr_arena_init(&arena, TR_MIB(1));
    const struct tr_config_load *loaded =
        load(&arena, "[project]\nname = 'a'\nenv = 'test'\n", environment);
    CHECK_INT(loaded->config.project.env, TR_CONFIG_ENV_PRODUCTION);
    CHECK_INT(loaded->origins[0], TR_CONFIG_FROM_FILE);
    CHECK_INT(loaded->origins[1], TR_CONFIG_FROM_ENVIRONMENT);
    CHECK_INT(loaded->origins[2], TR_CONFIG_FROM_DEFAULT);
    tr_arena_done(&arena);
}

TEST(config_defaults_are_allowed_values_of_their_settings)
{
    for (size_t i = 0; i < tr_config_setting_count(); i++) {
        const struct tr_config_setting *setting = tr_config_setting_at(i);
        CHECK_ROW(setting->help[0] != '\0', setting->key);
        CHECK_ROW(!setting->check || setting->type == TR_CONFIG_SETTING_LIST ||
                      !setting->check(tr_str_from(setting->fallback)),
                  setting->key);
    }
}

static tr_status load_and_show(void *context, struct tr_err *err)
{
    const struct tr_config_load *loaded = NULL;
    struct tr_arena arena;
    struct tr_buf out;
    tr_arena_init(&arena, TR_MIB(1));
    tr_buf_init(&out, TR_MIB(1));
    tr_status status =
        tr_config_load(&arena, tr_str_from(context), NULL, &loaded, err);
    if (status == TR_OK) {
        tr_config_show(loaded, &out);
        tr_config_show_json(loaded, &out);
        status = tr_buf_check(&out, err);
    }
    tr_buf_done(&out);
    tr_arena_done(&arena);
    return status;
}

TEST(config_survives_every_failed_allocation)
{
    char toml[] =
        "[project]\nname = 'a'\nicons = [{ src = 'https://a', sizes = "
        "['any'] }]\n[server]\nthreads = 0x1_0\n";
    tr_test_sweep(load_and_show, toml);
}

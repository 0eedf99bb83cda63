/*
 * Which settings change while an app is served: a row for each, from the table.
 */
#include "base/limits.h"
#include "base/test.h"
#include "config/config.h"
#include "config/settings.h"
#include "json/writer.h"

/* Texts that the checks of texts take; each setting takes one of them. */
static const char *const texts[] = {
    "'other'",
    "'127.0.0.1:9'",
    "'https://other.example'",
    "'builder'",
    "['https://other.example']",
    "['HS256']",
    "['RS256']",
    "['* 7 calls/day']",
    "[{src = 'https://other.example/icon.png'}]",
};

struct heard {
    size_t count;
    const struct tr_config_setting *last;
};

static void hear(void *data, const struct tr_config_setting *setting)
{
    struct heard *heard = data;
    heard->count++;
    heard->last = setting;
}

static const struct tr_config_load *load(struct tr_arena *arena,
                                         const char *text)
{
    const struct tr_config_load *out = NULL;
    tr_str kept;
    CHECK(tr_arena_copy(arena, tr_str_from(text), &kept));
    return tr_config_load(arena, kept, NULL, &out, NULL) == TR_OK ? out : NULL;
}

static void show(const struct tr_config_load *loaded,
                 const struct tr_config_setting *setting, char out[1000])
{
    struct tr_json_writer w;
    struct tr_buf buf;
    tr_buf_init(&buf, 999);
    tr_jw_init(&w, &buf);
    tr_config_show_value(&loaded->config, setting, &w);
    CHECK_OK(tr_jw_finish(&w, NULL), NULL);
    (void)snprintf(out, 1000, "%.*s", TR_FMT(tr_buf_str(&buf)));
    tr_buf_done(&buf);
}

/* A value that the setting does not have by default. */
static void write_value(const struct tr_config_setting *setting, size_t i,
                        char out[100])
{
    long long number = setting->min;
    switch (setting->type) {
    case TR_CONFIG_SETTING_INTEGER:
        if (strtoll(setting->fallback, NULL, 10) == number)
            number++;
        (void)snprintf(out, 100, "%lld", number);
        return;
    case TR_CONFIG_SETTING_BOOLEAN:
        (void)snprintf(out, 100, "%s",
                       strcmp(setting->fallback, "true") ? "true" : "false");
        return;
    case TR_CONFIG_SETTING_CHOICE:
        (void)snprintf(out, 100, "'%s'",
                       setting->choices[strcmp(setting->fallback,
                                               setting->choices[0]) == 0]);
        return;
    default:
        (void)snprintf(out, 100, "%s", texts[i]);
    }
}

/* The same file but for this setting. */
static const struct tr_config_load *
load_other(struct tr_arena *arena, const struct tr_config_setting *setting,
           const struct tr_config_load *before)
{
    char was[1000];
    char is[1000];
    show(before, setting, was);
    for (size_t i = 0; i < TR_LEN(texts); i++) {
        char toml[300];
        char value[100];
        write_value(setting, i, value);
        (void)snprintf(toml, sizeof(toml), "[%s]\n%s = %s\n",
                       tr_config_setting_section(setting), setting->key, value);
        const struct tr_config_load *other = load(arena, toml);
        if (!other)
            continue;
        show(other, setting, is);
        if (strcmp(was, is) != 0)
            return other;
    }
    return NULL;
}

static void check_setting(size_t at)
{
    const struct tr_config_setting *setting = tr_config_setting_at(at);
    const struct tr_config_load *merged = NULL;
    struct heard heard = {0};
    const struct tr_config_waiting waiting = {hear, &heard};
    struct tr_arena arena;
    char wanted[1000];
    char is[1000];
    tr_arena_init(&arena, TR_MIB(8));
    const struct tr_config_load *before = load(&arena, "");
    const struct tr_config_load *now = load_other(&arena, setting, before);
    CHECK_ROW(now, setting->key);
    CHECK_OK(tr_config_renew(&arena, before, now, &waiting, &merged, NULL),
             NULL);
    show(setting->is_live ? now : before, setting, wanted);
    show(merged, setting, is);
    CHECK_ROW(strcmp(wanted, is) == 0, setting->key);
    CHECK_ROW(heard.count == !setting->is_live, setting->key);
    CHECK_ROW(setting->is_live || heard.last == setting, setting->key);
    CHECK_ROW((merged->origins[at] == TR_CONFIG_FROM_FILE) == setting->is_live,
              setting->key);
    for (size_t i = 0; i < tr_config_setting_count(); i++) {
        const struct tr_config_setting *other = tr_config_setting_at(i);
        show(before, other, wanted);
        show(merged, other, is);
        CHECK_ROW(i == at || strcmp(wanted, is) == 0, other->key);
    }
    tr_arena_done(&arena);
}

TEST(each_setting_is_taken_when_it_is_live_and_else_told_to_wait)
{
    for (size_t i = 0; i < tr_config_setting_count(); i++)
        check_setting(i);
}

/* What is decided once, before anything is served. */
TEST(where_it_listens_what_it_is_and_who_comes_in_is_not_live)
{
    static const char *const sections[] = {"project", "server", "store",
                                           "auth"};
    for (size_t i = 0; i < tr_config_setting_count(); i++) {
        const struct tr_config_setting *setting = tr_config_setting_at(i);
        for (size_t k = 0; k < TR_LEN(sections); k++)
            CHECK_ROW(strcmp(tr_config_setting_section(setting), sections[k]) !=
                              0 ||
                          !setting->is_live,
                      setting->key);
    }
}

TEST(what_is_the_apps_own_is_taken)
{
    struct heard heard = {0};
    const struct tr_config_waiting waiting = {hear, &heard};
    const struct tr_config_load *merged = NULL;
    struct tr_arena arena;
    tr_arena_init(&arena, TR_MIB(1));
    const struct tr_config_load *before = load(&arena, "[app]\nn = 1\n");
    const struct tr_config_load *now = load(&arena, "[app]\nn = 2\n");
    CHECK_OK(tr_config_renew(&arena, before, now, &waiting, &merged, NULL),
             NULL);
    CHECK(merged->own.app == now->own.app && heard.count == 0);
    tr_arena_done(&arena);
}

TEST(a_name_that_no_setting_says_stays)
{
    struct heard heard = {0};
    const struct tr_config_waiting waiting = {hear, &heard};
    const struct tr_config_load *merged = NULL;
    struct tr_arena arena;
    tr_arena_init(&arena, TR_MIB(1));
    const struct tr_config_load *before = load(&arena, "");
    CHECK_OK(tr_config_name_project(&arena, TR_STR("shop"),
                                    TR_CONFIG_FROM_FOLDER, &before, NULL),
             NULL);
    const struct tr_config_load *now = load(&arena, "");
    CHECK_OK(tr_config_renew(&arena, before, now, &waiting, &merged, NULL),
             NULL);
    CHECK_STR(merged->config.project.name, "shop");
    CHECK_INT(heard.count, 0);
    now = load(&arena, "[project]\nname = 'other'\n");
    CHECK_OK(tr_config_renew(&arena, before, now, &waiting, &merged, NULL),
             NULL);
    CHECK_STR(merged->config.project.name, "shop");
    CHECK_INT(heard.count, 1);
    tr_arena_done(&arena);
}

static tr_status renew(void *context, struct tr_err *err)
{
    const struct tr_config_load *const *sides = context;
    struct heard heard = {0};
    const struct tr_config_waiting waiting = {hear, &heard};
    const struct tr_config_load *merged = NULL;
    struct tr_arena arena;
    tr_arena_init(&arena, TR_MIB(1));
    tr_status status =
        tr_config_renew(&arena, sides[0], sides[1], &waiting, &merged, err);
    tr_arena_done(&arena);
    return status;
}

TEST(settings_are_read_again_only_with_memory)
{
    struct tr_arena arena;
    tr_arena_init(&arena, TR_MIB(1));
    const struct tr_config_load *sides[] = {load(&arena, ""), load(&arena, "")};
    tr_test_sweep(renew, sides);
    tr_arena_done(&arena);
}

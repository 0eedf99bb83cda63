/*
 * cap/setting.h: where values come from, and what is said of wrong ones.
 */
#include "cap/setting.h"

#include "base/limits.h"
#include "base/test.h"
#include "cap/registry.h"

static const struct tr_json five = {
    .kind = TR_JSON_NUMBER, .flags = TR_JSON_INTEGER, .len = 1, .as.text = "5"};

static const struct tr_field fields[] = {
    {.name = TR_STR_INIT("max_open"),
     .kind = TR_FIELD_INTEGER,
     .default_to = &five,
     .min_value = TR_STR_INIT("1"),
     .max_value = TR_STR_INIT("10")},
    {.name = TR_STR_INIT("greeting"),
     .kind = TR_FIELD_TEXT,
     .optional = true,
     .max_length = 5},
    {.name = TR_STR_INIT("region"), .kind = TR_FIELD_TEXT},
    {.name = TR_STR_INIT("since"), .kind = TR_FIELD_DATETIME, .optional = true},
    {.name = TR_STR_INIT("hosts"),
     .kind = TR_FIELD_TEXT,
     .optional = true,
     .many = true},
};

struct fixture {
    struct tr_arena arena;
    struct tr_cap_builder *builder;
    const struct tr_config_load *load;
};

static void open_fixture(struct fixture *f, const char *toml, char *variable)
{
    static char *environment[2];
    struct tr_err err = {0};
    environment[0] = variable;
    tr_arena_init(&f->arena, TR_MIB(1));
    CHECK_OK(tr_config_load(&f->arena, tr_str_from(toml), environment, &f->load,
                            &err),
             &err);
    CHECK_OK(tr_cap_builder_create(&(struct tr_cap_registry_opts){0},
                                   &f->builder, NULL),
             NULL);
}

static void close_fixture(struct fixture *f)
{
    tr_cap_builder_free(f->builder);
    tr_arena_done(&f->arena);
}

static tr_status declare(struct fixture *f, const struct tr_field *field,
                         const struct tr_cap_setting **out, struct tr_err *err)
{
    const struct tr_shape draft = {.fields = field, .count = 1};
    return tr_cap_registry_add_setting(f->builder, &draft, &f->load->own, out,
                                       err);
}

static const struct {
    size_t field;
    const char *toml;
    const char *variable;
    const char *value; /* or what is said; its line stands before it */
    enum tr_config_origin origin;
} rows[] = {
    {0, "", NULL, "5", TR_CONFIG_FROM_DEFAULT},
    {0, "[app]\nmax_open = 7", NULL, "7", TR_CONFIG_FROM_FILE},
    {0, "[app]\nmax_open = 0x9", NULL, "9", TR_CONFIG_FROM_FILE},
    {0, "[app]\nmax_open = 7", "TRAILS_APP_MAX_OPEN=8", "8",
     TR_CONFIG_FROM_ENVIRONMENT},
    {0, "[app]\nmax_open = 7", "TRAILS_APP_MAX=8", "7", TR_CONFIG_FROM_FILE},
    {1, "", NULL, NULL, TR_CONFIG_FROM_DEFAULT},
    {1, "", "TRAILS_APP_GREETING=", "", TR_CONFIG_FROM_ENVIRONMENT},
    {3, "[app]\nsince = 2026-01-01T00:00:00Z", NULL, "2026-01-01T00:00:00Z",
     TR_CONFIG_FROM_FILE},
};

TEST(setting_has_its_value_from_the_environment_the_file_or_its_default)
{
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        struct fixture f;
        const struct tr_cap_setting *setting;
        struct tr_err err = {0};
        open_fixture(&f, rows[i].toml, (char *)(uintptr_t)rows[i].variable);
        CHECK_OK(declare(&f, &fields[rows[i].field], &setting, &err), &err);
        CHECK_ROW(!setting->value == !rows[i].value, rows[i].toml);
        if (setting->value)
            CHECK_STR(tr_json_text(setting->value), rows[i].value);
        CHECK_ROW(setting->origin == rows[i].origin, rows[i].toml);
        close_fixture(&f);
    }
}

static const struct {
    size_t field;
    const char *toml;
    const char *variable;
    const char *says;
    unsigned line;
} refusals[] = {
    {0, "[app]\nmax_open = 11", NULL, "app.max_open must be at most 10", 2},
    {0, "[app]\n\nmax_open = 0", NULL, "app.max_open must be at least 1", 3},
    {0, "[app]\nmax_open = 'x'", NULL, "app.max_open must be an integer", 2},
    {0, "[app]\nmax_open = inf", NULL, "app.max_open must be an integer", 2},
    {0, "[app]\nmax_open = []", NULL, "app.max_open must be an integer", 2},
    {0, "[app]\nmax_open = {}", NULL, "app.max_open must be an integer", 2},
    {0, "", "TRAILS_APP_MAX_OPEN=11",
     "TRAILS_APP_MAX_OPEN: max_open must be at most 10", 0},
    {0, "[app]\nmax_open = 5", "TRAILS_APP_MAX_OPEN=five",
     "TRAILS_APP_MAX_OPEN: max_open must be an integer", 0},
    {1, "[app]\ngreeting = 'longer'", NULL,
     "app.greeting must have at most 5 characters", 2},
    {2, "", NULL,
     "app.region is missing: set region in [app], or TRAILS_APP_REGION", 0},
    {2, "[app]\nregoin = 'x'", NULL,
     "app.region is missing; is 'regoin' meant to be that?", 2},
    {3, "[app]\nsince = 2026-01-01", NULL,
     "app.since must be an RFC 3339 date and time", 2},
    {4, "", "TRAILS_APP_HOSTS=a",
     "TRAILS_APP_HOSTS: a list can only be set in trails.toml", 0},
};

TEST(setting_that_is_wrong_names_its_place_and_what_is_allowed)
{
    for (size_t i = 0; i < TR_LEN(refusals); i++) {
        struct fixture f;
        const struct tr_cap_setting *setting;
        struct tr_err err = {0};
        open_fixture(&f, refusals[i].toml,
                     (char *)(uintptr_t)refusals[i].variable);
        CHECK(declare(&f, &fields[refusals[i].field], &setting, &err) ==
              TR_E_VALIDATION);
        CHECK_STR(tr_str_from(err.msg), refusals[i].says);
        CHECK_ROW(err.place.line == refusals[i].line, refusals[i].says);
        close_fixture(&f);
    }
}

TEST(setting_is_declared_once_and_is_a_value)
{
    static const struct tr_field wrong = {.name = TR_STR_INIT("who"),
                                          .kind = TR_FIELD_REF,
                                          .target = TR_STR_INIT("Person")};
    struct fixture f;
    const struct tr_cap_setting *setting;
    struct tr_err err = {0};
    open_fixture(&f, "", NULL);
    CHECK_OK(declare(&f, &fields[0], &setting, NULL), NULL);
    CHECK(declare(&f, &fields[0], &setting, NULL) == TR_E_CONFLICT);
    CHECK(declare(&f, &wrong, &setting, &err) == TR_E_INVALID);
    CHECK(strstr(err.msg, "not a ref"));
    close_fixture(&f);
}

TEST(setting_that_nobody_declares_is_refused)
{
    struct fixture f;
    const struct tr_cap_setting *setting;
    struct tr_err err = {0};
    open_fixture(&f, "[app]\nmax_open = 1\nmax_opne = 2", NULL);
    CHECK_OK(tr_cap_registry_check_settings(f.builder, NULL, &err), &err);
    CHECK_OK(declare(&f, &fields[0], &setting, &err), &err);
    CHECK(tr_cap_registry_check_settings(f.builder, &f.load->own, &err) ==
          TR_E_VALIDATION);
    CHECK_STR(tr_str_from(err.msg),
              "unknown key 'max_opne' in [app], did you mean 'max_open'?");
    CHECK(err.place.line == 3);
    close_fixture(&f);
}

static tr_status sweep(void *data, struct tr_err *err)
{
    struct tr_cap_builder *builder = NULL;
    const struct tr_cap_setting *setting;
    const struct fixture *f = data;
    struct tr_cap_registry_opts opts = {0};
    TR_TRY(tr_cap_builder_create(&opts, &builder, err));
    tr_status status = TR_OK;
    for (size_t i = 0; status == TR_OK && i < TR_LEN(fields); i++) {
        const struct tr_shape draft = {.fields = &fields[i], .count = 1};
        status = tr_cap_registry_add_setting(builder, &draft, &f->load->own,
                                             &setting, err);
    }
    tr_cap_builder_free(builder);
    return status;
}

TEST(settings_survive_the_failure_of_every_allocation)
{
    struct fixture f;
    open_fixture(&f, "[app]\nregion = 'x'\nhosts = ['a', 'b']",
                 "TRAILS_APP_MAX_OPEN=8");
    tr_test_sweep(sweep, &f);
    close_fixture(&f);
}

#include "cli/own.h"

#include "base/limits.h"
#include "cap/setting.h"
#include "cap/snapshot.h"
#include "cli/report.h"
#include "crypto/secrets.h"
#include "fields/kind.h"

#define HIDDEN "[secret]"

bool tr_cli_own_load(struct tr_server_app *app,
                     const struct tr_cap_snapshot **out)
{
    struct tr_err err;
    tr_status status = tr_server_app_load(app, out, &err);
    if (status != TR_OK && status != TR_E_NOT_FOUND)
        (void)tr_cli_report_error(app->file, &err);
    return status == TR_OK || status == TR_E_NOT_FOUND;
}

bool tr_cli_own_open(struct tr_cli_own *own, const char *folder,
                     const char *path)
{
    const char *slash = strrchr(path, '/');
    struct tr_err err;
    *own = (struct tr_cli_own){0};
    if (strcmp(slash ? slash + 1 : path, "trails.toml") != 0)
        return true;
    if (tr_server_app_open(&own->app, folder, &err) != TR_OK) {
        (void)tr_cli_report_error(own->app.file, &err);
        return false;
    }
    if (tr_cli_own_load(&own->app, &own->snapshot))
        return true;
    tr_cli_own_close(own);
    return false;
}

void tr_cli_own_close(struct tr_cli_own *own)
{
    tr_cap_snapshot_unpin(own->snapshot);
    if (own->app.folder)
        tr_server_app_close(&own->app);
}

static size_t count_settings(const struct tr_cap_snapshot *snapshot)
{
    return snapshot ? tr_cap_snapshot_setting_count(snapshot) : 0;
}

static tr_str origin_of(const struct tr_cap_setting *setting)
{
    if (setting->origin == TR_CONFIG_FROM_ENVIRONMENT)
        return setting->variable;
    return setting->origin == TR_CONFIG_FROM_FILE ? TR_STR("file")
                                                  : TR_STR("default");
}

static void write_variable(const struct tr_crypto_secret *secret, char out[128])
{
    (void)snprintf(out, 128, "TRAILS_SECRET_%.*s", TR_FMT(secret->name));
}

/* What is not there is null. */
static void put_value(struct tr_json_writer *w, const struct tr_json *value)
{
    if (value)
        tr_jw_value(w, value);
    else
        tr_jw_null(w);
}

static void put_json(struct tr_buf *out, const struct tr_json *value)
{
    struct tr_json_writer w;
    tr_jw_init(&w, out);
    put_value(&w, value);
}

/* One that is not there stands as a comment. */
static void show_setting(struct tr_buf *out,
                         const struct tr_cap_setting *setting)
{
    size_t line = out->len;
    tr_buf_putf(out, "%s%.*s = ", setting->value ? "" : "# ",
                TR_FMT(setting->field->name));
    if (setting->value)
        put_json(out, setting->value);
    while (!out->failed && out->len - line < 32)
        tr_buf_putc(out, ' ');
    tr_buf_putf(out, " # %.*s\n", TR_FMT(origin_of(setting)));
}

void tr_cli_own_show(const struct tr_cap_snapshot *snapshot,
                     const struct tr_crypto_secrets *secrets,
                     struct tr_buf *out)
{
    for (size_t i = 0; i < count_settings(snapshot); i++) {
        if (i == 0)
            tr_buf_put(out, TR_STR("\n[app]\n"));
        show_setting(out, tr_cap_snapshot_setting(snapshot, i));
    }
    for (size_t i = 0; i < tr_crypto_secrets_count(secrets); i++) {
        const struct tr_crypto_secret *secret =
            tr_crypto_secrets_at(secrets, i);
        char variable[128] = "file";
        if (secret->is_from_environment)
            write_variable(secret, variable);
        tr_buf_putf(out, "%s%.*s = \"" HIDDEN "\" # %s\n",
                    i ? "" : "\n[secrets]\n", TR_FMT(secret->name), variable);
    }
}

static void put_bound(struct tr_buf *out, const char *word, tr_str number)
{
    if (number.len)
        tr_buf_putf(out, ", %s %.*s", word, TR_FMT(number));
}

/* "an integer, from 1, to 10" */
static void describe(const struct tr_field *field, struct tr_buf *out)
{
    if (field->many || field->list)
        tr_buf_put(out, TR_STR("a list, each "));
    tr_buf_put(out, tr_str_from(tr_field_kind_row(field->kind)->expected));
    put_bound(out, "from", field->min_value);
    put_bound(out, "above", field->min_exclusive);
    put_bound(out, "to", field->max_value);
    put_bound(out, "below", field->max_exclusive);
    if (field->one_of) {
        tr_buf_put(out, TR_STR(", one of "));
        put_json(out, field->one_of);
    }
}

void tr_cli_own_list(const struct tr_cap_snapshot *snapshot,
                     const struct tr_crypto_secrets *secrets,
                     struct tr_buf *out)
{
    for (size_t i = 0; i < count_settings(snapshot); i++) {
        const struct tr_cap_setting *setting =
            tr_cap_snapshot_setting(snapshot, i);
        tr_buf_putf(out, "\napp.%.*s = ", TR_FMT(setting->field->name));
        put_json(out, setting->value);
        tr_buf_putf(out, "  # %.*s\n    ", TR_FMT(origin_of(setting)));
        if (setting->field->description.len)
            tr_buf_putf(out, "%.*s\n    ", TR_FMT(setting->field->description));
        describe(setting->field, out);
        if (setting->field->default_to) {
            tr_buf_put(out, TR_STR("; default: "));
            put_json(out, setting->field->default_to);
        }
        tr_buf_putf(out, "; %.*s overrides the file\n",
                    TR_FMT(setting->variable));
    }
    for (size_t i = 0; i < tr_crypto_secrets_count(secrets); i++) {
        const struct tr_crypto_secret *secret =
            tr_crypto_secrets_at(secrets, i);
        char variable[128];
        write_variable(secret, variable);
        tr_buf_putf(out,
                    "\nsecrets.%.*s = \"" HIDDEN "\"  # %s\n"
                    "    a text; %s overrides the file\n",
                    TR_FMT(secret->name),
                    secret->is_from_environment ? variable : "file", variable);
    }
}

static void put_json_setting(struct tr_json_writer *w,
                             const struct tr_cap_setting *setting)
{
    char storage[TR_LIMIT_MESSAGE_BYTES];
    struct tr_buf text;
    tr_buf_init_fixed(&text, storage, sizeof(storage));
    tr_buf_putf(&text, "app.%.*s", TR_FMT(setting->field->name));
    tr_jw_open(w, '{');
    tr_jw_put_string(w, "name", tr_buf_str(&text));
    tr_jw_key(w, "value");
    put_value(w, setting->value);
    tr_jw_put_string(w, "origin", origin_of(setting));
    tr_jw_key(w, "default");
    put_value(w, setting->field->default_to);
    tr_buf_clear(&text);
    describe(setting->field, &text);
    tr_jw_put_string(w, "values", tr_buf_str(&text));
    tr_jw_put_string(w, "variable", setting->variable);
    tr_jw_put_string(w, "help", setting->field->description);
    tr_jw_close(w, '}');
}

static void put_json_secret(struct tr_json_writer *w,
                            const struct tr_crypto_secret *secret)
{
    char name[128];
    char variable[128];
    (void)snprintf(name, sizeof(name), "secrets.%.*s", TR_FMT(secret->name));
    write_variable(secret, variable);
    tr_jw_open(w, '{');
    tr_jw_put_string(w, "name", tr_str_from(name));
    tr_jw_put_string(w, "value", TR_STR(HIDDEN));
    tr_jw_put_string(w, "origin",
                     secret->is_from_environment ? tr_str_from(variable)
                                                 : TR_STR("file"));
    tr_jw_key(w, "default");
    tr_jw_null(w);
    tr_jw_put_string(w, "values", TR_STR("a text"));
    tr_jw_put_string(w, "variable", tr_str_from(variable));
    tr_jw_put_string(w, "help", TR_STR(""));
    tr_jw_close(w, '}');
}

void tr_cli_own_list_json(const struct tr_cap_snapshot *snapshot,
                          const struct tr_crypto_secrets *secrets,
                          struct tr_json_writer *w)
{
    for (size_t i = 0; i < count_settings(snapshot); i++)
        put_json_setting(w, tr_cap_snapshot_setting(snapshot, i));
    for (size_t i = 0; i < tr_crypto_secrets_count(secrets); i++)
        put_json_secret(w, tr_crypto_secrets_at(secrets, i));
}

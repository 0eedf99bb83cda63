#include "config/config.h"
#include "config/settings.h"
#include "json/writer.h"

void tr_config_show_value(const struct tr_config *config,
                          const struct tr_config_setting *setting,
                          struct tr_json_writer *w)
{
    const void *field = (const char *)config + setting->offset;
    const struct tr_config_list *list = field;
    switch (setting->type) {
    case TR_CONFIG_SETTING_TEXT:
        tr_jw_string(w, *(const tr_str *)field);
        return;
    case TR_CONFIG_SETTING_LIST:
        tr_jw_open(w, '[');
        for (size_t i = 0; i < list->count; i++)
            tr_jw_string(w, list->items[i]);
        tr_jw_close(w, ']');
        return;
    case TR_CONFIG_SETTING_INTEGER:
        tr_jw_i64(w, *(const int64_t *)field);
        return;
    case TR_CONFIG_SETTING_BOOLEAN:
        tr_jw_bool(w, *(const int64_t *)field != 0);
        return;
    case TR_CONFIG_SETTING_CHOICE:
        tr_jw_string(w, tr_str_from(setting->choices[*(const int64_t *)field]));
        return;
    }
}

static bool starts_section(size_t i)
{
    return i == 0 || strcmp(tr_config_settings[i - 1].section,
                            tr_config_settings[i].section) != 0;
}

const char *tr_config_origin_name(const struct tr_config_load *load, size_t i)
{
    switch (load->origins[i]) {
    case TR_CONFIG_FROM_FILE:
        return "file";
    case TR_CONFIG_FROM_ENVIRONMENT:
        return tr_config_settings[i].variable;
    default:
        return "default";
    }
}

void tr_config_show(const struct tr_config_load *load, struct tr_buf *out)
{
    for (size_t i = 0; i < tr_config_setting_count; i++) {
        const struct tr_config_setting *setting = &tr_config_settings[i];
        struct tr_json_writer w;
        if (starts_section(i))
            tr_buf_putf(out, "%s[%s]\n", i ? "\n" : "", setting->section);
        size_t line = out->len;
        tr_buf_putf(out, "%s = ", setting->key);
        tr_jw_init(&w, out);
        tr_config_show_value(&load->config, setting, &w);
        while (!out->failed && out->len - line < 32)
            tr_buf_putc(out, ' ');
        tr_buf_putf(out, " # %s\n", tr_config_origin_name(load, i));
    }
}

void tr_config_show_json(const struct tr_config_load *load, struct tr_buf *out)
{
    struct tr_json_writer w;
    tr_jw_init_pretty(&w, out);
    tr_jw_open(&w, '{');
    for (size_t i = 0; i < tr_config_setting_count; i++) {
        if (starts_section(i)) {
            if (i)
                tr_jw_close(&w, '}');
            tr_jw_key(&w, tr_config_settings[i].section);
            tr_jw_open(&w, '{');
        }
        tr_jw_key(&w, tr_config_settings[i].key);
        tr_config_show_value(&load->config, &tr_config_settings[i], &w);
    }
    tr_jw_close(&w, '}');
    tr_jw_close(&w, '}');
    tr_buf_putc(out, '\n');
}

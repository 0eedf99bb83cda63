#include "config/config.h"
#include "config/section.h"
#include "json/writer.h"

static const void *field_of(const struct tr_config *config,
                            const struct tr_config_setting *setting)
{
    return (const char *)config + setting->offset;
}

void tr_config_show_value(const struct tr_config *config,
                          const struct tr_config_setting *setting,
                          struct tr_json_writer *w)
{
    static const struct tr_json no_icons = {.kind = TR_JSON_ARRAY};
    const void *field = field_of(config, setting);
    const struct tr_config_list *list = field;
    const struct tr_json *icons;
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
    case TR_CONFIG_SETTING_ICONS:
        icons = *(const struct tr_json *const *)field;
        tr_jw_value(w, icons ? icons : &no_icons);
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

/* { src = "...", sizes = [...] } */
static void put_toml_icon(struct tr_buf *out, const struct tr_json *icon)
{
    for (size_t i = 0; i < icon->len; i++) {
        const struct tr_json_member *member = &icon->as.members[i];
        struct tr_json_writer w;
        tr_buf_putf(out, "%s%.*s = ", i ? ", " : "{ ",
                    TR_FMT(tr_json_text(&member->key)));
        tr_jw_init(&w, out);
        tr_jw_value(&w, &member->value);
    }
    tr_buf_put(out, TR_STR(" }"));
}

/* The same as TOML has it, whose tables are not those of JSON. */
static void put_toml(struct tr_buf *out, const struct tr_config *config,
                     const struct tr_config_setting *setting)
{
    const struct tr_json *icons = NULL;
    struct tr_json_writer w;
    if (setting->type == TR_CONFIG_SETTING_ICONS)
        icons = *(const struct tr_json *const *)field_of(config, setting);
    if (!icons) {
        tr_jw_init(&w, out);
        tr_config_show_value(config, setting, &w);
        return;
    }
    for (size_t i = 0; i < icons->len; i++) {
        tr_buf_put(out, i ? TR_STR(", ") : TR_STR("["));
        put_toml_icon(out, &icons->as.items[i]);
    }
    tr_buf_put(out, icons->len ? TR_STR("]") : TR_STR("[]"));
}

const char *tr_config_origin_name(const struct tr_config_load *load, size_t i)
{
    switch (load->origins[i]) {
    case TR_CONFIG_FROM_FILE:
        return "file";
    case TR_CONFIG_FROM_ENVIRONMENT:
        return tr_config_setting_at(i)->variable;
    case TR_CONFIG_FROM_STORE:
        return "store";
    case TR_CONFIG_FROM_FOLDER:
        return "folder";
    default:
        return "default";
    }
}

static void show_setting(const struct tr_config_load *load, size_t i,
                         struct tr_buf *out)
{
    const struct tr_config_setting *setting = tr_config_setting_at(i);
    size_t line = out->len;
    tr_buf_putf(out, "%s = ", setting->key);
    put_toml(out, &load->config, setting);
    while (!out->failed && out->len - line < 32)
        tr_buf_putc(out, ' ');
    tr_buf_putf(out, " # %s\n", tr_config_origin_name(load, i));
}

void tr_config_show(const struct tr_config_load *load, struct tr_buf *out)
{
    const struct tr_config_section *section = NULL;
    size_t at = 0;
    for (size_t i = 0; (section = tr_config_section_at(i)); i++) {
        tr_buf_putf(out, "%s[%s]\n", i ? "\n" : "", section->name);
        for (size_t k = 0; k < section->count; k++)
            show_setting(load, at++, out);
    }
}

/* [a.b] is an object in another, as TOML has it; no two are in one. */
static size_t open_section(struct tr_json_writer *w, tr_str name)
{
    size_t depth = 1;
    tr_str outer;
    tr_str inner;
    for (; tr_str_cut(name, '.', &outer, &inner); name = inner, depth++) {
        tr_jw_key_str(w, outer);
        tr_jw_open(w, '{');
    }
    tr_jw_key_str(w, name);
    tr_jw_open(w, '{');
    return depth;
}

void tr_config_show_json(const struct tr_config_load *load, struct tr_buf *out)
{
    const struct tr_config_section *section = NULL;
    struct tr_json_writer w;
    tr_jw_init_pretty(&w, out);
    tr_jw_open(&w, '{');
    for (size_t i = 0; (section = tr_config_section_at(i)); i++) {
        size_t depth = open_section(&w, tr_str_from(section->name));
        for (size_t k = 0; k < section->count; k++) {
            tr_jw_key(&w, section->settings[k].key);
            tr_config_show_value(&load->config, &section->settings[k], &w);
        }
        while (depth--)
            tr_jw_close(&w, '}');
    }
    tr_jw_close(&w, '}');
    tr_buf_putc(out, '\n');
}

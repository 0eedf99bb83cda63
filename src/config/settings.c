#include "config/settings.h"

#include "base/buf.h"
#include "config/section.h"

static const struct tr_config_section *const sections[] = {
    &tr_config_section_project, &tr_config_section_server,
    &tr_config_section_store,   &tr_config_section_prov,
    &tr_config_section_log,     &tr_config_section_mcp,
    &tr_config_section_http,    &tr_config_section_manifest,
    &tr_config_section_auth,    &tr_config_section_budget,
    &tr_config_section_runtime, &tr_config_section_lua,
    &tr_config_section_fetch,
};

const struct tr_config_section *tr_config_section_at(size_t i)
{
    return i < TR_LEN(sections) ? sections[i] : NULL;
}

size_t tr_config_setting_count(void)
{
    size_t count = 0;
    for (size_t i = 0; i < TR_LEN(sections); i++)
        count += sections[i]->count;
    return count;
}

const struct tr_config_setting *tr_config_setting_at(size_t i)
{
    size_t s = 0;
    while (i >= sections[s]->count)
        i -= sections[s++]->count;
    return &sections[s]->settings[i];
}

static bool has(const struct tr_config_section *section,
                const struct tr_config_setting *setting)
{
    size_t i = 0;
    while (i < section->count && setting != &section->settings[i])
        i++;
    return i < section->count;
}

const char *tr_config_setting_section(const struct tr_config_setting *setting)
{
    size_t s = 0;
    while (!has(sections[s], setting))
        s++;
    return sections[s]->name;
}

static void put_choices(struct tr_buf *buf, const char *const *choices)
{
    for (size_t i = 0; choices[i]; i++) {
        const char *before = i == 0 ? "" : choices[i + 1] ? ", " : " or ";
        tr_buf_putf(buf, "%s%s", before, choices[i]);
    }
}

void tr_config_setting_describe(const struct tr_config_setting *setting,
                                char *out, size_t size)
{
    struct tr_buf buf;
    tr_buf_init_fixed(&buf, out, size - 1);
    switch (setting->type) {
    case TR_CONFIG_SETTING_TEXT:
        tr_buf_put(&buf, TR_STR("text"));
        break;
    case TR_CONFIG_SETTING_LIST:
        tr_buf_put(&buf, TR_STR("list of text"));
        break;
    case TR_CONFIG_SETTING_ICONS:
        tr_buf_put(&buf, TR_STR("list of tables"));
        break;
    case TR_CONFIG_SETTING_INTEGER:
        tr_buf_putf(&buf, "%lld to %lld", (long long)setting->min,
                    (long long)setting->max);
        break;
    case TR_CONFIG_SETTING_BOOLEAN:
        tr_buf_put(&buf, TR_STR("true or false"));
        break;
    case TR_CONFIG_SETTING_CHOICE:
        put_choices(&buf, setting->choices);
        break;
    }
    out[buf.len] = '\0';
}

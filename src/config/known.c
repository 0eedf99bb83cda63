#include "config/known.h"

#include "base/nearest.h"
#include "config/settings.h"

void tr_config_add_place(struct tr_err *err, tr_str toml, const char *at)
{
    if (err && at && at >= toml.ptr && at <= toml.ptr + toml.len)
        err->place = tr_place_of(toml, (size_t)(at - toml.ptr));
}

/* Their keys are the app's own: [app] is checked where the app is loaded, and
 * what [secrets] has is taken before anybody reads it. */
static const char *const own_sections[] = {"app", "secrets"};

tr_status tr_config_refuse_unknown(tr_str key, const char *section, tr_str toml,
                                   struct tr_err *err)
{
    struct tr_nearest nearest;
    char where[96] = "";
    tr_nearest_init(&nearest, key);
    for (size_t i = 0; i < tr_config_setting_count; i++) {
        const struct tr_config_setting *setting = &tr_config_settings[i];
        if (!section)
            tr_nearest_offer(&nearest, tr_str_from(setting->section));
        else if (strcmp(setting->section, section) == 0)
            tr_nearest_offer(&nearest, tr_str_from(setting->key));
    }
    for (size_t i = 0; !section && i < TR_LEN(own_sections); i++)
        tr_nearest_offer(&nearest, tr_str_from(own_sections[i]));
    if (section)
        (void)snprintf(where, sizeof(where), " in [%s]", section);
    const char *what = section ? "key" : "section";
    if (nearest.best.len)
        (void)tr_fail(err, TR_E_INVALID,
                      "unknown %s '%.*s'%s, did you mean '%.*s'?", what,
                      TR_FMT(key), where, TR_FMT(nearest.best));
    else
        (void)tr_fail(err, TR_E_INVALID, "unknown %s '%.*s'%s", what,
                      TR_FMT(key), where);
    tr_config_add_place(err, toml, key.ptr);
    return TR_E_INVALID;
}

bool tr_config_is_own(const char *section)
{
    return section == own_sections[0] || section == own_sections[1];
}

const char *tr_config_find_section(tr_str name)
{
    for (size_t i = 0; i < TR_LEN(own_sections); i++) {
        if (tr_str_eq(tr_str_from(own_sections[i]), name))
            return own_sections[i];
    }
    for (size_t i = 0; i < tr_config_setting_count; i++) {
        if (tr_str_eq(tr_str_from(tr_config_settings[i].section), name))
            return tr_config_settings[i].section;
    }
    return NULL;
}

bool tr_config_is_key(const char *section, tr_str key)
{
    for (size_t i = 0; i < tr_config_setting_count; i++) {
        const struct tr_config_setting *setting = &tr_config_settings[i];
        if (strcmp(setting->section, section) == 0 &&
            (tr_str_eq(tr_str_from(setting->key), key) ||
             (setting->alias && tr_str_eq(tr_str_from(setting->alias), key))))
            return true;
    }
    return false;
}

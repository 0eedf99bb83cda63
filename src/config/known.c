#include "config/known.h"

#include "base/nearest.h"
#include "config/section.h"

void tr_config_add_place(struct tr_err *err, tr_str toml, const char *at)
{
    if (err && at && at >= toml.ptr && at <= toml.ptr + toml.len)
        err->place = tr_place_of(toml, (size_t)(at - toml.ptr));
}

/* Their keys are the app's own: [app] is checked where the app is loaded, and
 * what [secrets] has is taken before anybody reads it. */
static const char *const own_sections[] = {"app", "secrets"};

static const struct tr_config_section *find(tr_str name)
{
    const struct tr_config_section *section = NULL;
    for (size_t i = 0; (section = tr_config_section_at(i)); i++) {
        if (tr_str_eq(tr_str_from(section->name), name))
            return section;
    }
    return NULL;
}

static void offer_sections(struct tr_nearest *nearest)
{
    const struct tr_config_section *section = NULL;
    for (size_t i = 0; (section = tr_config_section_at(i)); i++)
        tr_nearest_offer(nearest, tr_str_from(section->name));
    for (size_t i = 0; i < TR_LEN(own_sections); i++)
        tr_nearest_offer(nearest, tr_str_from(own_sections[i]));
}

static void offer_keys(struct tr_nearest *nearest, const char *name)
{
    const struct tr_config_section *section = find(tr_str_from(name));
    for (size_t i = 0; section && i < section->count; i++)
        tr_nearest_offer(nearest, tr_str_from(section->settings[i].key));
}

tr_status tr_config_refuse_unknown(tr_str key, const char *section, tr_str toml,
                                   struct tr_err *err)
{
    struct tr_nearest nearest;
    char where[96] = "";
    tr_nearest_init(&nearest, key);
    if (section)
        offer_keys(&nearest, section);
    else
        offer_sections(&nearest);
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
    const struct tr_config_section *section = find(name);
    for (size_t i = 0; i < TR_LEN(own_sections); i++) {
        if (tr_str_eq(tr_str_from(own_sections[i]), name))
            return own_sections[i];
    }
    return section ? section->name : NULL;
}

bool tr_config_is_outer(tr_str name)
{
    const struct tr_config_section *inner;
    for (size_t i = 0; (inner = tr_config_section_at(i)); i++) {
        tr_str section = tr_str_from(inner->name);
        if (tr_str_starts(section, name) && section.len > name.len &&
            section.ptr[name.len] == '.')
            return true;
    }
    return false;
}

bool tr_config_is_key(const char *name, tr_str key)
{
    const struct tr_config_section *section = find(tr_str_from(name));
    for (size_t i = 0; section && i < section->count; i++) {
        const struct tr_config_setting *setting = &section->settings[i];
        if (tr_str_eq(tr_str_from(setting->key), key) ||
            (setting->alias && tr_str_eq(tr_str_from(setting->alias), key)))
            return true;
    }
    return false;
}

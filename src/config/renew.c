/*
 * What changes when trails.toml is read again by a process that runs: settings
 * that are live, and no other.
 */
#include "base/limits.h"
#include "config/config.h"
#include "config/settings.h"
#include "json/writer.h"

/* The bytes of a field, by its type. */
static size_t size_of(const struct tr_config_setting *setting)
{
    switch (setting->type) {
    case TR_CONFIG_SETTING_TEXT:
        return sizeof(tr_str);
    case TR_CONFIG_SETTING_LIST:
        return sizeof(struct tr_config_list);
    case TR_CONFIG_SETTING_ICONS:
        return sizeof(const struct tr_json *);
    default:
        return sizeof(int64_t);
    }
}

/* As they are shown: two that look the same are the same. */
static tr_status compare(const struct tr_config *a, const struct tr_config *b,
                         const struct tr_config_setting *setting, bool *same,
                         struct tr_err *err)
{
    const struct tr_config *const sides[] = {a, b};
    struct tr_buf shown[TR_LEN(sides)];
    tr_status status = TR_OK;
    for (size_t i = 0; i < TR_LEN(sides); i++) {
        struct tr_json_writer w;
        tr_buf_init(&shown[i], 2 * TR_LIMIT_TOML_BYTES);
        tr_jw_init(&w, &shown[i]);
        tr_config_show_value(sides[i], setting, &w);
        if (status == TR_OK)
            status = tr_jw_finish(&w, err);
    }
    *same = tr_str_eq(tr_buf_str(&shown[0]), tr_buf_str(&shown[1]));
    tr_buf_done(&shown[0]);
    tr_buf_done(&shown[1]);
    return status;
}

/* A project that no setting names has a name all the same. */
static bool is_named_elsewhere(const struct tr_config_load *before,
                               const struct tr_config_load *now, size_t i)
{
    enum tr_config_origin origin = before->origins[i];
    return now->origins[i] == TR_CONFIG_FROM_DEFAULT &&
           (origin == TR_CONFIG_FROM_STORE || origin == TR_CONFIG_FROM_FOLDER);
}

tr_status tr_config_renew(struct tr_arena *arena,
                          const struct tr_config_load *before,
                          const struct tr_config_load *now,
                          const struct tr_config_waiting *waiting,
                          const struct tr_config_load **out, struct tr_err *err)
{
    size_t count = tr_config_setting_count();
    struct tr_config_load *merged = TR_NEW(arena, struct tr_config_load);
    enum tr_config_origin *origins =
        TR_NEW_ARRAY(arena, enum tr_config_origin, count);
    if (!merged || !origins)
        return tr_fail(err, TR_E_NOMEM, "no memory for the configuration");
    *merged = *before;
    memcpy(origins, before->origins, count * sizeof(*origins));
    for (size_t i = 0; i < count; i++) {
        const struct tr_config_setting *setting = tr_config_setting_at(i);
        if (setting->is_live) {
            memcpy((char *)&merged->config + setting->offset,
                   (const char *)&now->config + setting->offset,
                   size_of(setting));
            origins[i] = now->origins[i];
        } else if (!is_named_elsewhere(before, now, i)) {
            bool same = true;
            TR_TRY(compare(&before->config, &now->config, setting, &same, err));
            if (!same)
                waiting->tell(waiting->data, setting);
        }
    }
    merged->origins = origins;
    merged->own = now->own;
    *out = merged;
    return TR_OK;
}

/*
 * cap/setting.h - a setting of the app's own: one field, declared in app.lua,
 * whose value comes from TRAILS_APP_<NAME>, else from [app] of trails.toml,
 * else is its default.
 */
#ifndef TR_CAP_SETTING_H
#define TR_CAP_SETTING_H

#include "config/config.h"
#include "fields/field.h"

struct tr_cap_builder;
struct tr_cap_snapshot;

struct tr_cap_setting {
    const struct tr_field *field;
    const struct tr_json *value; /* NULL: it is optional, and not there */
    enum tr_config_origin origin;
    tr_str variable; /* TRAILS_APP_MAX_OPEN */
};

/*
 * Declares a setting and finds its value; `draft` has the one field, `own` may
 * be NULL. TR_E_VALIDATION says what is wrong with the value, with its place in
 * the text of `own` or the variable's name; TR_E_INVALID and TR_E_CONFLICT what
 * is wrong with the declaration. *out lives as long as the snapshot.
 */
TR_NODISCARD tr_status tr_cap_registry_add_setting(
    struct tr_cap_builder *builder, const struct tr_shape *draft,
    const struct tr_config_own *own, const struct tr_cap_setting **out,
    struct tr_err *err);

/* TR_E_VALIDATION for what [app] has and nothing declares. */
TR_NODISCARD tr_status tr_cap_registry_check_settings(
    const struct tr_cap_builder *builder, const struct tr_config_own *own,
    struct tr_err *err);

/* In the order in which they were declared. */
size_t tr_cap_snapshot_setting_count(const struct tr_cap_snapshot *snapshot);
const struct tr_cap_setting *
tr_cap_snapshot_setting(const struct tr_cap_snapshot *snapshot, size_t i);

#endif

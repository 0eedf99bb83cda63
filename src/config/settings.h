/*
 * config/settings.h - the tables behind trails.toml, the environment and
 * `trails config`, one for each section.
 */
#ifndef TR_CONFIG_SETTINGS_H
#define TR_CONFIG_SETTINGS_H

#include "base/err.h"

enum tr_config_setting_type {
    TR_CONFIG_SETTING_TEXT,    /* tr_str */
    TR_CONFIG_SETTING_INTEGER, /* int64_t */
    TR_CONFIG_SETTING_CHOICE,  /* int64_t, an index into `choices` */
    TR_CONFIG_SETTING_BOOLEAN, /* int64_t, 0 or 1 */
    TR_CONFIG_SETTING_LIST,    /* struct tr_config_list; empty by default */
    TR_CONFIG_SETTING_ICONS,   /* const struct tr_json *; none by default */
};

/* Returns NULL, or why the text will not do. */
typedef const char *tr_config_setting_check_fn(tr_str value);

struct tr_config_setting {
    const char *key;
    const char *alias; /* its key in older files, or NULL */
    enum tr_config_setting_type type;
    bool is_live;               /* it may change while the app is served */
    size_t offset;              /* into struct tr_config */
    const char *fallback;       /* the default, as text */
    const char *variable;       /* of the environment, or NULL */
    const char *const *choices; /* ends with NULL */
    int64_t min;
    int64_t max;
    tr_config_setting_check_fn *check; /* of each text, or NULL */
    const char *help;
};

/* Of the name of a project, which also comes from a folder or a command line.
 */
tr_config_setting_check_fn tr_config_check_project;

/* All settings, section by section. */
size_t tr_config_setting_count(void);
const struct tr_config_setting *tr_config_setting_at(size_t i);

/* Where it stands among them. */
enum { TR_CONFIG_PROJECT_NAME };

const char *tr_config_setting_section(const struct tr_config_setting *setting);

/* Writes what a value may be, for messages and help: "1 to 64", "a or b". */
void tr_config_setting_describe(const struct tr_config_setting *setting,
                                char *out, size_t size);

#endif

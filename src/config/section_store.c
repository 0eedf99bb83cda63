#include "config/config.h"
#include "config/section.h"

static const char *check_path(tr_str value)
{
    return value.len ? NULL : "must not be empty";
}

static const struct tr_config_setting settings[] = {
    {
        .key = "path",
        .type = TR_CONFIG_SETTING_TEXT,
        .offset = offsetof(struct tr_config, store.path),
        .fallback = "data",
        .variable = "TRAILS_STORE",
        .check = check_path,
        .help = "The folder of the embedded store, or :memory:.",
    },
};

const struct tr_config_section tr_config_section_store = {"store", settings,
                                                          TR_LEN(settings)};

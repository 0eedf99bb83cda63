#include "config/config.h"
#include "config/section.h"

static const struct tr_config_setting settings[] = {
    {
        .key = "enabled",
        .type = TR_CONFIG_SETTING_BOOLEAN,
        .offset = offsetof(struct tr_config, manifest.enabled),
        .fallback = "true",
        .help = "Tells the whole of each capability: its cost, side effects, "
                "policies.",
    },
};

const struct tr_config_section tr_config_section_manifest = {
    "capability.manifest", settings, TR_LEN(settings)};

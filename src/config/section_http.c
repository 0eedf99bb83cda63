#include "config/config.h"
#include "config/section.h"

static const struct tr_config_setting settings[] = {
    {
        .key = "enabled",
        .type = TR_CONFIG_SETTING_BOOLEAN,
        .offset = offsetof(struct tr_config, http.enabled),
        .fallback = "true",
        .help = "Capabilities and the graph over plain HTTP, beside MCP.",
    },
};

const struct tr_config_section tr_config_section_http = {"http", settings,
                                                         TR_LEN(settings)};

#include "base/limits.h"
#include "config/config.h"
#include "config/section.h"

static const struct tr_config_setting settings[] = {
    {
        .key = "instructions",
        .type = TR_CONFIG_SETTING_INTEGER,
        .offset = offsetof(struct tr_config, lua.instructions),
        .fallback = TR_CONFIG_TEXT(TR_LIMIT_LUA_INSTRUCTIONS),
        .min = 10000,
        .max = 1000000000000,
        .is_live = true,
        .help = "Instructions of one call.",
    },
    {
        .key = "call_seconds",
        .type = TR_CONFIG_SETTING_INTEGER,
        .offset = offsetof(struct tr_config, lua.call_seconds),
        .fallback = TR_CONFIG_TEXT(TR_LIMIT_LUA_RUN_S),
        .min = 1,
        .max = 86400,
        .is_live = true,
        .help = "Seconds that one call may run, without those it waits.",
    },
    {
        .key = "call_bytes",
        .type = TR_CONFIG_SETTING_INTEGER,
        .offset = offsetof(struct tr_config, lua.call_bytes),
        .fallback = TR_CONFIG_TEXT(TR_LIMIT_LUA_CALL_BYTES),
        .min = 65536,
        .max = 17179869184,
        .is_live = true,
        .help = "Memory of one call.",
    },
};

const struct tr_config_section tr_config_section_lua = {"lua", settings,
                                                        TR_LEN(settings)};

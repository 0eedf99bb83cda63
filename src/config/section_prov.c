#include "base/limits.h"
#include "config/config.h"
#include "config/section.h"

static const struct tr_config_setting settings[] = {
    {
        .key = "read_days",
        .type = TR_CONFIG_SETTING_INTEGER,
        .offset = offsetof(struct tr_config, prov.read_days),
        .fallback = TR_CONFIG_TEXT(TR_LIMIT_PROV_READ_DAYS),
        .min = 1,
        .max = 36500,
        .help = "Days for which it is kept who read what; who wrote what is "
                "kept for ever.",
    },
    {
        .key = "read_rows",
        .type = TR_CONFIG_SETTING_INTEGER,
        .offset = offsetof(struct tr_config, prov.read_rows),
        .fallback = TR_CONFIG_TEXT(TR_LIMIT_PROV_READ_ROWS),
        .min = 1,
        .max = 1000000000,
        .help = "Reads that are kept; the oldest go first.",
    },
};

const struct tr_config_section tr_config_section_prov = {"prov", settings,
                                                         TR_LEN(settings)};

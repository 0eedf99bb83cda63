#include "base/limits.h"
#include "config/config.h"
#include "config/section.h"

static const struct tr_config_setting settings[] = {
    {
        .key = "retries",
        .type = TR_CONFIG_SETTING_INTEGER,
        .offset = offsetof(struct tr_config, runtime.retries),
        .fallback = TR_CONFIG_TEXT(TR_LIMIT_RETRIES),
        .min = 0,
        .max = 100,
        .is_live = true,
        .help = "How often a call is run again when others have changed what "
                "it had read; 0 is never.",
    },
};

const struct tr_config_section tr_config_section_runtime = {"runtime", settings,
                                                            TR_LEN(settings)};

#include "base/log.h"
#include "config/config.h"
#include "config/section.h"

static const struct tr_config_setting settings[] = {
    {
        .key = "level",
        .type = TR_CONFIG_SETTING_CHOICE,
        .offset = offsetof(struct tr_config, log.level),
        .fallback = "info",
        .choices = tr_log_level_names,
        .is_live = true,
        .help = "The least severe lines that are logged.",
    },
    {
        .key = "format",
        .type = TR_CONFIG_SETTING_CHOICE,
        .offset = offsetof(struct tr_config, log.form),
        .fallback = "auto",
        .choices = tr_log_form_names,
        .variable = "TRAILS_LOG_FORMAT",
        .is_live = true,
        .help = "Lines as JSON or as text; by itself, text on a terminal and "
                "JSON elsewhere.",
    },
    {
        .key = "access",
        .type = TR_CONFIG_SETTING_BOOLEAN,
        .offset = offsetof(struct tr_config, log.access),
        .fallback = "true",
        .variable = "TRAILS_ACCESS_LOG",
        .help = "Over HTTP, one line per request, at level info; never what "
                "was in it.",
    },
};

const struct tr_config_section tr_config_section_log = {"log", settings,
                                                        TR_LEN(settings)};

#include "base/limits.h"
#include "config/config.h"
#include "config/section.h"
#include "fetch/fetch.h"

static const struct tr_config_setting settings[] = {
    {
        .key = "allow",
        .type = TR_CONFIG_SETTING_LIST,
        .offset = offsetof(struct tr_config, fetch.allow),
        .fallback = "",
        .check = tr_fetch_check_allow,
        .is_live = true,
        .help = "Origins that handlers may fetch from though they are inside: "
                "at private addresses, over http, or behind a proxy of the "
                "environment.",
    },
    {
        .key = "ca_file",
        .type = TR_CONFIG_SETTING_TEXT,
        .offset = offsetof(struct tr_config, fetch.ca_file),
        .fallback = "",
        .help = "Certificates of those who are trusted, instead of the "
                "system's; PEM.",
    },
    {
        .key = "timeout_s",
        .type = TR_CONFIG_SETTING_INTEGER,
        .offset = offsetof(struct tr_config, fetch.timeout_s),
        .fallback = TR_CONFIG_TEXT(TR_LIMIT_FETCH_SECONDS_MOST),
        .min = 1,
        .max = 3600,
        .is_live = true,
        .help = "Seconds that a fetch may ask for.",
    },
    {
        .key = "max_bytes",
        .type = TR_CONFIG_SETTING_INTEGER,
        .offset = offsetof(struct tr_config, fetch.max_bytes),
        .fallback = TR_CONFIG_TEXT(TR_LIMIT_FETCH_BODY_MOST),
        .min = 1024,
        .max = 33554432,
        .is_live = true,
        .help = "Bytes of a body that a fetch may ask for.",
    },
};

const struct tr_config_section tr_config_section_fetch = {"fetch", settings,
                                                          TR_LEN(settings)};

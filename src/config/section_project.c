#include "base/ascii.h"
#include "base/limits.h"
#include "base/reserved.h"
#include "config/config.h"
#include "config/section.h"

static const char *const env_names[] = {"development", "test", "production",
                                        NULL};

/* The name is part of every IRI that the project makes: trails://<name>/... */
const char *tr_config_check_project(tr_str value)
{
    if (value.len == 0 || value.len > 63)
        return "must have 1 to 63 characters";
    for (size_t i = 0; i < value.len; i++) {
        char c = value.ptr[i];
        bool fits =
            tr_ascii_is_lower(c) || tr_ascii_is_digit(c) || (i > 0 && c == '-');
        if (!fits)
            return "may only have lower-case letters, digits and, not first, "
                   "hyphens";
    }
    return tr_reserved_name(value)
               ? "must not be a name that every server has for a path or a "
                 "resource of its own"
               : NULL;
}

static const char *check_website(tr_str value)
{
    return value.len ? tr_config_check_url(value) : NULL;
}

static const char *check_text(tr_str value)
{
    return value.len <= TR_LIMIT_DESCRIPTION_BYTES
               ? NULL
               : "must have at most 16384 bytes";
}

static const struct tr_config_setting settings[] = {
    {
        .key = "name",
        .type = TR_CONFIG_SETTING_TEXT,
        .offset = offsetof(struct tr_config, project.name),
        .fallback = "local",
        .check = tr_config_check_project,
        .help = "Names the project in the IRIs it makes; without it, the name "
                "that the store has, else the folder's.",
    },
    {
        .key = "env",
        .type = TR_CONFIG_SETTING_CHOICE,
        .offset = offsetof(struct tr_config, project.env),
        .fallback = "development",
        .variable = "TRAILS_ENV",
        .choices = env_names,
        .help = "Where it runs; production hides what is for development.",
    },
    {
        .key = "title",
        .type = TR_CONFIG_SETTING_TEXT,
        .offset = offsetof(struct tr_config, project.title),
        .fallback = "",
        .check = check_text,
        .help = "What hosts call the server where people read it.",
    },
    {
        .key = "description",
        .type = TR_CONFIG_SETTING_TEXT,
        .offset = offsetof(struct tr_config, project.description),
        .fallback = "",
        .check = check_text,
        .help = "What it is for, in a sentence, for people.",
    },
    {
        .key = "website",
        .type = TR_CONFIG_SETTING_TEXT,
        .offset = offsetof(struct tr_config, project.website),
        .fallback = "",
        .check = check_website,
        .help = "Where people read more about it.",
    },
    {
        .key = "icons",
        .type = TR_CONFIG_SETTING_ICONS,
        .offset = offsetof(struct tr_config, project.icons),
        .fallback = "",
        .help = "What hosts show beside its name: tables with src (https: or "
                "data:), and perhaps mimeType, sizes, theme.",
    },
};

const struct tr_config_section tr_config_section_project = {"project", settings,
                                                            TR_LEN(settings)};

#include "config/config.h"
#include "config/section.h"

static const char *check_budget(tr_str value)
{
    struct tr_config_budget_rule rule;
    return tr_config_budget_rule_parse(value, &rule);
}

static const struct tr_config_setting settings[] = {
    {
        .key = "capability",
        .type = TR_CONFIG_SETTING_LIST,
        .offset = offsetof(struct tr_config, budget.capability),
        .fallback = "",
        .check = check_budget,
        .is_live = true,
        .help = "What all callers together may use of a capability, such as "
                "\"summarise 100 calls/hour\".",
    },
    {
        .key = "principal_capability",
        .type = TR_CONFIG_SETTING_LIST,
        .offset = offsetof(struct tr_config, budget.principal_capability),
        .fallback = "",
        .check = check_budget,
        .is_live = true,
        .help = "What each caller may use of a capability.",
    },
    {
        .key = "principal",
        .type = TR_CONFIG_SETTING_LIST,
        .offset = offsetof(struct tr_config, budget.principal),
        .fallback = "",
        .check = check_budget,
        .is_live = true,
        .help = "What a caller may use of all together, such as "
                "\"* 2.50 usd/day\".",
    },
};

const struct tr_config_section tr_config_section_budget = {"budget", settings,
                                                           TR_LEN(settings)};

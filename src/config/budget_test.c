#include "base/test.h"
#include "config/config.h"

static const struct {
    const char *text;
    const char *name;
    enum tr_config_budget_unit unit;
    enum tr_config_budget_window window;
    int64_t limit;
} good[] = {
    {"summarise 100 calls/hour", "summarise", TR_CONFIG_BUDGET_CALLS,
     TR_CONFIG_BUDGET_HOUR, 100},
    {"* 0 calls/day", "*", TR_CONFIG_BUDGET_CALLS, TR_CONFIG_BUDGET_DAY, 0},
    {"token:ci 20000 tokens/day", "token:ci", TR_CONFIG_BUDGET_TOKENS,
     TR_CONFIG_BUDGET_DAY, 20000},
    {"two words 1 tokens/hour", "two words", TR_CONFIG_BUDGET_TOKENS,
     TR_CONFIG_BUDGET_HOUR, 1},
    {"a 2.5 usd/day", "a", TR_CONFIG_BUDGET_USD, TR_CONFIG_BUDGET_DAY, 2500000},
    {"a 0.000001 usd/hour", "a", TR_CONFIG_BUDGET_USD, TR_CONFIG_BUDGET_HOUR,
     1},
    {"a 7 usd/hour", "a", TR_CONFIG_BUDGET_USD, TR_CONFIG_BUDGET_HOUR, 7000000},
    {"a 1000000000 usd/hour", "a", TR_CONFIG_BUDGET_USD, TR_CONFIG_BUDGET_HOUR,
     INT64_C(1000000000000000)},
    {"a 007 calls/hour", "a", TR_CONFIG_BUDGET_CALLS, TR_CONFIG_BUDGET_HOUR, 7},
};

static const char *const bad[] = {
    "",
    "a",
    "100 calls/hour",
    " 100 calls/hour",
    "a 100 calls",
    "a 100 calls/",
    "a 100 calls/week",
    "a 100 call/hour",
    "a 100 calls/hour ",
    "a -1 calls/hour",
    "a +1 calls/hour",
    "a 1e3 calls/hour",
    "a 1.5 calls/hour",
    "a 1.5 tokens/hour",
    "a 1. usd/hour",
    "a .5 usd/hour",
    "a 0.0000001 usd/hour",
    "a 1.5.5 usd/hour",
    "a x usd/hour",
    "a  calls/hour",
    "a 1000000001 usd/hour",
    "a 1000000000000001 calls/hour",
    "a 99999999999999999999 calls/hour",
    "a 100 calls/hour/day",
};

TEST(budget_rule_is_a_name_and_what_it_may_use)
{
    for (size_t i = 0; i < TR_LEN(good); i++) {
        struct tr_config_budget_rule rule;
        const char *why =
            tr_config_budget_rule_parse(tr_str_from(good[i].text), &rule);
        CHECK_ROW(why == NULL, good[i].text);
        CHECK_STR(rule.name, good[i].name);
        CHECK_ROW(rule.unit == good[i].unit, good[i].text);
        CHECK_ROW(rule.window == good[i].window, good[i].text);
        CHECK_INT(rule.limit, good[i].limit);
    }
}

TEST(budget_rule_that_is_none_says_why)
{
    for (size_t i = 0; i < TR_LEN(bad); i++) {
        struct tr_config_budget_rule rule;
        CHECK_ROW(tr_config_budget_rule_parse(tr_str_from(bad[i]), &rule) !=
                      NULL,
                  bad[i]);
    }
}

/*
 * config/budget.h - one line of [budget]: who or what may use how much.
 *
 *     "summarise 100 calls/hour"    "* 2.50 usd/day"    "token:ci 0 calls/day"
 *
 * A name and what it may use; "*" stands for each by itself.
 */
#ifndef TR_CONFIG_BUDGET_H
#define TR_CONFIG_BUDGET_H

#include "base/str.h"

enum tr_budget_unit {
    TR_BUDGET_CALLS,
    TR_BUDGET_TOKENS,
    TR_BUDGET_USD, /* counted in millionths */
};
#define TR_BUDGET_UNITS 3

/* Fixed, from the beginning of an hour or a day of UTC on. */
enum tr_budget_window { TR_BUDGET_HOUR, TR_BUDGET_DAY };
#define TR_BUDGET_WINDOWS 2

struct tr_budget_rule {
    tr_str name; /* "*" for each */
    enum tr_budget_unit unit;
    enum tr_budget_window window;
    int64_t limit;
};

/* Says why the text is none, or returns NULL. */
const char *tr_budget_rule_parse(tr_str text, struct tr_budget_rule *out);

/* "calls", "hour" */
const char *tr_budget_unit_name(enum tr_budget_unit unit);
const char *tr_budget_window_name(enum tr_budget_window window);

#endif

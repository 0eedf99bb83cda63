/*
 * access/budget.h - what may be spent.
 */
#ifndef TR_ACCESS_BUDGET_H
#define TR_ACCESS_BUDGET_H

#include <stdint.h>

/* In one hour and in one day of UTC; 0: no limit. */
struct tr_budget_limits {
    uint64_t calls_hour;
    uint64_t calls_day;
    uint64_t tokens_hour;
    uint64_t tokens_day;
    double usd_hour;
    double usd_day;
};

#endif

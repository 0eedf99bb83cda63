/*
 * access/bill.h - what a call uses, and which budgets that is charged to.
 *
 * Budgets are counted in the store, so that they hold for all processes and
 * survive a restart. What a call will use is reserved before it runs, checked
 * and added in one transaction; what it did use is settled when it has ended.
 */
#ifndef TR_ACCESS_BILL_H
#define TR_ACCESS_BILL_H

#include "access/budget.h"
#include "base/arena.h"
#include "base/err.h"
#include "config/budget.h"

struct tr_budgets;
struct tr_config;
struct tr_db;

/* Whose budget; stored as numbers: new ones are added at the end. */
enum tr_budget_level {
    TR_LEVEL_CAPABILITY,           /* of all callers together */
    TR_LEVEL_PRINCIPAL_CAPABILITY, /* of each caller, for one capability */
    TR_LEVEL_PRINCIPAL,            /* of each caller, for all of them */
    TR_LEVEL_TOKEN,                /* of a stored token, as the last */
};
#define TR_BUDGET_LEVELS 4

/* "capability", "principal_capability", ... */
const char *tr_budget_level_name(enum tr_budget_level level);

/* By unit: calls, tokens, and millionths of a dollar. */
typedef struct tr_usage {
    int64_t of[TR_BUDGET_UNITS];
} tr_usage;

/* A dollar has a million of them; what is out of bounds is cut. */
int64_t tr_usage_of_usd(double usd);

/* The lines of [budget]; *out is NULL when there are none. In `arena`. */
TR_NODISCARD tr_status tr_budgets_read(struct tr_arena *arena,
                                       const struct tr_config *config,
                                       const struct tr_budgets **out,
                                       struct tr_err *err);

/* One account for one window of time. */
struct tr_bill_line {
    bool is_used;
    int64_t limits[TR_BUDGET_UNITS]; /* -1: none */
    int64_t start_s;                 /* of the window */
    tr_usage spent;                  /* this call included, when it was added */
};

struct tr_bill {
    tr_str capability;
    tr_str principal;
    tr_str token_id;
    struct tr_bill_line lines[TR_BUDGET_LEVELS][TR_BUDGET_WINDOWS];
    int64_t now_s;
    tr_usage reserved;

    /* After TR_E_BUDGET: which one is used up. */
    enum tr_budget_level level;
    enum tr_budget_window window;
    enum tr_budget_unit unit;
};

/* Who calls what; `limits` are those of the token, or NULL. */
struct tr_bill_for {
    tr_str principal;
    tr_str capability;
    tr_str token_id;
    const struct tr_budget_limits *limits;
};

/*
 * *out is NULL when no budget concerns it: then it costs nothing. `budgets` may
 * be NULL. Texts are borrowed.
 */
TR_NODISCARD tr_status tr_bill_make(struct tr_arena *arena,
                                    const struct tr_budgets *budgets,
                                    const struct tr_bill_for *what,
                                    struct tr_bill **out, struct tr_err *err);

/* Adds `reserved` at `now_s`, or TR_E_BUDGET. In a part of a transaction that
 * is undone when it fails. */
TR_NODISCARD tr_status tr_bill_reserve(struct tr_bill *bill, struct tr_db *db,
                                       struct tr_err *err);

/* It was `actual` instead. */
TR_NODISCARD tr_status tr_bill_settle(struct tr_bill *bill, tr_usage actual,
                                      struct tr_db *db, struct tr_err *err);

/* Seconds from `now_s` until the window that is used up ends. */
int64_t tr_bill_retry_after(const struct tr_bill *bill);

#endif

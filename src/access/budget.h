/*
 * access/budget.h - what a call uses, and the accounts that are charged with
 * it.
 *
 * Budgets are counted in the store, so that they hold for all processes and
 * survive a restart. What a call will use is held before it runs, checked
 * and added in one transaction; when it has ended, the hold is corrected to
 * what it did use.
 */
#ifndef TR_ACCESS_BUDGET_H
#define TR_ACCESS_BUDGET_H

#include "base/arena.h"
#include "base/err.h"
#include "config/config.h"

struct tr_access_budgets;
struct tr_config;
struct tr_db;

/* What may be used in one hour, and in one day, of UTC; 0: no limit. */
struct tr_access_budget_limits {
    uint64_t calls_hour;
    uint64_t calls_day;
    uint64_t tokens_hour;
    uint64_t tokens_day;
    double usd_hour;
    double usd_day;
};

/* Whose budget it is. The store has these numbers: add new ones at the end. */
enum tr_access_budget_level {
    TR_ACCESS_BUDGET_CAPABILITY, /* of all callers together */
    /* Of each caller, for one capability. */
    TR_ACCESS_BUDGET_PRINCIPAL_CAPABILITY,
    TR_ACCESS_BUDGET_PRINCIPAL, /* of each caller, for all of them */
    TR_ACCESS_BUDGET_TOKEN,     /* of a stored token, for all of them */
};
#define TR_ACCESS_BUDGET_LEVELS 4

/* A set of units (enum tr_config_budget_unit). */
#define TR_ACCESS_UNIT(unit) (1U << (unit))
#define TR_ACCESS_CALLS      TR_ACCESS_UNIT(TR_CONFIG_BUDGET_CALLS)
#define TR_ACCESS_SPENT                                                        \
    (TR_ACCESS_UNIT(TR_CONFIG_BUDGET_TOKENS) |                                 \
     TR_ACCESS_UNIT(TR_CONFIG_BUDGET_USD))

/* "capability", "principal_capability", ... */
const char *tr_access_budget_level_name(enum tr_access_budget_level level);

/* What was used, by unit: calls, tokens, and millionths of a dollar. */
typedef struct tr_access_usage {
    int64_t of[TR_CONFIG_BUDGET_UNITS];
} tr_access_usage;

/* Millionths of a dollar; what is out of bounds is cut. */
int64_t tr_access_usage_of_usd(double usd);

/* Reads [budget] into the arena; *out is NULL when it has no lines. */
TR_NODISCARD tr_status tr_access_budgets_read(
    struct tr_arena *arena, const struct tr_config *config,
    const struct tr_access_budgets **out, struct tr_err *err);

/* One account for one window of time. */
struct tr_access_budget_account {
    bool is_charged;
    int64_t limits[TR_CONFIG_BUDGET_UNITS]; /* -1: none */
    int64_t start_s;                        /* of the window */
    tr_access_usage used; /* including what is held for this call */
};

/* All accounts that one call is charged to. */
struct tr_access_budget_accounts {
    tr_str capability;
    tr_str principal;
    tr_str token_id;
    unsigned left_out[TR_ACCESS_BUDGET_LEVELS]; /* units that do not count */
    struct tr_access_budget_account of[TR_ACCESS_BUDGET_LEVELS]
                                      [TR_CONFIG_BUDGET_WINDOWS];
    int64_t now_s;
    tr_access_usage held;

    /* After TR_E_BUDGET: which budget is used up. */
    enum tr_access_budget_level level;
    enum tr_config_budget_window window;
    enum tr_config_budget_unit unit;
};

/*
 * Who calls what; `limits` are those of the token, or NULL. Two sets of units
 * say what does not count: for accounts of the capability, and for those of the
 * caller for all of them.
 */
struct tr_access_budget_for {
    tr_str principal;
    tr_str capability;
    tr_str token_id;
    const struct tr_access_budget_limits *limits;
    unsigned left_out_of_capability;
    unsigned left_out_of_caller;
};

/*
 * The accounts of a call; *out is NULL when no budget concerns it. `budgets`
 * may be NULL. Texts are borrowed.
 */
TR_NODISCARD tr_status tr_access_budget_find(
    struct tr_arena *arena, const struct tr_access_budgets *budgets,
    const struct tr_access_budget_for *what,
    struct tr_access_budget_accounts **out, struct tr_err *err);

/*
 * Adds `held` to all accounts at `now_s`, or fails with TR_E_BUDGET. To be
 * called in a part of a transaction that is undone when it fails.
 */
TR_NODISCARD tr_status
tr_access_budget_hold(struct tr_access_budget_accounts *accounts,
                      struct tr_db *db, struct tr_err *err);

/*
 * Whether nobody has come with this name before. It is kept as an account, and
 * goes as those do that nobody has used for two days. In a transaction.
 */
TR_NODISCARD tr_status tr_access_budget_claim(tr_str name, int64_t now_s,
                                              struct tr_db *db, bool *is_first,
                                              struct tr_err *err);

/* Corrects the accounts: the call used `actual` instead of what was held. */
TR_NODISCARD tr_status tr_access_budget_correct(
    struct tr_access_budget_accounts *accounts, tr_access_usage actual,
    struct tr_db *db, struct tr_err *err);

/* Seconds from `now_s` until the window that is used up ends. */
int64_t
tr_access_budget_retry_after(const struct tr_access_budget_accounts *accounts);

#endif

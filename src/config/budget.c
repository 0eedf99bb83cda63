#include "config/config.h"

/* The largest amount: thousands of them can be added without overflow. */
#define MOST INT64_C(1000000000000000)

#define MICRO 1000000

static const char *const units[] = {
    [TR_CONFIG_BUDGET_CALLS] = "calls",
    [TR_CONFIG_BUDGET_TOKENS] = "tokens",
    [TR_CONFIG_BUDGET_USD] = "usd",
};
static const char *const windows[] = {
    [TR_CONFIG_BUDGET_HOUR] = "hour",
    [TR_CONFIG_BUDGET_DAY] = "day",
};

const char *tr_config_budget_unit_name(enum tr_config_budget_unit unit)
{
    return units[unit];
}

const char *tr_config_budget_window_name(enum tr_config_budget_window window)
{
    return windows[window];
}

/* Cuts the last word off; false when there is but one. */
static bool cut_last(tr_str *text, tr_str *word)
{
    size_t at = text->len;
    while (at > 0 && text->ptr[at - 1] != ' ')
        at--;
    if (at < 2)
        return false;
    *word = tr_str_skip(*text, at);
    text->len = at - 1;
    return word->len > 0;
}

static bool find(const char *const *names, size_t count, tr_str name,
                 size_t *out)
{
    for (size_t i = 0; i < count; i++) {
        if (tr_str_eq(name, tr_str_from(names[i]))) {
            *out = i;
            return true;
        }
    }
    return false;
}

static bool is_digits(tr_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] < '0' || text.ptr[i] > '9')
            return false;
    }
    return text.len > 0;
}

/* Reads digits, and for money up to six of them behind a point. */
static bool parse_amount(tr_str text, bool is_money, int64_t *out)
{
    tr_str whole = text;
    tr_str part = TR_STR("0");
    int64_t number;
    int64_t rest;
    bool has_point = tr_str_cut(text, '.', &whole, &part);
    if (!is_digits(whole) || !is_digits(part) || part.len > 6 ||
        (has_point && !is_money) || !tr_str_to_i64(whole, &number) ||
        !tr_str_to_i64(part, &rest) ||
        number > (is_money ? MOST / MICRO : MOST))
        return false;
    for (size_t i = part.len; i < 6; i++)
        rest *= 10;
    *out = is_money ? number * MICRO + rest : number;
    return true;
}

const char *tr_config_budget_rule_parse(tr_str text,
                                        struct tr_config_budget_rule *out)
{
    tr_str per;
    tr_str amount;
    tr_str unit;
    tr_str window;
    size_t which;
    if (!cut_last(&text, &per) || !cut_last(&text, &amount) ||
        !tr_str_cut(per, '/', &unit, &window))
        return "must be such as \"summarise 100 calls/hour\"";
    if (!find(units, TR_LEN(units), unit, &which))
        return "must count calls, tokens or usd";
    out->unit = (enum tr_config_budget_unit)which;
    if (!find(windows, TR_LEN(windows), window, &which))
        return "must be per hour or per day";
    out->window = (enum tr_config_budget_window)which;
    if (!parse_amount(amount, out->unit == TR_CONFIG_BUDGET_USD, &out->limit))
        return "must have an amount: digits, and for usd at most six behind a "
               "point";
    out->name = text;
    return NULL;
}

#include "base/time.h"
#include "rdf/xsd_time.h"

enum { DAY_SECONDS = 86400, FIELD_DIGITS_MAX = 10 };

struct field {
    char letter;
    bool is_time; /* stands after the T */
    bool in_months;
    int64_t unit;
};

static const struct field fields[] = {
    {'Y', false, true, 12},           {'M', false, true, 1},
    {'D', false, false, DAY_SECONDS}, {'H', true, false, 3600},
    {'M', true, false, 60},           {'S', true, false, 1},
};

/* The field with this letter, from `*next` on: they stand in order. */
static const struct field *find_field(size_t *next, char letter, bool is_time)
{
    while (*next < TR_LEN(fields)) {
        const struct field *field = &fields[(*next)++];
        if (field->letter == letter && field->is_time == is_time)
            return field;
    }
    return NULL;
}

static void add_field(tr_rdf_xsd_duration *duration, const struct field *field,
                      tr_str digits)
{
    int64_t value = 0;
    while (digits.len && digits.ptr[0] == '0')
        digits = tr_str_skip(digits, 1);
    if (digits.len > FIELD_DIGITS_MAX)
        duration->is_huge = true;
    for (size_t i = 0; i < digits.len && i < FIELD_DIGITS_MAX; i++)
        value = value * 10 + (digits.ptr[i] - '0');
    *(field->in_months ? &duration->months : &duration->seconds) +=
        value * field->unit;
}

static bool is_allowed(enum tr_rdf_xsd_type type, const struct field *field)
{
    if (type == TR_RDF_XSD_DAY_TIME_DURATION)
        return !field->in_months;
    return type != TR_RDF_XSD_YEAR_MONTH_DURATION || field->in_months;
}

/* One number with its letter. */
static bool take_field(enum tr_rdf_xsd_type type, tr_str *rest, bool is_time,
                       size_t *next, tr_rdf_xsd_duration *out)
{
    tr_str digits = tr_rdf_xsd_take_digits(rest);
    bool has_point = tr_rdf_xsd_take_char(rest, '.');
    tr_str fraction = {NULL, 0};
    if (has_point)
        fraction = tr_rdf_xsd_take_digits(rest);
    if (digits.len == 0 || (has_point && fraction.len == 0) || rest->len == 0)
        return false;
    char letter = rest->ptr[0];
    const struct field *field = find_field(next, letter, is_time);
    if (!field || !is_allowed(type, field) || (has_point && letter != 'S'))
        return false;
    *rest = tr_str_skip(*rest, 1);
    while (fraction.len && fraction.ptr[fraction.len - 1] == '0')
        fraction.len--;
    if (has_point)
        out->fraction = fraction;
    add_field(out, field, digits);
    return true;
}

bool tr_rdf_xsd_duration_parse(enum tr_rdf_xsd_type type, tr_str text,
                               tr_rdf_xsd_duration *out)
{
    tr_rdf_xsd_duration duration = {.is_negative =
                                        tr_rdf_xsd_take_char(&text, '-')};
    size_t next = 0;
    bool is_time = false;
    if (!tr_rdf_xsd_take_char(&text, 'P') || text.len == 0)
        return false;
    while (text.len) {
        if (!is_time && tr_rdf_xsd_take_char(&text, 'T'))
            is_time = true; /* something must follow */
        if (!take_field(type, &text, is_time, &next, &duration))
            return false;
    }
    if (duration.months == 0 && duration.seconds == 0 &&
        duration.fraction.len == 0)
        duration.is_negative = false;
    *out = duration;
    return true;
}

/* XSD 1.1, 3.3.6.1: where the lengths of months differ most. */
static const struct start {
    int year;
    int month;
} starts[] = {{1696, 9}, {1697, 2}, {1903, 3}, {1903, 7}};

/* A negative duration with a fraction: -1.25 s is -2 s and 0.75 s more. */
static bool is_below(const tr_rdf_xsd_duration *duration)
{
    return duration->is_negative && duration->fraction.len;
}

/* Whole seconds from 1970 to the start with the duration added. */
static int64_t seconds_from(const struct start *start,
                            const tr_rdf_xsd_duration *duration)
{
    int64_t sign = duration->is_negative ? -1 : 1;
    int64_t months =
        start->year * (int64_t)12 + start->month - 1 + sign * duration->months;
    int64_t year = (months >= 0 ? months : months - 11) / 12;
    int month = (int)(months - year * 12) + 1;
    return tr_date_days(year, month, 1) * DAY_SECONDS +
           sign * duration->seconds - is_below(duration);
}

/* Digit `i` of what is more than the whole seconds. */
static int digit_at(const tr_rdf_xsd_duration *duration, size_t i)
{
    size_t last = duration->fraction.len;
    if (i >= last)
        return 0;
    int digit = duration->fraction.ptr[i] - '0';
    if (!is_below(duration))
        return digit;
    return (i + 1 == last ? 10 : 9) - digit;
}

static int cmp_fractions(const tr_rdf_xsd_duration *a,
                         const tr_rdf_xsd_duration *b)
{
    for (size_t i = 0; i < a->fraction.len || i < b->fraction.len; i++) {
        int difference = digit_at(a, i) - digit_at(b, i);
        if (difference)
            return difference;
    }
    return 0;
}

static int cmp_from(const struct start *start, const tr_rdf_xsd_duration *a,
                    const tr_rdf_xsd_duration *b)
{
    int64_t difference = seconds_from(start, a) - seconds_from(start, b);
    if (difference)
        return difference < 0 ? -1 : 1;
    return cmp_fractions(a, b);
}

enum tr_rdf_xsd_order tr_rdf_xsd_duration_cmp(const tr_rdf_xsd_duration *a,
                                              const tr_rdf_xsd_duration *b)
{
    if (a->is_huge || b->is_huge)
        return TR_RDF_XSD_INCOMPARABLE;
    int first = cmp_from(&starts[0], a, b);
    for (size_t i = 1; i < TR_LEN(starts); i++) {
        int order = cmp_from(&starts[i], a, b);
        if ((order > 0) != (first > 0) || (order < 0) != (first < 0))
            return TR_RDF_XSD_INCOMPARABLE;
    }
    if (first == 0)
        return TR_RDF_XSD_EQUAL;
    return first < 0 ? TR_RDF_XSD_LESS : TR_RDF_XSD_GREATER;
}

static void put_part(struct tr_buf *out, int64_t value, char letter)
{
    if (value)
        tr_buf_putf(out, "%lld%c", (long long)value, letter);
}

static void write_clock(struct tr_buf *out, const tr_rdf_xsd_duration *duration)
{
    int64_t rest = duration->seconds % DAY_SECONDS;
    int64_t seconds = rest % 60;
    if (rest == 0 && duration->fraction.len == 0)
        return;
    tr_buf_putc(out, 'T');
    put_part(out, rest / 3600, 'H');
    put_part(out, rest / 60 % 60, 'M');
    if (duration->fraction.len) {
        tr_buf_putf(out, "%lld.", (long long)seconds);
        tr_buf_put(out, duration->fraction);
        tr_buf_putc(out, 'S');
    } else {
        put_part(out, seconds, 'S');
    }
}

void tr_rdf_xsd_duration_write(struct tr_buf *out, enum tr_rdf_xsd_type type,
                               const tr_rdf_xsd_duration *duration)
{
    if (duration->is_negative)
        tr_buf_putc(out, '-');
    tr_buf_putc(out, 'P');
    size_t start = out->len;
    put_part(out, duration->months / 12, 'Y');
    put_part(out, duration->months % 12, 'M');
    put_part(out, duration->seconds / DAY_SECONDS, 'D');
    write_clock(out, duration);
    if (out->len == start)
        tr_buf_put(out, type == TR_RDF_XSD_YEAR_MONTH_DURATION ? TR_STR("0M")
                                                               : TR_STR("T0S"));
}

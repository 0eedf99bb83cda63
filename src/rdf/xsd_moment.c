#include "base/ascii.h"
#include "base/time.h"
#include "rdf/xsd_time.h"

/* Which parts a type has, and what stands before its first one. */
enum { YEAR = 1, MONTH = 2, DAY = 4, CLOCK = 8 };

enum { DAY_SECONDS = 86400, ZONE_MAX_MIN = 14 * 60, YEAR_DIGITS_MAX = 11 };

static unsigned parts_of(enum tr_rdf_xsd_type type)
{
    switch ((int)type) {
    case TR_RDF_XSD_DATE:
        return YEAR | MONTH | DAY;
    case TR_RDF_XSD_TIME:
        return CLOCK;
    case TR_RDF_XSD_G_YEAR:
        return YEAR;
    case TR_RDF_XSD_G_YEAR_MONTH:
        return YEAR | MONTH;
    case TR_RDF_XSD_G_MONTH:
        return MONTH;
    case TR_RDF_XSD_G_MONTH_DAY:
        return MONTH | DAY;
    case TR_RDF_XSD_G_DAY:
        return DAY;
    default:
        return YEAR | MONTH | DAY | CLOCK;
    }
}

/* Two digits between `least` and `most`. */
static bool take_two(tr_str *rest, int least, int most, int *out)
{
    if (rest->len < 2 || !tr_ascii_is_digit(rest->ptr[0]) ||
        !tr_ascii_is_digit(rest->ptr[1]))
        return false;
    int value = (rest->ptr[0] - '0') * 10 + rest->ptr[1] - '0';
    *rest = tr_str_skip(*rest, 2);
    *out = value;
    return value >= least && value <= most;
}

/* Four digits or more, then without a leading zero (XSD 1.1, yearFrag). */
static bool take_year(tr_str *rest, tr_rdf_xsd_moment *out)
{
    bool is_negative = tr_rdf_xsd_take_char(rest, '-');
    size_t len = 0;
    int64_t year = 0;
    while (len < rest->len && tr_ascii_is_digit(rest->ptr[len])) {
        if (len < YEAR_DIGITS_MAX)
            year = year * 10 + (rest->ptr[len] - '0');
        len++;
    }
    if (len < 4 || (len > 4 && rest->ptr[0] == '0'))
        return false;
    *rest = tr_str_skip(*rest, len);
    out->is_huge = len > YEAR_DIGITS_MAX;
    out->year = is_negative ? -year : year;
    return true;
}

static bool take_fraction(tr_str *rest, tr_str *out)
{
    *out = (tr_str){NULL, 0};
    if (!tr_rdf_xsd_take_char(rest, '.'))
        return true;
    *out = tr_rdf_xsd_take_digits(rest);
    if (out->len == 0)
        return false;
    while (out->len && out->ptr[out->len - 1] == '0')
        out->len--;
    return true;
}

static bool take_clock(tr_str *rest, tr_rdf_xsd_moment *out)
{
    if (!take_two(rest, 0, 24, &out->hour) ||
        !tr_rdf_xsd_take_char(rest, ':') ||
        !take_two(rest, 0, 59, &out->minute) ||
        !tr_rdf_xsd_take_char(rest, ':') ||
        !take_two(rest, 0, 59, &out->second) ||
        !take_fraction(rest, &out->fraction))
        return false;
    return out->hour < 24 ||
           (out->minute == 0 && out->second == 0 && out->fraction.len == 0);
}

static bool take_zone(tr_str *rest, tr_rdf_xsd_moment *out)
{
    int hours = 0;
    int minutes = 0;
    if (rest->len == 0)
        return true;
    out->has_zone = true;
    if (tr_rdf_xsd_take_char(rest, 'Z'))
        return true;
    bool is_west = tr_rdf_xsd_take_char(rest, '-');
    if (!is_west && !tr_rdf_xsd_take_char(rest, '+'))
        return false;
    if (!take_two(rest, 0, 14, &hours) || !tr_rdf_xsd_take_char(rest, ':') ||
        !take_two(rest, 0, 59, &minutes))
        return false;
    out->zone_min = (is_west ? -1 : 1) * (hours * 60 + minutes);
    return hours * 60 + minutes <= ZONE_MAX_MIN;
}

/* Parts as their production has them: -07, --07-28, ---28, 2026-07-28. */
static bool take_parts(unsigned parts, tr_str *rest, tr_rdf_xsd_moment *out)
{
    if (parts & YEAR) {
        if (!take_year(rest, out))
            return false;
    } else if (parts & (MONTH | DAY)) {
        if (!tr_rdf_xsd_take_char(rest, '-'))
            return false;
    }
    if ((parts & MONTH) && (!tr_rdf_xsd_take_char(rest, '-') ||
                            !take_two(rest, 1, 12, &out->month)))
        return false;
    if (parts == DAY && !tr_rdf_xsd_take_char(rest, '-'))
        return false;
    if ((parts & DAY) &&
        (!tr_rdf_xsd_take_char(rest, '-') || !take_two(rest, 1, 31, &out->day)))
        return false;
    if ((parts & CLOCK) && (parts & DAY) && !tr_rdf_xsd_take_char(rest, 'T'))
        return false;
    return !(parts & CLOCK) || take_clock(rest, out);
}

bool tr_rdf_xsd_moment_parse(enum tr_rdf_xsd_type type, tr_str text,
                             tr_rdf_xsd_moment *out)
{
    /* A leap year with 31 days in its month, for what the type leaves out. */
    tr_rdf_xsd_moment moment = {.year = 1972, .month = 12, .day = 1};
    unsigned parts = parts_of(type);
    if (!take_parts(parts, &text, &moment) || !take_zone(&text, &moment) ||
        text.len)
        return false;
    if (type == TR_RDF_XSD_DATE_TIME_STAMP && !moment.has_zone)
        return false;
    if ((parts & DAY) &&
        moment.day > tr_date_days_in_month(moment.year, moment.month))
        return false;
    /* Without a day, 24:00:00 is 00:00:00 (XSD 1.1, timeLexicalMap). */
    int hour = parts & DAY ? moment.hour : moment.hour % 24;
    if (!moment.is_huge)
        moment.seconds =
            tr_date_days(moment.year, moment.month, moment.day) * DAY_SECONDS +
            hour * 3600 + moment.minute * 60 + moment.second -
            moment.zone_min * 60;
    *out = moment;
    return true;
}

static enum tr_rdf_xsd_order order_of(int64_t a, tr_str a_fraction, int64_t b,
                                      tr_str b_fraction)
{
    if (a != b)
        return a < b ? TR_RDF_XSD_LESS : TR_RDF_XSD_GREATER;
    int order = tr_str_cmp(a_fraction, b_fraction);
    if (order == 0)
        return TR_RDF_XSD_EQUAL;
    return order < 0 ? TR_RDF_XSD_LESS : TR_RDF_XSD_GREATER;
}

/* `zoned` against `local`, which may be in any zone from -14:00 to +14:00. */
static enum tr_rdf_xsd_order cmp_mixed(const tr_rdf_xsd_moment *zoned,
                                       const tr_rdf_xsd_moment *local)
{
    int64_t most = (int64_t)ZONE_MAX_MIN * 60;
    if (order_of(zoned->seconds, zoned->fraction, local->seconds - most,
                 local->fraction) == TR_RDF_XSD_LESS)
        return TR_RDF_XSD_LESS;
    if (order_of(zoned->seconds, zoned->fraction, local->seconds + most,
                 local->fraction) == TR_RDF_XSD_GREATER)
        return TR_RDF_XSD_GREATER;
    return TR_RDF_XSD_INCOMPARABLE;
}

enum tr_rdf_xsd_order tr_rdf_xsd_moment_cmp(const tr_rdf_xsd_moment *a,
                                            const tr_rdf_xsd_moment *b)
{
    if (a->is_huge || b->is_huge)
        return TR_RDF_XSD_INCOMPARABLE;
    if (a->has_zone == b->has_zone)
        return order_of(a->seconds, a->fraction, b->seconds, b->fraction);
    if (a->has_zone)
        return cmp_mixed(a, b);
    enum tr_rdf_xsd_order order = cmp_mixed(b, a);
    return order == TR_RDF_XSD_INCOMPARABLE ? order
                                            : (enum tr_rdf_xsd_order) - order;
}

/* 24:00:00 is the first moment of the next day. */
static tr_rdf_xsd_moment normalised(const tr_rdf_xsd_moment *moment)
{
    tr_rdf_xsd_moment next = *moment;
    if (next.hour != 24)
        return next;
    next.hour = 0;
    if (++next.day > tr_date_days_in_month(next.year, next.month)) {
        next.day = 1;
        next.month = next.month % 12 + 1;
        next.year += next.month == 1;
    }
    return next;
}

static void write_zone(struct tr_buf *out, const tr_rdf_xsd_moment *moment)
{
    int minutes = moment->zone_min < 0 ? -moment->zone_min : moment->zone_min;
    if (!moment->has_zone)
        return;
    if (minutes == 0)
        tr_buf_putc(out, 'Z');
    else
        tr_buf_putf(out, "%c%02d:%02d", moment->zone_min < 0 ? '-' : '+',
                    minutes / 60, minutes % 60);
}

static void write_date(struct tr_buf *out, unsigned parts,
                       const tr_rdf_xsd_moment *moment)
{
    int64_t year = moment->year < 0 ? -moment->year : moment->year;
    if (parts & YEAR)
        tr_buf_putf(out, "%s%04lld", moment->year < 0 ? "-" : "",
                    (long long)year);
    else if (parts & (MONTH | DAY))
        tr_buf_putc(out, '-');
    if (parts & MONTH)
        tr_buf_putf(out, "-%02d", moment->month);
    if (parts == DAY)
        tr_buf_putc(out, '-');
    if (parts & DAY)
        tr_buf_putf(out, "-%02d", moment->day);
}

void tr_rdf_xsd_moment_write(struct tr_buf *out, enum tr_rdf_xsd_type type,
                             const tr_rdf_xsd_moment *moment)
{
    tr_rdf_xsd_moment norm = normalised(moment);
    unsigned parts = parts_of(type);
    write_date(out, parts, &norm);
    if ((parts & CLOCK) && (parts & DAY))
        tr_buf_putc(out, 'T');
    if (parts & CLOCK) {
        tr_buf_putf(out, "%02d:%02d:%02d", norm.hour, norm.minute, norm.second);
        if (norm.fraction.len) {
            tr_buf_putc(out, '.');
            tr_buf_put(out, norm.fraction);
        }
    }
    write_zone(out, &norm);
}

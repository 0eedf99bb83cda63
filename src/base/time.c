#include "base/time.h"

#define SECONDS_PER_DAY INT64_C(86400)

/* Takes exactly `count` digits from the front of `*text`. */
static bool scan_digits(tr_str *text, size_t count, int *out)
{
    int value = 0;
    if (text->len < count)
        return false;
    for (size_t i = 0; i < count; i++) {
        int digit = text->ptr[i] - '0';
        if (digit < 0 || digit > 9)
            return false;
        value = value * 10 + digit;
    }
    *text = tr_str_skip(*text, count);
    *out = value;
    return true;
}

static bool scan_byte(tr_str *text, char byte)
{
    if (text->len == 0 || text->ptr[0] != byte)
        return false;
    *text = tr_str_skip(*text, 1);
    return true;
}

static bool is_leap_year(int64_t year)
{
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

int tr_date_days_in_month(int64_t year, int month)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    return month == 2 && is_leap_year(year) ? 29 : days[month - 1];
}

bool tr_date_scan(tr_str *text, tr_date *out)
{
    tr_str rest = *text;
    tr_date date;
    if (!scan_digits(&rest, 4, &date.year) || !scan_byte(&rest, '-') ||
        !scan_digits(&rest, 2, &date.month) || !scan_byte(&rest, '-') ||
        !scan_digits(&rest, 2, &date.day))
        return false;
    if (date.month < 1 || date.month > 12 || date.day < 1 ||
        date.day > tr_date_days_in_month(date.year, date.month))
        return false;
    *text = rest;
    *out = date;
    return true;
}

/* Takes one digit or more after the point; the first nine count. */
static bool scan_fraction(tr_str *text, int *out_nanos)
{
    int nanos = 0;
    int scale = 100000000;
    int digit;
    if (!scan_digits(text, 1, &digit))
        return false;
    do {
        nanos += digit * scale;
        scale /= 10;
    } while (scan_digits(text, 1, &digit));
    *out_nanos = nanos;
    return true;
}

bool tr_clock_scan(tr_str *text, tr_clock *out)
{
    tr_str rest = *text;
    tr_clock clock = {0};
    if (!scan_digits(&rest, 2, &clock.hour) || !scan_byte(&rest, ':') ||
        !scan_digits(&rest, 2, &clock.minute) || !scan_byte(&rest, ':') ||
        !scan_digits(&rest, 2, &clock.second))
        return false;
    if (clock.hour > 23 || clock.minute > 59 || clock.second > 60)
        return false;
    if (scan_byte(&rest, '.') && !scan_fraction(&rest, &clock.nanos))
        return false;
    *text = rest;
    *out = clock;
    return true;
}

bool tr_offset_scan(tr_str *text, int *out_min)
{
    tr_str rest = *text;
    int hours = 0;
    int minutes = 0;

    if (!scan_byte(&rest, 'Z') && !scan_byte(&rest, 'z')) {
        bool west = scan_byte(&rest, '-');
        if (!west && !scan_byte(&rest, '+'))
            return false;
        if (!scan_digits(&rest, 2, &hours) || !scan_byte(&rest, ':') ||
            !scan_digits(&rest, 2, &minutes) || hours > 23 || minutes > 59)
            return false;
        if (west) {
            hours = -hours;
            minutes = -minutes;
        }
    }
    *text = rest;
    *out_min = hours * 60 + minutes;
    return true;
}

/*
 * Both ways of the proleptic Gregorian calendar count in years that start on
 * 1 March, so that the leap day is the last day, and in eras of 400 years,
 * which all have 146097 days. 719468 days lie between 0000-03-01 and 1970.
 */
int64_t tr_date_days(int64_t year, int month, int day)
{
    year -= month <= 2;
    int64_t era = (year >= 0 ? year : year - 399) / 400;
    int64_t year_of_era = year - era * 400;
    int64_t months = month > 2 ? month - 3 : month + 9;
    int64_t day_of_year = (153 * months + 2) / 5 + day - 1;
    int64_t day_of_era =
        year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    return era * 146097 + day_of_era - 719468;
}

tr_date tr_date_of_days(int64_t days)
{
    days += 719468;
    int64_t era = (days >= 0 ? days : days - 146096) / 146097;
    int64_t day_of_era = days - era * 146097;
    int64_t year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 -
                           day_of_era / 146096) /
                          365;
    int64_t day_of_year =
        day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    int64_t month = (5 * day_of_year + 2) / 153;
    bool next_year = month >= 10;
    return (tr_date){
        .year = (int)(year_of_era + era * 400 + next_year),
        .month = (int)(next_year ? month - 9 : month + 3),
        .day = (int)(day_of_year - (153 * month + 2) / 5 + 1),
    };
}

/* RFC 3339, section 5.7: :60 stands only where UTC inserts leap seconds. */
static bool is_leap_second(int64_t seconds_after)
{
    if (seconds_after % SECONDS_PER_DAY != 0)
        return false;
    tr_date date = tr_date_of_days(seconds_after / SECONDS_PER_DAY);
    return date.day == 1 && (date.month == 1 || date.month == 7);
}

tr_status tr_time_parse(tr_str text, tr_time *out, struct tr_err *err)
{
    tr_str rest = text;
    tr_date date;
    tr_clock clock;
    int offset_min;

    if (!tr_date_scan(&rest, &date))
        return tr_fail_in(err, TR_E_SYNTAX, text, 0,
                          "expected a date such as 2026-07-28");
    if (!scan_byte(&rest, 'T') && !scan_byte(&rest, 't'))
        return tr_fail_in(err, TR_E_SYNTAX, text, text.len - rest.len,
                          "expected 'T' after the date");
    if (!tr_clock_scan(&rest, &clock))
        return tr_fail_in(err, TR_E_SYNTAX, text, text.len - rest.len,
                          "expected a time such as 12:30:00");
    if (!tr_offset_scan(&rest, &offset_min))
        return tr_fail_in(err, TR_E_SYNTAX, text, text.len - rest.len,
                          "expected 'Z' or an offset such as +02:00");
    if (rest.len)
        return tr_fail_in(err, TR_E_SYNTAX, text, text.len - rest.len,
                          "unexpected text after the time");

    int64_t days = tr_date_days(date.year, date.month, date.day);
    int64_t seconds = days * SECONDS_PER_DAY + clock.hour * 3600 +
                      clock.minute * 60 + clock.second - offset_min * 60;
    if (clock.second == 60 && !is_leap_second(seconds))
        return tr_fail_in(err, TR_E_SYNTAX, text, 0, "no leap second was then");
    *out = (tr_time){seconds, clock.nanos, offset_min};
    return TR_OK;
}

static void put_fraction(struct tr_buf *buf, int nanos)
{
    char digits[9];
    size_t len = sizeof(digits);
    for (size_t i = len; i > 0; i--) {
        digits[i - 1] = (char)('0' + nanos % 10);
        nanos /= 10;
    }
    while (len && digits[len - 1] == '0')
        len--;
    if (len) {
        tr_buf_putc(buf, '.');
        tr_buf_put(buf, (tr_str){digits, len});
    }
}

/* A number below 100 in two digits. */
static void put_two(struct tr_buf *buf, int number)
{
    const char digits[2] = {(char)('0' + number / 10),
                            (char)('0' + number % 10)};
    tr_buf_put(buf, (tr_str){digits, sizeof(digits)});
}

static void put_date(struct tr_buf *buf, tr_date date)
{
    if (date.year >= 0 && date.year <= 9999) {
        put_two(buf, date.year / 100);
        put_two(buf, date.year % 100);
    } else {
        tr_buf_putf(buf, "%04d", date.year);
    }
    tr_buf_putc(buf, '-');
    put_two(buf, date.month);
    tr_buf_putc(buf, '-');
    put_two(buf, date.day);
}

static void put_seconds(struct tr_buf *buf, tr_time time)
{
    int64_t local = time.seconds + (int64_t)time.offset_min * 60;
    int64_t days = local / SECONDS_PER_DAY;
    int64_t second = local % SECONDS_PER_DAY;
    if (second < 0) {
        second += SECONDS_PER_DAY;
        days--;
    }

    put_date(buf, tr_date_of_days(days));
    tr_buf_putc(buf, 'T');
    put_two(buf, (int)(second / 3600));
    tr_buf_putc(buf, ':');
    put_two(buf, (int)(second / 60 % 60));
    tr_buf_putc(buf, ':');
    put_two(buf, (int)(second % 60));
}

static void put_offset(struct tr_buf *buf, int minutes)
{
    if (minutes == 0) {
        tr_buf_putc(buf, 'Z');
        return;
    }
    int offset = minutes < 0 ? -minutes : minutes;
    tr_buf_putc(buf, minutes < 0 ? '-' : '+');
    put_two(buf, offset / 60);
    tr_buf_putc(buf, ':');
    put_two(buf, offset % 60);
}

void tr_time_write(struct tr_buf *buf, tr_time time)
{
    put_seconds(buf, time);
    put_fraction(buf, time.nanos);
    put_offset(buf, time.offset_min);
}

void tr_time_write_millis(struct tr_buf *buf, tr_time time)
{
    int millis = time.nanos / 1000000;
    put_seconds(buf, time);
    tr_buf_putc(buf, '.');
    tr_buf_putc(buf, (char)('0' + millis / 100));
    put_two(buf, millis % 100);
    put_offset(buf, time.offset_min);
}

tr_time tr_time_now(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_REALTIME, &now);
    return (tr_time){.seconds = now.tv_sec, .nanos = (int)now.tv_nsec};
}

uint64_t tr_time_ticks_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

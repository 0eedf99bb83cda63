#include "base/time.h"

#include "base/test.h"

#define DAY INT64_C(86400)

TEST(time_parse_reads_what_rfc_3339_allows)
{
    static const struct {
        const char *text;
        int64_t seconds;
        int nanos;
        int offset_min;
    } rows[] = {
        {"1970-01-01T00:00:00Z", 0, 0, 0},
        {"1970-01-01t00:00:00z", 0, 0, 0},
        {"1969-12-31T23:59:59Z", -1, 0, 0},
        {"1985-04-12T23:20:50.52Z", 482196050, 520000000, 0},
        {"1996-12-19T16:39:57-08:00", 851042397, 0, -480},
        {"1990-12-31T23:59:60Z", 662688000, 0, 0},
        {"1990-12-31T15:59:60-08:00", 662688000, 0, -480},
        {"1937-01-01T12:00:27.87+00:20", -1041337173, 870000000, 20},
        {"2015-06-30T23:59:60.5Z", 1435708800, 500000000, 0},
        {"2000-02-29T00:00:00Z", 951782400, 0, 0},
        {"2024-02-29T00:00:00Z", 1709164800, 0, 0},
        {"0000-01-01T00:00:00Z", -62167219200, 0, 0},
        {"9999-12-31T23:59:59Z", 253402300799, 0, 0},
        {"1970-01-01T00:00:00+23:59", -86340, 0, 1439},
        {"1970-01-01T00:00:00-23:59", 86340, 0, -1439},
        {"1970-01-01T00:00:00-00:00", 0, 0, 0},
        {"1970-01-01T00:00:00.1Z", 0, 100000000, 0},
        {"1970-01-01T00:00:00.000000001Z", 0, 1, 0},
        {"1970-01-01T00:00:00.9999999999999Z", 0, 999999999, 0},
        {"1970-01-01T00:00:00.0Z", 0, 0, 0},
    };
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        tr_time time = {0};
        tr_status status =
            tr_time_parse(tr_str_from(rows[i].text), &time, NULL);
        CHECK_ROW(status == TR_OK, rows[i].text);
        CHECK_ROW(time.seconds == rows[i].seconds, rows[i].text);
        CHECK_ROW(time.nanos == rows[i].nanos, rows[i].text);
        CHECK_ROW(time.offset_min == rows[i].offset_min, rows[i].text);
    }
}

#define NO_DATE   "expected a date such as 2026-07-28"
#define NO_T      "expected 'T' after the date"
#define NO_CLOCK  "expected a time such as 12:30:00"
#define NO_OFFSET "expected 'Z' or an offset such as +02:00"
#define NO_LEAP   "no leap second was then"
#define TRAILING  "unexpected text after the time"

static const struct refused {
    const char *text;
    uint32_t column;
    const char *msg;
} refused[] = {
    {"", 1, NO_DATE},
    {"1970", 1, NO_DATE},
    {"970-01-01T00:00:00Z", 1, NO_DATE},
    {"+1970-01-01T00:00:00Z", 1, NO_DATE},
    {"1970/01/01T00:00:00Z", 1, NO_DATE},
    {"1970-1-01T00:00:00Z", 1, NO_DATE},
    {"1970-01-1T00:00:00Z", 1, NO_DATE},
    {"1970-00-01T00:00:00Z", 1, NO_DATE},
    {"1970-13-01T00:00:00Z", 1, NO_DATE},
    {"1970-01-00T00:00:00Z", 1, NO_DATE},
    {"1970-01-32T00:00:00Z", 1, NO_DATE},
    {"1970-04-31T00:00:00Z", 1, NO_DATE},
    {"1970-06-31T00:00:00Z", 1, NO_DATE},
    {"1970-09-31T00:00:00Z", 1, NO_DATE},
    {"1970-11-31T00:00:00Z", 1, NO_DATE},
    {"1970-02-29T00:00:00Z", 1, NO_DATE},
    {"2024-02-30T00:00:00Z", 1, NO_DATE},
    {"1900-02-29T00:00:00Z", 1, NO_DATE},
    {"2100-02-29T00:00:00Z", 1, NO_DATE},
    {"1970-01-01", 11, NO_T},
    {"1970-01-01 00:00:00Z", 11, NO_T},
    {"1970-01-01_00:00:00Z", 11, NO_T},
    {"1970-01-01T", 12, NO_CLOCK},
    {"1970-01-01T24:00:00Z", 12, NO_CLOCK},
    {"1970-01-01T00:60:00Z", 12, NO_CLOCK},
    {"1970-01-01T00:00:61Z", 12, NO_CLOCK},
    {"1970-01-01T0:00:00Z", 12, NO_CLOCK},
    {"1970-01-01T00:00Z", 12, NO_CLOCK},
    {"1970-01-01T000000Z", 12, NO_CLOCK},
    {"1970-01-01T00:00:00.Z", 12, NO_CLOCK},
    {"1970-01-01T-1:00:00Z", 12, NO_CLOCK},
    {"1970-01-01T00:00:00", 20, NO_OFFSET},
    {"1970-01-01T00:00:00,5Z", 20, NO_OFFSET},
    {"1970-01-01T00:00:00 Z", 20, NO_OFFSET},
    {"1970-01-01T00:00:00+1:00", 20, NO_OFFSET},
    {"1970-01-01T00:00:00+0100", 20, NO_OFFSET},
    {"1970-01-01T00:00:00+01", 20, NO_OFFSET},
    {"1970-01-01T00:00:00+24:00", 20, NO_OFFSET},
    {"1970-01-01T00:00:00+00:60", 20, NO_OFFSET},
    {"1970-01-01T00:00:00ZZ", 21, TRAILING},
    {"1970-01-01T00:00:00+01:000", 26, TRAILING},
    {"1990-12-31T23:58:60Z", 1, NO_LEAP},
    {"1990-12-30T23:59:60Z", 1, NO_LEAP},
    {"1990-11-30T23:59:60Z", 1, NO_LEAP},
    {"1990-12-31T23:59:60+01:00", 1, NO_LEAP},
    {"1960-01-01T12:00:60Z", 1, NO_LEAP},
};

TEST(time_parse_refuses_everything_else_and_says_where)
{
    for (size_t i = 0; i < TR_LEN(refused); i++) {
        const char *text = refused[i].text;
        struct tr_err err = {0};
        tr_time time = {1, 2, 3};
        tr_status status = tr_time_parse(tr_str_from(text), &time, &err);
        CHECK_ROW(status == TR_E_SYNTAX, text);
        CHECK_ROW(err.place.column == refused[i].column, text);
        CHECK_ROW(strcmp(err.msg, refused[i].msg) == 0, text);
        CHECK_ROW(time.seconds == 1, text);
    }
}

TEST(time_parse_reads_past_an_embedded_nul)
{
    tr_time time;
    CHECK_INT(tr_time_parse(TR_STR("1970-01-01T00:00:00Z\0"), &time, NULL),
              TR_E_SYNTAX);
    CHECK_INT(tr_time_parse((tr_str){NULL, 0}, &time, NULL), TR_E_SYNTAX);
}

TEST(time_scans_move_on_only_when_they_succeed)
{
    tr_date date;
    tr_clock clock;
    int offset_min;
    tr_str text = TR_STR("2026-07-28T12:30:00.25+02:00 x");
    CHECK(!tr_clock_scan(&text, &clock));
    CHECK(!tr_offset_scan(&text, &offset_min));
    CHECK(tr_date_scan(&text, &date));
    CHECK_STR(text, "T12:30:00.25+02:00 x");
    CHECK(!tr_date_scan(&text, &date));
    text = tr_str_skip(text, 1);
    CHECK(tr_clock_scan(&text, &clock));
    CHECK_INT(clock.nanos, 250000000);
    CHECK(tr_offset_scan(&text, &offset_min));
    CHECK_INT(offset_min, 120);
    CHECK_STR(text, " x");
}

static bool is_leap_year(int year)
{
    return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

static tr_date day_after(tr_date date)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    int last =
        days[date.month - 1] + (date.month == 2 && is_leap_year(date.year));
    if (date.day < last)
        return (tr_date){date.year, date.month, date.day + 1};
    if (date.month < 12)
        return (tr_date){date.year, date.month + 1, 1};
    return (tr_date){date.year + 1, 1, 1};
}

TEST(the_calendar_goes_on_before_year_0_and_after_9999)
{
    CHECK_INT(tr_date_days(-1, 12, 31), -719529);
    CHECK_INT(tr_date_days(-400, 1, 1), -719528 - 146097);
    CHECK_INT(tr_date_days(10000, 1, 1), 2932897);
    CHECK_INT(tr_date_days_in_month(-4, 2), 29);
    CHECK_INT(tr_date_days_in_month(-100, 2), 28);
    CHECK_INT(tr_date_days_in_month(-400, 2), 29);
    CHECK_INT(tr_date_days_in_month(INT64_C(100000000000), 2), 29);
    CHECK_INT(tr_date_days_in_month(10001, 2), 28);
}

TEST(date_days_and_back_agree_on_every_day_of_the_calendar)
{
    tr_date date = {0, 1, 1};
    int64_t days = -719528;
    for (; date.year <= 9999; date = day_after(date), days++) {
        tr_date back = tr_date_of_days(days);
        CHECK_INT(tr_date_days(date.year, date.month, date.day), days);
        CHECK(back.year == date.year && back.month == date.month &&
              back.day == date.day);
    }
    CHECK_INT(days, 2932897);
}

TEST(time_write_gives_the_shortest_text)
{
    static const struct {
        tr_time time;
        const char *text;
    } rows[] = {
        {{0, 0, 0}, "1970-01-01T00:00:00Z"},
        {{0, 500000000, 0}, "1970-01-01T00:00:00.5Z"},
        {{0, 1, 0}, "1970-01-01T00:00:00.000000001Z"},
        {{0, 120000, 0}, "1970-01-01T00:00:00.00012Z"},
        {{0, 999999999, 0}, "1970-01-01T00:00:00.999999999Z"},
        {{0, 0, 90}, "1970-01-01T01:30:00+01:30"},
        {{0, 0, -30}, "1969-12-31T23:30:00-00:30"},
        {{0, 0, -1439}, "1969-12-31T00:01:00-23:59"},
        {{-1, 0, 0}, "1969-12-31T23:59:59Z"},
        {{-1, 250000000, 0}, "1969-12-31T23:59:59.25Z"},
        {{-DAY, 0, 0}, "1969-12-31T00:00:00Z"},
        {{-DAY - 1, 0, 0}, "1969-12-30T23:59:59Z"},
        {{-62167219200, 0, 0}, "0000-01-01T00:00:00Z"},
        {{253402300799, 0, 0}, "9999-12-31T23:59:59Z"},
        {{951868799, 0, 0}, "2000-02-29T23:59:59Z"},
    };
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        char storage[64];
        struct tr_buf buf;
        tr_buf_init_fixed(&buf, storage, sizeof(storage));
        tr_time_write(&buf, rows[i].time);
        CHECK_STR(tr_buf_str(&buf), rows[i].text);
    }
}

TEST(time_that_was_written_reads_back_the_same)
{
    size_t count = tr_test_scaled(100000);
    for (size_t i = 0; i < count; i++) {
        char storage[64];
        struct tr_buf buf;
        struct tr_err err;
        tr_time back;
        tr_time time = {
            -62167132800 + (int64_t)tr_test_random_below(315569260800),
            (int)tr_test_random_below(1000000000),
            (int)tr_test_random_below(2879) - 1439,
        };
        tr_buf_init_fixed(&buf, storage, sizeof(storage));
        tr_time_write(&buf, time);
        CHECK_OK(tr_time_parse(tr_buf_str(&buf), &back, &err), &err);
        CHECK(back.seconds == time.seconds && back.nanos == time.nanos &&
              back.offset_min == time.offset_min);
    }
}

TEST(time_now_is_later_than_the_writing_of_this_test)
{
    tr_time now = tr_time_now();
    CHECK(now.seconds > 1767225600);
    CHECK(now.nanos >= 0 && now.nanos < 1000000000);
    CHECK_INT(now.offset_min, 0);
}

TEST(time_with_three_digits_has_one_width)
{
    static const struct {
        tr_time time;
        const char *text;
    } rows[] = {
        {{0, 0, 0}, "1970-01-01T00:00:00.000Z"},
        {{0, 42999999, 0}, "1970-01-01T00:00:00.042Z"},
        {{-1, 999999999, 0}, "1969-12-31T23:59:59.999Z"},
        {{0, 500000000, -90}, "1969-12-31T22:30:00.500-01:30"},
    };
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        char room[40];
        struct tr_buf text;
        tr_buf_init_fixed(&text, room, sizeof(room));
        tr_time_write_millis(&text, rows[i].time);
        CHECK_STR(tr_buf_str(&text), rows[i].text);
    }
}

/*
 * base/time.h - dates and times as RFC 3339 writes them, both ways.
 *
 * The scan functions read one part from the front of `*text` and move it on;
 * they return false, and change nothing, when the part is not there or names
 * no real date, time or offset. Years are 0000 to 9999; fractions keep nine
 * digits, further ones are dropped.
 */
#ifndef TR_BASE_TIME_H
#define TR_BASE_TIME_H

#include "base/buf.h"
#include "base/err.h"

typedef struct tr_date {
    int year;
    int month; /* 1 to 12 */
    int day;   /* 1 to 31 */
} tr_date;

typedef struct tr_clock {
    int hour;
    int minute;
    int second; /* 60 only in a leap second */
    int nanos;
} tr_clock;

/* A moment, and the offset it was or will be written with. */
typedef struct tr_time {
    int64_t seconds; /* since 1970-01-01T00:00:00Z, without leap seconds */
    int nanos;
    int offset_min; /* east of UTC */
} tr_time;

bool tr_date_scan(tr_str *text, tr_date *out);   /* 2026-07-28 */
bool tr_clock_scan(tr_str *text, tr_clock *out); /* 12:00:00.5 */
bool tr_offset_scan(tr_str *text, int *out_min); /* Z, +02:00, -00:30 */

/* In the proleptic Gregorian calendar, for years of any size. */
int tr_date_days_in_month(int64_t year, int month);

/* Days since 1970-01-01, and back. */
int64_t tr_date_days(int64_t year, int month, int day);
tr_date tr_date_of_days(int64_t days);

/*
 * The whole of `text` as an RFC 3339 date-time, `T` and `Z` in either case. A
 * leap second counts as the second after it.
 */
TR_NODISCARD tr_status tr_time_parse(tr_str text, tr_time *out,
                                     struct tr_err *err);

/* Writes with the shortest fraction that loses nothing, and `Z` for UTC. */
void tr_time_write(struct tr_buf *buf, tr_time time);

/* The same with three digits, so that all are of one width. */
void tr_time_write_millis(struct tr_buf *buf, tr_time time);

/* The time of day now, in UTC. */
tr_time tr_time_now(void);

/* Nanoseconds that only go forward, to measure with. */
uint64_t tr_time_ticks_ns(void);

#endif

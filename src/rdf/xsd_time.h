/*
 * rdf/xsd_time.h - dates, times and durations: text, order, canonical form.
 */
#ifndef TR_RDF_XSD_TIME_H
#define TR_RDF_XSD_TIME_H

#include "rdf/xsd.h"

/* Each takes the whole text; false when it is not of the type. */
bool tr_xsd_moment_parse(enum tr_xsd_type type, tr_str text,
                         tr_xsd_moment *out);
bool tr_xsd_duration_parse(enum tr_xsd_type type, tr_str text,
                           tr_xsd_duration *out);

/* XSD 1.1, 3.3.7.1 and 3.3.6.1: partial orders. */
enum tr_xsd_order tr_xsd_moment_cmp(const tr_xsd_moment *a,
                                    const tr_xsd_moment *b);
enum tr_xsd_order tr_xsd_duration_cmp(const tr_xsd_duration *a,
                                      const tr_xsd_duration *b);

void tr_xsd_moment_write(struct tr_buf *out, enum tr_xsd_type type,
                         const tr_xsd_moment *moment);
void tr_xsd_duration_write(struct tr_buf *out, enum tr_xsd_type type,
                           const tr_xsd_duration *duration);

/* Days from 1970-01-01 to a day of the proleptic Gregorian calendar. */
int64_t tr_xsd_days(int64_t year, int month, int day);

#endif

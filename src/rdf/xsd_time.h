/*
 * rdf/xsd_time.h - dates, times and durations: text, order, canonical form.
 */
#ifndef TR_RDF_XSD_TIME_H
#define TR_RDF_XSD_TIME_H

#include "base/ascii.h"
#include "rdf/xsd.h"

/* Moves over `c` when the text begins with it. */
static inline bool tr_rdf_xsd_take_char(tr_str *rest, char c)
{
    if (rest->len == 0 || rest->ptr[0] != c)
        return false;
    *rest = tr_str_skip(*rest, 1);
    return true;
}

/* Moves over the digits at the start, and gives them. */
static inline tr_str tr_rdf_xsd_take_digits(tr_str *rest)
{
    size_t len = 0;
    while (len < rest->len && tr_ascii_is_digit(rest->ptr[len]))
        len++;
    tr_str digits = {rest->ptr, len};
    *rest = tr_str_skip(*rest, len);
    return digits;
}

/* Each takes the whole text; false when it is not of the type. */
bool tr_rdf_xsd_moment_parse(enum tr_rdf_xsd_type type, tr_str text,
                             tr_rdf_xsd_moment *out);
bool tr_rdf_xsd_duration_parse(enum tr_rdf_xsd_type type, tr_str text,
                               tr_rdf_xsd_duration *out);

/* The orders are partial (XSD 1.1 part 2, 3.3.7.1 and 3.3.6.1). */
enum tr_rdf_xsd_order tr_rdf_xsd_moment_cmp(const tr_rdf_xsd_moment *a,
                                            const tr_rdf_xsd_moment *b);
enum tr_rdf_xsd_order tr_rdf_xsd_duration_cmp(const tr_rdf_xsd_duration *a,
                                              const tr_rdf_xsd_duration *b);

void tr_rdf_xsd_moment_write(struct tr_buf *out, enum tr_rdf_xsd_type type,
                             const tr_rdf_xsd_moment *moment);
void tr_rdf_xsd_duration_write(struct tr_buf *out, enum tr_rdf_xsd_type type,
                               const tr_rdf_xsd_duration *duration);

#endif

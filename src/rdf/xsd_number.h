/*
 * rdf/xsd_number.h - decimals, doubles and floats: text, order, canonical form.
 */
#ifndef TR_RDF_XSD_NUMBER_H
#define TR_RDF_XSD_NUMBER_H

#include "rdf/xsd.h"

/* Each takes the whole text; false when it is not of the type. */
bool tr_xsd_decimal_parse(tr_str text, bool is_integer, tr_decimal *out);
bool tr_xsd_float_parse(tr_str text, bool is_single, double *out);

/* The nearest double, or the nearest float as a double. */
double tr_xsd_decimal_to_double(const tr_decimal *decimal, bool is_single);

void tr_xsd_decimal_write(struct tr_buf *out, const tr_decimal *decimal);

/* 1.0E0; INF, -INF, NaN. */
void tr_xsd_float_write(struct tr_buf *out, double value, bool is_single);

#endif

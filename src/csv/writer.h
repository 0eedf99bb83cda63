/*
 * csv/writer.h - cells of a CSV file, as tr_csv_reader reads them.
 */
#ifndef TR_CSV_WRITER_H
#define TR_CSV_WRITER_H

#include "base/buf.h"

/* Appends a cell, in quotes where it needs them. A text without a byte is
 * written as two quotes, so that it is not one that is absent. */
void tr_csv_put_cell(struct tr_buf *out, tr_str text);

/* Appends what ends a row. */
void tr_csv_end_row(struct tr_buf *out);

#endif

/*
 * csv/reader.h - rows of a CSV file (RFC 4180), from a stream.
 *
 * A cell that holds the separator, a quote or an end of line stands in quotes,
 * and its quotes twice. Rows end with CRLF or LF; a byte order mark at the
 * start and lines with nothing on them are passed by. Memory is bounded by
 * TR_LIMIT_CSV_COLUMNS, TR_LIMIT_CSV_CELL and TR_LIMIT_CSV_ROW.
 */
#ifndef TR_CSV_READER_H
#define TR_CSV_READER_H

#include "base/err.h"

/* Writes up to `size` bytes to `to`; *got is 0 at the end only. */
typedef tr_status tr_csv_read_fn(void *context, char *to, size_t size,
                                 size_t *got, struct tr_err *err);

struct tr_csv_cell {
    tr_str text;
    bool is_quoted;
    tr_place place; /* of its first byte in the file, a quote included */
};

/* Borrowed until the next one is read. */
struct tr_csv_row {
    const struct tr_csv_cell *cells;
    size_t count;
    tr_place place;
    const struct tr_err *fault; /* what is wrong with it, with its place, or
                                   NULL; then cells are not to be used */
};

struct tr_csv_reader;

/*
 * `separator` is ',', ';' or a tab; 0: the one of them that stands in the first
 * row, and TR_E_INVALID when several do.
 */
TR_NODISCARD tr_status tr_csv_reader_create(tr_csv_read_fn *read, void *context,
                                            char separator,
                                            struct tr_csv_reader **out,
                                            struct tr_err *err);

/* NULL is allowed. */
void tr_csv_reader_free(struct tr_csv_reader *reader);

/*
 * Reads the next row; `*more` is false at the end. Fails with TR_E_SYNTAX for a
 * quote that is never closed, TR_E_LIMIT, or as the source does; after that
 * nothing more can be read.
 */
TR_NODISCARD tr_status tr_csv_reader_next(struct tr_csv_reader *reader,
                                          struct tr_csv_row *out, bool *more,
                                          struct tr_err *err);

#endif

/*
 * cli/report.h - how results and errors reach the user.
 */
#ifndef TR_CLI_REPORT_H
#define TR_CLI_REPORT_H

#include "base/buf.h"
#include "base/err.h"

/* One line on standard error, "trails: ..."; returns TR_CLI_EXIT_USAGE. */
TR_PRINTF(1, 2)
int tr_cli_report_usage(const char *format, ...);

/*
 * One line on standard error: "FILE:LINE:COLUMN: message", without the parts
 * that are missing (`file` may be NULL or empty). Returns TR_CLI_EXIT_FAILED.
 */
int tr_cli_report_error(const char *file, const struct tr_err *err);

/* One line on standard error, "trails: warning: ...": it goes on. */
TR_PRINTF(1, 2)
void tr_cli_report_warning(const char *format, ...);

/* Prints what is in `out`; returns 0, or TR_CLI_EXIT_FAILED after saying why.
 */
int tr_cli_report_output(const struct tr_buf *out);

/*
 * What an app or a store says may hold bytes that move the cursor or colour;
 * each is shown as a space. `put_line` ends the line of `out` that begins at
 * `start`, whatever was put there; `put_lines` keeps line ends, as `show` does,
 * which prints.
 */
void tr_cli_report_put_line(struct tr_buf *out, size_t start);
void tr_cli_report_put_lines(struct tr_buf *out, size_t start);
void tr_cli_report_show(FILE *stream, tr_str text);

/* How a heading and an error mark look on this stream: "" without colour. */
struct tr_cli_look {
    const char *bold;
    const char *red;
    const char *plain;
};

/* Colours only on a terminal, and not with NO_COLOR or TERM=dumb. */
struct tr_cli_look tr_cli_look_of(FILE *stream);

/* Prints a text and a line end, as tr_cli_report_output does. */
TR_PRINTF(1, 2)
int tr_cli_report_line(const char *format, ...);

#endif

/*
 * cli/progress.h - a bar on standard error, where that is a terminal.
 */
#ifndef TR_CLI_PROGRESS_H
#define TR_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

/* Whether a bar can be seen: not in a pipe, not on a dumb terminal. */
bool tr_cli_progress_is_wanted(void);

/* Draws the bar; `total` 0 means that the end is not known. */
void tr_cli_progress_show(uint64_t done, uint64_t total, const char *unit);
void tr_cli_progress_hide(void);

#endif

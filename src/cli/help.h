/*
 * cli/help.h - help, written from the command table.
 */
#ifndef TR_CLI_HELP_H
#define TR_CLI_HELP_H

#include "cli/command.h"
#include "cli/report.h"

/* Writes help on one command, or on the program when `command` is NULL. */
void tr_cli_help_write(const struct tr_cli_command *command,
                       struct tr_cli_look look, struct tr_buf *out);

#endif

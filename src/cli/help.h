/*
 * cli/help.h - help, written from the command table.
 */
#ifndef TR_CLI_HELP_H
#define TR_CLI_HELP_H

#include "cli/command.h"
#include "cli/report.h"

/* Prints help on one command; when that is NULL, on a group of them, such as
 * "token"; when that is empty, on the program. Returns the exit code. */
int tr_cli_help_show(const struct tr_cli_command *command, tr_str group);

#endif

/*
 * cli/import_rows.h - the part of import that is for rows.
 */
#ifndef TR_CLI_IMPORT_ROWS_H
#define TR_CLI_IMPORT_ROWS_H

#include "cli/command.h"

/* Whether the options go together; else it has said why not, and returns what
 * to exit with. */
int tr_cli_import_rows_check(const struct tr_cli_invocation *invocation);

/* The whole command, when there is --type. */
int tr_cli_import_rows(const struct tr_cli_invocation *invocation);

#endif

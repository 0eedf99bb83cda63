/*
 * cli/app.h - an app that a command line names, for commands that only look at
 * what it declares.
 */
#ifndef TR_CLI_APP_H
#define TR_CLI_APP_H

#include "cli/command.h"
#include "server/app.h"

typedef int tr_cli_app_fn(const struct tr_cli_invocation *invocation,
                          const struct tr_server_app *app,
                          const struct tr_cap_snapshot *snapshot);

/* The folder that the first argument names, else the working directory. */
const char *tr_cli_app_folder(const struct tr_cli_invocation *invocation);

/* Loads the app in that folder for `look`, and returns its exit code; says why
 * when the app does not load. */
int tr_cli_app_look(const struct tr_cli_invocation *invocation,
                    tr_cli_app_fn *look);

#endif

/*
 * cli/run_key.c - the keys of an app: a new one replaces the current.
 */
#include "cli/command.h"
#include "cli/report.h"
#include "server/app.h"
#include "server/env.h"

int tr_cli_run_key_rotate(const struct tr_cli_invocation *invocation)
{
    const char *folder = tr_cli_invocation_option(invocation, "app");
    struct tr_server_keyring ring = {0};
    struct tr_server_app app;
    struct tr_err err = {0};
    if (tr_server_app_open(&app, folder ? folder : ".", &err) != TR_OK)
        return tr_cli_report_error(app.file, &err);
    int exit_code = tr_server_keyring_rotate(&ring, &app, &err) == TR_OK
                        ? tr_cli_report_line(
                              "%s has a new key. A server that runs reads it "
                              "on SIGHUP.\n"
                              "What the old key has sealed is accepted for 24 "
                              "hours.",
                              ring.path)
                        : tr_cli_report_error(NULL, &err);
    tr_server_app_close(&app);
    return exit_code;
}

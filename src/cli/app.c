#include "cli/app.h"

#include "cap/snapshot.h"
#include "cli/report.h"

const char *tr_cli_app_folder(const struct tr_cli_invocation *invocation)
{
    return invocation->argument_count ? invocation->arguments[0] : ".";
}

int tr_cli_app_look(const struct tr_cli_invocation *invocation,
                    tr_cli_app_fn *look)
{
    const struct tr_cap_snapshot *snapshot = NULL;
    struct tr_server_app app;
    struct tr_err err;
    if (tr_server_app_open(&app, tr_cli_app_folder(invocation), &err) != TR_OK)
        return tr_cli_report_error(app.file, &err);
    int exit_code;
    if (tr_server_app_load(&app, &snapshot, &err) != TR_OK) {
        exit_code = tr_cli_report_error(app.file, &err);
    } else {
        exit_code = look(invocation, &app, snapshot);
        tr_cap_snapshot_unpin(snapshot);
    }
    tr_server_app_close(&app);
    return exit_code;
}

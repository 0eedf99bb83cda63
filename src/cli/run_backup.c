/*
 * cli/run_backup.c - backup, restore, compact: the store as files.
 */
#include "cli/command.h"
#include "cli/report.h"
#include "cli/store.h"
#include "graph/upkeep.h"

static tr_status back_up(struct tr_graph_store *store, const char *path,
                         struct tr_err *err)
{
    static const struct tr_db_opts opts = {.read_only = true};
    struct tr_db *db = NULL;
    TR_TRY(tr_db_open(tr_graph_store_path(store), &opts, &db, err));
    tr_status status = tr_db_backup(db, path, err);
    tr_db_close(db);
    return status;
}

int tr_cli_run_backup(const struct tr_cli_invocation *invocation)
{
    const char *path = invocation->arguments[0];
    struct tr_cli_store store;
    struct tr_err err = {0};
    if (!tr_cli_store_open(&store, invocation, TR_CLI_STORE_EXISTING))
        return TR_CLI_EXIT_FAILED;
    int exit_code = back_up(store.store, path, &err) == TR_OK
                        ? tr_cli_report_line("The store is in %s now.", path)
                        : tr_cli_report_error(NULL, &err);
    tr_cli_store_close(&store);
    return exit_code;
}

int tr_cli_run_restore(const struct tr_cli_invocation *invocation)
{
    const char *path = invocation->arguments[0];
    struct tr_cli_store store;
    struct tr_err err = {0};
    if (!tr_cli_store_open(&store, invocation, TR_CLI_STORE_MADE))
        return TR_CLI_EXIT_FAILED;
    int exit_code;
    if (tr_graph_restore(tr_graph_store_path(store.store), NULL, path, &err) ==
        TR_OK) {
        tr_graph_store_raise_generation(store.store);
        exit_code = tr_cli_report_line("The store has what %s has.", path);
    } else {
        exit_code = tr_cli_report_error(NULL, &err);
    }
    tr_cli_store_close(&store);
    return exit_code;
}

int tr_cli_run_compact(const struct tr_cli_invocation *invocation)
{
    struct tr_graph_compacted counts = {0};
    struct tr_cli_store store;
    struct tr_err err = {0};
    if (!tr_cli_store_open(&store, invocation, TR_CLI_STORE_EXISTING))
        return TR_CLI_EXIT_FAILED;
    tr_status status =
        tr_graph_compact(tr_graph_store_path(store.store), NULL, &counts, &err);
    tr_graph_store_raise_generation(store.store);
    int exit_code =
        status == TR_OK
            ? tr_cli_report_line("%llu of %llu terms were not used any more.",
                                 (unsigned long long)counts.removed,
                                 (unsigned long long)counts.terms)
            : tr_cli_report_error(NULL, &err);
    tr_cli_store_close(&store);
    return exit_code;
}

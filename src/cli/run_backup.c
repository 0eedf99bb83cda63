/*
 * cli/run_backup.c - backup, restore, compact: the store as files.
 */
#include "cli/command.h"
#include "cli/record.h"
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
    if (!tr_cli_store_open(&store, invocation, TR_CLI_STORE_READ))
        return TR_CLI_EXIT_FAILED;
    int exit_code = back_up(store.store, path, &err) == TR_OK
                        ? tr_cli_report_line("The store is in %s now.", path)
                        : tr_cli_report_error(NULL, &err);
    tr_cli_store_close(&store);
    return exit_code;
}

/* What a restore writes to the old content is gone: it is recorded in the new.
 */
static tr_status restore(struct tr_graph_store *store, const char *path,
                         struct tr_err *err)
{
    struct tr_cli_record record;
    TR_TRY(tr_cli_record_begin(&record, "restore", err));
    TR_TRY(tr_graph_restore(tr_graph_store_path(store), NULL, path, err));
    tr_status status = tr_cli_record_add(&record, store, err);
    tr_graph_store_raise_generation(store);
    return status;
}

static tr_status compact(struct tr_graph_store *store,
                         struct tr_graph_compacted *counts, struct tr_err *err)
{
    struct tr_cli_record record;
    TR_TRY(tr_cli_record_begin(&record, "compact", err));
    tr_status status =
        tr_graph_compact(tr_graph_store_path(store), NULL, counts, err);
    if (status == TR_OK)
        status = tr_cli_record_add(&record, store, err);
    tr_graph_store_raise_generation(store);
    return status;
}

/* A backup may be of another project, and older than the types of the app. An
 * app that does not load says so when it is used. */
static void take_up_restored(struct tr_cli_store *store)
{
    struct tr_err err = {0};
    if (tr_server_app_rename(&store->app, &err) != TR_OK)
        return;
    tr_status status = tr_server_app_claim(&store->app, store->store, &err);
    if (status != TR_OK)
        tr_cli_report_warning("%s", err.msg);
    if (status == TR_OK &&
        tr_server_app_load(&store->app, &store->snapshot, &err) == TR_OK)
        tr_server_app_fit(store->store, store->snapshot);
}

int tr_cli_run_restore(const struct tr_cli_invocation *invocation)
{
    const char *path = invocation->arguments[0];
    struct tr_cli_store store;
    struct tr_err err = {0};
    if (!tr_cli_store_open(&store, invocation, TR_CLI_STORE_MADE))
        return TR_CLI_EXIT_FAILED;
    tr_status status = restore(store.store, path, &err);
    if (status == TR_OK)
        take_up_restored(&store);
    int exit_code = status == TR_OK
                        ? tr_cli_report_line("The store has what %s has.", path)
                        : tr_cli_report_error(NULL, &err);
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
    int exit_code =
        compact(store.store, &counts, &err) == TR_OK
            ? tr_cli_report_line("%llu of %llu terms were not used any more.",
                                 (unsigned long long)counts.removed,
                                 (unsigned long long)counts.terms)
            : tr_cli_report_error(NULL, &err);
    tr_cli_store_close(&store);
    return exit_code;
}

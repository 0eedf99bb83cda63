#include "cli/store.h"

#include "base/limits.h"
#include "cap/snapshot.h"
#include "cli/report.h"

#include <unistd.h>

static bool fail(const char *file, const struct tr_err *err)
{
    (void)tr_cli_report_error(file, err);
    return false;
}

/* A mistyped folder must not become a new, empty store. */
static tr_status check_folder(const struct tr_server_app *app,
                              const char *folder, enum tr_cli_store_need need,
                              struct tr_err *err)
{
    char path[TR_LIMIT_PATH_BYTES + 16];
    bool is_made = need == TR_CLI_STORE_MADE;
    if (strcmp(folder, ":memory:") == 0)
        return tr_fail(err, TR_E_UNSUPPORTED,
                       "the store of this app is in the memory of whoever "
                       "serves it: [store] path is :memory:");
    (void)snprintf(path, sizeof(path), "%s/%s", is_made ? app->folder : folder,
                   is_made ? "app.lua" : "graph.db");
    if (access(path, F_OK) == 0)
        return TR_OK;
    return is_made ? tr_fail(err, TR_E_NOT_FOUND,
                             "there is no %s; 'trails new FOLDER' makes an app",
                             path)
                   : tr_fail(err, TR_E_NOT_FOUND, "there is no store in %s",
                             folder);
}

static tr_status open_store(struct tr_cli_store *out,
                            enum tr_cli_store_need need, struct tr_err *err)
{
    char folder[TR_LIMIT_PATH_BYTES];
    struct tr_graph_store_opts opts = {.folder = folder};
    TR_TRY(tr_server_app_store(&out->app, folder, sizeof(folder), err));
    TR_TRY(check_folder(&out->app, folder, need, err));
    opts.db.read_only =
        need == TR_CLI_STORE_READ && tr_graph_store_is_closed(folder);
    return tr_graph_store_open(&opts, &out->store, err);
}

bool tr_cli_store_open(struct tr_cli_store *out,
                       const struct tr_cli_invocation *invocation,
                       enum tr_cli_store_need need)
{
    const char *folder = tr_cli_invocation_option(invocation, "app");
    struct tr_err err = {0};
    *out = (struct tr_cli_store){0};
    if (tr_server_app_open(&out->app, folder ? folder : ".", &err) != TR_OK)
        return fail(out->app.file, &err);
    if (open_store(out, need, &err) == TR_OK)
        return true;
    tr_cli_store_close(out);
    return fail(NULL, &err);
}

bool tr_cli_store_load(struct tr_cli_store *store)
{
    struct tr_err err = {0};
    if (tr_server_app_load(&store->app, &store->snapshot, &err) != TR_OK)
        return fail(store->app.file, &err);
    store->model = tr_cap_snapshot_model(store->snapshot);
    if (tr_server_app_claim(&store->app, store->store, &err) != TR_OK)
        return fail(NULL, &err);
    tr_server_app_fit(store->store, store->snapshot);
    return true;
}

bool tr_cli_store_read(struct tr_cli_store *store, struct tr_graph_reader **out)
{
    struct tr_graph_reader *reader = NULL;
    struct tr_err err = {0};
    if (tr_graph_store_reader(store->store, &reader, &err) != TR_OK)
        return fail(NULL, &err);
    if (tr_graph_reader_begin(reader, &err) != TR_OK) {
        tr_graph_reader_free(reader);
        return fail(NULL, &err);
    }
    *out = reader;
    return true;
}

void tr_cli_store_close(struct tr_cli_store *store)
{
    tr_graph_store_close(store->store);
    if (store->snapshot)
        tr_cap_snapshot_unpin(store->snapshot);
    if (store->app.config)
        tr_server_app_close(&store->app);
}

#include "base/limits.h"
#include "db/db.h"
#include "graph/store.h"
#include "server/app.h"

#include <unistd.h>

tr_status tr_server_app_peek(const struct tr_server_app *app,
                             struct tr_db **out, struct tr_err *err)
{
    char folder[TR_LIMIT_PATH_BYTES];
    char path[TR_LIMIT_PATH_BYTES + 16];
    *out = NULL;
    TR_TRY(tr_server_app_store(app, folder, sizeof(folder), err));
    (void)snprintf(path, sizeof(path), "%s/graph.db", folder);
    if (access(path, F_OK) != 0)
        return TR_OK;
    const struct tr_db_opts opts = {.read_only =
                                        tr_graph_store_is_closed(folder)};
    return tr_db_open(path, &opts, out, err);
}

tr_status tr_server_app_has_table(struct tr_db *db, tr_str table, bool *out,
                                  struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    TR_TRY(tr_db_prepare(
        db, "SELECT 1 FROM sqlite_master WHERE name = ?1 LIMIT 1", &stmt, err));
    tr_db_bind_text(stmt, 1, table);
    TR_TRY(tr_db_stmt_step(stmt, out, err));
    if (*out)
        tr_db_stmt_reset(stmt);
    return TR_OK;
}

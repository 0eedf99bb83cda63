#include "db/db.h"
#include "graph/node.h"
#include "values/build.h"

static tr_status sync_store(struct tr_db *db,
                            const struct tr_graph_value_wanted *asked,
                            struct tr_graph_value_built *out,
                            struct tr_err *err)
{
    struct tr_graph_terms *terms = NULL;
    bool due;
    TR_TRY(tr_graph_value_is_due(db, asked->model, &due, err));
    if (!due)
        return TR_OK;
    TR_TRY(tr_db_begin(db, TR_DB_WRITE, err));
    TR_TRY(tr_graph_terms_create(db, &terms, err));
    tr_status status = tr_graph_value_build(db, terms, asked, out, err);
    if (status == TR_OK)
        status = tr_db_commit(db, err);
    tr_graph_terms_free(terms);
    return status;
}

tr_status tr_graph_value_sync(const char *path, const struct tr_db_opts *opts,
                              const struct tr_graph_value_wanted *asked,
                              struct tr_graph_value_built *out,
                              struct tr_err *err)
{
    struct tr_db *db = NULL;
    *out = (struct tr_graph_value_built){0};
    TR_TRY(tr_db_open(path, opts, &db, err));
    tr_status status = sync_store(db, asked, out, err);
    tr_db_close(db);
    return status;
}

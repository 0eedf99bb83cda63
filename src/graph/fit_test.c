/* What a store was fitted to counts until something may have undone it. */
#include "base/test.h"
#include "graph/store.h"
#include "graph/upkeep.h"
#include "support/store.h"

/* As who opens it is told. */
static bool fits(struct store *store, int64_t declared)
{
    struct tr_graph_store *opened = NULL;
    struct tr_graph_owner owner;
    struct tr_err err = {0};
    const struct tr_graph_store_opts opts = {.folder = store->folder.path,
                                             .project = TR_STR("shop"),
                                             .owner = &owner,
                                             .declared = declared};
    CHECK_OK(tr_graph_store_open(&opts, &opened, &err), &err);
    CHECK_STR(tr_str_from(owner.name), "shop");
    bool out = tr_graph_store_fits(opened);
    tr_graph_store_close(opened);
    return out;
}

static void note(struct store *store, int64_t declared)
{
    struct tr_db *db = NULL;
    struct tr_err err = {0};
    CHECK_OK(tr_db_open(store->path, NULL, &db, &err), &err);
    CHECK_OK(tr_db_begin(db, TR_DB_WRITE, &err), &err);
    CHECK_OK(tr_graph_fit_note(db, declared, &err), &err);
    CHECK_OK(tr_db_commit(db, &err), &err);
    tr_db_close(db);
    CHECK(fits(store, declared));
}

static void raise_epoch(struct store *store)
{
    struct tr_db *db = NULL;
    struct tr_err err = {0};
    CHECK_OK(tr_db_open(store->path, NULL, &db, &err), &err);
    CHECK_OK(tr_graph_epoch_raise(db, &err), &err);
    tr_db_close(db);
}

TEST(a_store_fits_what_was_noted_last)
{
    struct store store;
    store_open(&store);
    CHECK(!fits(&store, 17));
    note(&store, 17);
    CHECK(!fits(&store, -17));
    CHECK(!fits(&store, 0));
    note(&store, INT64_MIN);
    CHECK(!fits(&store, 17));
    note(&store, 17);
    raise_epoch(&store);
    CHECK(!fits(&store, 17));
    store_close(&store);
}

TEST(a_store_that_was_renamed_compacted_or_restored_is_looked_at_again)
{
    struct store store;
    struct tr_graph_renaming renaming = {.to = TR_STR("shop")};
    struct tr_graph_renamed renamed;
    struct tr_graph_compacted compacted;
    struct tr_err err = {0};
    char backup[96];
    store_open(&store);
    note(&store, 17);
    (void)snprintf(backup, sizeof(backup), "%s",
                   folder_path(&store.folder, "copy.db"));
    CHECK_OK(tr_db_backup(store.reader->db, backup, &err), &err);
    CHECK_OK(tr_graph_compact(store.path, NULL, &compacted, &err), &err);
    CHECK(!fits(&store, 17));
    note(&store, 17);
    CHECK_OK(tr_graph_restore(store.path, NULL, backup, &err), &err);
    CHECK(!fits(&store, 17)); /* though its backup did */
    note(&store, 17);
    renaming.from = TR_STR("shop");
    renaming.to = TR_STR("depot");
    CHECK_OK(tr_graph_rename(store.path, &renaming, &renamed, &err), &err);
    renaming.from = TR_STR("depot");
    renaming.to = TR_STR("shop");
    CHECK_OK(tr_graph_rename(store.path, &renaming, &renamed, &err), &err);
    CHECK(!fits(&store, 17));
    store_close(&store);
}

/* Whose it is stands in the struct, also where it is refused. */
TEST(a_store_of_another_project_is_not_opened)
{
    struct store store;
    struct tr_graph_store *opened = NULL;
    struct tr_graph_owner owner = {0};
    struct tr_err err = {0};
    const struct tr_graph_store_opts opts = {
        .folder = NULL, .project = TR_STR("depot"), .owner = &owner};
    struct tr_graph_store_opts own = opts;
    store_open(&store);
    own.folder = store.folder.path;
    CHECK(!fits(&store, 1));
    CHECK(tr_graph_store_open(&own, &opened, &err) == TR_E_CONFLICT);
    CHECK_STR(tr_str_from(owner.name), "shop");
    CHECK(!opened);
    own.db.read_only = true;
    CHECK(tr_graph_store_open(&own, &opened, &err) == TR_E_CONFLICT);
    CHECK(!opened);
    store_close(&store);
}

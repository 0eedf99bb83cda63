#include "base/test.h"
#include "graph/schema.h"
#include "graph/store.h"
#include "graph/upkeep.h"
#include "support/store.h"

#include <dirent.h>

#define QUADS "SELECT count(*) FROM spo"
#define ONE   "<http://e/a> a <http://e/C> ."
#define TWO   "<http://e/b> a <http://e/D> ; <http://e/p> \"later\" ."

static void back_up(struct store *store, const char *path)
{
    struct tr_db *db = NULL;
    struct tr_err err = {0};
    CHECK_OK(tr_db_open(store->path, NULL, &db, &err), &err);
    CHECK_OK(tr_db_backup(db, path, &err), &err);
    tr_db_close(db);
}

static tr_status see_nothing(void *context, const struct tr_graph_feed_row *row,
                             struct tr_err *err)
{
    (void)context;
    (void)row;
    (void)err;
    return TR_OK;
}

TEST(restore_brings_back_what_there_was)
{
    struct store store;
    struct tr_err err = {0};
    char backup[96];
    int64_t before = 0;
    int64_t after = 0;
    int64_t seen = 0;
    bool has_gap = false;
    store_open(&store);
    (void)snprintf(backup, sizeof(backup), "%s",
                   folder_path(&store.folder, "copy.db"));
    CHECK_OK(store_load(&store, NULL, ONE, 0, &err), &err);
    back_up(&store, backup);
    CHECK_OK(store_load(&store, NULL, TWO, 0, &err), &err);
    int64_t highest = store_number(&store, "SELECT max(id) FROM term", 0);
    CHECK_OK(tr_graph_epoch_read(store.reader->db, &before, &err), &err);
    CHECK_OK(tr_graph_feed_last(store.reader->db, &seen, &err), &err);

    /* Who reads goes on with what he sees. */
    CHECK_OK(tr_graph_reader_begin(store.reader, &err), &err);
    CHECK_INT(store_number(&store, QUADS, 0), 3);
    CHECK_OK(tr_graph_restore(store.path, NULL, backup, &err), &err);
    CHECK_INT(store_number(&store, QUADS, 0), 3);
    tr_graph_reader_end(store.reader);

    CHECK_INT(store_number(&store, QUADS, 0), 1);
    CHECK_INT(store_number(&store, "SELECT count(*) FROM node", 0), 1);
    CHECK_INT(store_number(&store, "SELECT count(*) FROM ops", 0), 1);
    CHECK_INT(store_number(&store, "SELECT count(*) FROM type_count", 0), 1);
    CHECK_OK(tr_graph_epoch_read(store.reader->db, &after, &err), &err);
    CHECK(after > before);
    CHECK_OK(tr_graph_feed_read(store.reader->db, &seen, &has_gap, see_nothing,
                                NULL, &err),
             &err);
    CHECK(has_gap);
    CHECK_OK(store_load(&store, NULL, TWO, 0, &err), &err);
    CHECK_INT(store_number(&store, QUADS, 0), 3);
    CHECK(store_number(&store, "SELECT max(id) FROM term", 0) > highest);
    CHECK_OK(tr_db_check(store.reader->db, &err), &err);
    store_close(&store);
}

static size_t count_files(const struct store *store)
{
    DIR *dir = opendir(store->folder.path);
    size_t count = 0;
    CHECK(dir);
    while (readdir(dir))
        count++;
    (void)closedir(dir);
    return count;
}

static void check_refused(struct store *store, const char *backup,
                          tr_status status, const char *message)
{
    struct tr_err err = {0};
    size_t files = count_files(store);
    CHECK_INT(tr_graph_restore(store->path, NULL, backup, &err), status);
    CHECK_ROW(strstr(err.msg, message) != NULL, err.msg);
    CHECK_INT(store_number(store, QUADS, 0), 1);
    CHECK_INT(count_files(store), files);
}

TEST(restore_refuses_what_is_no_backup_and_changes_nothing)
{
    struct store store;
    struct tr_db *db = NULL;
    struct tr_err err = {0};
    char path[96];
    store_open(&store);
    CHECK_OK(store_load(&store, NULL, ONE, 0, &err), &err);
    check_refused(&store, "/nowhere/at/all.db", TR_E_NOT_FOUND,
                  "No such file or directory");
    folder_write(&store.folder, "text.db",
                 "not a store, however long this text may be: not at all");
    (void)snprintf(path, sizeof(path), "%s",
                   folder_path(&store.folder, "text.db"));
    check_refused(&store, path, TR_E_IO, "not a store");
    (void)snprintf(path, sizeof(path), "%s",
                   folder_path(&store.folder, "other.db"));
    CHECK_OK(tr_db_open(path, NULL, &db, &err), &err);
    CHECK_OK(tr_db_exec(db, "CREATE TABLE other (id)", &err), &err);
    check_refused(&store, path, TR_E_INVALID, "is no backup of a store");
    CHECK_OK(tr_db_exec(db, "PRAGMA user_version = 1", &err), &err);
    check_refused(&store, path, TR_E_INTERNAL, "no such table");
    CHECK_OK(tr_db_exec(db, "PRAGMA user_version = 999", &err), &err);
    check_refused(&store, path, TR_E_UNSUPPORTED, "newer trails");
    tr_db_close(db);
    store_close(&store);
}

/* A backup must not let somebody in again who was shut out since. */
TEST(restore_keeps_tokens_revoked_and_brings_lost_ones_back)
{
    static const char add[] =
        "INSERT INTO token VALUES ('%s', x'%s', '', 1, 0, NULL, NULL, 0, 0, 0,"
        " 0, 0, 0)";
    struct store store;
    struct tr_err err = {0};
    struct tr_db *db = NULL;
    char text[256];
    char path[96];
    store_open(&store);
    CHECK_OK(tr_db_open(store.path, NULL, &db, &err), &err);
    (void)snprintf(text, sizeof(text), add, "a", "01");
    CHECK_OK(tr_db_exec(db, text, &err), &err);
    (void)snprintf(text, sizeof(text), add, "b", "02");
    CHECK_OK(tr_db_exec(db, text, &err), &err);
    (void)snprintf(path, sizeof(path), "%s",
                   folder_path(&store.folder, "backup.db"));
    CHECK_OK(tr_db_backup(db, path, &err), &err);
    CHECK_OK(
        tr_db_exec(db, "UPDATE token SET revoked = 7 WHERE id = 'a'", &err),
        &err);
    CHECK_OK(tr_db_exec(db, "DELETE FROM token WHERE id = 'b'", &err), &err);
    tr_db_close(db);
    CHECK_OK(tr_graph_restore(store.path, NULL, path, &err), &err);
    CHECK_INT(
        store_number(&store, "SELECT revoked FROM token WHERE id = 'a'", 0), 7);
    CHECK_INT(store_number(&store,
                           "SELECT count(*) FROM token WHERE id = 'b'"
                           " AND revoked IS NULL",
                           0),
              1);
    store_close(&store);
}

TEST(restore_keeps_sessions_ended)
{
    struct store store;
    struct tr_err err = {0};
    struct tr_db *db = NULL;
    char path[96];
    store_open(&store);
    CHECK_OK(tr_db_open(store.path, NULL, &db, &err), &err);
    CHECK_OK(tr_db_exec(db,
                        "INSERT INTO ended VALUES (x'01', x'01', 7),"
                        " (x'01', x'02', 7)",
                        &err),
             &err);
    (void)snprintf(path, sizeof(path), "%s",
                   folder_path(&store.folder, "backup.db"));
    CHECK_OK(tr_db_backup(db, path, &err), &err);
    CHECK_OK(tr_db_exec(db,
                        "DELETE FROM ended WHERE name = x'01';"
                        "INSERT INTO ended VALUES (x'01', x'03', 8)",
                        &err),
             &err);
    tr_db_close(db);
    CHECK_OK(tr_graph_restore(store.path, NULL, path, &err), &err);
    CHECK_INT(store_number(&store, "SELECT sum(made) FROM ended", 0), 22);
    store_close(&store);
}

/* A table that somebody adds has to be thought of: name it in restore.c. */
TEST(restore_knows_all_tables)
{
    struct store store;
    store_open(&store);
    CHECK_INT(store_number(&store,
                           "SELECT count(*) FROM sqlite_schema WHERE"
                           " type = 'table' AND name NOT LIKE 'sqlite!_%'"
                           " ESCAPE '!' AND name NOT LIKE 'search!_%'"
                           " ESCAPE '!' AND name NOT IN ('term', 'spo', 'pos',"
                           " 'ops', 'node', 'type_count', 'search', 'change',"
                           " 'project', 'bare',"
                           " 'meta', 'activity', 'activity_read', 'prov_name',"
                           " 'prov_state', 'kept', 'token', 'spelt',"
                           " 'value_index', 'value_part', 'value_row',"
                           " 'budget', 'counter', 'ended', 'slow_query',"
                           " 'measured', 'measured_times',"
                           " 'published')",
                           0),
              0);
    store_close(&store);
}

struct sweep {
    struct store *store;
    const char *backup;
};

static tr_status restore(void *context, struct tr_err *err)
{
    const struct sweep *sweep = context;
    return tr_graph_restore(sweep->store->path, NULL, sweep->backup, err);
}

TEST(restore_survives_every_allocation_that_fails)
{
    struct store store;
    struct tr_err err = {0};
    char backup[96];
    struct sweep sweep = {&store, backup};
    store_open(&store);
    (void)snprintf(backup, sizeof(backup), "%s",
                   folder_path(&store.folder, "copy.db"));
    CHECK_OK(store_load(&store, NULL, ONE, 0, &err), &err);
    back_up(&store, backup);
    size_t files = count_files(&store);
    tr_test_sweep(restore, &sweep);
    CHECK_INT(count_files(&store), files);
    CHECK_INT(store_number(&store, QUADS, 0), 1);
    store_close(&store);
}

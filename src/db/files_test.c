#include "base/test.h"
#include "db/db.h"
#include "support/folder.h"

#include <unistd.h>

static const struct tr_db_step steps[] = {
    {.sql = "CREATE TABLE thing (id INTEGER PRIMARY KEY, name TEXT UNIQUE)"}};

static const char *const names[] = {"a.db", "a.db-wal", "a.db-shm"};

static tr_status add(struct tr_db *db, struct tr_err *err)
{
    TR_TRY(tr_db_begin(db, TR_DB_WRITE, err));
    TR_TRY(tr_db_exec(db, "INSERT INTO thing (name) VALUES (NULL)", err));
    return tr_db_commit(db, err);
}

static void take_away(const struct folder *folder, const char *name,
                      bool is_replaced)
{
    char path[256];
    (void)snprintf(path, sizeof(path), "%s", folder_path(folder, name));
    if (is_replaced) {
        folder_write(folder, "other", "other");
        CHECK(rename(folder_path(folder, "other"), path) == 0);
    } else {
        CHECK(unlink(path) == 0);
    }
}

/* Whether the store has been written to before, or not since it was opened. */
static void check_refused(const char *name, bool is_replaced, bool is_used)
{
    struct folder folder;
    struct tr_db *db = NULL;
    struct tr_err err = {0};
    folder_open(&folder);
    CHECK_OK(tr_db_open(folder_path(&folder, "a.db"), NULL, &db, &err), &err);
    CHECK_OK(tr_db_upgrade(db, steps, TR_LEN(steps), &err), &err);
    if (is_used) {
        CHECK_OK(add(db, &err), &err);
    } else {
        tr_db_close(db);
        CHECK_OK(tr_db_open(folder_path(&folder, "a.db"), NULL, &db, &err),
                 &err);
    }
    take_away(&folder, name, is_replaced);
    for (int i = 0; i < 2; i++) {
        CHECK_INT(add(db, &err), TR_E_IO);
        CHECK_ROW(strstr(err.msg, name), err.msg);
        CHECK_ROW(strstr(err.msg, is_replaced
                                      ? " was replaced while it was open"
                                      : " was removed while it was open"),
                  err.msg);
    }
    tr_db_close(db);
    folder_close(&folder);
}

TEST(a_store_whose_file_was_taken_away_is_not_written_to)
{
    for (size_t i = 0; i < TR_LEN(names); i++) {
        for (int how = 0; how < 4; how++)
            check_refused(names[i], how & 1, how & 2);
    }
}

/* Others that come and go leave the files in their place. */
TEST(a_store_that_others_open_and_close_stays_the_same)
{
    struct folder folder;
    struct tr_db *db = NULL;
    struct tr_db *other = NULL;
    struct tr_err err = {0};
    folder_open(&folder);
    CHECK_OK(tr_db_open(folder_path(&folder, "a.db"), NULL, &db, &err), &err);
    CHECK_OK(tr_db_upgrade(db, steps, TR_LEN(steps), &err), &err);
    for (int i = 0; i < 3; i++) {
        CHECK_OK(tr_db_open(folder_path(&folder, "a.db"), NULL, &other, &err),
                 &err);
        CHECK_OK(add(other, &err), &err);
        CHECK_OK(tr_db_shrink(other, &err), &err);
        tr_db_close(other);
        CHECK_OK(add(db, &err), &err);
    }
    tr_db_close(db);
    folder_close(&folder);
}

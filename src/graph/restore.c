#include "graph/schema.h"
#include "graph/store.h"
#include "graph/upkeep.h"

#include <errno.h>
#include <unistd.h>

/* Above the epochs of both, so that no connection takes the new content for one
 * it remembers. */
static const char raise_epoch[] =
    "UPDATE meta SET value = 1 + max(value,"
    " (SELECT value FROM backup.meta WHERE key = 1)) WHERE key = 1";
static const char keep_highest_id[] =
    "INSERT OR REPLACE INTO meta SELECT 2, max(id) FROM"
    " (SELECT max(id) AS id FROM main.term"
    " UNION ALL SELECT max(id) FROM backup.term"
    " UNION ALL SELECT value FROM main.meta WHERE key = 2"
    " UNION ALL SELECT value FROM backup.meta WHERE key = 2)"
    " HAVING max(id) IS NOT NULL";

/* A token that was revoked since the backup stays revoked. */
static const char keep_tokens[] =
    "INSERT OR IGNORE INTO token SELECT * FROM backup.token";

/* Sessions that were ended stay so, whether before the backup or since. */
static const char keep_ended[] =
    "INSERT OR IGNORE INTO ended SELECT * FROM backup.ended";

/* Table by table. The feed is not among them: its numbers only grow. Nor are
 * budgets: what was used since the backup stays used. */
static const char *const steps[] = {
    raise_epoch,
    keep_highest_id,
    "DELETE FROM term",
    "INSERT INTO term SELECT * FROM backup.term",
    "DELETE FROM spo",
    "INSERT INTO spo SELECT * FROM backup.spo",
    "DELETE FROM pos",
    "INSERT INTO pos SELECT * FROM backup.pos",
    "DELETE FROM ops",
    "INSERT INTO ops SELECT * FROM backup.ops",
    "DELETE FROM value_index",
    "INSERT INTO value_index SELECT * FROM backup.value_index",
    "DELETE FROM value_part",
    "INSERT INTO value_part SELECT * FROM backup.value_part",
    "DELETE FROM value_row",
    "INSERT INTO value_row SELECT * FROM backup.value_row",
    "DELETE FROM bare",
    "INSERT INTO bare SELECT * FROM backup.bare",
    "DELETE FROM node",
    "INSERT INTO node SELECT * FROM backup.node",
    "DELETE FROM type_count",
    "INSERT INTO type_count SELECT * FROM backup.type_count",
    "DELETE FROM search",
    "INSERT INTO search (rowid, text) SELECT rowid, text FROM backup.search",
    "DELETE FROM counter",
    "INSERT INTO counter SELECT * FROM backup.counter",
    "DELETE FROM activity",
    "INSERT INTO activity SELECT * FROM backup.activity",
    "DELETE FROM activity_read",
    "INSERT INTO activity_read SELECT * FROM backup.activity_read",
    "DELETE FROM prov_name",
    "INSERT INTO prov_name SELECT * FROM backup.prov_name",
    "DELETE FROM prov_state",
    "INSERT INTO prov_state SELECT * FROM backup.prov_state",
    keep_tokens,
    keep_ended,
    "DELETE FROM kept", /* their nodes may be gone */
    "INSERT INTO kept SELECT * FROM backup.kept",
    "DELETE FROM spelt",
    "INSERT INTO spelt SELECT * FROM backup.spelt",
    "DELETE FROM project", /* whose IRIs are here now */
    "INSERT INTO project SELECT * FROM backup.project",
    "DELETE FROM published",
    "INSERT INTO published SELECT * FROM backup.published",
    "DELETE FROM measured",
    "INSERT INTO measured SELECT * FROM backup.measured",
    "DELETE FROM measured_times",
    "INSERT INTO measured_times SELECT * FROM backup.measured_times",
    "DELETE FROM slow_query", /* of other nodes */
};

/*
 * The ids in old rows of the feed may mean something else now: the rows go, and
 * a number is left out. Readers that find one missing assume that anything may
 * have changed, and so it may.
 */
static tr_status restart_feed(struct tr_db *db, struct tr_err *err)
{
    struct tr_graph_feed_row row = {.kind = TR_GRAPH_FEED_MANY};
    TR_TRY(tr_graph_feed_add(db, &row, err));
    TR_TRY(tr_db_exec(db, "DELETE FROM change", err));
    return tr_graph_feed_add(db, &row, err);
}

static tr_status replace(struct tr_db *db, struct tr_err *err)
{
    TR_TRY(tr_db_begin(db, TR_DB_WRITE, err));
    for (size_t i = 0; i < TR_LEN(steps); i++)
        TR_TRY(tr_db_exec(db, steps[i], err));
    TR_TRY(restart_feed(db, err));
    return tr_db_commit(db, err);
}

static tr_status attach(struct tr_db *db, const char *copy, struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    TR_TRY(tr_db_prepare(db, "ATTACH ?1 AS backup", &stmt, err));
    tr_db_bind_text(stmt, 1, tr_str_from(copy));
    return tr_db_stmt_run(stmt, err);
}

/* A file that SQLite can read need not be a store. */
static tr_status check_backup(struct tr_db *db, const char *backup,
                              struct tr_err *err)
{
    int64_t version = 0;
    TR_TRY(tr_db_version(db, &version, err));
    if (version == 0)
        return tr_fail(err, TR_E_INVALID, "%s is no backup of a store", backup);
    return tr_db_check(db, err);
}

static tr_status make_copy(const char *backup, const char *copy,
                           struct tr_err *err)
{
    static const struct tr_db_opts opts = {.read_only = true};
    struct tr_db *db = NULL;
    if (access(backup, R_OK) != 0)
        return tr_fail(err, errno == ENOENT ? TR_E_NOT_FOUND : TR_E_IO,
                       "%s: %s", backup, strerror(errno));
    TR_TRY(tr_db_open(backup, &opts, &db, err));
    tr_status status = check_backup(db, backup, err);
    if (status == TR_OK)
        status = tr_db_backup(db, copy, err);
    tr_db_close(db);
    return status;
}

static tr_status upgrade_copy(const char *copy, struct tr_err *err)
{
    static const struct tr_db_opts opts = {.no_sync = true};
    struct tr_db *db = NULL;
    TR_TRY(tr_db_open(copy, &opts, &db, err));
    tr_status status = tr_graph_schema(db, err);
    tr_db_close(db);
    return status;
}

static tr_status restore_copy(const char *path, const struct tr_db_opts *opts,
                              const char *copy, struct tr_err *err)
{
    struct tr_db *db = NULL;
    TR_TRY(upgrade_copy(copy, err));
    TR_TRY(tr_db_open(path, opts, &db, err));
    tr_status status = attach(db, copy, err);
    if (status == TR_OK)
        status = replace(db, err);
    tr_db_close(db);
    return status;
}

tr_status tr_graph_restore(const char *path, const struct tr_db_opts *opts,
                           const char *backup, struct tr_err *err)
{
    struct tr_db_scratch copy;
    tr_db_scratch_sweep(path);
    TR_TRY(tr_db_scratch_open(&copy, path, err));
    tr_status status = make_copy(backup, copy.path, err);
    if (status == TR_OK)
        status = restore_copy(path, opts, copy.path, err);
    tr_db_scratch_close(&copy);
    return status;
}

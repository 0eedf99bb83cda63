#include "graph/reader.h"

tr_status tr_epoch_read(struct tr_db *db, int64_t *out, struct tr_err *err)
{
    struct tr_stmt *stmt;
    bool row;
    TR_TRY(
        tr_db_prepare(db, "SELECT value FROM meta WHERE key = 1", &stmt, err));
    TR_TRY(tr_stmt_step(stmt, &row, err));
    *out = row ? tr_column_i64(stmt, 0) : 0;
    tr_stmt_reset(stmt);
    return row ? TR_OK : tr_fail(err, TR_E_IO, "the store has no epoch");
}

tr_status tr_epoch_raise(struct tr_db *db, struct tr_err *err)
{
    struct tr_stmt *stmt;
    TR_TRY(tr_db_prepare(db, "UPDATE meta SET value = value + 1 WHERE key = 1",
                         &stmt, err));
    return tr_stmt_run(stmt, err);
}

static tr_status open_reader(struct tr_reader *reader, const char *path,
                             const struct tr_db_opts *opts, struct tr_err *err)
{
    struct tr_db_opts own = opts ? *opts : (struct tr_db_opts){0};
    own.read_only = true;
    TR_TRY(tr_db_open(path, &own, &reader->db, err));
    TR_TRY(tr_terms_create(reader->db, &reader->terms, err));
    tr_stored_graph_init(&reader->stored, reader->db, reader->terms);
    return TR_OK;
}

tr_status tr_reader_create(const char *path, const struct tr_db_opts *opts,
                           struct tr_reader **out, struct tr_err *err)
{
    struct tr_reader *reader = calloc(1, sizeof(*reader));
    if (!reader)
        return tr_fail(err, TR_E_NOMEM, "no memory for a reader");
    tr_status status = open_reader(reader, path, opts, err);
    if (status != TR_OK) {
        tr_reader_free(reader);
        return status;
    }
    *out = reader;
    return TR_OK;
}

void tr_reader_free(struct tr_reader *reader)
{
    if (!reader)
        return;
    tr_terms_free(reader->terms);
    tr_db_close(reader->db);
    free(reader);
}

/* What an older epoch has taught us of ids is wrong. */
static tr_status check_epoch(struct tr_reader *reader, struct tr_err *err)
{
    int64_t epoch = 0;
    TR_TRY(tr_epoch_read(reader->db, &epoch, err));
    if (epoch != reader->epoch)
        tr_terms_forget(reader->terms);
    reader->epoch = epoch;
    return TR_OK;
}

tr_status tr_reader_begin(struct tr_reader *reader, struct tr_err *err)
{
    TR_TRY(tr_db_begin(reader->db, TR_DB_READ, err));
    tr_status status = check_epoch(reader, err);
    if (status != TR_OK)
        tr_db_rollback(reader->db);
    return status;
}

void tr_reader_end(struct tr_reader *reader)
{
    tr_db_rollback(reader->db);
    tr_terms_trim(reader->terms);
}

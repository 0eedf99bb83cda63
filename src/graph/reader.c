#include "graph/reader.h"

#include "graph/owner.h"

static const char read_epoch[] = "SELECT value FROM meta WHERE key = 1";

tr_status tr_graph_epoch_read(struct tr_db *db, int64_t *out,
                              struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    bool row;
    TR_TRY(tr_db_prepare(db, read_epoch, &stmt, err));
    TR_TRY(tr_db_stmt_step(stmt, &row, err));
    *out = row ? tr_db_column_i64(stmt, 0) : 0;
    tr_db_stmt_reset(stmt);
    return row ? TR_OK : tr_fail(err, TR_E_IO, "the store has no epoch");
}

tr_status tr_graph_epoch_raise(struct tr_db *db, struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    TR_TRY(tr_db_prepare(db, "UPDATE meta SET value = value + 1 WHERE key = 1",
                         &stmt, err));
    return tr_db_stmt_run(stmt, err);
}

static tr_status open_reader(struct tr_graph_reader *reader, const char *path,
                             const struct tr_db_opts *opts, struct tr_err *err)
{
    struct tr_db_opts own = opts ? *opts : (struct tr_db_opts){0};
    own.read_only = true;
    TR_TRY(tr_db_open(path, &own, &reader->db, err));
    TR_TRY(tr_graph_terms_create(reader->db, &reader->terms, err));
    tr_graph_stored_graph_init(&reader->stored, reader->db, reader->terms);
    return TR_OK;
}

tr_status tr_graph_reader_create(const char *path,
                                 const struct tr_db_opts *opts,
                                 struct tr_graph_reader **out,
                                 struct tr_err *err)
{
    struct tr_graph_reader *reader = calloc(1, sizeof(*reader));
    if (!reader)
        return tr_fail(err, TR_E_NOMEM, "no memory for a reader");
    tr_status status = open_reader(reader, path, opts, err);
    if (status != TR_OK) {
        tr_graph_reader_free(reader);
        return status;
    }
    *out = reader;
    return TR_OK;
}

static void end_turn(void *data)
{
    struct tr_graph_reader *reader = data;
    tr_db_rollback(reader->db);
    reader->is_kept = false;
}

void tr_graph_reader_share(struct tr_graph_reader *reader, struct tr_loop *loop,
                           const struct tr_graph_generation *generation)
{
    reader->loop = loop;
    reader->generation = generation;
    tr_loop_tick_init(&reader->tick, end_turn, reader);
}

void tr_graph_reader_free(struct tr_graph_reader *reader)
{
    if (!reader)
        return;
    if (reader->loop)
        tr_loop_tick_remove(&reader->tick);
    tr_graph_value_set_free(&reader->values);
    tr_graph_terms_free(reader->terms);
    tr_db_close(reader->db);
    free(reader);
}

/* In a new epoch the store may be somebody else's, and ids that were remembered
 * mean something else. */
static tr_status enter_epoch(struct tr_graph_reader *reader, int64_t epoch,
                             struct tr_err *err)
{
    tr_graph_terms_forget(reader->terms);
    if (reader->owner)
        TR_TRY(tr_graph_owner_check(reader->db, reader->owner, err));
    TR_TRY(tr_graph_value_set_load(&reader->values, reader->db, reader->terms,
                                   err));
    reader->epoch = epoch;
    return TR_OK;
}

static tr_status begin(struct tr_graph_reader *reader, struct tr_err *err)
{
    int64_t epoch = 0;
    tr_status status = tr_db_begin_with(reader->db, read_epoch, &epoch, err);
    if (status == TR_E_NOT_FOUND)
        return tr_fail(err, TR_E_IO, "the store has no epoch");
    TR_TRY(status);
    if (epoch != reader->epoch)
        status = enter_epoch(reader, epoch, err);
    if (status != TR_OK)
        tr_db_rollback(reader->db);
    return status;
}

/* Reads the generation before the transaction begins: a commit in between makes
 * the next job begin anew, even if this one has seen it; never the reverse. */
tr_status tr_graph_reader_begin(struct tr_graph_reader *reader,
                                struct tr_err *err)
{
    if (!reader->loop)
        return begin(reader, err);
    uint64_t now = tr_graph_generation_get(reader->generation);
    if (reader->is_kept && now != reader->seen)
        tr_db_rollback(reader->db);
    bool is_fresh = reader->is_kept && now == reader->seen;
    reader->is_kept = false;
    reader->seen = now;
    return is_fresh ? TR_OK : begin(reader, err);
}

void tr_graph_reader_end(struct tr_graph_reader *reader)
{
    tr_graph_terms_trim(reader->terms, TR_MIB(3)); /* each loop has one */
    if (!reader->loop) {
        tr_db_rollback(reader->db);
        return;
    }
    reader->is_kept = true;
    tr_loop_tick_add(&reader->tick, reader->loop);
}

void tr_graph_reader_trim(struct tr_graph_reader *reader)
{
    tr_graph_terms_trim(reader->terms, TR_MIB(3));
}

tr_status tr_graph_reader_iri(void *reader, uint64_t id, tr_str *iri,
                              struct tr_err *err)
{
    const struct tr_graph_reader *self = reader;
    tr_rdf_term term;
    tr_status status = tr_graph_terms_get(self->terms, id, &term, err);
    if (status == TR_E_NOT_FOUND) {
        *iri = TR_STR("");
        return TR_OK;
    }
    TR_TRY(status);
    *iri = term.text;
    return TR_OK;
}

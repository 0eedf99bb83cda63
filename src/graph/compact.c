#include "base/limits.h"
#include "graph/reader.h"
#include "graph/term_key.h"
#include "graph/upkeep.h"
#include "prov/view.h"
#include "rdf/term.h"

/* Where ids of terms stand. A column may also hold NULL, or 0 for none, or the
 * id of the default graph: has_row tells these apart. */
static const struct {
    const char *sql;
    int columns;
} uses[] = {
    {"SELECT s, p, o, g FROM spo", 4},
    {"SELECT s, type FROM node", 2},
    {"SELECT type FROM type_count WHERE count > 0", 1},
    {"SELECT subject, type FROM change", 2},
    {"SELECT class FROM value_index", 1},
    {"SELECT p FROM value_part", 1},
    {"SELECT p FROM bare", 1},
    {"SELECT id FROM term WHERE key = CAST(char(1) || '" TR_RDF_IRI_RDF_TYPE
     "' AS BLOB) AND EXISTS (SELECT 1 FROM value_index)",
     1},
};

struct compaction {
    struct tr_db *db;
    uint64_t bound;        /* above all sequence numbers */
    unsigned char *used;   /* a bit for each number */
    struct tr_buf removed; /* int64_t: ids */
    struct tr_graph_compacted counts;
};

static bool has_row(tr_rdf_id id)
{
    return id >= tr_graph_id_make(1, 0) && !tr_graph_id_is_inline(id);
}

static tr_status mark(void *context, uint64_t id, struct tr_err *err)
{
    struct compaction *c = context;
    uint64_t seq = id >> TR_GRAPH_TAG_BITS;
    (void)err;
    if (has_row(id) && seq < c->bound)
        c->used[seq / 8] |= (unsigned char)(1u << seq % 8);
    return TR_OK;
}

static bool is_used(const struct compaction *c, tr_rdf_id id)
{
    uint64_t seq = id >> TR_GRAPH_TAG_BITS;
    return seq < c->bound && (c->used[seq / 8] & 1u << seq % 8);
}

static tr_status mark_columns(struct compaction *c, const char *sql,
                              int columns, struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    bool row;
    TR_TRY(tr_db_prepare(c->db, sql, &stmt, err));
    TR_TRY(tr_db_stmt_step(stmt, &row, err));
    while (row) {
        for (int i = 0; i < columns; i++)
            TR_TRY(mark(c, (uint64_t)tr_db_column_i64(stmt, i), err));
        TR_TRY(tr_db_stmt_step(stmt, &row, err));
    }
    return TR_OK;
}

/* A literal that is used uses its datatype. */
static tr_status mark_datatypes(struct compaction *c, struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    bool row;
    TR_TRY(tr_db_prepare(c->db,
                         "SELECT id, substr(key, 2, 8) FROM term"
                         " WHERE (id & 15) = 3",
                         &stmt, err));
    TR_TRY(tr_db_stmt_step(stmt, &row, err));
    while (row) {
        tr_str key = tr_db_column_blob(stmt, 1);
        if (is_used(c, (tr_rdf_id)tr_db_column_i64(stmt, 0)) &&
            key.len == TR_GRAPH_KEY_ID_BYTES)
            TR_TRY(mark(c, tr_graph_term_key_id(key.ptr), err));
        TR_TRY(tr_db_stmt_step(stmt, &row, err));
    }
    return TR_OK;
}

static tr_status mark_all(struct compaction *c, struct tr_err *err)
{
    for (size_t i = 0; i < TR_LEN(uses); i++)
        TR_TRY(mark_columns(c, uses[i].sql, uses[i].columns, err));
    TR_TRY(tr_prov_each_id(c->db, mark, c, err));
    return mark_datatypes(c, err);
}

static tr_status collect_unused(struct compaction *c, struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    bool row;
    TR_TRY(tr_db_prepare(c->db, "SELECT id FROM term", &stmt, err));
    TR_TRY(tr_db_stmt_step(stmt, &row, err));
    while (row) {
        int64_t id = tr_db_column_i64(stmt, 0);
        c->counts.terms++;
        if (!is_used(c, (tr_rdf_id)id)) {
            tr_buf_put(&c->removed, (tr_str){(const char *)&id, sizeof(id)});
            TR_TRY(tr_buf_check(&c->removed, err));
            c->counts.removed++;
        }
        TR_TRY(tr_db_stmt_step(stmt, &row, err));
    }
    return TR_OK;
}

/* Remembers the highest id before its term may go, so that no new term gets an
 * id that others may still remember. */
static tr_status remove_unused(struct compaction *c, struct tr_err *err)
{
    struct tr_db_rows rows = {.values = (const int64_t *)(void *)c->removed.ptr,
                              .columns = 1,
                              .count = c->removed.len / sizeof(int64_t)};
    TR_TRY(tr_db_exec(c->db,
                      "INSERT OR REPLACE INTO meta SELECT 2, max(id) FROM"
                      " (SELECT max(id) AS id FROM term UNION ALL"
                      " SELECT value FROM meta WHERE key = 2)"
                      " HAVING max(id) IS NOT NULL",
                      err));
    return tr_db_insert(c->db,
                        "DELETE FROM term WHERE id IN (SELECT c0 FROM tr_rows)",
                        &rows, err);
}

static tr_status make_marks(struct compaction *c, struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    bool row;
    TR_TRY(tr_db_prepare(c->db, "SELECT max(id) FROM term", &stmt, err));
    TR_TRY(tr_db_stmt_step(stmt, &row, err));
    c->bound = ((uint64_t)tr_db_column_i64(stmt, 0) >> TR_GRAPH_TAG_BITS) + 1;
    tr_db_stmt_reset(stmt);
    c->used = calloc((size_t)(c->bound / 8 + 1), 1);
    return c->used ? TR_OK
                   : tr_fail(err, TR_E_NOMEM, "no memory to mark terms");
}

/* FTS5 keeps the words of a deleted text until its index is made anew. */
static tr_status compact(struct compaction *c, struct tr_err *err)
{
    TR_TRY(tr_db_begin(c->db, TR_DB_WRITE, err));
    TR_TRY(make_marks(c, err));
    TR_TRY(mark_all(c, err));
    TR_TRY(collect_unused(c, err));
    TR_TRY(remove_unused(c, err));
    TR_TRY(tr_db_exec(c->db, "DELETE FROM type_count WHERE count = 0", err));
    /* Results may quote what was deleted: a repeated call runs anew. */
    TR_TRY(tr_db_exec(c->db, "DELETE FROM kept", err));
    TR_TRY(tr_db_exec(c->db, "INSERT INTO search (search) VALUES ('rebuild')",
                      err));
    TR_TRY(tr_graph_epoch_raise(c->db, err));
    TR_TRY(tr_db_commit(c->db, err));
    return tr_db_shrink(c->db, err);
}

tr_status tr_graph_compact(const char *path, const struct tr_db_opts *opts,
                           struct tr_graph_compacted *out, struct tr_err *err)
{
    struct compaction c = {0};
    TR_TRY(tr_db_open(path, opts, &c.db, err));
    tr_buf_init(&c.removed, TR_LIMIT_GRAPH_TABLE);
    tr_status status = compact(&c, err);
    tr_buf_done(&c.removed);
    free(c.used);
    tr_db_close(c.db);
    if (status == TR_OK)
        *out = c.counts;
    return status;
}

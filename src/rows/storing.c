#include "rows/storing.h"

#include "base/limits.h"
#include "db/db.h"
#include "rows/bodies.h"

#include <stdlib.h>

/* More rows of `spo` than this have more bytes than come back into a body. */
#define BACK_ROWS (TR_PACK_BODY_BACK / 2)

void tr_rows_storing_init(struct tr_rows_storing *storing, struct tr_db *db,
                          struct tr_rows_terms *terms, struct tr_arena *arena,
                          struct tr_err *err)
{
    *storing = (struct tr_rows_storing){
        .db = db, .terms = terms, .arena = arena, .err = err};
    tr_buf_init(&storing->body, TR_LIMIT_CHANGE_BYTES);
    tr_arena_init(&storing->scratch, TR_LIMIT_CHANGE_BYTES);
}

void tr_rows_storing_done(struct tr_rows_storing *storing)
{
    tr_buf_done(&storing->body);
    tr_arena_done(&storing->scratch);
}

static tr_status no_memory(struct tr_rows_storing *storing)
{
    return tr_fail(storing->err, TR_E_NOMEM, "no memory for statements");
}

static int64_t iri_id(uint64_t number)
{
    return (int64_t)tr_rows_id_make(number, TR_ROWS_TAG_IRI);
}

/* Long values ------------------------------------------------------------- */

tr_status tr_rows_storing_text(struct tr_rows_storing *storing, tr_str whole,
                               struct tr_buf *out)
{
    struct tr_db_stmt *stmt;
    TR_TRY(tr_db_prepare(storing->db, "INSERT INTO text (v) VALUES (?1)", &stmt,
                         storing->err));
    tr_db_bind_blob(stmt, 1, whole);
    TR_TRY(tr_db_stmt_run(stmt, storing->err));
    tr_pack_value_put_long(out, whole, (uint64_t)tr_db_last_id(storing->db));
    return tr_buf_check(out, storing->err);
}

static bool is_long(tr_str value)
{
    return value.len && value.ptr[0] == TR_PACK_LONG;
}

/* The text of a value that goes, if it has a row of its own. */
static tr_status remove_text(struct tr_rows_storing *storing, tr_str stored)
{
    struct tr_pack_value value;
    struct tr_db_stmt *stmt;
    if (!is_long(stored))
        return TR_OK;
    TR_TRY(tr_pack_value_get(stored, &value, storing->err));
    TR_TRY(tr_db_prepare(storing->db, "DELETE FROM text WHERE id = ?1", &stmt,
                         storing->err));
    tr_db_bind_i64(stmt, 1, (int64_t)value.number);
    return tr_db_stmt_run(stmt, storing->err);
}

/* Predicates that are not packed ------------------------------------------ */

/* A row of `spo`: parameters 1 to 4; and up to 5 what is the same value, for
 * behind a long one stands its row. */
static void bind_spo(struct tr_rows_storing *storing, struct tr_db_stmt *stmt,
                     const tr_pack_statement *one)
{
    char last[TR_PACK_LONG_MAX];
    tr_str identity = tr_pack_value_identity(one->v);
    tr_db_bind_i64(stmt, 1, (int64_t)storing->s);
    tr_db_bind_i64(stmt, 2, iri_id(one->p));
    tr_db_bind_blob(stmt, 3, identity);
    tr_db_bind_i64(stmt, 4, (int64_t)tr_rows_id_of_graph(one->g));
    if (!is_long(one->v)) {
        tr_db_bind_blob(stmt, 5, identity);
        return;
    }
    memset(last, 0xFF, sizeof(last));
    memcpy(last, identity.ptr, identity.len);
    tr_db_bind_blob_copy(stmt, 5, (tr_str){last, sizeof(last)});
}

static tr_status put_spo(struct tr_rows_storing *storing,
                         const tr_pack_statement *one, bool *changed)
{
    struct tr_db_stmt *stmt;
    TR_TRY(tr_db_prepare(storing->db,
                         is_long(one->v)
                             ? "INSERT INTO spo (s, p, v, g)"
                               " SELECT ?1, ?2, ?6, ?4 WHERE NOT EXISTS"
                               " (SELECT 1 FROM spo WHERE s = ?1 AND p = ?2"
                               " AND v >= ?3 AND v <= ?5 AND g = ?4)"
                             : "INSERT OR IGNORE INTO spo (s, p, v, g)"
                               " SELECT ?1, ?2, ?5, ?4",
                         &stmt, storing->err));
    bind_spo(storing, stmt, one);
    if (is_long(one->v))
        tr_db_bind_blob(stmt, 6, one->v);
    TR_TRY(tr_db_stmt_run(stmt, storing->err));
    *changed = tr_db_changes(storing->db) > 0;
    return TR_OK;
}

static tr_status move_out(void *context, const tr_pack_statement *one,
                          struct tr_err *err)
{
    bool changed;
    (void)err;
    return put_spo(context, one, &changed);
}

/* The text of a long value goes with it. */
static tr_status remove_spo(struct tr_rows_storing *storing,
                            const tr_pack_statement *one, bool *changed)
{
    struct tr_db_stmt *stmt;
    bool row;
    TR_TRY(tr_db_prepare(storing->db,
                         "DELETE FROM spo WHERE s = ?1 AND p = ?2 AND v >= ?3"
                         " AND v <= ?5 AND g = ?4 RETURNING v",
                         &stmt, storing->err));
    bind_spo(storing, stmt, one);
    TR_TRY(tr_db_stmt_step(stmt, &row, storing->err));
    *changed = row;
    tr_status status =
        row ? remove_text(storing, tr_db_column_blob(stmt, 0)) : TR_OK;
    while (row && status == TR_OK)
        status = tr_db_stmt_step(stmt, &row, storing->err);
    if (status != TR_OK && row)
        tr_db_stmt_reset(stmt);
    return status;
}

static tr_status change_elsewhere(struct tr_rows_storing *storing,
                                  tr_pack_change *change)
{
    bool changed;
    TR_TRY(change->is_added
               ? put_spo(storing, &change->statement, &changed)
               : remove_spo(storing, &change->statement, &changed));
    change->done = changed ? TR_PACK_ELSEWHERE : TR_PACK_SAME;
    return TR_OK;
}

/* Sorted as a body is, where the row of a long value does not count. */
static tr_status read_spo(struct tr_rows_storing *storing, uint64_t p,
                          tr_pack_statement *rows, size_t *count)
{
    struct tr_db_stmt *stmt;
    bool row;
    *count = 0;
    TR_TRY(tr_db_prepare(storing->db,
                         "SELECT v, g FROM spo WHERE s = ?1 AND p = ?2"
                         " LIMIT ?3",
                         &stmt, storing->err));
    tr_db_bind_i64(stmt, 1, (int64_t)storing->s);
    tr_db_bind_i64(stmt, 2, iri_id(p));
    tr_db_bind_i64(stmt, 3, BACK_ROWS + 1);
    TR_TRY(tr_db_stmt_step(stmt, &row, storing->err));
    while (row) {
        tr_pack_statement *one = &rows[(*count)++];
        one->p = p;
        one->g = tr_rows_id_number((tr_rdf_id)tr_db_column_i64(stmt, 1));
        if (!tr_arena_copy(&storing->scratch, tr_db_column_blob(stmt, 0),
                           &one->v)) {
            tr_db_stmt_reset(stmt);
            return no_memory(storing);
        }
        TR_TRY(tr_db_stmt_step(stmt, &row, storing->err));
    }
    qsort(rows, *count, sizeof(*rows), tr_pack_statement_cmp);
    return TR_OK;
}

/* Packs a predicate again that has little left. */
static tr_status take_back(struct tr_rows_storing *storing, uint64_t p)
{
    tr_pack_statement rows[BACK_ROWS + 1];
    struct tr_db_stmt *stmt;
    size_t count;
    bool done = false;
    TR_TRY(read_spo(storing, p, rows, &count));
    if (count <= BACK_ROWS)
        TR_TRY(tr_pack_body_take_back(&storing->body, p, rows, count, &done,
                                      storing->err));
    if (!done)
        return TR_OK;
    TR_TRY(tr_db_prepare(storing->db, "DELETE FROM spo WHERE s = ?1 AND p = ?2",
                         &stmt, storing->err));
    tr_db_bind_i64(stmt, 1, (int64_t)storing->s);
    tr_db_bind_i64(stmt, 2, iri_id(p));
    return tr_db_stmt_run(stmt, storing->err);
}

static tr_status take_all_back(struct tr_rows_storing *storing,
                               const tr_pack_change *changes, size_t count)
{
    uint64_t last = 0;
    for (size_t i = 0; i < count; i++) {
        const tr_pack_change *change = &changes[i];
        if (change->done != TR_PACK_ELSEWHERE || change->is_added ||
            change->statement.p == last)
            continue;
        last = change->statement.p;
        TR_TRY(take_back(storing, last));
    }
    return TR_OK;
}

/* Rows of subjects -------------------------------------------------------- */

static tr_status settle(struct tr_rows_storing *storing,
                        tr_pack_change *changes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        tr_pack_change *change = &changes[i];
        if (change->done == TR_PACK_ELSEWHERE)
            TR_TRY(change_elsewhere(storing, change));
        else if (change->done == TR_PACK_CHANGED && !change->is_added)
            TR_TRY(remove_text(storing, change->stored));
        /* What was there already needs no second text. */
        if (change->done == TR_PACK_SAME && change->is_added)
            TR_TRY(remove_text(storing, change->statement.v));
        else if (change->done != TR_PACK_SAME)
            storing->quads += change->is_added ? 1 : -1;
    }
    TR_TRY(take_all_back(storing, changes, count));
    return tr_pack_body_split(&storing->body, move_out, storing,
                              &storing->scratch, storing->err);
}

static void bind_head(struct tr_db_stmt *stmt, const struct tr_rows_head *head)
{
    if (head->is_node)
        tr_db_bind_i64(stmt, 3, (int64_t)head->type);
    else
        tr_db_bind_null(stmt, 3);
    tr_db_bind_i64(stmt, 4, head->is_node ? head->version : 0);
    if (head->is_node && head->label.ptr)
        tr_db_bind_text(stmt, 5, head->label);
    else
        tr_db_bind_null(stmt, 5);
}

static tr_status insert_row(struct tr_rows_storing *storing,
                            const struct tr_rows_head *head)
{
    static const struct tr_rows_head none = {0};
    struct tr_db_stmt *stmt;
    tr_rdf_term iri = {.text = head->iri};
    if (!iri.text.len)
        TR_TRY(
            tr_rows_terms_get(storing->terms, storing->s, &iri, storing->err));
    TR_TRY(tr_db_prepare(storing->db,
                         "INSERT INTO node (s, type, version, label, iri, body)"
                         " VALUES (?1, ?3, ?4, ?5, ?6, ?2)",
                         &stmt, storing->err));
    tr_db_bind_i64(stmt, 1, (int64_t)storing->s);
    tr_db_bind_blob(stmt, 2, tr_buf_str(&storing->body));
    bind_head(stmt, head->is_kept ? &none : head);
    tr_db_bind_blob(stmt, 6, iri.text);
    return tr_db_stmt_run(stmt, storing->err);
}

static tr_status update_row(struct tr_rows_storing *storing,
                            const struct tr_rows_head *head)
{
    struct tr_db_stmt *stmt;
    TR_TRY(tr_db_prepare(storing->db,
                         head->is_kept
                             ? "UPDATE node SET body = ?2 WHERE s = ?1"
                             : "UPDATE node SET body = ?2, type = ?3,"
                               " version = ?4, label = ?5 WHERE s = ?1",
                         &stmt, storing->err));
    tr_db_bind_i64(stmt, 1, (int64_t)storing->s);
    tr_db_bind_blob(stmt, 2, tr_buf_str(&storing->body));
    if (!head->is_kept)
        bind_head(stmt, head);
    return tr_db_stmt_run(stmt, storing->err);
}

static tr_status delete_row(struct tr_rows_storing *storing)
{
    struct tr_db_stmt *stmt;
    TR_TRY(tr_db_prepare(storing->db, "DELETE FROM node WHERE s = ?1", &stmt,
                         storing->err));
    tr_db_bind_i64(stmt, 1, (int64_t)storing->s);
    return tr_db_stmt_run(stmt, storing->err);
}

static tr_status write_row(struct tr_rows_storing *storing,
                           const struct tr_rows_body *old,
                           const struct tr_rows_head *head)
{
    bool says_nothing = storing->body.len <= 1; /* the version */
    bool is_node = head->is_kept ? old->is_node : head->is_node;
    if (says_nothing && !is_node)
        return old->is_there ? delete_row(storing) : TR_OK;
    return old->is_there ? update_row(storing, head)
                         : insert_row(storing, head);
}

tr_status tr_rows_storing_body(struct tr_rows_storing *storing,
                               tr_pack_change *changes, size_t count,
                               tr_rdf_id s, const struct tr_rows_head *head)
{
    struct tr_rows_body none = {0};
    struct tr_rows_body *old = &none;
    storing->s = s;
    tr_buf_clear(&storing->body);
    if (!head->is_new)
        TR_TRY(tr_rows_body_read(storing->terms, s, &old, storing->err));
    TR_TRY(tr_pack_body_apply(tr_buf_str(&old->bytes), changes, count,
                              &storing->body, storing->err));
    TR_TRY(settle(storing, changes, count));
    tr_status status = write_row(storing, old, head);
    tr_rows_body_drop(storing->terms, s);
    return status;
}

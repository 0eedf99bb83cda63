#include "rows/statements.h"

#include "db/db.h"
#include "rows/terms_inside.h"

void tr_rows_statements_open_body(struct tr_rows_statements *all,
                                  struct tr_rows_terms *terms, tr_rdf_id s,
                                  uint64_t p, tr_str body)
{
    *all = (struct tr_rows_statements){
        .terms = terms, .s = s, .p = p, .base = body.ptr};
    if (body.len) /* else there is no row */
        all->body = tr_pack_body_open(body);
}

void tr_rows_statements_open(struct tr_rows_statements *all,
                             struct tr_rows_terms *terms, tr_rdf_id s,
                             uint64_t p)
{
    struct tr_rows_body *kept;
    tr_status status = tr_rows_body_read(terms, s, &kept, NULL);
    tr_str body = status == TR_OK ? tr_buf_str(&kept->bytes) : TR_STR("");
    tr_rows_statements_open_body(all, terms, s, p, body);
    all->failed = status;
    if (status == TR_OK) {
        all->kept = kept;
        all->stamp = kept->stamp;
    }
}

static const char *moved(const struct tr_rows_statements *all, const char *to,
                         const char *at)
{
    return at ? to + (at - all->base) : NULL;
}

/* Others were read into its place meanwhile: it is read again. The row is the
 * same, for a transaction sees one state. */
static tr_status go_on(struct tr_rows_statements *all)
{
    struct tr_rows_body *kept;
    tr_status status = tr_rows_body_read(all->terms, all->s, &kept, NULL);
    if (status != TR_OK)
        return status;
    const char *to = kept->bytes.ptr;
    all->body.at = moved(all, to, all->body.at);
    all->body.end = moved(all, to, all->body.end);
    all->body.last.v.ptr = moved(all, to, all->body.last.v.ptr);
    all->base = to;
    all->kept = kept;
    all->stamp = kept->stamp;
    return TR_OK;
}

/* False when they cannot be read. */
static bool open_rows(struct tr_rows_statements *all, uint64_t p)
{
    all->met_mark = true;
    if (all->is_packed_only)
        return true;
    all->failed = tr_db_prepare(all->terms->db,
                                "SELECT g, v FROM spo WHERE s = ?1 AND p = ?2",
                                &all->rows, NULL);
    if (all->failed != TR_OK)
        return false;
    tr_db_bind_i64(all->rows, 1, (int64_t)all->s);
    tr_db_bind_i64(all->rows, 2, (int64_t)tr_rows_id_make(p, TR_ROWS_TAG_IRI));
    all->rows_p = p;
    return true;
}

static bool next_row(struct tr_rows_statements *all, tr_pack_statement *out)
{
    bool row = false;
    all->failed = tr_db_stmt_step(all->rows, &row, NULL);
    if (!row) {
        all->rows = NULL;
        return false;
    }
    *out = (tr_pack_statement){
        .p = all->rows_p,
        .g = tr_rows_id_number((tr_rdf_id)tr_db_column_i64(all->rows, 0)),
        .v = tr_db_column_blob(all->rows, 1),
    };
    return true;
}

static bool next_packed(struct tr_rows_statements *all, tr_pack_statement *out)
{
    if (all->kept && all->kept->stamp != all->stamp)
        all->failed = go_on(all);
    if (all->failed != TR_OK)
        return false;
    return all->p ? tr_pack_cursor_next_of(&all->body, all->p, out)
                  : tr_pack_cursor_next(&all->body, out);
}

bool tr_rows_statements_next(struct tr_rows_statements *all,
                             tr_pack_statement *out)
{
    while (all->failed == TR_OK) {
        if (all->rows) {
            if (next_row(all, out))
                return true;
        } else if (!next_packed(all, out)) {
            return false;
        } else if (out->v.len) {
            return true;
        } else if (!open_rows(all, out->p)) {
            return false;
        }
    }
    return false;
}

tr_status tr_rows_statements_close(struct tr_rows_statements *all,
                                   struct tr_err *err)
{
    if (all->rows)
        tr_db_stmt_reset(all->rows);
    all->rows = NULL;
    if (all->failed != TR_OK)
        return tr_fail(err, all->failed, "the store cannot be read");
    return tr_pack_cursor_close(&all->body, err);
}

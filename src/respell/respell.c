#include "respell/respell.h"

#include "base/limits.h"
#include "crypto/digest.h"
#include "db/db.h"
#include "graph/upkeep.h"
#include "graph/value_set.h"
#include "model/value_term.h"

/* A literal that is spelt otherwise, and the one that takes its place. */
struct respelling {
    tr_rdf_id from;
    tr_rdf_id to;
};

struct respell {
    struct tr_db *db;
    struct tr_graph_terms *terms;
    struct tr_buf found; /* struct respelling, of one predicate and kind */
    struct tr_buf room;
    size_t pairs;   /* predicates and kinds of the model */
    size_t missing; /* of these, that were not put right */
    uint64_t values;
};

/* Which are done ---------------------------------------------------------- */

static tr_status is_done(const struct respell *r, tr_str predicate,
                         enum tr_field_kind kind, bool *out, struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    TR_TRY(tr_db_prepare(
        r->db, "SELECT 1 FROM spelt WHERE predicate = ?1 AND kind = ?2", &stmt,
        err));
    tr_db_bind_text(stmt, 1, predicate);
    tr_db_bind_text(stmt, 2, tr_str_from(tr_field_kind_name(kind)));
    TR_TRY(tr_db_stmt_step(stmt, out, err));
    if (*out)
        tr_db_stmt_reset(stmt);
    return TR_OK;
}

static tr_status count_pair(void *context, tr_str predicate,
                            enum tr_field_kind kind, struct tr_err *err)
{
    struct respell *r = context;
    bool done;
    TR_TRY(is_done(r, predicate, kind, &done, err));
    r->pairs++;
    r->missing += !done;
    return TR_OK;
}

tr_status tr_respell_is_due(struct tr_db *db, const struct tr_model *model,
                            bool *out, struct tr_err *err)
{
    struct respell r = {.db = db};
    struct tr_db_stmt *stmt;
    bool row;
    TR_TRY(tr_model_each_spelling(model, count_pair, &r, err));
    TR_TRY(tr_db_prepare(db, "SELECT count(*) FROM spelt", &stmt, err));
    TR_TRY(tr_db_stmt_step(stmt, &row, err));
    *out = r.missing || tr_db_column_i64(stmt, 0) != (int64_t)r.pairs;
    tr_db_stmt_reset(stmt);
    return TR_OK;
}

/* Putting right ----------------------------------------------------------- */

static tr_status note(struct respell *r, tr_rdf_id id, enum tr_field_kind kind,
                      struct tr_err *err)
{
    struct respelling one = {.from = id};
    enum tr_field_kind own;
    tr_rdf_term term;
    TR_TRY(tr_graph_terms_get(r->terms, id, &term, err));
    if (!tr_model_spells_otherwise(&term, &r->room, &own) || own != kind)
        return TR_OK;
    TR_TRY(tr_buf_check(&r->room, err));
    term.text = tr_buf_str(&r->room);
    TR_TRY(tr_graph_terms_intern(r->terms, &term, &one.to, err));
    tr_buf_put(&r->found, (tr_str){(const char *)&one, sizeof(one)});
    return tr_buf_check(&r->found, err);
}

/* Values that stand in their ids are spelt as we do; all others are looked at.
 */
static tr_status find_values(struct respell *r, tr_rdf_id predicate,
                             enum tr_field_kind kind, struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    tr_status status = TR_OK;
    bool row = false;
    tr_buf_clear(&r->found);
    TR_TRY(tr_db_prepare(
        r->db, "SELECT DISTINCT o FROM pos WHERE p = ?1 AND (o & 15) = ?2",
        &stmt, err));
    tr_db_bind_i64(stmt, 1, (int64_t)predicate);
    tr_db_bind_i64(stmt, 2, TR_GRAPH_TAG_TYPED);
    for (;;) {
        TR_TRY(tr_db_stmt_step(stmt, &row, err));
        if (!row)
            return TR_OK;
        status = note(r, (tr_rdf_id)tr_db_column_i64(stmt, 0), kind, err);
        if (status != TR_OK) {
            tr_db_stmt_reset(stmt);
            return status;
        }
        tr_graph_terms_trim(r->terms, TR_GRAPH_TERMS_BYTES);
    }
}

/* Each statement has all three parameters; `AND ?3` is true of every id. */
static tr_status run_sql(struct respell *r, const char *sql,
                         tr_rdf_id predicate, const struct respelling *one,
                         struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    TR_TRY(tr_db_prepare(r->db, sql, &stmt, err));
    tr_db_bind_i64(stmt, 1, (int64_t)predicate);
    tr_db_bind_i64(stmt, 2, (int64_t)one->from);
    tr_db_bind_i64(stmt, 3, (int64_t)one->to);
    return tr_db_stmt_run(stmt, err);
}

/* A node that has the value in both spellings has it once from now on. */
static tr_status replace(struct respell *r, tr_rdf_id predicate,
                         const struct respelling *one, struct tr_err *err)
{
    TR_TRY(run_sql(r,
                   "INSERT OR IGNORE INTO spo (s, p, o, g)"
                   " SELECT s, p, ?3, g FROM pos WHERE p = ?1 AND o = ?2",
                   predicate, one, err));
    TR_TRY(run_sql(r,
                   "DELETE FROM spo WHERE p = ?1 AND o = ?2 AND ?3"
                   " AND s IN (SELECT s FROM pos WHERE p = ?1 AND o = ?2)",
                   predicate, one, err));
    TR_TRY(run_sql(r,
                   "INSERT OR IGNORE INTO pos (p, o, s, g)"
                   " SELECT p, ?3, s, g FROM pos WHERE p = ?1 AND o = ?2",
                   predicate, one, err));
    TR_TRY(run_sql(r, "DELETE FROM pos WHERE p = ?1 AND o = ?2 AND ?3",
                   predicate, one, err));
    r->values += (uint64_t)tr_db_changes(r->db);
    return TR_OK;
}

/* Those of bare predicates are by no value: then all get their rows, which are
 * taken out again when the store is opened. */
static tr_status need_rows(struct respell *r, tr_rdf_id predicate,
                           struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    bool is_bare;
    TR_TRY(tr_db_prepare(r->db, "SELECT 1 FROM bare WHERE p = ?1", &stmt, err));
    tr_db_bind_i64(stmt, 1, (int64_t)predicate);
    TR_TRY(tr_db_stmt_step(stmt, &is_bare, err));
    if (!is_bare)
        return TR_OK;
    tr_db_stmt_reset(stmt);
    return tr_graph_bare_fill(r->db, err);
}

static tr_status put_right(void *context, tr_str predicate,
                           enum tr_field_kind kind, struct tr_err *err)
{
    struct respell *r = context;
    tr_rdf_term term = tr_rdf_term_iri(predicate);
    tr_rdf_id id = TR_RDF_ID_NONE;
    bool done;
    TR_TRY(is_done(r, predicate, kind, &done, err));
    if (!done)
        TR_TRY(tr_graph_terms_find(r->terms, &term, &id, err));
    if (id == TR_RDF_ID_NONE)
        return TR_OK;
    TR_TRY(need_rows(r, id, err));
    TR_TRY(find_values(r, id, kind, err));
    const struct respelling *found = (const void *)r->found.ptr;
    for (size_t i = 0; i < r->found.len / sizeof(*found); i++)
        TR_TRY(replace(r, id, &found[i], err));
    return TR_OK;
}

static tr_status keep_pair(void *context, tr_str predicate,
                           enum tr_field_kind kind, struct tr_err *err)
{
    const struct respell *r = context;
    struct tr_db_stmt *stmt;
    TR_TRY(
        tr_db_prepare(r->db, "INSERT INTO spelt VALUES (?1, ?2)", &stmt, err));
    tr_db_bind_text(stmt, 1, predicate);
    tr_db_bind_text(stmt, 2, tr_str_from(tr_field_kind_name(kind)));
    return tr_db_stmt_run(stmt, err);
}

static tr_status find_clash(struct respell *r, const struct tr_model *model,
                            struct tr_respell_done *out, struct tr_err *err)
{
    struct tr_graph_stored_graph stored;
    struct tr_err why = {0};
    tr_graph_stored_graph_init(&stored, r->db, r->terms);
    tr_status status =
        tr_graph_unique_check(&stored.base, model, NULL, NULL, &why);
    if (status == TR_E_VALIDATION) {
        (void)snprintf(out->clash, sizeof(out->clash), "%s", why.msg);
        return TR_OK;
    }
    if (status != TR_OK && err)
        *err = why;
    return status;
}

static tr_status put_all_right(struct respell *r, const struct tr_model *model,
                               struct tr_respell_done *out, struct tr_err *err)
{
    TR_TRY(tr_model_each_spelling(model, put_right, r, err));
    TR_TRY(tr_db_exec(r->db, "DELETE FROM spelt", err));
    TR_TRY(tr_model_each_spelling(model, keep_pair, r, err));
    if (r->values) {
        TR_TRY(tr_graph_value_set_drop(r->db, err));
        TR_TRY(find_clash(r, model, out, err));
    }
    out->values = r->values;
    return tr_db_commit(r->db, err);
}

static tr_status respell(struct tr_db *db, const struct tr_model *model,
                         struct tr_respell_done *out, struct tr_err *err)
{
    struct respell r = {.db = db};
    TR_TRY(tr_db_begin(db, TR_DB_WRITE, err));
    tr_buf_init(&r.found, TR_LIMIT_GRAPH_TABLE);
    tr_buf_init(&r.room, TR_LIMIT_RDF_TERM);
    tr_status status = tr_graph_terms_create(db, &r.terms, err);
    if (status == TR_OK)
        status = put_all_right(&r, model, out, err);
    if (status != TR_OK)
        tr_db_rollback(db);
    tr_buf_done(&r.found);
    tr_buf_done(&r.room);
    tr_graph_terms_free(r.terms);
    return status;
}

tr_status tr_respell_store(struct tr_db *db, const struct tr_model *model,
                           struct tr_respell_done *out, struct tr_err *err)
{
    bool due;
    *out = (struct tr_respell_done){0};
    TR_TRY(tr_respell_is_due(db, model, &due, err));
    return due ? respell(db, model, out, err) : TR_OK;
}

static tr_status add_pair(void *context, tr_str predicate,
                          enum tr_field_kind kind, struct tr_err *err)
{
    static const tr_str end = TR_STR_INIT("\0");
    struct tr_crypto_siphash *out = context;
    (void)err;
    tr_crypto_siphash_add(out, predicate);
    tr_crypto_siphash_add(out, end);
    tr_crypto_siphash_add(out, tr_str_from(tr_field_kind_name(kind)));
    tr_crypto_siphash_add(out, end);
    return TR_OK;
}

void tr_respell_digest(const struct tr_model *model,
                       struct tr_crypto_siphash *out)
{
    tr_status status = tr_model_each_spelling(model, add_pair, out, NULL);
    (void)status; /* what is visited cannot fail */
}

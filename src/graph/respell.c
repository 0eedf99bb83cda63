#include "base/limits.h"
#include "graph/upkeep.h"
#include "model/value_term.h"
#include "rows/quads.h"
#include "rows/storing.h"

struct respell {
    struct tr_db *db;
    struct tr_rows_terms *terms;
    struct tr_arena arena; /* of one predicate */
    struct tr_rows_storing storing;
    struct tr_buf found; /* tr_rdf_id: subjects, of one predicate */
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

tr_status tr_graph_respell_is_due(struct tr_db *db,
                                  const struct tr_model *model, bool *out,
                                  struct tr_err *err)
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

/* Values that stand in their ids are spelt as we do; all others are looked at.
 */
static tr_status note(struct respell *r, tr_rdf_id s, tr_str key,
                      struct tr_err *err)
{
    const tr_rdf_id *found = (const void *)r->found.ptr;
    size_t count = r->found.len / sizeof(*found);
    struct tr_pack_key_value value;
    tr_rdf_id id;
    TR_TRY(tr_pack_key_get(key, &value, err));
    if ((!value.is_cut && tr_rows_id_of_value(&value.value, &id)) ||
        (count && found[count - 1] == s))
        return TR_OK;
    tr_buf_put(&r->found, (tr_str){(const char *)&s, sizeof(s)});
    return tr_buf_check(&r->found, err);
}

static tr_status find_subjects(struct respell *r, tr_rdf_id predicate,
                               struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    tr_status status = TR_OK;
    bool row = false;
    tr_buf_clear(&r->found);
    TR_TRY(
        tr_db_prepare(r->db, "SELECT s, k FROM pos WHERE p = ?1", &stmt, err));
    tr_db_bind_i64(stmt, 1, (int64_t)predicate);
    for (;;) {
        TR_TRY(tr_db_stmt_step(stmt, &row, err));
        if (!row)
            return TR_OK;
        status = note(r, (tr_rdf_id)tr_db_column_i64(stmt, 0),
                      tr_db_column_blob(stmt, 1), err);
        if (status != TR_OK) {
            tr_db_stmt_reset(stmt);
            return status;
        }
    }
}

/* The statements of one subject that are to be replaced, and by what. */
struct respelling {
    struct respell *r;
    enum tr_field_kind kind;
    TR_VEC(struct tr_rows_change) changes;
};

static tr_status see_value(void *context, tr_rdf_ids row, struct tr_err *err)
{
    struct respelling *one = context;
    struct respell *r = one->r;
    struct tr_rows_change from = {row, false};
    struct tr_rows_change to = {row, true};
    enum tr_field_kind own;
    tr_rdf_term term;
    TR_TRY(tr_rows_terms_get(r->terms, row.o, &term, err));
    if (term.kind != TR_RDF_TERM_LITERAL ||
        !tr_model_spells_otherwise(&term, &r->room, &own) || own != one->kind)
        return TR_OK;
    TR_TRY(tr_buf_check(&r->room, err));
    term.text = tr_buf_str(&r->room);
    TR_TRY(tr_rows_terms_intern(r->terms, &term, &to.quad.o, err));
    r->values++;
    return tr_vec_push(&r->arena, &one->changes, from) &&
                   tr_vec_push(&r->arena, &one->changes, to)
               ? TR_OK
               : tr_fail(err, TR_E_NOMEM, "no memory for spellings");
}

/* A node that has the value in both spellings has it once from now on. */
static tr_status put_subject_right(struct respell *r, tr_rdf_id s,
                                   tr_rdf_id predicate, enum tr_field_kind kind,
                                   struct tr_err *err)
{
    static const struct tr_rows_head head = {.is_kept = true};
    struct respelling one = {.r = r, .kind = kind};
    struct tr_rows_stored_graph stored;
    tr_rows_stored_graph_init(&stored, r->db, r->terms);
    TR_TRY(tr_rdf_graph_each(
        &stored.base, (tr_rdf_ids){s, predicate, TR_RDF_ID_ANY, TR_RDF_ID_ANY},
        see_value, &one, err));
    TR_TRY(tr_rows_storing_subject(&r->storing, one.changes.items,
                                   one.changes.count, s, &head));
    tr_rows_terms_trim(r->terms);
    return TR_OK;
}

static tr_status put_predicate_right(struct respell *r, tr_rdf_id predicate,
                                     enum tr_field_kind kind,
                                     struct tr_err *err)
{
    TR_TRY(find_subjects(r, predicate, err));
    const tr_rdf_id *found = (const void *)r->found.ptr;
    for (size_t i = 0; i < r->found.len / sizeof(*found); i++)
        TR_TRY(put_subject_right(r, found[i], predicate, kind, err));
    TR_TRY(tr_rows_storing_finish(&r->storing));
    tr_arena_reset(&r->arena);
    return TR_OK;
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
        TR_TRY(tr_rows_terms_find(r->terms, &term, &id, err));
    if (id == TR_RDF_ID_NONE)
        return TR_OK;
    return put_predicate_right(r, id, kind, err);
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
                            struct tr_graph_respelt *out, struct tr_err *err)
{
    struct tr_rows_stored_graph stored;
    struct tr_err why = {0};
    tr_rows_stored_graph_init(&stored, r->db, r->terms);
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
                               struct tr_graph_respelt *out, struct tr_err *err)
{
    TR_TRY(tr_model_each_spelling(model, put_right, r, err));
    TR_TRY(tr_db_exec(r->db, "DELETE FROM spelt", err));
    TR_TRY(tr_model_each_spelling(model, keep_pair, r, err));
    if (r->values)
        TR_TRY(find_clash(r, model, out, err));
    out->values = r->values;
    return tr_db_commit(r->db, err);
}

static tr_status respell(struct tr_db *db, const struct tr_model *model,
                         struct tr_graph_respelt *out, struct tr_err *err)
{
    struct respell r = {.db = db};
    bool due;
    TR_TRY(tr_graph_respell_is_due(db, model, &due, err));
    if (!due)
        return TR_OK;
    TR_TRY(tr_db_begin(db, TR_DB_WRITE, err));
    TR_TRY(tr_rows_terms_create(db, &r.terms, err));
    tr_buf_init(&r.found, TR_LIMIT_GRAPH_TABLE);
    tr_buf_init(&r.room, TR_LIMIT_RDF_TERM);
    tr_arena_init(&r.arena, TR_LIMIT_GRAPH_TABLE);
    tr_rows_storing_init(&r.storing, db, r.terms, &r.arena, err);
    tr_status status = put_all_right(&r, model, out, err);
    tr_buf_done(&r.found);
    tr_buf_done(&r.room);
    tr_rows_storing_done(&r.storing);
    tr_arena_done(&r.arena);
    tr_rows_terms_free(r.terms);
    return status;
}

tr_status tr_graph_respell(const char *path, const struct tr_db_opts *opts,
                           const struct tr_model *model,
                           struct tr_graph_respelt *out, struct tr_err *err)
{
    struct tr_db *db = NULL;
    *out = (struct tr_graph_respelt){0};
    TR_TRY(tr_db_open(path, opts, &db, err));
    tr_status status = respell(db, model, out, err);
    tr_db_close(db);
    return status;
}

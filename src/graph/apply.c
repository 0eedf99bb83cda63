#include "base/limits.h"
#include "graph/feed.h"
#include "graph/land_inside.h"
#include "graph/row.h"
#include "rdf/vocabulary.h"

/* The id in the store of a term that may be new. */
static tr_status make_real(struct tr_step *step, tr_id *id)
{
    if (!tr_id_is_new(*id))
        return TR_OK;
    tr_id *real = &step->real[tr_id_new_index(*id)];
    if (*real == TR_ID_NONE) {
        tr_term term;
        TR_TRY(tr_graph_get(step->after, *id, &term, step->err));
        TR_TRY(tr_terms_intern(step->lander->terms, &term, real, step->err));
    }
    *id = *real;
    return TR_OK;
}

static tr_status make_quad_real(struct tr_step *step, tr_ids *quad)
{
    TR_TRY(make_real(step, &quad->s));
    TR_TRY(make_real(step, &quad->p));
    TR_TRY(make_real(step, &quad->o));
    return make_real(step, &quad->g);
}

/* A class has a node once, in however many graphs that is said. */
static tr_status count_class(struct tr_step *step, tr_ids quad, int change)
{
    tr_ids pattern = {quad.s, quad.p, quad.o, TR_ID_ANY};
    struct tr_stmt *stmt;
    bool is_said = false;
    TR_TRY(
        tr_graph_has(&step->lander->stored.base, pattern, &is_said, step->err));
    if (is_said)
        return TR_OK;
    TR_TRY(tr_db_prepare(step->lander->db,
                         "INSERT INTO type_count VALUES (?1, ?2) ON CONFLICT"
                         " DO UPDATE SET count = count + ?2",
                         &stmt, step->err));
    tr_bind_i64(stmt, 1, (int64_t)quad.o);
    tr_bind_i64(stmt, 2, change);
    return tr_stmt_run(stmt, step->err);
}

static tr_status write_quad(struct tr_step *step, tr_ids quad, bool is_added,
                            tr_id type)
{
    struct tr_db *db = step->lander->db;
    bool changed;
    if (is_added && quad.p == type)
        TR_TRY(count_class(step, quad, 1));
    TR_TRY(is_added ? tr_quads_add(db, quad, &changed, step->err)
                    : tr_quads_remove(db, quad, &changed, step->err));
    if (!is_added && quad.p == type)
        TR_TRY(count_class(step, quad, -1));
    return TR_OK;
}

static tr_status write_quads(struct tr_step *step)
{
    tr_term term = tr_term_iri(TR_STR(TR_IRI_RDF_TYPE));
    tr_id type = TR_ID_NONE;
    for (size_t i = 0; i < step->count; i++)
        TR_TRY(make_quad_real(step, &step->changed[i]));
    TR_TRY(tr_terms_find(step->lander->terms, &term, &type, step->err));
    for (size_t i = 0; i < step->count; i++)
        TR_TRY(write_quad(step, step->changed[i], step->is_added[i], type));
    return TR_OK;
}

/* What the store had of a node before. */
struct old_row {
    bool is_there;
    tr_id type;
    int64_t version;
};

static tr_status read_row(struct tr_step *step, tr_id subject,
                          struct old_row *out)
{
    struct tr_stmt *stmt;
    TR_TRY(tr_db_prepare(step->lander->db,
                         "SELECT type, version FROM node WHERE s = ?1", &stmt,
                         step->err));
    tr_bind_i64(stmt, 1, (int64_t)subject);
    TR_TRY(tr_stmt_step(stmt, &out->is_there, step->err));
    if (out->is_there) {
        out->type = (tr_id)tr_column_i64(stmt, 0);
        out->version = tr_column_i64(stmt, 1);
    }
    tr_stmt_reset(stmt);
    return TR_OK;
}

static tr_status remove_row(struct tr_step *step, const char *sql,
                            tr_id subject)
{
    struct tr_stmt *stmt;
    TR_TRY(tr_db_prepare(step->lander->db, sql, &stmt, step->err));
    tr_bind_i64(stmt, 1, (int64_t)subject);
    return tr_stmt_run(stmt, step->err);
}

static tr_status write_row(struct tr_step *step, tr_id subject, int64_t version,
                           const struct tr_node_row *row)
{
    struct tr_stmt *stmt;
    TR_TRY(tr_db_prepare(step->lander->db,
                         "INSERT OR REPLACE INTO node VALUES (?1, ?2, ?3, ?4)",
                         &stmt, step->err));
    tr_bind_i64(stmt, 1, (int64_t)subject);
    tr_bind_i64(stmt, 2, (int64_t)row->type);
    tr_bind_i64(stmt, 3, version);
    if (row->has_label)
        tr_bind_text(stmt, 4, row->label);
    else
        tr_bind_null(stmt, 4);
    return tr_stmt_run(stmt, step->err);
}

static const char remove_text[] = "DELETE FROM search WHERE rowid = ?1";
static const char remove_node[] = "DELETE FROM node WHERE s = ?1";

static tr_status write_text(struct tr_step *step, tr_id subject,
                            const struct old_row *old,
                            const struct tr_node_row *row)
{
    struct tr_stmt *stmt;
    if (old->is_there)
        TR_TRY(remove_row(step, remove_text, subject));
    if (row->search.len == 0)
        return TR_OK;
    TR_TRY(tr_db_prepare(step->lander->db,
                         "INSERT INTO search (rowid, text) VALUES (?1, ?2)",
                         &stmt, step->err));
    tr_bind_i64(stmt, 1, (int64_t)subject);
    tr_bind_text(stmt, 2, row->search);
    return tr_stmt_run(stmt, step->err);
}

static tr_status tell(struct tr_step *step, struct tr_touched touched)
{
    struct tr_feed_row row = {
        .subject = touched.subject,
        .type = touched.type,
        .kind = (enum tr_feed_kind)touched.fate,
    };
    if (!tr_vec_push(step->landing->arena, &step->landing->touched, touched))
        return tr_fail(step->err, TR_E_NOMEM, "no memory for changes");
    return tr_feed_add(step->lander->db, &row, step->err);
}

static tr_status end_node(struct tr_step *step, tr_id subject,
                          const struct old_row *old)
{
    struct tr_touched touched = {subject, old->type, TR_DELETED};
    if (old->is_there) {
        TR_TRY(remove_row(step, remove_text, subject));
        TR_TRY(remove_row(step, remove_node, subject));
    }
    return tell(step, touched);
}

static tr_status write_node(struct tr_step *step, tr_id subject)
{
    const struct tr_graph *stored = &step->lander->stored.base;
    tr_ids pattern = {subject, TR_ID_ANY, TR_ID_ANY, TR_ID_ANY};
    struct old_row old = {0};
    struct tr_node_row row = {0};
    bool is_there = false;
    TR_TRY(read_row(step, subject, &old));
    TR_TRY(tr_graph_has(stored, pattern, &is_there, step->err));
    if (!is_there)
        return end_node(step, subject, &old);
    TR_TRY(tr_row_make(stored, step->landing->model, subject,
                       &step->lander->arena, &row, step->err));
    struct tr_touched touched = {subject, row.type,
                                 old.is_there ? TR_UPDATED : TR_CREATED};
    TR_TRY(write_row(step, subject, old.version + 1, &row));
    TR_TRY(write_text(step, subject, &old, &row));
    return tell(step, touched);
}

static tr_status write_nodes(struct tr_step *step)
{
    for (size_t i = 0; i < step->subject_count; i++) {
        tr_id subject = step->subjects[i];
        TR_TRY(make_real(step, &subject));
        TR_TRY(write_node(step, subject));
    }
    return TR_OK;
}

tr_status tr_step_apply(struct tr_step *step)
{
    size_t count = tr_overlay_new_count(step->overlay);
    step->real = TR_NEW_ARRAY(&step->lander->arena, tr_id, count + 1);
    if (!step->real)
        return tr_fail(step->err, TR_E_NOMEM, "no memory for changes");
    TR_TRY(write_quads(step));
    return write_nodes(step);
}

#include "graph/join.h"

#include "base/limits.h"
#include "base/vec.h"
#include "rows/statements.h"
#include "rows/storing.h"

#include <stdlib.h>

struct joining {
    struct tr_db *db;
    struct tr_rows_terms *terms;
    const struct tr_graph_joined *joins;
    size_t count;
    struct tr_buf found; /* tr_rdf_id: subjects whose rows change */
    struct tr_arena arena;
    struct tr_rows_storing storing;
    struct tr_err *err;
};

static int compare(const void *a, const void *b)
{
    const struct tr_graph_joined *x = a;
    const struct tr_graph_joined *y = b;
    return (x->old > y->old) - (x->old < y->old);
}

/* The id that an IRI has from now on. */
static tr_rdf_id joined(const struct joining *j, tr_rdf_id id)
{
    struct tr_graph_joined key = {id, 0};
    const struct tr_graph_joined *found =
        bsearch(&key, j->joins, j->count, sizeof(key), compare);
    return found ? found->new : id;
}

static bool is_joined(const struct joining *j, uint64_t number)
{
    tr_rdf_id id = tr_rows_id_make(number, TR_ROWS_TAG_IRI);
    return joined(j, id) != id;
}

/* What is concerned ------------------------------------------------------- */

static tr_status concerns(const struct joining *j, const tr_pack_statement *one,
                          bool *out)
{
    struct tr_pack_value value;
    *out = true;
    if (is_joined(j, one->p) || is_joined(j, one->g))
        return TR_OK;
    TR_TRY(tr_pack_value_get(one->v, &value, j->err));
    /* A long one may have any datatype. */
    *out = value.kind == TR_PACK_LONG ||
           ((value.kind == TR_PACK_REFERENCE || value.kind == TR_PACK_TYPED) &&
            is_joined(j, value.number));
    return TR_OK;
}

static tr_status look_at(struct joining *j, tr_rdf_id s, tr_str body)
{
    struct tr_rows_statements all;
    tr_pack_statement one;
    tr_status status = TR_OK;
    bool is_found = joined(j, s) != s;
    tr_rows_statements_open_body(&all, j->terms, s, 0, body);
    while (!is_found && status == TR_OK && tr_rows_statements_next(&all, &one))
        status = concerns(j, &one, &is_found);
    tr_status closed = tr_rows_statements_close(&all, j->err);
    TR_TRY(status == TR_OK ? closed : status);
    if (!is_found)
        return TR_OK;
    tr_buf_put(&j->found, (tr_str){(const char *)&s, sizeof(s)});
    return tr_buf_check(&j->found, j->err);
}

static tr_status find_subjects(struct joining *j)
{
    struct tr_db_stmt *stmt;
    bool row;
    TR_TRY(tr_db_prepare(j->db, "SELECT s, body FROM node", &stmt, j->err));
    TR_TRY(tr_db_stmt_step(stmt, &row, j->err));
    while (row) {
        tr_status status = look_at(j, (tr_rdf_id)tr_db_column_i64(stmt, 0),
                                   tr_db_column_blob(stmt, 1));
        if (status != TR_OK) {
            tr_db_stmt_reset(stmt);
            return status;
        }
        TR_TRY(tr_db_stmt_step(stmt, &row, j->err));
    }
    return TR_OK;
}

/* What is written --------------------------------------------------------- */

/* The literal is the same but for its datatype. */
static tr_status join_value(struct joining *j, tr_rdf_id *id)
{
    tr_rdf_term term;
    tr_rdf_id datatype;
    if (!tr_rows_id_is_literal(*id)) {
        *id = joined(j, *id);
        return TR_OK;
    }
    if (tr_rows_id_is_inline(*id))
        return TR_OK;
    TR_TRY(tr_rows_terms_get(j->terms, *id, &term, j->err));
    tr_rdf_term iri = tr_rdf_term_iri(term.datatype);
    if (term.language.len)
        return TR_OK;
    TR_TRY(tr_rows_terms_find(j->terms, &iri, &datatype, j->err));
    if (joined(j, datatype) == datatype)
        return TR_OK;
    TR_TRY(tr_rows_terms_get(j->terms, joined(j, datatype), &iri, j->err));
    term.datatype = iri.text;
    return tr_rows_terms_find(j->terms, &term, id, j->err);
}

/* What goes from a subject, and what comes to it or to another. */
struct moving {
    struct joining *j;
    tr_rdf_id to;
    TR_VEC(struct tr_rows_change) gone;
    TR_VEC(struct tr_rows_change) come;
};

static tr_status move_quad(struct moving *m, tr_rdf_ids quad)
{
    struct joining *j = m->j;
    tr_rdf_ids other = {m->to, joined(j, quad.p), quad.o, joined(j, quad.g)};
    TR_TRY(join_value(j, &other.o));
    if (memcmp(&other, &quad, sizeof(quad)) == 0)
        return TR_OK;
    struct tr_rows_change gone = {quad, false};
    struct tr_rows_change come = {other, true};
    return tr_vec_push(&j->arena, &m->gone, gone) &&
                   tr_vec_push(&j->arena, &m->come, come)
               ? TR_OK
               : tr_fail(j->err, TR_E_NOMEM, "no memory to rename");
}

static tr_status gather(struct moving *m, tr_rdf_id s)
{
    struct tr_rows_statements all;
    tr_pack_statement one;
    tr_status status = TR_OK;
    tr_rows_statements_open(&all, m->j->terms, s, 0);
    while (status == TR_OK && tr_rows_statements_next(&all, &one)) {
        tr_rdf_ids quad = {s, tr_rows_id_make(one.p, TR_ROWS_TAG_IRI), 0,
                           tr_rows_id_of_graph(one.g)};
        status = tr_rows_terms_of_value(m->j->terms, one.v, &quad.o, m->j->err);
        if (status == TR_OK)
            status = move_quad(m, quad);
    }
    tr_status closed = tr_rows_statements_close(&all, m->j->err);
    return status == TR_OK ? closed : status;
}

/* What the row says beside its statements: of the two, that of the node. */
static tr_status read_head(struct joining *j, tr_rdf_id s,
                           struct tr_rows_head *out)
{
    struct tr_rows_body *body;
    TR_TRY(tr_rows_body_read(j->terms, s, &body, j->err));
    *out = (struct tr_rows_head){.is_kept = true};
    if (!body->is_node)
        return TR_OK;
    *out = (struct tr_rows_head){.is_node = true,
                                 .type = joined(j, body->type),
                                 .version = body->version};
    tr_str label = tr_buf_str(&body->label);
    if (label.len && !tr_arena_copy(&j->arena, label, &out->label))
        return tr_fail(j->err, TR_E_NOMEM, "no memory to rename");
    return TR_OK;
}

static tr_status rewrite(struct joining *j, tr_rdf_id s)
{
    static const struct tr_rows_head nothing = {0};
    struct moving m = {.j = j, .to = joined(j, s)};
    struct tr_rows_head head;
    TR_TRY(read_head(j, s, &head));
    TR_TRY(gather(&m, s));
    if (m.to != s)
        TR_TRY(tr_rows_storing_subject(&j->storing, m.gone.items, m.gone.count,
                                       s, &nothing));
    else
        for (size_t i = 0; i < m.gone.count; i++)
            if (!tr_vec_push(&j->arena, &m.come, m.gone.items[i]))
                return tr_fail(j->err, TR_E_NOMEM, "no memory to rename");
    TR_TRY(tr_rows_storing_subject(&j->storing, m.come.items, m.come.count,
                                   m.to, &head));
    TR_TRY(tr_rows_storing_finish(&j->storing));
    tr_rows_terms_trim(j->terms);
    tr_arena_reset(&j->arena);
    return TR_OK;
}

static tr_status rewrite_all(struct joining *j)
{
    TR_TRY(find_subjects(j));
    const tr_rdf_id *found = (const void *)j->found.ptr;
    for (size_t i = 0; i < j->found.len / sizeof(*found); i++)
        TR_TRY(rewrite(j, found[i]));
    return TR_OK;
}

tr_status tr_graph_join(struct tr_db *db, const struct tr_graph_joined *joins,
                        size_t count, struct tr_err *err)
{
    struct joining j = {.db = db, .joins = joins, .count = count, .err = err};
    TR_TRY(tr_rows_terms_create(db, &j.terms, err));
    tr_buf_init(&j.found, TR_LIMIT_GRAPH_TABLE);
    tr_arena_init(&j.arena, TR_LIMIT_GRAPH_TABLE);
    tr_rows_storing_init(&j.storing, db, j.terms, &j.arena, err);
    tr_status status = rewrite_all(&j);
    tr_rows_storing_done(&j.storing);
    tr_arena_done(&j.arena);
    tr_buf_done(&j.found);
    tr_rows_terms_free(j.terms);
    return status;
}

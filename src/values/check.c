#include "db/db.h"
#include "graph/value_set.h"
#include "values/index.h"

/* The check of one index after the other. */
struct checking {
    struct tr_db *db;
    struct tr_graph_terms *terms;
    struct tr_graph_stored_graph stored;
    struct tr_graph_value_set set;
    struct tr_values_checked *out;
};

static tr_status count(const struct checking *c, const char *sql,
                       const struct tr_graph_value_def *def, uint64_t *out,
                       struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    bool row;
    TR_TRY(tr_db_prepare(c->db, sql, &stmt, err));
    if (def) {
        tr_db_bind_i64(stmt, 1, def->number);
        tr_db_bind_i64(stmt, 2, (int64_t)def->class);
        tr_db_bind_i64(stmt, 3, (int64_t)c->set.type);
    }
    TR_TRY(tr_db_stmt_step(stmt, &row, err));
    *out += (uint64_t)tr_db_column_i64(stmt, 0);
    tr_db_stmt_reset(stmt);
    return TR_OK;
}

/* Whether a row says of its node what the quads say. */
static tr_status check_row(const struct checking *c,
                           const struct tr_graph_value_def *def, tr_str key,
                           tr_rdf_id node, struct tr_err *err)
{
    struct tr_graph_value_source view = {.graph = &c->stored.base};
    tr_rdf_ids row = {node, c->set.type, def->class, TR_RDF_ID_ANY};
    struct tr_key made;
    bool is_there;
    TR_TRY(tr_rdf_graph_has(&c->stored.base, row, &is_there, err));
    if (is_there) {
        TR_TRY(tr_graph_value_key_make(&view, def, node, &made, err));
        is_there = tr_str_eq(tr_key_str(&made), key);
    }
    c->out->extra += !is_there;
    c->out->rows++;
    tr_graph_terms_trim(c->terms, TR_GRAPH_TERMS_BYTES);
    return TR_OK;
}

static tr_status check_rows(const struct checking *c,
                            const struct tr_graph_value_def *def,
                            struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    bool row;
    TR_TRY(tr_db_prepare(c->db, "SELECT k, s FROM value_row WHERE x = ?1",
                         &stmt, err));
    tr_db_bind_i64(stmt, 1, def->number);
    TR_TRY(tr_db_stmt_step(stmt, &row, err));
    while (row) {
        tr_status status = check_row(c, def, tr_db_column_blob(stmt, 0),
                                     (tr_rdf_id)tr_db_column_i64(stmt, 1), err);
        if (status != TR_OK) {
            tr_db_stmt_reset(stmt);
            return status;
        }
        TR_TRY(tr_db_stmt_step(stmt, &row, err));
    }
    return TR_OK;
}

/* An instance without a row; one with two rows has one that is wrong. */
static const char missing_sql[] =
    "SELECT count(*) FROM (SELECT DISTINCT s FROM ops WHERE o = ?2 AND p = ?3"
    " EXCEPT SELECT s FROM value_row WHERE x = ?1)";

static const char stray_sql[] =
    "SELECT count(*) FROM value_row WHERE x NOT IN"
    " (SELECT x FROM value_part WHERE x IN (SELECT x FROM value_index))";

static tr_status check_all(struct checking *c, struct tr_err *err)
{
    TR_TRY(tr_graph_value_set_load(&c->set, c->db, c->terms, err));
    TR_TRY(count(c, stray_sql, NULL, &c->out->extra, err));
    for (size_t i = 0; i < c->set.count; i++) {
        const struct tr_graph_value_def *def = &c->set.items[i];
        TR_TRY(check_rows(c, def, err));
        TR_TRY(count(c, missing_sql, def, &c->out->missing, err));
    }
    return TR_OK;
}

tr_status tr_values_check(struct tr_db *db, struct tr_values_checked *out,
                          struct tr_err *err)
{
    struct checking c = {.db = db, .out = out};
    *out = (struct tr_values_checked){0};
    TR_TRY(tr_graph_terms_create(db, &c.terms, err));
    tr_graph_stored_graph_init(&c.stored, db, c.terms);
    tr_status status = check_all(&c, err);
    tr_graph_value_set_free(&c.set);
    tr_graph_terms_free(c.terms);
    return status;
}

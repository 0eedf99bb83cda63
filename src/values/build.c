#include "values/build.h"

#include "base/limits.h"
#include "db/db.h"
#include "graph/node.h"
#include "graph/value_set.h"
#include "model/model.h"
#include "values/inside.h"

#include <stdlib.h>

/* Rows that are gathered before they are written, in their order. */
#define CHUNK ((size_t)100000)

struct building {
    struct tr_db *db;
    struct tr_graph_terms *terms;
    struct tr_graph_stored_graph stored;
    const struct tr_values_wanted *asked; /* or NULL */
    struct tr_graph_value_set set;        /* as it was before */
    bool *is_wanted;                      /* by place in the set */
    bool is_dry;                          /* only looks */
    struct tr_arena arena;
    struct tr_values_built counts;
};

/* Rows -------------------------------------------------------------------- */

static tr_status flush(struct building *b, struct tr_graph_value_rows *rows,
                       struct tr_err *err)
{
    bool is_last = rows->items.count < CHUNK;
    b->counts.rows += rows->items.count;
    TR_TRY(tr_graph_value_rows_insert(rows, b->db, err));
    *rows = (struct tr_graph_value_rows){.arena = &b->arena};
    tr_arena_reset(&b->arena);
    if (!is_last && b->asked->told)
        b->asked->told(b->asked->data, b->counts.rows);
    return TR_OK;
}

static tr_status add_node(struct building *b,
                          const struct tr_graph_value_def *def, tr_rdf_id node,
                          struct tr_graph_value_rows *rows, struct tr_err *err)
{
    struct tr_graph_value_source view = {.graph = &b->stored.base};
    struct tr_key key;
    TR_TRY(tr_graph_value_key_make(&view, def, node, &key, err));
    TR_TRY(tr_graph_value_rows_put(rows, def->number, node, &key, err));
    tr_graph_terms_trim(b->terms, TR_GRAPH_TERMS_BYTES);
    return rows->items.count < CHUNK ? TR_OK : flush(b, rows, err);
}

static tr_status add_nodes(struct building *b,
                           const struct tr_graph_value_def *def, tr_rdf_id type,
                           struct tr_err *err)
{
    struct tr_graph_value_rows rows = {.arena = &b->arena};
    struct tr_db_stmt *stmt;
    bool row;
    TR_TRY(tr_db_prepare(b->db,
                         "SELECT DISTINCT s FROM ops WHERE o = ?1 AND p = ?2"
                         " ORDER BY s",
                         &stmt, err));
    tr_db_bind_i64(stmt, 1, (int64_t)def->class);
    tr_db_bind_i64(stmt, 2, (int64_t)type);
    TR_TRY(tr_db_stmt_step(stmt, &row, err));
    while (row) {
        tr_status status =
            add_node(b, def, (tr_rdf_id)tr_db_column_i64(stmt, 0), &rows, err);
        if (status != TR_OK) {
            tr_db_stmt_reset(stmt);
            return status;
        }
        TR_TRY(tr_db_stmt_step(stmt, &row, err));
    }
    return flush(b, &rows, err);
}

static tr_status run_number(struct building *b, const char *sql, int64_t number,
                            struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    TR_TRY(tr_db_prepare(b->db, sql, &stmt, err));
    tr_db_bind_i64(stmt, 1, number);
    return tr_db_stmt_run(stmt, err);
}

/* Definitions ------------------------------------------------------------- */

static tr_status find(struct building *b, tr_str iri, tr_rdf_id *out,
                      struct tr_err *err)
{
    tr_rdf_term term = tr_rdf_term_iri(iri);
    return b->is_dry ? tr_graph_terms_find(b->terms, &term, out, err)
                     : tr_graph_terms_intern(b->terms, &term, out, err);
}

static tr_status define(struct building *b, const struct tr_model_type *type,
                        const struct tr_model_index *index,
                        struct tr_graph_value_def *out, struct tr_err *err)
{
    *out = (struct tr_graph_value_def){.count = index->count};
    TR_TRY(find(b, type->shape->iri, &out->class, err));
    for (size_t i = 0; i < index->count; i++) {
        out->descending[i] = index->parts[i].descending;
        TR_TRY(find(b, index->parts[i].field->iri, &out->predicates[i], err));
    }
    return TR_OK;
}

static bool note_wanted(struct building *b,
                        const struct tr_graph_value_def *def)
{
    for (size_t i = 0; i < b->set.count; i++) {
        if (tr_graph_value_def_is(&b->set.items[i], def)) {
            b->is_wanted[i] = true;
            return true;
        }
    }
    return false;
}

static tr_status write_def(struct building *b, struct tr_graph_value_def *def,
                           struct tr_err *err)
{
    TR_TRY(run_number(b, "INSERT INTO value_index (class) VALUES (?1)",
                      (int64_t)def->class, err));
    def->number = tr_db_last_id(b->db);
    for (size_t i = 0; i < def->count; i++) {
        struct tr_db_stmt *stmt;
        TR_TRY(tr_db_prepare(b->db,
                             "INSERT INTO value_part VALUES (?1, ?2, ?3, ?4)",
                             &stmt, err));
        tr_db_bind_i64(stmt, 1, def->number);
        tr_db_bind_i64(stmt, 2, (int64_t)i);
        tr_db_bind_i64(stmt, 3, (int64_t)def->predicates[i]);
        tr_db_bind_i64(stmt, 4, def->descending[i]);
        TR_TRY(tr_db_stmt_run(stmt, err));
    }
    return TR_OK;
}

static tr_status build_one(struct building *b, const struct tr_model_type *type,
                           const struct tr_model_index *index,
                           struct tr_err *err)
{
    struct tr_graph_value_def def;
    tr_rdf_id is_a;
    TR_TRY(define(b, type, index, &def, err));
    if (note_wanted(b, &def))
        return TR_OK;
    b->counts.built++;
    if (b->is_dry)
        return TR_OK;
    TR_TRY(find(b, TR_STR(TR_RDF_IRI_RDF_TYPE), &is_a, err));
    TR_TRY(write_def(b, &def, err));
    return add_nodes(b, &def, is_a, err);
}

static tr_status drop_others(struct building *b, struct tr_err *err)
{
    static const char *const sql[] = {"DELETE FROM value_row WHERE x = ?1",
                                      "DELETE FROM value_part WHERE x = ?1",
                                      "DELETE FROM value_index WHERE x = ?1"};
    for (size_t i = 0; i < b->set.count; i++) {
        if (b->is_wanted[i])
            continue;
        b->counts.dropped++;
        for (size_t k = 0; !b->is_dry && k < TR_LEN(sql); k++)
            TR_TRY(run_number(b, sql[k], b->set.items[i].number, err));
    }
    return TR_OK;
}

static tr_status build_all(struct building *b, struct tr_err *err)
{
    const struct tr_model *model = b->asked->model;
    TR_TRY(tr_graph_value_set_load(&b->set, b->db, b->terms, err));
    b->is_wanted = calloc(b->set.count + 1, sizeof(*b->is_wanted));
    if (!b->is_wanted)
        return tr_fail(err, TR_E_NOMEM, "no memory for indexes");
    for (size_t i = 0; i < model->count; i++) {
        const struct tr_model_type *type = model->types[i];
        for (size_t k = 0; k < type->index_count; k++)
            TR_TRY(build_one(b, type, &type->indexes[k], err));
    }
    TR_TRY(drop_others(b, err));
    struct tr_values_baring baring = {b->db, b->terms, model, &b->set,
                                      b->is_dry};
    TR_TRY(tr_values_bare(&baring, &b->counts.built, &b->counts.dropped, err));
    return b->is_dry || b->counts.built + b->counts.dropped == 0
               ? TR_OK
               : tr_graph_epoch_raise(b->db, err);
}

static tr_status run(struct building *b, struct tr_values_built *out,
                     tr_status (*work)(struct building *b, struct tr_err *err),
                     struct tr_err *err)
{
    tr_graph_stored_graph_init(&b->stored, b->db, b->terms);
    tr_arena_init(&b->arena, TR_LIMIT_CHANGE_BYTES);
    tr_status status = work(b, err);
    tr_arena_done(&b->arena);
    tr_graph_value_set_free(&b->set);
    free(b->is_wanted);
    if (out)
        *out = b->counts;
    return status;
}

tr_status tr_values_build(struct tr_db *db, struct tr_graph_terms *terms,
                          const struct tr_values_wanted *asked,
                          struct tr_values_built *out, struct tr_err *err)
{
    struct building b = {.db = db, .terms = terms, .asked = asked};
    return run(&b, out, build_all, err);
}

/* The store as a whole ---------------------------------------------------- */

tr_status tr_values_is_due(struct tr_db *db, const struct tr_model *model,
                           bool *out, struct tr_err *err)
{
    struct tr_values_wanted asked = {.model = model};
    struct building b = {.db = db, .asked = &asked, .is_dry = true};
    struct tr_values_built found = {0};
    TR_TRY(tr_graph_terms_create(db, &b.terms, err));
    tr_status status = run(&b, &found, build_all, err);
    tr_graph_terms_free(b.terms);
    *out = found.built + found.dropped > 0;
    return status;
}

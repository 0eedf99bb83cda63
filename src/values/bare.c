/*
 * Which predicates have rows by value in the graph's own tables, made what a
 * model says (decision 0034).
 */
#include "base/vec.h"
#include "db/db.h"
#include "graph/value_set.h"
#include "model/model.h"
#include "values/inside.h"

/* A predicate is bare when all fields that have it are said to be. */
bool tr_values_is_bare(const struct tr_model *model,
                       const struct tr_field *asked)
{
    if (asked->index != TR_FIELD_INDEX_NONE)
        return false;
    for (size_t i = 0; i < model->count; i++) {
        const struct tr_shape *shape = model->types[i]->shape;
        for (size_t k = 0; k < shape->count; k++) {
            const struct tr_field *field = &shape->fields[k];
            if (field->index != TR_FIELD_INDEX_NONE &&
                tr_str_eq(field->iri, asked->iri))
                return false;
        }
    }
    return true;
}

/* What the model wants to be bare, against what is. */
struct comparing {
    const struct tr_values_baring *asked;
    struct tr_arena *arena;
    TR_VEC(tr_rdf_id) wanted;
    struct tr_err *err;
};

static bool is_wanted(const struct comparing *c, tr_rdf_id predicate)
{
    for (size_t i = 0; i < c->wanted.count; i++) {
        if (c->wanted.items[i] == predicate)
            return true;
    }
    return false;
}

static tr_status want(struct comparing *c, tr_str iri)
{
    const struct tr_values_baring *asked = c->asked;
    tr_rdf_term term = tr_rdf_term_iri(iri);
    tr_rdf_id id;
    TR_TRY(asked->is_dry
               ? tr_graph_terms_find(asked->terms, &term, &id, c->err)
               : tr_graph_terms_intern(asked->terms, &term, &id, c->err));
    if (is_wanted(c, id))
        return TR_OK;
    return tr_vec_push(c->arena, &c->wanted, id)
               ? TR_OK
               : tr_fail(c->err, TR_E_NOMEM, "no memory for predicates");
}

static tr_status want_all(struct comparing *c)
{
    const struct tr_model *model = c->asked->model;
    for (size_t i = 0; i < model->count; i++) {
        const struct tr_shape *shape = model->types[i]->shape;
        for (size_t k = 0; k < shape->count; k++) {
            const struct tr_field *field = &shape->fields[k];
            if (tr_values_is_bare(model, field))
                TR_TRY(want(c, field->iri));
        }
    }
    return TR_OK;
}

static tr_status run(struct comparing *c, const char *sql, tr_rdf_id predicate)
{
    struct tr_db_stmt *stmt;
    TR_TRY(tr_db_prepare(c->asked->db, sql, &stmt, c->err));
    tr_db_bind_i64(stmt, 1, (int64_t)predicate);
    return tr_db_stmt_run(stmt, c->err);
}

/* A look at the whole store for each that gets its rows back. */
static tr_status fill_others(struct comparing *c, size_t *filled)
{
    const struct tr_graph_value_set *set = c->asked->set;
    for (size_t i = 0; i < set->bare_count; i++) {
        if (is_wanted(c, set->bare[i]))
            continue;
        (*filled)++;
        if (c->asked->is_dry)
            continue;
        TR_TRY(run(c,
                   "INSERT OR FAIL INTO pos (p, o, s, g)"
                   " SELECT p, o, s, g FROM spo WHERE p = ?1"
                   " AND " TR_GRAPH_SQL_IS_LITERAL,
                   set->bare[i]));
        TR_TRY(run(c, "DELETE FROM bare WHERE p = ?1", set->bare[i]));
    }
    return TR_OK;
}

static tr_status bare_new(struct comparing *c, size_t *bared)
{
    for (size_t i = 0; i < c->wanted.count; i++) {
        tr_rdf_id id = c->wanted.items[i];
        if (tr_graph_value_set_is_bare(c->asked->set, id))
            continue;
        (*bared)++;
        if (c->asked->is_dry)
            continue;
        TR_TRY(run(c, "DELETE FROM pos WHERE p = ?1", id));
        TR_TRY(run(c, "INSERT INTO bare VALUES (?1)", id));
    }
    return TR_OK;
}

tr_status tr_values_bare(const struct tr_values_baring *asked, size_t *filled,
                         size_t *bared, struct tr_err *err)
{
    struct tr_arena arena;
    struct comparing c = {.asked = asked, .arena = &arena, .err = err};
    tr_arena_init(&arena, TR_MIB(1));
    tr_status status = want_all(&c);
    if (status == TR_OK)
        status = fill_others(&c, filled);
    if (status == TR_OK)
        status = bare_new(&c, bared);
    tr_arena_done(&arena);
    return status;
}

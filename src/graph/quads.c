#include "graph/quads.h"

#include "db/db.h"
#include "graph/value_set.h"

/* Which table is asked, by the parts that a pattern has. */
enum plan { BY_S, BY_SP, BY_SPO, BY_PO, BY_O, BY_OP, BY_P, BY_NOTHING };

/* Literals of a bare predicate are in `spo` alone. `bare` is asked first, so
 * that nothing else is when it does not have the predicate. */
#define BARE                                                                   \
    " UNION ALL SELECT spo.s, spo.p, spo.o, spo.g FROM bare CROSS JOIN spo"    \
    " WHERE bare.p = ?2 AND spo.p = ?2 AND "

/* Quads with literals are in `pos`, those with resources in `ops`. */
static const char by_predicate[] =
    "SELECT s, p, o, g FROM pos WHERE p = ?2 UNION ALL "
    "SELECT s, p, o, g FROM ops WHERE p = ?2" BARE TR_GRAPH_SQL_IS_LITERAL;

static const char by_value[] =
    "SELECT s, p, o, g FROM pos WHERE p = ?2 AND o = ?3" BARE "spo.o = ?3";

static const char *const queries[] = {
    [BY_S] = "SELECT s, p, o, g FROM spo WHERE s = ?1",
    [BY_SP] = "SELECT s, p, o, g FROM spo WHERE s = ?1 AND p = ?2",
    [BY_SPO] = "SELECT s, p, o, g FROM spo WHERE s = ?1 AND p = ?2 AND o = ?3",
    [BY_PO] = by_value,
    [BY_O] = "SELECT s, p, o, g FROM ops WHERE o = ?3",
    [BY_OP] = "SELECT s, p, o, g FROM ops WHERE o = ?3 AND p = ?2",
    [BY_P] = by_predicate,
    [BY_NOTHING] = "SELECT s, p, o, g FROM spo",
};

static enum plan choose(tr_rdf_ids pattern)
{
    bool has_p = pattern.p != TR_RDF_ID_ANY;
    bool has_o = pattern.o != TR_RDF_ID_ANY;
    if (pattern.s != TR_RDF_ID_ANY)
        return has_p && has_o ? BY_SPO : has_p ? BY_SP : BY_S;
    if (has_o && !tr_graph_id_is_literal(pattern.o))
        return has_p ? BY_OP : BY_O;
    if (has_o && has_p)
        return BY_PO;
    return has_p ? BY_P : BY_NOTHING;
}

/* Binds the parameters that the query of a plan has. */
static void bind(struct tr_db_stmt *stmt, enum plan plan, tr_rdf_ids pattern)
{
    if (plan == BY_S || plan == BY_SP || plan == BY_SPO)
        tr_db_bind_i64(stmt, 1, (int64_t)pattern.s);
    if (plan != BY_S && plan != BY_O && plan != BY_NOTHING)
        tr_db_bind_i64(stmt, 2, (int64_t)pattern.p);
    if (plan == BY_SPO || plan == BY_PO || plan == BY_O || plan == BY_OP)
        tr_db_bind_i64(stmt, 3, (int64_t)pattern.o);
}

/* What a cursor's `own` words hold. */
enum { STMT, FAILED };

static void match(const struct tr_rdf_graph *graph,
                  struct tr_rdf_cursor *cursor)
{
    const struct tr_graph_stored_graph *stored = (const void *)graph;
    enum plan plan = choose(cursor->pattern);
    struct tr_db_stmt *stmt = NULL;
    cursor->own[STMT] = 0;
    cursor->own[FAILED] = TR_OK;
    if (cursor->pattern.s == TR_RDF_ID_NONE ||
        cursor->pattern.p == TR_RDF_ID_NONE ||
        cursor->pattern.o == TR_RDF_ID_NONE ||
        cursor->pattern.g == TR_RDF_ID_NONE)
        return;
    tr_status status = tr_db_prepare(stored->db, queries[plan], &stmt, NULL);
    cursor->own[FAILED] = (uintptr_t)status;
    if (status != TR_OK)
        return;
    bind(stmt, plan, cursor->pattern);
    cursor->own[STMT] = (uintptr_t)stmt;
}

static bool fits(tr_rdf_id wanted, tr_rdf_id found)
{
    return wanted == TR_RDF_ID_ANY || wanted == found;
}

/* Compares the parts of the pattern that the query did not. */
static bool next(struct tr_rdf_cursor *cursor, tr_rdf_ids *out)
{
    struct tr_db_stmt *stmt = (struct tr_db_stmt *)cursor->own[STMT];
    bool row = stmt != NULL;
    while (row) {
        tr_status status = tr_db_stmt_step(stmt, &row, NULL);
        if (!row) {
            cursor->own[STMT] = 0;
            cursor->own[FAILED] = (uintptr_t)status;
            return false;
        }
        *out = (tr_rdf_ids){
            .s = (tr_rdf_id)tr_db_column_i64(stmt, 0),
            .p = (tr_rdf_id)tr_db_column_i64(stmt, 1),
            .o = (tr_rdf_id)tr_db_column_i64(stmt, 2),
            .g = (tr_rdf_id)tr_db_column_i64(stmt, 3),
        };
        if (fits(cursor->pattern.g, out->g) && fits(cursor->pattern.o, out->o))
            return true;
    }
    return false;
}

static tr_status close_cursor(struct tr_rdf_cursor *cursor, struct tr_err *err)
{
    struct tr_db_stmt *stmt = (struct tr_db_stmt *)cursor->own[STMT];
    if (stmt)
        tr_db_stmt_reset(stmt);
    cursor->own[STMT] = 0;
    if (cursor->own[FAILED] == TR_OK)
        return TR_OK;
    return tr_fail(err, (tr_status)cursor->own[FAILED],
                   "the store cannot be read");
}

static tr_status find(const struct tr_rdf_graph *graph, const tr_rdf_term *term,
                      tr_rdf_id *out, struct tr_err *err)
{
    return tr_graph_terms_find(
        ((const struct tr_graph_stored_graph *)(const void *)graph)->terms,
        term, out, err);
}

static tr_status get(const struct tr_rdf_graph *graph, tr_rdf_id id,
                     tr_rdf_term *out, struct tr_err *err)
{
    return tr_graph_terms_get(
        ((const struct tr_graph_stored_graph *)(const void *)graph)->terms, id,
        out, err);
}

/* None: ids are too sparse for an array. */
static tr_rdf_id bound(const struct tr_rdf_graph *graph)
{
    (void)graph;
    return 0;
}

/* A guess by the parts of the pattern, which is enough to choose a plan. */
static uint64_t estimate(const struct tr_rdf_graph *graph, tr_rdf_ids pattern)
{
    static const uint64_t rows[] = {
        [BY_S] = 20,      [BY_SP] = 4,
        [BY_SPO] = 1,     [BY_PO] = 100,
        [BY_O] = 1000,    [BY_OP] = 100,
        [BY_P] = 1000000, [BY_NOTHING] = 100000000,
    };
    (void)graph;
    return rows[choose(pattern)];
}

static const struct tr_rdf_graph_ops ops = {
    .bound = bound,
    .estimate = estimate,
    .find = find,
    .get = get,
    .match = match,
    .next = next,
    .close = close_cursor,
};

void tr_graph_stored_graph_init(struct tr_graph_stored_graph *graph,
                                struct tr_db *db, struct tr_graph_terms *terms)
{
    *graph = (struct tr_graph_stored_graph){{&ops}, db, terms};
}

static tr_status run(struct tr_db *db, const char *sql, tr_rdf_ids quad,
                     struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    TR_TRY(tr_db_prepare(db, sql, &stmt, err));
    tr_db_bind_i64(stmt, 1, (int64_t)quad.s);
    tr_db_bind_i64(stmt, 2, (int64_t)quad.p);
    tr_db_bind_i64(stmt, 3, (int64_t)quad.o);
    tr_db_bind_i64(stmt, 4, (int64_t)quad.g);
    return tr_db_stmt_run(stmt, err);
}

tr_status tr_graph_quads_remove(struct tr_db *db, tr_rdf_ids quad,
                                bool *changed, struct tr_err *err)
{
    TR_TRY(run(db,
               "DELETE FROM spo WHERE s = ?1 AND p = ?2 AND o = ?3 AND g = ?4",
               quad, err));
    *changed = tr_db_changes(db) > 0;
    if (!*changed)
        return TR_OK;
    return run(
        db,
        tr_graph_id_is_literal(quad.o)
            ? "DELETE FROM pos WHERE p = ?2 AND o = ?3 AND s = ?1 AND g = ?4"
            : "DELETE FROM ops WHERE o = ?3 AND p = ?2 AND s = ?1 AND g = ?4",
        quad, err);
}

#include "audit/stats.h"

#include "base/limits.h"
#include "db/db.h"

static tr_status read_number(struct tr_db *db, const char *sql, uint64_t *out,
                             struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    bool row;
    TR_TRY(tr_db_prepare(db, sql, &stmt, err));
    TR_TRY(tr_db_stmt_step(stmt, &row, err));
    *out = row ? (uint64_t)tr_db_column_i64(stmt, 0) : 0;
    if (row)
        tr_db_stmt_reset(stmt);
    return TR_OK;
}

/* Counts by IRI, as they are gathered. */
struct list {
    struct tr_graph_reader *reader;
    struct tr_arena *arena;
    TR_VEC(struct tr_audit_stat) items;
};

static tr_status add(struct list *list, tr_rdf_id id, uint64_t count,
                     struct tr_err *err)
{
    struct tr_audit_stat stat = {.count = count};
    tr_rdf_term term = {0};
    if (id != TR_RDF_ID_DEFAULT_GRAPH)
        TR_TRY(tr_graph_terms_get(list->reader->terms, id, &term, err));
    if (!tr_arena_copy(list->arena, term.text, &stat.iri) ||
        !tr_vec_push(list->arena, &list->items, stat))
        return tr_fail(err, TR_E_NOMEM, "no memory to count");
    return TR_OK;
}

static tr_status read_list(struct list *list, const char *sql,
                           struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    bool row;
    TR_TRY(tr_db_prepare(list->reader->db, sql, &stmt, err));
    TR_TRY(tr_db_stmt_step(stmt, &row, err));
    while (row) {
        tr_status status = add(list, (tr_rdf_id)tr_db_column_i64(stmt, 0),
                               (uint64_t)tr_db_column_i64(stmt, 1), err);
        if (status != TR_OK) {
            tr_db_stmt_reset(stmt);
            return status;
        }
        TR_TRY(tr_db_stmt_step(stmt, &row, err));
    }
    return TR_OK;
}

static tr_status read_numbers(struct tr_db *db, struct tr_audit_stats *out,
                              struct tr_err *err)
{
    const struct {
        const char *sql;
        uint64_t *to;
    } numbers[] = {
        {"SELECT count(*) FROM spo", &out->quads},
        {"SELECT count(*) FROM term", &out->terms},
        {"SELECT count(*) FROM node", &out->nodes},
        {"SELECT (SELECT count(*) FROM activity)"
         " + (SELECT count(*) FROM activity_read)",
         &out->activities},
        {"SELECT count(*) FROM change", &out->changes},
        {"SELECT coalesce(max(seq), 0) FROM change", &out->last_change},
    };
    for (size_t i = 0; i < TR_LEN(numbers); i++)
        TR_TRY(read_number(db, numbers[i].sql, numbers[i].to, err));
    return tr_db_size(db, &out->bytes, err);
}

tr_status tr_audit_stats_read(struct tr_graph_reader *reader,
                              struct tr_arena *arena,
                              struct tr_audit_stats *out, struct tr_err *err)
{
    struct list types = {.reader = reader, .arena = arena};
    struct list graphs = {.reader = reader, .arena = arena};
    struct tr_audit_stats stats = {0};
    TR_TRY(read_numbers(reader->db, &stats, err));
    TR_TRY(read_list(&types,
                     "SELECT type, count FROM type_count WHERE count > 0"
                     " ORDER BY count DESC, type",
                     err));
    TR_TRY(read_list(&graphs,
                     "SELECT g, count(*) FROM spo GROUP BY g"
                     " ORDER BY count(*) DESC, g",
                     err));
    stats.types.items = types.items.items;
    stats.types.count = types.items.count;
    stats.graphs.items = graphs.items.items;
    stats.graphs.count = graphs.items.count;
    *out = stats;
    return TR_OK;
}

static tr_status count_some(struct tr_db *db, const char *sql, uint64_t out[2],
                            struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    bool row;
    TR_TRY(tr_db_prepare(db, sql, &stmt, err));
    tr_db_bind_i64(stmt, 1, TR_LIMIT_GLANCE);
    TR_TRY(tr_db_stmt_step(stmt, &row, err));
    for (int i = 0; i < 2; i++)
        out[i] = row ? (uint64_t)tr_db_column_i64(stmt, i) : 0;
    if (row)
        tr_db_stmt_reset(stmt);
    return TR_OK;
}

tr_status tr_audit_stats_glance(struct tr_graph_reader *reader,
                                struct tr_audit_glance *out, struct tr_err *err)
{
    uint64_t quads[2];
    uint64_t activities[2];
    TR_TRY(count_some(reader->db,
                      "SELECT count(*), count(DISTINCT g) FROM"
                      " (SELECT g FROM spo LIMIT ?1)",
                      quads, err));
    TR_TRY(count_some(reader->db,
                      "SELECT (SELECT count(*) FROM"
                      " (SELECT 1 FROM activity LIMIT ?1)),"
                      " (SELECT count(*) FROM"
                      " (SELECT 1 FROM activity_read LIMIT ?1))",
                      activities, err));
    *out = (struct tr_audit_glance){
        .quads = quads[0],
        .graphs = quads[1],
        .activities = activities[0] + activities[1],
        .is_exact = quads[0] < TR_LIMIT_GLANCE &&
                    activities[0] < TR_LIMIT_GLANCE &&
                    activities[1] < TR_LIMIT_GLANCE,
    };
    return TR_OK;
}

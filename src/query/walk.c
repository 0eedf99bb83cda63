#include "query/walk.h"

#include "base/vec.h"
#include "db/db.h"

/* Literals stand in one index, resources in the other, and those of a bare
 * predicate in none: no filter leads there, and who comes looks at all. */
enum table { RESOURCES, LITERALS, BARE };

static const char *const index_sql[] = {
    [RESOURCES] =
        "SELECT s FROM ops WHERE o = ?2 AND p = ?1 AND s >= ?3 ORDER BY s",
    [LITERALS] =
        "SELECT s FROM pos WHERE p = ?1 AND o = ?2 AND s >= ?3 ORDER BY s",
    [BARE] = "SELECT s FROM spo WHERE p = ?1 AND o = ?2 AND s >= ?3 ORDER BY s",
};
static const char *const rows_sql[] = {
    [RESOURCES] =
        "SELECT w.s, n.type, n.label FROM ops w LEFT JOIN node n ON n.s = w.s"
        " WHERE w.o = ?2 AND w.p = ?1 AND w.s >= ?3 ORDER BY w.s",
    [LITERALS] =
        "SELECT w.s, n.type, n.label FROM pos w LEFT JOIN node n ON n.s = w.s"
        " WHERE w.p = ?1 AND w.o = ?2 AND w.s >= ?3 ORDER BY w.s",
    [BARE] =
        "SELECT w.s, n.type, n.label FROM spo w LEFT JOIN node n ON n.s = w.s"
        " WHERE w.p = ?1 AND w.o = ?2 AND w.s >= ?3 ORDER BY w.s",
};
static const char nodes_sql[] = "SELECT s, type, label FROM node"
                                " WHERE s >= ?3 ORDER BY s";

/* Rows that are stepped over at most before a seek: it costs as much. */
#define PATIENCE 12

/* How often in a row a node is looked at instead of a seek to it. */
#define LOOKS 4

/* A walk through all nodes turns to the index after STRANGERS nodes of another
 * class, and one more for every PER_STRANGER nodes that had it: to find out
 * about a stranger costs as much as these. */
#define STRANGERS    4
#define PER_STRANGER 8

struct adding {
    struct tr_arena *arena;
    struct {
        tr_rdf_id *items;
        size_t count;
        size_t cap;
    } ids;
};

static tr_status keep_added(void *context, const tr_graph_change *change,
                            struct tr_err *err)
{
    struct adding *adding = context;
    if (!change->is_added ||
        tr_vec_push(adding->arena, &adding->ids, change->quad.s))
        return TR_OK;
    return tr_fail(err, TR_E_NOMEM, "no memory for a list");
}

static tr_status collect_added(struct tr_query_walk *walk, struct tr_err *err)
{
    struct adding adding = {.arena = walk->ctx->arena};
    tr_rdf_ids pattern = {TR_RDF_ID_ANY, walk->pair.p, walk->pair.o,
                          TR_RDF_ID_ANY};
    if (!walk->ctx->changes)
        return TR_OK;
    TR_TRY(tr_graph_overlay_each_like(walk->ctx->changes, pattern, keep_added,
                                      &adding, err));
    if (adding.ids.count)
        qsort(adding.ids.items, adding.ids.count, sizeof(tr_rdf_id),
              tr_rdf_id_compare);
    walk->added = adding.ids.items;
    walk->added_count = adding.ids.count;
    return TR_OK;
}

struct tr_query_walk tr_query_walk_open(const struct tr_graph_read_ctx *ctx,
                                        struct tr_query_pair pair,
                                        enum tr_query_walk_kind kind)
{
    return (struct tr_query_walk){.ctx = ctx, .pair = pair, .kind = kind};
}

void tr_query_walk_close(struct tr_query_walk *walk)
{
    if (walk->stmt)
        tr_db_stmt_reset(walk->stmt);
    walk->stmt = NULL;
}

static bool is_stored(struct tr_query_pair pair)
{
    return pair.p != TR_RDF_ID_NONE && pair.o != TR_RDF_ID_NONE &&
           !tr_graph_id_is_new(pair.p) && !tr_graph_id_is_new(pair.o);
}

/* A subject that has the value in two graphs has two rows. */
static tr_status step(struct tr_query_walk *walk, struct tr_err *err)
{
    bool row;
    tr_status status = tr_db_stmt_step(walk->stmt, &row, err);
    if (row) {
        walk->stored = (tr_rdf_id)tr_db_column_i64(walk->stmt, 0);
        walk->rows++;
        return status;
    }
    walk->stmt = NULL; /* it has reset itself */
    walk->stored = TR_QUERY_WALK_END;
    return status;
}

static enum table table_of(const struct tr_query_walk *walk)
{
    const struct tr_graph_value_set *values = walk->ctx->values;
    if (!tr_graph_id_is_literal(walk->pair.o))
        return RESOURCES;
    return values && tr_graph_value_set_is_bare(values, walk->pair.p)
               ? BARE
               : LITERALS;
}

static const char *sql_of(const struct tr_query_walk *walk)
{
    switch (walk->kind) {
    case TR_QUERY_WALK_NODES:
        return nodes_sql;
    case TR_QUERY_WALK_ROWS:
        return rows_sql[table_of(walk)];
    default:
        return index_sql[table_of(walk)];
    }
}

/* Goes to the first row from `from` on without a look at those before it. */
static tr_status seek(struct tr_query_walk *walk, tr_rdf_id from,
                      struct tr_err *err)
{
    tr_query_walk_close(walk);
    walk->stored = TR_QUERY_WALK_END;
    if (!is_stored(walk->pair) || tr_graph_id_is_new(from))
        return TR_OK;
    TR_TRY(tr_db_prepare(walk->ctx->db, sql_of(walk), &walk->stmt, err));
    tr_db_bind_i64(walk->stmt, 1, (int64_t)walk->pair.p);
    tr_db_bind_i64(walk->stmt, 2, (int64_t)walk->pair.o);
    tr_db_bind_i64(walk->stmt, 3, (int64_t)from);
    return step(walk, err);
}

/* Whether the current node has the class. Its row names one class only, so the
 * quads are asked too. */
static tr_status has_class(struct tr_query_walk *walk, bool *out,
                           struct tr_err *err)
{
    tr_rdf_ids pattern = {walk->stored, walk->pair.p, walk->pair.o,
                          TR_RDF_ID_ANY};
    *out = (tr_rdf_id)tr_db_column_i64(walk->stmt, 1) == walk->pair.o;
    if (!*out)
        TR_TRY(tr_rdf_graph_has(walk->ctx->graph, pattern, out, err));
    walk->given += *out;
    walk->strangers += !*out;
    return TR_OK;
}

/* When too many nodes are of another class, the index goes on from here. */
static tr_status reach_by_nodes(struct tr_query_walk *walk, tr_rdf_id from,
                                struct tr_err *err)
{
    bool fits = false;
    TR_TRY(walk->stmt ? step(walk, err) : seek(walk, from, err));
    while (walk->stmt) {
        TR_TRY(has_class(walk, &fits, err));
        if (fits)
            return TR_OK;
        if (walk->strangers > STRANGERS + walk->given / PER_STRANGER) {
            walk->kind = TR_QUERY_WALK_INDEX;
            return seek(walk, walk->stored + 1, err);
        }
        TR_TRY(step(walk, err));
    }
    return TR_OK;
}

/* What is near is reached by steps. Who had to seek last time has less patience
 * now, so that a walk that is always far behind wastes few of them. */
static tr_status step_to(struct tr_query_walk *walk, tr_rdf_id from,
                         struct tr_err *err)
{
    size_t patience = walk->patience;
    if (walk->stored >= from)
        return TR_OK;
    if (walk->kind == TR_QUERY_WALK_NODES)
        return reach_by_nodes(walk, from, err);
    for (size_t i = 0; walk->stmt && walk->stored < from && i < patience; i++)
        TR_TRY(step(walk, err));
    patience = walk->stored < from ? patience / 2 | 1 : 2 * patience;
    walk->patience = patience < PATIENCE ? patience : PATIENCE;
    return TR_OK;
}

static tr_rdf_id reach_added(struct tr_query_walk *walk, tr_rdf_id from)
{
    while (walk->added_at < walk->added_count &&
           walk->added[walk->added_at] < from)
        walk->added_at++;
    return walk->added_at < walk->added_count ? walk->added[walk->added_at]
                                              : TR_QUERY_WALK_END;
}

/* Whether a subject has the value after the call's changes, and may be seen. */
static tr_status is_kept(const struct tr_query_walk *walk, tr_rdf_id id,
                         bool is_added, bool *out, struct tr_err *err)
{
    tr_rdf_ids row = {id, walk->pair.p, walk->pair.o, TR_RDF_ID_ANY};
    if (!is_added && tr_graph_read_ctx_touches(walk->ctx, id))
        return tr_rdf_graph_has(walk->ctx->graph, row, out, err);
    *out = !walk->ctx->face || tr_model_face_shows(walk->ctx->graph, row);
    return TR_OK;
}

/* From where the steps have led to. */
static tr_status settle(struct tr_query_walk *walk, tr_rdf_id from,
                        tr_rdf_id *out, struct tr_err *err)
{
    bool is_there = false;
    if (walk->stored == TR_RDF_ID_NONE)
        TR_TRY(collect_added(walk, err));
    for (;;) {
        if (walk->stored < from)
            TR_TRY(seek(walk, from, err));
        tr_rdf_id added = reach_added(walk, from);
        *out = added < walk->stored ? added : walk->stored;
        if (*out == TR_QUERY_WALK_END)
            return TR_OK;
        TR_TRY(is_kept(walk, *out, *out == added, &is_there, err));
        if (is_there)
            return TR_OK;
        from = *out + 1;
        TR_TRY(step_to(walk, from, err));
    }
}

tr_status tr_query_walk_reach(struct tr_query_walk *walk, tr_rdf_id from,
                              tr_rdf_id *out, struct tr_err *err)
{
    TR_TRY(step_to(walk, from, err));
    return settle(walk, from, out, err);
}

/*
 * A walk that is far behind has more subjects here than the one that gave the
 * node, so that it would not get ahead by a seek. And what is said of a node
 * stands together: to look at it there costs one page for all walks, a seek one
 * for each. After some such looks a seek shows whether this is still so.
 */
tr_status tr_query_walk_meet(struct tr_query_walk *walk, tr_rdf_id node,
                             tr_rdf_id *out, struct tr_err *err)
{
    tr_rdf_ids row = {node, walk->pair.p, walk->pair.o, TR_RDF_ID_ANY};
    bool is_there;
    if (walk->looks == 0)
        TR_TRY(step_to(walk, node, err));
    bool is_behind = walk->stored != TR_RDF_ID_NONE && walk->stored < node;
    walk->looks = is_behind && walk->looks < LOOKS ? walk->looks + 1 : 0;
    if (walk->looks == 0 && !tr_graph_read_ctx_touches(walk->ctx, node))
        return settle(walk, node, out, err);
    TR_TRY(tr_rdf_graph_has(walk->ctx->graph, row, &is_there, err));
    *out = is_there ? node : TR_RDF_ID_NONE;
    return TR_OK;
}

static bool stands_on_row(const struct tr_query_walk *walk, tr_rdf_id node)
{
    return walk->stmt && walk->kind != TR_QUERY_WALK_INDEX &&
           walk->stored == node && !tr_graph_read_ctx_touches(walk->ctx, node);
}

bool tr_query_walk_class(const struct tr_query_walk *walk, tr_rdf_id node,
                         tr_rdf_id *out)
{
    if (!stands_on_row(walk, node))
        return false;
    *out = (tr_rdf_id)tr_db_column_i64(walk->stmt, 1);
    return true;
}

bool tr_query_walk_label(const struct tr_query_walk *walk, tr_rdf_id node,
                         tr_str *out)
{
    if (!stands_on_row(walk, node))
        return false;
    *out = tr_db_column_text(walk->stmt, 2);
    return true;
}

#include "query/walk.h"

#include "base/vec.h"
#include "db/db.h"

/* Literals stand in one index, resources in the other. */
static const char *const walks[] = {
    "SELECT s FROM ops WHERE o = ?2 AND p = ?1 AND s > ?3 ORDER BY s",
    "SELECT s FROM pos WHERE p = ?1 AND o = ?2 AND s > ?3 ORDER BY s",
};
static const char *const row_walks[] = {
    "SELECT w.s, n.type, n.label FROM ops w LEFT JOIN node n ON n.s = w.s"
    " WHERE w.o = ?2 AND w.p = ?1 AND w.s > ?3 ORDER BY w.s",
    "SELECT w.s, n.type, n.label FROM pos w LEFT JOIN node n ON n.s = w.s"
    " WHERE w.p = ?1 AND w.o = ?2 AND w.s > ?3 ORDER BY w.s",
};
static const char node_walk[] = "SELECT s, type, label FROM node"
                                " WHERE s > ?1 ORDER BY s";
static const char *const counts[] = {
    "SELECT count(*) FROM (SELECT 1 FROM ops"
    " WHERE o = ?2 AND p = ?1 AND s > ?3 LIMIT ?4)",
    "SELECT count(*) FROM (SELECT 1 FROM pos"
    " WHERE p = ?1 AND o = ?2 AND s > ?3 LIMIT ?4)",
};

/* A walk through all nodes turns to the index after STRANGERS nodes of another
 * class, and one more for every PER_STRANGER nodes that had it: to find out
 * about a stranger costs as much as these. */
#define STRANGERS    4
#define PER_STRANGER 8

static bool is_stored(struct tr_query_pair pair)
{
    return pair.p != TR_RDF_ID_NONE && pair.o != TR_RDF_ID_NONE &&
           !tr_graph_id_is_new(pair.p) && !tr_graph_id_is_new(pair.o);
}

static tr_status prepare(const struct tr_graph_read_ctx *ctx,
                         const char *const queries[2],
                         struct tr_query_pair pair, tr_rdf_id after,
                         struct tr_db_stmt **out, struct tr_err *err)
{
    TR_TRY(tr_db_prepare(ctx->db, queries[tr_graph_id_is_literal(pair.o)], out,
                         err));
    tr_db_bind_i64(*out, 1, (int64_t)pair.p);
    tr_db_bind_i64(*out, 2, (int64_t)pair.o);
    tr_db_bind_i64(*out, 3, (int64_t)after);
    return TR_OK;
}

struct adding {
    struct tr_arena *arena;
    tr_rdf_id after;
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
    tr_rdf_id id = change->quad.s;
    if (!change->is_added || id <= adding->after ||
        tr_vec_push(adding->arena, &adding->ids, id))
        return TR_OK;
    return tr_fail(err, TR_E_NOMEM, "no memory for a list");
}

static tr_status collect_added(struct tr_query_walk *walk, tr_rdf_id after,
                               struct tr_err *err)
{
    struct adding adding = {.arena = walk->ctx->arena, .after = after};
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

/* Too many nodes are of another class: the index goes on from here. */
static tr_status leave_nodes(struct tr_query_walk *walk, struct tr_err *err)
{
    tr_db_stmt_reset(walk->stmt);
    walk->stmt = NULL;
    walk->is_by_nodes = walk->has_rows = false;
    return prepare(walk->ctx, walks, walk->pair, walk->stored, &walk->stmt,
                   err);
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
    return walk->strangers > STRANGERS + walk->given / PER_STRANGER
               ? leave_nodes(walk, err)
               : TR_OK;
}

/* A subject that has the value in two graphs comes twice in a row: the second
 * is passed over. */
static tr_status step(struct tr_query_walk *walk, struct tr_err *err)
{
    tr_rdf_id last = walk->stored;
    bool row = walk->stmt != NULL;
    tr_status status = TR_OK;
    while (row && status == TR_OK) {
        bool fits = true;
        status = tr_db_stmt_step(walk->stmt, &row, err);
        if (!row)
            break;
        walk->stored = (tr_rdf_id)tr_db_column_i64(walk->stmt, 0);
        if (walk->is_by_nodes)
            status = has_class(walk, &fits, err);
        if (status == TR_OK && fits && walk->stored != last)
            return TR_OK;
    }
    if (!row)
        walk->stmt = NULL; /* it has reset itself */
    walk->stored = TR_RDF_ID_NONE;
    return status;
}

/* `is_given` is set, so that the first call steps onto the first row. */
static tr_status open_at(struct tr_query_walk *walk, tr_rdf_id after,
                         struct tr_err *err)
{
    walk->is_given = true;
    TR_TRY(collect_added(walk, after, err));
    if (!is_stored(walk->pair) || tr_graph_id_is_new(after))
        return TR_OK;
    return prepare(walk->ctx, walk->has_rows ? row_walks : walks, walk->pair,
                   after, &walk->stmt, err);
}

tr_status tr_query_walk_open(struct tr_query_walk *walk,
                             const struct tr_graph_read_ctx *ctx,
                             struct tr_query_pair pair, tr_rdf_id after,
                             struct tr_err *err)
{
    *walk = (struct tr_query_walk){.ctx = ctx, .pair = pair};
    return open_at(walk, after, err);
}

tr_status tr_query_walk_open_rows(struct tr_query_walk *walk,
                                  const struct tr_graph_read_ctx *ctx,
                                  struct tr_query_pair pair, tr_rdf_id after,
                                  struct tr_err *err)
{
    *walk = (struct tr_query_walk){.ctx = ctx, .pair = pair, .has_rows = true};
    return open_at(walk, after, err);
}

tr_status tr_query_walk_open_class(struct tr_query_walk *walk,
                                   const struct tr_graph_read_ctx *ctx,
                                   struct tr_query_pair pair, tr_rdf_id after,
                                   struct tr_err *err)
{
    *walk = (struct tr_query_walk){.ctx = ctx,
                                   .pair = pair,
                                   .has_rows = true,
                                   .is_by_nodes = true,
                                   .is_given = true};
    TR_TRY(tr_db_prepare(ctx->db, node_walk, &walk->stmt, err));
    tr_db_bind_i64(walk->stmt, 1, (int64_t)after);
    return TR_OK;
}

/* Whether a subject has the value after the call's changes, and may be seen. */
static tr_status is_kept(const struct tr_query_walk *walk, tr_rdf_id id,
                         bool *out, struct tr_err *err)
{
    *out = true;
    return id != TR_RDF_ID_NONE &&
                   (walk->ctx->face || tr_graph_read_ctx_touches(walk->ctx, id))
               ? tr_rdf_graph_has(walk->ctx->graph,
                                  (tr_rdf_ids){id, walk->pair.p, walk->pair.o,
                                               TR_RDF_ID_ANY},
                                  out, err)
               : TR_OK;
}

/* Takes the smaller id of the stored and the added; one in both comes once. */
static tr_status merge(struct tr_query_walk *walk, tr_rdf_id *out,
                       bool *is_there, struct tr_err *err)
{
    if (walk->is_given)
        TR_TRY(step(walk, err));
    tr_rdf_id added = walk->added_at < walk->added_count
                          ? walk->added[walk->added_at]
                          : TR_RDF_ID_NONE;
    bool take_added = added != TR_RDF_ID_NONE &&
                      (walk->stored == TR_RDF_ID_NONE || added <= walk->stored);
    *out = take_added ? added : walk->stored;
    *is_there = true;
    while (walk->added_at < walk->added_count &&
           walk->added[walk->added_at] == *out)
        walk->added_at++;
    walk->is_given = *out == walk->stored && *out != TR_RDF_ID_NONE;
    return take_added && !walk->ctx->face ? TR_OK
                                          : is_kept(walk, *out, is_there, err);
}

tr_status tr_query_walk_next(struct tr_query_walk *walk, tr_rdf_id *out,
                             struct tr_err *err)
{
    bool is_there = false;
    while (!is_there)
        TR_TRY(merge(walk, out, &is_there, err));
    return TR_OK;
}

void tr_query_walk_close(struct tr_query_walk *walk)
{
    if (walk->stmt)
        tr_db_stmt_reset(walk->stmt);
    walk->stmt = NULL;
}

static bool stands_on_row(const struct tr_query_walk *walk)
{
    return walk->has_rows && walk->is_given && walk->stmt &&
           !tr_graph_read_ctx_touches(walk->ctx, walk->stored);
}

bool tr_query_walk_class(const struct tr_query_walk *walk, tr_rdf_id *out)
{
    if (!stands_on_row(walk))
        return false;
    *out = (tr_rdf_id)tr_db_column_i64(walk->stmt, 1);
    return true;
}

bool tr_query_walk_label(const struct tr_query_walk *walk, tr_str *out)
{
    if (!stands_on_row(walk))
        return false;
    *out = tr_db_column_text(walk->stmt, 2);
    return true;
}

tr_status tr_query_walk_estimate(const struct tr_graph_read_ctx *ctx,
                                 struct tr_query_pair pair, tr_rdf_id after,
                                 size_t max, size_t *out, struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    bool row;
    *out = 0;
    if (!is_stored(pair) || tr_graph_id_is_new(after))
        return TR_OK;
    TR_TRY(prepare(ctx, counts, pair, after, &stmt, err));
    tr_db_bind_i64(stmt, 4, (int64_t)max);
    TR_TRY(tr_db_stmt_step(stmt, &row, err));
    *out = row ? (size_t)tr_db_column_i64(stmt, 0) : 0;
    tr_db_stmt_reset(stmt);
    return TR_OK;
}

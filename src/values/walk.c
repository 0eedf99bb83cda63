#include "base/limits.h"
#include "base/vec.h"
#include "db/db.h"
#include "values/inside.h"

#include <stdlib.h>

static const char forward_sql[] =
    "SELECT k, s FROM value_row WHERE x = ?1 AND k >= ?2 AND k < ?4"
    " ORDER BY k, s";
static const char above_sql[] =
    "SELECT k, s FROM value_row WHERE x = ?1 AND k > ?2 AND k < ?4"
    " ORDER BY k, s";
static const char backward_sql[] =
    "SELECT k, s FROM value_row WHERE x = ?1 AND k >= ?2 AND k < ?4"
    " ORDER BY k DESC, s DESC";
static const char equal_sql[] =
    "SELECT k, s FROM value_row WHERE x = ?1 AND k = ?2 AND s > ?3 ORDER BY s";

/* A row, with a key of its own. */
struct entry {
    struct tr_key key;
    tr_rdf_id node; /* TR_RDF_ID_NONE: there is none */
};

/*
 * A walk that begins behind a node has the rest of its key first, then the keys
 * above. Backward a walk goes down from key to key, but up through the nodes of
 * each: when the row below has the same key, the rows of that key are read from
 * their beginning, and then those below it.
 */
struct tr_values_walk {
    const struct tr_graph_read_ctx *ctx;
    const struct tr_graph_value_def *def;
    bool backward;
    bool is_absent; /* backward: it is at those without a value */
    bool is_cut;
    size_t work;
    size_t rows;
    struct tr_db_stmt *stmt;               /* forward, or down the keys */
    struct tr_db_stmt *ties;               /* of the current key, upward */
    bool has_stored;                       /* `stored` was not given yet */
    TR_VEC(struct tr_values_spot) changed; /* by the call */
    size_t changed_at;
    struct tr_values_bounds bounds; /* from here on keys, which are large */
    struct tr_key low;              /* what the statements are bound to */
    struct tr_key high;
    struct tr_key tie;
    struct entry below;  /* read ahead of `stored` */
    struct entry stored; /* the current one */
};

/* Order ------------------------------------------------------------------- */

static bool is_absent(const struct tr_values_walk *walk, tr_str key)
{
    return walk->backward &&
           tr_str_cmp(key, tr_key_str(&walk->bounds.absent)) >= 0;
}

/* Which of two comes first on the way. */
static int compare(const struct tr_values_walk *walk, tr_str a,
                   tr_rdf_id node_a, tr_str b, tr_rdf_id node_b)
{
    int order = tr_str_cmp(a, b);
    if (is_absent(walk, a) != is_absent(walk, b))
        return is_absent(walk, a) ? 1 : -1;
    if (order != 0)
        return walk->backward ? -order : order;
    return (node_a > node_b) - (node_a < node_b);
}

static bool is_within(const struct tr_values_walk *walk, tr_str key)
{
    return tr_str_cmp(tr_key_str(&walk->bounds.low), key) <= 0 &&
           tr_str_cmp(key, tr_key_str(&walk->bounds.high)) < 0;
}

/* What the call has changed ----------------------------------------------- */

struct collecting {
    struct tr_values_walk *walk;
    const struct tr_values_index *index;
    const struct tr_values_spot *after;
};

static tr_status keep_key(struct collecting *c, tr_rdf_id node,
                          struct tr_err *err)
{
    struct tr_values_walk *walk = c->walk;
    struct tr_values_spot one = {.node = node};
    struct tr_key key;
    bool is_there;
    TR_TRY(tr_values_key(walk->ctx, c->index, node, &key, &is_there, err));
    if (!is_there || !is_within(walk, tr_key_str(&key)) ||
        (c->after && compare(walk, tr_key_str(&key), node, c->after->key,
                             c->after->node) <= 0))
        return TR_OK;
    if (!tr_arena_copy(walk->ctx->arena, tr_key_str(&key), &one.key) ||
        !tr_vec_push(walk->ctx->arena, &walk->changed, one))
        return tr_fail(err, TR_E_NOMEM, "no memory for an index");
    return TR_OK;
}

struct subjects {
    struct tr_arena *arena;
    TR_VEC(tr_rdf_id) ids;
};

static tr_status keep_subject(void *context, const tr_graph_change *change,
                              struct tr_err *err)
{
    struct subjects *to = context;
    return tr_vec_push(to->arena, &to->ids, change->quad.s)
               ? TR_OK
               : tr_fail(err, TR_E_NOMEM, "no memory for an index");
}

static int compare_changed(const void *a, const void *b, void *walk)
{
    const struct tr_values_spot *x = a;
    const struct tr_values_spot *y = b;
    return compare(walk, x->key, x->node, y->key, y->node);
}

static tr_status collect_changed(struct tr_values_walk *walk,
                                 const struct tr_values_index *index,
                                 const struct tr_values_spot *after,
                                 struct tr_err *err)
{
    struct subjects subjects = {.arena = walk->ctx->arena};
    struct collecting c = {.walk = walk, .index = index, .after = after};
    if (!walk->ctx->changes)
        return TR_OK;
    TR_TRY(tr_graph_overlay_each(walk->ctx->changes, keep_subject, &subjects,
                                 err));
    if (subjects.ids.count)
        qsort(subjects.ids.items, subjects.ids.count, sizeof(tr_rdf_id),
              tr_rdf_id_compare);
    for (size_t i = 0; i < subjects.ids.count; i++) {
        if (i == 0 || subjects.ids.items[i] != subjects.ids.items[i - 1])
            TR_TRY(keep_key(&c, subjects.ids.items[i], err));
    }
    if (walk->changed.count)
        qsort_r(walk->changed.items, walk->changed.count,
                sizeof(struct tr_values_spot), compare_changed, walk);
    return TR_OK;
}

/* Rows -------------------------------------------------------------------- */

static void reset(struct tr_db_stmt **stmt)
{
    if (*stmt)
        tr_db_stmt_reset(*stmt);
    *stmt = NULL;
}

static tr_status begin(struct tr_values_walk *walk, const char *sql,
                       const struct tr_key *key, int64_t node,
                       struct tr_db_stmt **out, struct tr_err *err)
{
    TR_TRY(tr_db_prepare(walk->ctx->db, sql, out, err));
    tr_db_bind_i64(*out, 1, walk->def->number);
    tr_db_bind_blob(*out, 2, tr_key_str(key));
    if (sql == equal_sql)
        tr_db_bind_i64(*out, 3, node);
    else
        tr_db_bind_blob(*out, 4, tr_key_str(&walk->high));
    return TR_OK;
}

/* Goes down from below `high`. */
static tr_status begin_below(struct tr_values_walk *walk,
                             const struct tr_key *high, struct tr_err *err)
{
    tr_key_copy(&walk->high, high);
    tr_key_copy(&walk->low,
                walk->is_absent ? &walk->bounds.absent : &walk->bounds.low);
    reset(&walk->stmt);
    return begin(walk, backward_sql, &walk->low, 0, &walk->stmt, err);
}

static tr_status begin_ties(struct tr_values_walk *walk, tr_str key,
                            tr_rdf_id behind, struct tr_err *err)
{
    memcpy(walk->tie.bytes, key.ptr, key.len);
    walk->tie.len = key.len;
    return begin(walk, equal_sql, &walk->tie, (int64_t)behind, &walk->ties,
                 err);
}

static tr_status step(struct tr_values_walk *walk, struct tr_db_stmt **stmt,
                      struct entry *out, struct tr_err *err)
{
    bool row = false;
    out->node = TR_RDF_ID_NONE;
    if (!*stmt)
        return TR_OK;
    TR_TRY(tr_db_stmt_step(*stmt, &row, err));
    if (!row) {
        *stmt = NULL; /* it has reset itself */
        return TR_OK;
    }
    walk->rows++;
    tr_str key = tr_db_column_blob(*stmt, 0);
    if (key.len == 0 || key.len > sizeof(out->key.bytes)) {
        reset(stmt);
        return tr_fail(err, TR_E_IO,
                       "the store is damaged: a row of an index has no key");
    }
    memcpy(out->key.bytes, key.ptr, key.len);
    out->key.len = key.len;
    out->node = (tr_rdf_id)tr_db_column_i64(*stmt, 1);
    return TR_OK;
}

/* From the least key that was met down; then on to those without a value. */
static tr_status step_down(struct tr_values_walk *walk, struct tr_err *err)
{
    struct entry *now = &walk->stored;
    TR_TRY(step(walk, &walk->ties, now, err));
    if (now->node != TR_RDF_ID_NONE)
        return TR_OK;
    if (walk->tie.len) { /* they were all of that key */
        TR_TRY(begin_below(walk, &walk->tie, err));
        walk->tie.len = 0;
        walk->below.node = TR_RDF_ID_NONE;
    }
    now->node = walk->below.node;
    tr_key_copy(&now->key, &walk->below.key);
    if (now->node == TR_RDF_ID_NONE)
        TR_TRY(step(walk, &walk->stmt, now, err));
    TR_TRY(step(walk, &walk->stmt, &walk->below, err));
    if (now->node == TR_RDF_ID_NONE || walk->below.node == TR_RDF_ID_NONE ||
        !tr_str_eq(tr_key_str(&now->key), tr_key_str(&walk->below.key)))
        return TR_OK;
    reset(&walk->stmt);
    TR_TRY(begin_ties(walk, tr_key_str(&now->key), TR_RDF_ID_NONE, err));
    return step(walk, &walk->ties, now, err);
}

static tr_status step_backward(struct tr_values_walk *walk, struct tr_err *err)
{
    TR_TRY(step_down(walk, err));
    if (walk->stored.node != TR_RDF_ID_NONE || walk->is_absent)
        return TR_OK;
    walk->is_absent = true;
    TR_TRY(begin_below(walk, &walk->bounds.high, err));
    return step_down(walk, err);
}

static tr_status step_forward(struct tr_values_walk *walk, struct tr_err *err)
{
    if (walk->ties) {
        TR_TRY(step(walk, &walk->ties, &walk->stored, err));
        if (walk->stored.node != TR_RDF_ID_NONE)
            return TR_OK;
        TR_TRY(begin(walk, above_sql, &walk->tie, 0, &walk->stmt, err));
    }
    return step(walk, &walk->stmt, &walk->stored, err);
}

/* Whether a row is as the call sees it; those that it has changed are merged
 * in. */
static bool is_shown(const struct tr_values_walk *walk, tr_rdf_id node)
{
    const struct tr_graph_read_ctx *ctx = walk->ctx;
    tr_rdf_ids row = {node, ctx->values->type, walk->def->class, TR_RDF_ID_ANY};
    return !tr_graph_read_ctx_touches(ctx, node) &&
           (!ctx->face || tr_model_face_shows(ctx->graph, row));
}

static tr_status fetch(struct tr_values_walk *walk, struct tr_err *err)
{
    do {
        walk->is_cut = walk->rows >= walk->work;
        if (walk->is_cut)
            return TR_OK;
        TR_TRY(walk->backward ? step_backward(walk, err)
                              : step_forward(walk, err));
    } while (walk->stored.node != TR_RDF_ID_NONE &&
             !is_shown(walk, walk->stored.node));
    walk->has_stored = true;
    return TR_OK;
}

/* Walks ------------------------------------------------------------------- */

static tr_status begin_rows(struct tr_values_walk *walk,
                            const struct tr_values_spot *after,
                            struct tr_err *err)
{
    tr_key_copy(&walk->high, &walk->bounds.high);
    if (!walk->backward) {
        tr_key_copy(&walk->low, &walk->bounds.low);
        if (after && tr_str_cmp(after->key, tr_key_str(&walk->low)) >= 0)
            return begin_ties(walk, after->key, after->node, err);
        return begin(walk, forward_sql, &walk->low, 0, &walk->stmt, err);
    }
    walk->is_absent =
        after && (is_absent(walk, after->key) ||
                  tr_str_cmp(after->key, tr_key_str(&walk->bounds.low)) < 0);
    if (after && is_within(walk, after->key))
        return begin_ties(walk, after->key, after->node, err);
    return begin_below(
        walk, walk->is_absent ? &walk->bounds.high : &walk->bounds.absent, err);
}

/* Of its keys only the lengths are cleared: they are most of it. */
static struct tr_values_walk *create(struct tr_arena *arena)
{
    struct tr_values_walk *walk = tr_arena_alloc(arena, sizeof(*walk));
    if (!walk)
        return NULL;
    memset(walk, 0, offsetof(struct tr_values_walk, bounds));
    walk->tie.len = walk->below.key.len = walk->stored.key.len = 0;
    walk->below.node = walk->stored.node = TR_RDF_ID_NONE;
    return walk;
}

tr_status tr_values_walk_open(const struct tr_graph_read_ctx *ctx,
                              const struct tr_values_index *index,
                              const struct tr_values_range *range,
                              struct tr_values_walk **out, bool *is_inexact,
                              struct tr_err *err)
{
    struct tr_values_walk *walk = create(ctx->arena);
    if (!walk)
        return tr_fail(err, TR_E_NOMEM, "no memory for an index");
    walk->ctx = ctx;
    walk->def = index->def;
    walk->backward = range->backward;
    walk->work = range->work ? range->work : TR_LIMIT_QUERY_WORK;
    if (range->after && range->after->key.len > TR_KEY_MAX)
        return tr_fail(err, TR_E_INVALID, "a place in an index is too long");
    TR_TRY(tr_values_bounds_make(ctx, index->def, range, &walk->bounds, err));
    TR_TRY(collect_changed(walk, index, range->after, err));
    TR_TRY(begin_rows(walk, range->after, err));
    if (is_inexact)
        *is_inexact = walk->bounds.is_inexact;
    *out = walk;
    return TR_OK;
}

tr_status tr_values_walk_next(struct tr_values_walk *walk,
                              struct tr_values_step *out, struct tr_err *err)
{
    *out = (struct tr_values_step){0};
    if (!walk->has_stored)
        TR_TRY(fetch(walk, err));
    if (walk->is_cut)
        return TR_OK;
    const struct entry *stored = &walk->stored;
    const struct tr_values_spot *changed =
        walk->changed_at < walk->changed.count
            ? &walk->changed.items[walk->changed_at]
            : NULL;
    if (changed && (stored->node == TR_RDF_ID_NONE ||
                    compare(walk, changed->key, changed->node,
                            tr_key_str(&stored->key), stored->node) < 0)) {
        *out = (struct tr_values_step){changed->node, changed->key};
        walk->changed_at++;
        return TR_OK;
    }
    *out = (struct tr_values_step){stored->node, tr_key_str(&stored->key)};
    walk->has_stored = stored->node == TR_RDF_ID_NONE;
    return TR_OK;
}

bool tr_values_walk_is_cut(const struct tr_values_walk *walk)
{
    return walk->is_cut;
}

void tr_values_walk_close(struct tr_values_walk *walk)
{
    if (!walk)
        return;
    reset(&walk->stmt);
    reset(&walk->ties);
}

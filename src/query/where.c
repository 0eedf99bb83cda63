#include "base/limits.h"
#include "db/db.h"
#include "query/filter.h"
#include "query/query.h"

/* After so many candidates that did not match, the rarest value is chosen anew.
 * The number grows each time, so that choosing costs no more than walking. */
#define PATIENCE 64

/* The nodes that a filter lets pass, one after the other. */
struct matching {
    const struct tr_graph_read_ctx *ctx;
    struct tr_query_filter filter;
    size_t driver;   /* the pair that is walked */
    bool needs_rows; /* of nodes: they mostly tell the class */
    struct tr_query_walk walk;
    tr_rdf_id last;  /* the last candidate */
    size_t misses;   /* candidates that did not match, since the last choice */
    size_t patience; /* misses until the next choice */
    size_t work;     /* candidates that may still be looked at */
    bool is_cut;     /* `work` was used up */
};

/* Chooses the rarest of the pairs, by counting up to `max` rows of each; once
 * one has fewer, the others are counted up to that. Fields come before the
 * class, which mostly has more. */
static tr_status choose(struct matching *m, size_t max, struct tr_err *err)
{
    size_t least = SIZE_MAX;
    for (size_t i = 0; i < m->filter.count && least > 0; i++) {
        size_t rows;
        TR_TRY(tr_query_walk_estimate(m->ctx, m->filter.pairs[i], m->last,
                                      least < max ? least : max, &rows, err));
        if (rows < least) {
            least = rows;
            m->driver = i;
        }
    }
    return TR_OK;
}

static tr_status open_walk(struct matching *m, struct tr_err *err)
{
    struct tr_query_pair pair = m->filter.pairs[m->driver];
    if (m->filter.count == 1 && !m->ctx->changes)
        return tr_query_walk_open_class(&m->walk, m->ctx, pair, m->last, err);
    m->needs_rows |= m->driver + 1 < m->filter.count;
    return m->needs_rows
               ? tr_query_walk_open_rows(&m->walk, m->ctx, pair, m->last, err)
               : tr_query_walk_open(&m->walk, m->ctx, pair, m->last, err);
}

static tr_status open_matching(struct matching *m,
                               const struct tr_graph_read_ctx *ctx,
                               const struct tr_query *query, tr_str after,
                               struct tr_err *err)
{
    *m = (struct matching){
        .ctx = ctx,
        .patience = PATIENCE,
        .work = tr_query_work(query->max_work) + query->skip,
    };
    TR_TRY(tr_query_filter_compile(ctx, query, &m->filter, err));
    if (after.len)
        TR_TRY(tr_rdf_graph_find_iri(ctx->graph, after, &m->last, err));
    if (after.len && m->last == TR_RDF_ID_NONE)
        return tr_fail(err, TR_E_NOT_FOUND,
                       "there is no node '%.*s' to go on from", TR_FMT(after));
    if (m->filter.is_empty)
        return TR_OK;
    /* With one value, the first misses tell whether the class is rarer. */
    if (m->filter.count > 2)
        TR_TRY(choose(m, PATIENCE, err));
    return open_walk(m, err);
}

/* All walks go the same way: another one goes on where this one stands. */
static tr_status rethink(struct matching *m, struct tr_err *err)
{
    size_t driver = m->driver;
    m->misses = 0;
    m->patience *= 4;
    TR_TRY(choose(m, m->patience, err));
    if (m->driver == driver)
        return TR_OK;
    tr_query_walk_close(&m->walk);
    return open_walk(m, err);
}

/* Whether the node's row has the class, which is the last of the pairs. */
static bool row_has_class(const struct matching *m)
{
    tr_rdf_id class;
    return tr_query_walk_class(&m->walk, &class) &&
           class == m->filter.pairs[m->filter.count - 1].o;
}

static tr_status has_others(struct matching *m, tr_rdf_id id, bool *out,
                            struct tr_err *err)
{
    *out = true;
    if (m->filter.count == 1)
        return TR_OK;
    size_t count = m->filter.count - row_has_class(m);
    for (size_t i = 0; i < count && *out; i++) {
        tr_rdf_ids pattern = {id, m->filter.pairs[i].p, m->filter.pairs[i].o,
                              TR_RDF_ID_ANY};
        if (i != m->driver)
            TR_TRY(tr_rdf_graph_has(m->ctx->graph, pattern, out, err));
    }
    return TR_OK;
}

/* TR_RDF_ID_NONE at the end. */
static tr_status next_match(struct matching *m, tr_rdf_id *out,
                            struct tr_err *err)
{
    *out = TR_RDF_ID_NONE;
    while (!m->filter.is_empty && !m->is_cut) {
        tr_rdf_id id;
        bool fits;
        TR_TRY(tr_query_walk_next(&m->walk, &id, err));
        if (id == TR_RDF_ID_NONE)
            return TR_OK;
        m->last = id;
        TR_TRY(has_others(m, id, &fits, err));
        m->is_cut = --m->work == 0;
        if (fits) {
            *out = id;
            return TR_OK;
        }
        if (++m->misses >= m->patience)
            TR_TRY(rethink(m, err));
    }
    return TR_OK;
}

size_t tr_query_work(size_t asked)
{
    return asked && asked < TR_LIMIT_QUERY_WORK ? asked : TR_LIMIT_QUERY_WORK;
}

size_t tr_query_page_limit(size_t asked)
{
    if (asked == 0)
        return TR_LIMIT_PAGE_DEFAULT;
    return asked < TR_LIMIT_PAGE ? asked : TR_LIMIT_PAGE;
}

static tr_status name_next(const struct tr_graph_read_ctx *ctx, tr_rdf_id id,
                           tr_str *out, struct tr_err *err)
{
    tr_rdf_term term;
    TR_TRY(tr_rdf_graph_get(ctx->graph, id, &term, err));
    return tr_arena_copy(ctx->arena, term.text, out)
               ? TR_OK
               : tr_fail(err, TR_E_NOMEM, "no memory for a page");
}

/* Goes to where the page begins. */
static tr_status skip_matches(struct matching *m, size_t *skip,
                              struct tr_err *err)
{
    tr_rdf_id id = m->filter.is_empty ? TR_RDF_ID_NONE : TR_RDF_ID_ANY;
    while (*skip > 0 && id != TR_RDF_ID_NONE) {
        TR_TRY(next_match(m, &id, err));
        *skip -= id != TR_RDF_ID_NONE;
    }
    return TR_OK;
}

static tr_status add_match(const struct matching *m, tr_rdf_id id,
                           struct tr_query_page *out, struct tr_err *err)
{
    tr_str label;
    size_t at = out->count++;
    out->ids[at] = id;
    if (!out->labels || tr_graph_read_ctx_relabels(m->ctx, id) ||
        !tr_query_walk_label(&m->walk, &label))
        return TR_OK;
    return tr_arena_copy(m->ctx->arena, label, &out->labels[at])
               ? TR_OK
               : tr_fail(err, TR_E_NOMEM, "no memory for a page");
}

/* One more than fits tells whether there is a next page. */
static tr_status fill_page(struct matching *m, size_t limit,
                           struct tr_query_page *out, struct tr_err *err)
{
    tr_rdf_id id;
    TR_TRY(skip_matches(m, &out->skip, err));
    TR_TRY(next_match(m, &id, err));
    while (id != TR_RDF_ID_NONE && out->count < limit) {
        TR_TRY(add_match(m, id, out, err));
        TR_TRY(next_match(m, &id, err));
    }
    if (id != TR_RDF_ID_NONE)
        return name_next(m->ctx, out->ids[out->count - 1], &out->next, err);
    return m->is_cut ? name_next(m->ctx, m->last, &out->next, err) : TR_OK;
}

tr_status tr_query_where(const struct tr_graph_read_ctx *ctx,
                         const struct tr_query *query,
                         struct tr_query_page *out, struct tr_err *err)
{
    struct matching m;
    size_t limit = tr_query_page_limit(query->limit);
    *out = (struct tr_query_page){
        .ids = TR_NEW_ARRAY(ctx->arena, tr_rdf_id, limit), .skip = query->skip};
    if (query->with_labels)
        out->labels = TR_NEW_ARRAY(ctx->arena, tr_str, limit);
    if (!out->ids || (query->with_labels && !out->labels))
        return tr_fail(err, TR_E_NOMEM, "no memory for a page");
    tr_status status = open_matching(&m, ctx, query, query->after, err);
    if (status == TR_OK)
        status = fill_page(&m, limit, out, err);
    tr_query_walk_close(&m.walk);
    return status;
}

static tr_status count_matches(struct matching *m, struct tr_query_count *out,
                               struct tr_err *err)
{
    tr_rdf_id id;
    TR_TRY(next_match(m, &id, err));
    while (id != TR_RDF_ID_NONE && out->count < TR_LIMIT_COUNT) {
        out->count++;
        TR_TRY(next_match(m, &id, err));
    }
    out->at_least = id != TR_RDF_ID_NONE || m->is_cut;
    return TR_OK;
}

/* The number of instances of a class, which every write keeps up to date. */
static tr_status read_type_count(const struct tr_graph_read_ctx *ctx,
                                 tr_rdf_id class, uint64_t *out,
                                 struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    bool row;
    TR_TRY(tr_db_prepare(
        ctx->db, "SELECT count FROM type_count WHERE type = ?1", &stmt, err));
    tr_db_bind_i64(stmt, 1, (int64_t) class);
    TR_TRY(tr_db_stmt_step(stmt, &row, err));
    *out = row ? (uint64_t)tr_db_column_i64(stmt, 0) : 0;
    tr_db_stmt_reset(stmt);
    return TR_OK;
}

/* What a face hides of a type are the instances of its private subtypes; those
 * of other private types that have its class too are counted. */
static tr_status count_type(const struct tr_graph_read_ctx *ctx,
                            const struct tr_model_type *type, tr_rdf_id class,
                            uint64_t *out, struct tr_err *err)
{
    const struct tr_model_face *face = ctx->face;
    TR_TRY(read_type_count(ctx, class, out, err));
    for (size_t i = 0; face && i < face->private_count; i++) {
        const struct tr_model_type *above = face->private_types[i]->parent;
        uint64_t hidden = 0;
        while (above && !tr_str_eq(above->name, type->name))
            above = above->parent;
        if (!above)
            continue;
        TR_TRY(tr_rdf_graph_find_iri(
            ctx->graph, face->private_types[i]->shape->iri, &class, err));
        TR_TRY(read_type_count(ctx, class, &hidden, err));
        *out -= hidden < *out ? hidden : *out;
    }
    return TR_OK;
}

tr_status tr_query_where_count(const struct tr_graph_read_ctx *ctx,
                               const struct tr_query *query,
                               struct tr_query_count *out, struct tr_err *err)
{
    struct matching m;
    *out = (struct tr_query_count){0};
    tr_status status = open_matching(&m, ctx, query, TR_STR(""), err);
    if (status == TR_OK && m.filter.count == 1 && !ctx->changes)
        status =
            count_type(ctx, query->type, m.filter.pairs[0].o, &out->count, err);
    else if (status == TR_OK)
        status = count_matches(&m, out, err);
    tr_query_walk_close(&m.walk);
    return status;
}

tr_status tr_query_where_exists(const struct tr_graph_read_ctx *ctx,
                                const struct tr_query *query, bool *out,
                                struct tr_err *err)
{
    struct matching m;
    tr_rdf_id id = TR_RDF_ID_NONE;
    tr_status status = open_matching(&m, ctx, query, TR_STR(""), err);
    if (status == TR_OK)
        status = next_match(&m, &id, err);
    if (status == TR_OK && id == TR_RDF_ID_NONE && m.is_cut)
        status = tr_fail(err, TR_E_LIMIT,
                         "none of the first %zu candidates fits the filter",
                         tr_query_work(query->max_work));
    tr_query_walk_close(&m.walk);
    *out = id != TR_RDF_ID_NONE;
    return status;
}

#include "query/facts.h"

#include "base/vec.h"
#include "db/db.h"

/* CROSS JOIN goes along the rows in their order, which their number tells
 * for less than a column of them would. */
static const char nodes_sql[] =
    "SELECT r.rowid, n.type, n.version FROM tr_rows r CROSS JOIN node n"
    " WHERE n.s = r.c0";
static const char facts_sql[] =
    "SELECT r.rowid, w.p, w.o FROM tr_rows r CROSS JOIN spo w"
    " WHERE w.s = r.c0 AND w.p BETWEEN r.c1 AND r.c2";

/* Fields of a type that stand so near to each other are read in one go, with
 * those between them: a search costs as much as so many rows. */
#define NEAR 4

struct facts {
    struct tr_query_fact *items;
    size_t count;
    size_t cap;
};

static tr_status fail_memory(struct tr_err *err)
{
    (void)tr_fail(err, TR_E_NOMEM, "no memory for a node");
    return TR_E_NOMEM;
}

/* One node ---------------------------------------------------------------- */

static int compare_facts(const void *a, const void *b)
{
    const struct tr_query_fact *x = a;
    const struct tr_query_fact *y = b;
    if (x->p != y->p)
        return x->p < y->p ? -1 : 1;
    return (x->o > y->o) - (x->o < y->o);
}

/* The facts of one node on their way. */
struct keeping {
    struct tr_arena *arena;
    struct facts *all; /* those of nodes before it come first */
    size_t first;
    bool is_unsorted;
};

/* Stored rows come sorted, those of the call's changes do not. */
static tr_status keep(void *context, tr_rdf_ids row, struct tr_err *err)
{
    struct keeping *k = context;
    struct facts *all = k->all;
    struct tr_query_fact fact = {row.p, row.o};
    int order = all->count > k->first
                    ? compare_facts(&all->items[all->count - 1], &fact)
                    : -1;
    if (order == 0)
        return TR_OK;
    k->is_unsorted |= order > 0;
    return tr_vec_push(k->arena, all, fact) ? TR_OK : fail_memory(err);
}

/* What is kept of it, sorted, and once. */
static size_t end_node(const struct keeping *k)
{
    struct facts *all = k->all;
    size_t kept = k->first;
    if (!k->is_unsorted)
        return all->count - k->first;
    qsort(all->items + k->first, all->count - k->first, sizeof(*all->items),
          compare_facts);
    for (size_t i = k->first; i < all->count; i++) {
        if (kept == k->first ||
            compare_facts(&all->items[kept - 1], &all->items[i]) != 0)
            all->items[kept++] = all->items[i];
    }
    all->count = kept;
    return kept - k->first;
}

/* Nobody is between the call and what is stored. */
static tr_status read_stored(const struct tr_graph_read_ctx *ctx,
                             tr_rdf_id node, struct keeping *k,
                             struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    bool row;
    TR_TRY(tr_db_prepare(ctx->db, "SELECT p, o FROM spo WHERE s = ?1", &stmt,
                         err));
    tr_db_bind_i64(stmt, 1, (int64_t)node);
    TR_TRY(tr_db_stmt_step(stmt, &row, err));
    while (row) {
        tr_rdf_ids ids = {.s = node,
                          .p = (tr_rdf_id)tr_db_column_i64(stmt, 0),
                          .o = (tr_rdf_id)tr_db_column_i64(stmt, 1)};
        tr_status status = keep(k, ids, err);
        if (status != TR_OK) {
            tr_db_stmt_reset(stmt);
            return status;
        }
        TR_TRY(tr_db_stmt_step(stmt, &row, err));
    }
    return TR_OK;
}

tr_status tr_query_facts_read(const struct tr_graph_read_ctx *ctx,
                              tr_rdf_id node, struct tr_query_facts *out,
                              struct tr_err *err)
{
    tr_rdf_ids pattern = {node, TR_RDF_ID_ANY, TR_RDF_ID_ANY, TR_RDF_ID_ANY};
    struct facts all = {0};
    struct keeping k = {.arena = ctx->arena, .all = &all};
    TR_TRY(ctx->changes || ctx->face
               ? tr_rdf_graph_each(ctx->graph, pattern, keep, &k, err)
               : read_stored(ctx, node, &k, err));
    out->count = end_node(&k);
    out->items = all.items;
    return TR_OK;
}

/* A page ------------------------------------------------------------------ */

/* Predicates from one to another. */
struct range {
    int64_t low;
    int64_t high;
};

/* What is read of the nodes of one class. */
struct plan {
    tr_rdf_id class;
    const struct tr_model_type *type; /* NULL: all is read */
    struct range *ranges;
    size_t count;
};

struct page {
    const struct tr_graph_read_ctx *ctx;
    const tr_rdf_id *nodes;
    size_t count;
    const struct tr_query_names *names;
    struct tr_query_said *out;
    TR_VEC(struct plan) plans;
    struct facts facts;
    struct tr_err *err;
};

/* The rows of a statement: four integers for each. */
struct rows {
    int64_t *values;
    size_t count;
};

static tr_status open_rows(const struct page *page, size_t count,
                           struct rows *out)
{
    out->count = 0;
    out->values =
        TR_NEW_ARRAY(page->ctx->arena, int64_t, TR_DB_COLUMNS * (count + 1));
    return out->values ? TR_OK : fail_memory(page->err);
}

static void add_row(struct rows *rows, tr_rdf_id node, struct range between,
                    size_t at)
{
    int64_t *row = &rows->values[TR_DB_COLUMNS * rows->count++];
    row[0] = (int64_t)node;
    row[1] = between.low;
    row[2] = between.high;
    row[3] = (int64_t)at;
}

/* Which node a row was made for. */
static size_t node_of(const struct rows *rows, int64_t row)
{
    return (size_t)rows->values[TR_DB_COLUMNS * (size_t)row + 3];
}

typedef tr_status row_fn(struct page *page, struct tr_db_stmt *stmt,
                         void *context);

static tr_status run(struct page *page, const char *sql,
                     const struct rows *rows, row_fn *visit, void *context)
{
    const struct tr_db_rows given = {
        .values = rows->values, .columns = TR_DB_COLUMNS, .count = rows->count};
    struct tr_db_stmt *stmt;
    bool row;
    TR_TRY(tr_db_select(page->ctx->db, sql, &given, &stmt, &row, page->err));
    tr_status status = TR_OK;
    while (row && status == TR_OK) {
        status = visit(page, stmt, context);
        if (status == TR_OK)
            status = tr_db_stmt_step(stmt, &row, page->err);
    }
    if (row)
        tr_db_stmt_reset(stmt);
    return status;
}

static tr_status take_node(struct page *page, struct tr_db_stmt *stmt,
                           void *context)
{
    (void)context;
    page->out[tr_db_column_i64(stmt, 0)].stored = (struct tr_graph_stored_node){
        .is_there = true,
        .type = (tr_rdf_id)tr_db_column_i64(stmt, 1),
        .version = tr_db_column_i64(stmt, 2),
    };
    return TR_OK;
}

static tr_status read_nodes(struct page *page)
{
    struct rows rows;
    TR_TRY(open_rows(page, page->count, &rows));
    for (size_t i = 0; i < page->count; i++)
        add_row(&rows, page->nodes[i], (struct range){0}, i);
    return run(page, nodes_sql, &rows, take_node, NULL);
}

/* Plans ------------------------------------------------------------------- */

static const struct range everything = {0, INT64_MAX};

/* A predicate that is wanted, and where its field stands in its type. */
struct wanted {
    tr_rdf_id p;
    size_t at;
};

static int by_predicate(const void *a, const void *b)
{
    const struct wanted *x = a;
    const struct wanted *y = b;
    return tr_rdf_id_compare(&x->p, &y->p);
}

/* Predicates have mostly been numbered in the order of the fields, behind
 * rdf:type. */
static bool is_near(const struct wanted *a, const struct wanted *b)
{
    return b->at > a->at && b->at - a->at <= NEAR;
}

static void make_ranges(struct wanted *all, size_t count, struct plan *plan)
{
    qsort(all, count, sizeof(*all), by_predicate);
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && is_near(&all[i - 1], &all[i]))
            plan->ranges[plan->count - 1].high = (int64_t)all[i].p;
        else
            plan->ranges[plan->count++] =
                (struct range){(int64_t)all[i].p, (int64_t)all[i].p};
    }
}

static tr_status plan_fields(const struct page *page, struct plan *plan)
{
    const struct tr_shape *shape = plan->type->shape;
    const struct tr_rdf_graph *graph = page->ctx->graph;
    struct wanted *all =
        TR_NEW_ARRAY(page->ctx->arena, struct wanted, shape->count + 1);
    size_t count = 0;
    plan->ranges =
        TR_NEW_ARRAY(page->ctx->arena, struct range, shape->count + 1);
    if (!all || !plan->ranges)
        return fail_memory(page->err);
    TR_TRY(tr_rdf_graph_find_iri(graph, TR_STR(TR_RDF_IRI_RDF_TYPE), &all[0].p,
                                 page->err));
    count = all[0].p != TR_RDF_ID_NONE;
    for (size_t i = 0; i < shape->count; i++) {
        const struct tr_field *field = &shape->fields[i];
        if (!tr_query_names_have_key(page->names, field))
            continue;
        all[count].at = i + 1;
        TR_TRY(
            tr_rdf_graph_find_iri(graph, field->iri, &all[count].p, page->err));
        count += all[count].p != TR_RDF_ID_NONE;
    }
    make_ranges(all, count, plan);
    return TR_OK;
}

/* Of a node that has no row, or no type, all is shown. */
static tr_status make_plan(const struct page *page, struct plan *plan)
{
    struct tr_graph_best_type best = {0};
    if (page->names && plan->class != TR_RDF_ID_NONE)
        TR_TRY(
            tr_graph_best_type_offer(page->ctx, &best, plan->class, page->err));
    plan->type = best.type;
    if (plan->type)
        return plan_fields(page, plan);
    plan->ranges = TR_NEW(page->ctx->arena, struct range);
    if (!plan->ranges)
        return fail_memory(page->err);
    plan->ranges[plan->count++] = everything;
    return TR_OK;
}

static tr_status find_plan(struct page *page, tr_rdf_id class,
                           const struct plan **out)
{
    struct plan plan = {.class = class};
    for (size_t i = 0; i < page->plans.count; i++) {
        *out = &page->plans.items[i];
        if ((*out)->class == class)
            return TR_OK;
    }
    TR_TRY(make_plan(page, &plan));
    if (!tr_vec_push(page->ctx->arena, &page->plans, plan))
        return fail_memory(page->err);
    *out = &page->plans.items[page->plans.count - 1];
    return TR_OK;
}

/* Facts ------------------------------------------------------------------- */

struct taking {
    const struct rows *rows;
    size_t at; /* the node */
    struct keeping keeping;
};

/* Facts move while there come more: pointers are set in the end. */
static void end_taking(struct page *page, struct taking *t)
{
    page->out[t->at].facts.count = end_node(&t->keeping);
    t->keeping.first = page->facts.count;
    t->keeping.is_unsorted = false;
}

static tr_status take_fact(struct page *page, struct tr_db_stmt *stmt,
                           void *context)
{
    struct taking *t = context;
    size_t at = node_of(t->rows, tr_db_column_i64(stmt, 0));
    tr_rdf_ids row = {.p = (tr_rdf_id)tr_db_column_i64(stmt, 1),
                      .o = (tr_rdf_id)tr_db_column_i64(stmt, 2)};
    if (at != t->at)
        end_taking(page, t);
    t->at = at;
    return keep(&t->keeping, row, page->err);
}

static tr_status read_facts(struct page *page)
{
    struct rows rows;
    struct taking t = {.rows = &rows,
                       .keeping = {page->ctx->arena, &page->facts, 0, false}};
    const struct plan *plan;
    size_t most = 0;
    for (size_t i = 0; i < page->count; i++) {
        TR_TRY(find_plan(page, page->out[i].stored.type, &plan));
        page->out[i].some_of = plan->type;
        most += plan->count;
    }
    TR_TRY(open_rows(page, most, &rows));
    for (size_t i = 0; i < page->count; i++) {
        TR_TRY(find_plan(page, page->out[i].stored.type, &plan));
        for (size_t k = 0; k < plan->count; k++)
            add_row(&rows, page->nodes[i], plan->ranges[k], i);
    }
    TR_TRY(run(page, facts_sql, &rows, take_fact, &t));
    if (page->count)
        end_taking(page, &t);
    struct tr_query_fact *at = page->facts.items;
    for (size_t i = 0; i < page->count; i++) {
        page->out[i].facts.items = at;
        if (at)
            at += page->out[i].facts.count;
    }
    return TR_OK;
}

static tr_status read_each(const struct page *page)
{
    for (size_t i = 0; i < page->count; i++) {
        struct tr_query_said *said = &page->out[i];
        TR_TRY(tr_query_facts_read(page->ctx, page->nodes[i], &said->facts,
                                   page->err));
        TR_TRY(tr_graph_stored_node_read(page->ctx, page->nodes[i],
                                         &said->stored, page->err));
    }
    return TR_OK;
}

tr_status tr_query_said_read(const struct tr_graph_read_ctx *ctx,
                             const tr_rdf_id *nodes, size_t count,
                             const struct tr_query_names *names,
                             struct tr_query_said *out, struct tr_err *err)
{
    struct page page = {.ctx = ctx,
                        .nodes = nodes,
                        .count = count,
                        .names = names,
                        .out = out,
                        .err = err};
    for (size_t i = 0; i < count; i++)
        out[i] = (struct tr_query_said){0};
    if (ctx->changes || ctx->face)
        return read_each(&page);
    TR_TRY(read_nodes(&page));
    return read_facts(&page);
}

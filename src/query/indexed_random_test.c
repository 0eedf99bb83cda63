/*
 * Random filters, orders and aggregates over fields of every kind, in every
 * form, with random sets of indexes, in calls that have changed something, with
 * others writing between two pages: what is found is what a plain look at all
 * nodes finds. Values are equal and spelt otherwise, absent, several, of other
 * kinds, behind refs.
 */
#include "base/limits.h"
#include "base/test.h"
#include "json/reader.h"
#include "keys/key.h"
#include "query/query.h"
#include "support/asked.h"
#include "support/indexed.h"
#include "support/kinds.h"
#include "support/measured.h"
#include "support/team.h"

/* Of a full run: 10,000 questions, each in an order and as an aggregate, too.
 */
enum { WORLDS = 500, ROUNDS = 20 };

static uint64_t below(uint64_t bound)
{
    return tr_test_random_below(bound);
}

/* Orders ------------------------------------------------------------------ */

struct seen {
    struct asked_values values; /* of the field that is asked about */
    tr_rdf_id node;
};

/* By value; by their keys where one is none, or an index cannot tell. */
static int compare_terms(const struct tr_field *field,
                         const struct asked_values *a,
                         const struct asked_values *b)
{
    struct kind_value x;
    struct kind_value y;
    struct tr_key keys[2] = {{.len = 0}, {.len = 0}};
    if (field->kind != TR_FIELD_REF &&
        kind_value_find(field->kind, &a->terms[0], &x) &&
        kind_value_find(field->kind, &b->terms[0], &y) &&
        !(x.is_cut && y.is_cut) && !x.is_out && !y.is_out)
        return (x.rank > y.rank) - (x.rank < y.rank);
    tr_key_put(&keys[0], &a->terms[0], a->ids[0], false);
    tr_key_put(&keys[1], &b->terms[0], b->ids[0], false);
    return tr_str_cmp(tr_key_str(&keys[0]), tr_key_str(&keys[1]));
}

/* Without a value is last either way. */
static int compare(const struct tr_field *field, bool descending,
                   const struct seen *a, const struct seen *b)
{
    if (!field || !a->values.count || !b->values.count)
        return field ? (a->values.count == 0) - (b->values.count == 0) : 0;
    int order = compare_terms(field, &a->values, &b->values);
    return descending ? -order : order;
}

/* What there should be, in its order; without one by id. */
static size_t look_at_all(const struct tr_graph_read_ctx *ctx,
                          const struct tr_query *query,
                          const struct asked *asked,
                          const struct tr_field *field, bool descending,
                          struct seen out[KINDS_NODES])
{
    size_t count = 0;
    for (size_t i = 0; i < KINDS_NODES; i++) {
        struct seen one = {.node = TR_RDF_ID_NONE};
        CHECK_OK(
            tr_rdf_graph_find_iri(ctx->graph, kinds_node(i), &one.node, NULL),
            NULL);
        if (one.node == TR_RDF_ID_NONE ||
            !asked_fits(ctx, query->type, asked, one.node))
            continue;
        if (field)
            one.values = asked_values_of(ctx, one.node, field);
        size_t at = count++;
        for (; at; at--) {
            int order = compare(field, descending, &one, &out[at - 1]);
            if (order > 0 || (order == 0 && one.node > out[at - 1].node))
                break;
            out[at] = out[at - 1];
        }
        out[at] = one;
    }
    return count;
}

/* Questions --------------------------------------------------------------- */

static void check_pages(const struct tr_graph_read_ctx *ctx,
                        struct tr_query *query, const struct seen *wanted,
                        size_t count, const char *text)
{
    struct tr_query_page page = {0};
    size_t given = 0;
    query->limit = 1 + below(5);
    query->max_work = below(3) ? 0 : 2000;
    do {
        struct tr_err err = {0};
        CHECK_OK(tr_query_where(ctx, query, &page, &err), &err);
        CHECK_ROW(page.count == query->limit || !page.next.len, text);
        for (size_t i = 0; i < page.count; i++, given++) {
            CHECK_ROW(given < count && page.ids[i] == wanted[given].node, text);
        }
        query->after = page.next;
    } while (page.next.len);
    CHECK_ROW(given == count, text);
    query->after = TR_STR("");
}

static void check_counts(const struct tr_graph_read_ctx *ctx,
                         const struct tr_query *query, size_t count,
                         const char *text)
{
    struct tr_query_count counted;
    struct tr_json explained;
    struct tr_err err = {0};
    bool exists;
    CHECK_OK(tr_query_where_count(ctx, query, &counted, &err), &err);
    CHECK_ROW(counted.count == count && !counted.at_least, text);
    CHECK_OK(tr_query_where_exists(ctx, query, &exists, &err), &err);
    CHECK_ROW(exists == (count > 0), text);
    CHECK_OK(tr_query_explain(ctx, query, &explained, &err), &err);
}

/* Whether the field is refused in some place, by its name. */
static void check_refusal(tr_status status,
                          const struct tr_field_errors *errors,
                          const struct tr_field *field, const char *text)
{
    CHECK_ROW(status == TR_E_VALIDATION && errors->count > 0, text);
    CHECK_ROW(tr_str_eq(errors->items[0].field, field->name), text);
}

/* By any field: one without an order is refused. */
static void check_order(const struct tr_graph_read_ctx *ctx,
                        struct tr_query *query, const struct asked *asked,
                        const char *text)
{
    const struct tr_shape *shape = query->type->shape;
    const struct tr_field *field = &shape->fields[below(shape->count)];
    bool descending = below(2);
    struct seen wanted[KINDS_NODES];
    struct tr_field_errors errors = {0};
    struct tr_query_page page;
    char order[64];
    (void)snprintf(order, sizeof(order), "%s%.*s", descending ? "-" : "",
                   TR_FMT(field->name));
    query->order = tr_str_from(order);
    if (tr_field_is_ordered(field)) {
        size_t count =
            look_at_all(ctx, query, asked, field, descending, wanted);
        check_pages(ctx, query, wanted, count, text);
    } else {
        query->errors = &errors;
        check_refusal(tr_query_where(ctx, query, &page, NULL), &errors, field,
                      text);
        query->errors = NULL;
    }
    query->order = TR_STR("");
}

/* Aggregates -------------------------------------------------------------- */

enum { MEASURES = 3 };

/* What is asked of everything that fits a filter. */
struct asking {
    struct tr_query_aggregate aggregate;
    struct tr_query_measure measures[MEASURES];
    const struct tr_field *group;   /* NULL: all are one */
    const struct tr_field *refused; /* the first that cannot be asked so */
    const char *text;
};

static void choose_measure(const struct tr_shape *shape, struct asking *a)
{
    const struct tr_field *field = &shape->fields[below(shape->count)];
    enum tr_query_measure_kind kind =
        (enum tr_query_measure_kind)below(TR_QUERY_AVG + 1);
    if (!measured_can(kind, field) && below(4))
        kind = below(2) ? TR_QUERY_MIN : TR_QUERY_MAX;
    if (!a->refused && !measured_can(kind, field))
        a->refused = field;
    a->measures[a->aggregate.measure_count++] =
        (struct tr_query_measure){kind, field->name};
}

static void choose_aggregate(const struct tr_query *query, struct asking *a)
{
    const struct tr_shape *shape = query->type->shape;
    a->aggregate = (struct tr_query_aggregate){
        .type = query->type, .filter = query->filter, .measures = a->measures};
    a->refused = NULL;
    a->group = below(4) ? &shape->fields[below(shape->count)] : NULL;
    if (a->group)
        a->aggregate.group = a->group->name;
    if (a->group && (!tr_field_takes_values(a->group) || a->group->many))
        a->refused = a->group;
    for (size_t i = below(MEASURES + 1); i > 0; i--)
        choose_measure(shape, a);
}

static void check_group(const struct tr_graph_read_ctx *ctx,
                        const struct asking *a,
                        const struct tr_query_group *got,
                        const struct seen *wanted, size_t count)
{
    tr_rdf_id nodes[KINDS_NODES];
    struct kind_value value;
    struct kind_value shown;
    CHECK_ROW(got->count == count, a->text);
    for (size_t i = 0; i < count; i++)
        nodes[i] = wanted[i].node;
    for (size_t i = 0; i < a->aggregate.measure_count; i++) {
        const struct measured measured = {
            a->measures[i].kind,
            tr_shape_find(a->aggregate.type->shape, a->measures[i].field),
            nodes, count};
        measured_check(ctx, &measured, &got->measures[i], a->text);
    }
    if (!a->group)
        return;
    CHECK_ROW((got->value.kind == TR_JSON_NULL) == !wanted[0].values.count,
              a->text);
    if (a->group->kind != TR_FIELD_REF && wanted[0].values.count &&
        kind_value_find(a->group->kind, &wanted[0].values.terms[0], &value)) {
        CHECK_ROW(kind_value_read(a->group->kind, &got->value, &shown),
                  a->text);
        CHECK_ROW(shown.rank == value.rank, a->text);
    }
}

/* Groups come in the order of their values. */
static void check_aggregate(const struct tr_graph_read_ctx *ctx,
                            const struct tr_query *query,
                            const struct asked *asked, const char *text)
{
    struct asking a = {.text = text};
    struct tr_query_groups groups;
    struct tr_field_errors errors = {0};
    struct seen wanted[KINDS_NODES];
    struct tr_err err = {0};
    size_t at = 0;
    choose_aggregate(query, &a);
    a.aggregate.errors = &errors;
    tr_status status = tr_query_aggregate(ctx, &a.aggregate, &groups, &err);
    if (a.refused) {
        check_refusal(status, &errors, a.refused, text);
        return;
    }
    CHECK_OK(status, &err);
    size_t count = look_at_all(ctx, query, asked, a.group, false, wanted);
    for (size_t i = 0; i < groups.count; i++) {
        size_t first = at;
        CHECK_ROW(at < count || !a.group, text);
        while (at < count &&
               compare(a.group, false, &wanted[at], &wanted[first]) == 0)
            at++;
        check_group(ctx, &a, &groups.items[i], &wanted[first], at - first);
    }
    CHECK_ROW(at == count, text);
}

/* Cuts a filter in two, of which both must hold. */
static void cut_filter(struct tr_query *query, struct tr_json parts[2])
{
    uint32_t first = (uint32_t)below(query->filter->len + 1);
    parts[0] = parts[1] = *query->filter;
    parts[0].len = first;
    parts[1].len -= first;
    parts[1].as.members += first;
    parts[0].flags = parts[1].flags = 0;
    query->filter = &parts[0];
    query->also = &parts[1];
}

static void question(struct team *team, const struct tr_graph_read_ctx *ctx)
{
    const char *type = below(2) ? "Task" : "Thing";
    struct tr_query query = {.type =
                                 tr_model_find(team->model, tr_str_from(type))};
    struct seen wanted[KINDS_NODES];
    struct tr_err err = {0};
    const struct tr_query everything = query;
    const struct asked nothing = {.count = 0};
    struct tr_json parts[2];
    struct tr_buf text;
    tr_buf_init(&text, TR_KIB(64));
    const struct asked *asked = asked_make(query.type, ctx->arena, &text);
    tr_buf_putc(&text, '\0');
    CHECK_OK(tr_buf_check(&text, &err), &err);
    CHECK_OK(tr_json_read(ctx->arena, (tr_str){text.ptr, text.len - 1}, NULL,
                          &query.filter, &err),
             &err);
    if (below(2))
        check_aggregate(ctx, &query, asked, text.ptr);
    else
        check_aggregate(ctx, &everything, &nothing, "{}");
    if (below(2))
        cut_filter(&query, parts);
    size_t count = look_at_all(ctx, &query, asked, NULL, false, wanted);
    check_pages(ctx, &query, wanted, count, text.ptr);
    check_counts(ctx, &query, count, text.ptr);
    check_order(ctx, &query, asked, text.ptr);
    tr_buf_done(&text);
}

/* Steps ------------------------------------------------------------------- */

struct all {
    struct team team;
    struct kinds kinds;
    bool touched[KINDS_NODES]; /* by what was written last */
};

static void put(struct team_call *call, const tr_rdf_quad *quad, bool is_added)
{
    tr_status status = tr_graph_kg_put_quad(&call->kg, quad, is_added, NULL);
    CHECK(status != TR_E_INTERNAL);
}

/* Whether a node has a value already: of a second one an index would not know,
 * and shapes refuse it. */
static bool has_one(struct team_call *call, const tr_rdf_quad *quad)
{
    struct tr_graph_read_ctx ctx;
    tr_rdf_ids row = {.o = TR_RDF_ID_ANY, .g = TR_RDF_ID_ANY};
    bool has = false;
    CHECK_OK(tr_graph_kg_enter(&call->kg, &ctx, &call->err), &call->err);
    CHECK_OK(tr_rdf_graph_find(ctx.graph, &quad->subject, &row.s, NULL), NULL);
    CHECK_OK(tr_rdf_graph_find(ctx.graph, &quad->predicate, &row.p, NULL),
             NULL);
    if (row.s != TR_RDF_ID_NONE && row.p != TR_RDF_ID_NONE)
        CHECK_OK(tr_rdf_graph_has(ctx.graph, row, &has, NULL), NULL);
    tr_graph_kg_leave(&call->kg);
    return has;
}

/* The same value in two graphs. */
static void put_twice(struct team_call *call, tr_rdf_quad quad)
{
    quad.graph = quad.graph.kind == TR_RDF_TERM_NONE
                     ? tr_rdf_term_iri(TR_STR("http://e/graph"))
                     : (tr_rdf_term){.kind = TR_RDF_TERM_NONE};
    put(call, &quad, true);
}

/* Every Task is a Thing, as in each store that shapes have watched. */
static void change_one(struct team_call *call, struct all *all)
{
    const struct tr_field *field;
    tr_rdf_quad quad = kinds_quad(all->team.model, &call->arena, &field);
    tr_str object = quad.object.text;
    bool is_single = field && !tr_field_is_array(field);
    bool is_added = below(3) > 0;
    for (size_t i = 0; i < KINDS_NODES; i++)
        all->touched[i] |= tr_str_eq(quad.subject.text, kinds_node(i));
    if (is_added ? is_single && has_one(call, &quad)
                 : tr_str_eq(object, TR_STR("trails://team/Thing")))
        return;
    put(call, &quad, is_added);
    if (is_added && below(4) == 0)
        put_twice(call, quad);
    quad.object = tr_rdf_term_iri(TR_STR("trails://team/Thing"));
    if (is_added && tr_str_eq(object, TR_STR("trails://team/Task")))
        put(call, &quad, true);
}

static void change(struct team_call *call, struct all *all)
{
    bool found;
    size_t node = below(KINDS_NODES);
    for (size_t i = 1 + below(8); i > 0; i--)
        change_one(call, all);
    if (below(6))
        return;
    all->touched[node] = true;
    CHECK(tr_graph_kg_delete(&call->kg, kinds_node(node), NULL, &found, NULL) !=
          TR_E_INTERNAL);
}

typedef void write_fn(struct team_call *call, struct all *all);

static void write_some(struct all *all, write_fn *write)
{
    struct team *team = &all->team;
    struct team_call call;
    const struct tr_model *model = team->model;
    memset(all->touched, 0, sizeof(all->touched));
    team_begin(&call, team);
    write(&call, all);
    team->model = NULL; /* no shapes are checked */
    CHECK(team_land(&call) != TR_E_INTERNAL);
    team->model = model;
    team_end(&call);
}

/* Most nodes have a type, and something of most fields. */
static void fill_node(struct team_call *call, const struct tr_shape *shape,
                      tr_str node)
{
    tr_rdf_quad quad = {
        .subject = tr_rdf_term_iri(node),
        .predicate = tr_rdf_term_iri(TR_STR(TR_RDF_IRI_RDF_TYPE)),
        .object = tr_rdf_term_iri(TR_STR("trails://team/Thing"))};
    put(call, &quad, true);
    quad.object.text = TR_STR("trails://team/Task");
    if (below(4))
        put(call, &quad, true);
    for (size_t i = 0; i < shape->count; i++) {
        const struct tr_field *field = &shape->fields[i];
        quad.predicate.text = field->iri;
        for (size_t k = tr_field_is_array(field) ? below(4) : below(4) > 0;
             k > 0; k--) {
            quad.object = kinds_value(field, &call->arena);
            put(call, &quad, true);
        }
    }
}

static void fill(struct team_call *call, struct all *all)
{
    const struct tr_shape *shape =
        tr_model_find(all->team.model, TR_STR("Task"))->shape;
    for (size_t i = 0; i < KINDS_NODES; i++) {
        if (below(8))
            fill_node(call, shape, kinds_node(i));
    }
}

static void choose_indexes(struct all *all)
{
    struct team *team = &all->team;
    struct tr_err err = {0};
    tr_model_free(team->model);
    team->model = kinds_model(&all->kinds);
    CHECK_OK(
        indexed_fit(tr_graph_store_path(team->store), NULL, team->model, &err),
        &err);
}

static void all_open(struct all *all, size_t number)
{
    team_open(&all->team);
    kinds_choose(&all->kinds, number);
    kind_values_narrow(below(100));
    choose_indexes(all);
    write_some(all, fill);
}

static void ask_once(struct all *all)
{
    struct tr_graph_read_ctx ctx;
    struct team_call call;
    team_begin(&call, &all->team);
    if (below(2))
        change(&call, all);
    CHECK_OK(tr_graph_kg_enter(&call.kg, &ctx, &call.err), &call.err);
    question(&all->team, &ctx);
    tr_graph_kg_leave(&call.kg);
    team_end(&call);
}

TEST(queries_find_what_a_look_at_all_nodes_finds)
{
    for (size_t n = tr_test_scaled(WORLDS); n > 0; n--) {
        struct all all;
        all_open(&all, n);
        for (int i = 0; i < ROUNDS; i++) {
            if (below(10) == 0)
                choose_indexes(&all);
            for (size_t k = below(4); k > 0; k--)
                write_some(&all, change);
            ask_once(&all);
        }
        team_close(&all.team);
    }
}

/* Between two pages somebody writes ---------------------------------------- */

/* What is true of a node at every page. */
struct watched {
    bool always_fits;
    bool never_fits;
    bool is_moved; /* somebody has written it */
    size_t given;
};

struct paging {
    const struct asked *asked;
    struct tr_query query;
    struct tr_buf after;
    struct watched nodes[KINDS_NODES];
    char order[64];
};

/* A filter, and an order by any field that has one; what they borrow is in the
 * arena. */
static void choose_query(struct paging *paging, struct all *all,
                         struct tr_arena *arena)
{
    const struct tr_model_type *type =
        tr_model_find(all->team.model, TR_STR("Task"));
    const struct tr_field *field =
        &type->shape->fields[below(type->shape->count)];
    struct tr_buf text;
    tr_str copy;
    tr_buf_init(&text, TR_KIB(64));
    paging->query = (struct tr_query){.type = type, .limit = 1 + below(2)};
    paging->asked = asked_make(type, arena, &text);
    CHECK(tr_arena_copy(arena, tr_buf_str(&text), &copy));
    tr_buf_done(&text);
    CHECK_OK(tr_json_read(arena, copy, NULL, &paging->query.filter, NULL),
             NULL);
    (void)snprintf(paging->order, sizeof(paging->order), "%s%.*s",
                   below(2) ? "-" : "", TR_FMT(field->name));
    if (tr_field_is_ordered(field))
        paging->query.order = tr_str_from(paging->order);
    for (size_t i = 0; i < KINDS_NODES; i++)
        paging->nodes[i] =
            (struct watched){.always_fits = true, .never_fits = true};
}

static void watch(struct paging *paging, const struct tr_graph_read_ctx *ctx,
                  const struct tr_query_page *page)
{
    for (size_t i = 0; i < KINDS_NODES; i++) {
        struct watched *node = &paging->nodes[i];
        tr_rdf_id id = TR_RDF_ID_NONE;
        CHECK_OK(tr_rdf_graph_find_iri(ctx->graph, kinds_node(i), &id, NULL),
                 NULL);
        bool fits = id != TR_RDF_ID_NONE &&
                    asked_fits(ctx, paging->query.type, paging->asked, id);
        node->always_fits &= fits;
        node->never_fits &= !fits;
        for (size_t k = 0; k < page->count; k++)
            node->given += page->ids[k] == id;
    }
}

/* One page, in a read of its own; false: it was the last. */
static bool take_page(struct paging *paging, struct all *all)
{
    struct tr_graph_read_ctx ctx;
    struct tr_query_page page;
    struct team_call call;
    team_begin(&call, &all->team);
    paging->query.after = tr_buf_str(&paging->after);
    CHECK_OK(tr_graph_kg_enter(&call.kg, &ctx, &call.err), &call.err);
    CHECK_OK(tr_query_where(&ctx, &paging->query, &page, &call.err), &call.err);
    watch(paging, &ctx, &page);
    tr_buf_clear(&paging->after);
    tr_buf_put(&paging->after, page.next);
    tr_graph_kg_leave(&call.kg);
    team_end(&call);
    return paging->after.len > 0;
}

/* Nodes that nobody touches come once each, whatever moves around them. */
static void check_watched(const struct paging *paging)
{
    for (size_t i = 0; i < KINDS_NODES; i++) {
        const struct watched *node = &paging->nodes[i];
        if (node->is_moved)
            continue;
        CHECK_ROW(node->given <= 1, paging->order);
        CHECK_ROW(node->given == 1 || !node->always_fits, paging->order);
        CHECK_ROW(node->given == 0 || !node->never_fits, paging->order);
    }
}

static void page_through(struct all *all)
{
    struct paging paging;
    struct tr_arena arena;
    tr_arena_init(&arena, TR_MIB(1));
    tr_buf_init(&paging.after, TR_KIB(4));
    choose_query(&paging, all, &arena);
    for (int writes = 8; take_page(&paging, all);) {
        if (writes-- <= 0)
            continue;
        write_some(all, change);
        for (size_t i = 0; i < KINDS_NODES; i++)
            paging.nodes[i].is_moved |= all->touched[i];
    }
    check_watched(&paging);
    tr_buf_done(&paging.after);
    tr_arena_done(&arena);
}

TEST(queries_go_on_while_others_write)
{
    for (size_t n = tr_test_scaled(WORLDS); n > 0; n--) {
        struct all all;
        all_open(&all, n);
        for (int i = 0; i < ROUNDS / 4; i++)
            page_through(&all);
        team_close(&all.team);
    }
}

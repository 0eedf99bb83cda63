/*
 * Random filters, orders and aggregates, with random sets of indexes, in calls
 * that have changed something, with others writing between two pages: what is
 * found is what a plain look at all nodes finds. Values are equal and spelt
 * otherwise, absent, several, of other kinds.
 */
#include "base/limits.h"
#include "base/test.h"
#include "json/reader.h"
#include "query/aggregate.h"
#include "query/query.h"
#include "rdf/xsd.h"
#include "support/indexed.h"
#include "support/team.h"
#include "values/build.h"

/* Of a full run: 10,000 questions. */
enum { WORLDS = 250, ROUNDS = 40, VALUES = 8 };

static uint64_t below(uint64_t bound)
{
    return tr_test_random_below(bound);
}

/* Fields ------------------------------------------------------------------ */

static const struct {
    const char *name;
    const char *iri;
    bool is_range;
    bool is_number;
} fields[] = {
    {"name", "trails://team/Thing#name", true, false},
    {"size", "trails://team/Thing#size", true, true},
    {"due", "trails://team/Task#due", true, false},
    {"rank", "trails://team/Task#rank", true, true},
    {"owner", "trails://team/Task#owner", false, false},
};

/* What a node has of a field: terms, and their ids. */
struct values {
    tr_rdf_term terms[VALUES];
    tr_rdf_id ids[VALUES];
    size_t count;
};

static struct values values_of(const struct tr_graph_read_ctx *ctx,
                               tr_rdf_id node, size_t field)
{
    struct values out = {.count = 0};
    struct tr_rdf_cursor cursor;
    tr_rdf_ids row = {.s = TR_RDF_ID_NONE};
    tr_rdf_id p = TR_RDF_ID_NONE;
    CHECK_OK(tr_rdf_graph_find_iri(ctx->graph, tr_str_from(fields[field].iri),
                                   &p, NULL),
             NULL);
    tr_rdf_graph_match(ctx->graph,
                       (tr_rdf_ids){node, p, TR_RDF_ID_ANY, TR_RDF_ID_ANY},
                       &cursor);
    while (tr_rdf_cursor_next(&cursor, &row) && out.count < VALUES)
        out.ids[out.count++] = row.o;
    CHECK_OK(tr_rdf_cursor_close(&cursor, NULL), NULL);
    for (size_t i = 0; i < out.count; i++) {
        CHECK_OK(tr_rdf_graph_get(ctx->graph, out.ids[i], &out.terms[i], NULL),
                 NULL);
        CHECK(tr_arena_copy(ctx->arena, out.terms[i].text, &out.terms[i].text));
    }
    return out;
}

/* Conditions -------------------------------------------------------------- */

enum form { EQUAL, MIN, MAX, ABOVE, BELOW, ONE_OF, PREFIX, PRESENT, ABSENT };

static const char *const forms[] = {"",       "min",     "max",
                                    "above",  "below",   "one_of",
                                    "prefix", "present", "absent"};

struct cond {
    size_t field;
    bool is_across; /* "owner.<field>" is not of this model */
    enum form form;
    tr_rdf_term values[3];
    size_t count;
};

struct asked {
    struct cond conds[6];
    size_t count;
    size_t any_from; /* those from here on are alternatives; count: none */
    const char *type;
};

/* A value that its field takes. */
static tr_rdf_term value_for(size_t field)
{
    static const char *const sizes[] = {
        "1", "2", "-7", "70", "9007199254740993", "3"};
    static const char *const dues[] = {
        "2026-01-01T01:00:00+01:00", "2026-01-01T00:00:00Z",
        "2026-01-01T00:00:00.500Z", "2025-12-31T23:00:00Z"};
    switch (field) {
    case 1:
        return tr_rdf_term_typed(tr_str_from(sizes[below(TR_LEN(sizes))]),
                                 TR_STR(TR_RDF_IRI_XSD_INTEGER));
    case 2:
        return tr_rdf_term_typed(tr_str_from(dues[below(TR_LEN(dues))]),
                                 TR_STR(TR_RDF_IRI_XSD_DATE_TIME));
    default:
        return indexed_value(tr_str_from(fields[field].name));
    }
}

static struct cond random_cond(void)
{
    struct cond c = {.field = below(TR_LEN(fields))};
    do {
        c.form = (enum form)below(ABSENT + 1);
    } while ((c.form >= MIN && c.form <= BELOW && !fields[c.field].is_range) ||
             (c.form == PREFIX && c.field != 0));
    c.count = c.form == ONE_OF ? below(4) : 1;
    for (size_t i = 0; i < c.count; i++)
        c.values[i] = value_for(c.field);
    return c;
}

static bool is_equal(const tr_rdf_term *a, const tr_rdf_term *b)
{
    if (a->kind == TR_RDF_TERM_IRI || b->kind == TR_RDF_TERM_IRI)
        return tr_rdf_term_eq(a, b);
    return tr_str_eq(a->datatype, b->datatype) &&
           tr_rdf_xsd_compare_terms(a, b) == TR_RDF_XSD_EQUAL;
}

static bool value_fits(const struct cond *c, const tr_rdf_term *value)
{
    enum tr_rdf_xsd_order order =
        c->count && tr_str_eq(value->datatype, c->values[0].datatype)
            ? tr_rdf_xsd_compare_terms(value, &c->values[0])
            : TR_RDF_XSD_INCOMPARABLE;
    bool is_choice = false;
    for (size_t i = 0; i < c->count; i++)
        is_choice |= is_equal(value, &c->values[i]);
    switch (c->form) {
    case MIN:
        return order == TR_RDF_XSD_GREATER || order == TR_RDF_XSD_EQUAL;
    case MAX:
        return order == TR_RDF_XSD_LESS || order == TR_RDF_XSD_EQUAL;
    case ABOVE:
        return order == TR_RDF_XSD_GREATER;
    case BELOW:
        return order == TR_RDF_XSD_LESS;
    case PREFIX:
        return tr_str_eq(value->datatype, c->values[0].datatype) &&
               tr_str_starts(value->text, c->values[0].text);
    default:
        return is_choice;
    }
}

static bool cond_holds(const struct tr_graph_read_ctx *ctx,
                       const struct cond *c, tr_rdf_id node)
{
    struct values values = values_of(ctx, node, c->field);
    bool fits = false;
    if (c->form == PRESENT || c->form == ABSENT)
        return (values.count > 0) == (c->form == PRESENT);
    for (size_t i = 0; i < values.count; i++)
        fits |= value_fits(c, &values.terms[i]);
    return fits;
}

static bool node_fits(const struct tr_graph_read_ctx *ctx,
                      const struct asked *asked, tr_rdf_id node)
{
    char iri[64];
    tr_rdf_ids row = {.s = node, .g = TR_RDF_ID_ANY};
    bool fits = false;
    bool is_any = asked->any_from == asked->count;
    (void)snprintf(iri, sizeof(iri), "trails://team/%s", asked->type);
    CHECK_OK(tr_rdf_graph_find_iri(ctx->graph, TR_STR(TR_RDF_IRI_RDF_TYPE),
                                   &row.p, NULL),
             NULL);
    CHECK_OK(tr_rdf_graph_find_iri(ctx->graph, tr_str_from(iri), &row.o, NULL),
             NULL);
    CHECK_OK(tr_rdf_graph_has(ctx->graph, row, &fits, NULL), NULL);
    for (size_t i = 0; i < asked->any_from && fits; i++)
        fits = cond_holds(ctx, &asked->conds[i], node);
    for (size_t i = asked->any_from; i < asked->count && !is_any; i++)
        is_any = cond_holds(ctx, &asked->conds[i], node);
    return fits && is_any;
}

/* As JSON ----------------------------------------------------------------- */

static void put_value(struct tr_buf *out, const tr_rdf_term *value)
{
    if (tr_str_eq(value->datatype, TR_STR(TR_RDF_IRI_XSD_INTEGER)))
        tr_buf_put(out, value->text);
    else
        tr_buf_put_json(out, value->text);
}

static void put_cond(struct tr_buf *out, const struct cond *c)
{
    tr_buf_putf(out, "\"%s\":", fields[c->field].name);
    if (c->form != EQUAL)
        tr_buf_putf(out, "{\"%s\":", forms[c->form]);
    if (c->form == ONE_OF)
        tr_buf_putc(out, '[');
    for (size_t i = 0; i < c->count && c->form < PRESENT; i++) {
        tr_buf_putf(out, i ? "," : "");
        put_value(out, &c->values[i]);
    }
    if (c->form == ONE_OF)
        tr_buf_putc(out, ']');
    if (c->form >= PRESENT)
        tr_buf_putf(out, "true");
    if (c->form != EQUAL)
        tr_buf_putc(out, '}');
}

/* Each field once, since an object has it once. */
static void ask(struct asked *asked, const char *type, struct tr_buf *out)
{
    size_t most = strcmp(type, "Thing") ? TR_LEN(fields) : 2;
    bool seen[TR_LEN(fields)] = {false};
    asked->type = type;
    asked->count = 0;
    tr_buf_putc(out, '{');
    for (size_t i = below(4); i > 0; i--) {
        struct cond c = random_cond();
        if (c.field >= most || seen[c.field])
            continue;
        tr_buf_putf(out, asked->count ? "," : "");
        put_cond(out, &c);
        seen[c.field] = true;
        asked->conds[asked->count++] = c;
    }
    asked->any_from = asked->count;
    for (size_t i = below(2) ? 0 : below(3); i > 0; i--) {
        struct cond c = random_cond();
        if (c.field >= most)
            continue;
        tr_buf_putf(out, asked->count > asked->any_from ? ",{"
                         : asked->count                 ? ",\"any\":[{"
                                                        : "\"any\":[{");
        put_cond(out, &c);
        tr_buf_putc(out, '}');
        asked->conds[asked->count++] = c;
    }
    tr_buf_putf(out, asked->count > asked->any_from ? "]}" : "}");
}

/* Orders ------------------------------------------------------------------ */

struct seen {
    struct tr_key key;
    tr_rdf_id node;
};

/* The least of its values, as keys have them. */
static struct tr_key key_of(const struct tr_graph_read_ctx *ctx, tr_rdf_id node,
                            size_t field, bool descending)
{
    struct values values = values_of(ctx, node, field);
    struct tr_key best = {0};
    struct tr_key key = {0};
    size_t at = 0;
    for (size_t i = 0; i < values.count; i++) {
        key.len = 0;
        tr_key_put(&key, &values.terms[i], values.ids[i], false);
        if (i == 0 || tr_str_cmp(tr_key_str(&key), tr_key_str(&best)) < 0) {
            best = key;
            at = i;
        }
    }
    key.len = 0;
    tr_key_put(&key, values.count ? &values.terms[at] : NULL,
               values.count ? values.ids[at] : 0, descending);
    return key;
}

/* What there should be, in its order; without one by id. */
static size_t look_at_all(const struct tr_graph_read_ctx *ctx,
                          const struct asked *asked, const size_t *field,
                          bool descending, struct seen out[INDEXED_NODES])
{
    size_t count = 0;
    for (size_t i = 0; i < INDEXED_NODES; i++) {
        struct seen one = {.node = TR_RDF_ID_NONE};
        CHECK_OK(
            tr_rdf_graph_find_iri(ctx->graph, indexed_node(i), &one.node, NULL),
            NULL);
        if (one.node == TR_RDF_ID_NONE || !node_fits(ctx, asked, one.node))
            continue;
        if (field)
            one.key = key_of(ctx, one.node, *field, descending);
        size_t at = count++;
        for (; at; at--) {
            int order = field ? tr_str_cmp(tr_key_str(&one.key),
                                           tr_key_str(&out[at - 1].key))
                              : 0;
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

/* In the order of the groups. */
static void check_groups(const struct tr_graph_read_ctx *ctx,
                         const struct asked *asked,
                         const struct tr_query *query, const char *text)
{
    size_t field = below(strcmp(asked->type, "Thing") ? TR_LEN(fields) : 2);
    struct seen wanted[INDEXED_NODES];
    size_t count = look_at_all(ctx, asked, &field, false, wanted);
    struct tr_query_measure measure = {TR_QUERY_SUM, TR_STR("size")};
    struct tr_query_aggregate aggregate = {.type = query->type,
                                           .filter = query->filter,
                                           .group =
                                               tr_str_from(fields[field].name),
                                           .measures = &measure,
                                           .measure_count = below(2)};
    struct tr_query_groups groups;
    struct tr_err err = {0};
    size_t at = 0;
    CHECK_OK(tr_query_aggregate(ctx, &aggregate, &groups, &err), &err);
    for (size_t i = 0; i < groups.count; i++) {
        size_t first = at;
        CHECK_ROW(at < count, text);
        while (at < count && tr_str_eq(tr_key_str(&wanted[at].key),
                                       tr_key_str(&wanted[first].key)))
            at++;
        CHECK_ROW(groups.items[i].count == at - first, text);
        CHECK_ROW((groups.items[i].value.kind == TR_JSON_NULL) ==
                      ((unsigned char)wanted[first].key.bytes[0] == 0xFF),
                  text);
    }
    CHECK_ROW(at == count, text);
}

static void question(struct team *team, const struct tr_graph_read_ctx *ctx)
{
    static const char *const types[] = {"Task", "Thing"};
    const char *type = types[below(2)];
    struct seen wanted[INDEXED_NODES];
    struct asked asked;
    struct tr_buf text;
    char order[16];
    tr_buf_init(&text, TR_KIB(16));
    ask(&asked, type, &text);
    tr_buf_putc(&text, '\0');
    struct tr_query query = {.type =
                                 tr_model_find(team->model, tr_str_from(type))};
    CHECK_OK(tr_json_read(ctx->arena, (tr_str){text.ptr, text.len - 1}, NULL,
                          &query.filter, NULL),
             NULL);
    size_t count = look_at_all(ctx, &asked, NULL, false, wanted);
    check_pages(ctx, &query, wanted, count, text.ptr);
    check_counts(ctx, &query, count, text.ptr);
    size_t field = below(strcmp(type, "Thing") ? TR_LEN(fields) : 2);
    bool descending = below(2);
    (void)snprintf(order, sizeof(order), "%s%s", descending ? "-" : "",
                   fields[field].name);
    query.order = tr_str_from(order);
    count = look_at_all(ctx, &asked, &field, descending, wanted);
    check_pages(ctx, &query, wanted, count, text.ptr);
    check_groups(ctx, &asked, &query, text.ptr);
    tr_buf_done(&text);
}

/* Steps ------------------------------------------------------------------- */

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
    if (tr_str_eq(quad->predicate.text, TR_STR(TR_RDF_IRI_RDF_TYPE)))
        return false;
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
static void change(struct team_call *call)
{
    bool found;
    for (size_t i = 1 + below(8); i > 0; i--) {
        tr_rdf_quad quad = indexed_quad();
        tr_str object = quad.object.text;
        bool is_added = below(3) > 0;
        if (is_added ? has_one(call, &quad)
                     : tr_str_eq(object, TR_STR("trails://team/Thing")))
            continue;
        put(call, &quad, is_added);
        if (is_added && below(4) == 0)
            put_twice(call, quad);
        quad.object.text = TR_STR("trails://team/Thing");
        if (is_added && tr_str_eq(object, TR_STR("trails://team/Task")))
            put(call, &quad, true);
    }
    if (below(6) == 0 &&
        tr_graph_kg_delete(&call->kg, indexed_node(below(INDEXED_NODES)), NULL,
                           &found, NULL) != TR_OK)
        return;
}

static void write_some(struct team *team)
{
    struct team_call call;
    const struct tr_model *model = team->model;
    team_begin(&call, team);
    change(&call);
    team->model = NULL; /* no shapes are checked */
    CHECK(team_land(&call) != TR_E_INTERNAL);
    team->model = model;
    team_end(&call);
}

static void choose_indexes(struct team *team)
{
    struct tr_graph_value_built built;
    struct tr_err err = {0};
    tr_model_free(team->model);
    team->model = indexed_model((unsigned)below(INDEXED_SETS));
    struct tr_graph_value_wanted wanted = {.model = team->model};
    CHECK_OK(tr_graph_value_sync(tr_graph_store_path(team->store), NULL,
                                 &wanted, &built, &err),
             &err);
}

static void ask_once(struct team *team)
{
    struct tr_graph_read_ctx ctx;
    struct team_call call;
    team_begin(&call, team);
    if (below(2))
        change(&call);
    CHECK_OK(tr_graph_kg_enter(&call.kg, &ctx, &call.err), &call.err);
    question(team, &ctx);
    tr_graph_kg_leave(&call.kg);
    team_end(&call);
}

TEST(queries_find_what_a_look_at_all_nodes_finds)
{
    for (size_t n = tr_test_scaled(WORLDS); n > 0; n--) {
        struct team team;
        team_open(&team);
        choose_indexes(&team);
        for (int i = 0; i < ROUNDS; i++) {
            if (below(10) == 0)
                choose_indexes(&team);
            for (size_t k = below(4); k > 0; k--)
                write_some(&team);
            ask_once(&team);
        }
        team_close(&team);
    }
}

/* Between two pages somebody writes ---------------------------------------- */

static bool was_given(const tr_rdf_id *given, size_t count, tr_rdf_id node)
{
    for (size_t i = 0; i < count; i++) {
        if (given[i] == node)
            return true;
    }
    return false;
}

/* One page, in a read of its own. */
static bool take_page(struct team *team, const char *order, struct tr_buf *next,
                      tr_rdf_id *given, size_t *count)
{
    struct tr_graph_read_ctx ctx;
    struct tr_query_page page;
    struct team_call call;
    team_begin(&call, team);
    struct tr_query query = {.type = tr_model_find(team->model, TR_STR("Task")),
                             .order = tr_str_from(order),
                             .after = tr_buf_str(next),
                             .limit = 2};
    CHECK_OK(tr_graph_kg_enter(&call.kg, &ctx, &call.err), &call.err);
    CHECK_OK(tr_query_where(&ctx, &query, &page, &call.err), &call.err);
    for (size_t i = 0; i < page.count; i++) {
        CHECK(*count < 4 * (size_t)INDEXED_NODES);
        given[(*count)++] = page.ids[i];
    }
    tr_buf_clear(next);
    tr_buf_put(next, page.next);
    tr_graph_kg_leave(&call.kg);
    team_end(&call);
    return next->len > 0;
}

/* Gives one node another value; which one is told. */
static tr_rdf_id move_one(struct team *team)
{
    struct team_call call;
    struct tr_graph_read_ctx ctx;
    tr_rdf_id id = TR_RDF_ID_NONE;
    tr_str node = indexed_node(below(INDEXED_NODES));
    char size[32];
    (void)snprintf(size, sizeof(size), "{\"size\":%d}", (int)below(9));
    team_begin(&call, team);
    CHECK_OK(team_update(&call, node, size), &call.err);
    CHECK_OK(team_land(&call), &call.err);
    team_end(&call);
    team_begin(&call, team);
    CHECK_OK(tr_graph_kg_enter(&call.kg, &ctx, &call.err), &call.err);
    CHECK_OK(tr_rdf_graph_find_iri(ctx.graph, node, &id, NULL), NULL);
    tr_graph_kg_leave(&call.kg);
    team_end(&call);
    return id;
}

/* Nodes that nobody touches come once each, whatever moves around them. */
TEST(queries_go_on_while_others_write)
{
    static const char *const orders[] = {"size", "-size", ""};
    for (size_t n = tr_test_scaled(WORLDS); n > 0; n--) {
        struct team team;
        struct team_call call;
        struct tr_buf next;
        tr_rdf_id given[4 * INDEXED_NODES];
        tr_rdf_id moved[4 * INDEXED_NODES];
        size_t count = 0;
        size_t moves = 0;
        tr_str iri;
        team_open(&team);
        choose_indexes(&team);
        team_begin(&call, &team);
        for (size_t i = 0; i < INDEXED_NODES; i++) {
            char json[64];
            (void)snprintf(json, sizeof(json), "{\"size\":%d}", (int)below(5));
            CHECK_OK(team_create(&call, "Task", indexed_node(i).ptr,
                                 below(4) ? json : "{}", &iri),
                     &call.err);
        }
        CHECK_OK(team_land(&call), &call.err);
        team_end(&call);
        tr_buf_init(&next, TR_KIB(4));
        const char *order = orders[below(TR_LEN(orders))];
        while (take_page(&team, order, &next, given, &count) && moves < 8)
            moved[moves++] = move_one(&team);
        while (next.len && take_page(&team, order, &next, given, &count)) {
        }
        for (size_t i = 0; i < count; i++)
            CHECK(was_given(moved, moves, given[i]) ||
                  !was_given(given, i, given[i]));
        size_t still = 0;
        for (size_t i = 0; i < count; i++)
            still += !was_given(given, i, given[i]);
        CHECK(still + moves >= INDEXED_NODES);
        tr_buf_done(&next);
        team_close(&team);
    }
}

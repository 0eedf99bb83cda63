#include "rdf/memory_graph.h"

#include "base/limits.h"
#include "base/test.h"

static const tr_rdf_ids any = {TR_RDF_ID_ANY, TR_RDF_ID_ANY, TR_RDF_ID_ANY,
                               TR_RDF_ID_ANY};

static struct tr_rdf_memory_graph *create(void)
{
    struct tr_rdf_memory_graph *graph = NULL;
    struct tr_err err = {0};
    CHECK_OK(tr_rdf_memory_graph_create(0, &graph, &err), &err);
    return graph;
}

static void add(struct tr_rdf_memory_graph *graph, tr_rdf_term s, tr_rdf_term p,
                tr_rdf_term o)
{
    tr_rdf_quad quad = {.subject = s, .predicate = p, .object = o};
    struct tr_err err = {0};
    CHECK_OK(tr_rdf_memory_graph_add(graph, &quad, &err), &err);
}

static tr_rdf_term iri(const char *text)
{
    return tr_rdf_term_iri(tr_str_from(text));
}

static void build(struct tr_rdf_memory_graph *graph)
{
    struct tr_err err = {0};
    CHECK_OK(tr_rdf_memory_graph_index(graph, &err), &err);
}

static uint64_t count(const struct tr_rdf_memory_graph *graph,
                      tr_rdf_ids pattern)
{
    uint64_t found = 0;
    CHECK_OK(tr_rdf_graph_count(tr_rdf_memory_graph_view(graph), pattern,
                                &found, NULL),
             NULL);
    return found;
}

static tr_rdf_id find(const struct tr_rdf_memory_graph *graph, tr_rdf_term term)
{
    tr_rdf_id id = TR_RDF_ID_ANY;
    CHECK_OK(
        tr_rdf_graph_find(tr_rdf_memory_graph_view(graph), &term, &id, NULL),
        NULL);
    return id;
}

TEST(memory_graph_tells_terms_apart_that_differ_in_any_part)
{
    struct tr_rdf_memory_graph *graph = create();
    const tr_rdf_term terms[] = {
        iri("x"),
        tr_rdf_term_blank(TR_STR("x")),
        tr_rdf_term_string(TR_STR("x")),
        tr_rdf_term_typed(TR_STR("x"), TR_STR(TR_RDF_IRI_XSD_INTEGER)),
        tr_rdf_term_lang(TR_STR("x"), TR_STR("en")),
        tr_rdf_term_lang(TR_STR("x"), TR_STR("de")),
        tr_rdf_term_string(TR_STR("")),
        tr_rdf_term_string(TR_STR("x\0y")),
    };
    for (size_t i = 0; i < TR_LEN(terms); i++)
        add(graph, iri("s"), iri("p"), terms[i]);
    build(graph);
    CHECK_INT(tr_rdf_memory_graph_count(graph), TR_LEN(terms));
    for (size_t i = 0; i < TR_LEN(terms); i++) {
        tr_rdf_term back;
        tr_rdf_id id = find(graph, terms[i]);
        CHECK(id >= TR_RDF_ID_FIRST &&
              id < tr_rdf_graph_bound(tr_rdf_memory_graph_view(graph)));
        CHECK_OK(
            tr_rdf_graph_get(tr_rdf_memory_graph_view(graph), id, &back, NULL),
            NULL);
        CHECK(tr_rdf_term_eq(&back, &terms[i]));
        CHECK_INT(count(graph, (tr_rdf_ids){TR_RDF_ID_ANY, TR_RDF_ID_ANY, id,
                                            TR_RDF_ID_ANY}),
                  1);
    }
    tr_rdf_memory_graph_free(graph);
}

TEST(memory_graph_does_not_find_what_is_not_there)
{
    struct tr_rdf_memory_graph *graph = create();
    struct tr_err err = {0};
    tr_rdf_term term;
    build(graph);
    CHECK_INT(count(graph, any), 0);
    add(graph, iri("s"), iri("p"), tr_rdf_term_lang(TR_STR("o"), TR_STR("en")));
    build(graph);
    CHECK_INT(find(graph, iri("o")), TR_RDF_ID_NONE);
    CHECK_INT(find(graph, iri("en")), TR_RDF_ID_NONE);
    CHECK_INT(find(graph, tr_rdf_term_string(TR_STR("o"))), TR_RDF_ID_NONE);
    CHECK_INT(count(graph, (tr_rdf_ids){TR_RDF_ID_NONE, TR_RDF_ID_ANY,
                                        TR_RDF_ID_ANY, TR_RDF_ID_ANY}),
              0);
    CHECK_INT(count(graph, (tr_rdf_ids){99, TR_RDF_ID_ANY, TR_RDF_ID_ANY,
                                        TR_RDF_ID_ANY}),
              0);
    CHECK_INT(count(graph, (tr_rdf_ids){(tr_rdf_id)1 << 40, TR_RDF_ID_ANY,
                                        TR_RDF_ID_ANY, TR_RDF_ID_ANY}),
              0);
    CHECK_INT(
        tr_rdf_graph_get(tr_rdf_memory_graph_view(graph), 99, &term, &err),
        TR_E_NOT_FOUND);
    CHECK_INT(tr_rdf_graph_get(tr_rdf_memory_graph_view(graph),
                               TR_RDF_ID_DEFAULT_GRAPH, &term, &err),
              TR_E_NOT_FOUND);
    tr_rdf_memory_graph_free(graph);
}

TEST(memory_graph_keeps_named_graphs_apart)
{
    struct tr_rdf_memory_graph *graph = create();
    tr_rdf_quad quad = {
        .subject = iri("s"), .predicate = iri("p"), .object = iri("o")};
    const char *const names[] = {"g1", "g2", "g1"};
    add(graph, quad.subject, quad.predicate, quad.object);
    for (size_t i = 0; i < TR_LEN(names); i++) {
        quad.graph = iri(names[i]);
        CHECK_OK(tr_rdf_memory_graph_add(graph, &quad, NULL), NULL);
    }
    build(graph);
    CHECK_INT(count(graph, any), 3);
    tr_rdf_ids pattern = any;
    pattern.g = TR_RDF_ID_DEFAULT_GRAPH;
    CHECK_INT(count(graph, pattern), 1);
    pattern.g = find(graph, iri("g2"));
    CHECK_INT(count(graph, pattern), 1);
    pattern.s = find(graph, iri("s"));
    CHECK_INT(count(graph, pattern), 1);
    pattern.g = find(graph, iri("s"));
    CHECK_INT(count(graph, pattern), 0);
    tr_rdf_memory_graph_free(graph);
}

TEST(memory_graph_takes_more_quads_after_it_was_indexed)
{
    struct tr_rdf_memory_graph *graph = create();
    add(graph, iri("s"), iri("p"), iri("a"));
    build(graph);
    add(graph, iri("s"), iri("p"), iri("b"));
    add(graph, iri("s"), iri("p"), iri("a"));
    build(graph);
    build(graph);
    CHECK_INT(tr_rdf_memory_graph_count(graph), 2);
    tr_rdf_ids pattern = any;
    pattern.p = find(graph, iri("p"));
    CHECK_INT(count(graph, pattern), 2);
    CHECK_INT(tr_rdf_graph_estimate(tr_rdf_memory_graph_view(graph), pattern),
              2);
    bool has = false;
    pattern.o = find(graph, iri("b"));
    CHECK_OK(
        tr_rdf_graph_has(tr_rdf_memory_graph_view(graph), pattern, &has, NULL),
        NULL);
    CHECK(has);
    tr_rdf_memory_graph_free(graph);
}

/* Whatever labels two documents use, their nodes are four. */
TEST(memory_graph_scopes_blank_nodes_to_their_document)
{
    struct tr_rdf_memory_graph *graph = create();
    const char *const labels[] = {"x", "d1_x", "d0_x", "d"};
    for (int document = 0; document < 3; document++) {
        for (size_t i = 0; i < TR_LEN(labels); i++)
            add(graph, tr_rdf_term_blank(tr_str_from(labels[i])), iri("p"),
                tr_rdf_term_blank(
                    tr_str_from(labels[(i + 1) % TR_LEN(labels)])));
        tr_rdf_memory_graph_next_document(graph);
    }
    build(graph);
    CHECK_INT(tr_rdf_memory_graph_count(graph), 3 * TR_LEN(labels));
    tr_rdf_id nodes =
        tr_rdf_graph_bound(tr_rdf_memory_graph_view(graph)) - TR_RDF_ID_FIRST;
    CHECK_INT(nodes, 3 * TR_LEN(labels) + 1); /* and a predicate */
    tr_rdf_memory_graph_free(graph);
}

TEST(memory_graph_gives_the_terms_of_a_row)
{
    struct tr_rdf_memory_graph *graph = create();
    tr_rdf_quad quad = {.subject = iri("s"),
                        .predicate = iri("p"),
                        .object =
                            tr_rdf_term_lang(TR_STR("o"), TR_STR("en-GB")),
                        .graph = iri("g")};
    struct tr_rdf_cursor cursor;
    tr_rdf_ids row;
    tr_rdf_quad back;
    CHECK_OK(tr_rdf_memory_graph_add(graph, &quad, NULL), NULL);
    build(graph);
    tr_rdf_graph_match(tr_rdf_memory_graph_view(graph), any, &cursor);
    CHECK(tr_rdf_cursor_next(&cursor, &row));
    CHECK(!tr_rdf_cursor_next(&cursor, &(tr_rdf_ids){0, 0, 0, 0}));
    CHECK_OK(tr_rdf_cursor_close(&cursor, NULL), NULL);
    CHECK_OK(
        tr_rdf_graph_quad(tr_rdf_memory_graph_view(graph), row, &back, NULL),
        NULL);
    CHECK(tr_rdf_term_eq(&back.subject, &quad.subject));
    CHECK(tr_rdf_term_eq(&back.predicate, &quad.predicate));
    CHECK(tr_rdf_term_eq(&back.object, &quad.object));
    CHECK(tr_rdf_term_eq(&back.graph, &quad.graph));
    tr_rdf_memory_graph_free(graph);
}

/* Every pattern over random rows against counting them one by one. */
enum { ROWS = 400, IDS = 12 };

static bool fits(tr_rdf_id wanted, tr_rdf_id id)
{
    return wanted == TR_RDF_ID_ANY || wanted == id;
}

static uint64_t count_slowly(const tr_rdf_ids *rows, size_t total,
                             tr_rdf_ids want)
{
    uint64_t found = 0;
    for (size_t i = 0; i < total; i++) {
        bool is_new = true;
        for (size_t j = 0; j < i && is_new; j++)
            is_new = memcmp(&rows[i], &rows[j], sizeof(rows[i])) != 0;
        found += is_new && fits(want.s, rows[i].s) && fits(want.p, rows[i].p) &&
                 fits(want.o, rows[i].o) && fits(want.g, rows[i].g);
    }
    return found;
}

static tr_rdf_term numbered(char text[16], uint64_t number)
{
    (void)snprintf(text, 16, "t%u", (unsigned)number);
    return iri(text);
}

/* Adds quads of few terms, indexes, and tells the ids of each. */
static void fill_randomly(struct tr_rdf_memory_graph *graph, tr_rdf_ids *rows)
{
    uint64_t numbers[ROWS][3];
    for (size_t i = 0; i < ROWS; i++) {
        char texts[3][16];
        uint64_t *n = numbers[i];
        n[0] = tr_test_random_below(IDS);
        n[1] = tr_test_random_below(4);
        n[2] = tr_test_random_below(IDS);
        tr_rdf_quad quad = {.subject = numbered(texts[0], n[0]),
                            .predicate = numbered(texts[1], n[1]),
                            .object = numbered(texts[2], n[2])};
        rows[i].g = tr_test_random_below(2);
        if (rows[i].g)
            quad.graph = quad.subject;
        CHECK_OK(tr_rdf_memory_graph_add(graph, &quad, NULL), NULL);
    }
    build(graph);
    for (size_t i = 0; i < ROWS; i++) {
        tr_rdf_id ids[3];
        for (size_t k = 0; k < 3; k++) {
            char text[16];
            tr_rdf_term term = numbered(text, numbers[i][k]);
            CHECK_OK(tr_rdf_graph_find(tr_rdf_memory_graph_view(graph), &term,
                                       &ids[k], NULL),
                     NULL);
        }
        rows[i] = (tr_rdf_ids){ids[0], ids[1], ids[2],
                               rows[i].g ? ids[0] : TR_RDF_ID_DEFAULT_GRAPH};
    }
}

TEST(memory_graph_answers_every_kind_of_pattern)
{
    static tr_rdf_ids rows[ROWS];
    struct tr_rdf_memory_graph *graph = create();
    fill_randomly(graph, rows);
    for (size_t i = 0; i < 16 * tr_test_scaled(400); i++) {
        tr_rdf_ids want = rows[tr_test_random_below(ROWS)];
        if (i & 1)
            want.s = TR_RDF_ID_ANY;
        if (i & 2)
            want.p = TR_RDF_ID_ANY;
        if (i & 4)
            want.o = TR_RDF_ID_ANY;
        if (i & 8)
            want.g = TR_RDF_ID_ANY;
        CHECK_INT(count(graph, want), count_slowly(rows, ROWS, want));
        CHECK(tr_rdf_graph_estimate(tr_rdf_memory_graph_view(graph), want) >=
              count(graph, want));
    }
    tr_rdf_memory_graph_free(graph);
}

/* Ids above one and two digits of the sort. */
TEST(memory_graph_sorts_many_terms)
{
    enum { MANY = 6000 };
    struct tr_rdf_memory_graph *graph = create();
    for (int i = 0; i < MANY; i++) {
        char text[32];
        int len = snprintf(text, sizeof(text), "%d", i * 7919 % MANY);
        tr_rdf_term s = tr_rdf_term_iri((tr_str){text, (size_t)len});
        add(graph, s, iri("p"),
            tr_rdf_term_string((tr_str){text, (size_t)len}));
        add(graph, s, iri("q"), s);
    }
    build(graph);
    CHECK_INT(tr_rdf_memory_graph_count(graph), 2 * MANY);
    tr_rdf_ids pattern = any;
    pattern.s = find(graph, iri("4321"));
    CHECK_INT(count(graph, pattern), 2);
    pattern.o = pattern.s;
    CHECK_INT(count(graph, pattern), 1);
    tr_rdf_memory_graph_free(graph);
}

static tr_status fill_and_index(void *context, struct tr_err *err)
{
    struct tr_rdf_memory_graph *graph = NULL;
    tr_rdf_quad quad = {.subject = tr_rdf_term_blank(TR_STR("d1_b")),
                        .predicate = iri("p"),
                        .object = tr_rdf_term_lang(TR_STR("o"), TR_STR("en")),
                        .graph = iri("g")};
    (void)context;
    TR_TRY(tr_rdf_memory_graph_create(0, &graph, err));
    tr_status status = tr_rdf_memory_graph_add(graph, &quad, err);
    for (int i = 0; status == TR_OK && i < 300; i++) {
        char text[32];
        int len = snprintf(text, sizeof(text), "%d", i);
        quad.object = tr_rdf_term_string((tr_str){text, (size_t)len});
        status = tr_rdf_memory_graph_add(graph, &quad, err);
    }
    if (status == TR_OK)
        status = tr_rdf_memory_graph_index(graph, err);
    tr_rdf_memory_graph_free(graph);
    return status;
}

TEST(memory_graph_reports_every_failed_allocation)
{
    tr_test_sweep(fill_and_index, NULL);
}

TEST(memory_graph_bounds_its_tables)
{
    struct tr_rdf_memory_graph *graph = NULL;
    struct tr_err err = {0};
    tr_status status = TR_OK;
    CHECK_OK(tr_rdf_memory_graph_create(TR_KIB(512), &graph, &err), &err);
    for (int i = 0; status == TR_OK && i < 1000000; i++) {
        char text[32];
        int len = snprintf(text, sizeof(text), "%d", i);
        tr_rdf_quad quad = {
            .subject = iri("s"),
            .predicate = iri("p"),
            .object = tr_rdf_term_string((tr_str){text, (size_t)len})};
        status = tr_rdf_memory_graph_add(graph, &quad, &err);
    }
    CHECK(status == TR_E_NOMEM || status == TR_E_LIMIT);
    tr_rdf_memory_graph_free(graph);
}

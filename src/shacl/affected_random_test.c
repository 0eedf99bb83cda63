/*
 * Random shapes, graph and change: what `affected` does not name has the same
 * results before and after, and what it names gives those of a full run.
 */
#include "base/test.h"
#include "rdf/memory_graph.h"
#include "shacl/affected.h"
#include "shacl/report.h"
#include "shacl/shapes.h"
#include "support/random_shapes.h"

enum { CASES = 10000, CHANGES = 4 };
enum { NODES = RANDOM_NODES, PREDICATES = RANDOM_PREDICATES };
enum { CLASSES = RANDOM_CLASSES };

static uint64_t below(uint64_t bound)
{
    return tr_test_random_below(bound);
}

static tr_rdf_term term_of(char text[80], const char *iri, int number)
{
    int len = number < 0 ? snprintf(text, 80, "%s", iri)
                         : snprintf(text, 80, "%s%d", iri, number);
    return tr_rdf_term_iri((tr_str){text, (size_t)len});
}

/* A quad that no shape looks at makes the graph know a term. */
static void teach(struct tr_rdf_memory_graph *graph, const char *iri,
                  int number)
{
    char text[80];
    CHECK_OK(tr_rdf_memory_graph_add_triple(
                 graph, tr_rdf_term_iri(TR_STR("http://e/")), "http://e/knows",
                 term_of(text, iri, number), NULL),
             NULL);
}

static tr_rdf_id find(struct tr_rdf_memory_graph *graph, const char *iri,
                      int number)
{
    char text[80];
    tr_rdf_id id = TR_RDF_ID_NONE;
    tr_rdf_term term = term_of(text, iri, number);
    CHECK_OK(
        tr_rdf_graph_find(tr_rdf_memory_graph_view(graph), &term, &id, NULL),
        NULL);
    CHECK(id != TR_RDF_ID_NONE);
    return id;
}

static void add(struct tr_rdf_memory_graph *graph, tr_rdf_ids ids)
{
    tr_rdf_quad quad;
    CHECK_OK(
        tr_rdf_graph_quad(tr_rdf_memory_graph_view(graph), ids, &quad, NULL),
        NULL);
    CHECK_OK(tr_rdf_memory_graph_add(graph, &quad, NULL), NULL);
}

static tr_rdf_ids random_quad(struct tr_rdf_memory_graph *graph)
{
    tr_rdf_ids quad = {.g = TR_RDF_ID_DEFAULT_GRAPH};
    uint64_t kind = below(8);
    quad.s = find(graph, "http://e/n", (int)below(NODES));
    if (kind == 0) {
        quad.s = find(graph, "http://e/C", (int)below(CLASSES));
        quad.p = find(graph, TR_RDF_NS_RDFS "subClassOf", -1);
        quad.o = find(graph, "http://e/C", (int)below(CLASSES));
    } else if (kind == 1) {
        quad.p = find(graph, TR_RDF_IRI_RDF_TYPE, -1);
        quad.o = find(graph, "http://e/C", (int)below(CLASSES));
    } else {
        quad.p = find(graph, "http://e/p", (int)below(PREDICATES));
        quad.o = find(graph, "http://e/n", (int)below(NODES));
    }
    return quad;
}

/* Both graphs have the same ids: they learn all terms in the same order. */
static struct tr_rdf_memory_graph *new_graph(void)
{
    struct tr_rdf_memory_graph *graph = NULL;
    CHECK_OK(tr_rdf_memory_graph_create(0, &graph, NULL), NULL);
    for (int i = 0; i < NODES; i++)
        teach(graph, "http://e/n", i);
    for (int i = 0; i < PREDICATES; i++)
        teach(graph, "http://e/p", i);
    for (int i = 0; i < CLASSES; i++)
        teach(graph, "http://e/C", i);
    teach(graph, TR_RDF_IRI_RDF_TYPE, -1);
    teach(graph, TR_RDF_NS_RDFS "subClassOf", -1);
    CHECK_OK(tr_rdf_memory_graph_index(graph, NULL), NULL);
    return graph;
}

enum { QUADS = 16 };

struct random_case {
    struct tr_arena arena;
    struct tr_rdf_memory_graph *graphs[2]; /* before and after */
    struct tr_shacl_validation *validations[2];
    struct tr_shacl_report reports[2];
    tr_rdf_ids changes[CHANGES];
    size_t change_count;
    TR_VEC(struct tr_shacl_result) named; /* shape and focus only */
};

/* Each quad is in both graphs, or in one of them and so changed. */
static void make_graphs(struct random_case *c)
{
    c->graphs[0] = new_graph();
    c->graphs[1] = new_graph();
    for (size_t i = 4 + below(QUADS); i > 0; i--) {
        tr_rdf_ids quad = random_quad(c->graphs[0]);
        bool is_change = c->change_count < CHANGES && below(4) == 0;
        uint64_t only = below(2);
        for (uint64_t k = 0; k < 2; k++) {
            if (!is_change || k == only)
                add(c->graphs[k], quad);
        }
        if (is_change)
            c->changes[c->change_count++] = quad;
    }
}

static tr_status keep(void *context, uint32_t shape, tr_rdf_id node,
                      struct tr_err *err)
{
    struct random_case *c = context;
    struct tr_shacl_result pair = {.shape = shape, .focus = node};
    (void)err;
    return tr_vec_push(&c->arena, &c->named, pair) ? TR_OK : TR_E_NOMEM;
}

static void validate(struct random_case *c,
                     const struct tr_shacl_shapes *shapes)
{
    struct tr_err err = {0};
    for (int k = 0; k < 2; k++) {
        CHECK_OK(tr_rdf_memory_graph_index(c->graphs[k], &err), &err);
        CHECK_OK(tr_shacl_validation_create(
                     shapes, tr_rdf_memory_graph_view(c->graphs[k]), NULL,
                     &c->validations[k], &err),
                 &err);
        tr_shacl_report_init(&c->reports[k], &c->arena, 0);
        for (uint32_t i = 0; i < shapes->count; i++)
            CHECK_OK(tr_shacl_validation_run_shape(c->validations[k], i,
                                                   tr_shacl_report_add,
                                                   &c->reports[k], &err),
                     &err);
    }
}

/* The results of nested shapes belong to a root: its focus tells which only
 * when each root is run alone, so that is how both sides are compared. */
static size_t count_results(struct random_case *c, int which, uint32_t shape,
                            tr_rdf_id node)
{
    struct tr_shacl_report report;
    tr_shacl_report_init(&report, &c->arena, 0);
    CHECK_OK(tr_shacl_validation_check(c->validations[which], shape, node,
                                       tr_shacl_report_add, &report, NULL),
             NULL);
    uint64_t hash = report.count;
    for (size_t i = 0; i < report.results.count; i++) {
        const struct tr_shacl_result *r = &report.results.items[i];
        hash += (r->shape * 31 + r->constraint * 7 + r->focus * 1009 +
                 r->value * 65537 + r->predicate * 131) *
                UINT64_C(0x9E3779B97F4A7C15);
    }
    return (size_t)hash;
}

static bool is_named(const struct random_case *c, uint32_t shape,
                     tr_rdf_id node)
{
    for (size_t i = 0; i < c->named.count; i++) {
        const struct tr_shacl_result *pair = &c->named.items[i];
        if (pair->shape == shape &&
            (pair->focus == node || pair->focus == TR_RDF_ID_ANY))
            return true;
    }
    return false;
}

static void check_unnamed(struct random_case *c,
                          const struct tr_shacl_shapes *shapes,
                          const char *text)
{
    tr_rdf_id bound =
        tr_rdf_graph_bound(tr_rdf_memory_graph_view(c->graphs[1]));
    for (uint32_t i = 0; i < shapes->count; i++) {
        if (!shapes->shapes[i].target_count)
            continue;
        for (tr_rdf_id id = TR_RDF_ID_FIRST; id < bound; id++) {
            size_t now = count_results(c, 1, i, id);
            if (now && !is_named(c, i, id))
                CHECK_ROW(now == count_results(c, 0, i, id), text);
        }
    }
}

static void run_case(const struct tr_buf *text)
{
    struct tr_err err = {0};
    struct random_case c = {0};
    struct tr_rdf_memory_graph *shapes_graph = NULL;
    struct tr_shacl_shapes *shapes = NULL;
    tr_arena_init(&c.arena, TR_MIB(64));
    CHECK_OK(tr_rdf_memory_graph_create(0, &shapes_graph, &err), &err);
    random_shapes_read(tr_buf_str(text), shapes_graph);
    CHECK_OK(tr_shacl_shapes_read(tr_rdf_memory_graph_view(shapes_graph),
                                  &shapes, &err),
             &err);
    make_graphs(&c);
    validate(&c, shapes);
    CHECK_OK(tr_shacl_affected_each(c.validations[1], c.changes, c.change_count,
                                    keep, &c, &err),
             &err);
    check_unnamed(&c, shapes, text->ptr);
    for (int k = 0; k < 2; k++) {
        tr_shacl_validation_free(c.validations[k]);
        tr_rdf_memory_graph_free(c.graphs[k]);
    }
    tr_shacl_shapes_free(shapes);
    tr_rdf_memory_graph_free(shapes_graph);
    tr_arena_done(&c.arena);
}

TEST(what_is_not_affected_has_the_results_it_had)
{
    size_t count = tr_test_scaled(CASES);
    struct tr_buf text;
    tr_buf_init(&text, TR_MIB(1));
    for (size_t i = 0; i < count; i++) {
        tr_buf_clear(&text);
        random_shapes_write(&text);
        tr_buf_putc(&text, '\0'); /* for the message of a failure */
        text.len--;
        run_case(&text);
    }
    tr_buf_done(&text);
}

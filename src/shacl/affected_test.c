/*
 * What a change affects, where the way to it has any length.
 */
#include "shacl/affected.h"

#include "base/limits.h"
#include "base/test.h"
#include "rdf/memory_graph.h"
#include "shacl/shapes.h"
#include "support/random_shapes.h"

#define PREFIXES                                                               \
    "@prefix : <http://e/> .\n"                                                \
    "@prefix sh: <http://www.w3.org/ns/shacl#> .\n"                            \
    "@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .\n"                     \
    "@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .\n"

static const char shape[] =
    PREFIXES ":S a sh:NodeShape ; sh:targetClass :T ; sh:property [\n"
             "  sh:path ( :steps [ sh:zeroOrMorePath rdf:rest ] rdf:first ) ;\n"
             "  sh:datatype xsd:string ] .\n";

struct trial {
    struct tr_rdf_memory_graph *shapes_graph;
    struct tr_shacl_shapes *shapes;
    struct tr_rdf_memory_graph *graph;
    struct tr_shacl_validation *v;
    struct tr_buf named;
};

static tr_rdf_id find(const struct trial *t, const char *iri)
{
    tr_rdf_id id = TR_RDF_ID_NONE;
    CHECK_OK(tr_rdf_graph_find_iri(tr_rdf_memory_graph_view(t->graph),
                                   tr_str_from(iri), &id, NULL),
             NULL);
    CHECK(id != TR_RDF_ID_NONE);
    return id;
}

static void start(struct trial *t, tr_str data, uint64_t max_work)
{
    struct tr_shacl_validation_opts opts = {.max_work = max_work};
    struct tr_err err = {0};
    *t = (struct trial){0};
    CHECK_OK(tr_rdf_memory_graph_create(0, &t->shapes_graph, &err), &err);
    random_shapes_read(tr_str_from(shape), t->shapes_graph);
    CHECK_OK(tr_shacl_shapes_read(tr_rdf_memory_graph_view(t->shapes_graph),
                                  &t->shapes, &err),
             &err);
    CHECK_OK(tr_rdf_memory_graph_create(0, &t->graph, &err), &err);
    random_shapes_read(data, t->graph);
    CHECK_OK(tr_shacl_validation_create(t->shapes,
                                        tr_rdf_memory_graph_view(t->graph),
                                        &opts, &t->v, &err),
             &err);
    tr_buf_init(&t->named, 1000);
}

static void finish(struct trial *t)
{
    tr_buf_done(&t->named);
    tr_shacl_validation_free(t->v);
    tr_rdf_memory_graph_free(t->graph);
    tr_shacl_shapes_free(t->shapes);
    tr_rdf_memory_graph_free(t->shapes_graph);
}

static tr_status name(void *context, uint32_t number, tr_rdf_id node,
                      struct tr_err *err)
{
    struct trial *t = context;
    tr_rdf_term term = {.text = TR_STR("all")};
    (void)number;
    if (node != TR_RDF_ID_ANY)
        TR_TRY(tr_rdf_graph_get(tr_rdf_memory_graph_view(t->graph), node, &term,
                                err));
    tr_buf_putf(&t->named, "%.*s ", TR_FMT(term.text));
    return TR_OK;
}

TEST(a_list_is_followed_back_to_its_owner)
{
    struct trial t;
    struct tr_err err = {0};
    start(&t,
          TR_STR(PREFIXES ":a a :T ; :steps :a1 . :a1 rdf:rest :a2 . :a2 "
                          "rdf:rest :a3 . :a3 rdf:first 'x' ; rdf:rest () .\n"
                          ":b a :T ; :steps :b1 . :b1 rdf:first 'x' ; "
                          "rdf:rest () .\n"
                          ":d rdf:rest :a3 . :c a :T ; :steps :d .\n"),
          1000);
    tr_rdf_ids change = {find(&t, "http://e/a3"),
                         find(&t, TR_RDF_IRI_RDF_FIRST), find(&t, "http://e/b"),
                         TR_RDF_ID_DEFAULT_GRAPH};
    CHECK_OK(tr_shacl_affected_each(t.v, &change, 1, name, &t, &err), &err);
    CHECK_STR(tr_buf_str(&t.named), "http://e/c http://e/a ");
    finish(&t);
}

/* Each of the quads would lead back through the whole list. */
TEST(a_long_list_that_is_new_costs_what_it_is_long)
{
    enum { CELLS = 500 };
    struct tr_buf data;
    struct trial t;
    struct tr_err err = {0};
    tr_rdf_ids changes[CELLS + 1];
    tr_buf_init(&data, TR_MIB(1));
    tr_buf_put(&data, TR_STR(PREFIXES ":a a :T ; :steps :n0 .\n"));
    for (int i = 0; i < CELLS; i++)
        tr_buf_putf(&data, ":n%d rdf:rest :n%d .\n", i, i + 1);
    start(&t, tr_buf_str(&data), (uint64_t)10 * CELLS);
    for (int i = 0; i < CELLS; i++) {
        char from[32];
        char to[32];
        (void)snprintf(from, sizeof(from), "http://e/n%d", i);
        (void)snprintf(to, sizeof(to), "http://e/n%d", i + 1);
        changes[i] = (tr_rdf_ids){find(&t, from), find(&t, TR_RDF_IRI_RDF_REST),
                                  find(&t, to), TR_RDF_ID_DEFAULT_GRAPH};
    }
    changes[CELLS] =
        (tr_rdf_ids){find(&t, "http://e/a"), find(&t, "http://e/steps"),
                     find(&t, "http://e/n0"), TR_RDF_ID_DEFAULT_GRAPH};
    CHECK_OK(tr_shacl_affected_each(t.v, changes, CELLS + 1, name, &t, &err),
             &err);
    CHECK_STR(tr_buf_str(&t.named), "http://e/a ");
    finish(&t);
    tr_buf_done(&data);
}

/* Unique values of more nodes than are kept at a time. */
#include "base/test.h"
#include "graph/upkeep.h"
#include "model/model.h"
#include "rdf/memory_graph.h"
#include "support/store.h"

enum { NODES = 140000, FIRST = 5, SECOND = 139990 };

struct many {
    struct tr_rdf_memory_graph *graph;
    bool is_new; /* what the nodes are */
};

static void add(struct tr_rdf_memory_graph *graph, const char *node,
                const char *predicate, tr_rdf_term object)
{
    const tr_rdf_quad quad = {.subject = tr_rdf_term_iri(tr_str_from(node)),
                              .predicate =
                                  tr_rdf_term_iri(tr_str_from(predicate)),
                              .object = object};
    CHECK_OK(tr_rdf_memory_graph_add(graph, &quad, NULL), NULL);
}

/* Node number `twin` has the code of node FIRST. */
static void fill(struct many *many, size_t twin)
{
    CHECK_OK(tr_rdf_memory_graph_create(0, &many->graph, NULL), NULL);
    for (size_t i = 0; i < NODES; i++) {
        char node[32];
        char code[32];
        (void)snprintf(node, sizeof(node), "http://n/%zu", i);
        (void)snprintf(code, sizeof(code), "%zu", i == twin ? FIRST : i);
        add(many->graph, node, TR_RDF_IRI_RDF_TYPE,
            tr_rdf_term_iri(TR_STR("trails://team/Task")));
        add(many->graph, node, "trails://team/Task#code",
            tr_rdf_term_string(tr_str_from(code)));
    }
    CHECK_OK(tr_rdf_memory_graph_index(many->graph, NULL), NULL);
}

static bool is_new(void *context, tr_rdf_id node)
{
    const struct many *many = context;
    (void)node;
    return many->is_new;
}

static tr_status check(struct many *many, struct tr_err *err)
{
    const struct tr_model *model = store_model();
    tr_status status = tr_graph_unique_check(
        tr_rdf_memory_graph_view(many->graph), model, is_new, many, err);
    tr_model_free(model);
    return status;
}

TEST(values_of_many_nodes_are_unique)
{
    struct many many = {.is_new = true};
    struct tr_err err = {0};
    fill(&many, NODES);
    CHECK_OK(check(&many, &err), &err);
    tr_rdf_memory_graph_free(many.graph);
}

TEST(one_value_that_two_of_many_nodes_have_is_found)
{
    struct many many = {.is_new = true};
    struct tr_err err = {0};
    fill(&many, SECOND);
    CHECK_INT(check(&many, &err), TR_E_VALIDATION);
    CHECK_STR(tr_str_from(err.msg),
              "<http://n/5> and <http://n/139990> have the same 'code'");
    many.is_new = false; /* it is nobody's fault */
    CHECK_OK(check(&many, &err), &err);
    tr_rdf_memory_graph_free(many.graph);
}

#include "support/random_shapes.h"

#include "base/limits.h"
#include "base/test.h"
#include "rdf/reader.h"

static uint64_t below(uint64_t bound)
{
    return tr_test_random_below(bound);
}

static void put_path(struct tr_buf *out, unsigned depth)
{
    static const char *const operators[] = {"inversePath", "zeroOrMorePath",
                                            "oneOrMorePath", "zeroOrOnePath"};
    uint64_t kind = depth ? below(8) : 0;
    if (kind < 3) {
        tr_buf_putf(out, "e:p%d ", (int)below(RANDOM_PREDICATES));
        return;
    }
    bool is_list = kind < 5;
    if (kind == 4)
        tr_buf_put(out, TR_STR("[ sh:alternativePath "));
    else if (!is_list)
        tr_buf_putf(out, "[ sh:%s ", operators[below(4)]);
    if (is_list)
        tr_buf_put(out, TR_STR("( "));
    put_path(out, depth - 1);
    if (is_list) {
        put_path(out, depth - 1);
        tr_buf_put(out, TR_STR(") "));
    }
    if (kind != 3)
        tr_buf_put(out, TR_STR("] "));
}

static void put_shape(struct tr_buf *out, unsigned depth);

static void put_constraint(struct tr_buf *out, unsigned depth)
{
    static const char *const nested[] = {"not", "node", "and", "or", "xone"};
    uint64_t kind = below(depth ? 9 : 4);
    if (kind == 0) {
        tr_buf_putf(out, "sh:class e:C%d ; ", (int)below(RANDOM_CLASSES));
    } else if (kind == 1) {
        tr_buf_putf(out, "sh:%s e:p%d ; ", below(2) ? "equals" : "disjoint",
                    (int)below(RANDOM_PREDICATES));
    } else if (kind == 2) {
        tr_buf_putf(out, "sh:hasValue e:n%d ; ", (int)below(RANDOM_NODES));
    } else if (kind == 3) {
        tr_buf_putf(out, "sh:not [ sh:in ( e:n0 e:n1 e:n%d ) ] ; ",
                    (int)below(RANDOM_NODES));
    } else if (kind < 7) {
        const char *name = nested[below(5)];
        bool is_list = name[0] == 'a' || name[0] == 'o' || name[0] == 'x';
        tr_buf_putf(out, "sh:%s %s[ ", name, is_list ? "( " : "");
        put_shape(out, depth - 1);
        tr_buf_put(out, is_list ? TR_STR("] ) ; ") : TR_STR("] ; "));
    } else {
        tr_buf_put(out, TR_STR("sh:property [ sh:path "));
        put_path(out, 2);
        tr_buf_putf(out, "; sh:maxCount %d ; ", (int)below(3));
        if (below(3) == 0) {
            tr_buf_put(out, TR_STR("sh:qualifiedMinCount 1 ; "
                                   "sh:qualifiedValueShape [ "));
            put_shape(out, depth - 1);
            tr_buf_put(out, TR_STR("] ; "));
        }
        put_shape(out, depth - 1);
        tr_buf_put(out, TR_STR("] ; "));
    }
}

static void put_shape(struct tr_buf *out, unsigned depth)
{
    for (uint64_t i = below(3); i > 0; i--)
        put_constraint(out, depth);
}

void random_shapes_write(struct tr_buf *out)
{
    static const char *const targets[] = {"targetNode e:n", "targetClass e:C",
                                          "targetSubjectsOf e:p",
                                          "targetObjectsOf e:p"};
    tr_buf_put(out, TR_STR("@prefix sh: <http://www.w3.org/ns/shacl#> . "
                           "@prefix e: <http://e/> . "));
    for (uint64_t i = 1 + below(3); i > 0; i--) {
        tr_buf_putf(out, "e:S%d sh:%s%d ; ", (int)i, targets[below(4)],
                    (int)below(3));
        if (below(5) == 0)
            tr_buf_put(out, TR_STR("sh:closed true ; "));
        put_constraint(out, 2);
        put_shape(out, 2);
        tr_buf_put(out, TR_STR(".\n"));
    }
}

void random_shapes_read(tr_str text, struct tr_rdf_memory_graph *graph)
{
    struct tr_err err = {0};
    tr_str rest = text;
    struct tr_rdf_source source =
        tr_rdf_source_text(&rest, TR_STR("http://e/"));
    struct tr_rdf_sink sink = tr_rdf_memory_graph_sink(graph);
    CHECK_OK(tr_rdf_read(TR_RDF_TURTLE, &source, &sink, &err), &err);
    CHECK_OK(tr_rdf_memory_graph_index(graph, &err), &err);
}

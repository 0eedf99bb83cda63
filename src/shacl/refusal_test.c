/*
 * Shapes that are none: each is refused with a message that names it. And
 * input that is meant to hurt: cycles, bombs, nesting, limits.
 */
#include "base/limits.h"
#include "base/test.h"
#include "rdf/memory_graph.h"
#include "rdf/reader.h"
#include "shacl/report.h"
#include "shacl/shapes.h"

#define PREFIXES                                                               \
    "@prefix sh: <http://www.w3.org/ns/shacl#> . @prefix e: <http://e/> . "    \
    "@prefix xsd: <http://www.w3.org/2001/XMLSchema#> . "                      \
    "@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> . "

static tr_status load(const char *text, struct tr_rdf_memory_graph **out,
                      struct tr_err *err)
{
    struct tr_buf all;
    tr_buf_init(&all, TR_MIB(16));
    tr_buf_put(&all, TR_STR(PREFIXES));
    tr_buf_put(&all, tr_str_from(text));
    tr_str rest = tr_buf_str(&all);
    struct tr_rdf_source source =
        tr_rdf_source_text(&rest, TR_STR("http://e/"));
    tr_status status = tr_buf_check(&all, err);
    if (status == TR_OK)
        status = tr_rdf_memory_graph_create(0, out, err);
    if (status == TR_OK) {
        struct tr_rdf_sink sink = tr_rdf_memory_graph_sink(*out);
        status = tr_rdf_read(TR_RDF_TURTLE, &source, &sink, err);
    }
    if (status == TR_OK)
        status = tr_rdf_memory_graph_index(*out, err);
    tr_buf_done(&all);
    return status;
}

static tr_status read_shapes(const char *text, struct tr_shacl_shapes **out,
                             struct tr_err *err)
{
    struct tr_rdf_memory_graph *graph = NULL;
    tr_status status = load(text, &graph, err);
    if (status == TR_OK)
        status =
            tr_shacl_shapes_read(tr_rdf_memory_graph_view(graph), out, err);
    tr_rdf_memory_graph_free(graph);
    return status;
}

#define S "e:S a sh:NodeShape ; sh:targetNode e:a ; "
#define P "e:S a sh:PropertyShape ; sh:targetNode e:a ; sh:path e:p ; "

static const struct row {
    const char *text;
    const char *says;
} rows[] = {
    {S "sh:datatype 3 .", "sh:datatype must be an IRI"},
    {S "sh:datatype xsd:int, xsd:byte .", "sh:datatype has 2 values, not one"},
    {S "sh:class \"x\" .", "sh:class must be an IRI"},
    {S "sh:nodeKind sh:Thing .", "sh:nodeKind must be one of"},
    {S "sh:minLength -1 .", "sh:minLength must be an integer, not below 0"},
    {S "sh:minLength 1.5 .", "sh:minLength must be an integer, not below 0"},
    {S "sh:maxLength 99999999999999999999 .", "sh:maxLength must be an"},
    {S "sh:minCount 1 .", "sh:minCount needs a shape with a path"},
    {S "sh:lessThan e:p .", "sh:lessThan needs a shape with a path"},
    {S "sh:uniqueLang true .", "sh:uniqueLang needs a shape with a path"},
    {S "sh:qualifiedValueShape e:T .", "needs a shape with a path"},
    {S "sh:minInclusive e:x .", "sh:minInclusive must be a literal"},
    {S "sh:pattern 3 .", "sh:pattern must be a string"},
    {S "sh:pattern \"(\" .", "the pattern does not compile"},
    {S "sh:pattern \"a\" ; sh:flags \"g\" .", "sh:flags may have i, s, m"},
    {S "sh:pattern \"a\" ; sh:flags 3 .", "sh:flags must be a string"},
    {S "sh:languageIn (1) .", "sh:languageIn must be a list of strings"},
    {S "sh:in e:x .", "sh:in must be a list that ends in rdf:nil"},
    {S "sh:in _:l . _:l rdf:first 1 ; rdf:rest _:l .", "has no end"},
    {S "sh:closed \"yes\" .", "sh:closed must be true or false"},
    {S "sh:closed true ; sh:ignoredProperties (1) .", "must be a list of IRIs"},
    {S "sh:not 3 .", "is no shape"},
    {S "sh:and ( 3 ) .", "is no shape"},
    {S "sh:property e:T . e:T sh:minLength 1 .", "a shape without sh:path"},
    {S "sh:severity 3 .", "sh:severity must be an IRI"},
    {S "sh:message 3 .", "sh:message must be a string"},
    {S "sh:deactivated 3 .", "sh:deactivated must be true or false"},
    {S "sh:targetClass \"x\" .", "targetClass must be an IRI"},
    {S "sh:targetNode [] .", "targetNode must be an IRI or a literal"},
    {S "sh:path e:p .", "a node shape must not have sh:path"},
    {S "sh:sparql [] .", "sh:sparql is not part of SHACL Core"},
    {S "sh:node e:S .", "it refers to itself"},
    {S "sh:property [ sh:path e:p ; sh:or ( e:S ) ] .", "it refers to itself"},
    {P "sh:qualifiedValueShape e:S ; sh:qualifiedMinCount 1 .",
     "it refers to itself"},
    {"e:S a sh:PropertyShape .", "a property shape needs sh:path"},
    {"e:S sh:targetNode e:a ; sh:path e:p, e:q .", "path has 2 values"},
    {"e:S sh:targetNode e:a ; sh:path \"x\" .", "must be an IRI or a blank"},
    {"e:S sh:targetNode e:a ; sh:path () .", "must be an IRI or a blank"},
    {"e:S sh:targetNode e:a ; sh:path ( e:p ) .", "at least two paths"},
    {"e:S sh:targetNode e:a ; sh:path [] .", "no well-formed path"},
    {"e:S sh:targetNode e:a ; sh:path [ sh:inversePath e:p ; "
     "sh:zeroOrMorePath e:p ] .",
     "two kinds in one: sh:zeroOrMorePath"},
    {"e:S sh:targetNode e:a ; sh:path [ sh:alternativePath ( e:p e:q ) ; "
     "sh:inversePath e:p ] .",
     "two kinds in one: sh:inversePath"},
    {"e:S sh:targetNode e:a ; sh:path _:p . _:p sh:inversePath _:p .",
     "sh:path refers to itself"},
    {"e:S sh:targetNode e:a ; sh:path _:p . "
     "_:p sh:alternativePath ( _:p _:p ) .",
     "sh:path refers to itself"},
};

TEST(ill_formed_shapes_are_named)
{
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        struct tr_shacl_shapes *shapes = NULL;
        struct tr_err err = {0};
        tr_status status = read_shapes(rows[i].text, &shapes, &err);
        CHECK_ROW(status != TR_OK && status == err.code, rows[i].text);
        CHECK_ROW(strstr(err.msg, "shape http://e/S: ") == err.msg, err.msg);
        CHECK_ROW(strcmp(err.at, "http://e/S") == 0, rows[i].text);
        CHECK_ROW(strstr(err.msg, rows[i].says), err.msg);
    }
}

TEST(an_entailment_that_is_not_there_is_refused)
{
    struct tr_shacl_shapes *shapes = NULL;
    struct tr_err err = {0};
    CHECK_INT(read_shapes("<> sh:entailment "
                          "<http://www.w3.org/ns/entailment/RDFS> .",
                          &shapes, &err),
              TR_E_UNSUPPORTED);
    CHECK_STR(tr_str_from(err.msg), "sh:entailment: there is no inference");
}

/* One level more than allowed, or just as many. */
static tr_status read_nested(int levels, struct tr_err *err)
{
    struct tr_buf text;
    struct tr_shacl_shapes *shapes = NULL;
    tr_buf_init(&text, TR_MIB(1));
    tr_buf_put(&text, TR_STR("e:S0 sh:targetNode e:a . "));
    for (int i = 0; i + 1 < levels; i++)
        tr_buf_putf(&text, "e:S%d sh:node e:S%d . ", i, i + 1);
    tr_buf_putc(&text, '\0');
    tr_status status = read_shapes(text.ptr, &shapes, err);
    tr_shacl_shapes_free(shapes);
    tr_buf_done(&text);
    return status;
}

TEST(shapes_nest_up_to_a_limit)
{
    struct tr_err err = {0};
    CHECK_OK(read_nested(TR_LIMIT_SHAPE_DEPTH, &err), &err);
    CHECK_INT(read_nested(TR_LIMIT_SHAPE_DEPTH + 1, &err), TR_E_LIMIT);
    CHECK_INT(read_nested(10000, &err), TR_E_LIMIT);
}

struct validating {
    const char *shapes;
    const char *data;
    uint64_t max_work;
    struct tr_arena arena;
    struct tr_shacl_report report;
};

static tr_status run(struct validating *x, struct tr_err *err)
{
    struct tr_rdf_memory_graph *data = NULL;
    struct tr_shacl_shapes *shapes = NULL;
    struct tr_shacl_validation *v = NULL;
    struct tr_shacl_validation_opts opts = {.max_work = x->max_work};
    tr_arena_init(&x->arena, TR_MIB(4));
    tr_shacl_report_init(&x->report, &x->arena, 0);
    tr_status status = read_shapes(x->shapes, &shapes, err);
    if (status == TR_OK)
        status = load(x->data, &data, err);
    if (status == TR_OK)
        status = tr_shacl_validation_create(
            shapes, tr_rdf_memory_graph_view(data), &opts, &v, err);
    if (status == TR_OK)
        status =
            tr_shacl_validation_run(v, tr_shacl_report_add, &x->report, err);
    tr_shacl_validation_free(v);
    tr_shacl_shapes_free(shapes);
    tr_rdf_memory_graph_free(data);
    return status;
}

TEST(a_pattern_that_takes_too_long_is_a_violation_of_its_own)
{
    struct tr_err err = {0};
    struct validating x = {
        .shapes = "e:S sh:targetObjectsOf e:p ; sh:pattern \"^(a+)+$\" .",
        .data = "e:a e:p \"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab\""
                " , \"b\" , \"aaa\" .",
    };
    CHECK_OK(run(&x, &err), &err);
    CHECK_INT(x.report.count, 2);
    CHECK(x.report.results.items[0].hit_limit !=
          x.report.results.items[1].hit_limit);
    tr_arena_done(&x.arena);
}

TEST(too_much_work_is_no_verdict)
{
    struct tr_err err = {0};
    struct validating x = {
        .shapes = "e:S sh:targetSubjectsOf e:p ; "
                  "sh:property [ sh:path [ sh:zeroOrMorePath e:p ] ; "
                  "sh:nodeKind sh:IRI ] .",
        .data = "e:a e:p e:b . e:b e:p e:c . e:c e:p e:a .",
        .max_work = 10,
    };
    CHECK_INT(run(&x, &err), TR_E_LIMIT);
    tr_arena_done(&x.arena);
    x.max_work = 1000;
    CHECK_OK(run(&x, &err), &err);
    CHECK_INT(x.report.count, 0);
    tr_arena_done(&x.arena);
}

static const struct verdict {
    const char *shapes;
    const char *data;
    size_t results;
} verdicts[] = {
    /* An unknown datatype has no ill-typed literals, and no order. */
    {"e:S sh:targetObjectsOf e:p ; sh:datatype e:T .", "e:a e:p \"x\"^^e:T .",
     0},
    {"e:S sh:targetObjectsOf e:p ; sh:minInclusive \"a\"^^e:T .",
     "e:a e:p \"b\"^^e:T .", 1},
    /* Numbers are exact, however large. */
    {"e:S sh:targetObjectsOf e:p ; sh:maxInclusive 9007199254740992 .",
     "e:a e:p 9007199254740993, 9007199254740992 .", 1},
    {"e:S sh:targetObjectsOf e:p ; sh:datatype xsd:byte .",
     "e:a e:p \"128\"^^xsd:byte, \"127\"^^xsd:byte .", 1},
    /* Code points, not bytes and not UTF-16. */
    {"e:S sh:targetObjectsOf e:p ; sh:maxLength 1 .",
     "e:a e:p \"\\U0001F600\", \"\xc3\xa4\", \"ab\" .", 1},
    /* SHACL 4.5.1 on a node shape: the node itself, and the other value. */
    {"e:S sh:targetNode e:a ; sh:equals e:p .", "e:a e:p e:b .", 2},
    {"e:S sh:targetNode e:a ; sh:equals e:p .", "e:a e:p e:a .", 0},
    /* SHACL 4.6.2 on a property shape: each value conforms. */
    {"e:S sh:targetNode e:a ; sh:path e:p ; "
     "sh:and ( [ sh:path e:q ; sh:minCount 1 ] ) .",
     "e:a e:p e:b, e:c . e:b e:q 1 .", 1},
    /* SHACL 4.7.2: fresh results each time a property shape is reached. */
    {"e:S sh:targetNode e:a ; sh:property [ sh:path e:p ; sh:property e:T ] , "
     "[ sh:path e:q ; sh:property e:T ] . e:T sh:path e:r ; sh:minCount 1 .",
     "e:a e:p e:b ; e:q e:b .", 2},
    /* Subclasses may go round in circles. */
    {"e:S sh:targetClass e:C ; sh:class e:D .",
     "@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . e:a a e:D . "
     "e:D rdfs:subClassOf e:C . e:C rdfs:subClassOf e:D .",
     0},
    /* Tags without regard to case, ranges as RFC 4647 has them. */
    {"e:S sh:targetNode e:a ; sh:path e:p ; sh:uniqueLang true .",
     "e:a e:p \"a\"@en, \"b\"@EN .", 1},
    {"e:S sh:targetObjectsOf e:p ; sh:languageIn ( \"en\" ) .",
     "e:a e:p \"a\"@EN-gb, \"b\"@eng .", 1},
    {"e:S sh:targetObjectsOf e:p ; sh:pattern \"^A.B$\" ; sh:flags \"is\" .",
     "e:a e:p \"a\\nb\", \"a\\nc\" .", 1},
    {"e:S sh:targetObjectsOf e:p ; sh:pattern \"^a [b c]\\n#d\" ; "
     "sh:flags \"x\" .",
     "e:a e:p \"a #d\", \"ab#d\", \"a b#d\" .", 1},
    {"e:S sh:targetObjectsOf e:p ; sh:pattern \"a.b\" ; sh:flags \"q\" .",
     "e:a e:p \"a.b\", \"axb\" .", 1},
};

TEST(values_are_judged_as_the_specification_says)
{
    for (size_t i = 0; i < TR_LEN(verdicts); i++) {
        struct tr_err err = {0};
        struct validating x = {.shapes = verdicts[i].shapes,
                               .data = verdicts[i].data};
        CHECK_OK(run(&x, &err), &err);
        CHECK_ROW(x.report.count == verdicts[i].results, verdicts[i].shapes);
        tr_arena_done(&x.arena);
    }
}

static tr_status sweep(void *context, struct tr_err *err)
{
    struct validating *x = context;
    tr_status status = run(x, err);
    tr_arena_done(&x->arena);
    return status;
}

TEST(each_allocation_may_fail)
{
    struct validating x = {
        .shapes = "e:S sh:targetClass e:C ; sh:property [ sh:path "
                  "[ sh:zeroOrMorePath e:p ] ; sh:minCount 2 ; "
                  "sh:pattern \"a\" ; sh:in ( e:a 1 ) ; sh:node [ sh:class "
                  "e:D ] ] .",
        .data = "e:a a e:C ; e:p e:b . e:b e:p e:c .",
    };
    tr_test_sweep(sweep, &x);
}

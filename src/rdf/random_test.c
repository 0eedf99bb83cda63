/*
 * Random datasets, written in each syntax and read again, are the same.
 */
#include "base/limits.h"
#include "base/test.h"
#include "rdf/memory_graph.h"
#include "rdf/reader.h"
#include "rdf/writer.h"
#include "support/isomorphism.h"

static const char *const iris[] = {
    "http://e/a",
    "http://e/b#c",
    "http://e/",
    "http://e/a.",
    "http://e/-x",
    "http://e/1",
    "http://e/a:b",
    "urn:x",
    "http://e/\xC3\xA4",
    "http://e/x%20y",
    "http://e/a/b",
    "http://e/(x)",
    TR_RDF_IRI_RDF_TYPE,
    TR_RDF_IRI_RDF_FIRST,
    TR_RDF_IRI_RDF_REST,
    TR_RDF_IRI_RDF_NIL,
    "http://e/_",
    "http://e/a..b",
    TR_RDF_IRI_XSD_INTEGER,
    "x:",
};
static const char *const texts[] = {
    "",       "a",    "1",    "-1.5",     "1e3",   "true", "01", "1.",
    ".5",     "a\"b", "a\\b", "a\nb\r\t", "'",     "\x01", "+1", "\xE2\x82\xAC",
    "\"\"\"", " x ",  "1E",   "-",        "false", "\x7F", ".",  "1.e1",
};
static const char *const datatypes[] = {
    TR_RDF_IRI_XSD_STRING,  TR_RDF_IRI_XSD_INTEGER, TR_RDF_IRI_XSD_DECIMAL,
    TR_RDF_IRI_XSD_BOOLEAN, TR_RDF_IRI_XSD_DOUBLE,  "http://e/t",
};
static const char *const languages[] = {"en", "de-AT", "x-1"};
static const char *const labels[] = {"x", "b1", "B1", "bb1", "1", "a.b", "_"};

#define PICK(array) tr_str_from((array)[tr_test_random_below(TR_LEN(array))])

static tr_rdf_term random_resource(void)
{
    return tr_test_random_below(2) ? tr_rdf_term_iri(PICK(iris))
                                   : tr_rdf_term_blank(PICK(labels));
}

static tr_rdf_term random_object(void)
{
    switch (tr_test_random_below(4)) {
    case 0:
        return tr_rdf_term_typed(PICK(texts), PICK(datatypes));
    case 1:
        return tr_rdf_term_lang(PICK(texts), PICK(languages));
    default:
        return random_resource();
    }
}

static tr_rdf_quad random_quad(bool with_graphs)
{
    tr_rdf_quad quad = {.subject = random_resource(),
                        .predicate = tr_rdf_term_iri(PICK(iris)),
                        .object = random_object()};
    if (with_graphs && tr_test_random_below(3) == 0)
        quad.graph = random_resource();
    return quad;
}

static struct tr_rdf_memory_graph *random_graph(bool with_graphs)
{
    struct tr_rdf_memory_graph *graph = NULL;
    CHECK_OK(tr_rdf_memory_graph_create(0, &graph, NULL), NULL);
    size_t count = tr_test_random_below(20);
    for (size_t i = 0; i < count; i++) {
        tr_rdf_quad quad = random_quad(with_graphs);
        CHECK_OK(tr_rdf_memory_graph_add(graph, &quad, NULL), NULL);
    }
    CHECK_OK(tr_rdf_memory_graph_index(graph, NULL), NULL);
    return graph;
}

static void write_graph(enum tr_rdf_format format,
                        const struct tr_rdf_memory_graph *graph,
                        struct tr_buf *out)
{
    struct tr_arena arena;
    struct tr_rdf_prefixes prefixes;
    struct tr_err err = {0};
    struct tr_rdf_output output = tr_rdf_output_buf(out);
    tr_arena_init(&arena, TR_MIB(1));
    tr_rdf_prefixes_init(&prefixes, &arena);
    CHECK_OK(
        tr_rdf_prefixes_set(&prefixes, TR_STR("e"), TR_STR("http://e/"), NULL),
        NULL);
    CHECK_OK(
        tr_rdf_prefixes_set(&prefixes, TR_STR(""), TR_STR("http://e/a"), NULL),
        NULL);
    CHECK_OK(tr_rdf_write(format, tr_rdf_memory_graph_view(graph), &prefixes,
                          &output, &err),
             &err);
    tr_arena_done(&arena);
}

static bool reads_back(enum tr_rdf_format format, tr_str text,
                       const struct tr_rdf_memory_graph *graph)
{
    struct tr_rdf_memory_graph *again = NULL;
    struct tr_err err = {0};
    bool same = false;
    struct tr_rdf_source source = tr_rdf_source_text(&text, TR_STR(""));
    CHECK_OK(tr_rdf_memory_graph_create(0, &again, NULL), NULL);
    struct tr_rdf_sink sink = tr_rdf_memory_graph_sink(again);
    CHECK_OK(tr_rdf_read(format, &source, &sink, &err), &err);
    CHECK_OK(tr_rdf_memory_graph_index(again, NULL), NULL);
    CHECK_OK(graph_isomorphic(tr_rdf_memory_graph_view(graph),
                              tr_rdf_memory_graph_view(again), &same, &err),
             &err);
    tr_rdf_memory_graph_free(again);
    return same;
}

TEST(rdf_random_datasets_survive_every_syntax)
{
    size_t count = tr_test_scaled(10000);
    for (size_t i = 0; i < count; i++) {
        enum tr_rdf_format format =
            (enum tr_rdf_format)(i % (size_t)TR_RDF_FORMATS);
        struct tr_rdf_memory_graph *graph =
            random_graph(tr_rdf_format_info(format)->has_graphs);
        struct tr_buf out;
        tr_buf_init(&out, TR_MIB(1));
        write_graph(format, graph, &out);
        tr_buf_putc(&out, '\0');
        CHECK_ROW(reads_back(format, (tr_str){out.ptr, out.len - 1}, graph),
                  out.ptr);
        tr_buf_done(&out);
        tr_rdf_memory_graph_free(graph);
    }
}

/* One term changed makes another dataset. */
TEST(rdf_random_datasets_that_differ_are_told_apart)
{
    size_t count = tr_test_scaled(2000);
    for (size_t i = 0; i < count; i++) {
        struct tr_rdf_memory_graph *graph = random_graph(true);
        struct tr_buf out;
        tr_buf_init(&out, TR_MIB(1));
        write_graph(TR_RDF_NQUADS, graph, &out);
        tr_buf_put(&out, TR_STR("<new:s> <new:p> <new:o> .\n"));
        CHECK(!reads_back(TR_RDF_NQUADS, tr_buf_str(&out), graph));
        tr_buf_done(&out);
        tr_rdf_memory_graph_free(graph);
    }
}

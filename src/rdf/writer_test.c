#include "rdf/writer.h"

#include "base/limits.h"
#include "base/test.h"
#include "rdf/memory_graph.h"
#include "rdf/reader.h"

static tr_status set_prefix(void *context, tr_str name, tr_str iri,
                            struct tr_err *err)
{
    return tr_rdf_prefixes_set(context, name, iri, err);
}

struct both {
    struct tr_rdf_memory_graph *graph;
    struct tr_rdf_prefixes *prefixes;
};

static tr_status add_quad(void *context, const tr_rdf_quad *quad,
                          struct tr_err *err)
{
    const struct both *both = context;
    return tr_rdf_memory_graph_add(both->graph, quad, err);
}

static tr_status add_prefix(void *context, tr_str name, tr_str iri,
                            struct tr_err *err)
{
    const struct both *both = context;
    return set_prefix(both->prefixes, name, iri, err);
}

/* Reads TriG and writes it in another format. */
static tr_status convert(const char *trig, enum tr_rdf_format format,
                         struct tr_buf *out, struct tr_err *err)
{
    struct tr_arena arena;
    struct tr_rdf_prefixes prefixes;
    struct both both = {NULL, &prefixes};
    tr_str text = tr_str_from(trig);
    struct tr_rdf_source source =
        tr_rdf_source_text(&text, TR_STR("http://e/"));
    struct tr_rdf_sink sink = {
        .context = &both, .quad = add_quad, .prefix = add_prefix};
    struct tr_rdf_output output = tr_rdf_output_buf(out);

    tr_arena_init(&arena, TR_MIB(1));
    tr_rdf_prefixes_init(&prefixes, &arena);
    tr_status status = tr_rdf_memory_graph_create(0, &both.graph, err);
    if (status == TR_OK)
        status = tr_rdf_read(TR_RDF_TRIG, &source, &sink, err);
    if (status == TR_OK)
        status = tr_rdf_memory_graph_index(both.graph, err);
    if (status == TR_OK)
        status = tr_rdf_write(format, tr_rdf_memory_graph_view(both.graph),
                              &prefixes, &output, err);
    tr_rdf_memory_graph_free(both.graph);
    tr_arena_done(&arena);
    return status;
}

static void check(enum tr_rdf_format format, const char *trig,
                  const char *expected)
{
    struct tr_buf out;
    struct tr_err err = {0};
    tr_buf_init(&out, TR_MIB(1));
    CHECK_OK(convert(trig, format, &out, &err), &err);
    CHECK_STR(tr_buf_str(&out), expected);
    tr_buf_done(&out);
}

TEST(rdf_writer_writes_turtle_for_people)
{
    check(TR_RDF_TURTLE,
          "@prefix : <http://e/> . @prefix unused: <http://u/> ."
          ":a :p 1, 1.5, 1e0, true, 'x', 'y'@en, '01'^^:t ; a :T ."
          ":a :q <http://e/x/y>, <urn:z> . :b a <http://schema.org/Person> .",
          "@prefix : <http://e/> .\n"
          "@prefix schema: <http://schema.org/> .\n"
          "\n"
          ":a a :T ;\n"
          "    :p 1, 1.5, 1e0, true, \"x\", \"y\"@en, \"01\"^^:t ;\n"
          "    :q <http://e/x/y>, <urn:z> .\n"
          "\n"
          ":b a schema:Person .\n");
}

TEST(rdf_writer_nests_blank_nodes_and_lists)
{
    check(TR_RDF_TURTLE,
          "@prefix : <http://e/> . :a :p [ :q [], () ; :r ( 1 [ :s 2 ] ) ] .",
          "@prefix : <http://e/> .\n"
          "@prefix rdf: <" TR_RDF_NS_RDF "> .\n"
          "\n"
          ":a :p [\n"
          "        :q [], () ;\n"
          "        :r ( 1 [\n"
          "            :s 2\n"
          "        ] )\n"
          "    ] .\n");
}

TEST(rdf_writer_labels_blank_nodes_that_cannot_be_nested)
{
    check(TR_RDF_TURTLE,
          "@prefix : <http://e/> . _:x :p _:y . _:y :p _:x ."
          ":a :p _:z . :b :p _:z . _:z :q 1 .",
          "@prefix : <http://e/> .\n"
          "\n"
          ":a :p _:z .\n"
          "\n"
          "_:z :q 1 .\n"
          "\n"
          ":b :p _:z .\n"
          "\n"
          "_:x :p [\n"
          "        :p _:x\n"
          "    ] .\n");
}

/* Each has something that the short form of a list cannot say. */
TEST(rdf_writer_does_not_shorten_broken_lists)
{
    check(TR_RDF_TURTLE,
          "@prefix rdf: <" TR_RDF_NS_RDF "> . @prefix : <http://e/> ."
          ":a :p [ rdf:first 1 ] . :b :p [ rdf:first 1 ; rdf:rest () ; :q 2 ]."
          ":c :p [ rdf:first 1, 2 ; rdf:rest () ] .",
          "@prefix : <http://e/> .\n"
          "@prefix rdf: <" TR_RDF_NS_RDF "> .\n"
          "\n"
          ":a :p [\n"
          "        rdf:first 1\n"
          "    ] .\n"
          "\n"
          ":b :p [\n"
          "        rdf:first 1 ;\n"
          "        rdf:rest () ;\n"
          "        :q 2\n"
          "    ] .\n"
          "\n"
          ":c :p [\n"
          "        rdf:first 1, 2 ;\n"
          "        rdf:rest ()\n"
          "    ] .\n");
}

TEST(rdf_writer_writes_trig)
{
    check(TR_RDF_TRIG,
          "@prefix : <http://e/> . :a :p _:x . _:g { _:x :q [ :r :s ] }"
          ":h { :a :p :b . :c :p :d }",
          "@prefix : <http://e/> .\n"
          "\n"
          ":a :p _:x .\n"
          "\n"
          "_:g {\n"
          "    _:x :q [\n"
          "            :r :s\n"
          "        ] .\n"
          "}\n"
          "\n"
          ":h {\n"
          "    :a :p :b .\n"
          "\n"
          "    :c :p :d .\n"
          "}\n");
}

TEST(rdf_writer_writes_lines)
{
    check(TR_RDF_NQUADS,
          "<s> <p> \"a\\\"\\n\\t\\u0001\\\\\\u00E4\" . <g> { _:x <p> 1 }",
          "<http://e/s> <http://e/p> "
          "\"a\\\"\\n\\t\\u0001\\\\\xC3\xA4\" .\n"
          "_:x <http://e/p> \"1\"^^<" TR_RDF_IRI_XSD_INTEGER
          "> <http://e/g> .\n");
    check(TR_RDF_NTRIPLES, "<s> <p> 'x'@en-GB .",
          "<http://e/s> <http://e/p> \"x\"@en-GB .\n");
}

TEST(rdf_writer_writes_json_ld)
{
    check(TR_RDF_JSONLD,
          "PREFIX xsd: <" TR_RDF_NS_XSD
          "> <s> a <T>, _:t ; <p> 1, 01, 1.5, true,"
          "'1'^^xsd:boolean, 'x\\n', 'y'@en, _:b, <o>, 1e0,"
          "'2026-07-28T12:00:00Z'^^xsd:dateTime, 12345678901234567890 .",
          "[\n"
          "{\"@id\":\"http://e/s\",\"@type\":[\"http://e/T\",\"_:t\"],"
          "\"http://e/p\":[{\"@value\":1},"
          "{\"@value\":\"01\",\"@type\":\"" TR_RDF_IRI_XSD_INTEGER "\"},"
          "{\"@value\":\"1.5\",\"@type\":\"" TR_RDF_IRI_XSD_DECIMAL "\"},"
          "{\"@value\":true},"
          "{\"@value\":\"1\",\"@type\":\"" TR_RDF_IRI_XSD_BOOLEAN "\"},"
          "{\"@value\":\"x\\n\"},{\"@value\":\"y\",\"@language\":\"en\"},"
          "{\"@id\":\"_:b\"},{\"@id\":\"http://e/o\"},"
          "{\"@value\":\"1e0\",\"@type\":\"" TR_RDF_IRI_XSD_DOUBLE "\"},"
          "{\"@value\":\"2026-07-28T12:00:00Z\",\"@type\":"
          "\"" TR_RDF_IRI_XSD_DATE_TIME "\"},"
          "{\"@value\":\"12345678901234567890\",\"@type\":"
          "\"" TR_RDF_IRI_XSD_INTEGER "\"}]}\n"
          "]\n");
    check(TR_RDF_JSONLD, "<a> <p> <b> . <g> { <s> a 'x' . <t> <p> <u> }",
          "[\n"
          "{\"@id\":\"http://e/a\",\"http://e/p\":[{\"@id\":\"http://e/b\"}]},"
          "\n{\"@id\":\"http://e/g\",\"@graph\":[\n"
          "{\"@id\":\"http://e/s\",\"" TR_RDF_IRI_RDF_TYPE
          "\":[{\"@value\":\"x\"}]},\n"
          "{\"@id\":\"http://e/t\",\"http://e/p\":[{\"@id\":\"http://e/u\"}]}"
          "]}\n"
          "]\n");
    check(TR_RDF_JSONLD, "", "[\n]\n");
}

TEST(rdf_writer_refuses_named_graphs_where_there_are_none)
{
    struct tr_buf out;
    struct tr_err err = {0};
    tr_buf_init(&out, TR_MIB(1));
    CHECK_INT(convert("<g> { <s> <p> <o> }", TR_RDF_TURTLE, &out, &err),
              TR_E_INVALID);
    CHECK(strcmp(err.msg, "the data has named graphs, which turtle cannot "
                          "hold") == 0);
    CHECK_INT(convert("<g> { <s> <p> <o> }", TR_RDF_NTRIPLES, &out, &err),
              TR_E_INVALID);
    CHECK_INT(out.len, 0);
    tr_buf_done(&out);
}

/* Nested so deep that the rest must stand alone. */
TEST(rdf_writer_bounds_its_nesting)
{
    struct tr_buf trig;
    struct tr_buf out;
    struct tr_err err = {0};
    tr_buf_init(&trig, TR_MIB(1));
    tr_buf_init(&out, TR_MIB(1));
    tr_buf_put(&trig, TR_STR("<s> <p> _:n0 ."));
    for (int i = 0; i < 1000; i++)
        tr_buf_putf(&trig, "_:n%d <p> _:n%d .\n", i, i + 1);
    tr_buf_putc(&trig, '\0');
    CHECK_OK(convert(trig.ptr, TR_RDF_TURTLE, &out, &err), &err);
    size_t rows = 0;
    for (size_t i = 0; i < out.len; i++)
        rows += out.ptr[i] == '[';
    CHECK(rows > 900 && rows < 1000);
    tr_buf_done(&trig);
    tr_buf_done(&out);
}

static tr_status write_hungry(void *context, struct tr_err *err)
{
    const enum tr_rdf_format *format = context;
    struct tr_buf out;
    tr_buf_init(&out, TR_MIB(1));
    tr_status status =
        convert("@prefix : <http://e/> . _:b a :T ; :p (1 2), [:q 'x'@en] .",
                *format, &out, err);
    tr_buf_done(&out);
    return status;
}

TEST(rdf_writer_reports_every_failed_allocation)
{
    for (int i = 0; i < TR_RDF_FORMATS; i++) {
        enum tr_rdf_format format = (enum tr_rdf_format)i;
        tr_test_sweep(write_hungry, &format);
    }
}

#include "base/limits.h"
#include "base/test.h"
#include "rdf/reader.h"
#include "rdf/writer.h"

static tr_status read_text(const char *text, struct tr_buf *out,
                           struct tr_err *err)
{
    tr_str rest = tr_str_from(text);
    struct tr_rdf_output output = tr_rdf_output_buf(out);
    struct tr_rdf_source source = tr_rdf_source_text(&rest, TR_STR(""));
    struct tr_rdf_line_writer writer;
    tr_rdf_line_writer_init(&writer, true, &output);
    struct tr_rdf_sink sink = tr_rdf_line_writer_sink(&writer);
    tr_status status = tr_rdf_read(TR_RDF_JSONLD, &source, &sink, err);
    if (status == TR_OK)
        status = tr_rdf_line_writer_finish(&writer, err);
    tr_rdf_line_writer_done(&writer);
    return status;
}

#define XSD "http://www.w3.org/2001/XMLSchema#"
#define RDF "http://www.w3.org/1999/02/22-rdf-syntax-ns#"

TEST(jsonld_reads_what_is_expanded)
{
    static const struct {
        const char *text;
        const char *quads;
    } rows[] = {
        {"[]", ""},
        {"{\"@graph\": []}", ""},
        {"{\"@id\": \"a:s\", \"@type\": \"a:T\", \"a:p\": \"x\"}",
         "<a:s> <" RDF "type> <a:T> .\n<a:s> <a:p> \"x\" .\n"},
        {"[{\"@id\": \"_:s\", \"a:p\": [{\"@id\": \"a:o\"}, 5, true, 1.5]}]",
         "_:bs <a:p> <a:o> .\n_:bs <a:p> \"5\"^^<" XSD "integer> .\n"
         "_:bs <a:p> \"true\"^^<" XSD "boolean> .\n"
         "_:bs <a:p> \"1.5E0\"^^<" XSD "double> .\n"},
        {"{\"@id\": \"a:s\", \"a:p\": {\"@value\": \"x\", \"@language\": "
         "\"en\"}, \"a:q\": {\"@value\": \"1\", \"@type\": \"a:t\"}}",
         "<a:s> <a:p> \"x\"@en .\n<a:s> <a:q> \"1\"^^<a:t> .\n"},
        {"{\"@id\": \"a:s\", \"a:p\": {\"@list\": [\"x\"]}}",
         "_:n0 <" RDF "first> \"x\" .\n_:n0 <" RDF "rest> <" RDF "nil> .\n"
         "<a:s> <a:p> _:n0 .\n"},
        {"{\"@id\": \"a:g\", \"@graph\": [{\"@id\": \"a:s\", \"a:p\": 1}]}",
         "<a:s> <a:p> \"1\"^^<" XSD "integer> <a:g> .\n"},
        {"{\"@id\": \"a:s\", \"a:p\": {\"@value\": {\"b\": 1, \"a\": null}, "
         "\"@type\": \"@json\"}}",
         "<a:s> <a:p> \"{\\\"a\\\":null,\\\"b\\\":1}\"^^<" RDF "JSON> .\n"},
    };
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        struct tr_err err = {0};
        struct tr_buf out;
        tr_buf_init(&out, TR_MIB(1));
        CHECK_OK(read_text(rows[i].text, &out, &err), &err);
        tr_buf_putc(&out, '\0');
        CHECK_STR(tr_str_from(out.ptr), rows[i].quads);
        tr_buf_done(&out);
    }
}

TEST(jsonld_refuses_what_it_does_not_read)
{
    static const struct {
        const char *text;
        const char *why;
    } rows[] = {
        {"{\"@context\": \"https://schema.org\", \"name\": \"x\"}",
         "a @context is not read, and none is fetched: expand the document "
         "first"},
        {"{\"@id\": \"a:s\", \"@reverse\": {}}",
         "of 'a:s': not read here: @reverse"},
        {"{\"@id\": \"s\"}", "'s' is not an absolute IRI: it has no scheme"},
        {"{\"@id\": \"a:s\", \"name\": 1}",
         "of 'a:s': 'name' is not an absolute IRI: it has no scheme"},
        {"{\"@id\": \"_:a b\"}", "it is no label of a blank node: a b"},
        {"{\"@id\": 5}", "an @id or @type must be a text"},
        {"[5]", "expected a node: an object"},
        {"{\"a:p\": null}", "a value cannot be null"},
        {"{\"a:p\": {\"@value\": \"x\", \"@index\": \"y\"}}",
         "unexpected beside a value: @index"},
        {"{\"a:p\": {\"@value\": \"x\", \"@language\": \"not a tag\"}}",
         "the language tag is not well-formed (BCP 47)"},
        {"{\"a:p\": {\"@list\": 5}}", "a @list must be an array"},
    };
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        struct tr_err err = {0};
        struct tr_buf out;
        tr_buf_init(&out, TR_MIB(1));
        CHECK_INT(read_text(rows[i].text, &out, &err), TR_E_SYNTAX);
        CHECK_STR(tr_str_from(err.msg), rows[i].why);
        tr_buf_done(&out);
    }
}

TEST(jsonld_tells_the_place_of_what_is_no_json)
{
    struct tr_err err = {0};
    struct tr_buf out;
    tr_buf_init(&out, TR_MIB(1));
    CHECK_INT(read_text("[{\n\"a:p\" 5}]", &out, &err), TR_E_SYNTAX);
    CHECK_INT(err.place.line, 2);
    tr_buf_done(&out);
}

static tr_status read_some(void *context, struct tr_err *err)
{
    struct tr_buf out;
    (void)context;
    tr_buf_init(&out, TR_MIB(1));
    tr_status status =
        read_text("[{\"@id\": \"_:s\", \"a:p\": [{\"@list\": [1, {}]}, 1.5, "
                  "{\"@value\": [1], \"@type\": \"@json\"}]}]",
                  &out, err);
    tr_buf_done(&out);
    return status;
}

TEST(jsonld_survives_every_allocation_that_fails)
{
    tr_test_sweep(read_some, NULL);
}

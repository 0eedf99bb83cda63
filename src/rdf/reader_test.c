/*
 * What tr_rdf_read gives for each syntax, as N-Quads lines.
 */
#include "rdf/reader.h"

#include "base/limits.h"
#include "base/test.h"

static tr_status write_quad(void *context, const tr_rdf_quad *quad,
                            struct tr_err *err)
{
    struct tr_buf *out = context;
    const tr_rdf_term *terms[] = {&quad->subject, &quad->predicate,
                                  &quad->object, &quad->graph};
    for (size_t i = 0; i < TR_LEN(terms); i++) {
        tr_rdf_term_write(out, terms[i]);
        tr_buf_put(out, i < 3 ? TR_STR(" ") : TR_STR("\n"));
    }
    return tr_buf_check(out, err);
}

struct good {
    enum tr_rdf_format format;
    const char *text;
    const char *quads;
};

static void check_good(const struct good *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct tr_buf out;
        struct tr_err err = {0};
        struct tr_rdf_sink sink = {.context = &out, .quad = write_quad};
        tr_str text = tr_str_from(rows[i].text);
        struct tr_rdf_source source =
            tr_rdf_source_text(&text, TR_STR("http://e/d/f"));
        tr_buf_init(&out, TR_MIB(1));
        CHECK_OK(tr_rdf_read(rows[i].format, &source, &sink, &err), &err);
        CHECK_STR(tr_buf_str(&out), rows[i].quads);
        tr_buf_done(&out);
    }
}

#define INTEGER "^^<" TR_RDF_IRI_XSD_INTEGER ">"

TEST(rdf_reader_reads_lines)
{
    static const struct good rows[] = {
        {TR_RDF_NTRIPLES, "", ""},
        {TR_RDF_NTRIPLES, "# x\n\n \t\n#y", ""},
        {TR_RDF_NTRIPLES, "<a:s><a:p><a:o>.", "<a:s> <a:p> <a:o> \n"},
        {TR_RDF_NTRIPLES, "\t_:a\t<a:p> _:b.c\t.\t# x\r\n",
         "_:a <a:p> _:b.c \n"},
        {TR_RDF_NTRIPLES, "<a:s> <a:p> \"x\" .\r<a:s> <a:p> \"y\" .\r",
         "<a:s> <a:p> \"x\" \n<a:s> <a:p> \"y\" \n"},
        {TR_RDF_NTRIPLES, "<a:s> <a:p> \"a\\tb\\u00E4\\U0001F600\\\"\" .",
         "<a:s> <a:p> \"a\\tb\xC3\xA4\xF0\x9F\x98\x80\\\"\" \n"},
        {TR_RDF_NTRIPLES, "<a:\\u00E4> <a:p\\u002D> \"\\\\\"^^<a:\\u0062> .",
         "<a:\xC3\xA4> <a:p-> \"\\\\\"^^<a:b> \n"},
        {TR_RDF_NTRIPLES, "<a:s> <a:p> \"x\"@en-GB .",
         "<a:s> <a:p> \"x\"@en-GB \n"},
        {TR_RDF_NTRIPLES,
         "\xEF\xBB\xBF<a:s> <a:p> \"x\" @en .\n"
         "<a:s> <a:p> \"x\"\t^^ <a:t> .",
         "<a:s> <a:p> \"x\"@en \n<a:s> <a:p> \"x\"^^<a:t> \n"},
        {TR_RDF_NQUADS, "\xEF\xBB\xBF<a:s> <a:p> \"x\" @en <a:g> .",
         "<a:s> <a:p> \"x\"@en <a:g>\n"},
        {TR_RDF_NQUADS, "<a:s> <a:p> \"x\" <a:g> .\n_:s <a:p> <a:o> _:g .\n",
         "<a:s> <a:p> \"x\" <a:g>\n_:s <a:p> <a:o> _:g\n"},
        {TR_RDF_NQUADS, "<a:s> <a:p> \"x\\\\\"@en<a:g>.",
         "<a:s> <a:p> \"x\\\\\"@en <a:g>\n"},
    };
    check_good(rows, TR_LEN(rows));
}

TEST(rdf_reader_reads_turtle)
{
    static const struct good rows[] = {
        {TR_RDF_TURTLE, "", ""},
        {TR_RDF_TURTLE, "<s> <p> <#o>, </o> .",
         "<http://e/d/s> <http://e/d/p> <http://e/d/f#o> \n"
         "<http://e/d/s> <http://e/d/p> <http://e/o> \n"},
        {TR_RDF_TURTLE, "@base <../x/> . @prefix : <y#> . :a a :b.",
         "<http://e/x/y#a> <" TR_RDF_IRI_RDF_TYPE "> <http://e/x/y#b> \n"},
        {TR_RDF_TURTLE, "prefix p: <a:> p:\\,x.y p:%20 p: .",
         "<a:,x.y> <a:%20> <a:> \n"},
        {TR_RDF_TURTLE, "<a:s> <a:p> true, 1.5, -2e3, \"\"\"a\"b\n\"\"\" .",
         "<a:s> <a:p> \"true\"^^<" TR_RDF_IRI_XSD_BOOLEAN "> \n"
         "<a:s> <a:p> \"1.5\"^^<" TR_RDF_IRI_XSD_DECIMAL "> \n"
         "<a:s> <a:p> \"-2e3\"^^<" TR_RDF_IRI_XSD_DOUBLE "> \n"
         "<a:s> <a:p> \"a\\\"b\\n\" \n"},
        {TR_RDF_TURTLE, "<a:s> <a:p> [<a:q> ()], (1) .",
         "<a:s> <a:p> _:b1 \n"
         "_:b1 <a:q> <" TR_RDF_IRI_RDF_NIL "> \n"
         "<a:s> <a:p> _:b2 \n"
         "_:b2 <" TR_RDF_IRI_RDF_FIRST "> \"1\"" INTEGER " \n"
         "_:b2 <" TR_RDF_IRI_RDF_REST "> <" TR_RDF_IRI_RDF_NIL "> \n"},
        {TR_RDF_TRIG, "<a:g> { <a:s> <a:p> 'x'@de } <a:s> <a:p> 1 .",
         "<a:s> <a:p> \"x\"@de <a:g>\n<a:s> <a:p> \"1\"" INTEGER " \n"},
        {TR_RDF_TRIG, "GRAPH _:g { <a:s> <a:p> <a:o> . } {}",
         "<a:s> <a:p> <a:o> _:g\n"},
    };
    check_good(rows, TR_LEN(rows));
}

/* serd alone reads each of these otherwise, or not at all. */
TEST(rdf_reader_makes_good_what_serd_does_not)
{
    static const struct good rows[] = {
        {TR_RDF_TURTLE, "<a:s> <a:p> 5.", "<a:s> <a:p> \"5\"" INTEGER " \n"},
        {TR_RDF_TURTLE, "<a:s> <a:p> 5.<a:s> <a:p> +6.\n",
         "<a:s> <a:p> \"5\"" INTEGER " \n<a:s> <a:p> \"+6\"" INTEGER " \n"},
        {TR_RDF_TURTLE, "_:b1 <a:p> _:B1, _:bb1, [] .",
         "_:bb1 <a:p> _:B1 \n_:bb1 <a:p> _:bbb1 \n_:bb1 <a:p> _:b1 \n"},
        {TR_RDF_TURTLE, "@prefix x_: <a:> . x_:s x_:p x_:a._:b .",
         "<a:s> <a:p> <a:a._:b> \n"},
        {TR_RDF_TURTLE, "<a:s> <a:p> 'x' @en , '' ^^ <a:t>, 'y' , \"\" .",
         "<a:s> <a:p> \"x\"@en \n<a:s> <a:p> \"\"^^<a:t> \n"
         "<a:s> <a:p> \"y\" \n<a:s> <a:p> \"\" \n"},
        {TR_RDF_TURTLE, "<a:s> <a:p> 'it\\'s' # [[\n, \"[\" .",
         "<a:s> <a:p> \"it's\" \n<a:s> <a:p> \"[\" \n"},
    };
    check_good(rows, TR_LEN(rows));
}

TEST(rdf_reader_keeps_a_nul_in_a_string)
{
    static const enum tr_rdf_format formats[] = {TR_RDF_NTRIPLES,
                                                 TR_RDF_TURTLE};
    for (size_t i = 0; i < TR_LEN(formats); i++) {
        struct tr_buf out;
        struct tr_err err = {0};
        struct tr_rdf_sink sink = {.context = &out, .quad = write_quad};
        tr_str text = TR_STR("<a:s> <a:p> \"x\0\\u0000y\" .");
        struct tr_rdf_source source = tr_rdf_source_text(&text, TR_STR(""));
        tr_buf_init(&out, TR_MIB(1));
        CHECK_OK(tr_rdf_read(formats[i], &source, &sink, &err), &err);
        CHECK_STR(tr_buf_str(&out), "<a:s> <a:p> \"x\\u0000\\u0000y\" \n");
        tr_buf_done(&out);
    }
}

static tr_status note_prefix(void *context, tr_str name, tr_str iri,
                             struct tr_err *err)
{
    tr_buf_putf(context, "%.*s=%.*s\n", TR_FMT(name), TR_FMT(iri));
    return tr_buf_check(context, err);
}

TEST(rdf_reader_tells_of_prefixes)
{
    struct tr_buf out;
    struct tr_rdf_sink sink = {
        .context = &out, .quad = write_quad, .prefix = note_prefix};
    tr_str text = TR_STR("@prefix a: <x> . PREFIX : <a:b>");
    struct tr_rdf_source source =
        tr_rdf_source_text(&text, TR_STR("http://e/"));
    tr_buf_init(&out, TR_MIB(1));
    CHECK_OK(tr_rdf_read(TR_RDF_TURTLE, &source, &sink, NULL), NULL);
    CHECK_STR(tr_buf_str(&out), "a=http://e/x\n=a:b\n");
    tr_buf_done(&out);
}

TEST(rdf_format_is_found_by_name_and_file)
{
    enum tr_rdf_format format = TR_RDF_FORMATS;
    for (int i = 0; i < TR_RDF_FORMATS; i++) {
        const struct tr_rdf_format_info *info =
            tr_rdf_format_info((enum tr_rdf_format)i);
        CHECK(tr_rdf_format_find(tr_str_from(info->name), &format));
        CHECK_INT(format, i);
        CHECK(tr_rdf_format_find(tr_str_from(info->ending), &format));
        CHECK_INT(format, i);
    }
    CHECK(tr_rdf_format_of_file(TR_STR("dir.nt/x.ttl"), &format));
    CHECK_INT(format, TR_RDF_TURTLE);
    CHECK(!tr_rdf_format_of_file(TR_STR("dir.nt/x"), &format));
    CHECK(!tr_rdf_format_of_file(TR_STR("x.txt"), &format));
    CHECK(!tr_rdf_format_of_file(TR_STR(""), &format));
}

/*
 * What tr_rdf_read refuses, with the place and the words.
 */
#include "base/limits.h"
#include "base/test.h"
#include "rdf/reader.h"

struct bad {
    enum tr_rdf_format format;
    const char *text;
    unsigned line;
    unsigned column;
    const char *msg;
};

static tr_status ignore(void *context, const tr_rdf_quad *quad,
                        struct tr_err *err)
{
    (void)context;
    (void)quad;
    (void)err;
    return TR_OK;
}

static void check_bad(const struct bad *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct tr_err err = {0};
        struct tr_rdf_sink sink = {.quad = ignore};
        tr_str text = tr_str_from(rows[i].text);
        struct tr_rdf_source source = tr_rdf_source_text(&text, TR_STR(""));
        tr_status status = tr_rdf_read(rows[i].format, &source, &sink, &err);
        if (status != TR_E_SYNTAX || strcmp(err.msg, rows[i].msg) != 0 ||
            err.place.line != rows[i].line ||
            err.place.column != rows[i].column) {
            print_error("got: %u:%u: %s\n", err.place.line, err.place.column,
                        err.msg);
            CHECK_ROW(false, rows[i].text);
        }
    }
}

TEST(rdf_reader_refuses_broken_lines)
{
    static const struct bad rows[] = {
        {TR_RDF_NTRIPLES, "\n x", 2, 2, "expected an IRI or a blank node"},
        {TR_RDF_NTRIPLES, "_ <a:p> <a:o> .", 1, 1,
         "expected an IRI or a blank node"},
        {TR_RDF_NTRIPLES, "_:-a <a:p> <a:o> .", 1, 1,
         "a blank node without a proper label"},
        {TR_RDF_NTRIPLES, "<s> <a:p> <a:o> .", 1, 1,
         "the IRI is relative; this syntax wants absolute ones"},
        {TR_RDF_NTRIPLES, "<a:s", 1, 5, "the IRI does not end"},
        {TR_RDF_NTRIPLES, "<a: s>", 1, 4,
         "this character is not allowed in an IRI"},
        {TR_RDF_NTRIPLES, "<a:\\u0020> ", 1, 4,
         "this character is not allowed in an IRI"},
        {TR_RDF_NTRIPLES, "<a:\\n> ", 1, 4, "unknown escape"},
        {TR_RDF_NTRIPLES, "<a:s> _:p <a:o> .", 1, 7,
         "expected an IRI in angle brackets"},
        {TR_RDF_NTRIPLES, "<a:s> <a:p> 5 .", 1, 13,
         "expected an IRI, a blank node or a string"},
        {TR_RDF_NTRIPLES, "<a:s> <a:p>", 1, 12,
         "expected an IRI, a blank node or a string"},
        {TR_RDF_NTRIPLES, "<a:s> <a:p> \"\xC3\xA4\n\" .", 1, 15,
         "the string does not end"},
        {TR_RDF_NTRIPLES, "<a:s> <a:p> \"a\r\" .", 1, 15,
         "a line ends inside a string"},
        {TR_RDF_NTRIPLES, "<a:s> <a:p> \"\\x\" .", 1, 14, "unknown escape"},
        {TR_RDF_NTRIPLES, "<a:s> <a:p> \"\\u12\" .", 1, 14,
         "an escape has a character that is no hexadecimal digit"},
        {TR_RDF_NTRIPLES, "<a:s> <a:p> \"\\u1", 1, 14, "incomplete escape"},
        {TR_RDF_NTRIPLES, "<a:s> <a:p> \"\\uD800\" .", 1, 14,
         "an escape that is no character"},
        {TR_RDF_NTRIPLES, "<a:s> <a:p> \"\"@1 .", 1, 16,
         "expected a language tag"},
        {TR_RDF_NTRIPLES, "<a:s> <a:p> \"\"^<a:t> .", 1, 15, "expected '^^'"},
        {TR_RDF_NTRIPLES, "<a:s> <a:p> \"\"@en- .", 1, 18,
         "expected '.' at the end of the statement"},
        {TR_RDF_NTRIPLES, "<a:s> <a:p> <a:o> <a:g> .", 1, 19,
         "expected '.' at the end of the statement"},
        {TR_RDF_NTRIPLES, "<a:s> <a:p> <a:o> . <a:s>", 1, 21,
         "expected the end of the line"},
        {TR_RDF_NTRIPLES, "# \xFF", 1, 3, "the text is not UTF-8"},
        {TR_RDF_NTRIPLES, "\xEF\xBB\xBF# \xFF", 1, 3, "the text is not UTF-8"},
        {TR_RDF_NTRIPLES, "\n\xEF\xBB\xBF# a", 2, 1,
         "expected an IRI or a blank node"},
        {TR_RDF_NTRIPLES, "<a:s> <a:p> \"\"@ en .", 1, 16,
         "expected a language tag"},
        {TR_RDF_NTRIPLES, "<a:s> <a:p> \"\" ^ ^<a:t> .", 1, 16,
         "expected '^^'"},
        {TR_RDF_NQUADS, "<a:s> <a:p> <a:o> \"g\" .", 1, 19,
         "expected an IRI or a blank node"},
        {TR_RDF_NQUADS, "<a:s> <a:p> <a:o> <a:g> <a:h> .", 1, 25,
         "expected '.' at the end of the statement"},
    };
    check_bad(rows, TR_LEN(rows));
}

#define IS_NO_IRI(iri, why) "'" iri "' is not an absolute IRI: " why

/* Other readers refuse these, so they must not get into a store. */
TEST(rdf_reader_refuses_terms_that_others_cannot_read)
{
    static const struct bad rows[] = {
        {TR_RDF_NTRIPLES, "<a:s> <a:p> <a:%zz> .", 1, 13,
         IS_NO_IRI("a:%zz", "'%' without two hexadecimal digits in the path")},
        {TR_RDF_NTRIPLES, "<http://[::1/a> <a:p> <a:o> .", 1, 1,
         IS_NO_IRI("http://[::1/a",
                   "a bracket that is not closed in the authority")},
        {TR_RDF_NTRIPLES, "<a:s> <a:p\\uE000> <a:o> .", 1, 7,
         IS_NO_IRI("a:p\xEE\x80\x80", "bad character in the path")},
        {TR_RDF_NTRIPLES, "<a:s> <a:p> \"\"^^<a:\\uFFFE> .", 1, 17,
         IS_NO_IRI("a:\xEF\xBF\xBE", "bad character in the path")},
        {TR_RDF_NQUADS, "<a:s> <a:p> <a:o> <a:%> .", 1, 19,
         IS_NO_IRI("a:%", "'%' without two hexadecimal digits in the path")},
        {TR_RDF_NTRIPLES,
         "<a:s> <a:p> \"\"^^<" TR_RDF_IRI_RDF_LANG_STRING "> .", 1, 17,
         TR_RDF_NO_LANGUAGE},
        {TR_RDF_NTRIPLES, "<a:s> <a:p> \"\"@abcdefghi .", 1, 16,
         TR_RDF_BAD_LANGUAGE},
        {TR_RDF_NTRIPLES, "<< <a:s> <a:p> <a:o> >> <a:p> <a:o> .", 1, 1,
         TR_RDF_NO_STAR},
        {TR_RDF_NTRIPLES, "<a:s> <a:p> << <a:s> <a:p> <a:o> >> .", 1, 13,
         TR_RDF_NO_STAR},
        {TR_RDF_TURTLE, "<a:s> <a:p>\n<a:%zz> .", 2, 8,
         IS_NO_IRI("a:%zz", "'%' without two hexadecimal digits in the path")},
        {TR_RDF_TURTLE, "@prefix x: <http://[> .", 1, 22,
         IS_NO_IRI("http://[",
                   "a bracket that is not closed in the authority")},
        {TR_RDF_TURTLE, "@prefix x: <a:> . x:a\\%zz a x:b .", 1, 32,
         IS_NO_IRI("a:a%zz", "'%' without two hexadecimal digits in the path")},
        {TR_RDF_TURTLE, "@base <http://a/> . <h@ttp://x> a <b> .", 1, 38,
         "the IRI begins with what is no scheme"},
        {TR_RDF_TURTLE, "<a:s> <a:p> ''^^<" TR_RDF_IRI_RDF_LANG_STRING "> .", 1,
         72, TR_RDF_NO_LANGUAGE},
        {TR_RDF_TURTLE, "<a:s> <a:p> ''@en-a .", 1, 20, TR_RDF_BAD_LANGUAGE},
        {TR_RDF_TURTLE, "<a:s> <a:p> << <a:s> <a:p> <a:o> >> .", 1, 14,
         TR_RDF_NO_STAR},
        {TR_RDF_TRIG, "{ << <a:s> <a:p> <a:o> >> a <a:o> }", 1, 4,
         TR_RDF_NO_STAR},
    };
    check_bad(rows, TR_LEN(rows));
}

TEST(rdf_reader_refuses_broken_turtle)
{
    static const struct bad rows[] = {
        {TR_RDF_TURTLE, "<a:s> <a:p> x:y .", 1, 16, "unknown prefix 'x'"},
        {TR_RDF_TURTLE, "<a:s> <a:p>\n<o> .", 2, 4,
         "the IRI is relative and there is no base"},
        {TR_RDF_TURTLE, "<a:s> <a:p> <a:\\u0022> .", 1, 23,
         "an escape in the IRI is not allowed there"},
        {TR_RDF_TURTLE, "<a:s> <a:p> \"\\uD800\" .", 1, 22,
         "an escape that is no character"},
        {TR_RDF_TURTLE, "<a:s> <a:p> \"\"@en- .", 1, 19,
         "the language tag is not complete"},
        {TR_RDF_TURTLE, "[] .", 1, 4, "expected a predicate after '[]'"},
        {TR_RDF_TURTLE, "<a:g> { <a:s> <a:p> 1 }", 1, 7,
         "Turtle has no graphs; this looks like TriG"},
        {TR_RDF_TURTLE, "@prefixx: <a:> .", 1, 9,
         "expected '@prefix' or '@base'"},
        {TR_RDF_TURTLE, "<a:s> <a:p> '' ^ ^<a:t> .", 1, 17,
         "expected `^', not ` '"},
        {TR_RDF_TURTLE, "<a:s> <a:p> _:x..\n", 1, 18,
         "there is no statement before '.'"},
        {TR_RDF_TRIG, "{ <a:s> <a:p> _:x. . }", 1, 20,
         "there is no statement before '.'"},
        {TR_RDF_TRIG, "<a:g> { [] }", 1, 12, "expected a predicate after '[]'"},
        {TR_RDF_TRIG, "x:g { }", 1, 5,
         "the graph's name has an unknown prefix"},
        {TR_RDF_TRIG, "@prefix x: <a:> . x:g { } # x:\nGRAPH xy:g{}", 2, 11,
         "the graph's name has an unknown prefix"},
        {TR_RDF_TURTLE, "<a:s> <a:p> _:-a .", 1, 15,
         "a blank node without a proper label"},
        {TR_RDF_TURTLE, "<a:s> <a:p> _:", 1, 15,
         "a blank node without a proper label"},
        {TR_RDF_TURTLE, "<a:s> <a:p> _:\xC2\xB7 .", 1, 16,
         "a blank node without a proper label"},
        {TR_RDF_TURTLE, "<a:s> <a:p> [== <a:b> ; a <a:c>] .", 1, 14,
         "unexpected '='"},
        {TR_RDF_TURTLE, "a <a:p> <a:o> .", 1, 14, "expected a prefixed name"},
        {TR_RDF_TURTLE, "<a:s> <a:p> '\xC3\xA4\xFF'", 1, 15,
         "the text is not UTF-8"},
        {TR_RDF_TURTLE, "<a:s> <a:p> 'a\xC3", 1, 15, "the text is not UTF-8"},
        {TR_RDF_TURTLE, "<a:s> <a:p> <a:o> <a:q> .", 1, 19,
         "missing ';' or '.'"},
        {TR_RDF_TURTLE, "<a:s> <a:p> \"\n\" .", 1, 14,
         "line end in short string"},
        {TR_RDF_TURTLE, "<a:s> <a:p> <a:o>", 1, 18, "unexpected end of file"},
        {TR_RDF_TURTLE, "<a:s> <a:p> 'a\\q'", 1, 16, "invalid escape `\\q'"},
    };
    check_bad(rows, TR_LEN(rows));
}

TEST(rdf_reader_refuses_a_nul_outside_strings)
{
    tr_str text = TR_STR("<a:s> <a:p> <a:o> .\n\0 <a:s>");
    struct tr_err err = {0};
    struct tr_rdf_sink sink = {.quad = ignore};
    struct tr_rdf_source source = tr_rdf_source_text(&text, TR_STR(""));
    CHECK_INT(tr_rdf_read(TR_RDF_TURTLE, &source, &sink, &err), TR_E_SYNTAX);
    CHECK(strcmp(err.msg, "the text has a NUL character") == 0);
    CHECK_INT(err.place.offset, 20);
    CHECK_INT(err.place.line, 2);
}

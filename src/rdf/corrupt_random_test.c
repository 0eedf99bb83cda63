/*
 * Documents of each syntax, cut off at every byte and with bytes changed: each
 * is read, or refused with the place where it went wrong.
 */
#include "base/limits.h"
#include "base/test.h"
#include "rdf/reader.h"

static const struct document {
    enum tr_rdf_format format;
    tr_str text;
} documents[] = {
    {TR_RDF_NTRIPLES,
     TR_STR_INIT("# a comment\n<http://e/s> <http://e/p> \"a\\u00e4\\n\"@en-GB "
                 ".\r\n_:b.1 <a:p> \"1\"^^<http://e/t> . # more\n"
                 "<a:s> <a:\\u0070> _:x .\n")},
    {TR_RDF_NQUADS, TR_STR_INIT("<a:s> <a:p> <a:o> <a:g> .\n_:s <a:p> "
                                "\"\xC3\xA4\\\"\\\\\" _:g .\n\n<a:s> <a:p> "
                                "\"x\"@de .\n")},
    {TR_RDF_TURTLE,
     TR_STR_INIT(
         "@prefix e: <http://e/> .\n@base <http://b/> .\nPREFIX : <x#>\n"
         "e:s a e:C ; :p 1, -2.5, 1e3, true ; # comment\n"
         "  e:q 'a', \"b\"@en, '''c\nd'''^^e:t, \"\"\"\\\"e\\u00e4\"\"\" "
         ";\n  e:r ( 1 [ e:x _:b1 ] () ) .\n"
         "[] e:l e:a\\,b%20 . [ e:p e:\xC3\xA4 ] e:q <r> .\n")},
    {TR_RDF_TRIG, TR_STR_INIT("@prefix e: <http://e/> .\ne:g { e:s e:p 'x' . "
                              "_:b e:q ( 1 ) }\nGRAPH <a:g> { [] a e:C }\n"
                              "{ e:s e:p \"y\"@en }\n_:g { }\n")},
};

static tr_status ignore(void *context, const tr_rdf_quad *quad,
                        struct tr_err *err)
{
    (void)context;
    (void)quad;
    (void)err;
    return TR_OK;
}

/* A refusal says what, and where in the text; `what` names the row. */
static tr_status check_read(const struct document *from, tr_str text,
                            const char *what)
{
    struct tr_err err = {0};
    struct tr_rdf_sink sink = {.quad = ignore};
    tr_str rest = text;
    struct tr_rdf_source source = tr_rdf_source_text(&rest, TR_STR("b:"));
    tr_status status = tr_rdf_read(from->format, &source, &sink, &err);
    if (status == TR_OK)
        return status;
    CHECK_ROW(status == TR_E_SYNTAX && err.msg[0], what);
    CHECK_ROW(err.place.line > 0 && err.place.column > 0, what);
    CHECK_ROW(err.place.offset <= text.len, what);
    return status;
}

TEST(documents_that_are_cut_off_are_refused_with_the_place)
{
    for (size_t i = 0; i < TR_LEN(documents); i++) {
        const struct document *document = &documents[i];
        for (size_t len = 0; len < document->text.len; len++)
            (void)check_read(document, (tr_str){document->text.ptr, len},
                             document->text.ptr);
        CHECK_INT(check_read(document, document->text, document->text.ptr),
                  TR_OK);
    }
}

static char random_byte(void)
{
    static const char likely[] = "<>\"'\\_:.;,()[]{}@^# \n\tae1\x80\xFF";
    return tr_test_random_below(2)
               ? likely[tr_test_random_below(sizeof(likely))]
               : (char)tr_test_random_below(256);
}

TEST(documents_with_other_bytes_are_refused_with_the_place)
{
    char text[1024];
    for (size_t n = tr_test_scaled(100000); n > 0; n--) {
        const struct document *from =
            &documents[tr_test_random_below(TR_LEN(documents))];
        size_t len = from->text.len;
        CHECK(len < sizeof(text));
        memcpy(text, from->text.ptr, len);
        for (uint64_t i = 1 + tr_test_random_below(3); i > 0; i--)
            text[tr_test_random_below(len)] = random_byte();
        text[len] = '\0';
        (void)check_read(from, (tr_str){text, len}, text);
    }
}

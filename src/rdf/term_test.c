#include "rdf/term.h"

#include "base/test.h"

TEST(term_is_written_as_ntriples_has_it)
{
    const struct {
        tr_rdf_term term;
        const char *text;
    } rows[] = {
        {{.kind = TR_RDF_TERM_NONE}, ""},
        {tr_rdf_term_iri(TR_STR("http://e/")), "<http://e/>"},
        {tr_rdf_term_blank(TR_STR("b.1")), "_:b.1"},
        {tr_rdf_term_string(TR_STR("")), "\"\""},
        {tr_rdf_term_string(TR_STR("a\"\\\n\r\t\b\f\x01\0'")),
         "\"a\\\"\\\\\\n\\r\\t\\b\\f\\u0001\\u0000'\""},
        {tr_rdf_term_string(TR_STR("\xC3\xA4")), "\"\xC3\xA4\""},
        {tr_rdf_term_lang(TR_STR("x"), TR_STR("en")), "\"x\"@en"},
        {tr_rdf_term_typed(TR_STR("1"), TR_STR("a:b")), "\"1\"^^<a:b>"},
    };
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        char storage[128];
        struct tr_buf out;
        tr_buf_init_fixed(&out, storage, sizeof(storage));
        tr_rdf_term_write(&out, &rows[i].term);
        CHECK_STR(tr_buf_str(&out), rows[i].text);
    }
}

/* In the order in which tr_rdf_term_cmp puts them. */
TEST(term_order_tells_all_terms_apart)
{
    const tr_rdf_term terms[] = {
        {.kind = TR_RDF_TERM_NONE},
        tr_rdf_term_iri(TR_STR("a")),
        tr_rdf_term_iri(TR_STR("b")),
        tr_rdf_term_blank(TR_STR("a")),
        tr_rdf_term_lang(TR_STR("a"), TR_STR("de")),
        tr_rdf_term_lang(TR_STR("a"), TR_STR("en")),
        tr_rdf_term_typed(TR_STR("a"), TR_STR(TR_RDF_IRI_XSD_INTEGER)),
        tr_rdf_term_string(TR_STR("a")),
        tr_rdf_term_string(TR_STR("b")),
    };
    for (size_t i = 0; i < TR_LEN(terms); i++) {
        for (size_t j = 0; j < TR_LEN(terms); j++) {
            int order = tr_rdf_term_cmp(&terms[i], &terms[j]);
            CHECK((order > 0) == (i > j) && (order < 0) == (i < j));
            CHECK(tr_rdf_term_eq(&terms[i], &terms[j]) == (i == j));
        }
    }
}

TEST(a_quoted_literal_says_whether_its_datatype_follows)
{
    const struct {
        tr_rdf_term term;
        const char *text;
        bool follows;
    } rows[] = {
        {tr_rdf_term_string(TR_STR("a\"b")), "\"a\\\"b\"", false},
        {tr_rdf_term_typed(TR_STR("5"), TR_STR(TR_RDF_IRI_XSD_INTEGER)),
         "\"5\"^^", true},
        {tr_rdf_term_lang(TR_STR("ja"), TR_STR("de")), "\"ja\"@de", false},
    };
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        struct tr_buf out;
        tr_buf_init(&out, 64);
        CHECK_ROW(tr_rdf_literal_write_start(&out, &rows[i].term) ==
                      rows[i].follows,
                  rows[i].text);
        CHECK_STR(tr_buf_str(&out), rows[i].text);
        tr_buf_done(&out);
    }
}

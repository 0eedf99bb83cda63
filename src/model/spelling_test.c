#include "base/limits.h"
#include "base/test.h"
#include "model/builder.h"
#include "model/value_term.h"
#include "rdf/xsd.h"

#define XSD(name) TR_RDF_NS_XSD name

/* A literal, and how we spell it; NULL: as it is. */
static const struct {
    const char *datatype;
    const char *text;
    const char *ours;
} rows[] = {
    {XSD("integer"), "1", NULL},
    {XSD("integer"), "-17", NULL},
    {XSD("integer"), "0", NULL},
    {XSD("integer"), "01", "1"},
    {XSD("integer"), "+1", "1"},
    {XSD("integer"), "-0", "0"},
    {XSD("integer"), "-007", "-7"},
    {XSD("integer"), "0123456789012345678901", "123456789012345678901"},
    {XSD("integer"), "", NULL},
    {XSD("integer"), "1.0", NULL},
    {XSD("integer"), " 1", NULL},
    {XSD("integer"), "+", NULL},
    {XSD("double"), "1.0E0", NULL},
    {XSD("double"), "-1.5E-7", NULL},
    {XSD("double"), "0.0E0", NULL},
    {XSD("double"), "NaN", NULL},
    {XSD("double"), "-INF", NULL},
    {XSD("double"), "1.7976931348623157E308", NULL},
    {XSD("double"), "5.0E-324", NULL},
    {XSD("double"), "1e0", "1.0E0"},
    {XSD("double"), "1", "1.0E0"},
    {XSD("double"), "1.0e0", "1.0E0"},
    {XSD("double"), "1.50E0", "1.5E0"},
    {XSD("double"), "15.0E0", "1.5E1"},
    {XSD("double"), "1.0E00", "1.0E0"},
    {XSD("double"), "1.0E+1", "1.0E1"},
    {XSD("double"), "1.0E-0", "1.0E0"},
    {XSD("double"), "+INF", "INF"},
    {XSD("double"), "-0.0E0", "0.0E0"},
    {XSD("double"), "0.1000000000000000055511151231257827", "1.0E-1"},
    {XSD("double"), "1.00000000000000001E0", "1.0E0"},
    {XSD("double"), "1.0E999", "INF"},
    {XSD("double"), "1.0E", NULL},
    {XSD("double"), "1.E1", "1.0E1"},
    {XSD("double"), "one", NULL},
    {XSD("boolean"), "true", NULL},
    {XSD("boolean"), "1", "true"},
    {XSD("boolean"), "0", "false"},
    {XSD("boolean"), "TRUE", NULL},
    {XSD("dateTime"), "2026-01-31T12:00:00Z", NULL},
    {XSD("dateTime"), "2026-01-31T12:00:00+02:00", NULL},
    {XSD("dateTime"), "2026-01-31T12:00:00", NULL},
    {XSD("dateTime"), "2026-01-31T12:00:00.5Z", NULL},
    {XSD("dateTime"), "2026-01-31T12:00:00.000Z", "2026-01-31T12:00:00Z"},
    {XSD("dateTime"), "2026-01-31T12:00:00+00:00", "2026-01-31T12:00:00Z"},
    {XSD("dateTime"), "2026-01-31T12:00:00-00:00", "2026-01-31T12:00:00Z"},
    {XSD("dateTime"), "2026-01-31T12:00:00.50+02:00",
     "2026-01-31T12:00:00.5+02:00"},
    {XSD("dateTime"), "2026-01-31T12:00:00.0", "2026-01-31T12:00:00"},
    {XSD("dateTime"), "2026-12-31T24:00:00Z", "2027-01-01T00:00:00Z"},
    {XSD("dateTime"), "2026-13-31T12:00:00Z", NULL},
    {XSD("dateTime"), "2026-02-30T12:00:00Z", NULL},
    {XSD("dateTime"), "noon", NULL},
    {XSD("decimal"), "1", NULL},
    {XSD("decimal"), "-0.5", NULL},
    {XSD("decimal"), "12.05", NULL},
    {XSD("decimal"), "01", "1"},
    {XSD("decimal"), "12.50", "12.5"},
    {XSD("decimal"), "12.0", "12"},
    {XSD("decimal"), "12.", "12"},
    {XSD("decimal"), ".5", "0.5"},
    {XSD("decimal"), "-0.0", "0"},
    {XSD("decimal"), "00.5", "0.5"},
    {XSD("decimal"), "1e3", NULL},
    {XSD("time"), "12:00:00", NULL},
    {XSD("time"), "12:00:00.50", "12:00:00.5"},
    {XSD("time"), "24:00:00", "00:00:00"},
    {XSD("time"), "12:00:00+00:00", "12:00:00Z"},
    {XSD("time"), "12:00", NULL},
    {XSD("dayTimeDuration"), "PT1H", NULL},
    {XSD("dayTimeDuration"), "PT60M", "PT1H"},
    {XSD("dayTimeDuration"), "-P0D", "PT0S"},
    {XSD("dayTimeDuration"), "P1M", NULL},
    {TR_RDF_IRI_RDF_JSON, "{\"a\":1}", NULL},
    {TR_RDF_IRI_RDF_JSON, "{ \"b\": 1e2, \"a\": 1.0 }", "{\"a\":1,\"b\":100}"},
    {TR_RDF_IRI_RDF_JSON, "{\"a\":1,\"a\":2}", "{\"a\":2}"},
    {TR_RDF_IRI_RDF_JSON, "{", NULL},
    {TR_RDF_IRI_RDF_JSON, "", NULL},
    /* These are nobody's kind, or have one spelling. */
    {XSD("int"), "01", NULL},
    {XSD("duration"), "PT60M", NULL},
    {XSD("date"), "2026-01-31+00:00", NULL},
    {XSD("string"), "01", NULL},
    {"http://e/integer", "01", NULL},
    {"", "01", NULL},
};

static void check_row(size_t i, struct tr_buf *room)
{
    tr_rdf_term term = tr_rdf_term_typed(tr_str_from(rows[i].text),
                                         tr_str_from(rows[i].datatype));
    enum tr_field_kind kind;
    bool differs = tr_model_spells_otherwise(&term, room, &kind);
    CHECK_ROW(differs == (rows[i].ours != NULL), rows[i].text);
    if (differs)
        CHECK_STR(tr_buf_str(room), rows[i].ours);
}

TEST(spelling_is_canonical)
{
    struct tr_buf room;
    tr_buf_init(&room, TR_KIB(4));
    for (size_t i = 0; i < TR_LEN(rows); i++)
        check_row(i, &room);
    tr_buf_done(&room);
}

/* The look at the bytes, which spares most literals the parser, must not let
 * anything pass that the parser would have changed. */
TEST(spelling_agrees_with_the_parser_on_random_texts)
{
    static const char letters[] = "0011259.-+EeTZ:";
    static const char *const datatypes[] = {XSD("integer"), XSD("double"),
                                            XSD("boolean"), XSD("dateTime")};
    static const char time[] = "2026-01-01T00:00:00Z";
    struct tr_buf room;
    struct tr_buf full;
    tr_buf_init(&room, TR_KIB(4));
    tr_buf_init(&full, TR_KIB(4));
    for (size_t n = tr_test_scaled(1000000); n > 0; n--) {
        const char *datatype = datatypes[tr_test_random_below(4)];
        char text[sizeof(time)] = "";
        size_t len = 1 + tr_test_random_below(8);
        if (datatype == datatypes[3]) {
            len = sizeof(time) - 1;
            memcpy(text, time, len);
        }
        for (size_t i = 0; datatype != datatypes[3] && i < len; i++)
            text[i] = letters[tr_test_random_below(sizeof(letters) - 1)];
        for (size_t i = tr_test_random_below(4); i > 0 && len; i--)
            text[tr_test_random_below(len)] =
                letters[tr_test_random_below(sizeof(letters) - 1)];
        tr_rdf_term term =
            tr_rdf_term_typed((tr_str){text, len}, tr_str_from(datatype));
        enum tr_field_kind kind;
        tr_rdf_xsd_value value;
        tr_buf_clear(&full);
        if (tr_rdf_xsd_parse(&term, &value))
            tr_rdf_xsd_write_canonical(&full, &value);
        else
            tr_buf_put(&full, term.text);
        CHECK(full.ptr != NULL);
        if (datatype == datatypes[1] &&
            tr_str_eq(tr_buf_str(&full), TR_STR("-0.0E0"))) {
            tr_buf_clear(&full);
            tr_buf_put(&full, TR_STR("0.0E0"));
            CHECK(full.ptr != NULL);
        }
        bool differs = tr_model_spells_otherwise(&term, &room, &kind);
        tr_str ours = differs ? tr_buf_str(&room) : term.text;
        CHECK_ROW(tr_str_eq(ours, tr_buf_str(&full)), text);
    }
    tr_buf_done(&room);
    tr_buf_done(&full);
}

static const struct tr_model *make_model(void)
{
    static const struct tr_field a[] = {{.name = TR_STR_INIT("n"),
                                         .kind = TR_FIELD_INTEGER,
                                         .iri = TR_STR_INIT("http://e/n")}};
    static const struct tr_field b[] = {
        {.name = TR_STR_INIT("n"),
         .kind = TR_FIELD_BOOLEAN,
         .iri = TR_STR_INIT("http://e/n")},
        {.name = TR_STR_INIT("t"), .iri = TR_STR_INIT("http://e/t")}};
    static const struct tr_model_type_draft drafts[] = {
        {.shape = {.name = TR_STR_INIT("A"), .fields = a, .count = 1}},
        {.shape = {.name = TR_STR_INIT("B"), .fields = b, .count = 2}},
    };
    struct tr_model_builder *builder = NULL;
    const struct tr_model *model = NULL;
    struct tr_err err = {0};
    CHECK_OK(tr_model_builder_create(TR_STR("x"), &builder, &err), &err);
    for (size_t i = 0; i < TR_LEN(drafts); i++)
        CHECK_OK(tr_model_builder_add_type(builder, &drafts[i], &err), &err);
    CHECK_OK(tr_model_build(builder, &model, &err), &err);
    tr_model_builder_free(builder);
    return model;
}

static bool is_changed(const struct tr_model *model, const char *predicate,
                       const char *text, const char *datatype)
{
    tr_rdf_term object =
        tr_rdf_term_typed(tr_str_from(text), tr_str_from(datatype));
    struct tr_err err = {0};
    struct tr_buf room;
    bool changed;
    tr_buf_init(&room, TR_KIB(4));
    CHECK_OK(tr_model_spell(model, tr_str_from(predicate), &object, &room,
                            &changed, &err),
             &err);
    CHECK_ROW(changed != tr_str_eq(object.text, tr_str_from(text)), text);
    tr_buf_done(&room);
    return changed;
}

/* Types may have one predicate with several kinds: each is spelt as its own. */
TEST(spelling_is_of_what_is_declared)
{
    const struct tr_model *model = make_model();
    CHECK(is_changed(model, "http://e/n", "01", XSD("integer")));
    CHECK(is_changed(model, "http://e/n", "1", XSD("boolean")));
    CHECK(!is_changed(model, "http://e/n", "1e0", XSD("double")));
    CHECK(!is_changed(model, "http://e/t", "01", XSD("integer")));
    CHECK(!is_changed(model, "http://e/m", "01", XSD("integer")));
    CHECK(!is_changed(NULL, "http://e/n", "01", XSD("integer")));
    tr_model_free(model);
}

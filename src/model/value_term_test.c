#include "model/value_term.h"

#include "base/limits.h"
#include "base/test.h"
#include "json/build.h"
#include "json/reader.h"
#include "json/writer.h"

static const struct tr_json *read_json(struct tr_arena *arena, const char *text)
{
    struct tr_err err = {0};
    const struct tr_json *root = NULL;
    CHECK_OK(tr_json_read(arena, tr_str_from(text), NULL, &root, &err), &err);
    return root;
}

static const struct row {
    enum tr_field_kind kind;
    const char *json;
    const char *text;
    const char *back; /* NULL: as it was given */
} rows[] = {
    {TR_FIELD_TEXT, "\"\"", "", NULL},
    {TR_FIELD_TEXT, "\"a\\nb\"", "a\nb", NULL},
    {TR_FIELD_INTEGER, "5", "5", NULL},
    {TR_FIELD_INTEGER, "-0", "0", "0"},
    {TR_FIELD_INTEGER, "5.0", "5", "5"},
    {TR_FIELD_INTEGER, "12e2", "1200", "1200"},
    {TR_FIELD_INTEGER, "-123456789012345678901234567890",
     "-123456789012345678901234567890", NULL},
    {TR_FIELD_NUMBER, "1", "1.0E0", NULL},
    {TR_FIELD_NUMBER, "1.50", "1.5E0", "1.5"},
    {TR_FIELD_NUMBER, "-0.0", "0.0E0", "0"},
    {TR_FIELD_NUMBER, "1e400000", NULL, NULL},
    {TR_FIELD_BOOLEAN, "true", "true", NULL},
    {TR_FIELD_BOOLEAN, "false", "false", NULL},
    {TR_FIELD_DATETIME, "\"2026-07-28t12:00:00z\"", "2026-07-28T12:00:00Z",
     "\"2026-07-28T12:00:00Z\""},
    {TR_FIELD_DATETIME, "\"2026-07-28T12:00:00.500+00:00\"",
     "2026-07-28T12:00:00.5Z", "\"2026-07-28T12:00:00.5Z\""},
    {TR_FIELD_DATETIME, "\"2026-07-28T12:00:00+02:00\"",
     "2026-07-28T12:00:00+02:00", NULL},
    {TR_FIELD_REF, "\"http://a/b\"", "http://a/b", NULL},
    {TR_FIELD_TEXT, "5", NULL, NULL},
    {TR_FIELD_TEXT, "null", NULL, NULL},
    {TR_FIELD_INTEGER, "5.5", NULL, NULL},
    {TR_FIELD_INTEGER, "\"5\"", NULL, NULL},
    {TR_FIELD_INTEGER, "null", NULL, NULL},
    {TR_FIELD_INTEGER, "1e999999999", NULL, NULL},
    {TR_FIELD_NUMBER, "\"1\"", NULL, NULL},
    {TR_FIELD_BOOLEAN, "1", NULL, NULL},
    {TR_FIELD_DATETIME, "\"2016-12-31T23:59:60Z\"", NULL, NULL},
    {TR_FIELD_DATETIME, "\"2026-07-28T12:00:00+15:00\"", NULL, NULL},
    {TR_FIELD_DATETIME, "\"2026-07-28T12:00:00\"", NULL, NULL},
    {TR_FIELD_DATETIME, "\"2026-07-28\"", NULL, NULL},
    {TR_FIELD_DATETIME, "5", NULL, NULL},
    {TR_FIELD_REF, "\"a b\"", NULL, NULL},
    {TR_FIELD_REF, "\"name\"", NULL, NULL},
    {TR_FIELD_REF, "{\"id\":\"http://a/b\"}", NULL, NULL},
};

static void check_json(const struct tr_json *value, const char *expected)
{
    struct tr_buf text;
    struct tr_json_writer w;
    tr_buf_init(&text, TR_KIB(64));
    tr_jw_init(&w, &text);
    tr_jw_value(&w, value);
    CHECK_STR(tr_buf_str(&text), expected);
    tr_buf_done(&text);
}

static void check_row(const struct row *row, struct tr_arena *arena)
{
    struct tr_field field = {.name = TR_STR("size"), .kind = row->kind};
    struct tr_err err = {0};
    struct tr_json back;
    tr_rdf_term term = {0};
    tr_status status = tr_model_value_to_term(
        &field, read_json(arena, row->json), arena, &term, &err);
    if (!row->text) {
        CHECK_ROW(status == TR_E_VALIDATION, row->json);
        CHECK_STR(tr_str_from(err.at), "size");
        CHECK_ROW(strncmp(err.msg, "size: must be ", 14) == 0, err.msg);
        return;
    }
    CHECK_OK(status, &err);
    CHECK_STR(term.text, row->text);
    CHECK(term.kind ==
          (row->kind == TR_FIELD_REF ? TR_RDF_TERM_IRI : TR_RDF_TERM_LITERAL));
    CHECK(tr_str_eq(term.datatype, tr_model_kind_datatype(row->kind)));
    CHECK_OK(tr_model_value_from_term(&field, &term, arena, &back, &err), &err);
    check_json(&back, row->back ? row->back : row->json);
}

TEST(value_term_has_one_form_for_each_value_of_a_kind)
{
    struct tr_arena arena;
    tr_arena_init(&arena, TR_MIB(1));
    for (size_t i = 0; i < TR_LEN(rows); i++)
        check_row(&rows[i], &arena);
    tr_arena_done(&arena);
}

#define TYPED(text, type) tr_rdf_term_typed(TR_STR(text), TR_STR(type))

TEST(value_term_shows_what_fits_no_field_as_it_is)
{
    struct tr_field text_field = {.kind = TR_FIELD_TEXT};
    struct tr_field ref_field = {.kind = TR_FIELD_REF};
    const struct {
        const struct tr_field *field;
        tr_rdf_term term;
        const char *json;
    } cases[] = {
        {NULL, tr_rdf_term_iri(TR_STR("http://a/b")),
         "{\"id\":\"http://a/b\"}"},
        {&text_field, tr_rdf_term_iri(TR_STR("a:b")), "{\"id\":\"a:b\"}"},
        {&text_field, TYPED("05", TR_RDF_IRI_XSD_INTEGER), "5"},
        {&ref_field, tr_rdf_term_string(TR_STR("x")), "\"x\""},
        {NULL, TYPED("+5", TR_RDF_IRI_XSD_INTEGER), "5"},
        {NULL, TYPED("1", TR_RDF_IRI_XSD_BOOLEAN), "true"},
        {NULL, TYPED("1e3", TR_RDF_IRI_XSD_DOUBLE), "1000"},
        {NULL, TYPED("INF", TR_RDF_IRI_XSD_DOUBLE),
         "{\"value\":\"INF\",\"type\":\"" TR_RDF_IRI_XSD_DOUBLE "\"}"},
        {NULL, TYPED("five", TR_RDF_IRI_XSD_INTEGER),
         "{\"value\":\"five\",\"type\":\"" TR_RDF_IRI_XSD_INTEGER "\"}"},
        {NULL, TYPED("2026-07-28T12:00:00Z", TR_RDF_IRI_XSD_DATE_TIME),
         "{\"value\":\"2026-07-28T12:00:00Z\",\"type\":"
         "\"" TR_RDF_IRI_XSD_DATE_TIME "\"}"},
        {&text_field, tr_rdf_term_lang(TR_STR("hut"), TR_STR("de")),
         "{\"value\":\"hut\",\"language\":\"de\"}"},
    };
    struct tr_arena arena;
    struct tr_err err = {0};
    tr_arena_init(&arena, TR_MIB(1));
    for (size_t i = 0; i < TR_LEN(cases); i++) {
        struct tr_json out;
        CHECK_OK(tr_model_value_from_term(cases[i].field, &cases[i].term,
                                          &arena, &out, &err),
                 &err);
        check_json(&out, cases[i].json);
    }
    tr_arena_done(&arena);
}

static tr_status turn(void *context, struct tr_err *err)
{
    struct tr_field field = {.name = TR_STR("at"), .kind = TR_FIELD_DATETIME};
    struct tr_json value =
        tr_json_make_text(TR_JSON_STRING, TR_STR("2026-07-28T12:00:00.5Z"));
    struct tr_arena arena;
    struct tr_json back;
    tr_rdf_term term;
    (void)context;
    tr_arena_init(&arena, TR_KIB(64));
    tr_status status =
        tr_model_value_to_term(&field, &value, &arena, &term, err);
    if (status == TR_OK)
        status = tr_model_value_from_term(NULL, &term, &arena, &back, err);
    tr_arena_done(&arena);
    return status;
}

TEST(value_term_says_so_when_there_is_no_memory)
{
    tr_test_sweep(turn, NULL);
}

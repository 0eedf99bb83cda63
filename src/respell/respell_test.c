#include "respell/respell.h"

#include "base/test.h"
#include "graph/upkeep.h"
#include "model/builder.h"
#include "support/store.h"

#define PREFIXES                                                               \
    "@prefix e: <http://e/> . @prefix xsd: "                                   \
    "<http://www.w3.org/2001/XMLSchema#> .\n"

#define QUADS "SELECT count(*) FROM spo"
#define SPELT "SELECT count(*) FROM spelt"

/* Quads that are in one of the two tables of literals and not in the other. */
#define STRAY                                                                  \
    "SELECT (SELECT count(*) FROM pos) + (SELECT count(*) FROM ops)"           \
    " - (SELECT count(*) FROM spo)"                                            \
    " + (SELECT count(*) FROM (SELECT s, p, o, g FROM pos EXCEPT"              \
    " SELECT s, p, o, g FROM spo))"

/* A type Thing with the first of its fields. */
static const struct tr_model *make_model(size_t fields, bool is_unique)
{
    struct tr_field all[] = {
        {.name = TR_STR("n"),
         .kind = TR_FIELD_INTEGER,
         .iri = TR_STR("http://e/n"),
         .optional = true,
         .many = !is_unique,
         .unique = is_unique},
        {.name = TR_STR("at"),
         .kind = TR_FIELD_DATETIME,
         .iri = TR_STR("http://e/at"),
         .optional = true},
    };
    struct tr_model_type_draft draft = {
        .shape = {.name = TR_STR("Thing"),
                  .iri = TR_STR("http://e/Thing"),
                  .fields = all,
                  .count = fields}};
    struct tr_model_builder *builder = NULL;
    const struct tr_model *model = NULL;
    struct tr_err err = {0};
    CHECK_OK(tr_model_builder_create(TR_STR("x"), &builder, &err), &err);
    CHECK_OK(tr_model_builder_add_type(builder, &draft, &err), &err);
    CHECK_OK(tr_model_build(builder, &model, &err), &err);
    tr_model_builder_free(builder);
    return model;
}

static struct tr_respell_done respell(struct store *store,
                                      const struct tr_model *model)
{
    struct tr_respell_done out;
    struct tr_err err = {0};
    struct tr_db *db = NULL;
    CHECK_OK(tr_db_open(store->path, NULL, &db, &err), &err);
    CHECK_OK(tr_respell_store(db, model, &out, &err), &err);
    tr_db_close(db);
    return out;
}

static void load(struct store *store, const struct tr_model *model,
                 const char *text)
{
    struct tr_err err = {0};
    CHECK_OK(store_load(store, model, text, 0, &err), &err);
}

/* How many quads have this predicate and this text as their object. */
static int64_t count(struct store *store, const char *predicate,
                     const char *text, const char *datatype)
{
    struct tr_err err = {0};
    tr_rdf_term term = tr_rdf_term_typed(
        tr_str_from(text),
        tr_str_from(datatype ? datatype : TR_RDF_IRI_XSD_INTEGER));
    tr_rdf_ids pattern = {TR_RDF_ID_ANY, store_id(store, predicate), 0,
                          TR_RDF_ID_ANY};
    struct tr_rdf_cursor cursor;
    tr_rdf_ids row;
    int64_t found = 0;
    CHECK_OK(tr_graph_reader_begin(store->reader, &err), &err);
    CHECK_OK(
        tr_rdf_graph_find(&store->reader->stored.base, &term, &pattern.o, &err),
        &err);
    tr_rdf_graph_match(&store->reader->stored.base, pattern, &cursor);
    while (pattern.o != TR_RDF_ID_NONE && tr_rdf_cursor_next(&cursor, &row))
        found++;
    CHECK_OK(tr_rdf_cursor_close(&cursor, &err), &err);
    tr_graph_reader_end(store->reader);
    return found;
}

TEST(respell_gives_each_value_of_a_declared_field_one_spelling)
{
    const struct tr_model *model = make_model(2, false);
    struct store store;
    store_open(&store);
    load(&store, NULL,
         PREFIXES "e:a a e:Thing ; e:n 01 , 1 , +2 ; e:at "
                  "\"2026-01-01T00:00:00.000Z\"^^xsd:dateTime .\n"
                  "e:b a e:Thing ; e:n 001 ; e:m 01 .\n"
                  "e:g { e:a e:n 01 . e:c e:n 1.0 , \"x\"^^xsd:integer . }");
    int64_t quads = store_number(&store, QUADS, 0);
    CHECK_INT(respell(&store, model).values, 5);
    /* e:a has 01 and 1 in one graph: they are one value. */
    CHECK_INT(store_number(&store, QUADS, 0), quads - 1);
    CHECK_INT(store_number(&store, STRAY, 0), 0);
    CHECK_INT(count(&store, "http://e/n", "1", NULL), 3);
    CHECK_INT(count(&store, "http://e/n", "01", NULL), 0);
    CHECK_INT(count(&store, "http://e/n", "2", NULL), 1);
    CHECK_INT(count(&store, "http://e/at", "2026-01-01T00:00:00Z",
                    TR_RDF_IRI_XSD_DATE_TIME),
              1);
    /* Not declared, of another datatype, without a value: as they were. */
    CHECK_INT(count(&store, "http://e/m", "01", NULL), 1);
    CHECK_INT(count(&store, "http://e/n", "1.0", TR_RDF_NS_XSD "decimal"), 1);
    CHECK_INT(count(&store, "http://e/n", "x", NULL), 1);
    CHECK_INT(respell(&store, model).values, 0);
    store_close(&store);
    tr_model_free(model);
}

TEST(respell_is_done_again_for_what_was_not_declared_meanwhile)
{
    const struct tr_model *one = make_model(1, false);
    const struct tr_model *both = make_model(2, false);
    const struct tr_model *none = make_model(0, false);
    struct store store;
    store_open(&store);
    CHECK_INT(respell(&store, one).values, 0);
    CHECK_INT(store_number(&store, SPELT, 0), 1);
    load(&store, NULL,
         PREFIXES "e:a e:at \"2026-01-01T00:00:00+00:00\"^^xsd:dateTime .");
    CHECK_INT(respell(&store, both).values, 1);
    CHECK_INT(store_number(&store, SPELT, 0), 2);
    CHECK_INT(respell(&store, none).values, 0);
    CHECK_INT(store_number(&store, SPELT, 0), 0);
    load(&store, none, PREFIXES "e:a e:n 07 .");
    CHECK_INT(respell(&store, both).values, 1);
    store_close(&store);
    tr_model_free(one);
    tr_model_free(both);
    tr_model_free(none);
}

TEST(respell_is_due_until_it_is_done)
{
    const struct tr_model *model = make_model(2, false);
    struct store store;
    struct tr_err err = {0};
    bool due = false;
    store_open(&store);
    CHECK_OK(tr_respell_is_due(store.reader->db, model, &due, &err), &err);
    CHECK(due);
    (void)respell(&store, model);
    CHECK_OK(tr_respell_is_due(store.reader->db, model, &due, &err), &err);
    CHECK(!due);
    store_close(&store);
    tr_model_free(model);
}

TEST(respell_tells_of_unique_values_that_turn_out_to_be_equal)
{
    const struct tr_model *model = make_model(1, true);
    struct store store;
    store_open(&store);
    load(&store, NULL,
         PREFIXES "e:a a e:Thing ; e:n 1 . e:b a e:Thing ; e:n 01 .");
    struct tr_respell_done out = respell(&store, model);
    CHECK_INT(out.values, 1);
    CHECK_STR(tr_str_from(out.clash),
              "<http://e/a> and <http://e/b> have the same 'n'");
    CHECK_INT(count(&store, "http://e/n", "1", NULL), 2);
    store_close(&store);
    tr_model_free(model);
}

TEST(respell_of_a_store_that_cannot_be_written_leaves_it)
{
    const struct tr_model *model = make_model(1, false);
    static const struct tr_db_opts reading = {.read_only = true};
    struct tr_respell_done out;
    struct tr_db *db = NULL;
    struct tr_err err = {0};
    struct store store;
    store_open(&store);
    load(&store, NULL, PREFIXES "e:a e:n 01 .");
    CHECK_OK(tr_db_open(store.path, &reading, &db, &err), &err);
    CHECK(tr_respell_store(db, model, &out, &err) != TR_OK);
    tr_db_close(db);
    CHECK_INT(out.values, 0);
    CHECK_INT(count(&store, "http://e/n", "01", NULL), 1);
    store_close(&store);
    tr_model_free(model);
}

struct sweep {
    struct store *store;
    const struct tr_model *model;
    struct tr_db *db; /* has the store as it was, in tables of its own */
};

static tr_status respell_once(void *context, struct tr_err *err)
{
    static const char undo[] =
        "DELETE FROM spelt; DELETE FROM spo; DELETE FROM pos;"
        "INSERT INTO spo SELECT * FROM old_spo;"
        "INSERT INTO pos SELECT * FROM old_pos;";
    const struct sweep *sweep = context;
    struct tr_respell_done out;
    TR_TRY(tr_db_exec(sweep->db, undo, err));
    struct tr_db *db = NULL; /* a new one: it has prepared nothing yet */
    TR_TRY(tr_db_open(sweep->store->path, NULL, &db, err));
    tr_status status = tr_respell_store(db, sweep->model, &out, err);
    tr_db_close(db);
    return status;
}

TEST(respell_survives_each_allocation_that_fails)
{
    const struct tr_model *model = make_model(2, true);
    struct store store;
    struct sweep sweep = {&store, model, NULL};
    struct tr_err err = {0};
    store_open(&store);
    load(&store, NULL,
         PREFIXES "e:a a e:Thing ; e:n 1 . e:b a e:Thing ; e:n 01 .");
    CHECK_OK(tr_db_open(store.path, NULL, &sweep.db, &err), &err);
    CHECK_OK(tr_db_exec(sweep.db,
                        "CREATE TEMP TABLE old_spo AS SELECT * FROM spo;"
                        "CREATE TEMP TABLE old_pos AS SELECT * FROM pos;",
                        &err),
             &err);
    tr_test_sweep(respell_once, &sweep);
    CHECK_OK(respell_once(&sweep, &err), &err);
    tr_db_close(sweep.db);
    CHECK_INT(count(&store, "http://e/n", "1", NULL), 2);
    CHECK_INT(store_number(&store, STRAY, 0), 0);
    store_close(&store);
    tr_model_free(model);
}

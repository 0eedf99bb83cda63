#include "base/test.h"
#include "fields/error.h"
#include "graph/load.h"
#include "json/build.h"
#include "model/builder.h"
#include "model/model.h"
#include "support/store.h"

#define PREFIXES                                                               \
    "@prefix t: <trails://team/> . @prefix e: <http://e/> .\n"                 \
    "@prefix f: <trails://team/Paper#> .\n"                                    \
    "@prefix p: <trails://team/Part#> .\n"                                     \
    "@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .\n"

#define QUADS "SELECT count(*) FROM spo"

/* A schema that asks for an object: what reads real ones is above this. */
static tr_status compile(struct tr_arena *arena,
                         struct tr_field_patterns *patterns,
                         const struct tr_json *schema, const void **out,
                         struct tr_err *err)
{
    (void)arena;
    (void)patterns;
    (void)err;
    *out = schema;
    return TR_OK;
}

static tr_status check(const void *compiled, tr_str name,
                       const struct tr_json *value, struct tr_arena *arena,
                       struct tr_field_errors *errors, struct tr_err *err)
{
    const struct tr_field_error error = {
        .field = name, .code = TR_STR("type"), .value = *value};
    (void)compiled;
    if (value->kind == TR_JSON_OBJECT)
        return TR_OK;
    if (!tr_field_errors_say(arena, errors, &error, "must be an object", NULL))
        return tr_fail(err, TR_E_NOMEM, "no memory");
    return tr_field_errors_verdict(errors, err);
}

static const struct tr_model *make_model(void)
{
    static const struct tr_field_schema_ops ops = {compile, check};
    static const struct tr_json schema = {.kind = TR_JSON_OBJECT};
    static const struct tr_json state = {
        .kind = TR_JSON_STRING, .len = 5, .as.text = "draft"};
    static const struct tr_json price = {
        .kind = TR_JSON_STRING, .len = 4, .as.text = "1.50"};
    static struct tr_json tags = {
        .kind = TR_JSON_ARRAY, .len = 1, .as.items = NULL};
#define DOCUMENT                                                               \
    .kind = TR_FIELD_JSON, .optional = true, .schema = &schema,                \
    .schema_ops = &ops
    static const struct tr_field part[] = {
        {.name = TR_STR_INIT("info"), DOCUMENT}};
    static const struct tr_shape part_shape = {
        .name = TR_STR_INIT("Part"), .fields = part, .count = 1};
    static const struct tr_field fields[] = {
        {.name = TR_STR_INIT("state"), .default_to = &state},
        {.name = TR_STR_INIT("price"),
         .kind = TR_FIELD_DECIMAL,
         .default_to = &price},
        {.name = TR_STR_INIT("tags"), .many = true, .default_to = &tags},
        {.name = TR_STR_INIT("more"), DOCUMENT},
        {.name = TR_STR_INIT("list"), .list = true, DOCUMENT},
        {.name = TR_STR_INIT("part"),
         .kind = TR_FIELD_OBJECT,
         .object = &part_shape,
         .optional = true},
    };
    static const struct tr_model_type_draft draft = {
        .shape = {.name = TR_STR_INIT("Paper"),
                  .fields = fields,
                  .count = TR_LEN(fields)}};
    struct tr_model_builder *builder = NULL;
    const struct tr_model *model = NULL;
    struct tr_err err = {0};
    static struct tr_json items[1];
    items[0] = state;
    tags.as.items = items;
    CHECK_OK(tr_model_builder_create(TR_STR("team"), &builder, &err), &err);
    CHECK_OK(tr_model_builder_add_type(builder, &draft, &err), &err);
    CHECK_OK(tr_model_build(builder, &model, &err), &err);
    tr_model_builder_free(builder);
    return model;
}

static const size_t batches[] = {0, 1, 2, 3};

/* Values of a node's predicate that are this text. */
static int64_t count_values(struct store *store, const char *node,
                            const char *field)
{
    char sql[160];
    (void)snprintf(sql, sizeof(sql),
                   "SELECT count(*) FROM spo WHERE s = %lld AND p = ?1",
                   (long long)store_id(store, node));
    return store_number(store, sql, (int64_t)store_id(store, field));
}

TEST(import_fills_in_the_defaults_of_new_nodes)
{
    static const char first[] =
        PREFIXES "e:a a t:Paper ; f:state \"final\" .\n"
                 "e:g { e:b a t:Paper ; f:price 2.5 . }\n"
                 "e:c e:note \"of no type\" .\n";
    const struct tr_model *model = make_model();
    for (size_t i = 0; i < TR_LEN(batches); i++) {
        struct store store;
        struct tr_err err = {0};
        store_open(&store);
        CHECK_OK(store_load(&store, model, first, batches[i], &err), &err);
        /* Five that were read, and of a: price, tags; of b: state, tags. */
        CHECK_INT(store_number(&store, QUADS, 0), 9);
        CHECK_INT(
            count_values(&store, "http://e/a", "trails://team/Paper#state"), 1);
        CHECK_INT(
            count_values(&store, "http://e/b", "trails://team/Paper#state"), 1);
        CHECK_INT(
            count_values(&store, "http://e/b", "trails://team/Paper#price"), 1);
        /* A value stands in the graph that says what the node is. */
        CHECK_INT(store_number(&store, QUADS " WHERE g = ?1",
                               (int64_t)store_id(&store, "http://e/g")),
                  4);
        store_close(&store);
    }
    tr_model_free(model);
}

/* What somebody has removed does not come back. */
TEST(import_leaves_nodes_that_are_there_as_they_are)
{
    const struct tr_model *model = make_model();
    for (size_t i = 0; i < TR_LEN(batches); i++) {
        struct store store;
        struct tr_err err = {0};
        store_open(&store);
        CHECK_OK(store_load(&store, NULL, PREFIXES "e:a a t:Paper .", 0, &err),
                 &err);
        CHECK_OK(store_load(&store, model,
                            PREFIXES
                            "e:a a t:Paper ; f:more \"{}\"^^rdf:JSON .",
                            batches[i], &err),
                 &err);
        CHECK_INT(store_number(&store, QUADS, 0), 2);
        CHECK_OK(store_load(&store, model, PREFIXES "e:n a t:Paper .",
                            batches[i], &err),
                 &err);
        CHECK_INT(store_number(&store, QUADS, 0), 6);
        CHECK_OK(store_load(&store, model, PREFIXES "e:n a t:Paper .",
                            batches[i], &err),
                 &err);
        CHECK_INT(store_number(&store, QUADS, 0), 6);
        store_close(&store);
    }
    tr_model_free(model);
}

TEST(import_holds_documents_against_their_schema)
{
    static const struct {
        const char *text;
        const char *says;
    } rows[] = {
        {"e:a a t:Paper ; f:more \"{}\"^^rdf:JSON .", NULL},
        {"e:a a t:Paper ; f:more \"{ \\\"a\\\": 1.0 }\"^^rdf:JSON .", NULL},
        {"e:a a t:Paper ; f:more \"1\"^^rdf:JSON .",
         "<http://e/a>: more must be an object"},
        {"e:a a t:Paper ; f:more \"null\"^^rdf:JSON .",
         "<http://e/a>: more must be a JSON value"},
        {"e:a a t:Paper ; f:more \"{\"^^rdf:JSON .",
         "<http://e/a>: a document is no JSON"},
        {"e:a a t:Paper ; f:more \"\"^^rdf:JSON .",
         "<http://e/a>: a document is no JSON"},
        {"e:a a t:Paper ; f:list ( \"{}\"^^rdf:JSON \"{}\"^^rdf:JSON ) .",
         NULL},
        {"e:a a t:Paper ; f:list ( \"{}\"^^rdf:JSON \"1\"^^rdf:JSON ) .",
         "<http://e/a>: list must be an object"},
        {"e:a a t:Paper ; f:part <http://e/a#part> . <http://e/a#part> "
         "p:info \"{}\"^^rdf:JSON .",
         NULL},
        {"e:a a t:Paper ; f:part <http://e/a#part> . <http://e/a#part> "
         "p:info \"1\"^^rdf:JSON .",
         "<http://e/a#part>: info must be an object"},
        {"e:a a t:Paper ; f:more \"{}\" .",
         "the data does not conform: 1 result"},
    };
    const struct tr_model *model = make_model();
    for (size_t i = 0; i < TR_LEN(rows) * 2; i++) {
        struct store store;
        struct tr_err err = {0};
        char text[512];
        (void)snprintf(text, sizeof(text), PREFIXES "%s", rows[i / 2].text);
        store_open(&store);
        tr_status status = store_load(&store, model, text, i % 2, &err);
        CHECK_ROW((status == TR_OK) == !rows[i / 2].says, rows[i / 2].text);
        if (rows[i / 2].says) {
            CHECK_STR(tr_str_from(err.msg), rows[i / 2].says);
            CHECK_INT(store_number(&store, QUADS, 0), 0);
        }
        store_close(&store);
    }
    tr_model_free(model);
}

struct sweep {
    struct store *store;
    const struct tr_model *model;
    size_t max_batch;
};

/* Nothing lands, so that each round finds the same store. */
static tr_status load_and_leave(void *context, struct tr_err *err)
{
    const struct sweep *sweep = context;
    tr_status status = store_load(
        sweep->store, sweep->model,
        PREFIXES "e:a a t:Paper ; f:more \"{}\"^^rdf:JSON ; f:state 1 ; "
                 "f:list ( \"{}\"^^rdf:JSON ) ; f:part <http://e/a#part> .\n"
                 "<http://e/a#part> p:info \"{}\"^^rdf:JSON .",
        sweep->max_batch, err);
    return status == TR_E_VALIDATION ? TR_OK : status;
}

TEST(import_of_defaults_survives_every_allocation_that_fails)
{
    struct store store;
    struct sweep sweep = {&store, make_model(), 0};
    store_open(&store);
    tr_test_sweep(load_and_leave, &sweep);
    sweep.max_batch = 2;
    tr_test_sweep(load_and_leave, &sweep);
    store_close(&store);
    tr_model_free(sweep.model);
}

#include "graph/load.h"

#include "base/test.h"
#include "model/model.h"
#include "rdf/reader.h"
#include "support/store.h"

#define PREFIXES                                                               \
    "@prefix t: <trails://team/> . @prefix e: <http://e/> .\n"                 \
    "@prefix thing: <trails://team/Thing#> .\n"                                \
    "@prefix task: <trails://team/Task#> .\n"

#define NODES   "SELECT count(*) FROM node WHERE version > 0"
#define QUADS   "SELECT value FROM meta WHERE key = 3"
#define VERSION "SELECT version FROM node WHERE s = ?1"
#define COUNT   "SELECT count FROM type_count WHERE type = ?1"
#define FOUND   "SELECT count(*) FROM search WHERE search MATCH 'broom'"
#define FEED    "SELECT count(*) FROM change"

static const char two[] =
    PREFIXES "e:a a t:Thing ; thing:title \"A broom\" .\n"
             "e:b a t:Thing , t:Task ; thing:title \"Sweep\" ; "
             "task:code \"1\" .\n";

/* Each way through: all in memory, and in many batches. */
static const size_t batches[] = {0, 1, 3};

TEST(load_lands_quads_rows_counts_search_and_feed)
{
    const struct tr_model *model = store_model();
    for (size_t i = 0; i < TR_LEN(batches); i++) {
        struct store store;
        struct tr_err err = {0};
        store_open(&store);
        CHECK_OK(store_load(&store, model, two, batches[i], &err), &err);
        CHECK_INT(store_number(&store, QUADS, 0), 6);
        CHECK_INT(store_number(&store, NODES, 0), 2);
        tr_rdf_id b = store_id(&store, "http://e/b");
        tr_rdf_id task = store_id(&store, "trails://team/Task");
        tr_rdf_id thing = store_id(&store, "trails://team/Thing");
        CHECK_INT(store_number(&store, "SELECT type FROM node WHERE s = ?1",
                               (int64_t)b),
                  task);
        CHECK_INT(store_number(&store,
                               "SELECT label = 'Sweep' FROM node WHERE s = ?1",
                               (int64_t)b),
                  1);
        CHECK_INT(store_number(&store, VERSION, (int64_t)b), 1);
        CHECK_INT(store_number(&store, COUNT, (int64_t)thing), 2);
        CHECK_INT(store_number(&store, COUNT, (int64_t)task), 1);
        CHECK_INT(store_number(&store, FOUND, 0), 1);
        CHECK_INT(store_number(&store, FEED " WHERE kind = 1", 0), 2);
        store_close(&store);
    }
    tr_model_free(model);
}

TEST(load_of_what_is_there_changes_nothing)
{
    const struct tr_model *model = store_model();
    struct store store;
    struct tr_err err = {0};
    store_open(&store);
    CHECK_OK(store_load(&store, model, two, 0, &err), &err);
    CHECK_OK(store_load(&store, model, two, 0, &err), &err);
    CHECK_OK(store_load(&store, model, two, 1, &err), &err);
    CHECK_INT(store_number(&store, QUADS, 0), 6);
    CHECK_INT(store_number(&store, FEED, 0), 2);
    tr_rdf_id a = store_id(&store, "http://e/a");
    CHECK_INT(store_number(&store, VERSION, (int64_t)a), 1);
    /* One quad more is one change of one node. */
    CHECK_OK(
        store_load(&store, model, PREFIXES "e:g { e:a a t:Thing }", 0, &err),
        &err);
    CHECK_INT(store_number(&store, VERSION, (int64_t)a), 2);
    CHECK_INT(store_number(&store, FEED " WHERE kind = 2", 0), 1);
    CHECK_INT(store_number(&store, FOUND, 0), 1);
    store_close(&store);
    tr_model_free(model);
}

TEST(load_tells_of_what_is_no_node_too)
{
    struct store store;
    struct tr_err err = {0};
    store_open(&store);
    CHECK_OK(store_load(&store, NULL, PREFIXES "e:a e:p 1 .", 0, &err), &err);
    CHECK_OK(store_load(&store, NULL, PREFIXES "e:a e:p 2 .", 0, &err), &err);
    CHECK_INT(store_number(&store, NODES, 0), 0);
    CHECK_INT(store_number(&store, FEED " WHERE kind = 1", 0), 1);
    CHECK_INT(store_number(&store, FEED " WHERE kind = 2", 0), 1);
    store_close(&store);
}

TEST(load_that_does_not_conform_leaves_nothing)
{
    static const char bad[] = PREFIXES "e:c a t:Thing ; thing:title \"x\" .\n";
    const struct tr_model *model = store_model();
    for (size_t i = 0; i < TR_LEN(batches); i++) {
        struct store store;
        struct tr_err err = {0};
        store_open(&store);
        CHECK_INT(store_load(&store, model, bad, batches[i], &err),
                  TR_E_VALIDATION);
        CHECK_STR(tr_str_from(err.msg), "the data does not conform: 1 result");
        CHECK_INT(store_number(&store, QUADS, 0), 0);
        CHECK_INT(store_number(&store, "SELECT count(*) FROM term", 0), 0);
        CHECK_OK(store_load(&store, model, two, 0, &err), &err);
        CHECK_INT(store_load(&store, model, bad, batches[i], &err),
                  TR_E_VALIDATION);
        CHECK_INT(store_number(&store, QUADS, 0), 6);
        CHECK_INT(store_number(&store, NODES, 0), 2);
        CHECK_INT(store_number(&store, FEED, 0), 2);
        store_close(&store);
    }
    tr_model_free(model);
}

/* The app may have become stricter than its data. */
TEST(load_is_refused_for_new_results_only)
{
    const struct tr_model *model = store_model();
    struct store store;
    struct tr_err err = {0};
    store_open(&store);
    CHECK_OK(store_load(&store, NULL,
                        PREFIXES "e:old a t:Thing ; thing:title \"x\" .", 0,
                        &err),
             &err);
    CHECK_OK(store_load(&store, model, two, 0, &err), &err);
    CHECK_OK(
        store_load(&store, model, PREFIXES "e:g { e:old a t:Thing }", 1, &err),
        &err);
    CHECK_INT(store_load(&store, model, PREFIXES "e:old thing:title \"y\" .", 0,
                         &err),
              TR_E_VALIDATION);
    CHECK_INT(store_load(&store, model, PREFIXES "e:new a t:Thing .", 0, &err),
              TR_E_VALIDATION);
    CHECK_STR(tr_str_from(err.msg), "the data does not conform: 1 result");
    store_close(&store);
    tr_model_free(model);
}

#define TASK(name, code)                                                       \
    "e:" name " a t:Thing , t:Task ; thing:title \"Task\" ; "                  \
    "task:code \"" code "\" .\n"

TEST(load_keeps_unique_values_unique)
{
    const struct tr_model *model = store_model();
    for (size_t i = 0; i < TR_LEN(batches); i++) {
        struct store store;
        struct tr_err err = {0};
        store_open(&store);
        CHECK_INT(store_load(&store, model,
                             PREFIXES TASK("a", "1") TASK("b", "1"), batches[i],
                             &err),
                  TR_E_VALIDATION);
        CHECK_STR(tr_str_from(err.msg),
                  "<http://e/a> and <http://e/b> have the same 'code'");
        CHECK_OK(store_load(&store, model,
                            PREFIXES TASK("a", "1") TASK("b", "2"), batches[i],
                            &err),
                 &err);
        CHECK_INT(store_load(&store, model, PREFIXES TASK("c", "2"), batches[i],
                             &err),
                  TR_E_VALIDATION);
        CHECK_OK(store_load(&store, model, PREFIXES TASK("c", "3"), batches[i],
                            &err),
                 &err);
        /* What hurts already is not this import's fault. */
        CHECK_OK(store_load(&store, NULL, PREFIXES TASK("d", "3"), 0, &err),
                 &err);
        CHECK_OK(store_load(&store, model, PREFIXES TASK("e", "4"), batches[i],
                            &err),
                 &err);
        store_close(&store);
    }
    tr_model_free(model);
}

TEST(load_gives_blank_nodes_iris_of_their_own)
{
    static const char text[] = PREFIXES "_:x e:p _:y . _:x e:p _:x .";
    struct store store;
    struct tr_err err = {0};
    store_open(&store);
    CHECK_OK(store_load(&store, NULL, text, 0, &err), &err);
    CHECK_OK(store_load(&store, NULL, text, 1, &err), &err);
    CHECK_INT(store_number(&store, QUADS, 0), 4);
    CHECK_INT(store_number(&store,
                           "SELECT count(*) FROM term WHERE CAST(key AS TEXT)"
                           " LIKE '%trails://team/.well-known/genid/%-%'",
                           0),
              4);
    store_close(&store);
}

TEST(load_waits_for_who_writes_and_says_so)
{
    struct store store;
    struct tr_db *db = NULL;
    struct tr_err err = {0};
    store_open(&store);
    CHECK_OK(tr_db_open(store.path, NULL, &db, &err), &err);
    CHECK_OK(tr_db_begin(db, TR_DB_WRITE, &err), &err);
    CHECK_INT(store_load(&store, NULL, two, 0, &err), TR_E_UNAVAILABLE);
    CHECK_INT(store_load(&store, NULL, two, 1, &err), TR_E_UNAVAILABLE);
    tr_db_close(db);
    CHECK_OK(store_load(&store, NULL, two, 0, &err), &err);
    store_close(&store);
}

/* Somebody else, who writes after an import was validated and before it lands.
 */
struct other {
    struct store *store;
    const struct tr_model *model;
    const char *texts[TR_LIMIT_LOAD_TRIES]; /* for each time; NULL: nothing */
    size_t times;
};

static void write_now(void *data)
{
    struct other *other = data;
    struct tr_err err = {0};
    CHECK(other->times < TR_LEN(other->texts));
    const char *text = other->texts[other->times++];
    if (text)
        CHECK_OK(store_load(other->store, other->model, text, 0, &err), &err);
}

static tr_status load_beside(struct other *other,
                             const struct tr_graph_load_opts *more,
                             const char *text, struct tr_err *err)
{
    struct tr_graph_load_opts opts = *more;
    struct tr_graph_load *load = NULL;
    tr_str rest = tr_str_from(text);
    struct tr_rdf_source source = tr_rdf_source_text(&rest, TR_STR(""));
    opts.path = other->store->path;
    opts.project = TR_STR("team");
    opts.model = other->model;
    opts.checked = write_now;
    opts.data = other;
    TR_TRY(tr_graph_load_create(&opts, &load, err));
    struct tr_rdf_sink sink = tr_graph_load_sink(load);
    tr_status status = tr_rdf_read(TR_RDF_TRIG, &source, &sink, err);
    if (status == TR_OK)
        status = tr_graph_load_finish(load, err);
    tr_graph_load_free(load);
    return status;
}

#define THING(name, title)                                                     \
    PREFIXES "e:" name " a t:Thing ; thing:title \"" title "\" .\n"

/* While it is validated others write; what they write is validated with it. */
TEST(load_is_validated_before_others_have_to_wait)
{
    static const struct {
        const char *before; /* the store has that, or nothing */
        const char *others[TR_LIMIT_LOAD_TRIES];
        size_t times;
        int64_t nodes;
        tr_status status;
    } rows[] = {
        {NULL, {NULL}, 1, 1, TR_OK},
        {two, {NULL}, 1, 3, TR_OK},
        {NULL, {THING("x", "Other")}, 2, 2, TR_OK},
        {two, {THING("x", "Other"), THING("y", "More")}, 3, 5, TR_OK},
        {two, {THING("new", "Another")}, 1, 3, TR_E_VALIDATION},
        {two,
         {THING("x", "Other"), THING("y", "More"), THING("z", "And")},
         3,
         5,
         TR_E_UNAVAILABLE},
    };
    const struct tr_model *model = store_model();
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        struct store store;
        struct tr_err err = {0};
        struct other other = {.store = &store, .model = model};
        memcpy(other.texts, rows[i].others, sizeof(other.texts));
        store_open(&store);
        if (rows[i].before)
            CHECK_OK(store_load(&store, model, rows[i].before, 0, &err), &err);
        CHECK_INT(load_beside(&other, &(struct tr_graph_load_opts){0},
                              THING("new", "Mine"), &err),
                  rows[i].status);
        CHECK_INT(other.times, rows[i].times);
        CHECK_INT(store_number(&store, NODES, 0), rows[i].nodes);
        store_close(&store);
    }
    tr_model_free(model);
}

/* One that is larger keeps others waiting, but not for any time. */
TEST(load_that_others_wait_for_has_its_bound)
{
    static const struct tr_graph_load_opts large = {.max_ahead = 1,
                                                    .max_work = 3};
    const struct tr_model *model = store_model();
    struct store store;
    struct tr_err err = {0};
    struct other other = {.store = &store, .model = model};
    store_open(&store);
    CHECK_INT(load_beside(&other, &large, two, &err), TR_E_LIMIT);
    CHECK(strstr(err.msg, "others cannot write meanwhile; import it in parts"));
    CHECK_INT(other.times, 0);
    CHECK_INT(store_number(&store, QUADS, 0), 0);
    store_close(&store);
    tr_model_free(model);
}

TEST(load_of_a_broken_document_leaves_nothing)
{
    struct store store;
    struct tr_err err = {0};
    store_open(&store);
    CHECK_INT(store_load(&store, NULL, PREFIXES "e:a e:p 1 , 2 .\ne:b e:p .", 1,
                         &err),
              TR_E_SYNTAX);
    CHECK_INT(err.place.line, 5);
    CHECK_INT(store_number(&store, QUADS, 0), 0);
    store_close(&store);
}

/* Many changes are told of by type. */
TEST(load_of_many_is_one_row_of_the_feed_for_each_type)
{
    static char text[200000];
    size_t len = (size_t)snprintf(text, sizeof(text), "%s", PREFIXES);
    struct store store;
    struct tr_err err = {0};
    for (int i = 0; i < 1001; i++)
        len += (size_t)snprintf(text + len, sizeof(text) - len,
                                "e:n%d a e:%s . ", i, i % 2 ? "Odd" : "Even");
    store_open(&store);
    CHECK_OK(store_load(&store, NULL, text, 0, &err), &err);
    CHECK_INT(store_number(&store, NODES, 0), 1001);
    CHECK_INT(store_number(&store, FEED, 0), 2);
    CHECK_INT(store_number(&store, FEED " WHERE kind = 4 AND subject = 0", 0),
              2);
    store_close(&store);
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
    tr_status status =
        store_load(sweep->store, sweep->model,
                   PREFIXES "e:n a t:Thing ; thing:title \"x\" ; e:p 1.5 .",
                   sweep->max_batch, err);
    return status == TR_E_VALIDATION ? TR_OK : status;
}

TEST(load_survives_every_allocation_that_fails)
{
    struct store store;
    struct sweep sweep = {&store, store_model(), 0};
    struct tr_err err = {0};
    store_open(&store);
    tr_test_sweep(load_and_leave, &sweep);
    CHECK_OK(store_load(&store, sweep.model, two, 0, &err), &err);
    sweep.max_batch = 2;
    tr_test_sweep(load_and_leave, &sweep);
    store_close(&store);
    tr_model_free(sweep.model);
}

/* What a store answers is what a graph in memory answers. */
#include "base/test.h"
#include "db/db.h"
#include "graph/schema.h"
#include "rows/quads.h"
#include "support/folder.h"
#include "support/quads.h"

struct store {
    struct folder folder;
    struct tr_db *db;
    struct tr_rows_terms *terms;
    struct tr_rows_stored_graph graph;
};

static void open_store(struct store *store)
{
    struct tr_err err = {0};
    struct tr_db_opts opts = {.no_sync = true};
    folder_open(&store->folder);
    CHECK_OK(tr_db_open(folder_path(&store->folder, "a.db"), &opts, &store->db,
                        &err),
             &err);
    CHECK_OK(tr_graph_schema(store->db, &err), &err);
    CHECK_OK(tr_rows_terms_create(store->db, &store->terms, &err), &err);
    tr_rows_stored_graph_init(&store->graph, store->db, store->terms);
}

static void close_store(struct store *store)
{
    tr_rows_terms_free(store->terms);
    tr_db_close(store->db);
    folder_close(&store->folder);
}

static tr_rdf_ids intern(struct store *store, const tr_rdf_quad *quad)
{
    struct tr_err err = {0};
    tr_rdf_ids ids = {.g = TR_RDF_ID_DEFAULT_GRAPH};
    CHECK_OK(tr_rows_terms_intern(store->terms, &quad->subject, &ids.s, &err),
             &err);
    CHECK_OK(tr_rows_terms_intern(store->terms, &quad->predicate, &ids.p, &err),
             &err);
    CHECK_OK(tr_rows_terms_intern(store->terms, &quad->object, &ids.o, &err),
             &err);
    if (quad->graph.kind != TR_RDF_TERM_NONE)
        CHECK_OK(tr_rows_terms_intern(store->terms, &quad->graph, &ids.g, &err),
                 &err);
    return ids;
}

static void change(struct store *store, struct quads *quads)
{
    struct tr_err err = {0};
    tr_rdf_quad quad = quads_random();
    bool changed = false;
    size_t at = quads_find(quads, &quad);
    if (tr_test_random_below(3)) {
        CHECK_OK(quads_change(store->db, store->terms, intern(store, &quad),
                              true, &changed, &err),
                 &err);
        CHECK(changed == (at == quads->count));
        if (changed)
            quads_put(quads, &quad);
        return;
    }
    if (quads->count && tr_test_random_below(2)) {
        at = tr_test_random_below(quads->count);
        quad = quads->items[at];
    }
    CHECK_OK(quads_change(store->db, store->terms, intern(store, &quad), false,
                          &changed, &err),
             &err);
    CHECK(changed == (at < quads->count));
    if (changed)
        quads_drop(quads, at);
}

TEST(store_answers_as_a_graph_in_memory_does)
{
    static struct quads quads;
    for (size_t n = tr_test_scaled(100); n > 0; n--) {
        struct store store;
        quads.count = 0;
        open_store(&store);
        for (size_t round = 0; round < 10; round++) {
            struct tr_err err = {0};
            CHECK_OK(tr_db_begin(store.db, TR_DB_WRITE, &err), &err);
            for (size_t i = 0; i < 30; i++)
                change(&store, &quads);
            CHECK_OK(tr_db_commit(store.db, &err), &err);
            if (tr_test_random_below(3) == 0)
                tr_rows_terms_forget(store.terms);
            quads_compare(&quads, &store.graph.base);
        }
        close_store(&store);
    }
}

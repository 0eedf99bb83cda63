/*
 * The cache of terms: what it holds at most, what outlasts a trim, and that
 * nobody can tell.
 */
#include "base/test.h"
#include "db/db.h"
#include "graph/terms_inside.h"
#include "support/store.h"

#define TERMS 20000
#define HOT   50
#define MOST  ((size_t)1024 * 1024)
#define BLOCK ((size_t)1024 * 1024) /* an arena grows by as much at most */

struct fixture {
    struct store store;
    struct tr_db *db;
    struct tr_graph_terms *terms;
    tr_rdf_id ids[TERMS];
};

static tr_rdf_term term_of(size_t i, char text[64])
{
    (void)snprintf(text, 64, "trails://demo/Term/%zu", i);
    if (i % 3 == 0)
        return tr_rdf_term_iri(tr_str_from(text));
    return i % 3 == 1 ? tr_rdf_term_string(tr_str_from(text))
                      : tr_rdf_term_typed(tr_str_from(text),
                                          TR_STR("http://example.org/type"));
}

static void set_up(struct fixture *f)
{
    struct tr_err err = {0};
    store_open(&f->store);
    CHECK_OK(tr_db_open(f->store.path, NULL, &f->db, &err), &err);
    CHECK_OK(tr_db_begin(f->db, TR_DB_WRITE, &err), &err);
    CHECK_OK(tr_graph_terms_create(f->db, &f->terms, &err), &err);
    for (size_t i = 0; i < TERMS; i++) {
        char text[64];
        tr_rdf_term term = term_of(i, text);
        CHECK_OK(tr_graph_terms_intern(f->terms, &term, &f->ids[i], &err),
                 &err);
    }
    tr_graph_terms_forget(f->terms);
}

static void tear_down(struct fixture *f)
{
    tr_graph_terms_free(f->terms);
    tr_db_rollback(f->db);
    tr_db_close(f->db);
    store_close(&f->store);
}

static size_t held(const struct fixture *f)
{
    return f->terms->caches[0].arena.held + f->terms->caches[1].arena.held;
}

static void look_at(struct fixture *f, size_t i)
{
    char text[64];
    struct tr_err err = {0};
    tr_rdf_term term = term_of(i, text);
    tr_rdf_term found = {0};
    tr_rdf_id id = TR_RDF_ID_NONE;
    if (i % 2 == 0) {
        CHECK_OK(tr_graph_terms_find(f->terms, &term, &id, &err), &err);
        CHECK(id == f->ids[i]);
    }
    CHECK_OK(tr_graph_terms_get(f->terms, f->ids[i], &found, &err), &err);
    CHECK(tr_str_eq(found.text, term.text) &&
          tr_str_eq(found.datatype, term.datatype));
}

static bool has_young(const struct fixture *f, tr_rdf_id id)
{
    const struct tr_graph_terms_cache *cache =
        &f->terms->caches[f->terms->young];
    for (size_t i = 0; i < cache->buckets; i++) {
        const struct tr_graph_terms_entry *entry = cache->by_id[i];
        for (; entry; entry = entry->next_by_id) {
            if (entry->id == id)
                return true;
        }
    }
    return false;
}

/* A job looks at a few terms, some of them the same each time. */
TEST(terms_that_are_used_outlast_those_that_are_not)
{
    static struct fixture f;
    size_t most = 0;
    size_t young = 0;
    size_t turns = 0;
    set_up(&f);
    tr_graph_terms_keep(f.terms, MOST);
    for (size_t i = 0; i < 2 * TERMS; i++) {
        look_at(&f, i % HOT);
        look_at(&f, i % TERMS);
        tr_graph_terms_trim(f.terms);
        most = held(&f) > most ? held(&f) : most;
        turns += f.terms->young != young;
        young = f.terms->young;
    }
    CHECK(turns > 4);
    CHECK(most <= MOST + BLOCK);
    for (size_t i = 0; i < HOT; i++)
        look_at(&f, i);
    for (size_t i = 0; i < HOT; i++)
        CHECK(has_young(&f, f.ids[i]));
    tear_down(&f);
}

/* A text that a job was given stays until the job has ended. */
TEST(terms_stay_until_they_are_trimmed)
{
    static struct fixture f;
    struct tr_err err = {0};
    tr_rdf_term first = {0};
    char text[64];
    set_up(&f);
    tr_graph_terms_keep(f.terms, MOST);
    look_at(&f, 0);
    while (f.terms->young == 0) {
        static size_t next = 1;
        look_at(&f, next++);
        tr_graph_terms_trim(f.terms);
    }
    CHECK_OK(tr_graph_terms_get(f.terms, f.ids[0], &first, &err), &err);
    for (size_t i = 0; i < TERMS; i++)
        look_at(&f, i);
    CHECK(tr_str_eq(first.text, term_of(0, text).text));
    tear_down(&f);
}

/*
 * The cache of terms: what it holds at most, and that nobody can tell.
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
    return f->terms->arena.held;
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

/* A job looks at a few terms, some of them the same each time. */
TEST(terms_hold_no_more_than_they_may)
{
    static struct fixture f;
    size_t most = 0;
    size_t drops = 0;
    set_up(&f);
    for (size_t i = 0; i < 2 * TERMS; i++) {
        size_t before = f.terms->count;
        look_at(&f, i % HOT);
        look_at(&f, i % TERMS);
        most = held(&f) > most ? held(&f) : most;
        tr_graph_terms_trim(f.terms, MOST);
        drops += f.terms->count < before;
        CHECK(held(&f) <= MOST);
    }
    CHECK(drops > 2);
    CHECK(most <= MOST + BLOCK);
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
    CHECK_OK(tr_graph_terms_get(f.terms, f.ids[0], &first, &err), &err);
    for (size_t i = 0; i < TERMS; i++)
        look_at(&f, i);
    CHECK(held(&f) > MOST);
    CHECK(tr_str_eq(first.text, term_of(0, text).text));
    tear_down(&f);
}

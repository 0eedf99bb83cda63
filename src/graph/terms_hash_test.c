#include "base/test.h"
#include "db/db.h"
#include "graph/terms_inside.h"
#include "support/steps.h"
#include "support/store.h"

/* A key has one byte before the text: these make a block of sixteen of it. */
#define BEFORE 15

static void fill(struct tr_graph_terms *terms, enum hostility kind)
{
    struct tr_err err = {0};
    for (size_t i = 0; i < STEPS_KEYS; i++) {
        char text[BEFORE + HOSTILE_BYTES] = "trails://a/key/";
        tr_rdf_id id = TR_RDF_ID_NONE;
        (void)hostile_text(kind, i, text + BEFORE);
        tr_rdf_term term = tr_rdf_term_iri((tr_str){text, sizeof(text)});
        CHECK_OK(tr_graph_terms_intern(terms, &term, &id, &err), &err);
    }
}

static struct steps count_by_key(const struct tr_graph_terms *terms)
{
    struct steps steps = {0};
    for (size_t i = 0; i < terms->buckets; i++) {
        size_t together = 0;
        const struct tr_graph_terms_entry *entry = terms->by_key[i];
        for (; entry; entry = entry->next_by_key)
            together++;
        steps_add(&steps, together);
    }
    return steps;
}

static struct steps count_by_id(const struct tr_graph_terms *terms)
{
    struct steps steps = {0};
    for (size_t i = 0; i < terms->buckets; i++) {
        size_t together = 0;
        const struct tr_graph_terms_entry *entry = terms->by_id[i];
        for (; entry; entry = entry->next_by_id)
            together++;
        steps_add(&steps, together);
    }
    return steps;
}

TEST(hash_of_stored_terms_spreads_hostile_iris)
{
    struct steps by_key[2];
    struct steps by_id[2];
    for (enum hostility kind = HOSTILE; kind <= HARMLESS; kind++) {
        struct tr_graph_terms *terms = NULL;
        struct tr_db *db = NULL;
        struct tr_err err = {0};
        struct store store;
        store_open(&store);
        CHECK_OK(tr_db_open(store.path, NULL, &db, &err), &err);
        CHECK_OK(tr_db_begin(db, TR_DB_WRITE, &err), &err);
        CHECK_OK(tr_graph_terms_create(db, &terms, &err), &err);
        fill(terms, kind);
        by_key[kind] = count_by_key(terms);
        by_id[kind] = count_by_id(terms);
        tr_graph_terms_free(terms);
        tr_db_rollback(db);
        tr_db_close(db);
        store_close(&store);
    }
    steps_compare(by_key[HOSTILE], by_key[HARMLESS]);
    steps_compare(by_id[HOSTILE], by_id[HARMLESS]);
}

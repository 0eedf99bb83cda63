/*
 * test/support/old_store.h - a store as it was before rows/layout.h: literals
 * have numbers, and statements stand in three orders.
 */
#ifndef TR_TEST_SUPPORT_OLD_STORE_H
#define TR_TEST_SUPPORT_OLD_STORE_H

#include "db/db.h"
#include "rdf/memory_graph.h"

/* The last version with the old tables. */
#define OLD_STORE_VERSION 8

struct old_store {
    struct tr_db *db;
    uint64_t next;                     /* the number of the next term */
    struct tr_rdf_memory_graph *quads; /* what was put in */
    struct tr_arena arena;             /* of texts that tests make */
};

/* Makes the tables of a version in an empty store, whose connection stays the
 * caller's, and begins a transaction. */
void old_store_open(struct old_store *old, struct tr_db *db, size_t version);

/* Commits; nothing is put in from here on. */
void old_store_commit(struct old_store *old);
void old_store_close(struct old_store *old);

/* The id of a term, which is added when it is not there. */
tr_rdf_id old_store_term(struct old_store *old, tr_rdf_term term);

void old_store_put(struct old_store *old, tr_rdf_quad quad);

/* A row of `node`; no label when it is NULL. */
void old_store_node(struct old_store *old, const char *iri, const char *type,
                    int64_t version, const char *label);

/* A text of so many bytes, in the store's arena. */
tr_str old_store_text(struct old_store *old, size_t len);

/* Quads with literals of every kind, in several graphs; loose subjects, nodes
 * without a quad, and a subject with so many values of one predicate. */
void old_store_fill(struct old_store *old, size_t hub);

/* The store has the new tables: they agree, and say what was put in. */
void old_store_check_new(const struct old_store *old, struct tr_db *db);

#endif

/*
 * test/support/store.h - a store in a folder of its own, and a model for it.
 */
#ifndef TR_TEST_SUPPORT_STORE_H
#define TR_TEST_SUPPORT_STORE_H

#include "graph/load.h"
#include "graph/reader.h"
#include "support/folder.h"

struct store {
    struct folder folder;
    char path[96];
    struct tr_graph_reader *reader;
};

/* Opens an empty store whose schema is up to date. */
void store_open(struct store *store);
void store_close(struct store *store);

/*
 * A model with Thing (title: searched, the label) and below it Task (code:
 * unique).
 */
const struct tr_model *store_model(void);

/* Loads a document of TriG, in batches of at most so many quads (0: any). */
tr_status store_load(struct store *store, const struct tr_model *model,
                     const char *text, size_t max_batch, struct tr_err *err);

/* The tables agree with each other: tr_rows_verify. */
void store_verify(const struct store *store);

/* The one number that a statement answers, with `value` as its parameter. */
int64_t store_number(struct store *store, const char *sql, int64_t value);

/* The id of an IRI in the store. */
tr_rdf_id store_id(struct store *store, const char *iri);

#endif

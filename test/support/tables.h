/*
 * test/support/tables.h - the tables of an empty store, for tests of rows/.
 */
#ifndef TR_TEST_SUPPORT_TABLES_H
#define TR_TEST_SUPPORT_TABLES_H

#include "db/db.h"
#include "rows/quads.h"
#include "support/folder.h"

struct tables {
    struct folder folder; /* the file is graph.db */
    struct tr_db *db;
    struct tr_rows_terms *terms;
    struct tr_rows_stored_graph graph;
    struct tr_arena arena; /* of texts that tests make */
};

void tables_open(struct tables *tables);
void tables_close(struct tables *tables);

/* A transaction that writes. */
void tables_begin(struct tables *tables);
void tables_commit(struct tables *tables);

/* <http://e/KINDi>, in the arena. */
tr_rdf_term tables_iri(struct tables *tables, const char *kind, size_t i);

tr_rdf_id tables_intern(struct tables *tables, const tr_rdf_term *term);
tr_rdf_ids tables_intern_quad(struct tables *tables, const tr_rdf_quad *quad);

/* The first column of the first row of a statement without parameters. */
int64_t tables_number(struct tr_db *db, const char *sql);

/* The bytes of the file, with the log in it; for free(). */
tr_str tables_file(struct tables *tables);

#endif

/*
 * graph/schema.h - the tables of a store, as steps that bring one up to date.
 *
 * Steps are only ever added. Queries stand beside the code that runs them; the
 * tables they are about are described in schema.c.
 */
#ifndef TR_GRAPH_SCHEMA_H
#define TR_GRAPH_SCHEMA_H

#include "db/db.h"

/* Brings the store up to date; TR_E_UNSUPPORTED when it is a newer one. */
TR_NODISCARD tr_status tr_graph_schema(struct tr_db *db, struct tr_err *err);

/* Only the first steps, up to the newest: a store as older programs left it. */
TR_NODISCARD tr_status tr_graph_schema_to(struct tr_db *db, size_t version,
                                          struct tr_err *err);

#endif

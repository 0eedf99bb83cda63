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

#endif

/*
 * graph/schema.h - the tables of a store, as steps that bring one up to date.
 *
 * Steps are only ever added. Text of SQL stands beside the code that runs it;
 * what it is about stands here.
 */
#ifndef TR_GRAPH_SCHEMA_H
#define TR_GRAPH_SCHEMA_H

#include "db/db.h"

/* Brings the store up to date; TR_E_UNSUPPORTED when it is a newer one. */
TR_NODISCARD tr_status tr_graph_schema(struct tr_db *db, struct tr_err *err);

#endif

/*
 * table/replace.h - RDF that can be loaded again and again.
 */
#ifndef TR_TABLE_REPLACE_H
#define TR_TABLE_REPLACE_H

#include "table/table.h"

/*
 * Reads an RDF file into a load: what it says with a predicate of a subject
 * replaces what the store says with it. Nodes without an IRI are new ones each
 * time. TR_E_LIMIT for a file of more than TR_LIMIT_LOAD_BATCH statements.
 */
TR_NODISCARD tr_status tr_table_replace_rdf(struct tr_table *table,
                                            const char *path,
                                            struct tr_graph_load *load,
                                            struct tr_err *err);

#endif

/*
 * graph/list.h - the instances of a type, and pages of nodes as JSON.
 */
#ifndef TR_GRAPH_LIST_H
#define TR_GRAPH_LIST_H

#include "graph/where.h"
#include "json/writer.h"

/* A page of all instances of a type; as tr_where. */
TR_NODISCARD tr_status tr_list_type(const struct tr_sight *sight,
                                    const struct tr_type *type, tr_str after,
                                    size_t limit, struct tr_page *out,
                                    struct tr_err *err);

/* An array with {"id", "_type", "_version", "label"} of each. */
TR_NODISCARD tr_status tr_page_brief(const struct tr_sight *sight,
                                     const struct tr_page *page,
                                     struct tr_json *out, struct tr_err *err);

/* Writes an array with {"iri", "label"} of each; who has no label is called as
 * its IRI ends. */
TR_NODISCARD tr_status tr_page_write_labels(const struct tr_sight *sight,
                                            const struct tr_page *page,
                                            struct tr_json_writer *out,
                                            struct tr_err *err);

/* An array with all that is known of each (graph/node.h). */
TR_NODISCARD tr_status tr_page_nodes(const struct tr_sight *sight,
                                     const struct tr_page *page,
                                     struct tr_json *out, struct tr_err *err);

#endif

/*
 * query/part.h - the parts of a node, as JSON: objects, and lists.
 */
#ifndef TR_QUERY_PART_H
#define TR_QUERY_PART_H

#include "fields/field.h"
#include "graph/node.h"
#include "json/json.h"
#include "json/writer.h"

/* Whether the values of a field are shown by what is said of parts. */
static inline bool tr_query_has_parts(const struct tr_field *field)
{
    return field->list || field->object;
}

/*
 * The value whose head is `id`: the array of a list, or the members of one
 * object. What is no part is shown as it is.
 */
TR_NODISCARD tr_status tr_query_part_read(const struct tr_graph_read_ctx *ctx,
                                          const struct tr_field *field,
                                          tr_rdf_id id, struct tr_json *out,
                                          struct tr_err *err);

/* The items of the list at `head`, in their order; at most so many as a list
 * may have. */
struct tr_query_items {
    tr_rdf_id *ids;
    size_t count;
};
TR_NODISCARD tr_status tr_query_list_read(const struct tr_graph_read_ctx *ctx,
                                          tr_rdf_id head,
                                          struct tr_query_items *out,
                                          struct tr_err *err);

/* The values of one predicate of a node, each once, by their ids. */
TR_NODISCARD tr_status tr_query_values_read(const struct tr_graph_read_ctx *ctx,
                                            tr_rdf_id node, tr_str predicate,
                                            struct tr_query_items *out,
                                            struct tr_err *err);

/* The same as JSON-LD: {"@list"}, or a node object with the fields of one. */
TR_NODISCARD tr_status tr_query_part_write_ld(
    const struct tr_graph_read_ctx *ctx, const struct tr_field *field,
    tr_rdf_id id, struct tr_json_writer *w, struct tr_err *err);

/* node_ld.c: a term as JSON-LD. `bare` borrows a value that is written bare; it
 * is left alone for others. */
void tr_query_term_write_ld(struct tr_json_writer *w, const tr_rdf_term *term,
                            struct tr_json *bare);

#endif

/*
 * shacl/reader_inside.h - what the files of the SHACL reader share.
 *
 * Functions fail with a message that names the shape being read.
 */
#ifndef TR_SHACL_READER_INSIDE_H
#define TR_SHACL_READER_INSIDE_H

#include "base/limits.h"
#include "base/map.h"
#include "base/vec.h"
#include "shacl/shapes.h"

/* Distinct nodes of the shapes graph, in the order of the graph's ids. */
struct tr_shacl_nodes {
    tr_rdf_id *items;
    size_t count;
    size_t cap;
};

struct tr_shacl_reader {
    const struct tr_rdf_graph *graph;
    struct tr_arena *arena; /* of `shapes` */
    struct tr_shacl_shapes *shapes;
    struct tr_map numbers; /* of terms, by their text */
    struct tr_buf text;
    TR_VEC(tr_rdf_term) terms;
    TR_VEC(tr_rdf_id) ids;     /* of the terms, in the graph */
    TR_VEC(uint32_t) shape_of; /* of the terms: a shape's index + 1, or 0 */
    TR_VEC(struct tr_shacl_shape) list;
    struct tr_shacl_nodes classes; /* rdfs:Class and its subclasses */
    size_t path_parts;             /* read so far, of all paths */
    tr_shacl_term_no at;           /* the shape being read */
    struct tr_err *err;
};

/* Says what is wrong with the shape at hand. Returns `status`. */
TR_PRINTF(3, 4)
tr_status tr_shacl_fail(struct tr_shacl_reader *r, tr_status status,
                        const char *format, ...);
tr_status tr_shacl_fail_memory(struct tr_shacl_reader *r);

/* The number of a term; the same term has the same number. */
TR_NODISCARD tr_status tr_shacl_intern(struct tr_shacl_reader *r,
                                       const tr_rdf_term *term, tr_rdf_id id,
                                       tr_shacl_term_no *out);
TR_NODISCARD tr_status tr_shacl_term(struct tr_shacl_reader *r, tr_rdf_id id,
                                     tr_shacl_term_no *out);

/* The index of the shape that a node is. A new one is put on the list of those
 * that are still to be read. */
TR_NODISCARD tr_status tr_shacl_shape_at(struct tr_shacl_reader *r,
                                         tr_rdf_id id, uint32_t *out);

/* The objects of a property, named by its whole IRI. */
TR_NODISCARD tr_status tr_shacl_values(struct tr_shacl_reader *r,
                                       tr_rdf_id subject, const char *property,
                                       struct tr_shacl_nodes *out);

/* The only object, or TR_RDF_ID_NONE; more than one is an error. */
TR_NODISCARD tr_status tr_shacl_value(struct tr_shacl_reader *r,
                                      tr_rdf_id subject, const char *property,
                                      tr_rdf_id *out);

/* The members of a list, in its order. `what` is for messages. */
TR_NODISCARD tr_status tr_shacl_list(struct tr_shacl_reader *r, tr_rdf_id head,
                                     const char *what,
                                     struct tr_shacl_nodes *out);

TR_NODISCARD tr_status tr_shacl_nodes_push(struct tr_shacl_reader *r,
                                           struct tr_shacl_nodes *nodes,
                                           tr_rdf_id id);
void tr_shacl_nodes_sort(struct tr_shacl_nodes *nodes);

/* Whether one of `nodes` is a type of the subject. */
TR_NODISCARD tr_status tr_shacl_has_type(struct tr_shacl_reader *r,
                                         tr_rdf_id subject,
                                         const struct tr_shacl_nodes *nodes,
                                         bool *out);

/* roots.c: puts the shapes that stand on their own on the list. */
TR_NODISCARD tr_status tr_shacl_find_roots(struct tr_shacl_reader *r);

/* path.c: SHACL 2.3.1 */
TR_NODISCARD tr_status tr_shacl_read_path(struct tr_shacl_reader *r,
                                          tr_rdf_id node,
                                          const struct tr_shacl_path **out);

/* constraint.c: reads all constraints of the shape at hand. */
TR_NODISCARD tr_status tr_shacl_read_constraints(struct tr_shacl_reader *r,
                                                 struct tr_shacl_shape *shape);

/* parameter.c: what one value of a parameter means. */
TR_NODISCARD tr_status tr_shacl_read_parameter(struct tr_shacl_reader *r,
                                               tr_rdf_id value,
                                               struct tr_shacl_constraint *out);
TR_NODISCARD tr_status tr_shacl_read_count(struct tr_shacl_reader *r,
                                           tr_rdf_id value,
                                           const char *parameter,
                                           uint64_t *out);
/* A boolean parameter: absent and false are the same. */
TR_NODISCARD tr_status tr_shacl_read_true(struct tr_shacl_reader *r,
                                          tr_rdf_id value,
                                          const char *parameter, bool *out);
TR_NODISCARD tr_status tr_shacl_read_pattern(struct tr_shacl_reader *r,
                                             tr_rdf_id flags,
                                             struct tr_shacl_constraint *out);

/* link.c: does what needs all shapes: siblings, sh:closed, no recursion. */
TR_NODISCARD tr_status tr_shacl_link(struct tr_shacl_reader *r);

#define TR_SHACL_IRI(name) TR_RDF_NS_SH name

#endif

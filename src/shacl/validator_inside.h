/*
 * shacl/validator_inside.h - what the files of the validator share.
 */
#ifndef TR_SHACL_VALIDATOR_INSIDE_H
#define TR_SHACL_VALIDATOR_INSIDE_H

#include "base/vec.h"
#include "rdf/id_hash.h"
#include "shacl/validator.h"

/* Nodes on the stack of a validation. They are found by index, not by pointer:
 * a push may move the whole stack. */
struct tr_shacl_span {
    size_t at;
    size_t count;
};

/* A class with its subclasses, and its instances once that is worth it. */
struct tr_shacl_class {
    struct tr_rdf_id_hash subclasses; /* and itself */
    TR_VEC(tr_rdf_id) in_order;       /* the same, as they were found */
    uint64_t *members;                /* bits by id, or NULL */
    unsigned asked;
};

struct tr_shacl_validation {
    const struct tr_shacl_shapes *shapes;
    const struct tr_rdf_graph *graph;
    tr_rdf_id in; /* the graph that is validated, or TR_RDF_ID_ANY */
    struct tr_arena arena;
    struct tr_arena scratch; /* of one regular expression */
    tr_rdf_id *ids;          /* of the shapes' terms, in the graph or local */
    struct tr_shacl_class *
        *classes;        /* of the shapes' terms; NULL until asked for */
    struct tr_buf stack; /* tr_rdf_id */
    uint64_t work;
    uint64_t max_work;
    unsigned probing; /* above 0, a result only sets `found` */
    bool found;
    tr_rdf_id last; /* the id that was looked up last, and its term */
    tr_rdf_term last_term;
    tr_shacl_result_fn *result;
    void *context;
    tr_shacl_progress_fn *progress;
    void *progress_context;
    struct tr_err *err;
};

/* The shape that is checked, and where. */
struct tr_shacl_frame {
    const struct tr_shacl_shape *shape;
    const struct tr_shacl_constraint *constraint;
    tr_rdf_id focus;
    struct tr_shacl_span values;
};

static inline tr_rdf_id tr_shacl_value_at(const struct tr_shacl_validation *v,
                                          struct tr_shacl_span span, size_t i)
{
    return ((const tr_rdf_id *)(const void *)v->stack.ptr)[span.at + i];
}

static inline size_t tr_shacl_stack_top(const struct tr_shacl_validation *v)
{
    return v->stack.len / sizeof(tr_rdf_id);
}

static inline void tr_shacl_stack_cut(struct tr_shacl_validation *v, size_t top)
{
    v->stack.len = top * sizeof(tr_rdf_id);
}

TR_NODISCARD tr_status tr_shacl_stack_push(struct tr_shacl_validation *v,
                                           tr_rdf_id id);

/* Drops what occurs twice from `from` on. */
TR_NODISCARD tr_status tr_shacl_stack_unique(struct tr_shacl_validation *v,
                                             size_t from);

static inline struct tr_shacl_span
tr_shacl_span_from(const struct tr_shacl_validation *v, size_t from)
{
    return (struct tr_shacl_span){from, tr_shacl_stack_top(v) - from};
}

TR_NODISCARD tr_status tr_shacl_span_to_set(struct tr_shacl_validation *v,
                                            struct tr_shacl_span span,
                                            struct tr_rdf_id_hash *set);

/* Counts steps; TR_E_LIMIT when there were too many. */
TR_NODISCARD tr_status tr_shacl_validation_spend(struct tr_shacl_validation *v,
                                                 uint64_t steps);

/* The term of an id; borrowed until the next call. */
TR_NODISCARD tr_status tr_shacl_validation_look_up(
    struct tr_shacl_validation *v, tr_rdf_id id, const tr_rdf_term **out);

static inline bool tr_shacl_id_is_local(tr_rdf_id id)
{
    return id != TR_RDF_ID_ANY && (id & TR_SHACL_ID_LOCAL);
}

/* Pushes the objects, or backward the subjects, of a node and predicate. */
TR_NODISCARD tr_status
tr_shacl_validation_push_objects(struct tr_shacl_validation *v, tr_rdf_id node,
                                 tr_rdf_id predicate, bool backward);

/* Pushes the distinct nodes at the other end of a path (SHACL 2.3.1). */
TR_NODISCARD tr_status tr_shacl_validation_push_path(
    struct tr_shacl_validation *v, const struct tr_shacl_path *path,
    bool backward, tr_rdf_id node);

/* Whether a node is an instance of a class or of a subclass of it (SHACL,
 * section 1.1). */
TR_NODISCARD tr_status
tr_shacl_validation_is_instance(struct tr_shacl_validation *v, tr_rdf_id node,
                                tr_shacl_term_no class_no, bool *out);
TR_NODISCARD tr_status tr_shacl_validation_push_instances(
    struct tr_shacl_validation *v, tr_shacl_term_no class_no);
void tr_shacl_classes_done(struct tr_shacl_validation *v);

/* validator_target.c: SHACL 2.1.3 */
TR_NODISCARD tr_status tr_shacl_validation_push_targets(
    struct tr_shacl_validation *v, const struct tr_shacl_shape *shape);
TR_NODISCARD tr_status tr_shacl_validation_is_target(
    struct tr_shacl_validation *v, const struct tr_shacl_shape *shape,
    tr_rdf_id node, bool *out);

/* Reports that the frame's constraint does not hold. */
TR_NODISCARD tr_status
tr_shacl_validation_found(struct tr_shacl_validation *v,
                          const struct tr_shacl_frame *frame, tr_rdf_id value);
TR_NODISCARD tr_status tr_shacl_validation_found_row(
    struct tr_shacl_validation *v, const struct tr_shacl_frame *frame,
    tr_rdf_id predicate, tr_rdf_id value);

/* Checks all constraints of a shape at a focus node. */
TR_NODISCARD tr_status tr_shacl_check_shape(struct tr_shacl_validation *v,
                                            uint32_t shape, tr_rdf_id focus);
TR_NODISCARD tr_status tr_shacl_conforms(struct tr_shacl_validation *v,
                                         uint32_t shape, tr_rdf_id node,
                                         bool *out);

/* Whether checking may stop: the caller only asks whether there is a result,
 * and there is one. */
static inline bool
tr_shacl_validation_is_settled(const struct tr_shacl_validation *v)
{
    return v->probing && v->found;
}

/* Whether one value satisfies a constraint. With `hit_limit` that took too much
 * work to decide, and it does not. */
struct tr_shacl_verdict {
    bool holds;
    bool hit_limit;
};
typedef tr_status
tr_shacl_value_test(struct tr_shacl_validation *v,
                    const struct tr_shacl_constraint *constraint,
                    tr_rdf_id value, struct tr_shacl_verdict *out);

/* NULL for the components that are about all values together. */
tr_shacl_value_test *tr_shacl_value_test_of(enum tr_shacl_component component);

/* Checks a constraint that is about all values together. */
TR_NODISCARD tr_status tr_shacl_check_values(
    struct tr_shacl_validation *v, const struct tr_shacl_frame *frame);

#endif

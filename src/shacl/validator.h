/*
 * shacl/validator.h - checks whether a graph conforms to shapes.
 *
 * A validation binds shapes to a graph: both are borrowed and must outlive it.
 * It may run several times, but in one thread at a time. Results come in the
 * order of the shapes, then of the focus nodes, then of the constraints.
 */
#ifndef TR_SHACL_VALIDATOR_H
#define TR_SHACL_VALIDATOR_H

#include "shacl/shapes.h"

/* Set in the ids of terms that only the shapes have. */
#define TR_SHACL_ID_LOCAL ((tr_rdf_id)1 << 63)

/* One way in which one node does not conform (SHACL 3.6). */
struct tr_shacl_result {
    uint32_t shape;      /* index into the shapes */
    uint32_t constraint; /* index into the constraints of that shape */
    tr_rdf_id focus;
    tr_rdf_id value;     /* TR_RDF_ID_NONE when there is none */
    tr_rdf_id predicate; /* of sh:closed: the path; else TR_RDF_ID_NONE */
    bool hit_limit;      /* the pattern needed too much work */
    uint32_t depth;      /* above 0: why the one before it that has one less */
};

/* Failing ends the validation with that status. */
typedef tr_status tr_shacl_result_fn(void *context,
                                     const struct tr_shacl_result *result,
                                     struct tr_err *err);

/* Called now and then with the number of focus nodes of the shape at hand that
 * are done, and of all. Meanwhile no term of the graph is held, so that it may
 * be made to forget those that it has read. */
typedef void tr_shacl_progress_fn(void *context, size_t done, size_t total);

/* A field left zero takes the default named beside it. */
struct tr_shacl_validation_opts {
    tr_rdf_id graph;   /* all graphs as one */
    uint64_t max_work; /* TR_LIMIT_VALIDATION_WORK */
    tr_shacl_progress_fn *progress;
    void *progress_context;
};

struct tr_shacl_validation;

TR_NODISCARD tr_status tr_shacl_validation_create(
    const struct tr_shacl_shapes *shapes, const struct tr_rdf_graph *graph,
    const struct tr_shacl_validation_opts *opts,
    struct tr_shacl_validation **out, struct tr_err *err);

/* NULL is allowed. */
void tr_shacl_validation_free(struct tr_shacl_validation *validation);

/*
 * Checks all targets of all shapes. Fails with TR_E_LIMIT when that takes too
 * much work, which says nothing about whether the data conforms.
 */
TR_NODISCARD tr_status tr_shacl_validation_run(
    struct tr_shacl_validation *validation, tr_shacl_result_fn *result,
    void *context, struct tr_err *err);

/* Checks one node against one shape, if it is one of the shape's targets. */
TR_NODISCARD tr_status tr_shacl_validation_check(
    struct tr_shacl_validation *validation, uint32_t shape, tr_rdf_id node,
    tr_shacl_result_fn *result, void *context, struct tr_err *err);

/* Why a value does not conform: of a result of sh:node, those of the value
 * against that shape; of others none. */
TR_NODISCARD tr_status tr_shacl_validation_details(
    struct tr_shacl_validation *validation, const struct tr_shacl_result *of,
    tr_shacl_result_fn *result, void *context, struct tr_err *err);

/* Checks all targets of one shape. */
TR_NODISCARD tr_status tr_shacl_validation_run_shape(
    struct tr_shacl_validation *validation, uint32_t shape,
    tr_shacl_result_fn *result, void *context, struct tr_err *err);

/* The graph that it is about. */
const struct tr_rdf_graph *
tr_shacl_validation_graph(const struct tr_shacl_validation *validation);

/* The term of an id that a result has. */
TR_NODISCARD tr_status
tr_shacl_validation_term(const struct tr_shacl_validation *validation,
                         tr_rdf_id id, tr_rdf_term *out, struct tr_err *err);

/* The shapes it was made with. */
const struct tr_shacl_shapes *
tr_shacl_validation_shapes(const struct tr_shacl_validation *validation);

#endif

/*
 * shacl/affected.h - from changed quads to what has to be validated again.
 *
 * The validation is bound to the graph as it is after the change. A node that
 * `visit` is not called for has the results it had before: a path from a focus
 * node to a changed quad was either there before and after, and is walked
 * backwards, or has a first changed quad of its own.
 */
#ifndef TR_SHACL_AFFECTED_H
#define TR_SHACL_AFFECTED_H

#include "shacl/validator.h"

/* One shape and one node to check; TR_RDF_ID_ANY stands for all its targets. */
typedef tr_status tr_shacl_affected_fn(void *context, uint32_t shape,
                                       tr_rdf_id node, struct tr_err *err);

/*
 * Calls `visit` for all that `changes`, quads added or removed, may affect.
 * A node that is not a target any more may be among them. Each pair comes
 * once. `visit` must not use the validation.
 */
TR_NODISCARD tr_status tr_shacl_affected_each(
    struct tr_shacl_validation *validation, const tr_rdf_ids *changes,
    size_t count, tr_shacl_affected_fn *visit, void *context,
    struct tr_err *err);

#endif

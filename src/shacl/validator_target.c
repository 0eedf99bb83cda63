#include "shacl/validator_inside.h"

/* Pushes all subjects, or objects, of a predicate. */
static tr_status push_ends(struct tr_shacl_validation *v, tr_rdf_id predicate,
                           bool objects)
{
    struct tr_rdf_cursor cursor;
    tr_rdf_ids row;
    if (tr_shacl_id_is_local(predicate))
        return TR_OK;
    tr_rdf_graph_match(
        v->graph, (tr_rdf_ids){TR_RDF_ID_ANY, predicate, TR_RDF_ID_ANY, v->in},
        &cursor);
    tr_status status = TR_OK;
    while (status == TR_OK && tr_rdf_cursor_next(&cursor, &row)) {
        status = tr_shacl_stack_push(v, objects ? row.o : row.s);
        if (status == TR_OK)
            status = tr_shacl_validation_spend(v, 1);
    }
    tr_status closed =
        tr_rdf_cursor_close(&cursor, status == TR_OK ? v->err : NULL);
    return status != TR_OK ? status : closed;
}

static tr_status push_target(struct tr_shacl_validation *v,
                             const struct tr_shacl_target *target)
{
    switch (target->kind) {
    case TR_SHACL_TARGET_NODE:
        return tr_shacl_stack_push(v, v->ids[target->term]);
    case TR_SHACL_TARGET_CLASS:
        return tr_shacl_validation_push_instances(v, target->term);
    case TR_SHACL_TARGET_SUBJECTS_OF:
        return push_ends(v, v->ids[target->term], false);
    case TR_SHACL_TARGET_OBJECTS_OF:
        return push_ends(v, v->ids[target->term], true);
    }
    return TR_OK;
}

tr_status tr_shacl_validation_push_targets(struct tr_shacl_validation *v,
                                           const struct tr_shacl_shape *shape)
{
    size_t base = tr_shacl_stack_top(v);
    for (size_t i = 0; i < shape->target_count; i++)
        TR_TRY(push_target(v, &shape->targets[i]));
    return tr_shacl_stack_unique(v, base);
}

static tr_status has_end(struct tr_shacl_validation *v, tr_rdf_id node,
                         tr_rdf_id predicate, bool is_object, bool *out)
{
    tr_rdf_ids pattern = {is_object ? TR_RDF_ID_ANY : node, predicate,
                          is_object ? node : TR_RDF_ID_ANY, v->in};
    *out = false;
    if (tr_shacl_id_is_local(node) || tr_shacl_id_is_local(predicate))
        return TR_OK;
    return tr_rdf_graph_has(v->graph, pattern, out, v->err);
}

static tr_status is_target(struct tr_shacl_validation *v,
                           const struct tr_shacl_target *target, tr_rdf_id node,
                           bool *out)
{
    switch (target->kind) {
    case TR_SHACL_TARGET_NODE:
        *out = v->ids[target->term] == node;
        return TR_OK;
    case TR_SHACL_TARGET_CLASS:
        return tr_shacl_validation_is_instance(v, node, target->term, out);
    case TR_SHACL_TARGET_SUBJECTS_OF:
        return has_end(v, node, v->ids[target->term], false, out);
    case TR_SHACL_TARGET_OBJECTS_OF:
        return has_end(v, node, v->ids[target->term], true, out);
    }
    return TR_OK;
}

tr_status tr_shacl_validation_is_target(struct tr_shacl_validation *v,
                                        const struct tr_shacl_shape *shape,
                                        tr_rdf_id node, bool *out)
{
    *out = false;
    for (size_t i = 0; i < shape->target_count && !*out; i++)
        TR_TRY(is_target(v, &shape->targets[i], node, out));
    return TR_OK;
}

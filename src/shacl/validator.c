#include "shacl/validator.h"

#include "base/limits.h"
#include "shacl/validator_inside.h"

/* Focus nodes between two calls of `progress`, whose terms may be long. */
enum { PROGRESS_STEP = 64 };

/*
 * Finds the ids of the shapes' terms. Terms that the data does not have get ids
 * of their own. So do blank nodes, unless shapes and data are the same graph: a
 * label means nothing in another document.
 */
static tr_status bind_terms(struct tr_shacl_validation *v, struct tr_err *err)
{
    const struct tr_shacl_shapes *shapes = v->shapes;
    for (size_t i = 0; i < shapes->term_count; i++) {
        tr_rdf_id id = TR_RDF_ID_NONE;
        if (shapes->terms[i].kind != TR_RDF_TERM_BLANK ||
            shapes->source == v->graph)
            TR_TRY(tr_rdf_graph_find(v->graph, &shapes->terms[i], &id, err));
        v->ids[i] = id == TR_RDF_ID_NONE ? TR_SHACL_ID_LOCAL | i : id;
    }
    return TR_OK;
}

static tr_status fill(struct tr_shacl_validation *v, struct tr_err *err)
{
    size_t count = v->shapes->term_count;
    v->ids = TR_NEW_ARRAY(&v->arena, tr_rdf_id, count);
    v->classes = TR_NEW_ARRAY(&v->arena, struct tr_shacl_class *, count);
    if (!v->ids || !v->classes)
        return tr_fail(err, TR_E_NOMEM, "no memory for a validation");
    return bind_terms(v, err);
}

tr_status
tr_shacl_validation_create(const struct tr_shacl_shapes *shapes,
                           const struct tr_rdf_graph *graph,
                           const struct tr_shacl_validation_opts *opts,
                           struct tr_shacl_validation **out, struct tr_err *err)
{
    struct tr_shacl_validation *v = calloc(1, sizeof(*v));
    if (!v)
        return tr_fail(err, TR_E_NOMEM, "no memory for a validation");
    v->shapes = shapes;
    v->graph = graph;
    v->in = opts && opts->graph ? opts->graph : TR_RDF_ID_ANY;
    v->max_work =
        opts && opts->max_work ? opts->max_work : TR_LIMIT_VALIDATION_WORK;
    v->progress = opts ? opts->progress : NULL;
    v->progress_context = opts ? opts->progress_context : NULL;
    tr_arena_init(&v->arena, TR_LIMIT_VALIDATION_BYTES);
    tr_arena_init(&v->scratch, TR_LIMIT_PATTERN_HEAP * 2);
    tr_buf_init(&v->stack, TR_LIMIT_VALIDATION_BYTES);
    tr_status status = fill(v, err);
    if (status != TR_OK)
        tr_shacl_validation_free(v);
    else
        *out = v;
    return status;
}

void tr_shacl_validation_free(struct tr_shacl_validation *v)
{
    if (!v)
        return;
    tr_shacl_classes_done(v);
    tr_buf_done(&v->stack);
    tr_arena_done(&v->scratch);
    tr_arena_done(&v->arena);
    free(v);
}

const struct tr_shacl_shapes *
tr_shacl_validation_shapes(const struct tr_shacl_validation *v)
{
    return v->shapes;
}

const struct tr_rdf_graph *
tr_shacl_validation_graph(const struct tr_shacl_validation *v)
{
    return v->graph;
}

tr_status tr_shacl_validation_term(const struct tr_shacl_validation *v,
                                   tr_rdf_id id, tr_rdf_term *out,
                                   struct tr_err *err)
{
    if (!tr_shacl_id_is_local(id))
        return tr_rdf_graph_get(v->graph, id, out, err);
    *out = v->shapes->terms[id & ~TR_SHACL_ID_LOCAL];
    return TR_OK;
}

static tr_status report(struct tr_shacl_validation *v,
                        const struct tr_shacl_frame *frame,
                        struct tr_shacl_result result)
{
    if (v->probing) {
        v->found = true;
        return TR_OK;
    }
    result.shape = (uint32_t)(frame->shape - v->shapes->shapes);
    result.constraint =
        (uint32_t)(frame->constraint - frame->shape->constraints);
    result.focus = frame->focus;
    return v->result(v->context, &result, v->err);
}

tr_status tr_shacl_validation_found(struct tr_shacl_validation *v,
                                    const struct tr_shacl_frame *frame,
                                    tr_rdf_id value)
{
    return report(v, frame, (struct tr_shacl_result){.value = value});
}

tr_status tr_shacl_validation_found_row(struct tr_shacl_validation *v,
                                        const struct tr_shacl_frame *frame,
                                        tr_rdf_id predicate, tr_rdf_id value)
{
    return report(
        v, frame,
        (struct tr_shacl_result){.value = value, .predicate = predicate});
}

static tr_status check_each(struct tr_shacl_validation *v,
                            const struct tr_shacl_frame *frame,
                            tr_shacl_value_test *test)
{
    for (size_t i = 0;
         i < frame->values.count && !tr_shacl_validation_is_settled(v); i++) {
        struct tr_shacl_verdict verdict = {0};
        tr_rdf_id value = tr_shacl_value_at(v, frame->values, i);
        TR_TRY(test(v, frame->constraint, value, &verdict));
        if (!verdict.holds)
            TR_TRY(report(v, frame,
                          (struct tr_shacl_result){
                              .value = value, .hit_limit = verdict.hit_limit}));
    }
    return TR_OK;
}

static tr_status check_constraints(struct tr_shacl_validation *v,
                                   struct tr_shacl_frame *frame)
{
    const struct tr_shacl_shape *shape = frame->shape;
    TR_TRY(tr_shacl_validation_spend(v, 1 + shape->constraint_count));
    for (size_t i = 0;
         i < shape->constraint_count && !tr_shacl_validation_is_settled(v);
         i++) {
        frame->constraint = &shape->constraints[i];
        tr_shacl_value_test *test =
            tr_shacl_value_test_of(frame->constraint->component);
        if (test)
            TR_TRY(check_each(v, frame, test));
        else
            TR_TRY(tr_shacl_check_values(v, frame));
    }
    return TR_OK;
}

tr_status tr_shacl_check_shape(struct tr_shacl_validation *v, uint32_t shape_no,
                               tr_rdf_id focus)
{
    const struct tr_shacl_shape *shape = &v->shapes->shapes[shape_no];
    size_t base = tr_shacl_stack_top(v);
    if (shape->deactivated)
        return TR_OK;
    if (shape->path)
        TR_TRY(tr_shacl_validation_push_path(v, shape->path, false, focus));
    else
        TR_TRY(tr_shacl_stack_push(v, focus));
    struct tr_shacl_frame frame = {
        .shape = shape, .focus = focus, .values = tr_shacl_span_from(v, base)};
    TR_TRY(check_constraints(v, &frame));
    tr_shacl_stack_cut(v, base);
    return TR_OK;
}

/* SHACL 3.5: a node conforms when there would be no result. */
tr_status tr_shacl_conforms(struct tr_shacl_validation *v, uint32_t shape,
                            tr_rdf_id node, bool *out)
{
    bool found = v->found;
    v->found = false;
    v->probing++;
    tr_status status = tr_shacl_check_shape(v, shape, node);
    v->probing--;
    *out = !v->found;
    v->found = found;
    return status;
}

static void start(struct tr_shacl_validation *v, tr_shacl_result_fn *result,
                  void *context, struct tr_err *err)
{
    tr_shacl_stack_cut(v, 0);
    v->stack.failed = TR_OK;
    v->work = 0;
    v->probing = 0;
    v->found = false;
    v->result = result;
    v->context = context;
    v->err = err;
}

static void tell(struct tr_shacl_validation *v, size_t done, size_t total)
{
    if (!v->progress)
        return;
    v->progress(v->progress_context, done, total);
    v->last = TR_RDF_ID_NONE; /* the graph may have forgotten it */
}

static tr_status run_shape(struct tr_shacl_validation *v, uint32_t shape_no)
{
    const struct tr_shacl_shape *shape = &v->shapes->shapes[shape_no];
    if (shape->deactivated || !shape->target_count)
        return TR_OK;
    TR_TRY(tr_shacl_validation_push_targets(v, shape));
    struct tr_shacl_span targets = tr_shacl_span_from(v, 0);
    for (size_t i = 0; i < targets.count; i++) {
        TR_TRY(tr_shacl_check_shape(v, shape_no,
                                    tr_shacl_value_at(v, targets, i)));
        if (i % PROGRESS_STEP == 0)
            tell(v, i, targets.count);
    }
    tr_shacl_stack_cut(v, 0);
    return TR_OK;
}

tr_status tr_shacl_validation_run(struct tr_shacl_validation *v,
                                  tr_shacl_result_fn *result, void *context,
                                  struct tr_err *err)
{
    start(v, result, context, err);
    for (uint32_t i = 0; i < v->shapes->count; i++)
        TR_TRY(run_shape(v, i));
    return TR_OK;
}

tr_status tr_shacl_validation_run_shape(struct tr_shacl_validation *v,
                                        uint32_t shape,
                                        tr_shacl_result_fn *result,
                                        void *context, struct tr_err *err)
{
    start(v, result, context, err);
    return run_shape(v, shape);
}

tr_status tr_shacl_validation_check(struct tr_shacl_validation *v,
                                    uint32_t shape_no, tr_rdf_id node,
                                    tr_shacl_result_fn *result, void *context,
                                    struct tr_err *err)
{
    const struct tr_shacl_shape *shape = &v->shapes->shapes[shape_no];
    bool is_target = false;
    start(v, result, context, err);
    if (shape->deactivated)
        return TR_OK;
    TR_TRY(tr_shacl_validation_is_target(v, shape, node, &is_target));
    return is_target ? tr_shacl_check_shape(v, shape_no, node) : TR_OK;
}

tr_status tr_shacl_validation_details(struct tr_shacl_validation *v,
                                      const struct tr_shacl_result *of,
                                      tr_shacl_result_fn *result, void *context,
                                      struct tr_err *err)
{
    const struct tr_shacl_constraint *c =
        &v->shapes->shapes[of->shape].constraints[of->constraint];
    start(v, result, context, err);
    return c->component == TR_SHACL_NODE && of->value != TR_RDF_ID_NONE
               ? tr_shacl_check_shape(v, c->shapes[0], of->value)
               : TR_OK;
}

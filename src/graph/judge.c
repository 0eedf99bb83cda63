#include "base/limits.h"
#include "fields/error.h"
#include "graph/land_inside.h"
#include "shacl/affected.h"
#include "shacl/report.h"

/* A shape and the node to check against it; TR_RDF_ID_ANY: all its targets. */
struct pair {
    uint32_t shape;
    tr_rdf_id node;
};

struct pairs {
    struct tr_arena *arena;
    TR_VEC(struct pair) list;
};

struct results {
    struct tr_arena *arena;
    TR_VEC(struct tr_shacl_result) list;
};

static tr_status keep_pair(void *context, uint32_t shape, tr_rdf_id node,
                           struct tr_err *err)
{
    struct pairs *pairs = context;
    struct pair pair = {shape, node};
    return tr_vec_push(pairs->arena, &pairs->list, pair)
               ? TR_OK
               : tr_fail(err, TR_E_NOMEM, "no memory to validate");
}

static tr_status keep_result(void *context,
                             const struct tr_shacl_result *result,
                             struct tr_err *err)
{
    struct results *results = context;
    if (results->list.count >= TR_LIMIT_RESULTS)
        return tr_fail(err, TR_E_LIMIT, "more than %zu values do not conform",
                       TR_LIMIT_RESULTS);
    return tr_vec_push(results->arena, &results->list, *result)
               ? TR_OK
               : tr_fail(err, TR_E_NOMEM, "no memory to validate");
}

static tr_status check_pairs(struct tr_shacl_validation *v,
                             const struct pairs *pairs, struct results *results,
                             struct tr_err *err)
{
    for (size_t i = 0; i < pairs->list.count; i++) {
        struct pair pair = pairs->list.items[i];
        if (pair.node == TR_RDF_ID_ANY)
            TR_TRY(tr_shacl_validation_run_shape(v, pair.shape, keep_result,
                                                 results, err));
        else
            TR_TRY(tr_shacl_validation_check(v, pair.shape, pair.node,
                                             keep_result, results, err));
    }
    return TR_OK;
}

static int compare(const void *a, const void *b)
{
    const struct tr_shacl_result *x = a;
    const struct tr_shacl_result *y = b;
    const uint64_t left[] = {x->shape, x->constraint, x->focus, x->value,
                             x->predicate};
    const uint64_t right[] = {y->shape, y->constraint, y->focus, y->value,
                              y->predicate};
    for (size_t i = 0; i < TR_LEN(left); i++)
        if (left[i] != right[i])
            return left[i] < right[i] ? -1 : 1;
    return 0;
}

/* Validates the same pairs in the state before the changes; sorts the results.
 * They compare by id, since both states are the same overlay. */
static tr_status find_old(struct tr_graph_landing_job *job,
                          const struct pairs *pairs, struct results *old)
{
    struct tr_shacl_validation_opts opts = {.max_work = TR_LIMIT_LANDING_WORK};
    struct tr_shacl_validation *v = NULL;
    tr_graph_overlay_undo(job->lander->overlay);
    TR_TRY(tr_shacl_validation_create(job->landing->model->shapes, job->after,
                                      &opts, &v, job->err));
    tr_status status = check_pairs(v, pairs, old, job->err);
    tr_shacl_validation_free(v);
    if (status == TR_OK)
        status = tr_graph_landing_job_redo(job);
    if (old->list.count > 0)
        qsort(old->list.items, old->list.count, sizeof(struct tr_shacl_result),
              compare);
    return status;
}

/* The index of the first that is not before `result`. */
static size_t lower_bound(const struct results *old,
                          const struct tr_shacl_result *result)
{
    size_t low = 0;
    size_t high = old->list.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare(&old->list.items[middle], result) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Each old result excuses one new result that is equal to it, and no more. */
static bool take_old(const struct results *old, bool *is_taken,
                     const struct tr_shacl_result *result)
{
    for (size_t i = lower_bound(old, result);
         i < old->list.count && compare(&old->list.items[i], result) == 0;
         i++) {
        if (!is_taken[i])
            return is_taken[i] = true;
    }
    return false;
}

/* Whether a result is about what is hidden, or would name it. */
static bool is_hidden(const struct tr_graph_landing_job *job,
                      const struct tr_shacl_shapes *shapes,
                      const struct tr_shacl_result *result)
{
    const struct tr_model_face *face = job->landing->face;
    return face && tr_model_face_hides_result(face, job->seen, shapes, result);
}

static tr_status complain(struct tr_graph_landing_job *job,
                          struct tr_shacl_validation *v,
                          const struct results *found,
                          const struct results *old)
{
    bool *is_taken =
        TR_NEW_ARRAY(&job->lander->scratch, bool, old->list.count + 1);
    if (!is_taken)
        return tr_fail(job->err, TR_E_NOMEM, "no memory to validate");
    for (size_t i = 0; i < found->list.count; i++) {
        const struct tr_shacl_result *result = &found->list.items[i];
        if (take_old(old, is_taken, result))
            continue;
        if (!tr_graph_landing_job_may_complain(job))
            continue;
        if (is_hidden(job, tr_shacl_validation_shapes(v), result))
            tr_field_error_write_hidden(&job->complaint);
        else
            TR_TRY(tr_shacl_result_write_field_error(result, v, &job->complaint,
                                                     job->err));
    }
    return TR_OK;
}

static tr_status validate(struct tr_graph_landing_job *job,
                          struct tr_shacl_validation *v)
{
    struct tr_arena *arena = &job->lander->scratch;
    struct pairs pairs = {.arena = arena};
    struct results found = {.arena = arena};
    struct results old = {.arena = arena};
    TR_TRY(tr_shacl_affected_each(v, job->changed, job->count, keep_pair,
                                  &pairs, job->err));
    TR_TRY(check_pairs(v, &pairs, &found, job->err));
    if (found.list.count == 0)
        return TR_OK;
    TR_TRY(find_old(job, &pairs, &old));
    return complain(job, v, &found, &old);
}

tr_status tr_graph_landing_job_validate(struct tr_graph_landing_job *job)
{
    const struct tr_shacl_shapes *shapes = job->landing->model->shapes;
    struct tr_shacl_validation_opts opts = {.max_work = TR_LIMIT_LANDING_WORK};
    struct tr_shacl_validation *v = NULL;
    if (!shapes || shapes->count == 0 || job->count == 0)
        return TR_OK;
    TR_TRY(tr_shacl_validation_create(shapes, job->after, &opts, &v, job->err));
    tr_status status = validate(job, v);
    tr_shacl_validation_free(v);
    return status;
}

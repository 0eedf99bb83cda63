/*
 * Whether all that is stored conforms to the shapes of the app: a report.
 */
#include "base/limits.h"
#include "graph/store.h"
#include "graph/upkeep.h"
#include "meta/inside.h"
#include "shacl/report.h"

struct validating {
    struct tr_meta_job *job;
    struct tr_graph_reader *reader;
    const struct tr_rdf_graph *seen; /* what the caller sees; NULL: all */
    struct tr_shacl_validation *validation;
    struct tr_shacl_report report;
    struct tr_err unique; /* what is not, in words */
};

/* A result is a chance to stop. */
static tr_status take(void *context, const struct tr_shacl_result *result,
                      struct tr_err *err)
{
    struct validating *v = context;
    TR_TRY(tr_meta_job_check(v->job, err));
    return tr_shacl_report_add(&v->report, result, err);
}

static tr_status put_result(struct validating *v,
                            const struct tr_shacl_result *result,
                            struct tr_err *err)
{
    const struct tr_meta_job *job = v->job;
    if (v->seen && tr_model_face_hides_result(job->face, v->seen,
                                              job->model->shapes, result)) {
        tr_field_error_write_hidden(&v->job->writer);
        return TR_OK;
    }
    return tr_shacl_result_write_field_error(result, v->validation,
                                             &v->job->writer, err);
}

/* Shapes cannot express unique fields, so the store is looked through for them
 * as well: the first that is not is told. */
static tr_status check_unique(struct validating *v, struct tr_err *err)
{
    struct tr_err why = {0};
    tr_status status = tr_graph_unique_check(&v->reader->stored.base,
                                             v->job->model, NULL, NULL, &why);
    if (status == TR_E_VALIDATION) {
        v->unique = why;
        return TR_OK;
    }
    if (status != TR_OK && err)
        *err = why;
    return status;
}

static tr_status write_report(struct validating *v, struct tr_err *err)
{
    struct tr_json_writer *w = &v->job->writer;
    tr_jw_open(w, '{');
    tr_jw_put_bool(w, "conforms",
                   tr_shacl_report_conforms(&v->report) && !v->unique.msg[0]);
    tr_jw_put_i64(w, "count", (int64_t)v->report.count);
    tr_jw_key(w, "results");
    tr_jw_open(w, '[');
    for (size_t i = 0; i < v->report.results.count; i++)
        TR_TRY(put_result(v, &v->report.results.items[i], err));
    tr_jw_close(w, ']');
    if (v->unique.msg[0])
        tr_jw_put_string(w, "unique",
                         v->seen ? TR_STR(TR_FIELD_HIDDEN)
                                 : tr_str_from(v->unique.msg));
    tr_jw_close(w, '}');
    return tr_jw_finish(w, err);
}

static tr_status validate(struct validating *v, struct tr_err *err)
{
    struct tr_meta_job *job = v->job;
    const struct tr_rdf_graph *graph = &v->reader->stored.base;
    const struct tr_shacl_validation_opts opts = {.max_work =
                                                      TR_LIMIT_META_WORK};
    if (job->face)
        TR_TRY(
            tr_model_face_graph(job->face, graph, &job->arena, &v->seen, err));
    TR_TRY(tr_shacl_validation_create(job->model->shapes, graph, &opts,
                                      &v->validation, err));
    tr_status status = tr_shacl_validation_run(v->validation, take, v, err);
    if (status == TR_E_LIMIT)
        return tr_fail(err, status,
                       "the store is too large to be looked through while it "
                       "is served: 'trails validate' does it");
    if (status == TR_OK)
        status = check_unique(v, err);
    return status == TR_OK ? write_report(v, err) : status;
}

tr_status tr_meta_data_validate(struct tr_meta_job *job, struct tr_err *err)
{
    struct validating v = {.job = job};
    int64_t limit = 0;
    if (!job->store || !job->model)
        return tr_fail(err, TR_E_UNSUPPORTED, "there is no store");
    (void)tr_json_i64(tr_json_find(job->args, TR_STR("limit")), &limit);
    tr_shacl_report_init(&v.report, &job->arena, (size_t)limit);
    TR_TRY(tr_graph_store_reader(job->store, &v.reader, err));
    tr_status status = tr_graph_reader_begin(v.reader, err);
    if (status == TR_OK) {
        status = validate(&v, err);
        tr_shacl_validation_free(v.validation);
        tr_graph_reader_end(v.reader);
    }
    tr_graph_reader_free(v.reader);
    return status;
}

#include "shacl/report.h"

#include "base/limits.h"

/* With its details, so many times the results are kept. */
enum { DETAILS = 4 };

void tr_shacl_report_init(struct tr_shacl_report *report,
                          struct tr_arena *arena, size_t max_results)
{
    *report = (struct tr_shacl_report){
        .arena = arena,
        .max = max_results ? max_results : TR_LIMIT_RESULTS,
    };
}

tr_status tr_shacl_report_add(void *context,
                              const struct tr_shacl_result *result,
                              struct tr_err *err)
{
    struct tr_shacl_report *report = context;
    report->count++;
    if (report->results.count < report->max &&
        !tr_vec_push(report->arena, &report->results, *result))
        return tr_fail(err, TR_E_NOMEM, "no memory for the report");
    return TR_OK;
}

/* Depth first, so that each stands behind what it explains. */
static tr_status detail(struct tr_shacl_report *all,
                        struct tr_shacl_validation *v,
                        struct tr_shacl_result result, struct tr_err *err)
{
    struct tr_shacl_report why;
    tr_shacl_report_init(&why, all->arena, all->max);
    TR_TRY(tr_shacl_report_add(all, &result, err));
    if (result.depth > TR_LIMIT_OBJECT_DEPTH)
        return TR_OK;
    TR_TRY(tr_shacl_validation_details(v, &result, tr_shacl_report_add, &why,
                                       err));
    for (size_t i = 0; i < why.results.count; i++) {
        why.results.items[i].depth = result.depth + 1;
        TR_TRY(detail(all, v, why.results.items[i], err));
    }
    return TR_OK;
}

tr_status tr_shacl_report_detail(struct tr_shacl_report *report,
                                 struct tr_shacl_validation *v,
                                 struct tr_err *err)
{
    struct tr_shacl_report all;
    tr_shacl_report_init(&all, report->arena, DETAILS * report->max);
    for (size_t i = 0; i < report->results.count; i++)
        TR_TRY(detail(&all, v, report->results.items[i], err));
    all.count = report->count;
    *report = all;
    return TR_OK;
}

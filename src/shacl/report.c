#include "shacl/report.h"

#include "base/limits.h"

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

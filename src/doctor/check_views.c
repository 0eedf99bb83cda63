/*
 * The views of capabilities, beside what they are views of. They are made from
 * the descriptor alone, so what is found here is a fault of this program.
 */
#include "base/limits.h"
#include "doctor/inside.h"
#include "project/compare.h"

static tr_status tell(struct tr_doctor_exam *exam,
                      const struct tr_project_difference *found,
                      struct tr_err *err)
{
    return tr_doctor_tellf(
        exam, TR_AUDIT_FAIL,
        "report it as a fault of trails, with the descriptor", err,
        "%.*s: %.*s is another in the view %s", TR_FMT(found->id),
        TR_FMT(found->field), found->view);
}

tr_status tr_doctor_check_views(struct tr_doctor_exam *exam, struct tr_err *err)
{
    const struct tr_doctor_patient *patient = exam->patient;
    const struct tr_doctor_outside *outside = patient->outside;
    const struct tr_project_compared what = {.site = outside->site,
                                             .scopes = patient->scopes,
                                             .write = outside->write_view};
    struct tr_project_differences found = {0};
    struct tr_err why = {0};
    if (!what.site)
        return TR_OK; /* trails.toml cannot be read */
    if (tr_project_compare(patient->snapshot, &what, exam->arena, &found,
                           &why) != TR_OK)
        return tr_doctor_tellf(exam, TR_AUDIT_FAIL,
                               "describe capabilities more briefly", err,
                               "a view cannot be made: %s", why.msg);
    for (size_t i = 0; i < found.count; i++)
        TR_TRY(tell(exam, &found.items[i], err));
    return TR_OK;
}

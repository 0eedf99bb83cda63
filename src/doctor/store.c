/* What is in the store: audit/ looks. */
#include "cap/snapshot.h"
#include "doctor/inside.h"

static tr_status take(void *context, const struct tr_audit_finding *finding,
                      struct tr_err *err)
{
    struct tr_doctor_exam *exam = context;
    exam->id = finding->id;
    return tr_doctor_tell(exam, finding->health, finding->message, finding->fix,
                          err);
}

tr_status tr_doctor_check_store(struct tr_doctor_exam *exam, struct tr_err *err)
{
    const struct tr_doctor_patient *patient = exam->patient;
    const struct tr_audit_sink sink = {take, exam};
    const struct tr_audit_opts opts = {
        .model =
            patient->snapshot ? tr_cap_snapshot_model(patient->snapshot) : NULL,
        .max_bytes = patient->max_bytes,
    };
    if (patient->no_db)
        return tr_doctor_tell(exam, TR_AUDIT_FAIL, tr_str_from(patient->no_db),
                              TR_STR("mend what it says, or restore a backup: "
                                     "trails restore"),
                              err);
    if (!patient->db)
        return tr_doctor_tell(exam, TR_AUDIT_WELL,
                              TR_STR("there is no store yet"), TR_STR(""), err);
    return tr_audit_store(patient->db, &opts, &sink, err);
}

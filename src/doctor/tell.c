#include "base/limits.h"
#include "base/vec.h"
#include "doctor/inside.h"

#include <stdarg.h>

const struct tr_cap_snapshot *
tr_doctor_snapshot(const struct tr_doctor_exam *exam)
{
    return exam->patient->snapshot;
}

struct tr_arena *tr_doctor_arena(const struct tr_doctor_exam *exam)
{
    return exam->arena;
}

tr_status tr_doctor_tell(struct tr_doctor_exam *exam,
                         enum tr_audit_health health, tr_str message,
                         tr_str fix, struct tr_err *err)
{
    struct tr_doctor_report *report = exam->report;
    struct tr_audit_finding finding = {.id = exam->id, .health = health};
    if (!tr_arena_copy(exam->arena, message, &finding.message) ||
        !tr_arena_copy(exam->arena, fix, &finding.fix) ||
        !tr_vec_push(exam->arena, report, finding))
        return tr_fail(err, TR_E_NOMEM, "no memory for a finding");
    if (health > report->health)
        report->health = health;
    return TR_OK;
}

tr_status tr_doctor_tellf(struct tr_doctor_exam *exam,
                          enum tr_audit_health health, const char *fix,
                          struct tr_err *err, const char *format, ...)
{
    char text[TR_LIMIT_MESSAGE_BYTES];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    return tr_doctor_tell(exam, health, tr_str_from(text), tr_str_from(fix),
                          err);
}

void tr_doctor_write(struct tr_json_writer *w,
                     const struct tr_doctor_report *report)
{
    tr_jw_open(w, '{');
    tr_jw_put_string(w, "status", tr_audit_health_name(report->health));
    tr_jw_key(w, "checks");
    tr_jw_open(w, '[');
    for (size_t i = 0; i < report->count; i++)
        tr_audit_finding_write(w, &report->items[i]);
    tr_jw_close(w, ']');
    tr_jw_close(w, '}');
}

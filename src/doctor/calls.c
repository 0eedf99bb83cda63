/* What calls and queries came to. */
#include "base/limits.h"
#include "cap/snapshot.h"
#include "db/db.h"
#include "doctor/inside.h"
#include "model/model.h"
#include "prov/measure.h"

/* "filters": a field without an index that queries had to do without. */
static tr_status tell_scan(struct tr_doctor_exam *exam,
                           const struct tr_query_scan *scan, struct tr_err *err)
{
    char fix[TR_LIMIT_MESSAGE_BYTES];
    (void)snprintf(fix, sizeof(fix),
                   "declare index = true for the field %s of %s", scan->field,
                   scan->type);
    return tr_doctor_tellf(exam, TR_AUDIT_WARN, fix, err,
                           "%llu queries by %s.%s have looked at %llu nodes",
                           (unsigned long long)scan->times, scan->type,
                           scan->field, (unsigned long long)scan->looked);
}

/* Of types and fields that are seen, and still without an index. */
tr_status tr_doctor_check_scans(struct tr_doctor_exam *exam, struct tr_err *err)
{
    const struct tr_doctor_patient *patient = exam->patient;
    for (size_t i = 0; i < patient->scan_count; i++) {
        const struct tr_query_scan *scan = &patient->scans[i];
        const struct tr_model_type *type =
            tr_model_find(patient->model, tr_str_from(scan->type));
        const struct tr_field *field =
            type ? tr_shape_find(type->shape, tr_str_from(scan->field)) : NULL;
        if (field && field->index != TR_FIELD_INDEX_VALUE)
            TR_TRY(tell_scan(exam, scan, err));
    }
    return TR_OK;
}

/* What an estimate is compared with. */
struct estimate {
    enum tr_prov_unit unit;
    bool is_median;
    double stated;
    double per_unit;  /* of what is stated, so many are kept */
    const char *name; /* of the field of `cost` */
};

/* It is sure to be: a percentile may be as far away as its bucket is wide. */
static bool is_over(const struct tr_prov_measured *measured,
                    const struct estimate *estimate, double *actual)
{
    const struct tr_prov_percentiles *of = &measured->of[estimate->unit];
    uint64_t kept = estimate->is_median ? of->p50 : of->p95;
    *actual = (double)kept / estimate->per_unit;
    return of->count && estimate->stated > 0 &&
           *actual > estimate->stated * (double)TR_PROV_OVER *
                         (1 + TR_PROV_MEASURE_ERROR);
}

static tr_status compare(struct tr_doctor_exam *exam, const struct tr_cap *cap,
                         const struct tr_prov_measured *measured,
                         struct tr_err *err)
{
    const struct tr_cap_cost *cost = &cap->cost;
    const struct estimate rows[] = {
        {TR_PROV_UNIT_MICROS, true, cost->latency_p50_ms, 1e3,
         "latency_p50_ms"},
        {TR_PROV_UNIT_MICROS, false, cost->latency_p95_ms, 1e3,
         "latency_p95_ms"},
        {TR_PROV_UNIT_TOKENS, false, (double)cost->tokens, 1, "tokens"},
        {TR_PROV_UNIT_MICRO_USD, false, cost->usd, 1e6, "usd"},
    };
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        double actual;
        if (!is_over(measured, &rows[i], &actual))
            continue;
        TR_TRY(tr_doctor_tellf(
            exam, TR_AUDIT_WARN,
            "find out why, or state in `cost` what it costs", err,
            "%.*s %.*s: cost.%s is %g, and %s of %llu calls came to about %.3g "
            "or "
            "more",
            TR_FMT(cap->id), TR_FMT(cap->version), rows[i].name, rows[i].stated,
            rows[i].is_median ? "half" : "one in twenty",
            (unsigned long long)measured->of[rows[i].unit].count, actual));
    }
    return TR_OK;
}

/* A store of before, which nobody has written to since, has none. */
static tr_status has_table(struct tr_db *db, bool *out, struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    TR_TRY(tr_db_prepare(
        db, "SELECT 1 FROM sqlite_master WHERE name = 'measured' LIMIT 1",
        &stmt, err));
    TR_TRY(tr_db_stmt_step(stmt, out, err));
    if (*out)
        tr_db_stmt_reset(stmt);
    return TR_OK;
}

/* Those that are seen: an estimate is in no list of others. */
tr_status tr_doctor_check_estimates(struct tr_doctor_exam *exam,
                                    struct tr_err *err)
{
    const struct tr_doctor_patient *patient = exam->patient;
    size_t caps = tr_cap_snapshot_counts(patient->snapshot).caps;
    size_t before = exam->report->count;
    size_t known = 0;
    bool is_kept = false;
    struct tr_prov_measured_list list = {0};
    TR_TRY(has_table(patient->db, &is_kept, err));
    if (is_kept)
        TR_TRY(tr_prov_measure_read_all(patient->db, exam->arena, &list, err));
    for (size_t i = 0; i < caps; i++) {
        const struct tr_cap *cap = tr_cap_snapshot_cap(patient->snapshot, i);
        const struct tr_prov_measured *measured =
            tr_prov_measured_find(&list, cap->id, cap->version);
        if (!measured || !tr_cap_guard_is_shown(&cap->guard, patient->scopes))
            continue;
        known += measured->of[TR_PROV_UNIT_MICROS].count > 0;
        TR_TRY(compare(exam, cap, measured, err));
    }
    if (exam->report->count > before)
        return TR_OK;
    return tr_doctor_tellf(exam, TR_AUDIT_WELL, "", err,
                           "%zu capabilities were called, none at more than "
                           "three times its estimate",
                           known);
}

/*
 * doctor/doctor.h - whether an app and its store are well, check by check.
 *
 * The checks are one table, from which trails://doctor, `trails doctor` and the
 * documentation are made. They read what is there, in bounded time, and change
 * nothing: they may run beside a server on the same store, and without one.
 */
#ifndef TR_DOCTOR_DOCTOR_H
#define TR_DOCTOR_DOCTOR_H

#include "audit/audit.h"
#include "base/arena.h"
#include "base/err.h"
#include "json/writer.h"
#include "project/compare.h"
#include "query/scans.h"

struct tr_cap_snapshot;
struct tr_config;
struct tr_db;
struct tr_doctor_exam;
struct tr_doctor_outside;
struct tr_model;
struct tr_project_form;

/* Adds what is wrong by the check that is running; texts are copied. */
TR_NODISCARD tr_status tr_doctor_tell(struct tr_doctor_exam *exam,
                                      enum tr_audit_health health,
                                      tr_str message, tr_str fix,
                                      struct tr_err *err);

/* Says what it knows with tr_doctor_tell; on any thread. A failure is told as
 * what the check has found. */
typedef tr_status tr_doctor_ask_fn(const struct tr_doctor_outside *outside,
                                   struct tr_doctor_exam *exam,
                                   struct tr_err *err);

/* What only a process that has the app knows. A question that is NULL is not
 * asked. */
struct tr_doctor_outside {
    const struct tr_config *config;
    const char *folder;                  /* of the app */
    const struct tr_project_form *forms; /* how revisions list, newest last */
    size_t form_count;
    const struct tr_project_site *site; /* what it says of itself in views */
    tr_project_write_fn *write_view; /* who writes them; NULL: project/ does */
    tr_doctor_ask_fn *config_parses; /* trails.toml, as it is now */
    tr_doctor_ask_fn *app_loads;     /* the last time */
    tr_doctor_ask_fn *project_matches; /* the store's */
    tr_doctor_ask_fn *settings_are_safe;
};

/* Who is examined, as somebody sees it. */
struct tr_doctor_patient {
    const struct tr_cap_snapshot *snapshot; /* NULL: the app does not load */
    const struct tr_model *model;           /* what is seen of its model */
    unsigned scopes;  /* of who asks: what it cannot see is not told; checks for
                         the author need builder */
    struct tr_db *db; /* in a transaction that reads */
    uint64_t max_bytes; /* a larger store is not read as a whole; 0: any */
    const char *no_db;  /* why there is none; NULL: there is no store yet */
    const struct tr_query_scan *scans; /* queries that were slow */
    size_t scan_count;
    const struct tr_doctor_outside *outside; /* or NULL */
};

/* Its snapshot and its arena, for who is asked. */
const struct tr_cap_snapshot *
tr_doctor_snapshot(const struct tr_doctor_exam *exam);
struct tr_arena *tr_doctor_arena(const struct tr_doctor_exam *exam);

struct tr_doctor_report {
    struct tr_audit_finding *items;
    size_t count;
    size_t cap;
    enum tr_audit_health health; /* the worst of them */
};

/*
 * Runs every check that is possible. Each finds something, or says that all is
 * well. Fails without memory only; the report is in the arena.
 */
TR_NODISCARD tr_status tr_doctor_examine(
    const struct tr_doctor_patient *patient, struct tr_arena *arena,
    struct tr_doctor_report *out, struct tr_err *err);

/* {"status", "checks": [{"id", "status", "message", "fix"?}]} */
void tr_doctor_write(struct tr_json_writer *w,
                     const struct tr_doctor_report *report);

/* The i-th check and what it looks at; NULL behind the last. */
const char *tr_doctor_check_id(size_t i);
const char *tr_doctor_check_what(size_t i);

/* What hosts are known to complain of in the tools that we list, besides what
 * they refuse (schema/lint.h). */
struct tr_doctor_complaint {
    const char *id;
    const char *message;
};

#define TR_DOCTOR_COMPLAINTS_MAX 4

/* Writes one row for each kind of complaint to `out`, however many tools and
 * fields it is about, and returns how many rows that are. */
size_t tr_doctor_hosts_complain(
    const struct tr_config *config, const struct tr_cap_snapshot *snapshot,
    struct tr_doctor_complaint out[TR_DOCTOR_COMPLAINTS_MAX]);

#endif

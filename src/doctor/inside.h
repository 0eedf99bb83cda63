/*
 * doctor/inside.h - what checks share; for this folder only.
 */
#ifndef TR_DOCTOR_INSIDE_H
#define TR_DOCTOR_INSIDE_H

#include "base/buf.h"
#include "doctor/doctor.h"

/* One run of all checks. */
struct tr_doctor_exam {
    const struct tr_doctor_patient *patient;
    struct tr_arena *arena;
    struct tr_doctor_report *report;
    const char *id; /* of the check that runs */
};

/* What a check needs; without that it is left out. */
enum tr_doctor_need {
    TR_DOCTOR_NEEDS_APP = 1,     /* a snapshot */
    TR_DOCTOR_NEEDS_STORE = 2,   /* a store, if only that there is none yet */
    TR_DOCTOR_NEEDS_ROWS = 4,    /* a connection to it */
    TR_DOCTOR_NEEDS_OUTSIDE = 8, /* somebody to ask, with settings in force */
    TR_DOCTOR_NEEDS_AUTHOR = 16, /* it tells what is not for all: builder */
};

typedef tr_status tr_doctor_check_fn(struct tr_doctor_exam *exam,
                                     struct tr_err *err);

/* As tr_doctor_tell, with a message that is made. */
TR_PRINTF(5, 6)
TR_NODISCARD tr_status tr_doctor_tellf(struct tr_doctor_exam *exam,
                                       enum tr_audit_health health,
                                       const char *fix, struct tr_err *err,
                                       const char *format, ...);

tr_doctor_check_fn tr_doctor_check_config;
tr_doctor_check_fn tr_doctor_check_load;
tr_doctor_check_fn tr_doctor_check_project;
tr_doctor_check_fn tr_doctor_check_settings;
tr_doctor_check_fn tr_doctor_check_limits;
tr_doctor_check_fn tr_doctor_check_shapes;
tr_doctor_check_fn tr_doctor_check_store;
tr_doctor_check_fn tr_doctor_check_scans;
tr_doctor_check_fn tr_doctor_check_estimates;
tr_doctor_check_fn tr_doctor_check_names;
tr_doctor_check_fn tr_doctor_check_schemas;
tr_doctor_check_fn tr_doctor_check_hosts;
tr_doctor_check_fn tr_doctor_check_snapshots;
tr_doctor_check_fn tr_doctor_check_footprint;
tr_doctor_check_fn tr_doctor_check_views;

#endif

/*
 * server/doctor.h - what can be found out about a running app, as checks.
 *
 * trails://doctor is a view of them. Each is cheap: a loop waits for it.
 */
#ifndef TR_SERVER_DOCTOR_H
#define TR_SERVER_DOCTOR_H

#include "server/built_in.h"

enum tr_health { TR_HEALTH_OK, TR_HEALTH_WARN, TR_HEALTH_FAIL };

struct tr_check {
    const char *id; /* "store.integrity", ... */
    enum tr_health health;
    tr_str message;
    tr_str fix; /* what to do about it, or empty */
};

struct tr_checkup {
    TR_VEC(struct tr_check) checks;
    enum tr_health health; /* the worst of them */
};

/* Runs all checks; what they say lives in `arena`. `db` is one to read. */
struct tr_db;
struct tr_snapshot;
TR_NODISCARD tr_status tr_doctor_examine(const struct tr_snapshot *snapshot,
                                         struct tr_db *db,
                                         struct tr_arena *arena,
                                         struct tr_checkup *out,
                                         struct tr_err *err);

/* {"status", "checks": [{"id", "status", "message", "fix"}]} */
void tr_doctor_write(struct tr_json_writer *w,
                     const struct tr_checkup *checkup);

/* Of trails://doctor. */
tr_status tr_doctor_answer(struct tr_answer *answer, struct tr_err *err);

#endif

/*
 * builtin/doctor.h - what can be found out about a running app, as checks.
 *
 * trails://doctor is a view of them. Each is cheap: a loop waits for it.
 */
#ifndef TR_BUILTIN_DOCTOR_H
#define TR_BUILTIN_DOCTOR_H

#include "builtin/reply.h"

/* Of trails://doctor. */
tr_status tr_builtin_render_doctor(struct tr_builtin_reply *answer,
                                   struct tr_err *err);

#endif

/*
 * builtin/doctor.h - what can be found out about a running app, as checks.
 *
 * trails://doctor shows them. Each must be cheap, since it blocks a loop.
 */
#ifndef TR_BUILTIN_DOCTOR_H
#define TR_BUILTIN_DOCTOR_H

#include "builtin/reply.h"

/* The handler of trails://doctor. */
tr_status tr_builtin_render_doctor(struct tr_builtin_reply *reply,
                                   struct tr_err *err);

#endif

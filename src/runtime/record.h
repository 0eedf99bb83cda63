/*
 * runtime/record.h - every call leaves an activity behind (prov/activity.h).
 *
 * Where the environment has a log: one for each run of a handler, whatever
 * became of it, the calls that it invoked included.
 */
#ifndef TR_RUNTIME_RECORD_H
#define TR_RUNTIME_RECORD_H

#include "runtime/call.h"

/* First of all: names the activity, and notes who calls what with what. */
void tr_call_record_begin(struct tr_call *call);

/* When the handler has ended, before its graph is released: fills in the rest.
 * False when nothing is to be recorded. */
bool tr_call_record_end(struct tr_call *call,
                        const struct tr_call_outcome *outcome);

/*
 * Last of all: hands its activity to the log, unless it has landed with what
 * the call wrote; a result says in its meta where it is found.
 */
void tr_call_record_log(struct tr_call *call, struct tr_call_outcome *outcome);

#endif

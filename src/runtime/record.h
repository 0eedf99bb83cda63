/*
 * runtime/record.h - every call leaves an activity behind (prov/activity.h).
 *
 * Where the environment has a log, each run of a handler is recorded, whatever
 * became of it, the calls that it invoked included.
 */
#ifndef TR_RUNTIME_RECORD_H
#define TR_RUNTIME_RECORD_H

#include "runtime/call.h"

/*
 * Begins the activity, before the first stage: its id, the caller, what is
 * called and with which arguments.
 */
void tr_call_record_begin(struct tr_call *call);

/*
 * Fills in the rest when the handler has ended, before its graph is released.
 * False when nothing is to be recorded.
 */
bool tr_call_record_end(struct tr_call *call,
                        const struct tr_call_outcome *outcome);

/*
 * Hands the activity to the log at the very end, unless it has landed with what
 * the call wrote; the meta of a result says where it is found.
 */
void tr_call_record_log(struct tr_call *call, struct tr_call_outcome *outcome);

/*
 * A call that was denied is answered when its activity, and those of the
 * policies that were asked, are on the disk. True when that takes a while: then
 * `tell` is called later with the outcome. False when there is nothing to wait
 * for, or no memory to wait with.
 */
typedef void tr_call_tell_fn(struct tr_call *call,
                             const struct tr_call_outcome *outcome);
bool tr_call_record_settle(struct tr_call *call,
                           const struct tr_call_outcome *outcome,
                           tr_call_tell_fn *tell);

#endif

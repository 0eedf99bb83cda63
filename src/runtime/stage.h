/*
 * runtime/stage.h - what a call goes through before its handler runs; for this
 * folder only.
 *
 *     policies -> the input -> the key -> conditions -> budgets -> the handler
 *
 * Each of them goes on to the next, now or later, or ends the call. One that
 * has nothing to do with a call costs it nothing.
 */
#ifndef TR_RUNTIME_STAGE_H
#define TR_RUNTIME_STAGE_H

#include "runtime/call.h"

/* Whether all policies allow it; then the rest. */
void tr_stage_policies(struct tr_call *call);
void tr_stage_input(struct tr_call *call);
void tr_stage_key(struct tr_call *call);
void tr_stage_conditions(struct tr_call *call);
void tr_stage_budget(struct tr_call *call);
void tr_stage_run(struct tr_call *call);

/*
 * The end of every call: what it holds is given back, its activity is recorded
 * unless that has landed with its changes, and the door is told.
 */
void tr_call_conclude(struct tr_call *call, const struct tr_outcome *outcome,
                      bool has_landed);

/* {"key": value}, ...: of an outcome; NULL without memory. */
struct tr_json_member;
const struct tr_json *tr_stage_data(const struct tr_call *call,
                                    struct tr_json_member *members,
                                    size_t count);

#endif

/*
 * runtime/land.h - brings the changes of a call into the store; for this folder
 * only.
 *
 * They land in one transaction with the activity of the call and, where it has
 * an idempotency key, with its result.
 */
#ifndef TR_RUNTIME_LAND_H
#define TR_RUNTIME_LAND_H

#include "runtime/call.h"

/*
 * Sends what the call has changed to the writer. True when it was sent: then
 * tr_call_end is called later, with `outcome` or with why it could not land.
 * False when there is nothing to land or to keep, or when it failed at once:
 * then `failure` says why.
 */
bool tr_call_land(struct tr_call *call, const struct tr_call_outcome *outcome,
                  struct tr_call_outcome *failure);

#endif

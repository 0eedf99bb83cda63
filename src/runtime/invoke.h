/*
 * runtime/invoke.h - the one way into a handler.
 */
#ifndef TR_RUNTIME_INVOKE_H
#define TR_RUNTIME_INVOKE_H

#include "runtime/call.h"

/*
 * Asks whether the caller may and what policies say, checks the arguments
 * against the capability's input, fills in defaults, decides the preconditions
 * and starts the handler. The outcome, also of a refusal, comes through the
 * door's `finished`, perhaps before this returns. The output is checked on the
 * way.
 */
void tr_invoke(struct tr_call *call);

/*
 * Invokes another capability for the handler of `parent`. `done` hears of the
 * outcome instead of a door; everything else goes to the parent's door. The
 * child lives in the parent's arena. Fails with TR_E_NOT_FOUND, TR_E_LIMIT
 * (too many levels) or TR_E_NOMEM, and then `done` is not called.
 */
typedef void tr_invoke_done_fn(struct tr_call *parent, void *data,
                               const struct tr_outcome *outcome);

struct tr_invoke_child {
    tr_str id;
    const struct tr_json *args;
    tr_invoke_done_fn *done;
    void *data;
};

TR_NODISCARD tr_status tr_invoke_child(struct tr_call *parent,
                                       const struct tr_invoke_child *request,
                                       struct tr_err *err);

#endif

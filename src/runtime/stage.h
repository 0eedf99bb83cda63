/*
 * runtime/stage.h - what a call passes before its handler runs; for this folder
 * only.
 *
 * A stage looks at one thing: it lets a call pass, takes it for a while, or
 * refuses it. None knows its neighbours. Their order is that of the constants
 * below and of the table in pipeline.c (docs/decisions/0016 says why); a call
 * has the set of those that it needs, and the others cost it nothing.
 */
#ifndef TR_RUNTIME_STAGE_H
#define TR_RUNTIME_STAGE_H

#include "cap/cap.h"
#include "rdf/term.h"
#include "runtime/call.h"

/* As tr_call_guard, for where instructions are counted. */
static inline const struct tr_cap_guard *
tr_call_guard_at_once(const struct tr_call *call)
{
    return call->cap ? &call->cap->guard : call->guard;
}

enum tr_call_stage {
    TR_CALL_STAGE_AUTHORISE, /* has the caller the scope? */
    TR_CALL_STAGE_RETIRED,   /* has its author withdrawn it? */
    TR_CALL_STAGE_POLICIES,  /* do all policies allow it? */
    /* Takes the idempotency key out of the arguments: no input has it. */
    TR_CALL_STAGE_IDEMPOTENCY_ARGUMENT,
    TR_CALL_STAGE_INPUT,         /* are the arguments as they should be? */
    TR_CALL_STAGE_IDEMPOTENCY,   /* has the key been used, is it in use? */
    TR_CALL_STAGE_PRECONDITIONS, /* are the nodes what they have to be? */
    TR_CALL_STAGE_BUDGETS,       /* is there enough left? */
    TR_CALL_STAGE_HANDLER,       /* every call comes here */
};

/* What a stage says. */
enum tr_call_passage {
    TR_CALL_PASSED,  /* on to the next, now */
    TR_CALL_TAKEN,   /* it has the call, which may be gone: see below */
    TR_CALL_REFUSED, /* the pipeline ends it with `refusal` */
};

/*
 * A stage. One that takes a call hands it back, once, perhaps before it
 * returns: to tr_call_next when it has passed or was made to stop meanwhile, to
 * tr_call_finish when it is refused after all, to tr_call_end when it has been
 * answered. `refusal` is empty, and is looked at after TR_CALL_REFUSED only.
 */
typedef enum tr_call_passage tr_call_stage_fn(struct tr_call *call,
                                              struct tr_call_outcome *refusal);

tr_call_stage_fn tr_call_stage_authorise;
tr_call_stage_fn tr_call_stage_retired;
tr_call_stage_fn tr_call_stage_policies;
tr_call_stage_fn tr_call_stage_idempotency_argument;
tr_call_stage_fn tr_call_stage_input;
tr_call_stage_fn tr_call_stage_idempotency;
tr_call_stage_fn tr_call_stage_preconditions;
tr_call_stage_fn tr_call_stage_budgets;

/* What holds for every call of a kind, whatever it runs. */
struct tr_call_rules {
    const char *noun;
    const char *key;    /* what it is called in the data of a refusal */
    unsigned stages;    /* that it always has to pass */
    bool may_write;     /* what it changes lands */
    unsigned uncounted; /* what budgets do not see of it: a set of units */
    enum tr_prov_activity_kind activity; /* 0: it is not recorded */
};

const struct tr_call_rules *tr_call_rules_of(const struct tr_call *call);

/*
 * Who keeps a call from changing anything: itself, or the call that a door
 * started; NULL when it may.
 */
const char *tr_call_may_not_write(struct tr_call *call);

/* As tr_call_may_change, on the writer's thread: it only looks. */
TR_NODISCARD tr_status tr_call_may_land(void *by, const tr_rdf_term *graph,
                                        bool is_lost, struct tr_err *err);

/*
 * Whether a call, and all that have invoked it, may fetch from there. The first
 * only looks; after a refusal by the second none of them can succeed.
 */
struct tr_fetch_url;
TR_NODISCARD tr_status tr_call_could_fetch(void *by,
                                           const struct tr_fetch_url *url,
                                           struct tr_err *err);
TR_NODISCARD tr_status tr_call_may_fetch(struct tr_call *call,
                                         const struct tr_fetch_url *url,
                                         struct tr_err *err);

/* The set of stages that a call needs, as far as that is known at its start. */
unsigned tr_call_stages_of(const struct tr_call *call);

/* Adds a stage, when an earlier one finds out that it is needed. */
static inline void tr_call_need(struct tr_call *call, enum tr_call_stage stage)
{
    call->stages |= 1U << stage;
}

/*
 * Goes on with the stages that are left, up to the handler. Ends a call that
 * has been made to stop. The call may be gone afterwards.
 */
void tr_call_next(struct tr_call *call);

/* Lets the time of a call go on after tr_call_finish has stopped it. */
void tr_call_resume_clock(struct tr_call *call);

/*
 * Ends a call whose changes have landed or were dropped: it gives back what it
 * holds, its activity is recorded, and the door is told; later, if its hold on
 * budgets has to be corrected (finish.c).
 */
void tr_call_end(struct tr_call *call, const struct tr_call_outcome *outcome);

#endif

/*
 * runtime/names.h - the names of new nodes, in all rounds of a call the same.
 *
 * They are drawn from a seed that goes into the journal when the call first
 * wants to create something.
 */
#ifndef TR_RUNTIME_NAMES_H
#define TR_RUNTIME_NAMES_H

#include "runtime/call.h"

/* Before a name is drawn: by whoever may be run again, or is a part of it. */
TR_NODISCARD tr_status tr_call_fix_names(struct tr_call *call, struct tr_kg *kg,
                                         struct tr_err *err);

/*
 * How far it is, in the arena; for whoever skips what has drawn names. False
 * without memory.
 */
TR_NODISCARD bool tr_call_names(struct tr_arena *arena, const struct tr_kg *kg,
                                struct tr_json *out);
void tr_call_take_names(struct tr_kg *kg, const struct tr_json *names);

#endif

/*
 * runtime/journal.h - what a handler that is run again must see as it did.
 *
 * Time, random numbers, results of other capabilities: what a round records the
 * next one is given again, in the same order. Names of new nodes are drawn from
 * a seed, which goes into the journal when the call first wants to create
 * something.
 */
#ifndef TR_RUNTIME_JOURNAL_H
#define TR_RUNTIME_JOURNAL_H

#include "runtime/call.h"

/*
 * The next value that the journal has from an earlier round, or NULL when the
 * handler has come further than ever: then compute it and tr_call_record it.
 */
const struct tr_json *tr_call_replayed(struct tr_call *call);
TR_NODISCARD tr_status tr_call_record(struct tr_call *call,
                                      struct tr_json value, struct tr_err *err);

/* Before a name is drawn: by whoever may be run again, or is a part of it. */
TR_NODISCARD tr_status tr_call_fix_names(struct tr_call *call,
                                         struct tr_graph_kg *kg,
                                         struct tr_err *err);

/*
 * How far it is, in the arena; for whoever skips what has drawn names. False
 * without memory.
 */
TR_NODISCARD bool tr_call_names(struct tr_arena *arena,
                                const struct tr_graph_kg *kg,
                                struct tr_json *out);
void tr_call_take_names(struct tr_graph_kg *kg, const struct tr_json *names);

#endif

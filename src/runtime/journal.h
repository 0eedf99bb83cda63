/*
 * runtime/journal.h - what a handler that is run again must see as it did
 * before.
 *
 * Time, random numbers, results of other capabilities: a later round is given
 * what an earlier one recorded, in the same order. Names of new nodes are drawn
 * from a seed, which goes into the journal when the call first wants to create
 * something.
 *
 * A later round also pays only for what is new. What the earlier ones have paid
 * goes with the client, as the journal does, under the name of the round that
 * it was given by; the first that comes with this name makes use of it, and
 * whoever comes again pays for everything (budget.c).
 */
#ifndef TR_RUNTIME_JOURNAL_H
#define TR_RUNTIME_JOURNAL_H

#include "runtime/call.h"

struct tr_json_writer;

/*
 * The next value that the journal has from an earlier round, or NULL when the
 * handler has come further than before: then compute it and tr_call_record it.
 */
const struct tr_json *tr_call_replayed(struct tr_call *call);
TR_NODISCARD tr_status tr_call_record(struct tr_call *call,
                                      struct tr_json value, struct tr_err *err);

/*
 * Takes the seed of names from the journal, or draws and records one. Called
 * before a name is drawn in a call that may be run again.
 */
TR_NODISCARD tr_status tr_call_fix_names(struct tr_call *call,
                                         struct tr_graph_kg *kg,
                                         struct tr_err *err);

/*
 * The seed and how many names were drawn, as a value in the arena, and their
 * way back: whoever skips an invocation that drew names restores both. False
 * without memory.
 */
TR_NODISCARD bool tr_call_names(struct tr_arena *arena,
                                const struct tr_graph_kg *kg,
                                struct tr_json *out);
void tr_call_take_names(struct tr_graph_kg *kg, const struct tr_json *names);

/* The name of a journal that the store has. */
#define TR_CALL_KEPT_NAME 48

/*
 * A journal that is too long to go with the client becomes a row of the store,
 * for as long as a round may follow. Its name, random, goes with the client. No
 * more than TR_LIMIT_IDEMPOTENCY_RESULT_BYTES, and no more rows than
 * TR_LIMIT_JOURNALS and its like: TR_E_UNAVAILABLE, which `done` is told.
 * `done` is called on the loop, unless it was told to forget.
 */
struct tr_call_keeping;
struct tr_call_keep {
    tr_str text; /* copied */
    int64_t life_s;
    void (*done)(void *data, tr_status status, const struct tr_err *err);
    void *data;
    char name[TR_CALL_KEPT_NAME]; /* made */
};
TR_NODISCARD tr_status tr_call_journal_keep(struct tr_call *root,
                                            struct tr_call_keep *keep,
                                            struct tr_call_keeping **out,
                                            struct tr_err *err);

/* Nobody wants to hear of it any more: its row goes. NULL is allowed. */
void tr_call_journal_forget(struct tr_call_keeping *keeping);

/* Finds one, in the arena: TR_E_NOT_FOUND when its time is over. */
TR_NODISCARD tr_status tr_call_journal_find(const struct tr_call_env *env,
                                            tr_str name, int64_t now_s,
                                            struct tr_arena *arena, tr_str *out,
                                            struct tr_err *err);

/* The call has ended: its row goes, some time later. */
void tr_call_journal_drop(struct tr_call *root, tr_str name);

/*
 * Writes what a root and those that it invoked have paid so far, as a value for
 * the `round.paid` of the next round.
 */
void tr_call_round_put(struct tr_call *root, struct tr_json_writer *w);

#endif

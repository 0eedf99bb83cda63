/*
 * gen/apply.h - changes of several files that are all done, or none.
 *
 * An intent beside app.lua has every text, before and after. It is there from
 * before the first file changes until after the last one has: whoever finds it
 * goes on where its writer was killed, or takes back what was done, when a file
 * has been changed by somebody else meanwhile.
 */
#ifndef TR_GEN_APPLY_H
#define TR_GEN_APPLY_H

#include "gen/tree.h"

/* What the intent is called; a hidden file is never a file of an app. */
#define TR_GEN_INTENT ".trails-apply.json"

/*
 * Keeps others of us from changing the app's files until the tree is closed.
 * TR_E_UNAVAILABLE after TR_LIMIT_GEN_WAIT_MS.
 */
TR_NODISCARD tr_status tr_gen_lock(const struct tr_gen_tree *tree,
                                   struct tr_err *err);

/* With the lock: ends what the intent has, if there is one. */
TR_NODISCARD tr_status tr_gen_end_intent(const struct tr_gen_tree *tree,
                                         struct tr_err *err);

/*
 * With the lock: does it. TR_E_CONFLICT when a file is not what the diff says
 * that it is; nothing has changed then, nor after any other failure but one
 * that keeps it from being taken back: then the intent stays.
 */
TR_NODISCARD tr_status tr_gen_apply(const struct tr_gen_tree *tree,
                                    const struct tr_gen_diff *diffs,
                                    size_t count, struct tr_err *err);

#endif

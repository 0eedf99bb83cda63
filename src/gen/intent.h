/*
 * gen/intent.h - the intent of a change of files: its form.
 */
#ifndef TR_GEN_INTENT_H
#define TR_GEN_INTENT_H

#include "gen/gen.h"

/* A text that may not be there. */
struct tr_gen_text {
    bool is_there;
    tr_str text; /* UTF-8 */
};

/* One file of a change. */
struct tr_gen_entry {
    tr_str path;
    struct tr_gen_text before;
    struct tr_gen_text after;
};

struct tr_gen_intent {
    struct tr_gen_entry entries[TR_LIMIT_GEN_DIFFS];
    size_t count;
};

/* Fails with TR_E_LIMIT when the texts are more than TR_LIMIT_GEN_CHANGE. */
TR_NODISCARD tr_status tr_gen_intent_write(const struct tr_gen_intent *intent,
                                           struct tr_buf *out,
                                           struct tr_err *err);

/*
 * Reads what was written; texts borrow from `text` or live in the arena.
 * TR_E_INVALID for anything else, a path that is no file of an app included.
 */
TR_NODISCARD tr_status tr_gen_intent_read(tr_str text, struct tr_arena *arena,
                                          struct tr_gen_intent *out,
                                          struct tr_err *err);

#endif

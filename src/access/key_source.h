/*
 * access/key_source.h - a set of keys that one thread brings, and all loops
 * use.
 *
 * Whoever fetches puts the text; each loop's bearer takes it up when it next
 * looks, which costs a load from memory. Bearers say when they would like to
 * have a newer one.
 */
#ifndef TR_ACCESS_KEY_SOURCE_H
#define TR_ACCESS_KEY_SOURCE_H

#include "base/arena.h"
#include "base/err.h"

#include <pthread.h>
#include <stdatomic.h>

struct tr_key_source {
    _Atomic uint64_t round; /* grows with each text; 0: there is none yet */
    _Atomic bool is_wanted;
    pthread_mutex_t lock; /* guards the text */
    char *text;
    size_t len;
};

TR_NODISCARD tr_status tr_key_source_init(struct tr_key_source *source,
                                          struct tr_err *err);
void tr_key_source_done(struct tr_key_source *source);

/* From any thread: a copy of the text counts from now on. */
TR_NODISCARD tr_status tr_key_source_put(struct tr_key_source *source,
                                         tr_str text, struct tr_err *err);

/* From any thread: a copy of the text, and which it is; false without memory.
 */
TR_NODISCARD bool tr_key_source_take(struct tr_key_source *source,
                                     struct tr_arena *arena, tr_str *out,
                                     uint64_t *round);

#endif

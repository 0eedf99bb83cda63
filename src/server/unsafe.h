/*
 * server/unsafe.h - settings that work, and that somebody should think about.
 */
#ifndef TR_SERVER_UNSAFE_H
#define TR_SERVER_UNSAFE_H

#include "base/err.h"

struct tr_app;
struct tr_snapshot;

struct tr_unsafe {
    const char *id; /* "token.short", ... */
    const char *message;
};

#define TR_UNSAFE_MAX 16

/* Writes what it finds to `out`, and returns how many that are. */
size_t tr_unsafe_find(const struct tr_app *app,
                      const struct tr_snapshot *snapshot,
                      struct tr_unsafe out[TR_UNSAFE_MAX]);

#endif

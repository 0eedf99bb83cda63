/*
 * graph/generation.h - a counter that all processes with a store share.
 *
 * It is eight bytes of a mapped file: who has committed raises it before he
 * tells anybody, so whoever hears of a change finds it raised. Reading it is a
 * load from memory.
 */
#ifndef TR_GRAPH_GENERATION_H
#define TR_GRAPH_GENERATION_H

#include "base/err.h"

struct tr_graph_generation {
    void *page; /* NULL when it is not open */
    int fd;
};

/* Makes the file, 0600, when it is not there. */
TR_NODISCARD tr_status
tr_graph_generation_open(struct tr_graph_generation *generation,
                         const char *path, struct tr_err *err);
void tr_graph_generation_close(struct tr_graph_generation *generation);

/* From any thread. */
uint64_t tr_graph_generation_get(const struct tr_graph_generation *generation);
void tr_graph_generation_raise(const struct tr_graph_generation *generation);

#endif

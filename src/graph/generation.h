/*
 * graph/generation.h - a number that changes with every commit, which all
 * processes with a store share.
 *
 * It is eight bytes of a file: who has committed changes it before he tells
 * anybody, so whoever hears of a change finds another number. It is read with a
 * system call: a mapped page would end the process when somebody cuts the file.
 */
#ifndef TR_GRAPH_GENERATION_H
#define TR_GRAPH_GENERATION_H

#include "base/err.h"

struct tr_graph_generation {
    int fd;
    bool is_open;
};

/* Makes the file, 0600, when it is not there; not when it is only read. */
TR_NODISCARD tr_status tr_graph_generation_open(
    struct tr_graph_generation *generation, const char *path, bool is_read_only,
    struct tr_err *err);
void tr_graph_generation_close(struct tr_graph_generation *generation);

/* From any thread. */
uint64_t tr_graph_generation_get(const struct tr_graph_generation *generation);
void tr_graph_generation_raise(const struct tr_graph_generation *generation);

#endif

/*
 * meta/meta.h - registers the meta-capabilities: what agents that build an app
 * do with it, as ADR-0060 has it.
 *
 * They stand in their own registry of the snapshot, and pass the same stages as
 * the app's capabilities. What takes long, or writes beside the graph, runs on
 * a thread of its own.
 */
#ifndef TR_META_META_H
#define TR_META_META_H

#include "base/err.h"
#include "base/str.h"

#include <stdatomic.h>

struct tr_cap_builder;

/* How many run on threads of their own; one for each process. */
struct tr_meta_jobs {
    _Atomic unsigned running;
};

/* What only a process that has the app knows. All of it outlives the calls. */
struct tr_meta_outside {
    tr_str env;     /* "development", "test" or "production" */
    tr_str project; /* its name, as imports have it in IRIs */
    struct tr_meta_jobs *jobs;
};

/* Adds all of them. */
TR_NODISCARD tr_status tr_meta_add(struct tr_cap_builder *builder,
                                   struct tr_err *err);

#endif

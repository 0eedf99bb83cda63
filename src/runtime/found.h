/*
 * runtime/found.h - what stands behind a URI: a resource, a template, or
 * nothing.
 */
#ifndef TR_RUNTIME_FOUND_H
#define TR_RUNTIME_FOUND_H

#include "cap/resource.h"

struct tr_cap_snapshot;

struct tr_call_found {
    const struct tr_cap_handler *handler; /* NULL: nothing has this URI, */
    const struct tr_cap_guard *guard;     /* which then is open to all */
    tr_str name;                          /* the URI, or the template */
    tr_str mime_type;
    const struct tr_json *args; /* {"uri", and the variables} */
    bool is_built_in;
    enum tr_cap_told told;
};

/* Finds it in a snapshot; what it makes lives in the arena. */
TR_NODISCARD tr_status tr_call_find(const struct tr_cap_snapshot *snapshot,
                                    tr_str uri, struct tr_arena *arena,
                                    struct tr_call_found *out,
                                    struct tr_err *err);

#endif

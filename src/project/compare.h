/*
 * project/compare.h - whether all views say the same of what they share, and
 * what the descriptor says (ADR-0015a: the descriptor is the truth, and views
 * never disagree).
 */
#ifndef TR_PROJECT_COMPARE_H
#define TR_PROJECT_COMPARE_H

#include "base/arena.h"
#include "project/view.h"

/* A field in which a view of a capability is not as its descriptor. */
struct tr_project_difference {
    const char *view; /* "openapi", ... */
    tr_str id;
    tr_str field; /* of the fourteen; "id" where it is missing, or should
                          be */
};

struct tr_project_differences {
    struct tr_project_difference *items;
    size_t count;
    size_t cap;
};

/* Who writes views: tr_project_write; a test may write them wrongly. */
typedef tr_status tr_project_write_fn(const struct tr_cap_snapshot *snapshot,
                                      const struct tr_project_asked *asked,
                                      struct tr_buf *out, struct tr_err *err);

/* Which views are compared. */
struct tr_project_compared {
    const struct tr_project_site *site;
    unsigned scopes;
    tr_project_write_fn *write; /* NULL: tr_project_write */
};

/*
 * Makes every view of all that these scopes see and compares it with the
 * descriptors, byte for byte once it is unwrapped. `out` is in the arena, and
 * empty when all is well. Fails only when a view cannot be made, or is no JSON.
 */
TR_NODISCARD tr_status tr_project_compare(
    const struct tr_cap_snapshot *snapshot,
    const struct tr_project_compared *what, struct tr_arena *arena,
    struct tr_project_differences *out, struct tr_err *err);

#endif

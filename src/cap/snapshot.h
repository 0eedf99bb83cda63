/*
 * cap/snapshot.h - everything an app has registered, frozen.
 *
 * A builder makes it (registry.h); it is immutable from then on and read by any
 * number of threads. It is counted: whoever pinned it unpins it, and the last
 * unpin frees it with its arena, its patterns and its views. Lists are in the
 * order of names (URIs for resources and templates), whatever the order of
 * registration.
 */
#ifndef TR_CAP_SNAPSHOT_H
#define TR_CAP_SNAPSHOT_H

#include "base/buf.h"
#include "cap/cap.h"
#include "cap/resource.h"
#include "cap/uri_template.h"

struct tr_model;
struct tr_cap_snapshot;

typedef struct tr_cap_counts {
    size_t caps;  /* the app's */
    size_t metas; /* trails.meta. */
    size_t tools; /* both */
    size_t resources;
    size_t templates;
    size_t prompts;
    size_t choices; /* arguments of prompts that complete by themselves */
    size_t completions;
    size_t extensions;
} tr_cap_counts;

/* One more owner. The caller must already be one. */
void tr_cap_snapshot_pin(const struct tr_cap_snapshot *snapshot);

/* One owner less; the last frees it. NULL is allowed. */
void tr_cap_snapshot_unpin(const struct tr_cap_snapshot *snapshot);

tr_cap_counts tr_cap_snapshot_counts(const struct tr_cap_snapshot *snapshot);

/* The scopes that capabilities need, all together: no other makes a difference
 * to which are listed. */
unsigned tr_cap_snapshot_tools_need(const struct tr_cap_snapshot *snapshot);

/* The i-th by name; `i` must be below the count. */
const struct tr_cap *tr_cap_snapshot_cap(const struct tr_cap_snapshot *snapshot,
                                         size_t i);

/* The same among all that MCP lists as tools: capabilities of the app and
 * meta-capabilities. */
const struct tr_cap *
tr_cap_snapshot_tool(const struct tr_cap_snapshot *snapshot, size_t i);
const struct tr_cap_resource *
tr_cap_snapshot_resource(const struct tr_cap_snapshot *snapshot, size_t i);
const struct tr_cap_resource_template *
tr_cap_snapshot_template(const struct tr_cap_snapshot *snapshot, size_t i);
const struct tr_cap_prompt *
tr_cap_snapshot_prompt(const struct tr_cap_snapshot *snapshot, size_t i);

const struct tr_cap_extension *
tr_cap_snapshot_extension(const struct tr_cap_snapshot *snapshot, size_t i);

/* What the app declares about its graph; NULL unless a host has given it. */
const struct tr_model *
tr_cap_snapshot_model(const struct tr_cap_snapshot *snapshot);

/*
 * The guard of a shape: that of the type which it is, or which it is for; by
 * the name of the type, by the IRI, or by what stands behind trails://project/
 * in that; or that of the capability which has it for itself. An open one when
 * there is no such shape, or it is for no type.
 */
const struct tr_cap_guard *
tr_cap_snapshot_shape_guard(const struct tr_cap_snapshot *snapshot,
                            tr_str name);

/*
 * What a capability takes, or gives, when that is no shape of the model: by the
 * IRI of it, or by what stands behind trails://project/shape/ in that. False
 * when there is no such shape, or its capability is retired.
 */
struct tr_cap_own_shape {
    const struct tr_cap *cap;
    bool is_output;
};

bool tr_cap_snapshot_find_own_shape(const struct tr_cap_snapshot *snapshot,
                                    tr_str name, struct tr_cap_own_shape *out);

/* The table of it, with IRIs (model/shacl.h), for tr_model_shape_to_graph; in
 * the arena. */
TR_NODISCARD tr_status tr_cap_own_shape_table(
    const struct tr_cap_snapshot *snapshot, const struct tr_cap_own_shape *own,
    struct tr_arena *arena, struct tr_shape *out, struct tr_err *err);

/*
 * Appends what lists the instances of a type for callers with these scopes:
 * its ready-made tool, or that of a type above it, else its resource. False
 * when they see neither.
 */
bool tr_cap_snapshot_put_lister(const struct tr_cap_snapshot *snapshot,
                                tr_str type, unsigned scopes,
                                struct tr_buf *out);

/*
 * A capability by its name on MCP, else by its id, else by the spelling with
 * underscores when exactly one has it. NULL when there is none.
 */
const struct tr_cap *
tr_cap_snapshot_find_cap(const struct tr_cap_snapshot *snapshot, tr_str name);

/* The same, or else a meta-capability by its name on MCP or its id. */
const struct tr_cap *
tr_cap_snapshot_find_tool(const struct tr_cap_snapshot *snapshot, tr_str name);
const struct tr_cap_resource *
tr_cap_snapshot_find_resource(const struct tr_cap_snapshot *snapshot,
                              tr_str uri);
const struct tr_cap_prompt *
tr_cap_snapshot_find_prompt(const struct tr_cap_snapshot *snapshot,
                            tr_str name);

/*
 * The first template, in their order, that `uri` matches, and what its
 * variables stand for, in `arena`. *out is NULL when none does. Fails with
 * TR_E_NOMEM only.
 */
TR_NODISCARD tr_status tr_cap_snapshot_match_template(
    const struct tr_cap_snapshot *snapshot, tr_str uri, struct tr_arena *arena,
    const struct tr_cap_resource_template **out, struct tr_cap_uri_vars *vars,
    struct tr_err *err);

/* The completion of this argument, else the one of all arguments, or NULL. */
const struct tr_cap_completion *
tr_cap_snapshot_find_completion(const struct tr_cap_snapshot *snapshot,
                                enum tr_cap_ref_kind kind, tr_str ref,
                                tr_str argument);

/* The guard of what a completion is for; NULL when there is no such thing. */
const struct tr_cap_guard *
tr_cap_snapshot_ref_guard(const struct tr_cap_snapshot *snapshot,
                          enum tr_cap_ref_kind kind, tr_str ref);

/* Writes a view. A pure function of the snapshot and `arg`. */
typedef tr_status tr_cap_view_fn(const struct tr_cap_snapshot *snapshot,
                                 const void *arg, struct tr_buf *out,
                                 struct tr_err *err);

/* A view and how it is made. The same `key` means the same bytes. */
struct tr_cap_view {
    uint64_t key;
    tr_cap_view_fn *make;
    const void *arg;
};

/*
 * The bytes of a view, made when they are first asked for and kept as long as
 * the snapshot. Any thread may ask; two that ask at once may both make it.
 */
TR_NODISCARD tr_status tr_cap_snapshot_view(
    const struct tr_cap_snapshot *snapshot, const struct tr_cap_view *view,
    tr_str *out, struct tr_err *err);

#endif

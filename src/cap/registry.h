/*
 * cap/registry.h - how snapshots come about and which one is current.
 *
 * A builder collects; tr_cap_registry_build freezes it. A registry is one
 * pointer to the current snapshot: requests pin it, a reload publishes another.
 * A lock is held only while the pointer is taken and its pins are counted up:
 * otherwise a publisher could free the snapshot in between.
 */
#ifndef TR_CAP_REGISTRY_H
#define TR_CAP_REGISTRY_H

#include "cap/snapshot.h"

struct tr_model;
struct tr_field_patterns;
struct tr_cap_registry;
struct tr_cap_builder;

/* A field left zero takes the default named beside it. */
struct tr_cap_registry_opts {
    bool portable_names;       /* false; dots become underscores on MCP */
    bool undeclared_may_write; /* false; true in development: capabilities that
                                  say nothing of their side effects write */
};

TR_NODISCARD tr_status
tr_cap_builder_create(const struct tr_cap_registry_opts *opts,
                      struct tr_cap_builder **out, struct tr_err *err);

/* Drops everything that was added. NULL is allowed. */
void tr_cap_builder_free(struct tr_cap_builder *builder);

/* The arena and the patterns for shapes and host data of this snapshot. */
struct tr_arena *tr_cap_registry_arena(struct tr_cap_builder *builder);
struct tr_field_patterns *
tr_cap_registry_patterns(struct tr_cap_builder *builder);

/*
 * Each checks and copies its draft. TR_E_INVALID says what is wrong with it,
 * TR_E_CONFLICT that its name is taken; `at` is the name. Shapes, schemas and
 * handler data are not copied: they must be of the builder's arena or outlive
 * the snapshot.
 */
TR_NODISCARD tr_status tr_cap_registry_add_cap(struct tr_cap_builder *builder,
                                               const struct tr_cap *draft,
                                               struct tr_err *err);

/*
 * The same for a meta-capability, which is about the app itself. They have a
 * registry of their own: an id such as trails.meta.gen.shape, which is reserved
 * for them, and which becomes trails_meta_gen_shape on MCP, however ids are
 * spelt there.
 */
TR_NODISCARD tr_status tr_cap_registry_add_meta(struct tr_cap_builder *builder,
                                                const struct tr_cap *draft,
                                                struct tr_err *err);
TR_NODISCARD tr_status tr_cap_registry_add_resource(
    struct tr_cap_builder *builder, const struct tr_cap_resource *draft,
    struct tr_err *err);
TR_NODISCARD tr_status tr_cap_registry_add_template(
    struct tr_cap_builder *builder,
    const struct tr_cap_resource_template *draft, struct tr_err *err);
TR_NODISCARD tr_status tr_cap_registry_add_prompt(
    struct tr_cap_builder *builder, const struct tr_cap_prompt *draft,
    struct tr_err *err);
TR_NODISCARD tr_status tr_cap_registry_add_completion(
    struct tr_cap_builder *builder, const struct tr_cap_completion *draft,
    struct tr_err *err);

TR_NODISCARD tr_status tr_cap_registry_add_extension(
    struct tr_cap_builder *builder, const struct tr_cap_extension *draft,
    struct tr_err *err);

TR_NODISCARD tr_status tr_cap_registry_add_policy(
    struct tr_cap_builder *builder, const struct tr_cap_policy *draft,
    struct tr_err *err);

/* The model that tr_cap_registry_take_model was given, or NULL. */
const struct tr_model *
tr_cap_registry_model(const struct tr_cap_builder *builder);

/*
 * Gives the builder the model of the app, which is freed with the snapshot; may
 * be called once. Finds the shapes that capabilities name: TR_E_INVALID when
 * there is no such shape.
 */
TR_NODISCARD tr_status
tr_cap_registry_take_model(struct tr_cap_builder *builder,
                           const struct tr_model *model, struct tr_err *err);

/*
 * Calls `release(data)` when the snapshot, or the builder before there is one,
 * is freed; newest first, on whatever thread that happens.
 */
TR_NODISCARD tr_status tr_cap_registry_on_free(struct tr_cap_builder *builder,
                                               void (*release)(void *data),
                                               void *data, struct tr_err *err);

/*
 * Freezes what was added and empties the builder, which then only can be
 * freed. Checks what needs the whole: completions that name nothing,
 * preconditions about types that are not there. The caller owns one pin of
 * *out.
 */
TR_NODISCARD tr_status tr_cap_registry_build(struct tr_cap_builder *builder,
                                             const struct tr_cap_snapshot **out,
                                             struct tr_err *err);

TR_NODISCARD tr_status tr_cap_registry_create(struct tr_cap_registry **out,
                                              struct tr_err *err);

/* Unpins the current snapshot. NULL is allowed. */
void tr_cap_registry_free(struct tr_cap_registry *registry);

/* Makes `snapshot` current and takes over one pin of it. Any thread. */
void tr_cap_registry_take(struct tr_cap_registry *registry,
                          const struct tr_cap_snapshot *snapshot);

/* The current snapshot, pinned for the caller; NULL before the first. */
const struct tr_cap_snapshot *
tr_cap_registry_pin(struct tr_cap_registry *registry);

#endif

/*
 * cap/inside.h - what a snapshot is made of; for this folder only.
 */
#ifndef TR_CAP_INSIDE_H
#define TR_CAP_INSIDE_H

#include "base/map.h"
#include "base/vec.h"
#include "cap/live.h"
#include "cap/setting.h"
#include "cap/snapshot.h"
#include "fields/pattern.h"

#include <stdatomic.h>

/* Bytes of a view; immutable once it is in the list. */
struct tr_cap_kept_view {
    struct tr_cap_kept_view *older;
    uint64_t key;
    size_t len;
    char bytes[];
};

/* A function to call when the snapshot is freed; in its arena. */
struct tr_cap_release {
    struct tr_cap_release *older;
    void (*run)(void *data);
    void *data;
};

struct tr_cap_snapshot {
    struct tr_cap_live live; /* first */
    atomic_size_t pins;
    _Atomic(struct tr_cap_kept_view *) views;
    bool portable_names;
    bool undeclared_may_write;
    struct tr_arena arena;
    struct tr_field_patterns patterns;
    struct tr_cap_release *releases;
    const struct tr_model *model; /* or NULL */

    TR_VEC(struct tr_cap *) caps;        /* by name */
    TR_VEC(struct tr_cap *) metas;       /* as they were added */
    TR_VEC(const struct tr_cap *) tools; /* both, by name */
    TR_VEC(struct tr_cap_resource *) resources;
    TR_VEC(struct tr_cap_resource_template *) templates;
    TR_VEC(struct tr_cap_prompt *) prompts;
    unsigned tools_need; /* scopes, of all together */
    size_t choices;      /* see tr_cap_snapshot_counts */
    TR_VEC(struct tr_cap_completion *) completions;
    TR_VEC(struct tr_cap_extension) extensions;     /* as they were added */
    TR_VEC(struct tr_cap_policy *) policies;        /* as they were added */
    TR_VEC(const struct tr_cap_setting *) settings; /* the same */
    struct tr_cap_guard *type_guards; /* one for each type of the model */
    const struct tr_cap **finders;    /* the same, or NULL there */

    struct tr_map by_name;
    struct tr_map by_id;

    /* By the id with dots as underscores. Where two capabilities share that,
     * the value is the snapshot itself, which means: none is found by it. */
    struct tr_map by_portable;
    struct tr_map by_meta; /* meta-capabilities, by id and by name */
    struct tr_map by_uri;
    struct tr_map by_template;
    struct tr_map by_prompt;
};
_Static_assert(offsetof(struct tr_cap_snapshot, live) == 0,
               "tr_cap_snapshot_live counts on it");

/* Makes an empty snapshot with one pin. */
TR_NODISCARD tr_status tr_cap_snapshot_create(struct tr_cap_snapshot **out,
                                              struct tr_err *err);

/* What has been added so far. After a failure it can only be freed. */
struct tr_cap_builder {
    struct tr_cap_snapshot *snapshot; /* NULL once it is built */
};

/* Finds the shapes that a capability names in the model, and its headers. When
 * it names one and there is no model yet, nothing is done: then
 * tr_cap_registry_take_model calls this again. */
TR_NODISCARD tr_status tr_cap_builder_link(struct tr_cap_snapshot *snapshot,
                                           struct tr_cap *cap,
                                           struct tr_err *err);

/* refs.c: notes which capability finds the instances of which type. */
TR_NODISCARD tr_status tr_cap_builder_note_finders(
    struct tr_cap_snapshot *snapshot, struct tr_err *err);

/* Says of each ref in the input what id is wanted, and what lists them. */
TR_NODISCARD tr_status tr_cap_builder_tell_refs(
    struct tr_cap_snapshot *snapshot, struct tr_cap *cap, struct tr_err *err);

/* refs.c: whether who may call it gets at what that guards, too. */
bool tr_cap_is_as_guarded(const struct tr_cap *cap,
                          const struct tr_cap_guard *type);

/* shape_iri.c: gives its shapes their IRIs. */
TR_NODISCARD tr_status tr_cap_builder_name_shapes(
    struct tr_cap_snapshot *snapshot, struct tr_cap *cap, struct tr_err *err);

/* link.c: makes the input as callers see it, if that is another. */
TR_NODISCARD tr_status tr_cap_builder_show_key(struct tr_cap_snapshot *snapshot,
                                               struct tr_cap *cap,
                                               struct tr_err *err);

/* Fills in `findings` of the capability: what some clients refuse in it. */
TR_NODISCARD tr_status tr_cap_builder_lint(struct tr_cap_snapshot *snapshot,
                                           struct tr_cap *cap,
                                           struct tr_err *err);

/* Fills in what a capability may write, if it does not say so itself. */
void tr_cap_settle_effects(const struct tr_cap_snapshot *snapshot,
                           struct tr_cap *cap);

/* Writes out the prefixes in `graph_writes`, when the model is there. */
TR_NODISCARD tr_status tr_cap_expand_graphs(struct tr_cap_snapshot *snapshot,
                                            struct tr_cap *cap,
                                            struct tr_err *err);

/* Whether a text can stand in graph_writes. */
bool tr_cap_is_graph_name(tr_str text);

/* TR_E_INVALID says what is wrong with a precondition of the draft. */
TR_NODISCARD tr_status tr_cap_precondition_check(
    const struct tr_cap *draft, const struct tr_cap_precondition *precondition,
    struct tr_err *err);

/* The same for a postcondition, which only has a form. */
TR_NODISCARD tr_status tr_cap_postcondition_check(
    const struct tr_cap_precondition *postcondition, struct tr_err *err);

/* Fills in `conditions` of the capability; `model` may be NULL. */
TR_NODISCARD tr_status tr_cap_conditions_compile(struct tr_arena *arena,
                                                 const struct tr_model *model,
                                                 struct tr_cap *cap,
                                                 struct tr_err *err);

/* Fills in the guard of what is called `name`; TR_E_INVALID when a policy is
 * not there. */
TR_NODISCARD tr_status tr_cap_guard_link(struct tr_cap_snapshot *snapshot,
                                         tr_str name,
                                         struct tr_cap_guard *guard,
                                         struct tr_err *err);

/* guard.c: does so with all that has one, and with those of types. */
TR_NODISCARD tr_status tr_cap_builder_link_guards(
    struct tr_cap_snapshot *snapshot, struct tr_err *err);

/* Puts the name of what was refused in front of why, and passes `st` on. */
tr_status tr_cap_builder_about(tr_str name, tr_status st, struct tr_err *err);

TR_NODISCARD tr_status tr_cap_builder_nomem(struct tr_err *err);
TR_NODISCARD tr_status tr_cap_builder_set(struct tr_map *map, tr_str key,
                                          void *value, struct tr_err *err);

#endif

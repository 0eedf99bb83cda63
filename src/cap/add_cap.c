#include "base/limits.h"
#include "cap/copy.h"
#include "cap/inside.h"
#include "cap/registry.h"
#include "cap/rules.h"

#include <assert.h>

/* The id with dots as underscores. */
static tr_status portable(struct tr_arena *arena, tr_str id, tr_str *out,
                          struct tr_err *err)
{
    char *name = tr_arena_alloc(arena, id.len + 1);
    if (!name)
        return tr_cap_builder_nomem(err);
    for (size_t i = 0; i < id.len; i++)
        name[i] = id.ptr[i] == '.' ? '_' : id.ptr[i];
    name[id.len] = '\0';
    *out = (tr_str){name, id.len};
    return TR_OK;
}

static tr_status copy_conditions(struct tr_cap_copier *copier,
                                 const struct tr_cap_precondition **written,
                                 size_t count, struct tr_err *err)
{
    struct tr_cap_precondition *list =
        TR_NEW_ARRAY(copier->arena, struct tr_cap_precondition, count);
    if (!list)
        return tr_cap_builder_nomem(err);
    for (size_t i = 0; i < count; i++) {
        list[i] = (*written)[i];
        tr_cap_copy_str(copier, &list[i].kind);
        tr_cap_copy_json(copier, &list[i].params);
    }
    *written = list;
    return TR_OK;
}

static tr_status copy_cap(struct tr_arena *arena, struct tr_cap *cap,
                          struct tr_err *err)
{
    struct tr_cap_copier copier = {arena, false};
    if (cap->version.len == 0)
        cap->version = TR_STR("0.1.0");
    tr_cap_copy_str(&copier, &cap->id);
    tr_cap_copy_str(&copier, &cap->version);
    tr_cap_copy_str(&copier, &cap->description);
    TR_TRY(copy_conditions(&copier, &cap->preconditions,
                           cap->precondition_count, err));
    TR_TRY(copy_conditions(&copier, &cap->postconditions,
                           cap->postcondition_count, err));
    tr_cap_copy_strs(&copier, &cap->side_effects.graph_writes);
    tr_cap_copy_strs(&copier, &cap->side_effects.external_calls);
    tr_cap_copy_guard(&copier, &cap->guard);
    tr_cap_copy_str(&copier, &cap->deprecates);
    tr_cap_copy_str(&copier, &cap->title);
    tr_cap_copy_json(&copier, &cap->icons);
    tr_cap_copy_json(&copier, &cap->meta);
    tr_cap_copy_str(&copier, &cap->input_name);
    tr_cap_copy_str(&copier, &cap->output_name);
    return tr_cap_copy_check(&copier, err);
}

/* Makes a meta-capability findable by its id and its name on MCP. */
static tr_status index_meta(struct tr_cap_snapshot *snapshot,
                            struct tr_cap *cap, struct tr_err *err)
{
    TR_TRY(portable(&snapshot->arena, cap->id, &cap->name, err));
    if (tr_map_find(&snapshot->by_meta, cap->id))
        return tr_fail(err, TR_E_CONFLICT, "this id is already registered");
    TR_TRY(tr_cap_builder_set(&snapshot->by_meta, cap->id, cap, err));
    return tr_cap_builder_set(&snapshot->by_meta, cap->name, cap, err);
}

/* Makes a capability findable by its id, its name on MCP and its id with
 * underscores. Two with the same name on MCP are refused. */
static tr_status index_cap(struct tr_cap_snapshot *snapshot, struct tr_cap *cap,
                           struct tr_err *err)
{
    tr_str spelled = {NULL, 0};
    TR_TRY(portable(&snapshot->arena, cap->id, &spelled, err));
    cap->name = snapshot->portable_names ? spelled : cap->id;
    const struct tr_cap *other = tr_map_find(&snapshot->by_name, cap->name);
    if (tr_map_find(&snapshot->by_id, cap->id))
        return tr_fail(err, TR_E_CONFLICT, "this id is already registered");
    if (other)
        return tr_fail(err, TR_E_CONFLICT,
                       "its tool name %.*s is already that of %.*s",
                       TR_FMT(cap->name), TR_FMT(other->id));
    TR_TRY(tr_cap_builder_set(&snapshot->by_id, cap->id, cap, err));
    TR_TRY(tr_cap_builder_set(&snapshot->by_name, cap->name, cap, err));
    bool is_taken = tr_map_find(&snapshot->by_portable, spelled) != NULL;
    return tr_cap_builder_set(&snapshot->by_portable, spelled,
                              is_taken ? (void *)snapshot : cap, err);
}

/* Checks a draft and makes a capability of it, which no list has yet. */
static tr_status make_cap(struct tr_cap_snapshot *snapshot,
                          const struct tr_cap *draft, struct tr_cap **out,
                          struct tr_err *err)
{
    TR_TRY(tr_cap_check_draft(draft, err));
    struct tr_cap *cap = TR_NEW(&snapshot->arena, struct tr_cap);
    if (!cap)
        return tr_cap_builder_nomem(err);
    *cap = *draft;
    TR_TRY(copy_cap(&snapshot->arena, cap, err));
    tr_cap_settle_effects(snapshot, cap);
    TR_TRY(tr_cap_builder_link(snapshot, cap, err));
    /* Nothing signs activities: whatever its author asks for, it is not more.
     */
    cap->requested = draft->assurance;
    cap->assurance = TR_CAP_ASSURANCE_L1;
    if (!cap->guard.scope)
        cap->guard.scope = TR_SCOPE_RUNTIME;
    *out = cap;
    return TR_OK;
}

static tr_status add_cap(struct tr_cap_snapshot *snapshot,
                         const struct tr_cap *draft, struct tr_err *err)
{
    struct tr_cap own = *draft;
    struct tr_cap *cap = NULL;
    own.is_meta = false;
    if (snapshot->caps.count == TR_LIMIT_REGISTERED)
        return tr_fail(err, TR_E_LIMIT, "an app has at most %d capabilities",
                       TR_LIMIT_REGISTERED);
    TR_TRY(make_cap(snapshot, &own, &cap, err));
    assert(cap && "what succeeds has a result");
    TR_TRY(index_cap(snapshot, cap, err));
    return tr_vec_push(&snapshot->arena, &snapshot->caps, cap)
               ? TR_OK
               : tr_cap_builder_nomem(err);
}

static tr_status add_meta(struct tr_cap_snapshot *snapshot,
                          const struct tr_cap *draft, struct tr_err *err)
{
    struct tr_cap own = *draft;
    struct tr_cap *cap = NULL;
    own.is_meta = true;
    if (snapshot->metas.count == TR_LIMIT_METAS)
        return tr_fail(err, TR_E_LIMIT,
                       "there are at most %d meta-capabilities",
                       TR_LIMIT_METAS);
    TR_TRY(make_cap(snapshot, &own, &cap, err));
    assert(cap && "what succeeds has a result");
    TR_TRY(index_meta(snapshot, cap, err));
    return tr_vec_push(&snapshot->arena, &snapshot->metas, cap)
               ? TR_OK
               : tr_cap_builder_nomem(err);
}

tr_status tr_cap_registry_add_cap(struct tr_cap_builder *builder,
                                  const struct tr_cap *draft,
                                  struct tr_err *err)
{
    return tr_cap_builder_about(draft->id,
                                add_cap(builder->snapshot, draft, err), err);
}

tr_status tr_cap_registry_add_meta(struct tr_cap_builder *builder,
                                   const struct tr_cap *draft,
                                   struct tr_err *err)
{
    return tr_cap_builder_about(draft->id,
                                add_meta(builder->snapshot, draft, err), err);
}

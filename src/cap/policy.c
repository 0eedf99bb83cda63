#include "base/limits.h"
#include "base/nearest.h"
#include "cap/cap.h"
#include "cap/copy.h"
#include "cap/inside.h"
#include "cap/registry.h"
#include "cap/rules.h"

/* NULL when there is none. */
static const struct tr_cap_policy *
find_policy(const struct tr_cap_snapshot *snapshot, tr_str name)
{
    for (size_t i = 0; i < snapshot->policies.count; i++) {
        if (tr_str_eq(snapshot->policies.items[i]->name, name))
            return snapshot->policies.items[i];
    }
    return NULL;
}

/* Between colons, as in "file::rule", there are ids. */
static bool is_name(tr_str name)
{
    bool is_colon = true;
    for (size_t i = 0; i < name.len; i++) {
        is_colon = name.ptr[i] == ':';
        if (!is_colon && !tr_cap_id_is_valid((tr_str){name.ptr + i, 1}))
            return false;
    }
    return !is_colon && name.len <= TR_LIMIT_NAME_BYTES;
}

static tr_status check_draft(const struct tr_cap_policy *draft,
                             struct tr_err *err)
{
    struct tr_cap_about about = {.name = draft->name,
                                 .description = draft->description};
    if (!is_name(draft->name))
        return tr_fail(err, TR_E_INVALID,
                       "the name of a policy is 1 to %d of the characters "
                       "A-Z a-z 0-9 _ . - and, not last, :",
                       TR_LIMIT_NAME_BYTES);
    TR_TRY(tr_cap_about_check(&about, err));
    if (!draft->handler.run)
        return tr_fail(err, TR_E_INVALID, "there is nothing to run");
    return TR_OK;
}

static tr_status add_policy(struct tr_cap_snapshot *snapshot,
                            const struct tr_cap_policy *draft,
                            struct tr_err *err)
{
    struct tr_cap_copier copier = {&snapshot->arena, false};
    TR_TRY(check_draft(draft, err));
    if (find_policy(snapshot, draft->name))
        return tr_fail(err, TR_E_CONFLICT, "this policy is already registered");
    if (snapshot->policies.count == TR_LIMIT_POLICIES)
        return tr_fail(err, TR_E_LIMIT, "an app has at most %d policies",
                       TR_LIMIT_POLICIES);
    struct tr_cap_policy *policy =
        TR_NEW(&snapshot->arena, struct tr_cap_policy);
    if (!policy)
        return tr_cap_builder_nomem(err);
    *policy = *draft;
    tr_cap_copy_str(&copier, &policy->name);
    tr_cap_copy_str(&copier, &policy->description);
    TR_TRY(tr_cap_copy_check(&copier, err));
    return tr_vec_push(&snapshot->arena, &snapshot->policies, policy)
               ? TR_OK
               : tr_cap_builder_nomem(err);
}

tr_status tr_cap_registry_add_policy(struct tr_cap_builder *builder,
                                     const struct tr_cap_policy *draft,
                                     struct tr_err *err)
{
    return tr_cap_builder_about(draft->name,
                                add_policy(builder->snapshot, draft, err), err);
}

static tr_status refuse_unknown(const struct tr_cap_snapshot *snapshot,
                                tr_str name, struct tr_err *err)
{
    struct tr_nearest nearest;
    tr_nearest_init(&nearest, name);
    for (size_t i = 0; i < snapshot->policies.count; i++)
        tr_nearest_offer(&nearest, snapshot->policies.items[i]->name);
    if (!nearest.best.len)
        return tr_fail(err, TR_E_INVALID,
                       "it requires the policy '%.*s', but there is none",
                       TR_FMT(name));
    return tr_fail(err, TR_E_INVALID,
                   "it requires the policy '%.*s', but there is none; did you "
                   "mean '%.*s'?",
                   TR_FMT(name), TR_FMT(nearest.best));
}

static tr_status find_policies(struct tr_cap_snapshot *snapshot,
                               struct tr_cap_guard *guard, struct tr_err *err)
{
    size_t count = guard->policy_required.count;
    const struct tr_cap_policy **list =
        TR_NEW_ARRAY(&snapshot->arena, const struct tr_cap_policy *, count);
    if (!list)
        return tr_cap_builder_nomem(err);
    for (size_t i = 0; i < count; i++) {
        tr_str name = guard->policy_required.items[i];
        list[i] = find_policy(snapshot, name);
        if (!list[i])
            return refuse_unknown(snapshot, name, err);
    }
    guard->policies = list;
    return TR_OK;
}

tr_status tr_cap_guard_link(struct tr_cap_snapshot *snapshot, tr_str name,
                            struct tr_cap_guard *guard, struct tr_err *err)
{
    guard->needed |= guard->scope;
    tr_status st = find_policies(snapshot, guard, err);
    (void)tr_cap_builder_about(name, st, err);
    if (st == TR_E_INVALID && guard->where.len)
        tr_err_prefix(err, "%.*s", TR_FMT(guard->where));
    return st;
}

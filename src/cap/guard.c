/*
 * The guards of a snapshot: of what was registered, and of types and shapes.
 */
#include "base/limits.h"
#include "cap/inside.h"
#include "model/model.h"

const struct tr_cap_guard tr_cap_guard_open = {0};

struct tr_cap_guard tr_cap_guard_of_type(const struct tr_model_type *type)
{
    return (struct tr_cap_guard){
        .scope = type->guard.scope,
        .policy_required = {type->guard.policies, type->guard.policy_count},
        .type = type,
        .where = type->where,
    };
}

/* A type has a guard of its own for what is found by its name. */
static tr_status link_types(struct tr_cap_snapshot *snapshot,
                            struct tr_err *err)
{
    const struct tr_model *model = snapshot->model;
    size_t count = model ? model->count : 0;
    struct tr_cap_guard *guards =
        TR_NEW_ARRAY(&snapshot->arena, struct tr_cap_guard, count);
    if (!guards)
        return tr_cap_builder_nomem(err);
    for (size_t i = 0; i < count; i++) {
        guards[i] = tr_cap_guard_of_type(model->types[i]);
        TR_TRY(tr_cap_guard_link(snapshot, model->types[i]->name, &guards[i],
                                 err));
    }
    snapshot->type_guards = guards;
    return TR_OK;
}

tr_status tr_cap_builder_link_guards(struct tr_cap_snapshot *snapshot,
                                     struct tr_err *err)
{
    TR_TRY(link_types(snapshot, err));
    for (size_t i = 0; i < snapshot->resources.count; i++) {
        struct tr_cap_resource *r = snapshot->resources.items[i];
        TR_TRY(tr_cap_guard_link(snapshot, r->uri, &r->about.guard, err));
    }
    for (size_t i = 0; i < snapshot->templates.count; i++) {
        struct tr_cap_resource_template *t = snapshot->templates.items[i];
        TR_TRY(
            tr_cap_guard_link(snapshot, t->uri_template, &t->about.guard, err));
    }
    for (size_t i = 0; i < snapshot->prompts.count; i++) {
        struct tr_cap_prompt *p = snapshot->prompts.items[i];
        TR_TRY(
            tr_cap_guard_link(snapshot, p->about.name, &p->about.guard, err));
    }
    return TR_OK;
}

static const struct tr_cap_guard *
guard_of(const struct tr_cap_snapshot *snapshot,
         const struct tr_model_type *type)
{
    for (size_t i = 0; i < snapshot->model->count; i++) {
        if (snapshot->model->types[i] == type)
            return &snapshot->type_guards[i];
    }
    return &tr_cap_guard_open;
}

/* What a shape says of a type is for those who may see the type. */
static const struct tr_cap_guard *
guard_of_targets(const struct tr_cap_snapshot *snapshot, tr_str iri)
{
    const struct tr_shacl_shapes *all = snapshot->model->shapes;
    const struct tr_cap_guard *guard = &tr_cap_guard_open;
    size_t at;
    if (!tr_shacl_shapes_find(all, iri, &at))
        return guard;
    for (size_t i = 0;
         i < all->shapes[at].target_count && tr_cap_guard_is_open(guard); i++) {
        const struct tr_shacl_target *target = &all->shapes[at].targets[i];
        if (target->kind == TR_SHACL_TARGET_CLASS)
            guard = guard_of(snapshot,
                             tr_model_find_iri(snapshot->model,
                                               all->terms[target->term].text));
    }
    return guard;
}

const struct tr_cap_guard *
tr_cap_snapshot_shape_guard(const struct tr_cap_snapshot *snapshot, tr_str name)
{
    const struct tr_model *model = snapshot->model;
    const struct tr_cap_guard *guard = &tr_cap_guard_open;
    char text[TR_LIMIT_URI_BYTES];
    struct tr_buf home;
    if (!model)
        return guard;
    tr_buf_init_fixed(&home, text, sizeof(text));
    tr_buf_putf(&home, "trails://%.*s/%.*s", TR_FMT(model->project),
                TR_FMT(name));
    const tr_str iris[] = {name, home.failed ? name : tr_buf_str(&home)};
    guard = guard_of(snapshot, tr_model_find(model, name));
    for (size_t i = 0; i < TR_LEN(iris) && tr_cap_guard_is_open(guard); i++) {
        guard = guard_of(snapshot, tr_model_find_iri(model, iris[i]));
        if (tr_cap_guard_is_open(guard))
            guard = guard_of_targets(snapshot, iris[i]);
    }
    struct tr_cap_own_shape own;
    if (tr_cap_guard_is_open(guard) &&
        tr_cap_snapshot_find_own_shape(snapshot, name, &own))
        guard = &own.cap->guard;
    return guard;
}

const struct tr_cap_guard *
tr_cap_snapshot_ref_guard(const struct tr_cap_snapshot *snapshot,
                          enum tr_cap_ref_kind kind, tr_str ref)
{
    if (kind == TR_CAP_REF_PROMPT) {
        const struct tr_cap_prompt *prompt =
            tr_map_find(&snapshot->by_prompt, ref);
        return prompt ? &prompt->about.guard : NULL;
    }
    const struct tr_cap_resource_template *t =
        tr_map_find(&snapshot->by_template, ref);
    return t ? &t->about.guard : NULL;
}

/*
 * Refs that take a unique value of what they name, as well as its id.
 */
#include "base/arena.h"
#include "base/nearest.h"
#include "fields/kind.h"
#include "model/inside.h"

const struct tr_field *tr_model_key_of(const struct tr_model *model,
                                       const struct tr_field *ref)
{
    const struct tr_model_type *target =
        ref->by.len ? tr_model_find(model, ref->target) : NULL;
    return target ? tr_shape_find(target->shape, ref->by) : NULL;
}

const struct tr_field *tr_model_shown_key_of(const struct tr_model *model,
                                             const struct tr_field *ref)
{
    const struct tr_model_type *target = tr_model_find(model, ref->target);
    return target && !target->is_private ? tr_model_key_of(model, ref) : NULL;
}

bool tr_model_is_shown_key(const struct tr_field *ref, tr_str name)
{
    size_t len = ref->name.len;
    return ref->by.len && name.len == len + 1 + ref->by.len &&
           tr_str_starts(name, ref->name) && name.ptr[len] == '_' &&
           tr_str_eq(tr_str_skip(name, len + 1), ref->by);
}

bool tr_model_name_shown_key(const struct tr_field *ref, struct tr_arena *arena,
                             tr_str *out)
{
    size_t len = ref->name.len;
    char *name = tr_arena_alloc(arena, len + 1 + ref->by.len);
    if (!name)
        return false;
    memcpy(name, ref->name.ptr, len);
    name[len] = '_';
    memcpy(name + len + 1, ref->by.ptr, ref->by.len);
    *out = (tr_str){name, len + 1 + ref->by.len};
    return true;
}

/* Also what a type above says is unique holds among all of its instances. */
static bool is_unique(const struct tr_model_type *type, tr_str name)
{
    for (; type; type = type->parent) {
        const struct tr_shape *shape = type->shape;
        for (size_t i = 0; i < shape->unique_count; i++) {
            if (shape->unique[i].count == 1 &&
                tr_str_eq(shape->unique[i].names[0], name))
                return true;
        }
    }
    return false;
}

static tr_status fail_unknown(const struct tr_model_type *target, tr_str by,
                              struct tr_err *err)
{
    tr_str nearest = tr_shape_nearest(target->shape, by);
    return tr_fail(err, TR_E_INVALID,
                   "by names '%.*s', which is not a field of '%.*s'%s%.*s%s",
                   TR_FMT(by), TR_FMT(target->name),
                   nearest.len ? "; did you mean '" : "", TR_FMT(nearest),
                   nearest.len ? "'?" : "");
}

/* A key is one text that says which node is meant. */
static const char *why_no_key(const struct tr_model_type *target,
                              const struct tr_field *key)
{
    if (key->many || key->list)
        return "has many values";
    if (key->kind == TR_FIELD_REF || key->kind == TR_FIELD_BOOLEAN ||
        !tr_field_has(key, TR_FIELD_IS_UNIQUE) ||
        !tr_field_has(key, TR_FIELD_IS_FILTER))
        return "is of a kind that cannot be a key";
    if (key->scope)
        return "has a scope: its values could be guessed";
    if (!is_unique(target, key->name))
        return "is not unique there: say unique = true";
    return NULL;
}

tr_status tr_model_check_key(const struct tr_model *model,
                             const struct tr_field *ref, struct tr_err *err)
{
    const struct tr_model_type *target = tr_model_find(model, ref->target);
    const struct tr_field *key = tr_model_key_of(model, ref);
    if (!ref->by.len || !target)
        return TR_OK;
    if (!key)
        return fail_unknown(target, ref->by, err);
    const char *why = why_no_key(target, key);
    return why ? tr_fail(err, TR_E_INVALID, "by names '%.*s', which %s",
                         TR_FMT(ref->by), why)
               : TR_OK;
}

static bool has_policy(const struct tr_model_guard *guard, tr_str name)
{
    for (size_t i = 0; i < guard->policy_count; i++) {
        if (tr_str_eq(guard->policies[i], name))
            return true;
    }
    return false;
}

bool tr_model_is_as_guarded(const struct tr_model_type *type,
                            const struct tr_model_type *target)
{
    const struct tr_model_guard *guard = &target->guard;
    bool is_open = !guard->scope && !guard->policy_count;
    if (guard->scope && guard->scope != type->guard.scope)
        return false;
    for (size_t i = 0; i < guard->policy_count; i++) {
        if (!has_policy(&type->guard, guard->policies[i]))
            return false;
    }
    for (size_t i = 0; !is_open && i < type->tool_rules_count; i++) {
        if (type->tool_rules[i].has_scope || type->tool_rules[i].has_policies)
            return false;
    }
    return true;
}

tr_status tr_model_check_shown_key(const struct tr_model_making *m,
                                   const struct tr_model_type *type,
                                   const struct tr_shape *shape,
                                   const struct tr_field *ref)
{
    const struct tr_model *model = &m->whole->model;
    const struct tr_model_type *target = tr_model_find(model, ref->target);
    tr_str name;
    if (!ref->by.len)
        return TR_OK;
    TR_TRY(tr_model_check_key(model, ref, m->err));
    if (target && !tr_model_is_as_guarded(type, target))
        return tr_fail(m->err, TR_E_INVALID,
                       "by would tell values of '%.*s' to callers who may not "
                       "read it: give this type the same scope and policies",
                       TR_FMT(target->name));
    if (!tr_model_name_shown_key(ref, &m->from->arena, &name))
        return tr_fail(m->err, TR_E_NOMEM, "no memory for the name of a key");
    return tr_shape_find(shape, name)
               ? tr_fail(m->err, TR_E_INVALID,
                         "by shows the key as '%.*s', which is a field: call "
                         "one of the two otherwise",
                         TR_FMT(name))
               : TR_OK;
}

/*
 * Who gets at the instances of a type: copies of what was declared, and which
 * guard a type has.
 */
#include "json/build.h"
#include "model/inside.h"

static bool copy_guard(struct tr_arena *arena, struct tr_model_guard *guard)
{
    tr_str *copy = TR_NEW_ARRAY(arena, tr_str, guard->policy_count);
    for (size_t i = 0; copy && i < guard->policy_count; i++) {
        if (!tr_arena_copy(arena, guard->policies[i], &copy[i]))
            return false;
    }
    guard->policies = copy;
    return copy != NULL;
}

static bool copy_rules(struct tr_arena *arena,
                       const struct tr_model_tool_rules **rules, size_t count)
{
    struct tr_model_tool_rules *copy =
        TR_NEW_ARRAY(arena, struct tr_model_tool_rules, count);
    for (size_t i = 0; copy && i < count; i++) {
        copy[i] = (*rules)[i];
        if (!copy_guard(arena, &copy[i].guard) ||
            (copy[i].preconditions &&
             !tr_json_copy(arena, copy[i].preconditions,
                           &copy[i].preconditions)))
            return false;
    }
    *rules = copy;
    return copy != NULL;
}

bool tr_model_draft_copy_guards(struct tr_arena *arena,
                                struct tr_model_type_draft *draft)
{
    return copy_guard(arena, &draft->guard) &&
           copy_rules(arena, &draft->tool_rules, draft->tool_rules_count);
}

static bool are_same(const struct tr_model_guard *a,
                     const struct tr_model_guard *b)
{
    bool same = a->scope == b->scope && a->policy_count == b->policy_count;
    for (size_t i = 0; same && i < a->policy_count; i++)
        same = tr_str_eq(a->policies[i], b->policies[i]);
    return same;
}

/*
 * An instance of a type is one of the types above as well, and is read, listed
 * and found under their names. So a guard of its own would be walked around, or
 * would have to be asked for each row: one family has one guard.
 */
tr_status tr_model_choose_guard(const struct tr_model_making *m,
                                const struct tr_model_type_draft *draft,
                                struct tr_model_type *type)
{
    const struct tr_model_type *parent = type->parent;
    if (parent && draft->has_guard && !are_same(&draft->guard, &parent->guard))
        return tr_fail(m->err, TR_E_INVALID,
                       "it extends '%.*s', and has the scope and the policies "
                       "of that: give them to '%.*s', or make this type "
                       "private",
                       TR_FMT(parent->name), TR_FMT(parent->name));
    type->guard = parent ? parent->guard : draft->guard;
    type->tool_rules = draft->tool_rules;
    type->tool_rules_count = draft->tool_rules_count;
    return (parent || copy_guard(&m->whole->arena, &type->guard)) &&
                   copy_rules(&m->whole->arena, &type->tool_rules,
                              type->tool_rules_count)
               ? TR_OK
               : tr_fail(m->err, TR_E_NOMEM,
                         "no memory for the types of an app");
}

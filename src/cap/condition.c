#include "base/arena.h"
#include "base/limits.h"
#include "base/nearest.h"
#include "cap/cap.h"
#include "cap/inside.h"
#include "cap/rules.h"
#include "fields/check.h"
#include "model/model.h"
#include "schema/verbatim.h"

/* The kinds that the runtime can decide; each parameter is required. */
static const struct {
    const char *name;
    const char *params[5]; /* ends with NULL */
} kinds[] = {
    [TR_CAP_NEEDS_NODE] = {"exists", {"type", "arg"}},
    [TR_CAP_NEEDS_SCOPE] = {"scope", {"scope"}},
    [TR_CAP_NEEDS_STATE] = {"state", {"type", "arg", "field", "one_of"}},
};

/* A kind that nobody knows here is the app's own: it needs nothing. */
static enum tr_cap_condition_kind kind_of(tr_str name)
{
    for (size_t i = TR_CAP_NEEDS_NODE; i < TR_LEN(kinds); i++) {
        if (tr_str_eq(name, tr_str_from(kinds[i].name)))
            return (enum tr_cap_condition_kind)i;
    }
    return TR_CAP_NEEDS_NOTHING;
}

static tr_str param(const struct tr_cap_precondition *precondition,
                    const char *name)
{
    return tr_json_text(tr_json_find(precondition->params, tr_str_from(name)));
}

static bool is_param(enum tr_cap_condition_kind kind, tr_str name)
{
    for (size_t i = 0; kinds[kind].params[i]; i++) {
        if (tr_str_eq(name, tr_str_from(kinds[kind].params[i])))
            return true;
    }
    return false;
}

/* All are texts but `one_of`, which has at least one value. */
static bool is_fitting(const char *name, const struct tr_json *value)
{
    bool is_list = strcmp(name, "one_of") == 0;
    return tr_json_is(value, is_list ? TR_JSON_ARRAY : TR_JSON_STRING) &&
           value->len > 0;
}

static tr_status check_params(enum tr_cap_condition_kind kind,
                              const struct tr_json *params, struct tr_err *err)
{
    for (size_t i = 0; kinds[kind].params[i]; i++) {
        const char *name = kinds[kind].params[i];
        if (!is_fitting(name, tr_json_find(params, tr_str_from(name))))
            return tr_fail(err, TR_E_INVALID,
                           "a precondition of the kind '%s' needs '%s'",
                           kinds[kind].name, name);
    }
    for (size_t i = 0; i < params->len; i++) {
        tr_str name = tr_json_text(&params->as.members[i].key);
        if (!is_param(kind, name))
            return tr_fail(err, TR_E_INVALID,
                           "a precondition of the kind '%s' has no '%.*s'",
                           kinds[kind].name, TR_FMT(name));
    }
    return TR_OK;
}

/* An author's own schema is not interpreted: it is enough that the name is one
 * of its properties. */
static bool schema_has(const struct tr_schema_verbatim *schema, tr_str name)
{
    const struct tr_json *properties =
        tr_json_find(tr_schema_verbatim_tree(schema), TR_STR("properties"));
    return tr_json_find(properties, name) != NULL;
}

static tr_status check_arg(const struct tr_cap *draft, tr_str arg,
                           struct tr_err *err)
{
    const struct tr_field *field =
        draft->input_shape ? tr_shape_find(draft->input_shape, arg) : NULL;
    bool is_there =
        field || (draft->input_schema && schema_has(draft->input_schema, arg));
    if (!is_there)
        return tr_fail(err, TR_E_INVALID,
                       "a precondition is about the argument '%.*s', which "
                       "the input has not",
                       TR_FMT(arg));
    if (field && field->kind != TR_FIELD_TEXT && field->kind != TR_FIELD_REF)
        return tr_fail(err, TR_E_INVALID,
                       "a precondition is about the argument '%.*s', which "
                       "is neither text nor a ref",
                       TR_FMT(arg));
    return TR_OK;
}

static tr_status check_form(const char *noun,
                            const struct tr_cap_precondition *written,
                            struct tr_err *err)
{
    if (!tr_cap_id_is_valid(written->kind))
        return tr_fail(err, TR_E_INVALID,
                       "the kind of a %s is 1 to %d of the characters A-Z a-z "
                       "0-9 _ . -",
                       noun, TR_LIMIT_NAME_BYTES);
    if (written->params && written->params->kind != TR_JSON_OBJECT)
        return tr_fail(err, TR_E_INVALID, "the params of a %s are an object",
                       noun);
    return TR_OK;
}

tr_status
tr_cap_postcondition_check(const struct tr_cap_precondition *postcondition,
                           struct tr_err *err)
{
    return check_form("postcondition", postcondition, err);
}

tr_status
tr_cap_precondition_check(const struct tr_cap *draft,
                          const struct tr_cap_precondition *precondition,
                          struct tr_err *err)
{
    static const struct tr_json none = {.kind = TR_JSON_OBJECT};
    const struct tr_json *params =
        precondition->params ? precondition->params : &none;
    enum tr_cap_condition_kind kind = kind_of(precondition->kind);
    enum tr_scope scope;
    TR_TRY(check_form("precondition", precondition, err));
    if (kind == TR_CAP_NEEDS_NOTHING)
        return TR_OK;
    TR_TRY(check_params(kind, params, err));
    if (kind != TR_CAP_NEEDS_SCOPE && draft->input_name.len)
        return TR_OK; /* its arguments are those of a type declared later */
    if (kind != TR_CAP_NEEDS_SCOPE)
        return check_arg(draft, param(precondition, "arg"), err);
    if (!tr_scope_find(param(precondition, "scope"), &scope))
        return tr_fail(err, TR_E_INVALID,
                       "a scope is runtime, builder or dev, not '%.*s'",
                       TR_FMT(param(precondition, "scope")));
    return TR_OK;
}

static tr_status find_type(const struct tr_model *model, tr_str name,
                           const struct tr_model_type **out, struct tr_err *err)
{
    struct tr_nearest nearest;
    *out = model ? tr_model_find(model, name) : NULL;
    if (*out)
        return TR_OK;
    tr_nearest_init(&nearest, name);
    for (size_t i = 0; model && i < model->count; i++)
        tr_nearest_offer(&nearest, model->types[i]->name);
    if (!nearest.best.len)
        return tr_fail(err, TR_E_INVALID,
                       "a precondition is about the type '%.*s', but there is "
                       "none",
                       TR_FMT(name));
    return tr_fail(err, TR_E_INVALID,
                   "a precondition is about the type '%.*s', but there is "
                   "none; did you mean '%.*s'?",
                   TR_FMT(name), TR_FMT(nearest.best));
}

/* A value that the field never has would be a condition that never holds. */
static tr_status check_values(const struct tr_cap_condition *condition,
                              struct tr_arena *arena, struct tr_err *err)
{
    for (size_t i = 0; i < condition->one_of->len; i++) {
        struct tr_field_errors errors = {0};
        tr_status st =
            tr_field_check(condition->field, &condition->one_of->as.items[i],
                           arena, &errors, err);
        if (st == TR_E_VALIDATION)
            return tr_fail(err, TR_E_INVALID,
                           "value %zu of a precondition's 'one_of': %.*s",
                           i + 1, TR_FMT(errors.items[0].message));
        if (st != TR_OK)
            return st;
    }
    return TR_OK;
}

static tr_status find_field(const struct tr_cap_precondition *precondition,
                            struct tr_cap_condition *condition,
                            struct tr_arena *arena, struct tr_err *err)
{
    tr_str name = param(precondition, "field");
    condition->field = tr_shape_find(condition->type->shape, name);
    condition->one_of = tr_json_find(precondition->params, TR_STR("one_of"));
    if (!condition->field)
        return tr_fail(err, TR_E_INVALID,
                       "a precondition is about the field '%.*s', which %.*s "
                       "has not",
                       TR_FMT(name), TR_FMT(condition->type->name));
    if (tr_field_is_array(condition->field))
        return tr_fail(err, TR_E_INVALID,
                       "a precondition is about the field '%.*s', which may "
                       "have many values",
                       TR_FMT(name));
    return check_values(condition, arena, err);
}

static tr_status compile(const struct tr_cap *cap,
                         const struct tr_cap_precondition *precondition,
                         const struct tr_model *model, struct tr_arena *arena,
                         struct tr_cap_condition *out, struct tr_err *err)
{
    out->kind = kind_of(precondition->kind);
    if (out->kind == TR_CAP_NEEDS_NOTHING)
        return TR_OK;
    if (out->kind == TR_CAP_NEEDS_SCOPE) { /* it was checked */
        (void)tr_scope_find(param(precondition, "scope"), &out->scope);
        return TR_OK;
    }
    out->arg = param(precondition, "arg");
    TR_TRY(check_arg(cap, out->arg, err));
    TR_TRY(find_type(model, param(precondition, "type"), &out->type, err));
    return out->kind == TR_CAP_NEEDS_STATE
               ? find_field(precondition, out, arena, err)
               : TR_OK;
}

tr_status tr_cap_conditions_compile(struct tr_arena *arena,
                                    const struct tr_model *model,
                                    struct tr_cap *cap, struct tr_err *err)
{
    struct tr_cap_condition *list =
        TR_NEW_ARRAY(arena, struct tr_cap_condition, cap->precondition_count);
    if (!list)
        return tr_fail(err, TR_E_NOMEM, "no memory for the registration");
    for (size_t i = 0; i < cap->precondition_count; i++)
        TR_TRY(
            compile(cap, &cap->preconditions[i], model, arena, &list[i], err));
    cap->conditions = list;
    return TR_OK;
}

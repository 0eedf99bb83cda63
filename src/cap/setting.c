#include "cap/setting.h"

#include "base/ascii.h"
#include "base/limits.h"
#include "base/nearest.h"
#include "cap/copy.h"
#include "cap/inside.h"
#include "cap/registry.h"
#include "fields/check.h"
#include "fields/kind.h"
#include "fields/value.h"
#include "json/build.h"

#define VARIABLES "TRAILS_APP_"

/* A setting while its value is looked for. */
struct finding {
    struct tr_arena *arena; /* of the snapshot */
    const struct tr_shape *shape;
    const struct tr_field *field;
    const struct tr_config_own *own;
    const struct tr_json_member *member; /* in [app], or NULL */
    struct tr_cap_setting *setting;
};

/* Keys are views of the text, unless they are written with escapes. */
static tr_status fail_at(const struct tr_config_own *own, tr_str key,
                         struct tr_err *err)
{
    if (err && key.ptr >= own->toml.ptr &&
        key.ptr <= own->toml.ptr + own->toml.len)
        err->place = tr_place_of(own->toml, (size_t)(key.ptr - own->toml.ptr));
    return TR_E_VALIDATION;
}

static tr_status refuse(const struct finding *f, tr_str why, struct tr_err *err)
{
    if (f->setting->origin == TR_CONFIG_FROM_ENVIRONMENT)
        return tr_fail(err, TR_E_VALIDATION, "%.*s: %.*s",
                       TR_FMT(f->setting->variable), TR_FMT(why));
    (void)tr_fail(err, TR_E_VALIDATION, "app.%.*s", TR_FMT(why));
    return f->member ? fail_at(f->own, tr_json_text(&f->member->key), err)
                     : TR_E_VALIDATION;
}

/* TRAILS_APP_ and the name in capital letters. */
static tr_status name_variable(const struct finding *f, struct tr_err *err)
{
    char text[sizeof(VARIABLES) + TR_LIMIT_NAME_BYTES];
    size_t len = sizeof(VARIABLES) - 1;
    memcpy(text, VARIABLES, len);
    for (size_t i = 0; i < f->field->name.len; i++) {
        char c = f->field->name.ptr[i];
        text[len++] = tr_ascii_is_lower(c) ? (char)(c - 'a' + 'A') : c;
    }
    return tr_arena_copy(f->arena, (tr_str){text, len}, &f->setting->variable)
               ? TR_OK
               : tr_cap_builder_nomem(err);
}

static tr_str find_variable(const struct finding *f)
{
    tr_str name;
    tr_str value;
    char *const *at = f->own ? f->own->environment : NULL;
    for (; at && *at; at++) {
        if (tr_str_cut(tr_str_from(*at), '=', &name, &value) &&
            tr_str_eq(name, f->setting->variable))
            return value;
    }
    return (tr_str){NULL, 0};
}

static bool is_moment(const struct tr_json *value)
{
    return value->kind == TR_JSON_DATETIME ||
           value->kind == TR_JSON_LOCAL_DATETIME ||
           value->kind == TR_JSON_LOCAL_DATE ||
           value->kind == TR_JSON_LOCAL_TIME;
}

/* What only TOML has becomes the text that fields know. */
static tr_status read_member(const struct finding *f, struct tr_json *out,
                             struct tr_err *err)
{
    *out = f->member->value;
    f->setting->origin = TR_CONFIG_FROM_FILE;
    if (is_moment(out))
        *out = tr_json_make_text(TR_JSON_STRING, tr_json_text(out));
    if (out->kind != TR_JSON_ARRAY)
        return TR_OK;
    struct tr_json *items = TR_NEW_ARRAY(f->arena, struct tr_json, out->len);
    if (!items)
        return tr_cap_builder_nomem(err);
    for (size_t i = 0; i < out->len; i++) {
        items[i] = out->as.items[i];
        if (is_moment(&items[i]))
            items[i] =
                tr_json_make_text(TR_JSON_STRING, tr_json_text(&items[i]));
    }
    out->as.items = items;
    return TR_OK;
}

static tr_status read_variable(const struct finding *f, tr_str text,
                               struct tr_json *out, struct tr_err *err)
{
    char why[TR_LIMIT_NAME_BYTES + 64];
    f->setting->origin = TR_CONFIG_FROM_ENVIRONMENT;
    if (f->field->many || f->field->list)
        return refuse(f, TR_STR("a list can only be set in trails.toml"), err);
    tr_status status = tr_field_value_read(f->field, text, f->arena, out);
    if (status == TR_E_NOMEM)
        return tr_cap_builder_nomem(err);
    (void)snprintf(why, sizeof(why), "%.*s must be %s", TR_FMT(f->field->name),
                   tr_field_kind_row(f->field->kind)->expected);
    return status == TR_OK ? TR_OK : refuse(f, tr_str_from(why), err);
}

/* The environment goes before the file, as for every setting. */
static tr_status find_value(const struct finding *f, struct tr_json *out,
                            bool *found, struct tr_err *err)
{
    tr_str variable = find_variable(f);
    *found = variable.ptr || f->member;
    if (variable.ptr)
        return read_variable(f, variable, out, err);
    return f->member ? read_member(f, out, err) : TR_OK;
}

/* A key that is nearly the name of a setting that is missing is that one,
 * written wrongly. */
static tr_status refuse_missing(const struct finding *f, struct tr_err *err)
{
    struct tr_nearest nearest;
    tr_nearest_init(&nearest, f->field->name);
    for (size_t i = 0; f->own && f->own->app && i < f->own->app->len; i++)
        tr_nearest_offer(&nearest,
                         tr_json_text(&f->own->app->as.members[i].key));
    if (!nearest.best.len)
        return tr_fail(err, TR_E_VALIDATION,
                       "app.%.*s is missing: set %.*s in [app], or %.*s",
                       TR_FMT(f->field->name), TR_FMT(f->field->name),
                       TR_FMT(f->setting->variable));
    (void)tr_fail(err, TR_E_VALIDATION,
                  "app.%.*s is missing; is '%.*s' meant to be that?",
                  TR_FMT(f->field->name), TR_FMT(nearest.best));
    return fail_at(f->own, nearest.best, err);
}

static tr_status refuse_checked(const struct finding *f,
                                const struct tr_shape_checked *checked,
                                bool found, struct tr_err *err)
{
    if (found && checked->errors.count)
        return refuse(f, checked->errors.items[0].message, err);
    return refuse_missing(f, err);
}

static tr_status check_value(const struct finding *f, struct tr_err *err)
{
    struct tr_shape_checked checked;
    struct tr_json_member member = {
        .key = tr_json_make_text(TR_JSON_STRING, f->field->name)};
    struct tr_json object;
    struct tr_cap_copier copier = {f->arena, false};
    bool found = false;
    TR_TRY(find_value(f, &member.value, &found, err));
    if (!tr_json_make_object(f->arena, &member, found, &object))
        return tr_cap_builder_nomem(err);
    tr_status status =
        tr_shape_check(f->shape, &object, f->arena, &checked, err);
    if (status == TR_E_VALIDATION)
        return refuse_checked(f, &checked, found, err);
    TR_TRY(status);
    f->setting->value = tr_json_find(checked.value, f->field->name);
    if (f->setting->value)
        tr_cap_copy_json(&copier, &f->setting->value);
    return tr_cap_copy_check(&copier, err);
}

static const struct tr_json_member *find_member(const struct tr_config_own *own,
                                                tr_str name)
{
    for (size_t i = 0; own && own->app && i < own->app->len; i++) {
        if (tr_str_eq(tr_json_text(&own->app->as.members[i].key), name))
            return &own->app->as.members[i];
    }
    return NULL;
}

static bool is_declared(const struct tr_cap_snapshot *snapshot, tr_str name)
{
    for (size_t i = 0; i < snapshot->settings.count; i++) {
        if (tr_str_eq(snapshot->settings.items[i]->field->name, name))
            return true;
    }
    return false;
}

/* The kinds are those that a text can say, as the environment has to. */
static tr_status check_draft(const struct tr_cap_snapshot *snapshot,
                             const struct tr_field *field, struct tr_err *err)
{
    if (!tr_field_has(field, TR_FIELD_IS_ARGUMENT))
        return tr_fail(err, TR_E_INVALID,
                       "a setting is a value that stands in a file, not a %s",
                       tr_field_kind_name(field->kind));
    if (is_declared(snapshot, field->name))
        return tr_fail(err, TR_E_CONFLICT, "it is declared twice");
    return TR_OK;
}

tr_status tr_cap_registry_add_setting(struct tr_cap_builder *builder,
                                      const struct tr_shape *draft,
                                      const struct tr_config_own *own,
                                      const struct tr_cap_setting **out,
                                      struct tr_err *err)
{
    struct tr_cap_snapshot *snapshot = builder->snapshot;
    struct finding f = {.arena = &snapshot->arena, .own = own};
    TR_TRY(check_draft(snapshot, &draft->fields[0], err));
    TR_TRY(
        tr_shape_register(f.arena, &snapshot->patterns, draft, &f.shape, err));
    f.field = &f.shape->fields[0];
    f.member = find_member(own, f.field->name);
    f.setting = TR_NEW(f.arena, struct tr_cap_setting);
    if (!f.setting)
        return tr_cap_builder_nomem(err);
    f.setting->field = f.field;
    TR_TRY(name_variable(&f, err));
    TR_TRY(check_value(&f, err));
    *out = f.setting;
    return tr_vec_push(f.arena, &snapshot->settings, f.setting)
               ? TR_OK
               : tr_cap_builder_nomem(err);
}

tr_status tr_cap_registry_check_settings(const struct tr_cap_builder *builder,
                                         const struct tr_config_own *own,
                                         struct tr_err *err)
{
    const struct tr_cap_snapshot *snapshot = builder->snapshot;
    for (size_t i = 0; own && own->app && i < own->app->len; i++) {
        struct tr_nearest nearest;
        tr_str key = tr_json_text(&own->app->as.members[i].key);
        if (is_declared(snapshot, key))
            continue;
        tr_nearest_init(&nearest, key);
        for (size_t k = 0; k < snapshot->settings.count; k++)
            tr_nearest_offer(&nearest,
                             snapshot->settings.items[k]->field->name);
        if (nearest.best.len)
            (void)tr_fail(err, TR_E_VALIDATION,
                          "unknown key '%.*s' in [app], did you mean '%.*s'?",
                          TR_FMT(key), TR_FMT(nearest.best));
        else
            (void)tr_fail(err, TR_E_VALIDATION,
                          "unknown key '%.*s' in [app]: app.lua declares no "
                          "such setting",
                          TR_FMT(key));
        return fail_at(own, key, err);
    }
    return TR_OK;
}

size_t tr_cap_snapshot_setting_count(const struct tr_cap_snapshot *snapshot)
{
    return snapshot->settings.count;
}

const struct tr_cap_setting *
tr_cap_snapshot_setting(const struct tr_cap_snapshot *snapshot, size_t i)
{
    return snapshot->settings.items[i];
}

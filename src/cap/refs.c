/*
 * What callers are told of the references in an input: what id is wanted, and
 * what lists such ids. It needs the whole snapshot, since the tool that finds a
 * type may be added after the one that refers to it.
 */
#include "base/limits.h"
#include "cap/inside.h"
#include "fields/field.h"
#include "model/model.h"

tr_status tr_cap_builder_note_finders(struct tr_cap_snapshot *snapshot,
                                      struct tr_err *err)
{
    const struct tr_model *model = snapshot->model;
    if (!model)
        return TR_OK;
    snapshot->finders =
        TR_NEW_ARRAY(&snapshot->arena, const struct tr_cap *, model->count);
    if (!snapshot->finders)
        return tr_cap_builder_nomem(err);
    for (size_t i = 0; i < snapshot->caps.count; i++) {
        const struct tr_cap *cap = snapshot->caps.items[i];
        for (size_t k = 0; cap->finds && k < model->count; k++) {
            if (model->types[k] == cap->finds)
                snapshot->finders[k] = cap;
        }
    }
    return TR_OK;
}

static const struct tr_cap *finder_of(const struct tr_cap_snapshot *snapshot,
                                      const struct tr_model_type *type)
{
    for (size_t i = 0; snapshot->finders && i < snapshot->model->count; i++) {
        if (snapshot->model->types[i] == type)
            return snapshot->finders[i];
    }
    return NULL;
}

/* A type may be known by its name alone: each face has its own. */
bool tr_cap_snapshot_put_lister(const struct tr_cap_snapshot *snapshot,
                                tr_str type, unsigned scopes,
                                struct tr_buf *out)
{
    char text[TR_LIMIT_NAME_BYTES + sizeof("trails://kg/")];
    struct tr_buf uri;
    const struct tr_model_type *above =
        snapshot->model ? tr_model_find(snapshot->model, type) : NULL;
    for (; above; above = above->parent) {
        const struct tr_cap *finder = finder_of(snapshot, above);
        if (finder && tr_cap_guard_is_shown(&finder->guard, scopes)) {
            tr_buf_put(out, finder->name);
            return true;
        }
    }
    tr_buf_init_fixed(&uri, text, sizeof(text));
    tr_buf_putf(&uri, "trails://kg/%.*s", TR_FMT(type));
    const struct tr_cap_resource *list =
        tr_cap_snapshot_find_resource(snapshot, tr_buf_str(&uri));
    if (!list || !tr_cap_guard_is_shown(&list->about.guard, scopes))
        return false;
    tr_buf_put(out, tr_buf_str(&uri));
    return true;
}

static const char *article(tr_str noun)
{
    return strchr("AEIOaeio", noun.ptr[0]) ? "an" : "a";
}

/* What the author says comes first, as a sentence of its own. */
static void put_own(struct tr_buf *out, tr_str own)
{
    tr_buf_put(out, own);
    if (own.len && !strchr(".!?:", own.ptr[own.len - 1]))
        tr_buf_putc(out, '.');
    if (own.len)
        tr_buf_putc(out, ' ');
}

/* "The id of a Person, as find_person gives it, such as
 * trails://project/Person/ID, or just ID." */
static void put_told(const struct tr_cap_snapshot *snapshot,
                     const struct tr_cap *cap, const struct tr_field *field,
                     struct tr_buf *out)
{
    static const char *const begins[] = {"The id of ", "Ids, each of "};
    struct tr_buf lister;
    tr_buf_init(&lister, TR_LIMIT_DESCRIPTION_BYTES);
    put_own(out, field->description);
    if (field->names == TR_FIELD_NAMES_NEW) {
        tr_buf_put(out, TR_STR("The id of the new one"));
    } else {
        tr_buf_putf(out, "%s%s %.*s", begins[tr_field_is_array(field)],
                    article(field->target), TR_FMT(field->target));
        if (tr_cap_snapshot_put_lister(snapshot, field->target,
                                       cap->guard.needed, &lister))
            tr_buf_putf(out, ", as %.*s gives it", TR_FMT(tr_buf_str(&lister)));
    }
    tr_buf_putf(out, ", such as trails://%.*s/%.*s/ID, or just ID%s%.*s.",
                TR_FMT(snapshot->model->project), TR_FMT(field->target),
                field->by.len ? ", or its " : "", TR_FMT(field->by));
    if (out->failed == TR_OK)
        out->failed = lister.failed;
    tr_buf_done(&lister);
}

/* Whether whoever may call it may read nodes of the type, too. */
bool tr_cap_is_as_guarded(const struct tr_cap *cap,
                          const struct tr_cap_guard *type)
{
    const struct tr_cap_strs *asked = &type->policy_required;
    if (!tr_cap_guard_is_shown(type, cap->guard.needed))
        return false;
    for (size_t i = 0; i < asked->count; i++) {
        size_t k = 0;
        while (k < cap->guard.policy_required.count &&
               !tr_str_eq(cap->guard.policy_required.items[k], asked->items[i]))
            k++;
        if (k == cap->guard.policy_required.count)
            return false;
    }
    return true;
}

/* By keys one could find out which nodes there are. */
static tr_status check_key(const struct tr_cap_snapshot *snapshot,
                           const struct tr_cap *cap,
                           const struct tr_field *field, struct tr_err *err)
{
    if (!field->by.len)
        return TR_OK;
    tr_status status = tr_model_check_key(snapshot->model, field, err);
    if (status == TR_OK &&
        !tr_cap_is_as_guarded(
            cap, tr_cap_snapshot_shape_guard(snapshot, field->target)))
        status = tr_fail(err, TR_E_INVALID,
                         "by is refused where callers need not be able to read "
                         "'%.*s': give it the scope and policies of that type",
                         TR_FMT(field->target));
    if (status != TR_OK)
        tr_err_prefix(err, "%.*s%sfield '%.*s'", TR_FMT(cap->guard.where),
                      cap->guard.where.len ? ": " : "", TR_FMT(field->name));
    return status;
}

/* Also of refs in objects. */
static tr_status check_keys(const struct tr_cap_snapshot *snapshot,
                            const struct tr_cap *cap,
                            const struct tr_shape *shape, struct tr_err *err)
{
    for (size_t i = 0; shape && i < shape->count; i++) {
        TR_TRY(check_key(snapshot, cap, &shape->fields[i], err));
        TR_TRY(check_keys(snapshot, cap, shape->fields[i].object, err));
    }
    return TR_OK;
}

static tr_status tell(struct tr_cap_snapshot *snapshot,
                      const struct tr_cap *cap, struct tr_field *field,
                      struct tr_err *err)
{
    struct tr_buf text;
    tr_buf_init(&text, TR_LIMIT_DESCRIPTION_BYTES);
    put_told(snapshot, cap, field, &text);
    tr_status status = tr_buf_check(&text, err);
    if (status == TR_OK && !tr_arena_copy(&snapshot->arena, tr_buf_str(&text),
                                          &field->description))
        status = tr_cap_builder_nomem(err);
    tr_buf_done(&text);
    return status == TR_E_LIMIT ? TR_OK : status; /* then it says its own */
}

tr_status tr_cap_builder_tell_refs(struct tr_cap_snapshot *snapshot,
                                   struct tr_cap *cap, struct tr_err *err)
{
    struct tr_field *fields = NULL;
    size_t count = cap->input_shape ? cap->input_shape->count : 0;
    if (snapshot->model)
        TR_TRY(check_keys(snapshot, cap, cap->input_shape, err));
    for (size_t i = 0; snapshot->model && i < count; i++) {
        const struct tr_field *field = &cap->input_shape->fields[i];
        if (!tr_model_find(snapshot->model, field->target))
            continue;
        if (!fields) {
            fields = TR_NEW_ARRAY(&snapshot->arena, struct tr_field, count);
            if (!fields)
                return tr_cap_builder_nomem(err);
            memcpy(fields, cap->input_shape->fields, count * sizeof(*fields));
        }
        TR_TRY(tell(snapshot, cap, &fields[i], err));
    }
    if (!fields)
        return TR_OK;
    struct tr_shape draft = *cap->input_shape;
    draft.fields = fields;
    TR_TRY(tr_shape_register(&snapshot->arena, &snapshot->patterns, &draft,
                             &cap->input_shape, err));
    return tr_cap_builder_show_key(snapshot, cap, err);
}

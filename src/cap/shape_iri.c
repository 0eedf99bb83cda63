/*
 * The IRIs of what capabilities take and give. Where that is a type or a shape
 * of the model, whole, and for everybody who may call, the IRI is the one that
 * it has; else it is trails://project/shape/<id>.input, or .output.
 */
#include "cap/inside.h"
#include "cap/snapshot.h"
#include "fields/field.h"
#include "model/model.h"
#include "model/shacl.h"

#define OWN    "/shape/"
#define INPUT  ".input"
#define OUTPUT ".output"

static tr_str project_of(const struct tr_cap_snapshot *snapshot)
{
    return snapshot->model ? snapshot->model->project : TR_STR("local");
}

/* Whether callers of the capability see all fields of a type. */
static bool is_whole(const struct tr_model *model, const struct tr_cap *cap,
                     const struct tr_model_type *type)
{
    const struct tr_model_face *face =
        tr_model_face_for(model, cap->guard.scope);
    const struct tr_model_type *seen =
        face ? tr_model_find(face->model, type->name) : type;
    return seen && seen->shape->count == type->shape->count;
}

/* The IRI of a shape table, when there are nodes that it is for. */
static tr_status find_table(struct tr_cap_snapshot *snapshot, tr_str name,
                            tr_str *out, struct tr_err *err)
{
    const struct tr_model *model = snapshot->model;
    const struct tr_shape *table = tr_model_find_shape(model, name);
    struct tr_buf home;
    tr_str iri = table ? table->iri : TR_STR("");
    size_t at;
    if (!table)
        return TR_OK;
    tr_buf_init(&home, TR_LIMIT_URI_BYTES);
    tr_status status = TR_OK;
    if (iri.len) {
        status = tr_model_type_iri_expand(&snapshot->arena, model->prefixes,
                                          &iri, err);
    } else {
        tr_buf_putf(&home, "trails://%.*s/%.*s", TR_FMT(model->project),
                    TR_FMT(name));
        status = tr_buf_check(&home, err);
        iri = tr_buf_str(&home);
    }
    if (status == TR_OK && tr_shacl_shapes_find(model->shapes, iri, &at) &&
        !tr_arena_copy(&snapshot->arena, iri, out))
        status = tr_cap_builder_nomem(err);
    tr_buf_done(&home);
    return status;
}

/* The IRI of what the model calls so; "" when callers do not see it whole. */
static tr_status find_named(struct tr_cap_snapshot *snapshot,
                            const struct tr_cap *cap, tr_str name, tr_str *out,
                            struct tr_err *err)
{
    const struct tr_model_type *type = tr_model_find(snapshot->model, name);
    if (!type)
        TR_TRY(find_table(snapshot, name, out, err));
    else if (is_whole(snapshot->model, cap, type))
        *out = type->shape->iri;
    if (out->len &&
        !tr_cap_is_as_guarded(cap, tr_cap_snapshot_shape_guard(snapshot, *out)))
        *out = TR_STR("");
    return TR_OK;
}

static tr_status name_own(struct tr_cap_snapshot *snapshot,
                          const struct tr_cap *cap, const char *end,
                          tr_str *out, struct tr_err *err)
{
    struct tr_buf text;
    tr_buf_init(&text, TR_LIMIT_URI_BYTES);
    tr_buf_putf(&text, "trails://%.*s" OWN "%.*s%s",
                TR_FMT(project_of(snapshot)), TR_FMT(cap->id), end);
    tr_status status = tr_buf_check(&text, err);
    if (status == TR_OK &&
        !tr_arena_copy(&snapshot->arena, tr_buf_str(&text), out))
        status = tr_cap_builder_nomem(err);
    tr_buf_done(&text);
    return status;
}

/* The type whose instances it gives, as they are stored; by its name. */
static tr_str output_name(const struct tr_cap *cap)
{
    if (cap->output_is_page)
        return TR_STR("");
    if (cap->output_name.len)
        return cap->output_name;
    return cap->output_is_stored && cap->guard.type ? cap->guard.type->name
                                                    : TR_STR("");
}

/* A change may leave out all but what it names. */
static tr_status loosen(struct tr_arena *arena, struct tr_shape *shape,
                        struct tr_err *err)
{
    struct tr_field *fields =
        TR_NEW_ARRAY(arena, struct tr_field, shape->count);
    if (!fields)
        return tr_cap_builder_nomem(err);
    for (size_t i = 0; i < shape->count; i++) {
        fields[i] = shape->fields[i];
        fields[i].optional = !tr_str_eq(fields[i].name, shape->patch_key);
        if (fields[i].optional)
            fields[i].min_count = 0;
    }
    shape->fields = fields;
    return TR_OK;
}

/* {"items": [...], "next"?} */
static tr_status wrap_page(struct tr_arena *arena, struct tr_shape *shape,
                           struct tr_err *err)
{
    struct tr_shape *item = TR_NEW(arena, struct tr_shape);
    struct tr_field *fields = TR_NEW_ARRAY(arena, struct tr_field, 2);
    if (!item || !fields)
        return tr_cap_builder_nomem(err);
    *item = *shape;
    fields[0] = (struct tr_field){.name = TR_STR("items"),
                                  .kind = TR_FIELD_OBJECT,
                                  .many = true,
                                  .optional = true,
                                  .object = item};
    fields[1] = (struct tr_field){.name = TR_STR("next"),
                                  .optional = true,
                                  .description =
                                      TR_STR("The cursor of the next page.")};
    *shape =
        (struct tr_shape){.name = shape->name, .fields = fields, .count = 2};
    return TR_OK;
}

tr_status tr_cap_own_shape_table(const struct tr_cap_snapshot *snapshot,
                                 const struct tr_cap_own_shape *own,
                                 struct tr_arena *arena, struct tr_shape *out,
                                 struct tr_err *err)
{
    const struct tr_cap *cap = own->cap;
    const struct tr_shape *input =
        cap->shown_shape ? cap->shown_shape : cap->input_shape;
    const struct tr_shape *output =
        cap->stored_shape ? cap->stored_shape : cap->output_shape;
    tr_str iri = own->is_output ? cap->output_iri : cap->input_iri;
    const struct tr_model_type_context context = {
        .project = project_of(snapshot),
        .prefixes = snapshot->model ? snapshot->model->prefixes : NULL,
    };
    *out = own->is_output ? *output : *input;
    out->name = tr_str_skip(iri, sizeof("trails://") + context.project.len);
    if (own->is_output && cap->output_is_page)
        TR_TRY(wrap_page(arena, out, err));
    else if (out->patch_key.len)
        TR_TRY(loosen(arena, out, err));
    out->iri = iri;
    tr_status status = tr_model_name_shape(arena, &context, out, err);
    if (status != TR_OK && err && err->at[0])
        tr_err_prefix(err, "field '%s'", err->at);
    return status;
}

/* Says what is wrong with the IRIs of fields now, not to who asks for them. */
static tr_status check_own(const struct tr_cap_snapshot *snapshot,
                           const struct tr_cap *cap, bool is_output,
                           struct tr_err *err)
{
    const struct tr_cap_own_shape own = {cap, is_output};
    struct tr_shape table;
    struct tr_arena scratch;
    tr_arena_init(&scratch, TR_LIMIT_SNAPSHOT_BYTES);
    tr_status status =
        tr_cap_own_shape_table(snapshot, &own, &scratch, &table, err);
    tr_arena_done(&scratch);
    return status;
}

tr_status tr_cap_builder_name_shapes(struct tr_cap_snapshot *snapshot,
                                     struct tr_cap *cap, struct tr_err *err)
{
    tr_str output = output_name(cap);
    if (cap->input_name.len && snapshot->model)
        TR_TRY(
            find_named(snapshot, cap, cap->input_name, &cap->input_iri, err));
    if (output.len && snapshot->model)
        TR_TRY(find_named(snapshot, cap, output, &cap->output_iri, err));
    if (cap->input_shape && !cap->input_iri.len) {
        TR_TRY(name_own(snapshot, cap, INPUT, &cap->input_iri, err));
        TR_TRY(check_own(snapshot, cap, false, err));
    }
    if (cap->output_shape && !cap->output_iri.len) {
        TR_TRY(name_own(snapshot, cap, OUTPUT, &cap->output_iri, err));
        TR_TRY(check_own(snapshot, cap, true, err));
    }
    return TR_OK;
}

/* Whether an IRI is trails://project/shape/<end>. */
static bool is_own(const struct tr_cap_snapshot *snapshot, tr_str iri,
                   tr_str end)
{
    tr_str project = project_of(snapshot);
    const tr_str parts[] = {TR_STR("trails://"), project, TR_STR(OWN)};
    for (size_t i = 0; i < TR_LEN(parts); i++) {
        if (!tr_str_starts(iri, parts[i]))
            return false;
        iri = tr_str_skip(iri, parts[i].len);
    }
    return !end.len || tr_str_eq(iri, end);
}

static bool cut_end(tr_str name, const char *end, tr_str *out)
{
    tr_str text = tr_str_from(end);
    if (name.len < text.len ||
        !tr_str_eq(tr_str_skip(name, name.len - text.len), text))
        return false;
    *out = (tr_str){name.ptr, name.len - text.len};
    return true;
}

bool tr_cap_snapshot_find_own_shape(const struct tr_cap_snapshot *snapshot,
                                    tr_str name, struct tr_cap_own_shape *out)
{
    tr_str id;
    if (is_own(snapshot, name, TR_STR("")))
        name = tr_str_skip(name, sizeof("trails://" OWN) - 1 +
                                     project_of(snapshot).len);
    out->is_output = cut_end(name, OUTPUT, &id);
    if (!out->is_output && !cut_end(name, INPUT, &id))
        return false;
    out->cap = tr_map_find(&snapshot->by_id, id);
    return out->cap && out->cap->version_status != TR_CAP_VERSION_RETIRED &&
           is_own(snapshot,
                  out->is_output ? out->cap->output_iri : out->cap->input_iri,
                  name);
}

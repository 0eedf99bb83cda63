#include "base/vec.h"
#include "cap/inside.h"
#include "cap/registry.h"
#include "fields/json_schema.h"
#include "model/model.h"
#include "model/tool_shape.h"
#include "schema/verbatim.h"

#include <assert.h>

typedef TR_VEC(struct tr_cap_header) headers;

static tr_status add_header(struct tr_arena *arena, headers *list,
                            struct tr_cap_header header, struct tr_err *err)
{
    return tr_vec_push(arena, list, header) ? TR_OK : tr_cap_builder_nomem(err);
}

static tr_status schema_headers(struct tr_arena *arena,
                                const struct tr_schema_verbatim *schema,
                                headers *list, struct tr_err *err)
{
    struct tr_field_header_params params;
    TR_TRY(tr_field_header_params_find(arena, tr_schema_verbatim_tree(schema),
                                       &params, err));
    for (size_t i = 0; i < params.count; i++) {
        struct tr_cap_header header = {params.items[i].name,
                                       params.items[i].pointer};
        TR_TRY(add_header(arena, list, header, err));
    }
    return TR_OK;
}

static tr_status shape_headers(struct tr_arena *arena,
                               const struct tr_shape *shape, headers *list,
                               struct tr_err *err)
{
    for (size_t i = 0; i < shape->count; i++) {
        const struct tr_field *field = &shape->fields[i];
        if (field->header.len == 0)
            continue;
        char *pointer = tr_arena_alloc(arena, field->name.len + 1);
        if (!pointer)
            return tr_cap_builder_nomem(err);
        pointer[0] = '/'; /* a name has nothing that must be escaped */
        memcpy(pointer + 1, field->name.ptr, field->name.len);
        struct tr_cap_header header = {field->header,
                                       {pointer, field->name.len + 1}};
        TR_TRY(add_header(arena, list, header, err));
    }
    return TR_OK;
}

/* Which arguments are also sent as headers. */
static tr_status find_headers(struct tr_arena *arena, struct tr_cap *cap,
                              struct tr_err *err)
{
    headers list = {0};
    if (cap->input_schema)
        TR_TRY(schema_headers(arena, cap->input_schema, &list, err));
    else if (cap->input_shape)
        TR_TRY(shape_headers(arena, cap->input_shape, &list, err));
    cap->headers = list.items;
    cap->header_count = list.count;
    return TR_OK;
}

/*
 * A shape as it is, or what `of_type` makes of a type as far as callers with
 * the scope of the capability see it.
 */
static tr_status find_shape(struct tr_cap_snapshot *snapshot, tr_str name,
                            enum tr_scope scope,
                            tr_model_tool_shape_fn *of_type,
                            const struct tr_shape **out, struct tr_err *err)
{
    const struct tr_model_face *face =
        tr_model_face_for(snapshot->model, scope ? scope : TR_SCOPE_RUNTIME);
    const struct tr_model *model = face ? face->model : snapshot->model;
    const struct tr_model_tool_shape how = {
        .model = model,
        .type = tr_model_find(model, name),
        .arena = &snapshot->arena,
        .patterns = &snapshot->patterns,
    };
    if (how.type)
        return of_type(&how, out, err);
    *out = tr_model_find_shape(model, name);
    return *out
               ? TR_OK
               : tr_fail(err, TR_E_INVALID,
                         "there is no node_type or shape '%.*s'", TR_FMT(name));
}

/* Adds the idempotency key to the input that clients see: a language model
 * sends only arguments that the schema shows. A capability that only reads
 * needs no key: repeating it does no harm. */
tr_status tr_cap_builder_show_key(struct tr_cap_snapshot *snapshot,
                                  struct tr_cap *cap, struct tr_err *err)
{
    static const struct tr_shape no_fields = {0};
    static const struct tr_field key = {
        .name = TR_STR_INIT(TR_CAP_IDEMPOTENCY_KEY),
        .optional = true,
        .min_length = 1,
        .description = TR_STR_INIT("Any text of yours. A call that is repeated "
                                   "with it is done once."),
    };
    struct tr_shape draft = cap->input_shape ? *cap->input_shape : no_fields;
    if (!cap->idempotent || cap->input_schema || tr_cap_is_read_only(cap) ||
        tr_shape_find(&draft, key.name))
        return TR_OK;
    struct tr_field *fields =
        TR_NEW_ARRAY(&snapshot->arena, struct tr_field, draft.count + 1);
    if (!fields)
        return tr_cap_builder_nomem(err);
    if (draft.count)
        memcpy(fields, draft.fields, draft.count * sizeof(*fields));
    fields[draft.count++] = key;
    draft.fields = fields;
    return tr_shape_register(&snapshot->arena, &snapshot->patterns, &draft,
                             &cap->shown_shape, err);
}

tr_status tr_cap_builder_link(struct tr_cap_snapshot *snapshot,
                              struct tr_cap *cap, struct tr_err *err)
{
    bool is_late = cap->input_name.len || cap->output_name.len;
    if (is_late && !snapshot->model)
        return TR_OK;
    if (cap->input_name.len)
        TR_TRY(find_shape(snapshot, cap->input_name, cap->guard.scope,
                          tr_model_tool_shape_fields, &cap->input_shape, err));
    if (cap->output_name.len) {
        TR_TRY(find_shape(snapshot, cap->output_name, cap->guard.scope,
                          tr_model_tool_shape_node, &cap->output_shape, err));
        if (tr_model_find(snapshot->model, cap->output_name))
            TR_TRY(find_shape(snapshot, cap->output_name, cap->guard.scope,
                              tr_model_tool_shape_stored, &cap->stored_shape,
                              err));
    }
    TR_TRY(tr_cap_builder_show_key(snapshot, cap, err));
    return find_headers(&snapshot->arena, cap, err);
}

/* Arguments and results may be private nodes, but do not name their type. */
static tr_status show_refs(struct tr_cap_snapshot *snapshot,
                           const struct tr_shape **shape, bool *changed,
                           struct tr_err *err)
{
    size_t count = *shape ? (*shape)->count : 0;
    struct tr_field *fields =
        TR_NEW_ARRAY(&snapshot->arena, struct tr_field, count);
    bool differs = false;
    if (!fields)
        return tr_cap_builder_nomem(err);
    for (size_t i = 0; i < count; i++) {
        fields[i] = (*shape)->fields[i];
        differs |= tr_model_show_ref(snapshot->model, &fields[i]);
    }
    if (!differs)
        return TR_OK;
    struct tr_shape draft = **shape;
    draft.fields = fields;
    *changed = true;
    return tr_shape_register(&snapshot->arena, &snapshot->patterns, &draft,
                             shape, err);
}

static tr_status take_model(struct tr_cap_snapshot *snapshot,
                            struct tr_cap *cap, struct tr_err *err)
{
    bool changed = cap->input_name.len || cap->output_name.len;
    if (tr_model_face_for(snapshot->model, TR_SCOPE_ALL)) {
        TR_TRY(show_refs(snapshot, &cap->input_shape, &changed, err));
        TR_TRY(show_refs(snapshot, &cap->output_shape, &changed, err));
        TR_TRY(show_refs(snapshot, &cap->stored_shape, &changed, err));
    }
    return changed ? tr_cap_builder_link(snapshot, cap, err) : TR_OK;
}

tr_status tr_cap_registry_take_model(struct tr_cap_builder *builder,
                                     const struct tr_model *model,
                                     struct tr_err *err)
{
    struct tr_cap_snapshot *snapshot = builder->snapshot;
    assert(!snapshot->model);
    snapshot->model = model;
    for (size_t i = 0; i < snapshot->caps.count; i++) {
        struct tr_cap *cap = snapshot->caps.items[i];
        TR_TRY(
            tr_cap_builder_about(cap->id, take_model(snapshot, cap, err), err));
    }
    return TR_OK;
}

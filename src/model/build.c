#include "base/limits.h"
#include "model/inside.h"
#include "model/shacl.h"
#include "rdf/reader.h"
#include "shacl/shapes.h"

static tr_status fail_memory(const struct tr_model_making *m)
{
    return tr_fail(m->err, TR_E_NOMEM, "no memory for the types of an app");
}

/* The shapes of the types below `type`; `out` has room for all types. */
static size_t find_subtypes(const struct tr_model *model,
                            const struct tr_model_type *type,
                            const struct tr_shape **out)
{
    size_t count = 0;
    for (size_t i = 0; i < model->count; i++) {
        if (model->types[i] != type && tr_model_type_is(model->types[i], type))
            out[count++] = model->types[i]->shape;
    }
    return count;
}

static tr_status add_types(const struct tr_model_making *m,
                           struct tr_model_type_context *context)
{
    const struct tr_model *model = &m->whole->model;
    struct tr_arena *arena = &m->from->arena;
    const struct tr_shape **shapes =
        TR_NEW_ARRAY(arena, const struct tr_shape *, model->count);
    const struct tr_shape **subtypes =
        TR_NEW_ARRAY(arena, const struct tr_shape *, model->count);
    if (!shapes || !subtypes)
        return fail_memory(m);
    for (size_t i = 0; i < model->count; i++)
        shapes[i] = model->types[i]->shape;
    context->types = shapes;
    context->type_count = model->count;
    for (size_t i = 0; i < model->count; i++) {
        const struct tr_model_type *type = model->types[i];
        struct tr_model_type_context own = *context;
        own.parent = type->parent ? type->parent->shape : NULL;
        own.own = &m->from->types.items[i]->draft.shape;
        own.subtypes = subtypes;
        own.subtype_count = find_subtypes(model, type, subtypes);
        TR_TRY(tr_model_shape_to_graph(type->shape, &own, m->whole->graph,
                                       m->err));
    }
    return TR_OK;
}

/* Sets the class or predicate that a shape is for; *type is NULL when the app
 * does not declare that class. */
static tr_status find_target(const struct tr_model_making *m,
                             const struct tr_model_shape_draft *draft,
                             struct tr_model_type_context *context,
                             const struct tr_model_type **type)
{
    bool by_class = draft->target.len > 0;
    tr_str iri = by_class ? draft->target : draft->target_subjects_of;
    *type = tr_model_find(&m->whole->model, draft->target);
    if (by_class && !*type && !memchr(iri.ptr, ':', iri.len))
        return tr_model_fail_unknown(m, iri);
    if (*type) {
        iri = (*type)->shape->iri;
    } else {
        tr_status st = tr_model_type_iri_expand(
            &m->from->arena, &m->whole->prefixes, &iri, m->err);
        if (st != TR_OK)
            tr_err_prefix(m->err, by_class ? "target" : "target_subjects_of");
        TR_TRY(st);
        *type = by_class ? tr_model_find_iri(&m->whole->model, iri) : NULL;
    }
    *(by_class ? &context->target_class : &context->target_subjects_of) = iri;
    return TR_OK;
}

/* A field with a name that the target type has is the same property; any other
 * has to have an IRI. */
static tr_status name_field(const struct tr_model_making *m,
                            const struct tr_model_type *type,
                            struct tr_field *field)
{
    const struct tr_field *declared =
        type ? tr_shape_find(type->shape, field->name) : NULL;
    if (field->target.len && !tr_model_find(&m->whole->model, field->target))
        return tr_model_fail_unknown(m, field->target);
    if (field->iri.len)
        return TR_OK;
    if (!declared)
        return tr_fail(m->err, TR_E_INVALID,
                       type ? "the type has no such field, so it needs an iri"
                            : "it needs an iri");
    field->iri = declared->iri;
    return tr_model_check_kind(m, declared, field, type->name);
}

static tr_status name_fields(const struct tr_model_making *m,
                             const struct tr_model_type *type,
                             struct tr_shape *shape)
{
    struct tr_field *fields =
        TR_NEW_ARRAY(&m->from->arena, struct tr_field, shape->count);
    if (!fields)
        return fail_memory(m);
    for (size_t i = 0; i < shape->count; i++) {
        fields[i] = shape->fields[i];
        TR_TRY(tr_model_about_field(m, fields[i].name,
                                    name_field(m, type, &fields[i])));
    }
    shape->fields = fields;
    return TR_OK;
}

/* Registers the table for tr_model_find_shape, where it is closed. */
static tr_status keep_shape(const struct tr_model_making *m,
                            const struct tr_shape *shape)
{
    struct tr_model_whole *whole = m->whole;
    struct tr_shape draft = *shape;
    const struct tr_shape *kept = NULL;
    draft.open = false;
    TR_TRY(tr_shape_register(&whole->arena, &whole->patterns, &draft, &kept,
                             m->err));
    return tr_map_set(&whole->by_shape, kept->name, (void *)(uintptr_t)kept)
               ? TR_OK
               : fail_memory(m);
}

static bool is_needed(const struct tr_model_making *m, tr_str name)
{
    for (size_t i = 0; i < m->from->needed.count; i++) {
        if (tr_str_eq(m->from->needed.items[i].name, name))
            return true;
    }
    return false;
}

/* A shape without a target constrains no node. Since a target is easily
 * forgotten, a capability has to use the shape by its name. */
static tr_status check_targetless(const struct tr_model_making *m,
                                  const struct tr_shape *shape)
{
    if (!is_needed(m, shape->name))
        return tr_fail(m->err, TR_E_INVALID,
                       "'target' or 'target_subjects_of' is needed: no "
                       "capability uses it by its name");
    for (size_t i = 0; i < shape->count; i++) {
        const struct tr_field *field = &shape->fields[i];
        if (field->target.len &&
            !tr_model_find(&m->whole->model, field->target))
            return tr_model_about_field(
                m, field->name, tr_model_fail_unknown(m, field->target));
    }
    return TR_OK;
}

static tr_status add_shape(struct tr_model_making *m,
                           const struct tr_model_shape_draft *draft,
                           struct tr_model_type_context context)
{
    struct tr_shape shape = draft->shape;
    const struct tr_model_type *type = NULL;
    TR_TRY(keep_shape(m, &shape));
    if (!draft->target.len && !draft->target_subjects_of.len)
        return check_targetless(m, &shape);
    TR_TRY(find_target(m, draft, &context, &type));
    TR_TRY(name_fields(m, type, &shape));
    tr_status st =
        tr_model_name_shape(&m->from->arena, &context, &shape, m->err);
    if (st != TR_OK && m->err->at[0])
        tr_err_prefix(m->err, "field '%s'", m->err->at);
    TR_TRY(st);
    if (tr_map_find(&m->whole->by_iri, shape.iri))
        return tr_fail(m->err, TR_E_INVALID,
                       "a node_type has the same IRI, <%.*s>",
                       TR_FMT(shape.iri));
    if (tr_map_find(&m->shape_iris, shape.iri))
        return tr_fail(m->err, TR_E_INVALID,
                       "another shape has the same IRI, <%.*s>",
                       TR_FMT(shape.iri));
    if (!tr_map_set(&m->shape_iris, shape.iri, m))
        return fail_memory(m);
    return tr_model_shape_to_graph(&shape, &context, m->whole->graph, m->err);
}

static tr_status add_turtle(const struct tr_model_making *m,
                            const struct tr_model_turtle *turtle)
{
    tr_str rest = turtle->text;
    struct tr_rdf_source source = tr_rdf_source_text(&rest, turtle->base);
    struct tr_rdf_sink sink = tr_rdf_memory_graph_sink(m->whole->graph);
    tr_rdf_memory_graph_next_document(m->whole->graph);
    return tr_rdf_read(TR_RDF_TURTLE, &source, &sink, m->err);
}

static tr_status fill_graph(struct tr_model_making *m)
{
    struct tr_model_type_context context = {
        .project = m->whole->model.project,
        .prefixes = &m->whole->prefixes,
    };
    TR_TRY(add_types(m, &context));
    for (size_t i = 0; i < m->from->shapes.count; i++) {
        const struct tr_model_shape_draft *draft = m->from->shapes.items[i];
        TR_TRY(tr_model_about(m, draft->where, "shape", draft->shape.name,
                              add_shape(m, draft, context)));
    }
    for (size_t i = 0; i < m->from->turtles.count; i++)
        TR_TRY(add_turtle(m, &m->from->turtles.items[i]));
    return tr_rdf_memory_graph_index(m->whole->graph, m->err);
}

/* The graph of all shapes, and what is compiled from it. */
static tr_status make_shapes(struct tr_model_making *m)
{
    struct tr_model_whole *whole = m->whole;
    TR_TRY(tr_rdf_memory_graph_create(0, &whole->graph, m->err));
    TR_TRY(fill_graph(m));
    whole->model.source = tr_rdf_memory_graph_view(whole->graph);
    TR_TRY(tr_shacl_shapes_read(whole->model.source, &whole->shapes, m->err));
    whole->model.shapes = whole->shapes;
    return TR_OK;
}

static tr_status copy_prefixes(const struct tr_model_making *m)
{
    const struct tr_map *from = &m->from->prefixes.by_name;
    for (size_t i = 0; i < from->count; i++) {
        const tr_str *iri = from->entries[i].value;
        TR_TRY(tr_rdf_prefixes_set(&m->whole->prefixes, from->entries[i].key,
                                   *iri, m->err));
    }
    return TR_OK;
}

static tr_status make_all(struct tr_model_making *m)
{
    struct tr_model_whole *whole = m->whole;
    tr_arena_init(&whole->arena, TR_LIMIT_SNAPSHOT_BYTES);
    tr_rdf_prefixes_init(&whole->prefixes, &whole->arena);
    tr_map_init(&whole->by_name, &whole->arena);
    tr_map_init(&whole->by_iri, &whole->arena);
    tr_map_init(&whole->by_shape, &whole->arena);
    tr_map_init(&whole->kinds, &whole->arena);
    whole->model.prefixes = &whole->prefixes;
    if (!tr_arena_copy(&whole->arena, m->from->project, &whole->model.project))
        return fail_memory(m);
    TR_TRY(copy_prefixes(m));
    TR_TRY(tr_model_make_types(m));
    TR_TRY(tr_model_note_kinds(m));
    TR_TRY(make_shapes(m));
    return tr_model_make_faces(m);
}

tr_status tr_model_build(struct tr_model_builder *builder,
                         const struct tr_model **out, struct tr_err *err)
{
    struct tr_err unused = {0};
    struct tr_model_making m = {.from = builder, .err = err ? err : &unused};
    tr_map_init(&m.shape_iris, &builder->arena);
    m.whole = calloc(1, sizeof(*m.whole));
    if (!m.whole)
        return fail_memory(&m);
    tr_status status = make_all(&m);
    if (status != TR_OK)
        tr_model_free(&m.whole->model);
    else
        *out = &m.whole->model;
    return status;
}

#include "base/limits.h"
#include "model/inside.h"
#include "model/shacl.h"
#include "rdf/reader.h"
#include "shacl/shapes.h"

static tr_status fail_memory(const struct tr_model_making *m)
{
    return tr_fail(m->err, TR_E_NOMEM, "no memory for the types of an app");
}

/* The types that `type` is above, of all in `shapes`. */
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
                           struct tr_model_type_context *place)
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
    place->types = shapes;
    place->type_count = model->count;
    for (size_t i = 0; i < model->count; i++) {
        const struct tr_model_type *type = model->types[i];
        struct tr_model_type_context own = *place;
        own.parent = type->parent ? type->parent->shape : NULL;
        own.own = &m->from->types.items[i]->draft.shape;
        own.subtypes = subtypes;
        own.subtype_count = find_subtypes(model, type, subtypes);
        TR_TRY(tr_model_shape_to_graph(type->shape, &own, m->whole->graph,
                                       m->err));
    }
    return TR_OK;
}

/* The class or predicate that a shape is for; its type, if it is one of ours.
 */
static tr_status find_target(const struct tr_model_making *m,
                             const struct tr_model_shape_draft *draft,
                             struct tr_model_type_context *place,
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
    *(by_class ? &place->target_class : &place->target_subjects_of) = iri;
    return TR_OK;
}

/* A field of the type's name is the type's; another has to say its IRI. */
static tr_status place_field(const struct tr_model_making *m,
                             const struct tr_model_type *type,
                             struct tr_field *field)
{
    const struct tr_field *known =
        type ? tr_shape_find(type->shape, field->name) : NULL;
    if (field->target.len && !tr_model_find(&m->whole->model, field->target))
        return tr_model_fail_unknown(m, field->target);
    if (field->iri.len)
        return TR_OK;
    if (!known)
        return tr_fail(m->err, TR_E_INVALID,
                       type ? "the type has no such field, so it needs an iri"
                            : "it needs an iri");
    field->iri = known->iri;
    return tr_model_check_kind(m, known, field, type->name);
}

static tr_status place_fields(const struct tr_model_making *m,
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
                                    place_field(m, type, &fields[i])));
    }
    shape->fields = fields;
    return TR_OK;
}

/* For whoever asks for it by its name: the fields, and no others. */
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

/* One that is no constraint on the graph. A target is easily forgotten, so
 * somebody has to use it. */
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
                           struct tr_model_type_context place)
{
    struct tr_shape shape = draft->shape;
    const struct tr_model_type *type = NULL;
    TR_TRY(keep_shape(m, &shape));
    if (!draft->target.len && !draft->target_subjects_of.len)
        return check_targetless(m, &shape);
    TR_TRY(find_target(m, draft, &place, &type));
    TR_TRY(place_fields(m, type, &shape));
    tr_status st = tr_model_name_shape(&m->from->arena, &place, &shape, m->err);
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
    return tr_model_shape_to_graph(&shape, &place, m->whole->graph, m->err);
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
    struct tr_model_type_context place = {
        .project = m->whole->model.project,
        .prefixes = &m->whole->prefixes,
    };
    TR_TRY(add_types(m, &place));
    for (size_t i = 0; i < m->from->shapes.count; i++) {
        const struct tr_model_shape_draft *draft = m->from->shapes.items[i];
        TR_TRY(tr_model_about(m, draft->where, "shape", draft->shape.name,
                              add_shape(m, draft, place)));
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
    whole->model.prefixes = &whole->prefixes;
    if (!tr_arena_copy(&whole->arena, m->from->project, &whole->model.project))
        return fail_memory(m);
    TR_TRY(copy_prefixes(m));
    TR_TRY(tr_model_make_types(m));
    return make_shapes(m);
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

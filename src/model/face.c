#include "base/limits.h"
#include "model/inside.h"
#include "model/shacl.h"

/* One face that is made: of the builder's declarations, those that callers
 * with these scopes see go to another builder. */
struct seeing {
    const struct tr_model_making *m;
    unsigned scopes;
    struct tr_model_builder *to;
    struct tr_model_face *face;
};

static tr_status fail_memory(const struct tr_model_making *m)
{
    return tr_fail(m->err, TR_E_NOMEM, "no memory for what callers see");
}

static bool is_shown(const struct seeing *v, const struct tr_field *field)
{
    return !field || !field->scope || (v->scopes & field->scope);
}

/* Fields ------------------------------------------------------------------ */

bool tr_model_show_ref(const struct tr_model *model, struct tr_field *field)
{
    const struct tr_model_type *target = tr_model_find(model, field->target);
    if (!target || !target->is_private)
        return false;
    while (target && target->is_private)
        target = target->parent;
    field->target = target ? target->name : TR_STR("");
    field->any_type = !target;
    field->by = TR_STR("");
    return true;
}

/* A field of a shape table may be that of a type, by its name or by its IRI. */
static bool is_shown_in(const struct seeing *v,
                        const struct tr_model_type *type,
                        const struct tr_field *field)
{
    tr_str iri = field->iri;
    if (type && !is_shown(v, tr_shape_find(type->shape, field->name)))
        return false;
    return !iri.len ||
           tr_model_type_iri_expand(&v->m->from->arena, &v->m->whole->prefixes,
                                    &iri, NULL) != TR_OK ||
           !tr_model_face_hides(v->face, iri);
}

static tr_status show_fields(const struct seeing *v,
                             const struct tr_model_type *type,
                             struct tr_shape *shape);

/* What an object refers to may be private. */
static tr_status show_object(const struct seeing *v, struct tr_field *field)
{
    struct tr_shape *object = TR_NEW(&v->m->from->arena, struct tr_shape);
    if (!object)
        return fail_memory(v->m);
    *object = *field->object;
    TR_TRY(show_fields(v, NULL, object));
    field->object = object;
    return TR_OK;
}

static tr_status show_fields(const struct seeing *v,
                             const struct tr_model_type *type,
                             struct tr_shape *shape)
{
    struct tr_field *fields =
        TR_NEW_ARRAY(&v->m->from->arena, struct tr_field, shape->count);
    size_t count = 0;
    if (!fields)
        return fail_memory(v->m);
    for (size_t i = 0; i < shape->count; i++) {
        if (!is_shown_in(v, type, &shape->fields[i]))
            continue;
        fields[count] = shape->fields[i];
        fields[count].scope = 0;
        (void)tr_model_show_ref(&v->m->whole->model, &fields[count]);
        if (fields[count].object)
            TR_TRY(show_object(v, &fields[count]));
        count++;
    }
    shape->fields = fields;
    shape->count = count;
    return TR_OK;
}

/* What is unique together with a hidden field is not told either. */
static tr_status show_unique(const struct seeing *v,
                             const struct tr_model_type *type,
                             struct tr_shape *shape)
{
    struct tr_shape_unique *unique = TR_NEW_ARRAY(
        &v->m->from->arena, struct tr_shape_unique, shape->unique_count);
    size_t count = 0;
    if (!unique)
        return fail_memory(v->m);
    for (size_t i = 0; i < shape->unique_count; i++) {
        const struct tr_shape_unique *one = &shape->unique[i];
        size_t shown = 0;
        while (shown < one->count &&
               is_shown(v, tr_shape_find(type->shape, one->names[shown])))
            shown++;
        if (shown == one->count)
            unique[count++] = *one;
    }
    shape->unique = unique;
    shape->unique_count = count;
    return TR_OK;
}

/* An order by a hidden field would tell of its values. */
static tr_status show_indexes(const struct seeing *v,
                              const struct tr_model_type *type,
                              struct tr_model_type_draft *draft)
{
    struct tr_shape_unique *indexes = TR_NEW_ARRAY(
        &v->m->from->arena, struct tr_shape_unique, draft->index_count);
    size_t count = 0;
    if (!indexes)
        return fail_memory(v->m);
    for (size_t i = 0; i < draft->index_count; i++) {
        const struct tr_shape_unique *one = &draft->indexes[i];
        size_t shown = 0;
        while (
            shown < one->count &&
            is_shown(v, tr_model_index_field(type->shape, one->names[shown])))
            shown++;
        if (shown == one->count)
            indexes[count++] = *one;
    }
    draft->indexes = indexes;
    draft->index_count = count;
    return TR_OK;
}

/* Declarations ------------------------------------------------------------ */

static tr_status add_types(const struct seeing *v)
{
    const struct tr_model *model = &v->m->whole->model;
    for (size_t i = 0; i < model->count; i++) {
        const struct tr_model_type *type = model->types[i];
        struct tr_model_type_draft draft = v->m->from->types.items[i]->draft;
        if (type->is_private)
            continue;
        TR_TRY(show_fields(v, type, &draft.shape));
        TR_TRY(show_unique(v, type, &draft.shape));
        TR_TRY(show_indexes(v, type, &draft));
        if (!is_shown(v, tr_shape_find(type->shape, draft.label)))
            draft.label = TR_STR("");
        TR_TRY(tr_model_builder_add_type(v->to, &draft, v->m->err));
    }
    return TR_OK;
}

/* A table that constrains nothing but what is hidden is hidden too. */
static tr_status add_shape(const struct seeing *v,
                           const struct tr_model_shape_draft *written)
{
    const struct tr_model *model = &v->m->whole->model;
    struct tr_model_shape_draft draft = *written;
    const struct tr_model_type *type = tr_model_find(model, draft.target);
    tr_str iri = draft.target.len ? draft.target : draft.target_subjects_of;
    if (iri.len && !type) {
        TR_TRY(tr_model_type_iri_expand(
            &v->m->from->arena, &v->m->whole->prefixes, &iri, v->m->err));
        type = draft.target.len ? tr_model_find_iri(model, iri) : NULL;
    }
    if ((type && type->is_private) || tr_model_face_hides(v->face, iri))
        return TR_OK;
    TR_TRY(show_fields(v, type, &draft.shape));
    return draft.shape.count || !written->shape.count
               ? tr_model_builder_add_shape(v->to, &draft, v->m->err)
               : TR_OK;
}

/* A capability may use a shape that no node is checked against. */
static tr_status add_needed(const struct seeing *v)
{
    for (size_t i = 0; i < v->m->from->needed.count; i++) {
        const struct tr_model_needed *needed = &v->m->from->needed.items[i];
        if (tr_map_find(&v->to->shape_names, needed->name))
            TR_TRY(tr_model_builder_need_shape(v->to, needed->name,
                                               needed->where, v->m->err));
    }
    return TR_OK;
}

static tr_status fill(const struct seeing *v)
{
    const struct tr_model_builder *from = v->m->from;
    const struct tr_map *prefixes = &from->prefixes.by_name;
    for (size_t i = 0; i < prefixes->count; i++)
        TR_TRY(tr_rdf_prefixes_set(&v->to->prefixes, prefixes->entries[i].key,
                                   *(const tr_str *)prefixes->entries[i].value,
                                   v->m->err));
    TR_TRY(add_types(v));
    for (size_t i = 0; i < from->shapes.count; i++)
        TR_TRY(add_shape(v, from->shapes.items[i]));
    TR_TRY(add_needed(v));
    for (size_t i = 0; i < from->turtles.count; i++) {
        struct tr_model_turtle turtle = from->turtles.items[i];
        TR_TRY(tr_model_strip_turtle(v->m, v->face, &turtle));
        if (!tr_vec_push(&v->to->arena, &v->to->turtles, turtle))
            return fail_memory(v->m);
    }
    return TR_OK;
}

/* What is left out -------------------------------------------------------- */

static size_t count_fields(const struct tr_shape *shape)
{
    size_t count = shape ? shape->count : 0;
    for (size_t i = 0; shape && i < shape->count; i++)
        count += count_fields(shape->fields[i].object);
    return count;
}

/* With an object all that is in it is hidden. */
static void hide_field(const struct seeing *v, const struct tr_field *field,
                       tr_str *iris)
{
    if (tr_model_face_hides(v->face, field->iri))
        return;
    iris[v->face->iri_count++] = field->iri;
    v->face->predicate_count++;
    for (size_t i = 0; field->object && i < field->object->count; i++)
        hide_field(v, &field->object->fields[i], iris);
}

/* The IRIs of the private types, then the predicates of hidden fields. */
static tr_status find_hidden(const struct seeing *v)
{
    const struct tr_model *model = &v->m->whole->model;
    struct tr_arena *arena = &v->m->whole->arena;
    struct tr_model_face *out = v->face;
    const struct tr_model_type **top =
        TR_NEW_ARRAY(arena, const struct tr_model_type *, model->count);
    size_t room = model->count;
    for (size_t i = 0; i < model->count; i++)
        room += count_fields(model->types[i]->shape);
    tr_str *iris = TR_NEW_ARRAY(arena, tr_str, room);
    if (!top || !iris)
        return fail_memory(v->m);
    out->iris = iris;
    for (size_t i = 0; i < model->count; i++) {
        const struct tr_model_type *type = model->types[i];
        if (!type->is_private)
            continue;
        iris[out->iri_count++] = type->shape->iri;
        if (!type->parent || !type->parent->is_private)
            top[out->private_count++] = type;
    }
    out->private_types = top;
    out->predicates = iris + out->iri_count;
    for (size_t i = 0; i < model->count; i++) {
        const struct tr_shape *shape = model->types[i]->shape;
        for (size_t k = 0; !model->types[i]->is_private && k < shape->count;
             k++) {
            if (!is_shown(v, &shape->fields[k]))
                hide_field(v, &shape->fields[k], iris);
        }
    }
    return TR_OK;
}

bool tr_model_face_hides(const struct tr_model_face *face, tr_str iri)
{
    for (size_t i = 0; i < face->iri_count; i++) {
        if (tr_str_eq(face->iris[i], iri))
            return true;
    }
    return false;
}

static bool has_own_labels(const struct tr_model_making *m,
                           const struct tr_model_face *face)
{
    const struct tr_model *model = &m->whole->model;
    for (size_t i = 0; i < model->count; i++) {
        const struct tr_model_type *type =
            tr_model_find(face->model, model->types[i]->name);
        if (type && !tr_str_eq(type->label, model->types[i]->label))
            return true;
    }
    return tr_model_face_hides(face, TR_STR(TR_RDF_NS_RDFS "label"));
}

/* Whether some field that is not seen has parts: an object, or a list. */
static bool hides_parts(const struct seeing *v)
{
    const struct tr_model *model = &v->m->whole->model;
    for (size_t i = 0; i < model->count; i++) {
        const struct tr_model_type *type = model->types[i];
        for (size_t k = 0; k < type->shape->count; k++) {
            const struct tr_field *field = &type->shape->fields[k];
            if ((field->list || field->kind == TR_FIELD_OBJECT) &&
                (type->is_private || !is_shown(v, field)))
                return true;
        }
    }
    return false;
}

static tr_status make_face(const struct tr_model_making *m, unsigned scopes)
{
    struct seeing v = {.m = m, .scopes = scopes};
    v.face = TR_NEW(&m->whole->arena, struct tr_model_face);
    if (!v.face)
        return fail_memory(m);
    TR_TRY(find_hidden(&v));
    if (hides_parts(&v)) {
        v.face->part_predicates = m->whole->model.part_predicates;
        v.face->part_count = m->whole->model.part_count;
    }
    TR_TRY(tr_model_builder_create(m->whole->model.project, &v.to, m->err));
    tr_status status = fill(&v);
    if (status == TR_OK)
        status = tr_model_build(v.to, &v.face->model, m->err);
    tr_model_builder_free(v.to);
    if (status != TR_OK) {
        tr_err_prefix(m->err, "without what is hidden");
        return status;
    }
    v.face->has_own_labels = has_own_labels(m, v.face);
    m->whole->faces[scopes] = v.face;
    return TR_OK;
}

/* Nodes are said of by predicates: the same one cannot be hidden in one type
 * and shown in another. What an object holds has the scope of the object. */
static tr_status check_predicate(const struct tr_model_making *m,
                                 struct tr_map *seen,
                                 const struct tr_field *field,
                                 enum tr_scope scope)
{
    uintptr_t own = (uintptr_t)scope + 1; /* not 0, which is not seen */
    uintptr_t other = (uintptr_t)tr_map_find(seen, field->iri);
    const struct tr_shape *object = field->object;
    if (other && other != own)
        return tr_fail(m->err, TR_E_INVALID,
                       "another type has <%.*s> with another scope",
                       TR_FMT(field->iri));
    if (!tr_map_set(seen, field->iri, (void *)own))
        return fail_memory(m);
    for (size_t i = 0; object && i < object->count; i++)
        TR_TRY(check_predicate(m, seen, &object->fields[i], scope));
    return TR_OK;
}

/* The scopes that fields of visible types ask for. */
static tr_status find_scopes(const struct tr_model_making *m, unsigned *out)
{
    const struct tr_model *model = &m->whole->model;
    struct tr_map seen;
    tr_map_init(&seen, &m->from->arena);
    for (size_t i = 0; i < model->count; i++) {
        const struct tr_model_type *type = model->types[i];
        for (size_t k = 0; !type->is_private && k < type->shape->count; k++) {
            const struct tr_field *field = &type->shape->fields[k];
            tr_status st = tr_model_about_field(
                m, field->name, check_predicate(m, &seen, field, field->scope));
            TR_TRY(tr_model_about(m, type->where, "node_type", type->name, st));
            *out |= field->scope;
        }
    }
    return TR_OK;
}

tr_status tr_model_make_faces(struct tr_model_making *m)
{
    const struct tr_model *model = &m->whole->model;
    unsigned scopes = 0;
    bool has_private = false;
    for (size_t i = 0; i < model->count; i++)
        has_private |= model->types[i]->is_private;
    TR_TRY(find_scopes(m, &scopes));
    m->whole->face_scopes = scopes;
    for (unsigned set = 0; set <= TR_SCOPE_ALL; set++) {
        bool hides = has_private || set != scopes;
        if (hides && (set & ~scopes) == 0)
            TR_TRY(make_face(m, set));
    }
    return TR_OK;
}

const struct tr_model_face *tr_model_face_for(const struct tr_model *model,
                                              unsigned scopes)
{
    const struct tr_model_whole *whole = (const void *)model;
    return whole->faces[scopes & whole->face_scopes];
}

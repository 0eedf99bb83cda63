/*
 * What the app's other shapes ask of a type's instances, told with its fields:
 * a `shape` with a target, a document of shapes. What a field cannot say is
 * named in one sentence (contract, C70).
 */
#include "model/told.h"

#include "base/limits.h"
#include "model/shacl_values.h"
#include "model/tool_shape.h"

#define MAX_DEPTH 8 /* of shapes in each other */

static void leave_unsaid(struct tr_model_telling *t,
                         const struct tr_shacl_constraint *constraint)
{
    t->unsaid |= UINT64_C(1) << constraint->component;
}

/* Shapes. ------------------------------------------------------------------*/

static const struct tr_field *field_at(const struct tr_model_telling *t,
                                       const struct tr_shacl_path *path)
{
    const struct tr_shape *shape = t->type->shape;
    bool is_way = path->kind == TR_SHACL_PATH_SEQUENCE;
    const struct tr_shacl_path *first = is_way ? path->parts[0] : path;
    if (first->kind != TR_SHACL_PATH_PREDICATE)
        return NULL;
    tr_str iri = t->model->shapes->terms[first->predicate].text;
    for (size_t i = 0; i < shape->count; i++) {
        if (tr_str_eq(shape->fields[i].iri, iri))
            return is_way && !shape->fields[i].list && !shape->fields[i].object
                       ? NULL
                       : &shape->fields[i];
    }
    return NULL;
}

/* Whether what a property shape asks is told here: of this field, or, where no
 * field has its path, of the node. */
static bool is_about(const struct tr_model_telling *t,
                     const struct tr_shacl_path *path)
{
    const struct tr_field *field = field_at(t, path);
    return t->field ? field && tr_str_eq(field->name, t->field->name) : !field;
}

static bool tell_constraint(struct tr_model_telling *t,
                            const struct tr_shacl_path *path,
                            const struct tr_shacl_constraint *c)
{
    if (!t->field)
        return false;
    if (t->field->list)
        return tr_model_tell_list(t, path, c);
    if (t->field->kind == TR_FIELD_OBJECT)
        return tr_model_tell_object(t, path, c);
    return tr_model_tell_value(t, c);
}

static void tell_property(struct tr_model_telling *t,
                          const struct tr_shacl_shape *shape)
{
    for (size_t i = 0; i < shape->constraint_count; i++) {
        const struct tr_shacl_constraint *c = &shape->constraints[i];
        if (!tell_constraint(t, shape->path, c))
            leave_unsaid(t, c);
    }
}

static void tell_shape(struct tr_model_telling *t, uint32_t number,
                       unsigned depth);

static void tell_inner(struct tr_model_telling *t,
                       const struct tr_shacl_constraint *c, unsigned depth)
{
    for (size_t i = 0; i < c->shape_count; i++)
        tell_shape(t, c->shapes[i], depth + 1);
}

static void tell_node(struct tr_model_telling *t,
                      const struct tr_shacl_shape *shape, unsigned depth)
{
    for (size_t i = 0; i < shape->constraint_count; i++) {
        const struct tr_shacl_constraint *c = &shape->constraints[i];
        switch (c->component) {
        case TR_SHACL_PROPERTY:
        case TR_SHACL_NODE:
        case TR_SHACL_AND:
            tell_inner(t, c, depth);
            break;
        case TR_SHACL_CLASS: /* an instance is an IRI of its class, and has no
                                fields but these */
        case TR_SHACL_NODE_KIND:
        case TR_SHACL_CLOSED:
            break;
        default:
            if (!t->field)
                leave_unsaid(t, c);
        }
    }
}

static void tell_shape(struct tr_model_telling *t, uint32_t number,
                       unsigned depth)
{
    const struct tr_shacl_shape *shape = &t->model->shapes->shapes[number];
    if (shape->deactivated || depth > MAX_DEPTH)
        return;
    if (!shape->path)
        tell_node(t, shape, depth);
    else if (is_about(t, shape->path))
        tell_property(t, shape);
}

bool tr_model_shape_targets(const struct tr_model *model,
                            const struct tr_shacl_shape *shape,
                            const struct tr_model_type *type)
{
    for (size_t i = 0; i < shape->target_count; i++) {
        const struct tr_shacl_target *target = &shape->targets[i];
        const tr_str class = model->shapes->terms[target->term].text;
        const struct tr_model_type *above = type;
        while (above && !tr_str_eq(above->shape->iri, class))
            above = above->parent;
        if (above && target->kind == TR_SHACL_TARGET_CLASS)
            return true;
    }
    return false;
}

/* Whether a shape is that of the type or of one above it, which the class is.
 */
static bool is_own(const struct tr_model_telling *t, uint32_t number)
{
    const struct tr_shacl_shapes *shapes = t->model->shapes;
    tr_str iri = shapes->terms[shapes->shapes[number].term].text;
    const struct tr_model_type *type = t->type;
    while (type && !tr_str_eq(type->shape->iri, iri))
        type = type->parent;
    return type != NULL;
}

static void tell_shapes(struct tr_model_telling *t)
{
    const struct tr_shacl_shapes *shapes = t->model->shapes;
    for (uint32_t i = 0; shapes && i < shapes->count; i++) {
        t->is_own = is_own(t, i);
        if (tr_model_shape_targets(t->model, &shapes->shapes[i], t->type))
            tell_shape(t, i, 0);
    }
}

/* Appends "Also asked for: sh:not, sh:equals." to a description that has room
 * for it. */
static void say_rest(struct tr_model_telling *t, tr_str *description)
{
    struct tr_buf text;
    if (!t->unsaid)
        return;
    tr_buf_init(&text, TR_LIMIT_DESCRIPTION_BYTES);
    tr_buf_put(&text, *description);
    tr_buf_putf(&text, "%sAlso asked for", description->len ? " " : "");
    const char *before = ": sh:";
    for (unsigned i = 0; i < TR_SHACL_COMPONENTS; i++) {
        if (!(t->unsaid >> i & 1))
            continue;
        tr_buf_putf(
            &text, "%s%s", before,
            tr_shacl_component_info((enum tr_shacl_component)i)->parameter);
        before = ", sh:";
    }
    tr_buf_putc(&text, '.');
    if (text.failed == TR_OK &&
        !tr_arena_copy(t->arena, tr_buf_str(&text), description))
        t->no_memory = true;
    tr_buf_done(&text);
}

static tr_status finish(const struct tr_model_telling *t, struct tr_err *err)
{
    return t->no_memory ? tr_fail(err, TR_E_NOMEM, "no memory for a field")
                        : TR_OK;
}

tr_status tr_model_tell_field(const struct tr_model_tool_shape *how,
                              struct tr_field *field, struct tr_err *err)
{
    struct tr_model_telling t = {.model = how->model,
                                 .type = how->type,
                                 .arena = how->arena,
                                 .field = field};
    tell_shapes(&t);
    /* A default that is refused elsewhere is none. */
    TR_TRY(tr_model_check_default(t.arena, field, err));
    say_rest(&t, &field->description);
    return finish(&t, err);
}

tr_status tr_model_tell_node(const struct tr_model_tool_shape *how,
                             tr_str *description, struct tr_err *err)
{
    struct tr_model_telling t = {
        .model = how->model, .type = how->type, .arena = how->arena};
    tell_shapes(&t);
    say_rest(&t, description);
    return finish(&t, err);
}

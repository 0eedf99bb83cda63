/*
 * What the app's other shapes ask of a type's instances, told with its fields:
 * a `shape` with a target, a document of shapes. What a field cannot say is
 * named in one sentence (contract, C70).
 */
#include "base/limits.h"
#include "fields/literal.h"
#include "fields/pattern.h"
#include "fields/value.h"
#include "json/build.h"
#include "json/number.h"
#include "json/reader.h"
#include "model/shacl_values.h"
#include "model/tool_shape.h"
#include "model/value_term.h"

#define MAX_DEPTH 8 /* of shapes in each other */

struct telling {
    const struct tr_model *model;
    const struct tr_model_type *type;
    struct tr_arena *arena;
    struct tr_field *field; /* NULL: what is asked of the node as a whole */
    uint64_t unsaid;        /* components, as bits */
    bool no_memory;
};

static void leave_unsaid(struct telling *t,
                         const struct tr_shacl_constraint *constraint)
{
    t->unsaid |= UINT64_C(1) << constraint->component;
}

static const tr_rdf_term *term_of(const struct telling *t,
                                  const struct tr_shacl_constraint *c)
{
    return &t->model->shapes->terms[c->term];
}

/* Counts and lengths. ------------------------------------------------------*/

static void take_min(int64_t *min, int64_t number)
{
    if (number > *min)
        *min = number;
}

static bool take_max(int64_t *max, int64_t number)
{
    if (number == 0)
        return false; /* a field cannot say it */
    if (*max == 0 || number < *max)
        *max = number;
    return true;
}

static bool tell_count(struct tr_field *field,
                       const struct tr_shacl_constraint *c)
{
    int64_t number = c->number > INT64_MAX ? INT64_MAX : (int64_t)c->number;
    switch (c->component) {
    case TR_SHACL_MIN_COUNT:
        if (number > 0)
            field->optional = false;
        if (field->many && number > 1)
            take_min(&field->min_count, number);
        return field->many || number < 2;
    case TR_SHACL_MAX_COUNT:
        return field->many ? take_max(&field->max_count, number) : number > 0;
    case TR_SHACL_MIN_LENGTH:
        if (!tr_field_has(field, TR_FIELD_HAS_LENGTH))
            return false;
        take_min(&field->min_length, number);
        return true;
    case TR_SHACL_MAX_LENGTH:
        return tr_field_has(field, TR_FIELD_HAS_LENGTH) &&
               take_max(&field->max_length, number);
    default:
        return false;
    }
}

/* Bounds. ------------------------------------------------------------------*/

/* Takes the space away that XSD allows around a number, line ends included. */
static bool read_number(const struct tr_field *field, struct tr_arena *arena,
                        tr_str *text)
{
    const struct tr_json *number = NULL;
    if (!tr_field_has(field, TR_FIELD_IS_NUMBER))
        return false;
    if (tr_json_read(arena, *text, NULL, &number, NULL) != TR_OK ||
        number->kind != TR_JSON_NUMBER)
        return false;
    *text = tr_json_text(number);
    return field->kind == TR_FIELD_NUMBER ||
           tr_json_decimal_is_integer(tr_json_decimal_of(*text));
}

/* `order` is 1 for a bound from below, which the greater one of two is. */
static void take_bound(enum tr_field_kind kind, tr_str *bound, tr_str text,
                       int order)
{
    const struct tr_json own = tr_field_bound_json(kind, *bound);
    const struct tr_json other = tr_field_bound_json(kind, text);
    if (!bound->len || tr_field_cmp(kind, &other, &own) * order > 0)
        *bound = text;
}

/* A bound of a date, a decimal... is of its datatype. */
static bool is_bound(const struct telling *t, const tr_rdf_term *term,
                     tr_str *text)
{
    const struct tr_field *field = t->field;
    tr_rdf_xsd_value value;
    if (tr_field_kind_is_literal(field->kind))
        return tr_field_has(field, TR_FIELD_HAS_BOUNDS) &&
               tr_str_eq(term->datatype, tr_model_kind_datatype(field->kind)) &&
               tr_field_literal_parse(field->kind, *text, &value);
    return read_number(field, t->arena, text);
}

static bool tell_bound(const struct telling *t,
                       const struct tr_shacl_constraint *c)
{
    struct tr_field *field = t->field;
    tr_str text = term_of(t, c)->text;
    if (!is_bound(t, term_of(t, c), &text))
        return false;
    if (c->component == TR_SHACL_MIN_INCLUSIVE)
        take_bound(field->kind, &field->min_value, text, 1);
    else if (c->component == TR_SHACL_MAX_INCLUSIVE)
        take_bound(field->kind, &field->max_value, text, -1);
    else if (c->component == TR_SHACL_MIN_EXCLUSIVE)
        take_bound(field->kind, &field->min_exclusive, text, 1);
    else
        take_bound(field->kind, &field->max_exclusive, text, -1);
    return true;
}

/* Values. ------------------------------------------------------------------*/

static bool tell_pattern(const struct telling *t,
                         const struct tr_shacl_constraint *c)
{
    struct tr_field *field = t->field;
    tr_str text = term_of(t, c)->text;
    char form[TR_FIELD_PATTERN_MAX];
    if (tr_field_kind_is_literal(field->kind)) /* its own, or another */
        return !c->flags.len &&
               tr_str_eq(text, tr_field_own_pattern(field, form));
    if (field->kind != TR_FIELD_TEXT || c->flags.len ||
        tr_field_pattern_check(text, false, NULL) != TR_OK)
        return false;
    if (field->pattern.len)
        return tr_str_eq(field->pattern, text);
    field->pattern = text;
    return true;
}

static bool is_among(enum tr_field_kind kind, const struct tr_json *items,
                     size_t count, const struct tr_json *value)
{
    for (size_t i = 0; i < count; i++) {
        if (tr_field_same(kind, &items[i], value))
            return true;
    }
    return false;
}

/* A value that may be chosen, and has not been told yet. */
static bool is_choice(const struct tr_field *field, const struct tr_json *told,
                      size_t count, const struct tr_json *value)
{
    const struct tr_json *list = field->one_of;
    return !is_among(field->kind, told, count, value) &&
           (!list || is_among(field->kind, list->as.items, list->len, value));
}

/* The choices that the field has, too; without a value of its kind there is
 * nothing that a field could say. */
static bool tell_choices(struct telling *t, const struct tr_shacl_constraint *c)
{
    struct tr_field *field = t->field;
    struct tr_json *list = TR_NEW(t->arena, struct tr_json);
    struct tr_json *items =
        TR_NEW_ARRAY(t->arena, struct tr_json, c->term_count);
    size_t count = 0;
    if (!tr_field_has(field, TR_FIELD_HAS_CHOICES))
        return false;
    for (size_t i = 0; list && items && i < c->term_count; i++) {
        const tr_rdf_term *term = &t->model->shapes->terms[c->terms[i]];
        struct tr_json value;
        if (!tr_str_eq(term->datatype, tr_model_kind_datatype(field->kind)))
            continue;
        if (tr_model_value_from_term(field, term, t->arena, &value, NULL) !=
            TR_OK)
            t->no_memory = true;
        else if (is_choice(field, items, count, &value))
            items[count++] = value;
    }
    if (!list || !items || !tr_json_make_array(t->arena, items, count, list))
        t->no_memory = true;
    else if (count)
        field->one_of = list;
    return count > 0;
}

static bool is_class(const struct telling *t, tr_str iri)
{
    const struct tr_model_type *type =
        tr_model_find(t->model, t->field->target);
    for (; type; type = type->parent) {
        if (tr_str_eq(type->shape->iri, iri))
            return true;
    }
    return false;
}

static bool tell_kind(const struct telling *t,
                      const struct tr_shacl_constraint *c)
{
    bool is_ref = t->field->kind == TR_FIELD_REF;
    switch (c->component) {
    case TR_SHACL_DATATYPE:
        return tr_str_eq(term_of(t, c)->text,
                         tr_model_kind_datatype(t->field->kind));
    case TR_SHACL_CLASS:
        return is_ref && is_class(t, term_of(t, c)->text);
    default:
        return c->number & (is_ref ? TR_SHACL_NODE_IRI : TR_SHACL_NODE_LITERAL);
    }
}

static bool tell_constraint(struct telling *t,
                            const struct tr_shacl_constraint *c)
{
    switch (c->component) {
    case TR_SHACL_MIN_COUNT:
    case TR_SHACL_MAX_COUNT:
    case TR_SHACL_MIN_LENGTH:
    case TR_SHACL_MAX_LENGTH:
        return tell_count(t->field, c);
    case TR_SHACL_MIN_INCLUSIVE:
    case TR_SHACL_MIN_EXCLUSIVE:
    case TR_SHACL_MAX_INCLUSIVE:
    case TR_SHACL_MAX_EXCLUSIVE:
        return tell_bound(t, c);
    case TR_SHACL_DATATYPE:
    case TR_SHACL_CLASS:
    case TR_SHACL_NODE_KIND:
        return tell_kind(t, c);
    case TR_SHACL_PATTERN:
        return tell_pattern(t, c);
    case TR_SHACL_IN:
        return tell_choices(t, c);
    default:
        return false;
    }
}

/* Shapes. ------------------------------------------------------------------*/

static const struct tr_field *field_at(const struct telling *t,
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
static bool is_about(const struct telling *t, const struct tr_shacl_path *path)
{
    const struct tr_field *field = field_at(t, path);
    return t->field ? field && tr_str_eq(field->name, t->field->name) : !field;
}

static void tell_property(struct telling *t, const struct tr_shacl_shape *shape)
{
    for (size_t i = 0; i < shape->constraint_count; i++) {
        if (!t->field || !tell_constraint(t, &shape->constraints[i]))
            leave_unsaid(t, &shape->constraints[i]);
    }
}

static void tell_shape(struct telling *t, uint32_t number, unsigned depth);

static void tell_inner(struct telling *t, const struct tr_shacl_constraint *c,
                       unsigned depth)
{
    for (size_t i = 0; i < c->shape_count; i++)
        tell_shape(t, c->shapes[i], depth + 1);
}

static void tell_node(struct telling *t, const struct tr_shacl_shape *shape,
                      unsigned depth)
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

static void tell_shape(struct telling *t, uint32_t number, unsigned depth)
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

static void tell_shapes(struct telling *t)
{
    const struct tr_shacl_shapes *shapes = t->model->shapes;
    for (uint32_t i = 0; shapes && i < shapes->count; i++) {
        if (tr_model_shape_targets(t->model, &shapes->shapes[i], t->type))
            tell_shape(t, i, 0);
    }
}

/* Appends "Also asked for: sh:not, sh:equals." to a description that has room
 * for it. */
static void say_rest(struct telling *t, tr_str *description)
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

static tr_status finish(const struct telling *t, struct tr_err *err)
{
    return t->no_memory ? tr_fail(err, TR_E_NOMEM, "no memory for a field")
                        : TR_OK;
}

tr_status tr_model_tell_field(const struct tr_model_tool_shape *how,
                              struct tr_field *field, struct tr_err *err)
{
    struct telling t = {.model = how->model,
                        .type = how->type,
                        .arena = how->arena,
                        .field = field};
    if (field->list || field->kind == TR_FIELD_OBJECT)
        return TR_OK; /* shapes see how it is made, callers what it holds */
    tell_shapes(&t);
    /* A default that is refused elsewhere is none. */
    TR_TRY(tr_model_check_default(t.arena, field, err));
    say_rest(&t, &field->description);
    return finish(&t, err);
}

tr_status tr_model_tell_node(const struct tr_model_tool_shape *how,
                             tr_str *description, struct tr_err *err)
{
    struct telling t = {
        .model = how->model, .type = how->type, .arena = how->arena};
    tell_shapes(&t);
    say_rest(&t, description);
    return finish(&t, err);
}

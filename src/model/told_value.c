/* What a constraint asks of a field's values, as the field says it. */
#include "fields/literal.h"
#include "fields/pattern.h"
#include "fields/value.h"
#include "json/build.h"
#include "json/number.h"
#include "json/reader.h"
#include "model/told.h"
#include "model/value_term.h"

static const tr_rdf_term *term_of(const struct tr_model_telling *t,
                                  const struct tr_shacl_constraint *c)
{
    return &t->model->shapes->terms[c->term];
}

/* Counts and lengths. ------------------------------------------------------*/

void tr_model_tell_min(int64_t *min, int64_t number)
{
    if (number > *min)
        *min = number;
}

bool tr_model_tell_max(int64_t *max, int64_t number)
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
            tr_model_tell_min(&field->min_count, number);
        return field->many || number < 2;
    case TR_SHACL_MAX_COUNT:
        return field->many ? tr_model_tell_max(&field->max_count, number)
                           : number > 0;
    case TR_SHACL_MIN_LENGTH:
        if (!tr_field_has(field, TR_FIELD_HAS_LENGTH))
            return false;
        tr_model_tell_min(&field->min_length, number);
        return true;
    case TR_SHACL_MAX_LENGTH:
        return tr_field_has(field, TR_FIELD_HAS_LENGTH) &&
               tr_model_tell_max(&field->max_length, number);
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
static bool is_bound(const struct tr_model_telling *t, const tr_rdf_term *term,
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

static bool tell_bound(const struct tr_model_telling *t,
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

static bool tell_pattern(const struct tr_model_telling *t,
                         const struct tr_shacl_constraint *c)
{
    struct tr_field *field = t->field;
    tr_str text = term_of(t, c)->text;
    char form[TR_FIELD_PATTERN_MAX];
    /* That of its kind, that of its digits, or another. */
    if (tr_field_kind_is_literal(field->kind))
        return !c->flags.len &&
               (tr_str_eq(text, tr_field_own_pattern(field, form)) ||
                tr_str_eq(text, tr_str_from(
                                    tr_field_kind_row(field->kind)->pattern)));
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
static bool tell_choices(struct tr_model_telling *t,
                         const struct tr_shacl_constraint *c)
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

static bool is_class(const struct tr_model_telling *t, tr_str iri)
{
    const struct tr_model_type *type =
        tr_model_find(t->model, t->field->target);
    for (; type; type = type->parent) {
        if (tr_str_eq(type->shape->iri, iri))
            return true;
    }
    return false;
}

static bool tell_kind(const struct tr_model_telling *t,
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

bool tr_model_tell_value(struct tr_model_telling *t,
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

#include "model/shacl_values.h"

#include "base/limits.h"
#include "fields/check.h"
#include "fields/kind.h"
#include "fields/pattern.h"
#include "fields/value.h"
#include "json/build.h"
#include "json/number.h"
#include "model/value_term.h"
#include "rdf/xsd.h"

#include <math.h>

static tr_status fail_memory(struct tr_err *err)
{
    return tr_fail(err, TR_E_NOMEM, "no memory for the fields");
}

static bool is_number(enum tr_field_kind kind)
{
    return tr_field_kind_has(kind, TR_FIELD_IS_NUMBER);
}

/* Copies a number as JSON writes it, without an exponent; "" when the value is
 * none, or infinite. */
static tr_status copy_number(const tr_rdf_xsd_value *value,
                             struct tr_arena *arena, tr_str *out,
                             struct tr_err *err)
{
    struct tr_buf text;
    char digits[TR_JSON_DOUBLE_TEXT_MAX];
    bool is_floating =
        value->type == TR_RDF_XSD_DOUBLE || value->type == TR_RDF_XSD_FLOAT;
    *out = TR_STR("");
    if (!tr_rdf_xsd_is_numeric(value->type) ||
        (is_floating && !isfinite(value->as.number)))
        return TR_OK;
    tr_json_decimal number =
        is_floating
            ? tr_json_decimal_of((tr_str){
                  digits, tr_json_double_write(value->as.number, digits)})
            : value->as.decimal;
    tr_buf_init(&text, TR_LIMIT_DESCRIPTION_BYTES);
    tr_rdf_xsd_decimal_write(&text, &number);
    tr_status status = tr_buf_check(&text, err);
    if (status == TR_OK && !tr_arena_copy(arena, tr_buf_str(&text), out))
        status = fail_memory(err);
    tr_buf_done(&text);
    return status;
}

/* Takes the bound if it is narrower than the one that is there. */
static void tighten(tr_str *bound, tr_str other, bool is_min)
{
    int side = is_min ? 1 : -1;
    if (other.len &&
        (!bound->len || tr_json_decimal_cmp(tr_json_decimal_of(other),
                                            tr_json_decimal_of(*bound)) *
                                side >
                            0))
        *bound = other;
}

/*
 * Makes an integer of the bound of an integer, and returns whether that one is
 * exclusive: at least 1.5 means more than 1, at least -1.5 means at least -1.
 */
static bool cut_fraction(tr_str *text, bool is_min, bool is_exclusive)
{
    tr_json_decimal value = tr_json_decimal_of(*text);
    const char *point = memchr(text->ptr, '.', text->len);
    if (tr_json_decimal_is_integer(value) || !point)
        return is_exclusive;
    text->len = (size_t)(point - text->ptr);
    return value.negative != is_min;
}

static tr_status read_bound(const struct tr_shacl_constraint *c,
                            struct tr_arena *arena, struct tr_field *field,
                            struct tr_err *err)
{
    bool is_min = c->component == TR_SHACL_MIN_INCLUSIVE ||
                  c->component == TR_SHACL_MIN_EXCLUSIVE;
    bool is_exclusive = c->component == TR_SHACL_MIN_EXCLUSIVE ||
                        c->component == TR_SHACL_MAX_EXCLUSIVE;
    tr_str text = TR_STR("");
    if (!c->has_bound)
        return TR_OK;
    TR_TRY(copy_number(&c->bound, arena, &text, err));
    if (field->kind == TR_FIELD_INTEGER && text.len)
        is_exclusive = cut_fraction(&text, is_min, is_exclusive);
    if (is_min)
        tighten(is_exclusive ? &field->min_exclusive : &field->min_value, text,
                true);
    else
        tighten(is_exclusive ? &field->max_exclusive : &field->max_value, text,
                false);
    return TR_OK;
}

tr_status tr_model_read_bounds(const struct tr_shacl_shape *shape,
                               struct tr_arena *arena, struct tr_field *field,
                               struct tr_err *err)
{
    const struct tr_shacl_constraint *datatype =
        tr_model_find_constraint(shape, TR_SHACL_DATATYPE);
    if (!is_number(field->kind) || !datatype)
        return TR_OK;
    tr_rdf_xsd_integer_bounds(datatype->datatype, &field->min_value,
                              &field->max_value);
    for (size_t i = 0; i < shape->constraint_count; i++) {
        const struct tr_shacl_constraint *c = &shape->constraints[i];
        if (c->component >= TR_SHACL_MIN_INCLUSIVE &&
            c->component <= TR_SHACL_MAX_EXCLUSIVE)
            TR_TRY(read_bound(c, arena, field, err));
    }
    return TR_OK;
}

/* False when a value of the field is never this term (SHACL 4.8.3: exact). */
static tr_status read_choice(const tr_rdf_term *term,
                             const tr_rdf_term *datatype,
                             struct tr_arena *arena, struct tr_json *out,
                             bool *fits, struct tr_err *err)
{
    tr_rdf_xsd_value value;
    tr_str text = term->text;
    *fits = term->kind == TR_RDF_TERM_LITERAL &&
            tr_str_eq(term->datatype, datatype->text) &&
            tr_rdf_xsd_parse(term, &value);
    if (!*fits)
        return TR_OK;
    if (tr_rdf_xsd_is_numeric(value.type)) {
        TR_TRY(copy_number(&value, arena, &text, err));
        *fits = text.len > 0;
        *out = tr_json_make_text(TR_JSON_NUMBER, text);
        out->flags = tr_rdf_xsd_is_integer(value.type) ? TR_JSON_INTEGER : 0;
    } else {
        *out = tr_json_make_text(TR_JSON_STRING, text);
    }
    return TR_OK;
}

static bool is_there(const struct tr_json *items, size_t count,
                     const struct tr_json *value)
{
    for (size_t i = 0; i < count; i++) {
        if (tr_field_value_eq(&items[i], value))
            return true;
    }
    return false;
}

tr_status tr_model_read_choices(const struct tr_shacl_shapes *shapes,
                                const struct tr_shacl_shape *shape,
                                struct tr_arena *arena, struct tr_field *field,
                                struct tr_err *err)
{
    const struct tr_shacl_constraint *in =
        tr_model_find_constraint(shape, TR_SHACL_IN);
    const struct tr_shacl_constraint *datatype =
        tr_model_find_constraint(shape, TR_SHACL_DATATYPE);
    if (!in || !datatype ||
        (field->kind != TR_FIELD_TEXT && !is_number(field->kind)))
        return TR_OK;
    struct tr_json *items = TR_NEW_ARRAY(arena, struct tr_json, in->term_count);
    struct tr_json *list = TR_NEW(arena, struct tr_json);
    size_t count = 0;
    if (!items || !list)
        return fail_memory(err);
    for (size_t i = 0; i < in->term_count; i++) {
        bool fits = false;
        TR_TRY(read_choice(&shapes->terms[in->terms[i]],
                           &shapes->terms[datatype->term], arena, &items[count],
                           &fits, err));
        count += fits && !is_there(items, count, &items[count]);
    }
    if (!count)
        return TR_OK; /* a table cannot express that no value is allowed */
    if (!tr_json_make_array(arena, items, count, list))
        return fail_memory(err);
    field->one_of = list;
    return TR_OK;
}

tr_status tr_model_check_default(struct tr_arena *arena, struct tr_field *field,
                                 struct tr_err *err)
{
    struct tr_field_patterns set = {0};
    struct tr_field_errors errors = {0};
    struct tr_field copy = *field;
    tr_status status = TR_OK;
    if (!field->default_to)
        return TR_OK;
    copy.compiled = NULL;
    if (copy.pattern.len)
        status = tr_field_pattern_compile(&set, copy.pattern, 0, &copy.compiled,
                                          NULL);
    if (status != TR_E_NOMEM)
        status = tr_field_check(&copy, copy.default_to, arena, &errors, NULL);
    tr_field_patterns_done(&set);
    if (status == TR_E_VALIDATION)
        field->default_to = NULL;
    return status == TR_E_NOMEM ? fail_memory(err) : TR_OK;
}

tr_status tr_model_read_default(const struct tr_shacl_shapes *shapes,
                                const struct tr_shacl_shape *shape,
                                struct tr_arena *arena, struct tr_field *field,
                                struct tr_err *err)
{
    struct tr_json *value;
    if (shape->default_value == TR_SHACL_TERM_NO_NONE || field->many)
        return TR_OK;
    value = TR_NEW(arena, struct tr_json);
    if (!value)
        return fail_memory(err);
    TR_TRY(tr_model_value_from_term(field, &shapes->terms[shape->default_value],
                                    arena, value, err));
    field->default_to = value;
    return tr_model_check_default(arena, field, err);
}

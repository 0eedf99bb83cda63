/* One value of a field: its kind, and what the field says of each. */
#include "base/limits.h"
#include "base/text.h"
#include "base/time.h"
#include "fields/check_inside.h"
#include "fields/literal.h"
#include "fields/pattern.h"
#include "fields/value.h"
#include "json/build.h"
#include "json/number.h"
#include "rdf/iri.h"

bool tr_field_is_absolute_iri(tr_str text)
{
    return tr_rdf_iri_check(text, NULL) == TR_OK;
}

static bool has_kind(enum tr_field_kind kind, const struct tr_json *value)
{
    tr_str text = tr_json_text(value);
    tr_rdf_xsd_value literal;
    tr_time time;
    switch (kind) {
    case TR_FIELD_BOOLEAN:
        return value->kind == TR_JSON_BOOL;
    case TR_FIELD_NUMBER:
        return value->kind == TR_JSON_NUMBER;
    case TR_FIELD_INTEGER:
        return value->kind == TR_JSON_NUMBER &&
               tr_json_decimal_is_integer(tr_json_decimal_of(text));
    case TR_FIELD_DATETIME:
        return value->kind == TR_JSON_STRING &&
               tr_time_parse(text, &time, NULL) == TR_OK;
    case TR_FIELD_TEXT:
    case TR_FIELD_REF:
        return value->kind == TR_JSON_STRING;
    case TR_FIELD_JSON:
        return true;
    default:
        return tr_field_literal_read(kind, value, &literal);
    }
}

static bool is_one_of(const struct tr_field *field, const struct tr_json *value)
{
    const struct tr_json *list = field->one_of;
    for (size_t i = 0; i < list->len; i++) {
        if (tr_field_same(field->kind, value, &list->as.items[i]))
            return true;
    }
    return false;
}

static void check_one_of(struct tr_field_checking *c,
                         const struct tr_field *field,
                         const struct tr_json *value)
{
    if (is_one_of(field, value))
        return;
    const struct tr_field_error error = {.field = field->name,
                                         .value = *value,
                                         .code = TR_STR("one_of"),
                                         .constraint = *field->one_of};
    tr_field_violate(c, &error, "must be one of ", field->one_of);
}

static void check_pattern(struct tr_field_checking *c,
                          const struct tr_field *field,
                          const struct tr_json *value)
{
    struct tr_err err;
    bool found = false;
    tr_status st = tr_field_pattern_match(field->compiled, tr_json_text(value),
                                          c->arena, &found, &err);
    if (st == TR_E_NOMEM)
        tr_field_check_no_memory(c);
    if (found || st == TR_E_NOMEM)
        return;
    struct tr_field_error error = {
        .field = field->name,
        .code = st == TR_OK ? TR_STR("pattern") : TR_STR("pattern_limit"),
        .value = *value,
        .constraint = tr_json_make_text(TR_JSON_STRING, field->pattern),
    };
    tr_field_violate(c, &error,
                     st == TR_OK ? "must match "
                                 : "takes too much work to match ",
                     &error.constraint);
}

static void check_text(struct tr_field_checking *c,
                       const struct tr_field *field,
                       const struct tr_json *value)
{
    int64_t length = 0;
    if (field->compiled)
        check_pattern(c, field, value);
    if (field->min_length || field->max_length)
        length = (int64_t)tr_utf8_count(tr_json_text(value));
    if (field->min_length && length < field->min_length)
        tr_field_violate_count(c, field, value, field->min_length,
                               "min_length");
    if (field->max_length && length > field->max_length)
        tr_field_violate_count(c, field, value, field->max_length,
                               "max_length");
}

static bool has_bounds(const struct tr_field *field)
{
    return tr_field_has(field, TR_FIELD_HAS_BOUNDS) &&
           (field->min_value.len || field->max_value.len ||
            field->min_exclusive.len || field->max_exclusive.len);
}

static void check_bounds(struct tr_field_checking *c,
                         const struct tr_field *field,
                         const struct tr_json *value)
{
    const struct bound {
        const char *code;
        const char *says;
        tr_str limit;
        int from; /* the least and the greatest order that the bound allows */
        int to;
    } bounds[] = {
        {"min_value", "must be at least ", field->min_value, 0, 1},
        {"max_value", "must be at most ", field->max_value, -1, 0},
        {"min_exclusive", "must be more than ", field->min_exclusive, 1, 1},
        {"max_exclusive", "must be less than ", field->max_exclusive, -1, -1},
    };
    for (size_t i = 0; i < TR_LEN(bounds); i++) {
        const struct bound *bound = &bounds[i];
        if (!bound->limit.len)
            continue;
        const struct tr_json limit =
            tr_field_bound_json(field->kind, bound->limit);
        int order = tr_field_cmp(field->kind, value, &limit);
        struct tr_field_error error = {
            .field = field->name,
            .value = *value,
            .code = tr_str_from(bound->code),
            .constraint = limit,
        };
        if (order < bound->from || order > bound->to)
            tr_field_violate(c, &error, bound->says, &error.constraint);
    }
}

/* Of a decimal: zeros at its ends do not count. */
static void check_digits(struct tr_field_checking *c,
                         const struct tr_field *field,
                         const struct tr_json *value)
{
    tr_rdf_xsd_value literal;
    int64_t whole = field->digits - field->scale;
    if (!tr_field_literal_read(field->kind, value, &literal))
        return;
    if (field->digits && tr_field_decimal_whole(&literal) > whole)
        tr_field_violate_count(c, field, value, whole, "digits");
    if (tr_field_decimal_scale(&literal) > field->scale)
        tr_field_violate_count(c, field, value, field->scale, "scale");
}

static void check_document(struct tr_field_checking *c,
                           const struct tr_field *field,
                           const struct tr_json *value)
{
    struct tr_field_error error = {
        .field = field->name,
        .code = TR_STR("schema_limit"),
        .value = *value,
    };
    struct tr_buf path;
    tr_str name = {"", 0};
    tr_status st = TR_E_NOMEM;
    tr_buf_init(&path, TR_LIMIT_DESCRIPTION_BYTES);
    tr_field_holder_put(&path, c->at);
    tr_buf_put(&path, field->name);
    if (path.failed == TR_OK &&
        tr_arena_copy(c->arena, tr_buf_str(&path), &name))
        st = field->schema_ops->check(field->compiled_schema, name, value,
                                      c->arena, c->errors, NULL);
    tr_buf_done(&path);
    if (st == TR_E_NOMEM)
        tr_field_check_no_memory(c);
    else if (st != TR_OK && st != TR_E_VALIDATION)
        tr_field_violate(c, &error, "takes too much work to check", NULL);
}

/* The end of an id will do where it is known what it is the end of; and where
 * a key is, any text may be one. */
static void check_ref(struct tr_field_checking *c, const struct tr_field *field,
                      const struct tr_json *value)
{
    const struct tr_field_error error = {
        .field = field->name,
        .code = TR_STR("node_kind"),
        .value = *value,
        .constraint = tr_json_make_text(TR_JSON_STRING, TR_STR("iri")),
    };
    bool is_iri = tr_field_is_absolute_iri(tr_json_text(value));
    if (is_iri && !(c->is_input && field->by.len))
        return;
    if (c->is_input && field->target.len && value->len)
        c->has_names = true;
    else
        tr_field_violate(c, &error, "must be an IRI", NULL);
}

void tr_field_check_one(struct tr_field_checking *c,
                        const struct tr_field *field,
                        const struct tr_json *value)
{
    if (!has_kind(field->kind, value)) {
        tr_field_violate_kind(c, field, value);
        return;
    }
    if (field->one_of)
        check_one_of(c, field, value);
    if (tr_field_has(field, TR_FIELD_HAS_LENGTH))
        check_text(c, field, value);
    else if (has_bounds(field))
        check_bounds(c, field, value);
    else if (field->kind == TR_FIELD_REF)
        check_ref(c, field, value);
    if (field->digits || field->scale)
        check_digits(c, field, value);
    if (field->compiled_schema)
        check_document(c, field, value);
}

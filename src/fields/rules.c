#include "base/ascii.h"
#include "base/limits.h"
#include "base/text.h"
#include "fields/literal.h"
#include "fields/value.h"
#include "json/number.h"
#include "json/reader.h"

static bool starts_name(char c)
{
    return tr_ascii_is_letter(c) || c == '_';
}

bool tr_field_name_is_valid(tr_str name)
{
    if (name.len == 0 || name.len > TR_LIMIT_NAME_BYTES ||
        !starts_name(name.ptr[0]))
        return false;
    for (size_t i = 1; i < name.len; i++) {
        if (!starts_name(name.ptr[i]) && !tr_ascii_is_digit(name.ptr[i]))
            return false;
    }
    return true;
}

bool tr_field_is_http_token(tr_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        if (c <= ' ' || c > '~' || strchr("\"(),/:;<=>?@[\\]{}", c))
            return false;
    }
    return text.len > 0;
}

static tr_status check_texts(const struct tr_field *field, struct tr_err *err)
{
    const tr_str texts[] = {field->title,  field->description, field->iri,
                            field->target, field->pattern,     field->header,
                            field->by};
    for (size_t i = 0; i < TR_LEN(texts); i++) {
        if (!tr_utf8_is_valid(texts[i]))
            return tr_fail(err, TR_E_INVALID, "a text is not UTF-8");
        if (texts[i].len > TR_LIMIT_DESCRIPTION_BYTES)
            return tr_fail(err, TR_E_INVALID, "a text is longer than %zu bytes",
                           TR_LIMIT_DESCRIPTION_BYTES);
    }
    return TR_OK;
}

static bool has_bounds(const struct tr_field *field)
{
    return field->min_value.len || field->max_value.len ||
           field->min_exclusive.len || field->max_exclusive.len;
}

/* Names the kinds that have the trait: "one_of is for text, ... and decimal,
 * not for boolean". */
static tr_status refuse_combination(const struct tr_field *field,
                                    const char *what, enum tr_field_trait trait,
                                    struct tr_err *err)
{
    char names[256];
    return tr_fail(err, TR_E_INVALID, "%s for %s, not for %s", what,
                   tr_field_kind_names(trait, names, sizeof(names)),
                   tr_field_kind_name(field->kind));
}

/* A decimal of SQL: so many digits, of which so many behind the point. */
static tr_status check_digits(const struct tr_field *field, struct tr_err *err)
{
    if (field->digits < 0 || field->scale < 0 ||
        field->digits > TR_LIMIT_DECIMAL_DIGITS ||
        field->scale > TR_LIMIT_DECIMAL_DIGITS)
        return tr_fail(err, TR_E_INVALID, "digits and scale are 0 to %d",
                       TR_LIMIT_DECIMAL_DIGITS);
    if (field->digits && field->scale > field->digits)
        return tr_fail(err, TR_E_INVALID,
                       "scale (%lld) is above digits (%lld), which are all "
                       "that there are",
                       (long long)field->scale, (long long)field->digits);
    return TR_OK;
}

/* Which constraints a kind can have. */
static tr_status check_combination(const struct tr_field *field,
                                   struct tr_err *err)
{
    const struct said {
        const char *what;
        bool is_said;
        enum tr_field_trait trait;
    } said[] = {
        {"pattern is", field->pattern.len > 0, TR_FIELD_HAS_PATTERN},
        {"min_length and max_length are",
         field->min_length || field->max_length, TR_FIELD_HAS_LENGTH},
        {"min_value and max_value are", has_bounds(field), TR_FIELD_HAS_BOUNDS},
        {"one_of is", field->one_of != NULL, TR_FIELD_HAS_CHOICES},
        {"search is", field->search, TR_FIELD_IS_SEARCHED},
        {"unique is", field->unique, TR_FIELD_IS_UNIQUE},
    };
    for (size_t i = 0; i < TR_LEN(said); i++) {
        if (said[i].is_said && !tr_field_has(field, said[i].trait))
            return refuse_combination(field, said[i].what, said[i].trait, err);
    }
    if ((field->digits || field->scale) && field->kind != TR_FIELD_DECIMAL)
        return tr_fail(err, TR_E_INVALID,
                       "digits and scale are for decimal, not for %s",
                       tr_field_kind_name(field->kind));
    if (field->schema && field->kind != TR_FIELD_JSON)
        return tr_fail(err, TR_E_INVALID, "schema is for json, not for %s",
                       tr_field_kind_name(field->kind));
    if ((field->target.len > 0 || field->any_type) !=
        (field->kind == TR_FIELD_REF))
        return tr_fail(err, TR_E_INVALID,
                       field->kind == TR_FIELD_REF
                           ? "a ref must name a node type"
                           : "only a ref names a node type");
    return TR_OK;
}

static tr_status check_by(const struct tr_field *field, struct tr_err *err)
{
    if (field->by.len && !field->target.len)
        return tr_fail(err, TR_E_INVALID,
                       "by is for a ref to a type, whose nodes have the field "
                       "that it names");
    return TR_OK;
}

static tr_status check_pair(int64_t min, int64_t max, const char *what,
                            struct tr_err *err)
{
    if (min < 0 || max < 0)
        return tr_fail(err, TR_E_INVALID, "min_%s and max_%s are not negative",
                       what, what);
    if (max && min > max)
        return tr_fail(err, TR_E_INVALID,
                       "min_%s (%lld) is above max_%s (%lld)", what,
                       (long long)min, what, (long long)max);
    return TR_OK;
}

static tr_status check_counts(const struct tr_field *field, struct tr_err *err)
{
    TR_TRY(check_pair(field->min_length, field->max_length, "length", err));
    TR_TRY(check_pair(field->min_count, field->max_count, "count", err));
    if ((field->min_count > 1 || field->max_count > 1) &&
        !tr_field_is_array(field))
        return tr_fail(err, TR_E_INVALID,
                       "more than one value needs many = true");
    if (field->list && field->max_count > TR_LIMIT_LIST_ITEMS)
        return tr_fail(err, TR_E_INVALID, "a list has at most %d items",
                       TR_LIMIT_LIST_ITEMS);
    if (field->kind == TR_FIELD_OBJECT && field->max_count > TR_LIMIT_OBJECTS)
        return tr_fail(err, TR_E_INVALID,
                       "a node has at most %d objects in "
                       "a field",
                       TR_LIMIT_OBJECTS);
    if (field->min_count && field->optional)
        return tr_fail(err, TR_E_INVALID,
                       "optional and min_count contradict each other");
    return TR_OK;
}

static tr_status check_number(const struct tr_field *field, tr_str text,
                              const char *what, struct tr_arena *arena,
                              struct tr_err *err)
{
    const struct tr_json *number = NULL;
    tr_status st = tr_json_read(arena, text, NULL, &number, NULL);
    if (st == TR_E_NOMEM)
        return tr_fail(err, st, "no memory to register a field");
    if (st != TR_OK || number->kind != TR_JSON_NUMBER)
        return tr_fail(err, TR_E_INVALID, "%s is not a number", what);
    if (field->kind == TR_FIELD_INTEGER &&
        !tr_json_decimal_is_integer(tr_json_decimal_of(text)))
        return tr_fail(err, TR_E_INVALID, "%s of an integer is an integer",
                       what);
    return TR_OK;
}

static tr_status check_bound(const struct tr_field *field, tr_str text,
                             const char *what, struct tr_arena *arena,
                             struct tr_err *err)
{
    tr_rdf_xsd_value value;
    if (text.len == 0)
        return TR_OK;
    if (!tr_field_kind_is_literal(field->kind))
        return check_number(field, text, what, arena, err);
    if (tr_field_literal_parse(field->kind, text, &value))
        return TR_OK;
    return tr_fail(err, TR_E_INVALID, "%s is %s", what,
                   tr_field_kind_row(field->kind)->expected);
}

/* One of the four bounds of a value. */
struct bound {
    const char *name;
    tr_str text;
    bool is_exclusive;
};

/* Whether a value could lie between them. */
static tr_status check_bounds(enum tr_field_kind kind, const struct bound *low,
                              const struct bound *high, struct tr_err *err)
{
    const struct tr_json least = tr_field_bound_json(kind, low->text);
    const struct tr_json most = tr_field_bound_json(kind, high->text);
    if (!low->text.len || !high->text.len)
        return TR_OK;
    int order = tr_field_cmp(kind, &least, &most);
    bool is_open = low->is_exclusive || high->is_exclusive;
    if (order < 0 || (order == 0 && !is_open))
        return TR_OK;
    return tr_fail(err, TR_E_INVALID, "%s (%.*s) is %s %s (%.*s)", low->name,
                   TR_FMT(low->text), is_open ? "not below" : "above",
                   high->name, TR_FMT(high->text));
}

static tr_status check_range(const struct tr_field *field,
                             struct tr_arena *arena, struct tr_err *err)
{
    const struct bound low[] = {{"min_value", field->min_value, false},
                                {"min_exclusive", field->min_exclusive, true}};
    const struct bound high[] = {{"max_value", field->max_value, false},
                                 {"max_exclusive", field->max_exclusive, true}};
    for (size_t i = 0; i < TR_LEN(low); i++) {
        TR_TRY(check_bound(field, low[i].text, low[i].name, arena, err));
        TR_TRY(check_bound(field, high[i].text, high[i].name, arena, err));
    }
    for (size_t i = 0; i < TR_LEN(low) * TR_LEN(high); i++)
        TR_TRY(check_bounds(field->kind, &low[i / 2], &high[i % 2], err));
    return TR_OK;
}

static bool is_choice(const struct tr_field *field, const struct tr_json *value)
{
    tr_rdf_xsd_value literal;
    if (tr_field_kind_is_literal(field->kind))
        return tr_field_literal_read(field->kind, value, &literal);
    if (field->kind == TR_FIELD_TEXT)
        return value->kind == TR_JSON_STRING;
    return value->kind == TR_JSON_NUMBER &&
           (field->kind == TR_FIELD_NUMBER ||
            tr_json_decimal_is_integer(
                tr_json_decimal_of(tr_json_text(value))));
}

static tr_status check_choices(const struct tr_field *field, struct tr_err *err)
{
    const struct tr_json *list = field->one_of;
    if (!list)
        return TR_OK;
    if (list->kind != TR_JSON_ARRAY || list->len == 0)
        return tr_fail(err, TR_E_INVALID, "one_of is a list of values");
    if (list->len > TR_LIMIT_ONE_OF)
        return tr_fail(err, TR_E_INVALID, "one_of has at most %d values",
                       TR_LIMIT_ONE_OF);
    for (size_t i = 0; i < list->len; i++) {
        if (!is_choice(field, &list->as.items[i]))
            return tr_fail(err, TR_E_INVALID,
                           "value %zu of one_of is not of kind %s", i + 1,
                           tr_field_kind_name(field->kind));
        for (size_t k = 0; k < i; k++) {
            if (tr_field_same(field->kind, &list->as.items[i],
                              &list->as.items[k]))
                return tr_fail(err, TR_E_INVALID,
                               "value %zu of one_of is there twice", i + 1);
        }
    }
    return TR_OK;
}

/* MCP allows `x-mcp-header` on a string, an integer or a boolean only. */
static tr_status check_header(const struct tr_field *field, struct tr_err *err)
{
    char names[256];
    if (field->header.len == 0)
        return TR_OK;
    if (!tr_field_is_http_token(field->header))
        return tr_fail(err, TR_E_INVALID, "'%.*s' cannot be part of a header",
                       TR_FMT(field->header));
    if (tr_field_is_array(field) || !tr_field_has(field, TR_FIELD_HAS_HEADER))
        return tr_fail(
            err, TR_E_INVALID, "a header holds one value: %s",
            tr_field_kind_names(TR_FIELD_HAS_HEADER, names, sizeof(names)));
    return TR_OK;
}

/* How deep the objects of a shape are in each other. */
static int depth_of(const struct tr_shape *shape)
{
    int depth = 0;
    for (size_t i = 0; shape && i < shape->count; i++) {
        int below = shape->fields[i].kind == TR_FIELD_OBJECT
                        ? 1 + depth_of(shape->fields[i].object)
                        : 0;
        depth = below > depth ? below : depth;
    }
    return depth;
}

/* What is part of its owner is found, hidden and told apart by its owner. */
static tr_status check_member(const struct tr_field *field, struct tr_err *err)
{
    const struct {
        bool is_said;
        const char *what;
    } rows[] = {
        {field->unique, "cannot be unique: objects are parts of their owners, "
                        "and only these are told apart"},
        {field->search, "cannot be searched: give its owner a field with that "
                        "text"},
        {field->scope, "cannot have a scope: give it to the object"},
        {field->header.len > 0, "cannot be a header: it is in an object"},
        {field->by.len > 0, "has no 'by': a ref in an object takes ids"},
        {field->index != TR_FIELD_INDEX_DEFAULT,
         "has no index: nodes are not found by what their objects hold"},
    };
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        if (rows[i].is_said)
            return tr_fail(err, TR_E_INVALID, "'%.*s' %s", TR_FMT(field->name),
                           rows[i].what);
    }
    return TR_OK;
}

static tr_status check_object(const struct tr_field *field, struct tr_err *err)
{
    if ((field->object != NULL) && field->kind != TR_FIELD_OBJECT)
        return tr_fail(err, TR_E_INVALID, "only an object has fields");
    if (field->kind != TR_FIELD_OBJECT)
        return TR_OK;
    if (field->default_to)
        return tr_fail(err, TR_E_INVALID,
                       "an object has no default: give its fields theirs");
    if (field->list)
        return tr_fail(err, TR_E_INVALID,
                       "a list holds values or references: for objects say "
                       "many = true, and give them a field to sort by");
    if (field->object && field->object->count == 0)
        return tr_fail(err, TR_E_INVALID, "an object needs a field");
    if (1 + depth_of(field->object) > TR_LIMIT_OBJECT_DEPTH)
        return tr_fail(err, TR_E_INVALID,
                       "objects are at most %d deep in each other",
                       TR_LIMIT_OBJECT_DEPTH);
    for (size_t i = 0; field->object && i < field->object->count; i++)
        TR_TRY(check_member(&field->object->fields[i], err));
    return TR_OK;
}

static tr_status check_list(const struct tr_field *field, struct tr_err *err)
{
    if (!field->list)
        return TR_OK;
    if (field->many)
        return tr_fail(err, TR_E_INVALID,
                       "its values are a set (many) or in an order (list), "
                       "not both");
    if (field->unique)
        return tr_fail(err, TR_E_INVALID, "a list cannot be unique");
    if (field->search)
        return tr_fail(err, TR_E_INVALID,
                       "a list is not searched: use many = true where the "
                       "order does not matter");
    return TR_OK;
}

tr_status tr_field_check_rules(const struct tr_field *field,
                               struct tr_arena *arena, struct tr_err *err)
{
    if (!tr_field_name_is_valid(field->name))
        return tr_fail(err, TR_E_INVALID,
                       "a field's name is letters, digits and _, at most %d",
                       TR_LIMIT_NAME_BYTES);
    TR_TRY(check_texts(field, err));
    TR_TRY(check_combination(field, err));
    TR_TRY(check_by(field, err));
    TR_TRY(check_object(field, err));
    TR_TRY(check_list(field, err));
    TR_TRY(check_counts(field, err));
    TR_TRY(check_digits(field, err));
    TR_TRY(check_range(field, arena, err));
    TR_TRY(check_choices(field, err));
    return check_header(field, err);
}

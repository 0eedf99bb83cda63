#include "fields/check.h"

#include "base/buf.h"
#include "base/limits.h"
#include "base/text.h"
#include "base/time.h"
#include "fields/literal.h"
#include "fields/pattern.h"
#include "fields/value.h"
#include "json/build.h"
#include "json/number.h"
#include "rdf/iri.h"

/* The field that an object is the value of, and which of its values. */
struct holder {
    const struct holder *outer;
    tr_str field;
    size_t number; /* from 1; 0: it has only one */
};

/* The state of one check. The first failure that is no violation sticks. */
struct check {
    const struct holder *at; /* NULL: the object is in no other */
    bool has_odd_object;     /* one has to be completed */
    struct tr_arena *arena;
    const struct tr_shape *shape; /* NULL when one value is checked */
    struct tr_field_errors *errors;
    bool is_patch;       /* only what is given counts */
    bool is_input;       /* null is absent, a ref may be a name */
    bool has_names;      /* a ref is one */
    size_t nulls;        /* members that count as absent */
    size_t absent;       /* fields that take their default */
    bool has_odd_number; /* an integer is written as 1.0 or 1e2, or a
                            decimal as a number */
    struct tr_err *err;
    tr_status failed;
};

static void fail_memory(struct check *c)
{
    if (c->failed == TR_OK)
        c->failed =
            tr_fail(c->err, TR_E_NOMEM, "no memory to check the fields");
}

/* address.city, or lines[2].price, as JSON counts. */
static void put_holders(struct tr_buf *out, const struct holder *at)
{
    if (!at)
        return;
    put_holders(out, at->outer);
    tr_buf_put(out, at->field);
    if (at->number)
        tr_buf_putf(out, "[%zu]", at->number - 1);
    tr_buf_putc(out, '.');
}

static void violate(struct check *c, const struct tr_field_error *error,
                    const char *says, const struct tr_json *detail)
{
    struct tr_field_error full = *error;
    struct tr_buf path;
    tr_buf_init(&path, TR_LIMIT_DESCRIPTION_BYTES);
    put_holders(&path, c->at);
    if (c->at && error->field.len)
        tr_buf_put(&path, error->field);
    else if (c->at)
        path.len--; /* it is about the object itself */
    if (c->at)
        full.field = tr_buf_str(&path);
    if (path.failed != TR_OK ||
        !tr_field_errors_say(c->arena, c->errors, &full, says, detail))
        fail_memory(c);
    tr_buf_done(&path);
}

/* A count as JSON; its text is in the arena. */
static struct tr_json json_integer(struct check *c, int64_t count)
{
    char digits[24];
    int len = snprintf(digits, sizeof(digits), "%lld", (long long)count);
    tr_str text = {"0", 1};
    if (!tr_arena_copy(c->arena, (tr_str){digits, (size_t)len}, &text))
        fail_memory(c);
    return tr_json_make_integer(text);
}

/* What there are too few or too many of. */
static const struct counted {
    const char *code;
    const char *least;
    const char *one;
    const char *more;
} counts[] = {
    {"min_length", "least", "character", "characters"},
    {"max_length", "most", "character", "characters"},
    {"min_count", "least", "value", "values"},
    {"max_count", "most", "value", "values"},
    {"digits", "most", "digit before its point", "digits before its point"},
    {"scale", "most", "digit behind its point", "digits behind its point"},
};

static void violate_count(struct check *c, const struct tr_field *field,
                          const struct tr_json *value, int64_t limit,
                          const char *code)
{
    size_t at = 0;
    while (strcmp(counts[at].code, code) != 0)
        at++;
    struct tr_field_error error = {
        .field = field->name,
        .code = tr_str_from(code),
        .value = *value,
        .constraint = json_integer(c, limit),
    };
    char says[64];
    (void)snprintf(says, sizeof(says), "must have at %s %lld %s",
                   counts[at].least, (long long)limit,
                   limit == 1 ? counts[at].one : counts[at].more);
    violate(c, &error, says, NULL);
}

bool tr_field_is_absolute_iri(tr_str text)
{
    return tr_rdf_iri_check(text, NULL) == TR_OK;
}

static void check_members(struct check *c, const struct tr_json *object);

/* Whether a handler sees the object otherwise than it was given. */
static bool is_odd(const struct check *c)
{
    return c->absent || c->nulls || c->has_odd_number || c->has_odd_object;
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

static void check_pattern(struct check *c, const struct tr_field *field,
                          const struct tr_json *value)
{
    struct tr_err err;
    bool found = false;
    tr_status st = tr_field_pattern_match(field->compiled, tr_json_text(value),
                                          c->arena, &found, &err);
    if (st == TR_E_NOMEM)
        fail_memory(c);
    if (found || st == TR_E_NOMEM)
        return;
    struct tr_field_error error = {
        .field = field->name,
        .code = st == TR_OK ? TR_STR("pattern") : TR_STR("pattern_limit"),
        .value = *value,
        .constraint = tr_json_make_text(TR_JSON_STRING, field->pattern),
    };
    violate(c, &error,
            st == TR_OK ? "must match " : "takes too much work to match ",
            &error.constraint);
}

static void check_text(struct check *c, const struct tr_field *field,
                       const struct tr_json *value)
{
    int64_t length = (int64_t)tr_utf8_count(tr_json_text(value));
    if (field->compiled)
        check_pattern(c, field, value);
    if (field->min_length && length < field->min_length)
        violate_count(c, field, value, field->min_length, "min_length");
    if (field->max_length && length > field->max_length)
        violate_count(c, field, value, field->max_length, "max_length");
}

static void check_bounds(struct check *c, const struct tr_field *field,
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
            violate(c, &error, bound->says, &error.constraint);
    }
}

/* Of a decimal: zeros at its ends do not count. */
static void check_digits(struct check *c, const struct tr_field *field,
                         const struct tr_json *value)
{
    tr_rdf_xsd_value literal;
    int64_t whole = field->digits - field->scale;
    if (!tr_field_literal_read(field->kind, value, &literal))
        return;
    if (field->digits && tr_field_decimal_whole(&literal) > whole)
        violate_count(c, field, value, whole, "digits");
    if (tr_field_decimal_scale(&literal) > field->scale)
        violate_count(c, field, value, field->scale, "scale");
}

static void check_document(struct check *c, const struct tr_field *field,
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
    put_holders(&path, c->at);
    tr_buf_put(&path, field->name);
    if (path.failed == TR_OK &&
        tr_arena_copy(c->arena, tr_buf_str(&path), &name))
        st = field->schema_ops->check(field->compiled_schema, name, value,
                                      c->arena, c->errors, NULL);
    tr_buf_done(&path);
    if (st == TR_E_NOMEM)
        fail_memory(c);
    else if (st != TR_OK && st != TR_E_VALIDATION)
        violate(c, &error, "takes too much work to check", NULL);
}

/* The end of an id will do where it is known what it is the end of; and where
 * a key is, any text may be one. */
static void check_ref(struct check *c, const struct tr_field *field,
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
        violate(c, &error, "must be an IRI", NULL);
}

static void violate_kind(struct check *c, const struct tr_field *field,
                         const struct tr_json *value)
{
    struct tr_json what = tr_json_make_text(
        TR_JSON_STRING, tr_str_from(tr_field_kind_row(field->kind)->expected));
    const struct tr_field_error error = {
        .field = field->name,
        .value = *value,
        .code = TR_STR("type"),
        .constraint = tr_json_make_text(
            TR_JSON_STRING, tr_str_from(tr_field_kind_name(field->kind))),
    };
    violate(c, &error, "must be ", &what);
}

static struct check inside(const struct check *c, const struct tr_field *field,
                           const struct holder *at)
{
    return (struct check){.arena = c->arena,
                          .shape = field->object,
                          .errors = c->errors,
                          .is_input = c->is_input,
                          .at = at,
                          .err = c->err};
}

/* An object is given as a whole, also where its owner is only changed. */
static void check_inside(struct check *c, const struct tr_field *field,
                         const struct tr_json *value, size_t number)
{
    const struct holder at = {c->at, field->name, number};
    struct check inner = inside(c, field, &at);
    if (value->kind != TR_JSON_OBJECT) {
        struct tr_field_error error = {
            .code = TR_STR("type"),
            .value = *value,
            .constraint = tr_json_make_text(TR_JSON_STRING, TR_STR("object")),
        };
        violate(&inner, &error, "must be an object", NULL);
    } else if (field->object) {
        check_members(&inner, value);
    }
    c->has_names |= inner.has_names;
    c->has_odd_object |= is_odd(&inner);
    if (c->failed == TR_OK)
        c->failed = inner.failed;
}

static void check_scalar(struct check *c, const struct tr_field *field,
                         const struct tr_json *value)
{
    struct tr_field_error error = {.field = field->name, .value = *value};
    if (!has_kind(field->kind, value)) {
        violate_kind(c, field, value);
        return;
    }
    if (field->one_of && !is_one_of(field, value)) {
        error.code = TR_STR("one_of");
        error.constraint = *field->one_of;
        violate(c, &error, "must be one of ", field->one_of);
    }
    if (tr_field_has(field, TR_FIELD_HAS_LENGTH))
        check_text(c, field, value);
    else if (tr_field_has(field, TR_FIELD_HAS_BOUNDS))
        check_bounds(c, field, value);
    else if (field->kind == TR_FIELD_REF)
        check_ref(c, field, value);
    if (field->digits || field->scale)
        check_digits(c, field, value);
    if (field->compiled_schema)
        check_document(c, field, value);
}

/* Whether an array has `wanted` values that differ. Values are compared with
 * those alone that were found to differ. */
static bool has_different(struct check *c, enum tr_field_kind kind,
                          const struct tr_json *array, size_t wanted)
{
    size_t found = 0;
    const struct tr_json **seen =
        TR_NEW_ARRAY(c->arena, const struct tr_json *, wanted);
    if (!seen)
        fail_memory(c);
    for (size_t i = 0; seen && i < array->len && found < wanted; i++) {
        const struct tr_json *value = &array->as.items[i];
        size_t before = 0;
        while (before < found && !tr_field_same(kind, seen[before], value))
            before++;
        if (before == found)
            seen[found++] = value;
    }
    return found == wanted;
}

static void check_many(struct check *c, const struct tr_field *field,
                       const struct tr_json *value)
{
    if (value->kind != TR_JSON_ARRAY) {
        struct tr_field_error error = {
            .field = field->name,
            .code = TR_STR("type"),
            .value = *value,
            .constraint = tr_json_make_text(TR_JSON_STRING, TR_STR("array")),
        };
        violate(c, &error, "must be an array", NULL);
        return;
    }
    int64_t min = tr_field_min_count(field);
    int64_t max = tr_field_max_count(field);
    bool is_object = field->kind == TR_FIELD_OBJECT;
    /* What has a predicate goes into the graph, which has each value of a set
     * once; each object is one of its own. */
    bool is_set = field->many && field->iri.len && !is_object;
    if (value->len < min ||
        (min > 1 && is_set &&
         !has_different(c, field->kind, value, (size_t)min)))
        violate_count(c, field, value, min, "min_count");
    if (max && value->len > max)
        violate_count(c, field, value, max, "max_count");
    for (size_t i = 0; i < value->len && !c->errors->more; i++) {
        if (is_object)
            check_inside(c, field, &value->as.items[i], i + 1);
        else
            check_scalar(c, field, &value->as.items[i]);
    }
}

static void check_field(struct check *c, const struct tr_field *field,
                        const struct tr_json *value)
{
    if (tr_field_is_array(field))
        check_many(c, field, value);
    else if (field->kind == TR_FIELD_OBJECT)
        check_inside(c, field, value, 0);
    else if (value->kind == TR_JSON_NULL)
        violate_kind(c, field, value); /* null is a part of a document alone */
    else
        check_scalar(c, field, value);
}

tr_status tr_field_check(const struct tr_field *field,
                         const struct tr_json *value, struct tr_arena *arena,
                         struct tr_field_errors *errors, struct tr_err *err)
{
    struct check c = {.arena = arena, .errors = errors, .err = err};
    size_t before = errors->count;
    check_field(&c, field, value);
    if (c.failed != TR_OK)
        return c.failed;
    return errors->count > before || errors->more
               ? tr_fail(err, TR_E_VALIDATION, "%.*s is not valid",
                         TR_FMT(field->name))
               : TR_OK;
}

static bool is_left_out(const struct tr_shape *shape, tr_str name)
{
    size_t i = 0;
    while (i < shape->left_out_count && !tr_str_eq(shape->left_out[i], name))
        i++;
    return i < shape->left_out_count;
}

static void violate_unknown(struct check *c,
                            const struct tr_json_member *member)
{
    tr_str name = tr_json_text(&member->key);
    tr_str nearest = tr_shape_nearest(c->shape, name);
    struct tr_json best = tr_json_make_text(TR_JSON_STRING, nearest);
    struct tr_field_error error = {
        .field = name,
        .code = TR_STR("unknown_field"),
        .value = member->value,
    };
    if (is_left_out(c->shape, name))
        violate(c, &error, c->shape->left_out_why, NULL);
    else if (nearest.len)
        violate(c, &error, "is not a field; did you mean ", &best);
    else
        violate(c, &error, "is not a field", NULL);
}

/* Whether a number is written otherwise than handlers see it. */
static bool is_odd_number(enum tr_field_kind kind, const struct tr_json *value)
{
    if (kind == TR_FIELD_DECIMAL)
        return value->kind == TR_JSON_NUMBER;
    return kind == TR_FIELD_INTEGER && value->kind == TR_JSON_NUMBER &&
           !(value->flags & TR_JSON_INTEGER);
}

static bool has_odd_number(enum tr_field_kind kind, const struct tr_json *value)
{
    size_t i = 0;
    if (value->kind != TR_JSON_ARRAY)
        return is_odd_number(kind, value);
    while (i < value->len && !is_odd_number(kind, &value->as.items[i]))
        i++;
    return i < value->len;
}

static void check_present(struct check *c, const struct tr_field *field,
                          const struct tr_json *value)
{
    check_field(c, field, value);
    c->has_odd_number |= has_odd_number(field->kind, value);
}

/* The field is absent, or null in a patch, which removes its value. */
static void check_absent(struct check *c, const struct tr_field *field)
{
    struct tr_field_error error = {
        .field = field->name,
        .code = TR_STR("required"),
        .constraint = tr_json_make_bool(true),
    };
    if (field->default_to && !c->is_patch)
        c->absent++;
    else if (!field->optional)
        violate(c, &error, "is required", NULL);
}

static bool is_null(const struct check *c, const struct tr_json *value)
{
    return c->is_input && value->kind == TR_JSON_NULL;
}

/* The value of a field; NULL when it is absent. */
static const struct tr_json *
find_given(const struct check *c, const struct tr_json *object, tr_str name)
{
    const struct tr_json *value = tr_json_find(object, name);
    return value && is_null(c, value) ? NULL : value;
}

static void check_members(struct check *c, const struct tr_json *object)
{
    const struct tr_shape *shape = c->shape;
    for (size_t i = 0; i < shape->count && c->failed == TR_OK; i++) {
        const struct tr_field *field = &shape->fields[i];
        const struct tr_json *value = find_given(c, object, field->name);
        if (value && !(c->is_patch && value->kind == TR_JSON_NULL))
            check_present(c, field, value);
        else if (value || !c->is_patch ||
                 tr_str_eq(field->name, shape->patch_key))
            check_absent(c, field);
    }
    for (size_t i = 0; i < object->len; i++) {
        const struct tr_json_member *member = &object->as.members[i];
        if (is_null(c, &member->value))
            c->nulls++;
        else if (!shape->open &&
                 !tr_shape_find(shape, tr_json_text(&member->key)))
            violate_unknown(c, member);
    }
}

/* 1.0 becomes 1 where 64 bits can hold it; a decimal becomes a text. */
static struct tr_json plain_number(struct check *c, enum tr_field_kind kind,
                                   const struct tr_json *value)
{
    struct tr_json out = *value;
    int64_t number;
    if (!is_odd_number(kind, value))
        return out;
    if (kind == TR_FIELD_DECIMAL &&
        !tr_field_spell(kind, value, c->arena, &out))
        fail_memory(c);
    if (kind == TR_FIELD_INTEGER &&
        tr_json_decimal_to_i64(tr_json_decimal_of(tr_json_text(value)),
                               &number))
        out = json_integer(c, number);
    return out;
}

static struct tr_json plain_value(struct check *c, enum tr_field_kind kind,
                                  const struct tr_json *value)
{
    struct tr_json out = *value;
    if (value->kind != TR_JSON_ARRAY)
        return plain_number(c, kind, value);
    struct tr_json *items = TR_NEW_ARRAY(c->arena, struct tr_json, value->len);
    if (!items) {
        fail_memory(c);
        return out;
    }
    for (size_t i = 0; i < value->len; i++)
        items[i] = plain_number(c, kind, &value->as.items[i]);
    out.as.items = items;
    return out;
}

static const struct tr_json *complete(struct check *c,
                                      const struct tr_json *object);

static struct tr_json complete_inside(struct check *c,
                                      const struct tr_field *field,
                                      const struct tr_json *value)
{
    struct check inner = inside(c, field, NULL);
    const struct tr_json *full = NULL;
    struct tr_json out = *value;
    check_members(&inner, value);
    if (inner.failed == TR_OK)
        full = complete(&inner, value);
    if (full)
        out = *full;
    if (inner.failed != TR_OK)
        c->failed = inner.failed;
    return out;
}

/* It is known to be right. */
static struct tr_json complete_objects(struct check *c,
                                       const struct tr_field *field,
                                       const struct tr_json *value)
{
    struct tr_json out = *value;
    if (value->kind != TR_JSON_ARRAY)
        return complete_inside(c, field, value);
    struct tr_json *items = TR_NEW_ARRAY(c->arena, struct tr_json, value->len);
    if (!items)
        fail_memory(c);
    for (size_t i = 0; items && i < value->len; i++)
        items[i] = complete_inside(c, field, &value->as.items[i]);
    if (items)
        out.as.items = items;
    return out;
}

static size_t copy_members(struct check *c, const struct tr_json *object,
                           struct tr_json_member *members)
{
    size_t count = 0;
    for (size_t i = 0; i < object->len; i++) {
        struct tr_json_member *copy = &members[count];
        *copy = object->as.members[i];
        const struct tr_field *field =
            tr_shape_find(c->shape, tr_json_text(&copy->key));
        if (field && has_odd_number(field->kind, &copy->value))
            copy->value = plain_value(c, field->kind, &copy->value);
        else if (field && field->object && copy->value.kind != TR_JSON_NULL)
            copy->value = complete_objects(c, field, &copy->value);
        count += !is_null(c, &copy->value);
    }
    return count;
}

/* The object as a handler sees it; itself when nothing has to change. */
static const struct tr_json *complete(struct check *c,
                                      const struct tr_json *object)
{
    if (!is_odd(c))
        return object;
    struct tr_json *filled = TR_NEW(c->arena, struct tr_json);
    struct tr_json_member *members =
        TR_NEW_ARRAY(c->arena, struct tr_json_member, object->len + c->absent);
    if (!filled || !members) {
        fail_memory(c);
        return NULL;
    }
    size_t count = copy_members(c, object, members);
    for (size_t i = 0; i < c->shape->count; i++) {
        const struct tr_field *field = &c->shape->fields[i];
        if (!field->default_to || find_given(c, object, field->name))
            continue;
        members[count].key = tr_json_make_text(TR_JSON_STRING, field->name);
        members[count++].value = *field->default_to;
    }
    if (!tr_json_make_object(c->arena, members, count, filled))
        fail_memory(c);
    return filled;
}

static tr_status check_object(struct check *c, const struct tr_json *object,
                              struct tr_shape_checked *out)
{
    if (object->kind == TR_JSON_OBJECT) {
        check_members(c, object);
    } else {
        struct tr_field_error error = {
            .field = TR_STR("arguments"),
            .code = TR_STR("type"),
            .value = *object,
            .constraint = tr_json_make_text(TR_JSON_STRING, TR_STR("object")),
        };
        violate(c, &error, "must be an object", NULL);
    }
    const struct tr_json *value = NULL;
    if (c->failed == TR_OK && out->errors.count == 0)
        value = complete(c, object);
    if (c->failed != TR_OK)
        return c->failed;
    out->value = value;
    out->has_names = c->has_names;
    return tr_field_errors_verdict(&out->errors, c->err);
}

static tr_status check_whole(const struct tr_shape *shape,
                             const struct tr_json *object, bool is_input,
                             struct tr_arena *arena,
                             struct tr_shape_checked *out, struct tr_err *err)
{
    static const struct tr_json empty = {.kind = TR_JSON_OBJECT};
    struct check c = {.arena = arena,
                      .shape = shape,
                      .errors = &out->errors,
                      .is_patch = shape->patch_key.len > 0,
                      .is_input = is_input,
                      .err = err};
    *out = (struct tr_shape_checked){0};
    return check_object(&c, object ? object : &empty, out);
}

tr_status tr_shape_check(const struct tr_shape *shape,
                         const struct tr_json *object, struct tr_arena *arena,
                         struct tr_shape_checked *out, struct tr_err *err)
{
    return check_whole(shape, object, false, arena, out, err);
}

tr_status tr_shape_check_input(const struct tr_shape *shape,
                               const struct tr_json *object,
                               struct tr_arena *arena,
                               struct tr_shape_checked *out, struct tr_err *err)
{
    return check_whole(shape, object, true, arena, out, err);
}

tr_status tr_shape_check_patch(const struct tr_shape *shape,
                               const struct tr_json *object,
                               struct tr_arena *arena,
                               struct tr_shape_checked *out, struct tr_err *err)
{
    struct check c = {.arena = arena,
                      .shape = shape,
                      .errors = &out->errors,
                      .is_patch = true,
                      .err = err};
    *out = (struct tr_shape_checked){0};
    return check_object(&c, object, out);
}

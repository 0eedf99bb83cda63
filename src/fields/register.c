#include "base/limits.h"
#include "base/text.h"
#include "fields/check.h"
#include "fields/literal.h"
#include "fields/pattern.h"
#include "json/build.h"

#include <strings.h>

/* Where a shape is registered into. */
struct target {
    struct tr_arena *arena;
    struct tr_field_patterns *patterns;
    struct tr_err *err;
};

static tr_status fail_memory(const struct target *to)
{
    return tr_fail(to->err, TR_E_NOMEM, "no memory to register a shape");
}

static bool copy_value(const struct target *to, const struct tr_json **value)
{
    return !*value || tr_json_copy(to->arena, *value, value);
}

static bool copy_field(const struct target *to, const struct tr_field *from,
                       struct tr_field *out)
{
    *out = *from;
    tr_str *const texts[] = {
        &out->name,          &out->title,     &out->description,
        &out->iri,           &out->target,    &out->pattern,
        &out->min_value,     &out->max_value, &out->min_exclusive,
        &out->max_exclusive, &out->header,    &out->by,
    };
    for (size_t i = 0; i < TR_LEN(texts); i++) {
        if (texts[i]->len && !tr_arena_copy(to->arena, *texts[i], texts[i]))
            return false;
    }
    return copy_value(to, &out->one_of) && copy_value(to, &out->default_to) &&
           copy_value(to, &out->schema);
}

/* What the author says is kept as it will be stored: 12.50 is "12.5". What is
 * no value is left for the check of defaults. */
static bool spell_values(const struct target *to, enum tr_field_kind kind,
                         const struct tr_json **value)
{
    struct tr_json *out = *value ? TR_NEW(to->arena, struct tr_json) : NULL;
    if (!*value)
        return true;
    if (!out || !tr_field_spell(kind, *value, to->arena, out))
        return false;
    *value = out;
    return true;
}

static bool spell_bound(const struct target *to, enum tr_field_kind kind,
                        tr_str *bound)
{
    tr_rdf_xsd_value value;
    return !bound->len || !tr_field_literal_parse(kind, *bound, &value) ||
           tr_field_literal_spell(&value, to->arena, bound);
}

static bool spell_field(const struct target *to, struct tr_field *field)
{
    return !tr_field_kind_is_literal(field->kind) ||
           (spell_values(to, field->kind, &field->one_of) &&
            spell_values(to, field->kind, &field->default_to) &&
            spell_bound(to, field->kind, &field->min_value) &&
            spell_bound(to, field->kind, &field->max_value) &&
            spell_bound(to, field->kind, &field->min_exclusive) &&
            spell_bound(to, field->kind, &field->max_exclusive));
}

/* A default that its own field refuses would be refused at every call. */
static tr_status check_default(const struct target *to,
                               const struct tr_field *field)
{
    struct tr_field_errors errors = {0};
    if (!field->default_to)
        return TR_OK;
    tr_status st =
        tr_field_check(field, field->default_to, to->arena, &errors, to->err);
    if (st == TR_E_VALIDATION && errors.count)
        return tr_fail(to->err, TR_E_INVALID, "the default is not valid: %.*s",
                       TR_FMT(errors.items[0].message));
    return st;
}

static tr_status compile_schema(const struct target *to, struct tr_field *field)
{
    tr_status st =
        field->schema_ops->compile(to->arena, to->patterns, field->schema,
                                   &field->compiled_schema, to->err);
    if (st != TR_OK)
        tr_err_prefix(to->err, "schema");
    return st;
}

/* An object's shape is registered like any other: here, since its rules are
 * those of the field that it is in. */
static tr_status register_object(const struct target *to, struct tr_field *out)
{
    if (!out->object)
        return TR_OK;
    return tr_shape_register(to->arena, to->patterns, out->object, &out->object,
                             to->err);
}

static tr_status register_field(const struct target *to,
                                const struct tr_field *draft,
                                struct tr_field *out)
{
    TR_TRY(tr_field_check_rules(draft, to->arena, to->err));
    if (!copy_field(to, draft, out) || !spell_field(to, out))
        return fail_memory(to);
    out->compiled = NULL;
    out->compiled_schema = NULL;
    if (out->schema)
        TR_TRY(compile_schema(to, out));
    TR_TRY(register_object(to, out));
    if (out->pattern.len) {
        TR_TRY(tr_field_pattern_compile(to->patterns, out->pattern, 0,
                                        &out->compiled, to->err));
        TR_TRY(tr_field_pattern_check(out->pattern, false, to->err));
    }
    return check_default(to, out);
}

static tr_status register_fields(const struct target *to,
                                 const struct tr_shape *draft,
                                 struct tr_shape *out)
{
    if (draft->count > TR_LIMIT_FIELDS)
        return tr_fail(to->err, TR_E_INVALID, "a shape has at most %d fields",
                       TR_LIMIT_FIELDS);
    struct tr_field *fields =
        TR_NEW_ARRAY(to->arena, struct tr_field, draft->count);
    if (!fields)
        return fail_memory(to);
    for (size_t i = 0; i < draft->count; i++) {
        tr_str name = draft->fields[i].name;
        tr_status st = register_field(to, &draft->fields[i], &fields[i]);
        if (st != TR_OK) {
            tr_err_prefix(to->err, "%.*s", TR_FMT(name));
            tr_err_set_at(to->err, "%.*s", TR_FMT(name));
            return st;
        }
    }
    out->fields = fields;
    return TR_OK;
}

/* Insertion sort: shapes are small, and mostly sorted where Lua made them. */
static tr_status sort_fields(const struct target *to, struct tr_shape *out)
{
    uint32_t *sorted = TR_NEW_ARRAY(to->arena, uint32_t, out->count);
    if (!sorted)
        return fail_memory(to);
    for (size_t i = 0; i < out->count; i++) {
        tr_str name = out->fields[i].name;
        size_t k = i;
        for (; k > 0; k--) {
            int order = tr_str_cmp(name, out->fields[sorted[k - 1]].name);
            if (order == 0)
                return tr_fail(to->err, TR_E_INVALID,
                               "the field '%.*s' is there twice", TR_FMT(name));
            if (order > 0)
                break;
            sorted[k] = sorted[k - 1];
        }
        sorted[k] = (uint32_t)i;
    }
    out->sorted = sorted;
    return TR_OK;
}

static tr_status check_headers(const struct target *to,
                               const struct tr_shape *shape)
{
    for (size_t i = 0; i < shape->count; i++) {
        tr_str header = shape->fields[i].header;
        for (size_t k = 0; header.len && k < i; k++) {
            tr_str other = shape->fields[k].header;
            if (other.len == header.len &&
                strncasecmp(other.ptr, header.ptr, header.len) == 0)
                return tr_fail(to->err, TR_E_INVALID,
                               "two fields have the header '%.*s'",
                               TR_FMT(header));
        }
    }
    return TR_OK;
}

static tr_status register_unique(const struct target *to,
                                 const struct tr_shape_unique *from,
                                 const struct tr_shape *shape,
                                 struct tr_shape_unique *out)
{
    if (from->count == 0)
        return tr_fail(to->err, TR_E_INVALID, "unique names no field");
    if (from->count > TR_LIMIT_UNIQUE_FIELDS)
        return tr_fail(to->err, TR_E_LIMIT, "unique names more than %d fields",
                       TR_LIMIT_UNIQUE_FIELDS);
    tr_str *names = TR_NEW_ARRAY(to->arena, tr_str, from->count);
    if (!names)
        return fail_memory(to);
    for (size_t i = 0; i < from->count; i++) {
        const struct tr_field *field = tr_shape_find(shape, from->names[i]);
        if (!field)
            return tr_fail(to->err, TR_E_INVALID,
                           "unique names '%.*s', which is not a field",
                           TR_FMT(from->names[i]));
        names[i] = field->name;
    }
    *out = (struct tr_shape_unique){names, from->count};
    return TR_OK;
}

static tr_status register_uniques(const struct target *to,
                                  const struct tr_shape *draft,
                                  struct tr_shape *out)
{
    struct tr_shape_unique *unique =
        TR_NEW_ARRAY(to->arena, struct tr_shape_unique, draft->unique_count);
    if (!unique)
        return fail_memory(to);
    for (size_t i = 0; i < draft->unique_count; i++)
        TR_TRY(register_unique(to, &draft->unique[i], out, &unique[i]));
    out->unique = unique;
    return TR_OK;
}

static tr_status register_texts(const struct target *to, struct tr_shape *shape)
{
    tr_str *const texts[] = {&shape->name, &shape->iri, &shape->description,
                             &shape->patch_key};
    for (size_t i = 0; i < TR_LEN(texts); i++) {
        if (!tr_utf8_is_valid(*texts[i]) ||
            texts[i]->len > TR_LIMIT_DESCRIPTION_BYTES)
            return tr_fail(to->err, TR_E_INVALID,
                           "a text is not UTF-8 or longer than %zu bytes",
                           TR_LIMIT_DESCRIPTION_BYTES);
        if (!tr_arena_copy(to->arena, *texts[i], texts[i]))
            return fail_memory(to);
    }
    return TR_OK;
}

tr_status tr_shape_register(struct tr_arena *arena,
                            struct tr_field_patterns *patterns,
                            const struct tr_shape *draft,
                            const struct tr_shape **out, struct tr_err *err)
{
    struct target to = {arena, patterns, err};
    struct tr_shape *shape = TR_NEW(arena, struct tr_shape);
    if (!shape)
        return fail_memory(&to);
    *shape = *draft;
    TR_TRY(register_texts(&to, shape));
    TR_TRY(register_fields(&to, draft, shape));
    TR_TRY(sort_fields(&to, shape));
    TR_TRY(check_headers(&to, shape));
    if (shape->patch_key.len && !tr_shape_find(shape, shape->patch_key))
        return tr_fail(err, TR_E_INVALID, "the patch key is not a field");
    TR_TRY(register_uniques(&to, draft, shape));
    *out = shape;
    return TR_OK;
}

#include "fields/json_schema.h"

#include "fields/literal.h"
#include "json/build.h"

static tr_str maybe(const char *text)
{
    return text ? tr_str_from(text) : TR_STR("");
}

static void put_format(struct tr_json_writer *w, const struct tr_field *field,
                       unsigned flags)
{
    if (field->kind != TR_FIELD_REF ||
        (!(flags & TR_SHAPE_PLAIN) && !field->by.len))
        tr_jw_maybe_string(w, "format",
                           maybe(tr_field_kind_row(field->kind)->format));
}

/* Of the author, or, where no format says it, of the kind. */
static void put_pattern(struct tr_json_writer *w, const struct tr_field *field)
{
    const struct tr_field_kind_row *row = tr_field_kind_row(field->kind);
    char room[TR_FIELD_PATTERN_MAX];
    tr_jw_maybe_string(w, "pattern",
                       field->pattern.len ? field->pattern
                       : row->format      ? TR_STR("")
                                          : tr_field_own_pattern(field, room));
}

/* A description that was put together; ends the buffer. */
static void put_text(struct tr_json_writer *w, struct tr_buf *text)
{
    if (tr_buf_check(text, NULL) != TR_OK)
        tr_jw_refuse(w, text->failed, "no room for the description");
    else
        tr_jw_maybe_string(w, "description", tr_buf_str(text));
    tr_buf_done(text);
}

static void add_bound(struct tr_buf *text, const char *says, tr_str bound)
{
    if (!bound.len)
        return;
    tr_buf_putf(text, "%s%s ", text->len ? " " : "", says);
    tr_buf_put(text, bound);
    tr_buf_putc(text, '.');
}

/* Bounds of what is no number have no keyword, and are said in words. */
static void put_own_description(struct tr_json_writer *w,
                                const struct tr_field *field)
{
    struct tr_buf text;
    tr_buf_init(&text, TR_LIMIT_DESCRIPTION_BYTES * 2);
    tr_buf_put(&text, field->description);
    if (!tr_field_has(field, TR_FIELD_IS_NUMBER)) {
        add_bound(&text, "At least", field->min_value);
        add_bound(&text, "More than", field->min_exclusive);
        add_bound(&text, "At most", field->max_value);
        add_bound(&text, "Less than", field->max_exclusive);
    }
    put_text(w, &text);
}

static void put_bound(struct tr_json_writer *w, const struct tr_field *field,
                      const char *keyword, tr_str bound)
{
    if (tr_field_has(field, TR_FIELD_IS_NUMBER))
        tr_jw_maybe_raw(w, keyword, bound);
}

/* The keys of a scalar, sorted. Without `own` it is the item of an array, and
 * what describes the field itself is left to the array. */
static void put_scalar(struct tr_json_writer *w, const struct tr_field *field,
                       bool own, unsigned flags)
{
    if (field->kind == TR_FIELD_JSON) {
        tr_field_write_document_schema(w, field, own);
        return;
    }
    tr_jw_open(w, '{');
    tr_jw_maybe_value(w, "default", own ? field->default_to : NULL);
    if (own)
        put_own_description(w, field);
    tr_jw_maybe_value(w, "enum", field->one_of);
    put_bound(w, field, "exclusiveMaximum", field->max_exclusive);
    put_bound(w, field, "exclusiveMinimum", field->min_exclusive);
    put_format(w, field, flags);
    tr_jw_maybe_i64(w, "maxLength", field->max_length);
    put_bound(w, field, "maximum", field->max_value);
    tr_jw_maybe_i64(w, "minLength", field->min_length);
    put_bound(w, field, "minimum", field->min_value);
    put_pattern(w, field);
    tr_jw_maybe_string(w, "title", own ? field->title : TR_STR(""));
    if (!(flags & TR_SHAPE_PLAIN))
        tr_jw_maybe_string(w, "trails:node_type", field->target);
    tr_jw_maybe_string(w, "type",
                       maybe(tr_field_kind_row(field->kind)->json_type));
    if (!(flags & TR_SHAPE_WITHOUT_HEADERS))
        tr_jw_maybe_string(w, "x-mcp-header", field->header);
    tr_jw_close(w, '}');
}

static void put_properties(struct tr_json_writer *w,
                           const struct tr_shape *shape, unsigned flags);
static void put_required(struct tr_json_writer *w,
                         const struct tr_shape *shape);

static void put_object(struct tr_json_writer *w, const struct tr_field *field,
                       bool own, unsigned flags)
{
    tr_jw_open(w, '{');
    if (field->object && !field->object->open)
        tr_jw_put_bool(w, "additionalProperties", false);
    tr_jw_maybe_string(w, "description", own ? field->description : TR_STR(""));
    if (field->object) {
        put_properties(w, field->object, flags);
        put_required(w, field->object);
    }
    tr_jw_maybe_string(w, "title", own ? field->title : TR_STR(""));
    tr_jw_maybe_string(w, "type", TR_STR("object"));
    tr_jw_close(w, '}');
}

/* One value of a field. */
static void put_one(struct tr_json_writer *w, const struct tr_field *field,
                    bool own, unsigned flags)
{
    if (field->kind == TR_FIELD_OBJECT)
        put_object(w, field, own, flags);
    else
        put_scalar(w, field, own, flags);
}

static void put_array(struct tr_json_writer *w, const struct tr_field *field,
                      unsigned flags)
{
    tr_jw_open(w, '{');
    tr_jw_maybe_value(w, "default", field->default_to);
    put_own_description(w, field);
    tr_jw_key(w, "items");
    put_one(w, field, false, flags);
    tr_jw_maybe_i64(w, "maxItems", tr_field_max_count(field));
    tr_jw_maybe_i64(w, "minItems", tr_field_min_count(field));
    tr_jw_maybe_string(w, "title", field->title);
    tr_jw_maybe_string(w, "type", TR_STR("array"));
    tr_jw_close(w, '}');
}

static void put_properties(struct tr_json_writer *w,
                           const struct tr_shape *shape, unsigned flags)
{
    tr_jw_key(w, "properties");
    tr_jw_open(w, '{');
    for (size_t i = 0; i < shape->count; i++) {
        const struct tr_field *field = &shape->fields[i];
        tr_jw_key_str(w, field->name);
        if (tr_field_is_array(field))
            put_array(w, field, flags);
        else
            put_one(w, field, true, flags);
    }
    tr_jw_close(w, '}');
}

static bool is_required(const struct tr_shape *shape,
                        const struct tr_field *field)
{
    return shape->patch_key.len ? tr_str_eq(field->name, shape->patch_key)
                                : tr_field_is_required(field);
}

static void put_required(struct tr_json_writer *w, const struct tr_shape *shape)
{
    size_t count = 0;
    for (size_t i = 0; i < shape->count; i++) {
        if (!is_required(shape, &shape->fields[i]))
            continue;
        if (count++ == 0) {
            tr_jw_key(w, "required");
            tr_jw_open(w, '[');
        }
        tr_jw_string(w, shape->fields[i].name);
    }
    if (count)
        tr_jw_close(w, ']');
}

static void add_unique(struct tr_buf *text,
                       const struct tr_shape_unique *unique)
{
    if (text->len)
        tr_buf_putc(text, ' ');
    tr_buf_put(text, TR_STR("Unique together: ("));
    for (size_t i = 0; i < unique->count; i++) {
        if (i)
            tr_buf_put(text, TR_STR(", "));
        tr_buf_put(text, unique->names[i]);
    }
    tr_buf_put(text, TR_STR(")."));
}

/* JSON Schema cannot say what is unique together, so it is said in words. */
static void put_description(struct tr_json_writer *w,
                            const struct tr_shape *shape)
{
    struct tr_buf text;
    tr_buf_init(&text, TR_LIMIT_DESCRIPTION_BYTES * 2);
    tr_buf_put(&text, shape->description);
    for (size_t i = 0; i < shape->unique_count; i++) {
        if (shape->unique[i].count > 1)
            add_unique(&text, &shape->unique[i]);
    }
    put_text(w, &text);
}

static void put_dialect(struct tr_json_writer *w, unsigned flags)
{
    if (flags & TR_SHAPE_WITH_DIALECT)
        tr_jw_maybe_string(w, "$schema", TR_STR(TR_SHAPE_DRAFT_07));
}

/* `next` is not required: the last page has none. */
void tr_shape_write_json_schema_page(struct tr_json_writer *w,
                                     const struct tr_shape *shape,
                                     unsigned flags)
{
    tr_jw_open(w, '{');
    put_dialect(w, flags);
    tr_jw_put_bool(w, "additionalProperties", false);
    tr_jw_key(w, "properties");
    tr_jw_open(w, '{');
    tr_jw_key(w, "items");
    tr_jw_open(w, '{');
    tr_jw_key(w, "items");
    tr_shape_write_json_schema(w, shape,
                               flags & ~(unsigned)TR_SHAPE_WITH_DIALECT);
    tr_jw_maybe_string(w, "type", TR_STR("array"));
    tr_jw_close(w, '}');
    tr_jw_key(w, "next");
    tr_jw_open(w, '{');
    tr_jw_maybe_string(w, "description",
                       TR_STR("The cursor of the next page."));
    tr_jw_maybe_string(w, "type", TR_STR("string"));
    tr_jw_close(w, '}');
    tr_jw_close(w, '}');
    tr_jw_key(w, "required");
    tr_jw_open(w, '[');
    tr_jw_string(w, TR_STR("items"));
    tr_jw_close(w, ']');
    tr_jw_maybe_string(w, "type", TR_STR("object"));
    tr_jw_close(w, '}');
}

void tr_shape_write_json_schema(struct tr_json_writer *w,
                                const struct tr_shape *shape, unsigned flags)
{
    tr_jw_open(w, '{');
    put_dialect(w, flags);
    if (!shape->open)
        tr_jw_put_bool(w, "additionalProperties", false);
    put_description(w, shape);
    put_properties(w, shape, flags);
    put_required(w, shape);
    tr_jw_maybe_string(w, "type", TR_STR("object"));
    tr_jw_close(w, '}');
}

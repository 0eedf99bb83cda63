#include "shape/json_schema.h"

#include "json/build.h"

static const char *type_of(enum tr_field_kind kind)
{
    static const char *const types[] = {
        [TR_KIND_TEXT] = "string",     [TR_KIND_INTEGER] = "integer",
        [TR_KIND_NUMBER] = "number",   [TR_KIND_BOOLEAN] = "boolean",
        [TR_KIND_DATETIME] = "string", [TR_KIND_REF] = "string",
    };
    return types[kind];
}

static void put_text(struct tr_json_writer *w, const char *key, tr_str text)
{
    if (text.len) {
        tr_jw_key(w, key);
        tr_jw_string(w, text);
    }
}

static void put_raw(struct tr_json_writer *w, const char *key, tr_str number)
{
    if (number.len) {
        tr_jw_key(w, key);
        tr_jw_raw(w, number);
    }
}

static void put_count(struct tr_json_writer *w, const char *key, int64_t count)
{
    if (count) {
        tr_jw_key(w, key);
        tr_jw_i64(w, count);
    }
}

static void put_json(struct tr_json_writer *w, const char *key,
                     const struct tr_json *value)
{
    if (value) {
        tr_jw_key(w, key);
        tr_jw_value(w, value);
    }
}

static void put_format(struct tr_json_writer *w, const struct tr_field *field)
{
    if (field->kind == TR_KIND_DATETIME)
        put_text(w, "format", TR_STR("date-time"));
    else if (field->kind == TR_KIND_REF)
        put_text(w, "format", TR_STR("iri"));
}

/* The keys of a scalar, sorted; what belongs to the field itself is `own`. */
static void put_scalar(struct tr_json_writer *w, const struct tr_field *field,
                       bool own)
{
    tr_jw_open(w, '{');
    put_json(w, "default", own ? field->default_to : NULL);
    put_text(w, "description", own ? field->description : TR_STR(""));
    put_json(w, "enum", field->one_of);
    put_raw(w, "exclusiveMaximum", field->max_exclusive);
    put_raw(w, "exclusiveMinimum", field->min_exclusive);
    put_format(w, field);
    put_count(w, "maxLength", field->max_length);
    put_raw(w, "maximum", field->max_value);
    put_count(w, "minLength", field->min_length);
    put_raw(w, "minimum", field->min_value);
    put_text(w, "pattern", field->pattern);
    put_text(w, "title", own ? field->title : TR_STR(""));
    put_text(w, "trails:node_type", field->target);
    put_text(w, "type", tr_str_from(type_of(field->kind)));
    put_text(w, "x-mcp-header", field->header);
    tr_jw_close(w, '}');
}

static void put_array(struct tr_json_writer *w, const struct tr_field *field)
{
    tr_jw_open(w, '{');
    put_json(w, "default", field->default_to);
    put_text(w, "description", field->description);
    tr_jw_key(w, "items");
    put_scalar(w, field, false);
    put_count(w, "maxItems", field->max_count);
    put_count(w, "minItems", tr_field_min_count(field));
    put_text(w, "title", field->title);
    put_text(w, "type", TR_STR("array"));
    tr_jw_close(w, '}');
}

static void put_properties(struct tr_json_writer *w,
                           const struct tr_shape *shape)
{
    tr_jw_key(w, "properties");
    tr_jw_open(w, '{');
    for (size_t i = 0; i < shape->count; i++) {
        const struct tr_field *field = &shape->fields[shape->sorted[i]];
        tr_jw_key_str(w, field->name);
        if (field->many)
            put_array(w, field);
        else
            put_scalar(w, field, true);
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

static void add_unique(struct tr_buf *text, const struct tr_unique *unique)
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
    if (tr_buf_check(&text, NULL) != TR_OK)
        tr_jw_refuse(w, text.failed, "no room for the description");
    else
        put_text(w, "description", tr_buf_str(&text));
    tr_buf_done(&text);
}

/* A page has what `next` stands for, unless it is the last. */
void tr_json_schema_write_page(struct tr_json_writer *w,
                               const struct tr_shape *shape, bool with_dialect)
{
    tr_jw_open(w, '{');
    put_text(w, "$schema", with_dialect ? TR_STR(TR_DRAFT_07) : TR_STR(""));
    tr_jw_key(w, "additionalProperties");
    tr_jw_bool(w, false);
    tr_jw_key(w, "properties");
    tr_jw_open(w, '{');
    tr_jw_key(w, "items");
    tr_jw_open(w, '{');
    tr_jw_key(w, "items");
    tr_json_schema_write(w, shape, false);
    put_text(w, "type", TR_STR("array"));
    tr_jw_close(w, '}');
    tr_jw_key(w, "next");
    tr_jw_open(w, '{');
    put_text(w, "description", TR_STR("The cursor of the next page."));
    put_text(w, "type", TR_STR("string"));
    tr_jw_close(w, '}');
    tr_jw_close(w, '}');
    tr_jw_key(w, "required");
    tr_jw_open(w, '[');
    tr_jw_string(w, TR_STR("items"));
    tr_jw_close(w, ']');
    put_text(w, "type", TR_STR("object"));
    tr_jw_close(w, '}');
}

void tr_json_schema_write(struct tr_json_writer *w,
                          const struct tr_shape *shape, bool with_dialect)
{
    tr_jw_open(w, '{');
    put_text(w, "$schema", with_dialect ? TR_STR(TR_DRAFT_07) : TR_STR(""));
    if (!shape->open) {
        tr_jw_key(w, "additionalProperties");
        tr_jw_bool(w, false);
    }
    put_description(w, shape);
    put_properties(w, shape);
    put_required(w, shape);
    put_text(w, "type", TR_STR("object"));
    tr_jw_close(w, '}');
}

/*
 * The schema of documents as clients are told it: the part of the author's that
 * every reader knows, whatever its draft, and that stays linear (contract, 2.1:
 * no $ref, allOf, oneOf, if). What is left out only makes it wider.
 */
#include "fields/json_schema.h"
#include "json/build.h"

enum how {
    AS_IT_IS,
    OF_THE_FIELD, /* unless it has none itself */
    ONE_TYPE,
    SCHEMA,  /* that may be a bool */
    SCHEMAS, /* by name */
    NAMES,   /* that stand in `properties` */
};

/* Sorted. A keyword that is for one type is told where the type is. */
static const struct keyword {
    const char *name;
    const char *type; /* NULL: all */
    enum how how;
} keywords[] = {
    {"additionalProperties", "object", SCHEMA},
    {"const", NULL, AS_IT_IS},
    {"default", NULL, OF_THE_FIELD},
    {"description", NULL, OF_THE_FIELD},
    {"enum", NULL, AS_IT_IS},
    {"exclusiveMaximum", "number", AS_IT_IS},
    {"exclusiveMinimum", "number", AS_IT_IS},
    {"items", "array", SCHEMA},
    {"maxItems", "array", AS_IT_IS},
    {"maxLength", "string", AS_IT_IS},
    {"maxProperties", "object", AS_IT_IS},
    {"maximum", "number", AS_IT_IS},
    {"minItems", "array", AS_IT_IS},
    {"minLength", "string", AS_IT_IS},
    {"minProperties", "object", AS_IT_IS},
    {"minimum", "number", AS_IT_IS},
    {"multipleOf", "number", AS_IT_IS},
    {"pattern", "string", AS_IT_IS},
    {"properties", "object", SCHEMAS},
    {"required", "object", NAMES},
    {"title", NULL, OF_THE_FIELD},
    {"type", NULL, ONE_TYPE},
    {"uniqueItems", "array", AS_IT_IS},
};

static void put_schema(struct tr_json_writer *w, const struct tr_json *schema);

static bool has(const struct tr_json *schema, const char *name)
{
    return tr_json_find(schema, tr_str_from(name)) != NULL;
}

/* Without these the keyword would say more than the author does. */
static bool is_narrower(const struct tr_json *schema, const char *name)
{
    if (strcmp(name, "items") == 0)
        return has(schema, "prefixItems");
    return strcmp(name, "additionalProperties") == 0 &&
           has(schema, "patternProperties");
}

static bool is_for(const struct keyword *keyword, const struct tr_json *schema)
{
    if (!keyword->type)
        return true;
    tr_str type = tr_json_text(tr_json_find(schema, TR_STR("type")));
    if (strcmp(keyword->type, "number") == 0 &&
        tr_str_eq(type, TR_STR("integer")))
        return true;
    return tr_str_eq(type, tr_str_from(keyword->type));
}

static void put_schemas(struct tr_json_writer *w, const struct tr_json *schemas)
{
    tr_jw_open(w, '{');
    for (size_t i = 0; i < schemas->len; i++) {
        tr_jw_key_str(w, tr_json_text(&schemas->as.members[i].key));
        put_schema(w, &schemas->as.members[i].value);
    }
    tr_jw_close(w, '}');
}

static void put_names(struct tr_json_writer *w, const struct tr_json *names,
                      const struct tr_json *properties)
{
    tr_jw_open(w, '[');
    for (size_t i = 0; i < names->len; i++) {
        tr_str name = tr_json_text(&names->as.items[i]);
        if (tr_json_is(properties, TR_JSON_OBJECT) &&
            tr_json_find(properties, name))
            tr_jw_string(w, name);
    }
    tr_jw_close(w, ']');
}

static bool is_told(const struct keyword *keyword, const struct tr_json *schema,
                    const struct tr_json *value)
{
    bool is_schema =
        value->kind == TR_JSON_OBJECT ||
        (value->kind == TR_JSON_BOOL && strcmp(keyword->name, "items") != 0);
    if (!is_for(keyword, schema) || is_narrower(schema, keyword->name))
        return false;
    switch (keyword->how) {
    case SCHEMA:
        return is_schema;
    case SCHEMAS:
        return value->kind == TR_JSON_OBJECT;
    case NAMES:
        return value->kind == TR_JSON_ARRAY;
    case ONE_TYPE:
        return value->kind == TR_JSON_STRING;
    default:
        return true;
    }
}

static void put_member(struct tr_json_writer *w, const struct keyword *keyword,
                       const struct tr_json *schema,
                       const struct tr_json *value)
{
    if (!is_told(keyword, schema, value))
        return;
    tr_jw_key(w, keyword->name);
    if (keyword->how == SCHEMA)
        put_schema(w, value);
    else if (keyword->how == SCHEMAS)
        put_schemas(w, value);
    else if (keyword->how == NAMES)
        put_names(w, value, tr_json_find(schema, TR_STR("properties")));
    else
        tr_jw_value(w, value);
}

/* What a reference leads to may ask for less than what stands beside it, which
 * draft-07 ignores. */
static bool is_open(const struct tr_json *schema)
{
    return !tr_json_is(schema, TR_JSON_OBJECT) || has(schema, "$ref") ||
           has(schema, "$dynamicRef");
}

static void put_schema(struct tr_json_writer *w, const struct tr_json *schema)
{
    if (schema->kind == TR_JSON_BOOL) {
        tr_jw_value(w, schema);
        return;
    }
    tr_jw_open(w, '{');
    for (size_t i = 0; i < TR_LEN(keywords) && !is_open(schema); i++) {
        const struct tr_json *value =
            tr_json_find(schema, tr_str_from(keywords[i].name));
        if (value)
            put_member(w, &keywords[i], schema, value);
    }
    tr_jw_close(w, '}');
}

/* What the field itself says of a keyword, or NULL. */
static const struct tr_json *of_field(const struct tr_field *field,
                                      const char *name, struct tr_json *room)
{
    tr_str text =
        strcmp(name, "title") == 0 ? field->title : field->description;
    if (strcmp(name, "default") == 0)
        return field->default_to;
    *room = tr_json_make_text(TR_JSON_STRING, text);
    return text.len ? room : NULL;
}

void tr_field_write_document_schema(struct tr_json_writer *w,
                                    const struct tr_field *field, bool own)
{
    const struct tr_json *schema =
        field->schema && !is_open(field->schema) ? field->schema : NULL;
    struct tr_json room;
    tr_jw_open(w, '{');
    for (size_t i = 0; i < TR_LEN(keywords); i++) {
        const struct tr_json *value = NULL;
        if (own && keywords[i].how == OF_THE_FIELD)
            value = of_field(field, keywords[i].name, &room);
        if (!value && schema)
            value = tr_json_find(schema, tr_str_from(keywords[i].name));
        if (value)
            put_member(w, &keywords[i], schema, value);
    }
    tr_jw_close(w, '}');
}

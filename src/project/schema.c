#include "project/schema.h"

#include "schema/verbatim.h"

void tr_project_put_input(struct tr_json_writer *w, const struct tr_cap *cap,
                          unsigned flags)
{
    static const struct tr_shape no_fields = {0};
    const struct tr_shape *shape =
        cap->shown_shape ? cap->shown_shape : cap->input_shape;
    if (cap->input_schema)
        tr_jw_raw(w, tr_schema_verbatim_text(cap->input_schema));
    else
        tr_shape_write_json_schema(w, shape ? shape : &no_fields, flags);
}

void tr_project_put_output(struct tr_json_writer *w, const struct tr_cap *cap,
                           unsigned flags)
{
    const struct tr_shape *shape =
        cap->stored_shape ? cap->stored_shape : cap->output_shape;
    if (cap->output_is_page)
        tr_shape_write_json_schema_page(w, shape, flags);
    else
        tr_shape_write_json_schema(w, shape, flags);
}

/* What stands behind a keyword of JSON Schema. */
enum part { PART_VALUE, PART_SCHEMA, PART_SCHEMAS };

static enum part part_of(tr_str keyword)
{
    static const tr_str maps[] = {
        TR_STR_INIT("properties"),
        TR_STR_INIT("patternProperties"),
        TR_STR_INIT("$defs"),
        TR_STR_INIT("definitions"),
        TR_STR_INIT("dependentSchemas"),
        TR_STR_INIT("dependencies"),
    };
    static const tr_str values[] = {TR_STR_INIT("enum"), TR_STR_INIT("const"),
                                    TR_STR_INIT("default"),
                                    TR_STR_INIT("examples")};
    for (size_t i = 0; i < TR_LEN(maps); i++) {
        if (tr_str_eq(keyword, maps[i]))
            return PART_SCHEMAS;
    }
    for (size_t i = 0; i < TR_LEN(values); i++) {
        if (tr_str_eq(keyword, values[i]))
            return PART_VALUE;
    }
    return PART_SCHEMA;
}

/* A schema that is written at another place than it was written for. */
struct moving {
    struct tr_json_writer *w;
    tr_str from; /* the start of references, and what it becomes */
    tr_str to;
    bool stays;    /* references are left as they are */
    bool unwraps;  /* $schema is left out */
    bool is_plain; /* so is what others complain of */
};

/* "#/..." and "#" are about the schema; all else says where it is. */
static void put_reference(const struct moving *m, tr_str to)
{
    struct tr_buf text;
    bool is_ours = !m->stays && tr_str_starts(to, m->from) &&
                   (to.len == m->from.len || to.ptr[m->from.len] == '/');
    tr_buf_init(&text, TR_LIMIT_DESCRIPTION_BYTES * 2);
    if (is_ours) {
        tr_buf_put(&text, m->to);
        to = tr_str_skip(to, m->from.len);
    }
    tr_buf_put(&text, to);
    if (text.failed)
        tr_jw_refuse(m->w, text.failed, "no room for a reference");
    else
        tr_jw_string(m->w, tr_buf_str(&text));
    tr_buf_done(&text);
}

static bool leaves_out(const struct moving *m, tr_str keyword,
                       const struct tr_json *value)
{
    if (tr_str_eq(keyword, TR_STR("x-mcp-header")))
        return true;
    if (tr_str_eq(keyword, TR_STR("$schema")))
        return m->unwraps;
    return m->is_plain && (tr_str_eq(keyword, TR_STR("trails:node_type")) ||
                           (tr_str_eq(keyword, TR_STR("format")) &&
                            tr_str_eq(tr_json_text(value), TR_STR("iri"))));
}

static void put_schema(struct moving m, const struct tr_json *schema);

static void put_schemas(const struct moving *m, const struct tr_json *map)
{
    tr_jw_open(m->w, '{');
    for (size_t i = 0; i < map->len; i++) {
        tr_jw_key_str(m->w, tr_json_text(&map->as.members[i].key));
        put_schema(*m, &map->as.members[i].value);
    }
    tr_jw_close(m->w, '}');
}

static void put_keyword(const struct moving *m, tr_str keyword,
                        const struct tr_json *value)
{
    enum part part = part_of(keyword);
    tr_jw_key_str(m->w, keyword);
    if (tr_str_eq(keyword, TR_STR("$ref")) && tr_json_is(value, TR_JSON_STRING))
        put_reference(m, tr_json_text(value));
    else if (part == PART_VALUE)
        tr_jw_value(m->w, value);
    else if (part == PART_SCHEMAS && tr_json_is(value, TR_JSON_OBJECT))
        put_schemas(m, value);
    else
        put_schema(*m, value);
}

/* A schema, or a list of them; other values are written as they are. Its depth
 * is that of what was read. */
static void put_schema(struct moving m, const struct tr_json *schema)
{
    if (schema->kind == TR_JSON_ARRAY) {
        tr_jw_open(m.w, '[');
        for (size_t i = 0; i < schema->len; i++)
            put_schema(m, &schema->as.items[i]);
        tr_jw_close(m.w, ']');
        return;
    }
    if (schema->kind != TR_JSON_OBJECT) {
        tr_jw_value(m.w, schema);
        return;
    }
    if (tr_json_find(schema, TR_STR("$id")))
        m.stays = true; /* its references are relative to that */
    tr_jw_open(m.w, '{');
    for (size_t i = 0; i < schema->len; i++) {
        tr_str keyword = tr_json_text(&schema->as.members[i].key);
        const struct tr_json *value = &schema->as.members[i].value;
        if (!leaves_out(&m, keyword, value))
            put_keyword(&m, keyword, value);
    }
    tr_jw_close(m.w, '}');
}

void tr_project_embed_input(struct tr_json_writer *w, const struct tr_cap *cap,
                            tr_str pointer)
{
    const struct moving m = {.w = w, .from = TR_STR("#"), .to = pointer};
    if (cap->input_schema)
        put_schema(m, tr_schema_verbatim_tree(cap->input_schema));
    else
        tr_project_put_input(w, cap, TR_SHAPE_WITHOUT_HEADERS);
}

void tr_project_put_unwrapped(struct tr_json_writer *w,
                              const struct tr_json *schema, tr_str pointer,
                              bool plain)
{
    const struct moving m = {.w = w,
                             .from = pointer,
                             .to = TR_STR("#"),
                             .unwraps = true,
                             .is_plain = plain};
    put_schema(m, schema);
}

/* What TD 1.1 says of a keyword: the kind of its value. */
static const struct {
    tr_str keyword;
    enum tr_json_kind kind;
} kinds[] = {
    {TR_STR_INIT("description"), TR_JSON_STRING},
    {TR_STR_INIT("title"), TR_JSON_STRING},
    {TR_STR_INIT("unit"), TR_JSON_STRING},
    {TR_STR_INIT("format"), TR_JSON_STRING},
    {TR_STR_INIT("pattern"), TR_JSON_STRING},
    {TR_STR_INIT("contentEncoding"), TR_JSON_STRING},
    {TR_STR_INIT("contentMediaType"), TR_JSON_STRING},
    {TR_STR_INIT("type"), TR_JSON_STRING},
    {TR_STR_INIT("descriptions"), TR_JSON_OBJECT},
    {TR_STR_INIT("titles"), TR_JSON_OBJECT},
    {TR_STR_INIT("enum"), TR_JSON_ARRAY},
    {TR_STR_INIT("required"), TR_JSON_ARRAY},
    {TR_STR_INIT("oneOf"), TR_JSON_ARRAY},
    {TR_STR_INIT("properties"), TR_JSON_OBJECT},
    {TR_STR_INIT("minimum"), TR_JSON_NUMBER},
    {TR_STR_INIT("maximum"), TR_JSON_NUMBER},
    {TR_STR_INIT("exclusiveMinimum"), TR_JSON_NUMBER},
    {TR_STR_INIT("exclusiveMaximum"), TR_JSON_NUMBER},
    {TR_STR_INIT("multipleOf"), TR_JSON_NUMBER},
    {TR_STR_INIT("minItems"), TR_JSON_NUMBER},
    {TR_STR_INIT("maxItems"), TR_JSON_NUMBER},
    {TR_STR_INIT("minLength"), TR_JSON_NUMBER},
    {TR_STR_INIT("maxLength"), TR_JSON_NUMBER},
};

/* Keywords of JSON Schema that a Thing Description does not have, and whose
 * absence would change what it says; so refuses a reader what it cannot read.
 */
static bool is_beyond(tr_str keyword)
{
    static const tr_str known[] = {
        TR_STR_INIT("const"),    TR_STR_INIT("default"),
        TR_STR_INIT("items"),    TR_STR_INIT("additionalProperties"),
        TR_STR_INIT("$schema"),  TR_STR_INIT("$comment"),
        TR_STR_INIT("examples"), TR_STR_INIT("x-mcp-header"),
    };
    for (size_t i = 0; i < TR_LEN(kinds); i++) {
        if (tr_str_eq(keyword, kinds[i].keyword))
            return false;
    }
    for (size_t i = 0; i < TR_LEN(known); i++) {
        if (tr_str_eq(keyword, known[i]))
            return false;
    }
    return true;
}

static bool has_kind(tr_str keyword, const struct tr_json *value)
{
    for (size_t i = 0; i < TR_LEN(kinds); i++) {
        if (tr_str_eq(keyword, kinds[i].keyword))
            return value->kind == kinds[i].kind;
    }
    return true;
}

static bool is_td(const struct tr_json *schema);

static bool are_td(const struct tr_json *values)
{
    for (size_t i = 0; i < values->len; i++) {
        if (!is_td(values->kind == TR_JSON_ARRAY
                       ? &values->as.items[i]
                       : &values->as.members[i].value))
            return false;
    }
    return true;
}

static bool is_td_keyword(tr_str keyword, const struct tr_json *value)
{
    if (is_beyond(keyword) || !has_kind(keyword, value))
        return false;
    if (tr_str_eq(keyword, TR_STR("enum")))
        return value->len > 0;
    if (tr_str_eq(keyword, TR_STR("items")))
        return value->kind == TR_JSON_ARRAY ? are_td(value) : is_td(value);
    if (tr_str_eq(keyword, TR_STR("oneOf")) ||
        tr_str_eq(keyword, TR_STR("properties")))
        return are_td(value);
    return true;
}

static bool is_td(const struct tr_json *schema)
{
    if (schema->kind != TR_JSON_OBJECT)
        return false;
    for (size_t i = 0; i < schema->len; i++) {
        if (!is_td_keyword(tr_json_text(&schema->as.members[i].key),
                           &schema->as.members[i].value))
            return false;
    }
    return true;
}

bool tr_project_input_is_td(const struct tr_cap *cap)
{
    return !cap->input_schema ||
           is_td(tr_schema_verbatim_tree(cap->input_schema));
}

#include "gen/fields.h"

#include "fields/check.h"
#include "fields/kind.h"
#include "fields/pattern.h"
#include "gen/quote.h"
#include "json/build.h"
#include "schema/document.h"

/* How an option is given, and where it is in a field. */
enum how {
    FLAG,  /* a bool */
    TEXT,  /* a tr_str */
    COUNT, /* an int64_t */
    BOUND, /* a tr_str: a number, or a text of the kind */
    VALUE, /* a const struct tr_json * */
    INDEX, /* a bool, which is an enum tr_field_index */
    SCOPE  /* a word, which is an enum tr_scope */
};

#define AT(member) offsetof(struct tr_field, member)

static const struct option {
    const char *name;
    enum how how;
    size_t offset;
    const char *description;
} options[] = {
    {"title", TEXT, AT(title), ""},
    {"description", TEXT, AT(description), "For people and models."},
    {"optional", FLAG, AT(optional), "It may be absent."},
    {"many", FLAG, AT(many), "A set of values."},
    {"list", FLAG, AT(list), "Values in an order, which may repeat."},
    {"one_of", VALUE, AT(one_of), "The values that it may have, an array."},
    {"default", VALUE, AT(default_to), "What it is when it is absent."},
    {"pattern", TEXT, AT(pattern), "A regular expression for a text."},
    {"min_length", COUNT, AT(min_length), ""},
    {"max_length", COUNT, AT(max_length), ""},
    {"min_value", BOUND, AT(min_value),
     "A number; of a decimal, date, time or duration a text."},
    {"max_value", BOUND, AT(max_value), ""},
    {"min_exclusive", BOUND, AT(min_exclusive), ""},
    {"max_exclusive", BOUND, AT(max_exclusive), ""},
    {"min_count", COUNT, AT(min_count), "Of many, or a list."},
    {"max_count", COUNT, AT(max_count), ""},
    {"digits", COUNT, AT(digits), "Of a decimal, all."},
    {"scale", COUNT, AT(scale), "Of a decimal, behind the point."},
    {"schema", VALUE, AT(schema), "Of json: its JSON Schema, an object."},
    {"by", TEXT, AT(by), "Of a ref: the unique field that names a node."},
    {"search", FLAG, AT(search), "Of a type: it is searched for text."},
    {"unique", FLAG, AT(unique), "Of a type: no two nodes have the same."},
    {"index", INDEX, AT(index), "Of a type: by value, or none."},
    {"scope", SCOPE, AT(scope), "Of a type: who reads it."},
    {"iri", TEXT, AT(iri), "Of its predicate."},
    {"header", TEXT, AT(header), "It is also sent as Mcp-Param-<header>."},
};

const struct tr_shape tr_gen_field_shape = {0};

static const enum tr_field_kind kinds_of[] = {
    [FLAG] = TR_FIELD_BOOLEAN,  [TEXT] = TR_FIELD_TEXT,
    [COUNT] = TR_FIELD_INTEGER, [BOUND] = TR_FIELD_JSON,
    [VALUE] = TR_FIELD_JSON,    [INDEX] = TR_FIELD_BOOLEAN,
    [SCOPE] = TR_FIELD_TEXT,
};

static tr_status fail_memory(struct tr_err *err)
{
    return tr_fail(err, TR_E_NOMEM, "no memory for the fields of a generator");
}

/* What is given; null is nothing. */
static const struct tr_json *given(const struct tr_json *field,
                                   const char *name)
{
    const struct tr_json *value = tr_json_find(field, tr_str_from(name));
    return value && value->kind != TR_JSON_NULL ? value : NULL;
}

/* The words that an option or a kind may be, as JSON. */
static bool put_words(struct tr_arena *arena, const char *const *words,
                      size_t count, const struct tr_json **out)
{
    struct tr_json *items = TR_NEW_ARRAY(arena, struct tr_json, count + 1);
    if (!items)
        return false;
    for (size_t i = 0; i < count; i++)
        items[i + 1] = tr_json_make_text(TR_JSON_STRING, tr_str_from(words[i]));
    items[0] = (struct tr_json){
        .kind = TR_JSON_ARRAY, .len = (uint32_t)count, .as.items = items + 1};
    *out = items;
    return true;
}

/* What a field is called and is, before its options. */
static bool make_head(struct tr_arena *arena, struct tr_field head[4])
{
    static const struct tr_json text_kind = {
        .kind = TR_JSON_STRING, .len = 4, .as.text = "text"};
    const char *kinds[TR_FIELD_KINDS];
    for (int i = 0; i < TR_FIELD_KINDS; i++)
        kinds[i] = tr_field_kind_name((enum tr_field_kind)i);
    head[0] = (struct tr_field){.name = TR_STR("name"),
                                .pattern = TR_STR("^[A-Za-z_][A-Za-z0-9_]*$"),
                                .max_length = TR_LIMIT_NAME_BYTES};
    head[1] =
        (struct tr_field){.name = TR_STR("kind"), .default_to = &text_kind};
    head[2] = (struct tr_field){
        .name = TR_STR("type"),
        .optional = true,
        .description = TR_STR("Of a ref: the type of node that it points to; "
                              "none is any. Of an object: its name."),
    };
    head[3] = (struct tr_field){
        .name = TR_STR("fields"),
        .kind = TR_FIELD_JSON,
        .optional = true,
        .description = TR_STR("Of an object: an array of fields like this."),
    };
    return put_words(arena, kinds, TR_FIELD_KINDS, &head[1].one_of);
}

tr_status tr_gen_field_shape_make(struct tr_arena *arena,
                                  const struct tr_shape **out,
                                  struct tr_err *err)
{
    const char *scopes[TR_SCOPE_COUNT];
    struct tr_shape *shape = TR_NEW(arena, struct tr_shape);
    struct tr_field *fields =
        TR_NEW_ARRAY(arena, struct tr_field, 4 + TR_LEN(options));
    for (size_t i = 0; i < TR_SCOPE_COUNT; i++)
        scopes[i] = tr_scope_name(tr_scopes_sorted[i]);
    if (!shape || !fields || !make_head(arena, fields))
        return fail_memory(err);
    for (size_t i = 0; i < TR_LEN(options); i++) {
        fields[4 + i] = (struct tr_field){
            .name = tr_str_from(options[i].name),
            .kind = kinds_of[options[i].how],
            .optional = true,
            .description = tr_str_from(options[i].description),
            .min_value =
                options[i].how == COUNT ? TR_STR("0") : (tr_str){NULL, 0},
        };
        if (options[i].how == SCOPE &&
            !put_words(arena, scopes, TR_SCOPE_COUNT, &fields[4 + i].one_of))
            return fail_memory(err);
    }
    *shape = (struct tr_shape){.name = TR_STR("Field"),
                               .fields = fields,
                               .count = 4 + TR_LEN(options)};
    *out = shape;
    return TR_OK;
}

/* Reading ---------------------------------------------------------------- */

/* fields[0].fields[12].fields[3].fields[1] */
#define PATH_BYTES 128

/* Fields that are being read: where they stand, and what checks them. */
struct reading {
    struct tr_gen_call *call;
    const struct tr_shape *shape; /* registered */
    struct tr_field_patterns patterns;
    const char *argument;
    struct tr_err *err;
};

static tr_status refuse(struct reading *r, tr_str path, tr_str name,
                        const char *says)
{
    char field[PATH_BYTES];
    (void)snprintf(field, sizeof(field), "%.*s", TR_FMT(path));
    return tr_gen_refuse(r->call, field, "invalid", r->err, "(%.*s): %s",
                         TR_FMT(name), says);
}

/* A bound of a kind that has texts is a text or a number. */
static bool take_bound(const struct tr_json *value, tr_str *out)
{
    *out = tr_json_text(value);
    return value->kind == TR_JSON_NUMBER || value->kind == TR_JSON_STRING;
}

/* NULL, or what is wrong with the value. */
static const char *take_option(const struct option *option,
                               const struct tr_json *value,
                               struct tr_field *out)
{
    char *to = (char *)out + option->offset;
    bool truth = false;
    switch (option->how) {
    case FLAG:
        (void)tr_json_bool(value, (bool *)to);
        return NULL;
    case INDEX:
        (void)tr_json_bool(value, &truth);
        out->index = truth ? TR_FIELD_INDEX_VALUE : TR_FIELD_INDEX_NONE;
        return NULL;
    case SCOPE:
        (void)tr_scope_find(tr_json_text(value), &out->scope);
        return NULL;
    case TEXT:
        *(tr_str *)(void *)to = tr_json_text(value);
        return NULL;
    case COUNT:
        return tr_json_i64(value, (int64_t *)(void *)to)
                   ? NULL
                   : "it is too great a number";
    case BOUND:
        return take_bound(value, (tr_str *)(void *)to)
                   ? NULL
                   : "a bound is a number or a text";
    case VALUE:
    default:
        *(const struct tr_json **)(void *)to = value;
        return NULL;
    }
}

/* What app.lua asks of options before registration sees them. */
static const char *check_options(const struct tr_field *field,
                                 const struct tr_json *value)
{
    bool has_digits = given(value, "digits");
    bool has_scale = given(value, "scale");
    if (field->one_of &&
        (field->one_of->kind != TR_JSON_ARRAY || field->one_of->len == 0))
        return "one_of is an array with a value at least";
    if (field->schema && field->schema->kind != TR_JSON_OBJECT)
        return "a schema is an object";
    if (field->kind != TR_FIELD_DECIMAL)
        return NULL;
    if (has_digits && (!has_scale || field->digits < 1))
        return "digits is 1 or more, and scale says how many of them stand "
               "behind the point";
    return has_scale && !has_digits && field->scale < 1
               ? "scale is 1 or more, unless digits is said too"
               : NULL;
}

static enum tr_field_kind find_kind(tr_str name)
{
    int kind = 0;
    while (kind + 1 < TR_FIELD_KINDS &&
           !tr_str_eq(
               name, tr_str_from(tr_field_kind_name((enum tr_field_kind)kind))))
        kind++;
    return (enum tr_field_kind)kind;
}

static tr_status read_all(struct reading *r, tr_str path,
                          const struct tr_json *array, int depth,
                          struct tr_shape *out);

/* What an object holds is checked as what stands outside of it. */
static tr_status read_object(struct reading *r, tr_str path,
                             const struct tr_json *value, int depth,
                             struct tr_field *out)
{
    struct tr_shape *object = TR_NEW(r->call->arena, struct tr_shape);
    const struct tr_json *inner = given(value, "fields");
    if (!object)
        return fail_memory(r->err);
    object->name = tr_json_text(given(value, "type"));
    if (!tr_field_name_is_valid(object->name))
        return refuse(r, path, out->name,
                      "an object has a name, in `type`: letters, digits and _");
    if (!tr_json_is(inner, TR_JSON_ARRAY))
        return refuse(r, path, out->name,
                      "an object has `fields`, an array of fields");
    if (depth == TR_LIMIT_OBJECT_DEPTH)
        return refuse(r, path, out->name,
                      "objects are at most 3 deep in each other");
    char inside[PATH_BYTES];
    (void)snprintf(inside, sizeof(inside), "%.*s.fields", TR_FMT(path));
    TR_TRY(read_all(r, tr_str_from(inside), inner, depth + 1, object));
    out->object = object;
    return TR_OK;
}

static tr_status read_kind(struct reading *r, tr_str path,
                           const struct tr_json *value, int depth,
                           struct tr_field *out)
{
    tr_str type = tr_json_text(given(value, "type"));
    out->kind = find_kind(tr_json_text(given(value, "kind")));
    if (out->kind == TR_FIELD_OBJECT)
        return read_object(r, path, value, depth, out);
    if (given(value, "fields"))
        return refuse(r, path, out->name, "`fields` is for an object");
    if (out->kind == TR_FIELD_REF) {
        out->target = type;
        out->any_type = !type.len;
    } else if (type.len) {
        return refuse(r, path, out->name, "`type` is for a ref and an object");
    }
    return TR_OK;
}

/* Has registration look at one field, as if it stood alone. */
static tr_status judge(struct reading *r, tr_str path,
                       const struct tr_field *field)
{
    const struct tr_shape alone = {.fields = field, .count = 1};
    const struct tr_shape *made;
    struct tr_err why = {0};
    tr_status status =
        tr_shape_register(r->call->arena, &r->patterns, &alone, &made, &why);
    if (status == TR_OK || status == TR_E_NOMEM)
        return status == TR_OK ? status : fail_memory(r->err);
    return refuse(r, path, field->name, why.msg);
}

static tr_status read_one(struct reading *r, tr_str path,
                          const struct tr_json *value, int depth,
                          struct tr_field *out)
{
    out->name = tr_json_text(given(value, "name"));
    TR_TRY(read_kind(r, path, value, depth, out));
    for (size_t i = 0; i < TR_LEN(options); i++) {
        const struct tr_json *option = given(value, options[i].name);
        const char *why = option ? take_option(&options[i], option, out) : NULL;
        if (why)
            return refuse(r, path, out->name, why);
    }
    if (out->schema)
        out->schema_ops = &tr_schema_document_ops;
    const char *why = check_options(out, value);
    return why ? refuse(r, path, out->name, why) : judge(r, path, out);
}

/* An item, which the shape of fields has to fit first. */
static tr_status read_item(struct reading *r, tr_str path,
                           const struct tr_json *value, int depth,
                           struct tr_field *out)
{
    struct tr_shape_checked checked;
    tr_str none = TR_STR("?");
    if (value->kind != TR_JSON_OBJECT)
        return refuse(r, path, none, "a field is an object");
    tr_status status =
        tr_shape_check_input(r->shape, value, r->call->arena, &checked, r->err);
    if (status == TR_E_VALIDATION && checked.errors.count) {
        char says[TR_LIMIT_MESSAGE_BYTES];
        (void)snprintf(says, sizeof(says), "%.*s",
                       TR_FMT(checked.errors.items[0].message));
        tr_str name = tr_json_text(given(value, "name"));
        return refuse(r, path, name.len ? name : none, says);
    }
    TR_TRY(status);
    return read_one(r, path, checked.value, depth, out);
}

/* All that is wrong is told, of each field what is wrong with it first. */
static tr_status read_all(struct reading *r, tr_str path,
                          const struct tr_json *array, int depth,
                          struct tr_shape *out)
{
    tr_status all = TR_OK;
    struct tr_field *fields =
        TR_NEW_ARRAY(r->call->arena, struct tr_field, (size_t)array->len + 1);
    if (!fields)
        return fail_memory(r->err);
    if (array->len > TR_LIMIT_FIELDS)
        return refuse(r, path, TR_STR(""), "a shape has at most 256 fields");
    for (size_t i = 0; i < array->len; i++) {
        char text[PATH_BYTES];
        (void)snprintf(text, sizeof(text), "%.*s[%zu]", TR_FMT(path), i);
        tr_status one = read_item(r, tr_str_from(text), tr_json_at(array, i),
                                  depth, &fields[i]);
        all = one == TR_OK ? all : one;
        if (one != TR_OK && one != TR_E_VALIDATION)
            return one;
    }
    out->fields = fields;
    out->count = array->len;
    return all;
}

/* What fields say together, such as a name that is there twice. */
static tr_status judge_all(struct reading *r, const struct tr_shape *draft)
{
    const struct tr_shape *made;
    struct tr_err why = {0};
    tr_status status =
        tr_shape_register(r->call->arena, &r->patterns, draft, &made, &why);
    if (status == TR_OK || status == TR_E_NOMEM)
        return status == TR_OK ? status : fail_memory(r->err);
    return refuse(r, tr_str_from(r->argument), tr_str_from(why.at), why.msg);
}

tr_status tr_gen_fields_read(struct tr_gen_call *call, const char *argument,
                             struct tr_shape *out, struct tr_err *err)
{
    struct reading r = {.call = call, .argument = argument, .err = err};
    const struct tr_json *array = tr_gen_argument(call, argument);
    const struct tr_shape *draft = NULL;
    *out = (struct tr_shape){0};
    if (!array)
        return TR_OK;
    tr_status status = tr_gen_field_shape_make(call->arena, &draft, err);
    if (status == TR_OK)
        status =
            tr_shape_register(call->arena, &r.patterns, draft, &r.shape, err);
    if (status == TR_OK)
        status = read_all(&r, tr_str_from(argument), array, 0, out);
    if (status == TR_OK)
        status = judge_all(&r, out);
    tr_field_patterns_done(&r.patterns);
    return status;
}

/* Writing ---------------------------------------------------------------- */

static void put_indent(struct tr_buf *out, unsigned indent)
{
    tr_buf_putf(out, "%*s", (int)indent, "");
}

static size_t count_options(const struct tr_json *field)
{
    size_t count = 0;
    for (size_t i = 0; i < TR_LEN(options); i++)
        count += given(field, options[i].name) != NULL;
    return count;
}

/* optional = true, min_length = 1 */
static void put_options(struct tr_buf *out, const struct tr_json *field)
{
    bool follows = false;
    for (size_t i = 0; i < TR_LEN(options); i++) {
        const struct tr_json *value = given(field, options[i].name);
        if (!value)
            continue;
        tr_buf_put(out, follows ? TR_STR(", ") : TR_STR(""));
        tr_gen_put_key(out, tr_str_from(options[i].name));
        tr_buf_putc(out, ' ');
        tr_gen_put_value(out, value);
        follows = true;
    }
}

/* object "Address" { fields = {...}, optional = true } */
static void put_object(struct tr_buf *out, const struct tr_json *field,
                       unsigned indent)
{
    tr_buf_put(out, TR_STR("{\n"));
    put_indent(out, indent + 2);
    tr_buf_put(out, TR_STR("fields = "));
    tr_gen_put_fields(out, given(field, "fields"), indent + 2);
    tr_buf_put(out, TR_STR(",\n"));
    if (count_options(field)) {
        put_indent(out, indent + 2);
        put_options(out, field);
        tr_buf_put(out, TR_STR(",\n"));
    }
    put_indent(out, indent);
    tr_buf_putc(out, '}');
}

static void put_field(struct tr_buf *out, const struct tr_json *field,
                      unsigned indent)
{
    tr_str kind = tr_json_text(given(field, "kind"));
    tr_str type = tr_json_text(given(field, "type"));
    bool is_object = tr_str_eq(kind, TR_STR("object"));
    tr_buf_put(out, TR_STR("{ "));
    tr_gen_put_text(out, tr_json_text(given(field, "name")));
    tr_buf_putf(out, ", %.*s", TR_FMT(kind.len ? kind : TR_STR("text")));
    if (type.len) {
        tr_buf_putc(out, ' ');
        tr_gen_put_text(out, type);
    } else if (tr_str_eq(kind, TR_STR("ref"))) {
        tr_buf_put(out, TR_STR("()"));
    }
    if (is_object) {
        tr_buf_putc(out, ' ');
        put_object(out, field, indent);
    } else if (count_options(field)) {
        tr_buf_put(out, TR_STR(" { "));
        put_options(out, field);
        tr_buf_put(out, TR_STR(" }"));
    }
    tr_buf_put(out, TR_STR(" }"));
}

void tr_gen_put_fields(struct tr_buf *out, const struct tr_json *fields,
                       unsigned indent)
{
    size_t count = tr_json_is(fields, TR_JSON_ARRAY) ? fields->len : 0;
    tr_buf_put(out, count ? TR_STR("{\n") : TR_STR("{"));
    for (size_t i = 0; i < count; i++) {
        put_indent(out, indent + 2);
        put_field(out, tr_json_at(fields, i), indent + 2);
        tr_buf_put(out, TR_STR(",\n"));
    }
    if (count)
        put_indent(out, indent);
    tr_buf_putc(out, '}');
}

#include "schema/lint.h"

#include "base/ascii.h"
#include "base/buf.h"
#include "base/limits.h"
#include "base/vec.h"
#include "fields/error.h"
#include "fields/json_schema.h"

/* A longer name leaves hosts too little for the server's name before it. */
#define NAME_ADVISED 40

struct lint {
    struct tr_arena *arena;
    struct tr_schema_findings *out;
    tr_status failed;
    struct tr_err *err;
};

void tr_schema_finding_put(struct tr_buf *out,
                           const struct tr_schema_finding *finding)
{
    tr_buf_putf(out, "%.*s%s%.*s", TR_FMT(finding->path),
                finding->path.len ? ": " : "", TR_FMT(finding->message));
}

static void keep(struct lint *l, struct tr_schema_finding finding,
                 const struct tr_field_path *at, const char *message)
{
    char storage[TR_LIMIT_MESSAGE_BYTES];
    struct tr_buf path;
    if (l->out->count >= TR_LIMIT_FIELD_ERRORS || l->failed != TR_OK)
        return;
    tr_buf_init_fixed(&path, storage, sizeof(storage));
    tr_field_path_put(&path, at);
    if (!tr_arena_copy(l->arena, tr_buf_str(&path), &finding.path) ||
        !tr_arena_copy(l->arena, tr_str_from(message), &finding.message) ||
        !tr_vec_push(l->arena, l->out, finding))
        l->failed = tr_fail(l->err, TR_E_NOMEM, "no memory for a finding");
}

static void find(struct lint *l, enum tr_schema_severity severity,
                 const struct tr_field_path *at, const char *message)
{
    keep(l,
         (struct tr_schema_finding){
             .severity = severity,
             .fix = "write the schema in plainer words: one "
                    "object, one type for each property"},
         at, message);
}

static void find_in_name(struct lint *l, enum tr_schema_severity severity,
                         const char *message, const char *fix)
{
    keep(l,
         (struct tr_schema_finding){
             .severity = severity, .is_name = true, .fix = fix},
         NULL, message);
}

static bool is_portable(tr_str name, bool allows_dots)
{
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];
        if (!tr_ascii_is_alnum(c) && c != '_' && c != '-' &&
            !(allows_dots && c == '.'))
            return false;
    }
    return name.len > 0 && name.len <= TR_LIMIT_NAME_BYTES;
}

tr_status tr_schema_lint_name(struct tr_arena *arena, tr_str name,
                              struct tr_schema_findings *out,
                              struct tr_err *err)
{
    struct lint l = {arena, out, TR_OK, err};
    if (!is_portable(name, true))
        find_in_name(&l, TR_SCHEMA_SEVERITY_ERROR,
                     "a tool's name is 1 to 64 of A-Z a-z 0-9 _ . -",
                     "choose another id");
    else if (!is_portable(name, false))
        find_in_name(
            &l, TR_SCHEMA_SEVERITY_WARNING,
            "hosts refuse dots in a tool's name, or put underscores there",
            "trails.toml: [mcp] tool_names = \"portable\"");
    if (name.len > NAME_ADVISED && name.len <= TR_LIMIT_NAME_BYTES)
        find_in_name(&l, TR_SCHEMA_SEVERITY_WARNING,
                     "hosts put the server's name in front and allow 64 in all",
                     "choose a shorter id");
    return l.failed;
}

tr_status tr_schema_lint_description(struct tr_arena *arena, tr_str description,
                                     struct tr_schema_findings *out,
                                     struct tr_err *err)
{
    struct lint l = {arena, out, TR_OK, err};
    if (!description.len)
        find_in_name(&l, TR_SCHEMA_SEVERITY_WARNING,
                     "it has no description, and models choose tools by that",
                     "say in a sentence what it does, and when to call it");
    return l.failed;
}

static void lint_schema(struct lint *l, const struct tr_json *schema,
                        const struct tr_field_path *at);

static void lint_map(struct lint *l, const struct tr_json *map,
                     const struct tr_field_path *at, bool is_properties)
{
    for (size_t i = 0; map->kind == TR_JSON_OBJECT && i < map->len; i++) {
        const struct tr_json_member *member = &map->as.members[i];
        const struct tr_field_path step = {at, tr_json_text(&member->key)};
        if (is_properties && !is_portable(step.name, true))
            find(l, TR_SCHEMA_SEVERITY_WARNING, &step,
                 "some hosts take only A-Z a-z 0-9 _ . - in property names");
        lint_schema(l, &member->value, &step);
    }
}

static void lint_list(struct lint *l, const struct tr_json *list,
                      const struct tr_field_path *at)
{
    for (size_t i = 0; i < list->len; i++) {
        char digits[24];
        int len = snprintf(digits, sizeof(digits), "%zu", i);
        const struct tr_field_path step = {at, {digits, (size_t)len}};
        lint_schema(l, &list->as.items[i], &step);
    }
}

/* How keywords hold schemas: M map, P properties, L list, S one, A allowed. */
static const struct {
    const char *name;
    char holds;
} keywords[] = {
    {"properties", 'P'},
    {"patternProperties", 'M'},
    {"$defs", 'M'},
    {"definitions", 'M'},
    {"allOf", 'L'},
    {"anyOf", 'L'},
    {"oneOf", 'L'},
    {"prefixItems", 'L'},
    {"items", 'S'},
    {"not", 'S'},
    {"contains", 'S'},
    {"propertyNames", 'S'},
    {"if", 'S'},
    {"then", 'S'},
    {"else", 'S'},
    {"additionalProperties", 'A'},
    {"unevaluatedItems", 'A'},
    {"unevaluatedProperties", 'A'},
};

static void lint_keyword(struct lint *l, const struct tr_json *value,
                         char holds, const struct tr_field_path *at)
{
    bool is_list = value->kind == TR_JSON_ARRAY;
    if (holds == 'P' || holds == 'M')
        lint_map(l, value, at, holds == 'P');
    else if (is_list)
        lint_list(l, value, at);
    else if (holds == 'S' || value->kind == TR_JSON_OBJECT)
        lint_schema(l, value, at); /* true and false are usual for 'A' */
}

static void lint_schema(struct lint *l, const struct tr_json *schema,
                        const struct tr_field_path *at)
{
    if (schema->kind == TR_JSON_BOOL)
        find(l, TR_SCHEMA_SEVERITY_WARNING, at,
             "some hosts refuse true and false as schemas");
    if (tr_json_is(tr_json_find(schema, TR_STR("type")), TR_JSON_ARRAY))
        find(l, TR_SCHEMA_SEVERITY_WARNING, at,
             "some hosts refuse a list of types");
    if (tr_json_find(schema, TR_STR("$ref")))
        find(l, TR_SCHEMA_SEVERITY_WARNING, at,
             "some hosts refuse $ref: write the schema where it is used");
    for (size_t i = 0; i < TR_LEN(keywords); i++) {
        const struct tr_field_path step = {at, tr_str_from(keywords[i].name)};
        const struct tr_json *value = tr_json_find(schema, step.name);
        if (value)
            lint_keyword(l, value, keywords[i].holds, &step);
    }
}

static void lint_root(struct lint *l, const struct tr_json *schema)
{
    static const char *const combinators[] = {"allOf", "anyOf", "oneOf", "not",
                                              "if"};
    if (schema->kind != TR_JSON_OBJECT ||
        !tr_str_eq(tr_json_text(tr_json_find(schema, TR_STR("type"))),
                   TR_STR("object")))
        find(l, TR_SCHEMA_SEVERITY_ERROR, NULL,
             "the root of a tool's schema has type object");
    for (size_t i = 0; i < TR_LEN(combinators); i++) {
        const struct tr_field_path step = {NULL, tr_str_from(combinators[i])};
        if (tr_json_find(schema, step.name))
            find(l, TR_SCHEMA_SEVERITY_WARNING, &step,
                 "several hosts refuse combinators at the root");
    }
}

static void lint_headers(struct lint *l, const struct tr_json *schema)
{
    struct tr_field_header_params params;
    struct tr_err err = {0};
    tr_status st = tr_field_header_params_find(l->arena, schema, &params, &err);
    if (st == TR_E_NOMEM)
        l->failed = tr_fail(l->err, st, "no memory for a finding");
    else if (st != TR_OK)
        find(l, TR_SCHEMA_SEVERITY_ERROR, NULL, err.msg);
}

tr_status tr_schema_lint_schema(struct tr_arena *arena,
                                const struct tr_json *schema,
                                struct tr_schema_findings *out,
                                struct tr_err *err)
{
    struct lint l = {arena, out, TR_OK, err};
    lint_root(&l, schema);
    lint_schema(&l, schema, NULL);
    lint_headers(&l, schema);
    return l.failed;
}

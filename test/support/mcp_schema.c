#include "support/mcp_schema.h"

#include "base/file.h"
#include "base/limits.h"
#include "json/reader.h"
#include "json/writer.h"
#include "schema/schema.h"

struct mcp_definition {
    tr_str name;
    const struct tr_schema *schema;
    struct mcp_definition *next;
};

/* The only fields we send that a revision does not name: on a Tool, and on a
 * Resource. */
#define OURS_OF_TOOLS     "{\"^(trails|_trails:manifest_uri)$\":{}}"
#define OURS_OF_RESOURCES "{\"^uriTemplate$\":{\"type\":\"string\"}}"

/* A listed Resource, which is no link in a content block. */
static bool is_resource(const struct tr_json *schema)
{
    return tr_json_pointer(schema, TR_STR("/properties/uri")) &&
           tr_json_pointer(schema, TR_STR("/properties/name")) &&
           tr_json_pointer(schema, TR_STR("/properties/mimeType")) &&
           !tr_json_pointer(schema, TR_STR("/properties/type"));
}

/* A schema without room for members that it does not list. */
static void write_closed(struct tr_json_writer *w, const struct tr_json *schema)
{
    tr_jw_open(w, '{');
    for (size_t i = 0; i < schema->len; i++) {
        tr_jw_key_str(w, tr_json_text(&schema->as.members[i].key));
        tr_jw_value(w, &schema->as.members[i].value);
    }
    if (tr_json_find(schema, TR_STR("properties")) &&
        !tr_json_find(schema, TR_STR("additionalProperties"))) {
        tr_jw_put_bool(w, "additionalProperties", false);
        if (tr_json_pointer(schema, TR_STR("/properties/inputSchema")))
            tr_jw_put_raw(w, "patternProperties", TR_STR(OURS_OF_TOOLS));
        if (is_resource(schema))
            tr_jw_put_raw(w, "patternProperties", TR_STR(OURS_OF_RESOURCES));
    }
    tr_jw_close(w, '}');
}

/* The members of a message: its params, where they are described here. */
static void write_members(struct tr_json_writer *w,
                          const struct tr_json *members)
{
    tr_jw_open(w, '{');
    for (size_t i = 0; i < members->len; i++) {
        const struct tr_json_member *member = &members->as.members[i];
        tr_jw_key_str(w, tr_json_text(&member->key));
        if (tr_str_eq(tr_json_text(&member->key), TR_STR("params")))
            write_closed(w, &member->value);
        else
            tr_jw_value(w, &member->value);
    }
    tr_jw_close(w, '}');
}

/* `_meta` is for everybody's fields. */
static bool is_meta(tr_str name)
{
    tr_str end = TR_STR("MetaObject");
    return name.len >= end.len &&
           tr_str_eq(tr_str_skip(name, name.len - end.len), end);
}

/* Messages stay open: older revisions describe their envelope elsewhere. */
static void write_definition(struct tr_json_writer *w, tr_str name,
                             const struct tr_json *schema)
{
    const struct tr_json *members = tr_json_find(schema, TR_STR("properties"));
    if (is_meta(name)) {
        tr_jw_value(w, schema);
        return;
    }
    if (!tr_json_find(members, TR_STR("method"))) {
        write_closed(w, schema);
        return;
    }
    tr_jw_open(w, '{');
    for (size_t i = 0; i < schema->len; i++) {
        const struct tr_json_member *member = &schema->as.members[i];
        tr_jw_key_str(w, tr_json_text(&member->key));
        if (&member->value == members)
            write_members(w, members);
        else
            tr_jw_value(w, &member->value);
    }
    tr_jw_close(w, '}');
}

static tr_status close_definitions(struct mcp_schema *schema,
                                   const struct tr_json *defs,
                                   const struct tr_json *dialect,
                                   struct tr_err *err)
{
    struct tr_json_writer w;
    struct tr_buf out;
    tr_str text = {NULL, 0};
    tr_buf_init(&out, TR_MIB(8));
    tr_jw_init(&w, &out);
    tr_jw_open(&w, '{');
    tr_jw_put_value(&w, "$schema", dialect);
    tr_jw_key(&w, schema->defs_key);
    tr_jw_open(&w, '{');
    for (size_t i = 0; i < defs->len; i++) {
        tr_str name = tr_json_text(&defs->as.members[i].key);
        tr_jw_key_str(&w, name);
        write_definition(&w, name, &defs->as.members[i].value);
    }
    tr_jw_close(&w, '}');
    tr_jw_close(&w, '}');
    tr_status status = tr_jw_finish(&w, err);
    if (status == TR_OK &&
        !tr_arena_copy(&schema->arena, tr_buf_str(&out), &text))
        status = tr_fail(err, TR_E_NOMEM, "reading a schema of MCP");
    tr_buf_done(&out);
    if (status == TR_OK)
        status = tr_json_read(&schema->arena, text, NULL, &schema->tree, err);
    return status;
}

bool mcp_schema_open(struct mcp_schema *schema, tr_str revision)
{
    const char *suites = getenv("TRAILS_SUITES");
    const struct tr_json *tree = NULL;
    char path[512];
    tr_str text;

    *schema = (struct mcp_schema){.revision = revision};
    tr_arena_init(&schema->arena, TR_MIB(64));
    (void)snprintf(path, sizeof(path), "%s/mcp-schema/%.*s.json",
                   suites ? suites : "../shared/suites", TR_FMT(revision));
    if (tr_file_read(&schema->arena, path, TR_MIB(4), &text, NULL) != TR_OK ||
        tr_json_read(&schema->arena, text, NULL, &tree, NULL) != TR_OK)
        return false;
    schema->defs_key =
        tr_json_find(tree, TR_STR("$defs")) ? "$defs" : "definitions";
    const struct tr_json *defs =
        tr_json_find(tree, tr_str_from(schema->defs_key));
    const struct tr_json *dialect = tr_json_find(tree, TR_STR("$schema"));
    return tr_json_is(defs, TR_JSON_OBJECT) && dialect &&
           close_definitions(schema, defs, dialect, NULL) == TR_OK;
}

void mcp_schema_close(struct mcp_schema *schema)
{
    tr_field_patterns_done(&schema->patterns);
    tr_arena_done(&schema->arena);
}

const struct tr_json *mcp_schema_find(const struct mcp_schema *schema,
                                      tr_str name)
{
    return tr_json_find(
        tr_json_find(schema->tree, tr_str_from(schema->defs_key)), name);
}

/* What stands after the last slash of a reference. */
static tr_str referred(const struct tr_json *schema)
{
    tr_str name = tr_json_text(tr_json_find(schema, TR_STR("$ref")));
    tr_str before;
    while (tr_str_cut(name, '/', &before, &name))
        continue;
    return name;
}

tr_str mcp_schema_for_method(const struct mcp_schema *schema, tr_str unites,
                             tr_str method)
{
    const struct tr_json *united =
        tr_json_find(mcp_schema_find(schema, unites), TR_STR("anyOf"));
    for (size_t i = 0; united && i < united->len; i++) {
        tr_str name = referred(tr_json_at(united, i));
        const struct tr_json *constant = tr_json_pointer(
            mcp_schema_find(schema, name), TR_STR("/properties/method/const"));
        if (constant && tr_str_eq(tr_json_text(constant), method))
            return name;
    }
    return (tr_str){NULL, 0};
}

static tr_status compile(struct mcp_schema *schema, tr_str name,
                         const struct tr_schema **out, struct tr_err *err)
{
    struct tr_schema_doc doc = {.uri = TR_STR("mcp:schema"),
                                .tree = schema->tree};
    struct tr_schema_opts opts = {.docs = &doc, .doc_count = 1};
    const struct tr_json *root = NULL;
    char text[256];
    tr_str copy;
    for (const struct mcp_definition *at = schema->compiled; at;
         at = at->next) {
        if (tr_str_eq(at->name, name)) {
            *out = at->schema;
            return TR_OK;
        }
    }
    (void)snprintf(text, sizeof(text), "{\"$ref\":\"mcp:schema#/%s/%.*s\"}",
                   schema->defs_key, TR_FMT(name));
    struct mcp_definition *definition =
        TR_NEW(&schema->arena, struct mcp_definition);
    if (!definition ||
        !tr_arena_copy(&schema->arena, name, &definition->name) ||
        !tr_arena_copy(&schema->arena, tr_str_from(text), &copy))
        return tr_fail(err, TR_E_NOMEM, "compiling a schema of MCP");
    TR_TRY(tr_json_read(&schema->arena, copy, NULL, &root, err));
    TR_TRY(tr_schema_compile(&schema->arena, &schema->patterns, root, &opts,
                             &definition->schema, err));
    definition->next = schema->compiled;
    schema->compiled = definition;
    *out = definition->schema;
    return TR_OK;
}

tr_status mcp_schema_check(struct mcp_schema *schema, tr_str name,
                           const struct tr_json *value, struct tr_err *err)
{
    struct tr_field_errors errors = {0};
    const struct tr_schema *compiled = NULL;
    struct tr_arena arena;
    TR_TRY(compile(schema, name, &compiled, err));
    tr_arena_init(&arena, TR_MIB(64));
    tr_status status = tr_schema_check(compiled, value, &arena, &errors, err);
    if (status == TR_E_VALIDATION && errors.items)
        (void)tr_fail(err, status, "not a valid %.*s of %.*s: %.*s",
                      TR_FMT(name), TR_FMT(schema->revision),
                      TR_FMT(errors.items[0].message));
    tr_arena_done(&arena);
    return status;
}

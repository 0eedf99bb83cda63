#include "base/buf.h"
#include "base/limits.h"
#include "base/vec.h"
#include "fields/error.h"
#include "fields/field.h"
#include "fields/json_schema.h"

#include <strings.h>

#define ANNOTATION TR_STR("x-mcp-header")

struct search {
    struct tr_arena *arena;
    struct tr_field_header_params *found;
    struct tr_err *err;
};

static tr_status fail_at(const struct search *s, const struct tr_field_path *at,
                         const char *what)
{
    return tr_fail(s->err, TR_E_INVALID, "x-mcp-header on '%.*s' %s",
                   at ? (int)at->name.len : 0, at ? at->name.ptr : "", what);
}

static bool can_be_header(const struct tr_json *schema)
{
    tr_str type = tr_json_text(tr_json_find(schema, TR_STR("type")));
    return tr_str_eq(type, TR_STR("string")) ||
           tr_str_eq(type, TR_STR("integer")) ||
           tr_str_eq(type, TR_STR("boolean"));
}

static tr_status add(const struct search *s, const struct tr_json *schema,
                     tr_str name, const struct tr_field_path *at)
{
    char storage[TR_LIMIT_MESSAGE_BYTES];
    struct tr_buf text;
    struct tr_field_header_param param = {0};
    if (!tr_field_is_http_token(name))
        return fail_at(s, at, "is not a token of RFC 9110");
    if (!can_be_header(schema))
        return fail_at(s, at, "needs type string, integer or boolean");
    for (size_t i = 0; i < s->found->count; i++) {
        tr_str other = s->found->items[i].name;
        if (other.len == name.len &&
            strncasecmp(other.ptr, name.ptr, name.len) == 0)
            return fail_at(s, at, "names a header that another one has");
    }
    tr_buf_init_fixed(&text, storage, sizeof(storage));
    tr_field_path_put(&text, at);
    if (tr_buf_check(&text, NULL) != TR_OK)
        return fail_at(s, at, "is too deep");
    if (!tr_arena_copy(s->arena, name, &param.name) ||
        !tr_arena_copy(s->arena, tr_buf_str(&text), &param.pointer) ||
        !tr_vec_push(s->arena, s->found, param))
        return tr_fail(s->err, TR_E_NOMEM, "no memory to look for headers");
    return TR_OK;
}

static tr_status search_schema(const struct search *s,
                               const struct tr_json *schema,
                               const struct tr_field_path *at,
                               bool is_reachable);

static bool is_data(tr_str keyword)
{
    return tr_str_eq(keyword, TR_STR("const")) ||
           tr_str_eq(keyword, TR_STR("enum")) ||
           tr_str_eq(keyword, TR_STR("default")) ||
           tr_str_eq(keyword, TR_STR("examples"));
}

/* A map of schemas: its members are named by the author, not by keywords. */
static tr_status search_map(const struct search *s, const struct tr_json *map,
                            const struct tr_field_path *at, bool is_reachable)
{
    for (size_t i = 0; map->kind == TR_JSON_OBJECT && i < map->len; i++) {
        const struct tr_json_member *member = &map->as.members[i];
        const struct tr_field_path step = {at, tr_json_text(&member->key)};
        TR_TRY(search_schema(s, &member->value, &step, is_reachable));
    }
    return TR_OK;
}

static tr_status search_keyword(const struct search *s,
                                const struct tr_json_member *member,
                                const struct tr_field_path *at,
                                bool is_reachable)
{
    static const tr_str maps[] = {
        TR_STR_INIT("patternProperties"), TR_STR_INIT("$defs"),
        TR_STR_INIT("definitions"), TR_STR_INIT("dependentSchemas")};
    tr_str keyword = tr_json_text(&member->key);
    if (tr_str_eq(keyword, TR_STR("properties")))
        return search_map(s, &member->value, at, is_reachable);
    for (size_t i = 0; i < TR_LEN(maps); i++) {
        if (tr_str_eq(keyword, maps[i]))
            return search_map(s, &member->value, at, false);
    }
    if (is_data(keyword))
        return TR_OK;
    if (member->value.kind != TR_JSON_ARRAY)
        return search_schema(s, &member->value, at, false);
    for (size_t i = 0; i < member->value.len; i++)
        TR_TRY(search_schema(s, &member->value.as.items[i], at, false));
    return TR_OK;
}

static tr_status search_schema(const struct search *s,
                               const struct tr_json *schema,
                               const struct tr_field_path *at,
                               bool is_reachable)
{
    if (schema->kind != TR_JSON_OBJECT)
        return TR_OK;
    const struct tr_json *name = tr_json_find(schema, ANNOTATION);
    if (name && name->kind != TR_JSON_STRING)
        return fail_at(s, at, "is not a string");
    if (name && (!is_reachable || !at))
        return fail_at(s, at, "is not on a property that properties leads to");
    if (name)
        TR_TRY(add(s, schema, tr_json_text(name), at));
    for (size_t i = 0; i < schema->len; i++)
        TR_TRY(search_keyword(s, &schema->as.members[i], at, is_reachable));
    return TR_OK;
}

tr_status tr_field_header_params_find(struct tr_arena *arena,
                                      const struct tr_json *schema,
                                      struct tr_field_header_params *out,
                                      struct tr_err *err)
{
    struct search s = {arena, out, err};
    *out = (struct tr_field_header_params){0};
    return search_schema(&s, schema, NULL, true);
}

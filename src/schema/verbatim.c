#include "schema/verbatim.h"

#include "base/limits.h"
#include "json/reader.h"
#include "schema/schema.h"

struct tr_schema_verbatim {
    tr_str text;
    const struct tr_json *tree;
    const struct tr_schema *schema;
};

/* Copies JSON that was read well, without the space between its tokens. */
static bool copy_tokens(struct tr_arena *arena, tr_str json, tr_str *out)
{
    char *to = tr_arena_alloc(arena, json.len);
    if (!to)
        return false;
    size_t len = 0;
    bool in_string = false;
    for (size_t i = 0; i < json.len; i++) {
        char c = json.ptr[i];
        if (!in_string && (c == ' ' || c == '\t' || c == '\n' || c == '\r'))
            continue;
        to[len++] = c;
        if (in_string && c == '\\')
            to[len++] = json.ptr[++i];
        else if (c == '"')
            in_string = !in_string;
    }
    *out = (tr_str){to, len};
    return true;
}

tr_status tr_schema_verbatim_register(struct tr_arena *arena,
                                      struct tr_field_patterns *patterns,
                                      tr_str text,
                                      const struct tr_schema_verbatim **out,
                                      struct tr_err *err)
{
    const struct tr_json_opts limits = {.max_bytes = TR_LIMIT_SCHEMA_BYTES};
    struct tr_schema_verbatim *made = TR_NEW(arena, struct tr_schema_verbatim);
    if (!made || !tr_arena_copy(arena, text, &text))
        return tr_fail(err, TR_E_NOMEM, "no memory to register a schema");
    TR_TRY(tr_json_read(arena, text, &limits, &made->tree, err));
    if (!copy_tokens(arena, text, &made->text))
        return tr_fail(err, TR_E_NOMEM, "no memory to register a schema");
    if (made->tree->kind != TR_JSON_OBJECT)
        return tr_fail(err, TR_E_INVALID, "a tool's schema is an object");
    tr_str type = tr_json_text(tr_json_find(made->tree, TR_STR("type")));
    if (!tr_str_eq(type, TR_STR("object")))
        return tr_fail(err, TR_E_INVALID,
                       "the root of a tool's schema has type object");
    TR_TRY(tr_schema_compile(arena, patterns, made->tree, NULL, &made->schema,
                             err));
    *out = made;
    return TR_OK;
}

tr_str tr_schema_verbatim_text(const struct tr_schema_verbatim *verbatim)
{
    return verbatim->text;
}

const struct tr_json *
tr_schema_verbatim_tree(const struct tr_schema_verbatim *verbatim)
{
    return verbatim->tree;
}

tr_status tr_schema_verbatim_check(const struct tr_schema_verbatim *verbatim,
                                   const struct tr_json *args,
                                   struct tr_arena *arena,
                                   struct tr_field_errors *errors,
                                   struct tr_err *err)
{
    static const struct tr_json empty = {.kind = TR_JSON_OBJECT};
    return tr_schema_check(verbatim->schema, args ? args : &empty, arena,
                           errors, err);
}

/*
 * Any bytes as a URI template and a URI, with a NUL between them: errors have
 * a place, and what a URI matched can be expanded again.
 */
#include "base/limits.h"
#include "base/text.h"
#include "cap/uri_template.h"
#include "json/build.h"
#include "support/uri_template_expand.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
    if (!holds)
        abort();
}

/* What matched, as values for an expansion. */
static struct tr_json object_of(struct tr_arena *arena,
                                const struct tr_cap_uri_vars *vars)
{
    struct tr_json object = {.kind = TR_JSON_OBJECT};
    struct tr_json_member *members =
        TR_NEW_ARRAY(arena, struct tr_json_member, vars->count);
    must(members != NULL);
    for (size_t i = 0; i < vars->count; i++) {
        members[i].key = tr_json_make_text(TR_JSON_STRING, vars->items[i].name);
        members[i].value =
            tr_json_make_text(TR_JSON_STRING, vars->items[i].value);
        must(tr_utf8_is_valid(vars->items[i].value));
    }
    must(tr_json_make_object(arena, members, vars->count, &object));
    return object;
}

static void match(struct tr_arena *arena,
                  const struct tr_cap_uri_template *uri_template, tr_str uri)
{
    struct tr_cap_uri_vars vars = {0};
    struct tr_buf out;
    bool matched = false;
    must(tr_cap_uri_template_match(uri_template, uri, arena, &matched, &vars,
                                   NULL) == TR_OK);
    if (!matched)
        return;
    must(vars.count <= tr_cap_uri_template_var_count(uri_template));
    struct tr_json object = object_of(arena, &vars);
    tr_buf_init(&out, TR_KIB(256));
    must(uri_template_expand(uri_template, &object, &out, NULL) == TR_OK);
    tr_buf_done(&out);
}

static void expand_all(const struct tr_cap_uri_template *uri_template)
{
    static const struct tr_json none = {.kind = TR_JSON_OBJECT};
    struct tr_buf out;
    tr_buf_init(&out, TR_KIB(256));
    must(uri_template_expand(uri_template, &none, &out, NULL) == TR_OK);
    tr_buf_done(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tr_arena arena;
    struct tr_err err = {0};
    tr_str text = {(const char *)data, size};
    tr_str uri = {NULL, 0};
    const struct tr_cap_uri_template *uri_template = NULL;

    tr_arena_init(&arena, TR_MIB(16));
    (void)tr_str_cut(text, '\0', &text, &uri);
    tr_status st =
        tr_cap_uri_template_compile(&arena, text, &uri_template, &err);
    if (st == TR_OK) {
        expand_all(uri_template);
        if (tr_cap_uri_template_can_match(uri_template))
            match(&arena, uri_template, uri);
    } else {
        must(st == TR_E_LIMIT ||
             (st == TR_E_SYNTAX && err.place.offset <= text.len));
    }
    tr_arena_done(&arena);
    return 0;
}

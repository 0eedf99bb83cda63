#include "project/compare.h"

#include "base/limits.h"
#include "base/vec.h"
#include "json/reader.h"
#include "json/writer.h"
#include "project/schema.h"

/* One comparison of all. */
struct comparing {
    const struct tr_cap_snapshot *snapshot;
    const struct tr_project_site *site;
    unsigned scopes;
    tr_project_write_fn *write;
    struct tr_arena *arena;
    struct tr_project_differences *out;
    struct tr_err *err;
    const char *view;         /* the one that is compared */
    const struct tr_cap *cap; /* of which this is the descriptor, as JSON: */
    const struct tr_json *descriptor;
    struct tr_buf left;
    struct tr_buf right;
};

/* Once for each view, id and field. */
static tr_status note(struct comparing *c, tr_str id, tr_str field)
{
    const struct tr_project_difference difference = {c->view, id, field};
    for (size_t i = c->out->count; i > 0; i--) {
        const struct tr_project_difference *before = &c->out->items[i - 1];
        if (before->view != c->view || !tr_str_eq(before->id, id))
            break;
        if (tr_str_eq(before->field, field))
            return TR_OK;
    }
    return tr_vec_push(c->arena, c->out, difference)
               ? TR_OK
               : tr_fail(c->err, TR_E_NOMEM, "no memory for a difference");
}

static tr_status read(struct comparing *c, const struct tr_buf *text,
                      const struct tr_json **out)
{
    tr_str copy;
    TR_TRY(tr_buf_check(text, c->err));
    if (!tr_arena_copy(c->arena, tr_buf_str(text), &copy))
        return tr_fail(c->err, TR_E_NOMEM, "no memory for a view");
    tr_status status = tr_json_read(c->arena, copy, NULL, out, c->err);
    if (status != TR_OK)
        tr_err_prefix(c->err, "%s", c->view);
    return status;
}

/* Both texts are written: they have to be the same. */
static tr_status conclude(struct comparing *c, tr_str field)
{
    TR_TRY(tr_buf_check(&c->left, c->err));
    TR_TRY(tr_buf_check(&c->right, c->err));
    return tr_str_eq(tr_buf_str(&c->left), tr_buf_str(&c->right))
               ? TR_OK
               : note(c, c->cap->id, field);
}

static void put(struct tr_buf *out, const struct tr_json *value)
{
    struct tr_json_writer w;
    tr_buf_clear(out);
    tr_jw_init(&w, out);
    if (value)
        tr_jw_value(&w, value);
}

/* A field that a view has as the canonical form has it. */
static tr_status compare(struct comparing *c, tr_str field,
                         const struct tr_json *value)
{
    put(&c->left, tr_json_find(c->descriptor, field));
    put(&c->right, value);
    return conclude(c, field);
}

/* A member that says a field in other words; "": it has to be absent. */
static tr_status compare_with(struct comparing *c, tr_str field, tr_str json,
                              const struct tr_json *value)
{
    tr_buf_clear(&c->left);
    tr_buf_put(&c->left, json);
    put(&c->right, value);
    return conclude(c, field);
}

static tr_status compare_text(struct comparing *c, tr_str field, tr_str text,
                              const struct tr_json *value)
{
    struct tr_json_writer w;
    tr_buf_clear(&c->left);
    tr_jw_init(&w, &c->left);
    if (text.len)
        tr_jw_string(&w, text);
    put(&c->right, value);
    return conclude(c, field);
}

/* A URL of the capability: of the server, that path, and its id. */
static tr_status compare_url(struct comparing *c, const char *path,
                             const struct tr_json *value)
{
    char text[TR_LIMIT_URI_BYTES];
    struct tr_buf url;
    tr_buf_init_fixed(&url, text, sizeof(text));
    tr_buf_put(&url, c->site->base);
    tr_buf_put(&url, tr_str_from(path));
    tr_buf_put(&url, c->cap->id);
    return compare_text(c, TR_STR("id"), tr_buf_str(&url), value);
}

/* What a schema has to be once it is unwrapped, in `left`. */
static tr_status write_schema(struct comparing *c, bool is_output)
{
    const struct tr_json *tree = NULL;
    struct tr_json_writer w;
    tr_buf_clear(&c->left);
    if (is_output && !c->cap->output_shape)
        return TR_OK;
    tr_jw_init(&w, &c->left);
    if (is_output)
        tr_project_put_output(&w, c->cap, 0);
    else
        tr_project_put_input(&w, c->cap, 0);
    TR_TRY(read(c, &c->left, &tree));
    tr_buf_clear(&c->left);
    tr_jw_init(&w, &c->left);
    tr_project_put_unwrapped(&w, tree, TR_STR("#"), c->site->plain_tools);
    return TR_OK;
}

static tr_status compare_schema(struct comparing *c, bool is_output,
                                const struct tr_json *schema, tr_str pointer)
{
    struct tr_json_writer w;
    TR_TRY(write_schema(c, is_output));
    tr_buf_clear(&c->right);
    tr_jw_init(&w, &c->right);
    if (schema)
        tr_project_put_unwrapped(&w, schema, pointer, c->site->plain_tools);
    return conclude(c,
                    is_output ? TR_STR("output_shape") : TR_STR("input_shape"));
}

/* Each finds a capability in a view, and compares it. */
typedef const struct tr_json *find_fn(const struct comparing *c,
                                      const struct tr_json *view);
typedef tr_status compare_fn(struct comparing *c, const struct tr_json *view,
                             const struct tr_json *found);

static const struct tr_json *find_by(const struct tr_json *list,
                                     const char *member, tr_str value)
{
    for (size_t i = 0; tr_json_is(list, TR_JSON_ARRAY) && i < list->len; i++) {
        const struct tr_json *name =
            tr_json_find(&list->as.items[i], tr_str_from(member));
        if (tr_json_is(name, TR_JSON_STRING) &&
            tr_str_eq(tr_json_text(name), value))
            return &list->as.items[i];
    }
    return NULL;
}

static const struct tr_json *find_node(const struct comparing *c,
                                       const struct tr_json *view)
{
    return find_by(tr_json_find(view, TR_STR("@graph")), "id", c->cap->id);
}

static const struct tr_json *find_plain(const struct comparing *c,
                                        const struct tr_json *view)
{
    return find_by(tr_json_find(view, TR_STR("capabilities")), "id",
                   c->cap->id);
}

static tr_status compare_all(struct comparing *c, const struct tr_json *view,
                             const struct tr_json *found)
{
    (void)view;
    for (size_t i = 0; i < c->descriptor->len; i++) {
        tr_str field = tr_json_text(&c->descriptor->as.members[i].key);
        TR_TRY(compare(c, field, tr_json_find(found, field)));
    }
    return TR_OK;
}

static tr_status compare_node(struct comparing *c, const struct tr_json *view,
                              const struct tr_json *found)
{
    TR_TRY(compare_url(c, TR_PROJECT_MANIFEST_PATH "#",
                       tr_json_find(found, TR_STR("@id"))));
    return compare_all(c, view, found);
}

static const struct tr_json *find_tool(const struct comparing *c,
                                       const struct tr_json *view)
{
    return find_by(tr_json_find(view, TR_STR("tools")), "name", c->cap->name);
}

static tr_status compare_tool(struct comparing *c, const struct tr_json *view,
                              const struct tr_json *found)
{
    (void)view;
    if (c->cap->description.len)
        TR_TRY(compare(c, TR_STR("description"),
                       tr_json_find(found, TR_STR("description"))));
    TR_TRY(
        compare(c, TR_STR("idempotent"),
                tr_json_pointer(found, TR_STR("/annotations/idempotentHint"))));
    if (!c->cap->is_meta && tr_project_is_served(TR_PROJECT_JSON_LD, c->site))
        TR_TRY(compare_url(
            c, TR_PROJECT_MANIFEST_PATH "#",
            tr_json_pointer(found, TR_STR("/_meta/dev.trails~1manifest_uri"))));
    TR_TRY(compare_schema(c, false, tr_json_find(found, TR_STR("inputSchema")),
                          TR_STR("#")));
    return compare_schema(c, true, tr_json_find(found, TR_STR("outputSchema")),
                          TR_STR("#"));
}

static const struct tr_json *find_operation(const struct comparing *c,
                                            const struct tr_json *view)
{
    char path[TR_LIMIT_NAME_BYTES + 16];
    int len = snprintf(path, sizeof(path), TR_PROJECT_INVOKE_PATH "/%.*s",
                       TR_FMT(c->cap->id));
    const struct tr_json *found = tr_json_find(
        tr_json_find(view, TR_STR("paths")), (tr_str){path, (size_t)len});
    const struct tr_json *post = tr_json_find(found, TR_STR("post"));
    const struct tr_json *id = tr_json_find(post, TR_STR("operationId"));
    return tr_str_eq(tr_json_text(id), c->cap->id) ? post : NULL;
}

/* The extensions, by the names of the fields that they are. */
static const struct {
    const char *member;
    const char *field;
} extensions[] = {
    {"x-trails-cost", "cost"},
    {"x-trails-side-effects", "side_effects"},
    {"x-trails-preconditions", "preconditions"},
    {"x-trails-policy-required", "policy_required"},
    {"x-trails-assurance", "assurance"},
    {"x-trails-reasoning", "reasoning"},
    {"x-trails-idempotent", "idempotent"},
    {"x-trails-version", "version"},
    {"x-trails-version-status", "version_status"},
    {"x-trails-deprecates", "deprecates"},
    {"x-trails-input-shape", "input_shape"},
    {"x-trails-output-shape", "output_shape"},
};

/* A schema, and what refers to it: "#/components/schemas/...". */
static tr_status compare_component(struct comparing *c,
                                   const struct tr_json *view,
                                   const struct tr_json *operation,
                                   bool is_output)
{
    static const tr_str fields[] = {TR_STR_INIT("input_shape"),
                                    TR_STR_INIT("output_shape")};
    static const tr_str references[] = {
        TR_STR_INIT("/requestBody/content/application~1json/schema/$ref"),
        TR_STR_INIT("/responses/200/content/application~1json/schema/$ref"),
    };
    bool has_any = !is_output || c->cap->output_shape;
    char pointer[TR_LIMIT_NAME_BYTES + 64];
    const char *start = "#/components/schemas/";
    int len = snprintf(pointer, sizeof(pointer), "%s%.*s%s", start,
                       TR_FMT(c->cap->id), is_output ? ".output" : ".input");
    tr_str whole = {pointer, (size_t)len};
    const struct tr_json *schemas = tr_json_find(
        tr_json_find(view, TR_STR("components")), TR_STR("schemas"));
    TR_TRY(compare_text(c, fields[is_output], has_any ? whole : TR_STR(""),
                        tr_json_pointer(operation, references[is_output])));
    return compare_schema(
        c, is_output, tr_json_find(schemas, tr_str_skip(whole, strlen(start))),
        whole);
}

/* What OpenAPI has words for. */
static tr_status compare_words(struct comparing *c,
                               const struct tr_json *operation)
{
    bool is_deprecated = c->cap->version_status == TR_CAP_VERSION_DEPRECATED;
    TR_TRY(compare_with(c, TR_STR("version_status"),
                        is_deprecated ? TR_STR("true") : TR_STR(""),
                        tr_json_find(operation, TR_STR("deprecated"))));
    return compare_with(
        c, TR_STR("idempotent"),
        c->cap->idempotent
            ? TR_STR("[{\"$ref\":\"#/components/parameters/IdempotencyKey\"}]")
            : TR_STR(""),
        tr_json_find(operation, TR_STR("parameters")));
}

static tr_status compare_operation(struct comparing *c,
                                   const struct tr_json *view,
                                   const struct tr_json *found)
{
    TR_TRY(compare(c, TR_STR("description"),
                   tr_json_find(found, TR_STR("description"))));
    for (size_t i = 0; c->site->has_manifest && i < TR_LEN(extensions); i++)
        TR_TRY(compare(c, tr_str_from(extensions[i].field),
                       tr_json_find(found, tr_str_from(extensions[i].member))));
    TR_TRY(compare_words(c, found));
    TR_TRY(compare_component(c, view, found, false));
    return compare_component(c, view, found, true);
}

static const struct tr_json *find_action(const struct comparing *c,
                                         const struct tr_json *view)
{
    return tr_json_find(tr_json_find(view, TR_STR("actions")), c->cap->id);
}

static tr_status compare_input(struct comparing *c,
                               const struct tr_json *action)
{
    const char *key =
        tr_json_find(action, TR_STR("input")) ? "input" : "trails:inputSchema";
    char pointer[TR_LIMIT_NAME_BYTES + 64];
    int len = snprintf(pointer, sizeof(pointer), "#/actions/%.*s/%s",
                       TR_FMT(c->cap->id), key);
    return compare_schema(c, false, tr_json_find(action, tr_str_from(key)),
                          (tr_str){pointer, (size_t)len});
}

/* Each way to call it leads to it, and to nothing else. */
static tr_status compare_forms(struct comparing *c, const struct tr_json *forms)
{
    size_t wanted =
        (c->site->has_http ? 1U : 0U) + (c->site->mcp_path.len ? 1U : 0U);
    if (!tr_json_is(forms, TR_JSON_ARRAY) || forms->len != wanted)
        return note(c, c->cap->id, TR_STR("id"));
    if (c->site->has_http)
        TR_TRY(compare_url(c, TR_PROJECT_INVOKE_PATH "/",
                           tr_json_find(&forms->as.items[0], TR_STR("href"))));
    if (!c->site->mcp_path.len)
        return TR_OK;
    return compare_text(
        c, TR_STR("id"), c->cap->name,
        tr_json_find(&forms->as.items[wanted - 1], TR_STR("trails:tool")));
}

static tr_status compare_action(struct comparing *c, const struct tr_json *view,
                                const struct tr_json *found)
{
    static const char *const members[][2] = {
        {"idempotent", "idempotent"},
        {"trails:version", "version"},
        {"trails:assurance", "assurance"},
        {"trails:costEstimate", "cost"},
        {"trails:policyRequired", "policy_required"},
    };
    (void)view;
    if (c->cap->description.len)
        TR_TRY(compare(c, TR_STR("description"),
                       tr_json_find(found, TR_STR("description"))));
    for (size_t i = 0; i < TR_LEN(members); i++)
        TR_TRY(compare(c, tr_str_from(members[i][1]),
                       tr_json_find(found, tr_str_from(members[i][0]))));
    TR_TRY(compare_forms(c, tr_json_find(found, TR_STR("forms"))));
    TR_TRY(compare_input(c, found));
    return compare_schema(c, true, tr_json_find(found, TR_STR("output")),
                          TR_STR("#"));
}

/* How many capabilities a view has: as many as are found in it. */
static size_t count_of(const struct tr_json *view, const char *member)
{
    const struct tr_json *list = tr_json_find(view, tr_str_from(member));
    return list ? list->len : 0;
}

static const struct compared {
    const char *name;
    const char *list; /* the member that has all capabilities */
    find_fn *find;
    compare_fn *compare;
    enum tr_project_view view;
    bool has_metas;
} views[] = {
    {"jsonld", "@graph", find_node, compare_node, TR_PROJECT_JSON_LD, false},
    {"json", "capabilities", find_plain, compare_all, TR_PROJECT_PLAIN, false},
    {"mcp", "tools", find_tool, compare_tool, TR_PROJECT_TOOLS, true},
    {"openapi", "paths", find_operation, compare_operation, TR_PROJECT_OPENAPI,
     false},
    {"card", "actions", find_action, compare_action, TR_PROJECT_CARD, false},
};

static tr_status describe(struct comparing *c, const struct tr_cap *cap)
{
    struct tr_json_writer w;
    c->cap = cap;
    tr_buf_clear(&c->left);
    tr_jw_init(&w, &c->left);
    tr_project_put_descriptor(&w, cap);
    return read(c, &c->left, &c->descriptor);
}

static tr_status compare_caps(struct comparing *c, const struct compared *how,
                              const struct tr_json *view)
{
    tr_cap_counts counts = tr_cap_snapshot_counts(c->snapshot);
    size_t count = how->has_metas ? counts.tools : counts.caps;
    size_t listed = 0;
    for (size_t i = 0; i < count; i++) {
        const struct tr_cap *cap = how->has_metas
                                       ? tr_cap_snapshot_tool(c->snapshot, i)
                                       : tr_cap_snapshot_cap(c->snapshot, i);
        if (!tr_cap_is_listed(cap, c->scopes))
            continue;
        listed++;
        TR_TRY(describe(c, cap));
        const struct tr_json *found = how->find(c, view);
        TR_TRY(found ? how->compare(c, view, found)
                     : note(c, cap->id, TR_STR("id")));
    }
    return count_of(view, how->list) == listed
               ? TR_OK
               : note(c, TR_STR("*"), TR_STR("id"));
}

static tr_status compare_view(struct comparing *c, const struct compared *how)
{
    const struct tr_project_asked asked = {
        .view = how->view, .scopes = c->scopes, .site = c->site};
    const struct tr_json *view = NULL;
    struct tr_buf text;
    c->view = how->name;
    tr_buf_init(&text, 2 * TR_LIMIT_VIEW_BYTES);
    tr_status status = c->write(c->snapshot, &asked, &text, c->err);
    if (status == TR_OK)
        status = read(c, &text, &view);
    tr_buf_done(&text);
    return status == TR_OK ? compare_caps(c, how, view) : status;
}

tr_status tr_project_compare(const struct tr_cap_snapshot *snapshot,
                             const struct tr_project_compared *what,
                             struct tr_arena *arena,
                             struct tr_project_differences *out,
                             struct tr_err *err)
{
    struct comparing c = {.snapshot = snapshot,
                          .site = what->site,
                          .scopes = what->scopes,
                          .write = what->write ? what->write : tr_project_write,
                          .arena = arena,
                          .out = out,
                          .err = err};
    tr_status status = TR_OK;
    tr_buf_init(&c.left, TR_LIMIT_VIEW_BYTES);
    tr_buf_init(&c.right, TR_LIMIT_VIEW_BYTES);
    *out = (struct tr_project_differences){0};
    for (size_t i = 0; i < TR_LEN(views) && status == TR_OK; i++)
        status = compare_view(&c, &views[i]);
    tr_buf_done(&c.left);
    tr_buf_done(&c.right);
    return status;
}

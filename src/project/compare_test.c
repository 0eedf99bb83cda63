/*
 * Whether a view that says something else is found out: every field of every
 * view is written wrongly in turn.
 */
#include "project/compare.h"

#include "base/test.h"
#include "cap/registry.h"
#include "fields/field.h"
#include "schema/verbatim.h"

static const struct tr_project_site site = {
    .name = TR_STR_INIT("shop"),
    .version = TR_STR_INIT("1.2.3"),
    .base = TR_STR_INIT("https://a.example"),
    .mcp_path = TR_STR_INIT("/mcp"),
    .has_manifest = true,
    .has_http = true,
};

static void run(const struct tr_cap_handler *handler, struct tr_call *call)
{
    (void)handler;
    (void)call;
}

static const struct tr_shape *fields_of(struct tr_cap_builder *builder)
{
    const struct tr_shape *shape = NULL;
    const struct tr_field fields[] = {
        {.name = TR_STR("text"), .header = TR_STR("Text"), .min_length = 3}};
    const struct tr_shape draft = {.fields = fields, .count = TR_LEN(fields)};
    struct tr_err err = {0};
    CHECK_OK(tr_shape_register(tr_cap_registry_arena(builder),
                               tr_cap_registry_patterns(builder), &draft,
                               &shape, &err),
             &err);
    return shape;
}

static const struct tr_cap_snapshot *build(void)
{
    struct tr_cap_builder *builder = NULL;
    const struct tr_cap_snapshot *snapshot = NULL;
    struct tr_err err = {0};
    CHECK_OK(tr_cap_builder_create(NULL, &builder, &err), &err);
    struct tr_cap cap = {
        .id = TR_STR("sell.now"),
        .description = TR_STR("Sells."),
        .side_effects = {.is_said = true},
        .cost = {.tokens = 77},
        .idempotent = true,
        .handler = {.run = run},
    };
    cap.input_shape = fields_of(builder);
    cap.output_shape = cap.input_shape;
    CHECK_OK(tr_cap_registry_add_cap(builder, &cap, &err), &err);
    struct tr_cap brings = {.id = TR_STR("brings"), .handler = {.run = run}};
    CHECK_OK(tr_schema_verbatim_register(
                 tr_cap_registry_arena(builder),
                 tr_cap_registry_patterns(builder),
                 TR_STR("{\"type\":\"object\",\"properties\":{\"a\":{\"$ref\":"
                        "\"#/$defs/a\"}},\"$defs\":{\"a\":{\"enum\":[{\"$ref\":"
                        "\"#/kept\"}]}}}"),
                 &brings.input_schema, &err),
             &err);
    CHECK_OK(tr_cap_registry_add_cap(builder, &brings, &err), &err);
    CHECK_OK(tr_cap_registry_build(builder, &snapshot, &err), &err);
    tr_cap_builder_free(builder);
    return snapshot;
}

/* What one view is written with instead, once. */
static struct {
    enum tr_project_view view;
    const char *from;
    const char *to;
} wrong;

static tr_status write_wrongly(const struct tr_cap_snapshot *snapshot,
                               const struct tr_project_asked *asked,
                               struct tr_buf *out, struct tr_err *err)
{
    struct tr_buf text;
    if (asked->view != wrong.view)
        return tr_project_write(snapshot, asked, out, err);
    tr_buf_init(&text, TR_MIB(1));
    CHECK_OK(tr_project_write(snapshot, asked, &text, err), err);
    tr_buf_putc(&text, '\0');
    const char *at = strstr(text.ptr, wrong.from);
    size_t before = at ? (size_t)(at - text.ptr) : text.len;
    CHECK_ROW(before < text.len, wrong.from);
    tr_buf_put(out, (tr_str){text.ptr, before});
    tr_buf_put(out, tr_str_from(wrong.to));
    tr_buf_put(out, tr_str_from(text.ptr + before + strlen(wrong.from)));
    tr_buf_done(&text);
    return TR_OK;
}

static void compare(const struct tr_cap_snapshot *snapshot,
                    const struct tr_project_site *of, struct tr_arena *arena,
                    struct tr_project_differences *out)
{
    const struct tr_project_compared what = {
        .site = of,
        .scopes = TR_SCOPE_ALL,
        .write = wrong.from ? write_wrongly : NULL,
    };
    struct tr_err err = {0};
    CHECK_OK(tr_project_compare(snapshot, &what, arena, out, &err), &err);
}

TEST(project_views_say_the_same)
{
    const struct tr_cap_snapshot *snapshot = build();
    struct tr_project_differences found;
    struct tr_arena arena;
    struct tr_project_site other = site;
    tr_arena_init(&arena, TR_MIB(16));
    wrong.from = NULL;
    compare(snapshot, &site, &arena, &found);
    CHECK_INT(found.count, 0);
    other.plain_tools = true;
    other.has_manifest = false;
    compare(snapshot, &other, &arena, &found);
    CHECK_INT(found.count, 0);
    tr_arena_done(&arena);
    tr_cap_snapshot_unpin(snapshot);
}

/* In the texts, sell.now comes after brings. */
#define LD     TR_PROJECT_JSON_LD
#define PLAIN  TR_PROJECT_PLAIN
#define TOOLS  TR_PROJECT_TOOLS
#define API    TR_PROJECT_OPENAPI
#define CARD   TR_PROJECT_CARD
#define SELL   "sell.now"
#define LENGTH "\"minLength\":3"

static const struct {
    const char *from;
    const char *to;
    const char *id;
    const char *field;
    enum tr_project_view view;
} rows[] = {
    {"\"id\":\"sell.now\"", "\"id\":\"sell\"", SELL, "id", LD},
    {"\"id\":\"sell.now\"", "\"id\":\"sell\"", SELL, "id", PLAIN},
    {"\"name\":\"sell.now\"", "\"name\":\"sell\"", SELL, "id", TOOLS},
    {"\"operationId\":\"sell.now\"", "\"operationId\":\"s\"", SELL, "id", API},
    {"\"sell.now\":{", "\"sell\":{", SELL, "id", CARD},
    {"Sells.", "Buys.", SELL, "description", LD},
    {"Sells.", "Buys.", SELL, "description", PLAIN},
    {"Sells.", "Buys.", SELL, "description", TOOLS},
    {"Sells.", "Buys.", SELL, "description", API},
    {"Sells.", "Buys.", SELL, "description", CARD},
    {"\"version\":\"0.1.0\"", "\"version\":\"0.1\"", "brings", "version", LD},
    {"sell.now.input", "sell.now.in", SELL, "input_shape", PLAIN},
    {"sell.now.output\"", "sell\"", SELL, "output_shape", LD},
    {"\"preconditions\":[]", "\"preconditions\":{}", "brings", "preconditions",
     LD},
    {"\"regulated\":false", "\"regulated\":true", "brings", "side_effects",
     PLAIN},
    {"77", "78", SELL, "cost", LD},
    {"77", "78", SELL, "cost", API},
    {"77", "77.0", SELL, "cost", CARD},
    {"\"policy_required\":[]", "\"policy_required\":[\"p\"]", "brings",
     "policy_required", LD},
    {"\"idempotent\":true", "\"idempotent\":false", SELL, "idempotent", CARD},
    {"\"deprecates\":null", "\"deprecates\":\"\"", "brings", "deprecates", LD},
    {"\"reasoning\":\"none\"", "\"reasoning\":\"rdfs\"", "brings", "reasoning",
     PLAIN},
    {"\"assurance\":\"L1\"", "\"assurance\":\"L2\"", "brings", "assurance", LD},
    {"\"trails:assurance\":\"L1\"", "\"trails:assurance\":\"\"", "brings",
     "assurance", CARD},
    {"\"version_status\":\"active\"", "\"version_status\":\"retired\"",
     "brings", "version_status", PLAIN},
    {"x-trails-version-status", "x-trails-status", "brings", "version_status",
     API},
    {"x-trails-deprecates", "x-trails-d", "brings", "deprecates", API},
    {"#/$defs/a", "#/$defs/b", "brings", "input_shape", TOOLS},
    {"brings.input/$defs/a", "sell.now.input", "brings", "input_shape", API},
    {"#/kept", "#/$defs/kept", "brings", "input_shape", CARD},
    {LENGTH, "\"minLength\":4", SELL, "input_shape", TOOLS},
    {LENGTH, "\"minLength\":4", SELL, "input_shape", API},
    {LENGTH, "\"minLength\":4", SELL, "input_shape", CARD},
    {"\"outputSchema\"", "\"output\"", SELL, "output_shape", TOOLS},
    {"\"output\":{", "\"out\":{", SELL, "output_shape", CARD},
};

TEST(project_a_view_that_says_something_else_is_found_out)
{
    const struct tr_cap_snapshot *snapshot = build();
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        struct tr_project_differences found;
        struct tr_arena arena;
        tr_arena_init(&arena, TR_MIB(16));
        wrong.view = rows[i].view;
        wrong.from = rows[i].from;
        wrong.to = rows[i].to;
        compare(snapshot, &site, &arena, &found);
        CHECK_ROW(found.count == 1, rows[i].from);
        CHECK_STR(found.items[0].id, rows[i].id);
        CHECK_STR(found.items[0].field, rows[i].field);
        tr_arena_done(&arena);
    }
    tr_cap_snapshot_unpin(snapshot);
}

TEST(project_a_view_has_no_other_capabilities)
{
    const struct tr_cap_snapshot *snapshot = build();
    struct tr_project_differences found;
    struct tr_arena arena;
    tr_arena_init(&arena, TR_MIB(16));
    wrong.view = CARD;
    wrong.from = "\"actions\":{";
    wrong.to = "\"actions\":{\"more\":{},";
    compare(snapshot, &site, &arena, &found);
    CHECK_INT(found.count, 1);
    CHECK_STR(tr_str_from(found.items[0].view), "card");
    CHECK_STR(found.items[0].id, "*");
    tr_arena_done(&arena);
    tr_cap_snapshot_unpin(snapshot);
}

/*
 * Which lists another snapshot changes, and for whom.
 */
#include "project/lists.h"

#include "base/scope.h"
#include "base/test.h"
#include "cap/registry.h"
#include "cap/resource.h"

/* What differs between two apps; by default one thing of each kind. */
struct app {
    const char *tool; /* its description */
    enum tr_scope tool_scope;
    const char *resource;
    const char *template;
    const char *prompt;
    enum tr_scope prompt_scope;
    bool has_other; /* a second tool */
};

static const struct app plain = {"Asks.", TR_SCOPE_RUNTIME, "a page", "pages",
                                 "Says.", TR_SCOPE_RUNTIME, false};

static void run(const struct tr_cap_handler *handler, struct tr_call *call)
{
    (void)handler;
    (void)call;
}

static void add_tool(struct tr_cap_builder *builder, tr_str id,
                     const char *text, enum tr_scope scope)
{
    struct tr_err err = {0};
    const struct tr_cap cap = {.id = id,
                               .description = tr_str_from(text),
                               .guard = {.scope = scope},
                               .handler.run = run};
    CHECK_OK(tr_cap_registry_add_cap(builder, &cap, &err), &err);
}

static const struct tr_cap_snapshot *build(const struct app *app)
{
    struct tr_cap_builder *builder = NULL;
    const struct tr_cap_snapshot *snapshot = NULL;
    struct tr_err err = {0};
    CHECK_OK(tr_cap_builder_create(NULL, &builder, &err), &err);
    add_tool(builder, TR_STR("ask"), app->tool, app->tool_scope);
    if (app->has_other)
        add_tool(builder, TR_STR("other"), "Another.", TR_SCOPE_RUNTIME);
    const struct tr_cap_resource resource = {
        .uri = TR_STR("own://page"),
        .about = {.name = tr_str_from(app->resource)},
        .handler.run = run};
    CHECK_OK(tr_cap_registry_add_resource(builder, &resource, &err), &err);
    const struct tr_cap_resource_template item = {
        .uri_template = TR_STR("own://page/{n}"),
        .about = {.name = tr_str_from(app->template)},
        .handler.run = run};
    CHECK_OK(tr_cap_registry_add_template(builder, &item, &err), &err);
    const struct tr_cap_prompt prompt = {
        .about = {.name = TR_STR("say"),
                  .description = tr_str_from(app->prompt),
                  .guard = {.scope = app->prompt_scope}},
        .handler.run = run};
    CHECK_OK(tr_cap_registry_add_prompt(builder, &prompt, &err), &err);
    CHECK_OK(tr_cap_registry_build(builder, &snapshot, &err), &err);
    tr_cap_builder_free(builder);
    return snapshot;
}

static void compare(const struct app *one, const struct app *two,
                    uint32_t changed[TR_PROJECT_LISTS])
{
    const struct tr_cap_snapshot *before = build(one);
    const struct tr_cap_snapshot *after = build(two);
    struct tr_err err = {0};
    CHECK_OK(tr_project_lists_compare(before, after, false, changed, &err),
             &err);
    tr_cap_snapshot_unpin(before);
    tr_cap_snapshot_unpin(after);
}

/* The sets of scopes that have all of `scopes`, a bit each. */
static uint32_t who_have(unsigned scopes)
{
    uint32_t found = 0;
    for (unsigned n = 0; n <= TR_SCOPE_ALL; n++)
        found |= (uint32_t)((n & scopes) == scopes) << n;
    return found;
}

#define BUILDER ((unsigned)TR_SCOPE_BUILDER)
#define RUNTIME ((unsigned)TR_SCOPE_RUNTIME)
#define DEV     ((unsigned)TR_SCOPE_DEV)

TEST(only_the_list_that_has_changed_is_named_and_for_whom_it_has)
{
    const struct {
        const char *name;
        struct app app;
        uint32_t tools;
        uint32_t resources;
        uint32_t prompts;
    } rows[] = {
        {"nothing",
         {"Asks.", RUNTIME, "a page", "pages", "Says.", RUNTIME, 0},
         0,
         0,
         0},
        {"tool",
         {"Says.", RUNTIME, "a page", "pages", "Says.", RUNTIME, 0},
         who_have(RUNTIME),
         0,
         0},
        {"a new tool",
         {"Asks.", RUNTIME, "a page", "pages", "Says.", RUNTIME, true},
         who_have(RUNTIME),
         0,
         0},
        {"resource",
         {"Asks.", RUNTIME, "page", "pages", "Says.", RUNTIME, 0},
         0,
         who_have(0),
         0},
        {"template",
         {"Asks.", RUNTIME, "a page", "all", "Says.", RUNTIME, 0},
         0,
         who_have(0),
         0},
        {"prompt",
         {"Asks.", RUNTIME, "a page", "pages", "Asks.", RUNTIME, 0},
         0,
         0,
         who_have(RUNTIME)},
        {"a tool that is hidden from some",
         {"Asks.", BUILDER, "a page", "pages", "Says.", RUNTIME, 0},
         who_have(RUNTIME) ^ who_have(BUILDER),
         0,
         0},
        {"a prompt that is hidden from some",
         {"Asks.", RUNTIME, "a page", "pages", "Says.", DEV, 0},
         0,
         0,
         who_have(RUNTIME) ^ who_have(DEV)},
    };
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        uint32_t changed[TR_PROJECT_LISTS];
        compare(&plain, &rows[i].app, changed);
        CHECK_ROW(changed[TR_PROJECT_LIST_TOOLS] == rows[i].tools,
                  rows[i].name);
        CHECK_ROW(changed[TR_PROJECT_LIST_RESOURCES] == rows[i].resources,
                  rows[i].name);
        CHECK_ROW(changed[TR_PROJECT_LIST_PROMPTS] == rows[i].prompts,
                  rows[i].name);
    }
}

TEST(what_only_builders_see_is_told_to_builders)
{
    struct app one = plain;
    struct app two = plain;
    uint32_t changed[TR_PROJECT_LISTS];
    one.tool_scope = two.tool_scope = TR_SCOPE_BUILDER;
    two.tool = "Asks again.";
    compare(&one, &two, changed);
    CHECK_INT(changed[TR_PROJECT_LIST_TOOLS], who_have(BUILDER));
}

struct sides {
    const struct tr_cap_snapshot *before;
    const struct tr_cap_snapshot *after;
};

static tr_status compare_sides(void *context, struct tr_err *err)
{
    const struct sides *sides = context;
    uint32_t changed[TR_PROJECT_LISTS];
    return tr_project_lists_compare(sides->before, sides->after, true, changed,
                                    err);
}

TEST(comparing_without_memory_fails)
{
    struct sides sides = {build(&plain), build(&plain)};
    tr_test_sweep(compare_sides, &sides);
    tr_cap_snapshot_unpin(sides.before);
    tr_cap_snapshot_unpin(sides.after);
}

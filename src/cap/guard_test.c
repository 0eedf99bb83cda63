/*
 * Guards: what is hidden behind them, whose they are, and policies that are not
 * there.
 */
#include "base/test.h"
#include "cap/registry.h"
#include "json/reader.h"
#include "model/builder.h"

#define RUN                                                                    \
    {                                                                          \
        run, NULL                                                              \
    }
#define CLOSED                                                                 \
    {                                                                          \
        .scope = TR_SCOPE_BUILDER, .policy_required = {&asked, 1},             \
        .where = TR_STR_INIT("app.lua:7")                                      \
    }

static void run(const struct tr_cap_handler *handler, struct tr_call *call)
{
    (void)handler;
    (void)call;
}

static const tr_str asked = TR_STR_INIT("p");
static const struct tr_field fields[] = {{.name = TR_STR_INIT("a")}};

/* T, its subtype U, a shape for T, and O, which is open. */
static const struct tr_model *make_model(void)
{
    static const struct tr_model_type_draft types[] = {
        {.shape = {.name = TR_STR_INIT("T"), .fields = fields, .count = 1},
         .has_guard = true,
         .guard = {TR_SCOPE_BUILDER, &asked, 1},
         .where = TR_STR_INIT("app.lua:3")},
        {.shape = {.name = TR_STR_INIT("U")}, .extends = TR_STR_INIT("T")},
        {.shape = {.name = TR_STR_INIT("O"), .iri = TR_STR_INIT("http://o/")}},
    };
    static const struct tr_model_shape_draft shape = {
        .shape = {.name = TR_STR_INIT("S"), .fields = fields, .count = 1},
        .target = TR_STR_INIT("T")};
    struct tr_model_builder *declared = NULL;
    const struct tr_model *model = NULL;
    struct tr_err err = {0};
    CHECK_OK(tr_model_builder_create(TR_STR("x"), &declared, &err), &err);
    for (size_t i = 0; i < TR_LEN(types); i++)
        CHECK_OK(tr_model_builder_add_type(declared, &types[i], &err), &err);
    CHECK_OK(tr_model_builder_add_shape(declared, &shape, &err), &err);
    CHECK_OK(tr_model_build(declared, &model, &err), &err);
    tr_model_builder_free(declared);
    return model;
}

static struct tr_cap_builder *builder(void)
{
    static const struct tr_cap_policy policy = {.name = TR_STR_INIT("p"),
                                                .handler = RUN};
    struct tr_cap_builder *b = NULL;
    struct tr_err err = {0};
    CHECK_OK(tr_cap_builder_create(NULL, &b, &err), &err);
    CHECK_OK(tr_cap_registry_add_policy(b, &policy, &err), &err);
    return b;
}

static const struct tr_cap_snapshot *build(struct tr_cap_builder *b)
{
    const struct tr_cap_snapshot *snapshot = NULL;
    struct tr_err err = {0};
    CHECK_OK(tr_cap_registry_build(b, &snapshot, &err), &err);
    tr_cap_builder_free(b);
    return snapshot;
}

/* One thing of each kind, behind the same guard. */
static const struct tr_cap cap = {
    .id = TR_STR_INIT("c"), .handler = RUN, .guard = CLOSED};
static const struct tr_cap_resource resource = {
    .uri = TR_STR_INIT("a://r"),
    .about = {.name = TR_STR_INIT("r"), .guard = CLOSED},
    .handler = RUN};
static const struct tr_cap_resource_template template = {
    .uri_template = TR_STR_INIT("a://t/{v}"),
    .about = {.name = TR_STR_INIT("t"), .guard = CLOSED},
    .handler = RUN};
static const struct tr_cap_prompt prompt = {
    .about = {.name = TR_STR_INIT("q"), .guard = CLOSED}, .handler = RUN};

static void check_closed(const struct tr_cap_guard *guard)
{
    CHECK(!tr_cap_guard_is_open(guard));
    CHECK(!tr_cap_guard_is_shown(guard, TR_SCOPE_RUNTIME | TR_SCOPE_DEV));
    CHECK(tr_cap_guard_is_shown(guard, TR_SCOPE_BUILDER));
    CHECK_STR(guard->policies[0]->name, "p");
}

TEST(guards_stand_before_whatever_is_registered)
{
    struct tr_cap_builder *b = builder();
    CHECK_OK(tr_cap_registry_add_cap(b, &cap, NULL), NULL);
    CHECK_OK(tr_cap_registry_add_resource(b, &resource, NULL), NULL);
    CHECK_OK(tr_cap_registry_add_template(b, &template, NULL), NULL);
    CHECK_OK(tr_cap_registry_add_prompt(b, &prompt, NULL), NULL);
    const struct tr_cap_snapshot *s = build(b);
    check_closed(&tr_cap_snapshot_cap(s, 0)->guard);
    check_closed(&tr_cap_snapshot_resource(s, 0)->about.guard);
    check_closed(&tr_cap_snapshot_template(s, 0)->about.guard);
    check_closed(&tr_cap_snapshot_prompt(s, 0)->about.guard);
    check_closed(tr_cap_snapshot_ref_guard(s, TR_CAP_REF_PROMPT, TR_STR("q")));
    check_closed(
        tr_cap_snapshot_ref_guard(s, TR_CAP_REF_RESOURCE, TR_STR("a://t/{v}")));
    CHECK(!tr_cap_snapshot_ref_guard(s, TR_CAP_REF_PROMPT, TR_STR("r")));
    CHECK(!tr_cap_snapshot_ref_guard(s, TR_CAP_REF_RESOURCE, TR_STR("a://r")));
    CHECK(tr_cap_snapshot_shape_guard(s, TR_STR("T")) == &tr_cap_guard_open);
    tr_cap_snapshot_unpin(s);
}

/* Who lacks it is not shown the tool, as if that were its scope. */
TEST(guard_of_a_capability_has_the_scopes_of_its_preconditions)
{
    struct tr_cap_builder *b = builder();
    const struct tr_json *params = NULL;
    CHECK_OK(tr_json_read(tr_cap_registry_arena(b),
                          TR_STR("{\"scope\":\"builder\"}"), NULL, &params,
                          NULL),
             NULL);
    const struct tr_cap_precondition needs = {TR_STR("scope"), params};
    const struct tr_cap draft = {.id = TR_STR("c"),
                                 .handler = RUN,
                                 .preconditions = &needs,
                                 .precondition_count = 1};
    CHECK_OK(tr_cap_registry_add_cap(b, &draft, NULL), NULL);
    const struct tr_cap_snapshot *s = build(b);
    const struct tr_cap_guard *guard = &tr_cap_snapshot_cap(s, 0)->guard;
    CHECK_INT(guard->scope, TR_SCOPE_RUNTIME);
    CHECK(!tr_cap_guard_is_shown(guard, TR_SCOPE_RUNTIME));
    CHECK(!tr_cap_guard_is_shown(guard, TR_SCOPE_BUILDER));
    CHECK(tr_cap_guard_is_shown(guard, TR_SCOPE_RUNTIME | TR_SCOPE_BUILDER));
    tr_cap_snapshot_unpin(s);
}

TEST(guard_of_a_shape_is_that_of_its_type_by_every_name)
{
    static const char *const closed[] = {
        "T", "U", "trails://x/T", "trails://x/U", "S", "trails://x/S"};
    static const char *const open[] = {"O", "http://o/", "X", "trails://y/T",
                                       ""};
    struct tr_cap_builder *b = builder();
    CHECK_OK(tr_cap_registry_take_model(b, make_model(), NULL), NULL);
    const struct tr_cap_snapshot *s = build(b);
    for (size_t i = 0; i < TR_LEN(closed); i++)
        check_closed(tr_cap_snapshot_shape_guard(s, tr_str_from(closed[i])));
    for (size_t i = 0; i < TR_LEN(open); i++)
        CHECK_ROW(tr_cap_guard_is_open(
                      tr_cap_snapshot_shape_guard(s, tr_str_from(open[i]))),
                  open[i]);
    tr_cap_snapshot_unpin(s);
}

static void add_a_cap(struct tr_cap_builder *b)
{
    CHECK_OK(tr_cap_registry_add_cap(b, &cap, NULL), NULL);
}

static void add_a_resource(struct tr_cap_builder *b)
{
    CHECK_OK(tr_cap_registry_add_resource(b, &resource, NULL), NULL);
}

static void add_a_template(struct tr_cap_builder *b)
{
    CHECK_OK(tr_cap_registry_add_template(b, &template, NULL), NULL);
}

static void add_a_prompt(struct tr_cap_builder *b)
{
    CHECK_OK(tr_cap_registry_add_prompt(b, &prompt, NULL), NULL);
}

static void add_types(struct tr_cap_builder *b)
{
    CHECK_OK(tr_cap_registry_take_model(b, make_model(), NULL), NULL);
}

#define NO_POLICY ": it requires the policy 'p', but there is none"

TEST(guard_with_a_policy_that_is_not_there_is_refused_where_it_stands)
{
    static const struct {
        void (*add)(struct tr_cap_builder *b);
        const char *message;
    } rows[] = {
        {add_a_cap, "app.lua:7: c" NO_POLICY},
        {add_a_resource, "app.lua:7: a://r" NO_POLICY},
        {add_a_template, "app.lua:7: a://t/{v}" NO_POLICY},
        {add_a_prompt, "app.lua:7: q" NO_POLICY},
        {add_types, "app.lua:3: T" NO_POLICY},
    };
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        const struct tr_cap_snapshot *snapshot = NULL;
        struct tr_cap_builder *b = NULL;
        struct tr_err err = {0};
        CHECK_OK(tr_cap_builder_create(NULL, &b, &err), &err);
        rows[i].add(b);
        CHECK_INT(tr_cap_registry_build(b, &snapshot, &err), TR_E_INVALID);
        CHECK_STR(tr_str_from(err.msg), rows[i].message);
        tr_cap_builder_free(b);
    }
}

TEST(guard_of_a_resource_has_a_scope_that_there_is)
{
    struct tr_cap_builder *b = builder();
    struct tr_err err = {0};
    struct tr_cap_resource draft = resource;
    draft.about.guard.scope = TR_SCOPE_RUNTIME | TR_SCOPE_BUILDER;
    CHECK_INT(tr_cap_registry_add_resource(b, &draft, &err), TR_E_INVALID);
    CHECK_STR(tr_str_from(err.msg), "a://r: the scope is not a known one");
    tr_cap_builder_free(b);
}

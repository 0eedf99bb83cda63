#include "cap/registry.h"

#include "base/limits.h"
#include "base/test.h"
#include "cap/cap.h"
#include "cap/uri_template.h"
#include "fields/field.h"
#include "json/reader.h"
#include "schema/verbatim.h"

#include <math.h>

static void run(const struct tr_cap_handler *handler, struct tr_call *call)
{
    (void)handler;
    (void)call;
}

#define RUN                                                                    \
    {                                                                          \
        run, NULL                                                              \
    }

static struct tr_cap_builder *builder(bool portable)
{
    const struct tr_cap_registry_opts opts = {.portable_names = portable};
    struct tr_cap_builder *made = NULL;
    struct tr_err err = {0};
    CHECK_OK(tr_cap_builder_create(&opts, &made, &err), &err);
    return made;
}

static const struct tr_cap_snapshot *build(struct tr_cap_builder *b)
{
    const struct tr_cap_snapshot *snapshot = NULL;
    struct tr_err err = {0};
    CHECK_OK(tr_cap_registry_build(b, &snapshot, &err), &err);
    tr_cap_builder_free(b);
    return snapshot;
}

static tr_status add(struct tr_cap_builder *b, const char *id)
{
    const struct tr_cap cap = {.id = tr_str_from(id), .handler = RUN};
    return tr_cap_registry_add_cap(b, &cap, NULL);
}

static const struct tr_json *json(struct tr_cap_builder *b, const char *text)
{
    const struct tr_json *tree = NULL;
    struct tr_err err = {0};
    CHECK_OK(tr_json_read(tr_cap_registry_arena(b), tr_str_from(text), NULL,
                          &tree, &err),
             &err);
    return tree;
}

TEST(capabilities_come_in_the_order_of_names)
{
    struct tr_cap_builder *b = builder(false);
    CHECK_OK(add(b, "search"), NULL);
    CHECK_OK(add(b, "a.b"), NULL);
    CHECK_OK(add(b, "a-b"), NULL);
    const struct tr_cap_snapshot *s = build(b);
    CHECK_INT(tr_cap_snapshot_counts(s).caps, 3);
    CHECK_STR(tr_cap_snapshot_cap(s, 0)->name, "a-b");
    CHECK_STR(tr_cap_snapshot_cap(s, 1)->name, "a.b");
    CHECK_STR(tr_cap_snapshot_cap(s, 2)->name, "search");
    CHECK(tr_cap_snapshot_find_cap(s, TR_STR("nothing")) == NULL);
    tr_cap_snapshot_unpin(s);
    tr_cap_snapshot_unpin(NULL);
}

TEST(a_name_is_found_exactly_first_and_by_the_other_spelling_if_one_has_it)
{
    struct tr_cap_builder *b = builder(false);
    CHECK_OK(add(b, "a.b_c"), NULL);
    CHECK_OK(add(b, "a_b.c"), NULL);
    CHECK_OK(add(b, "x.y"), NULL);
    CHECK_OK(add(b, "p.q"), NULL);
    CHECK_OK(add(b, "p_q"), NULL);
    const struct tr_cap_snapshot *s = build(b);
    CHECK_STR(tr_cap_snapshot_find_cap(s, TR_STR("x.y"))->id, "x.y");
    CHECK_STR(tr_cap_snapshot_find_cap(s, TR_STR("x_y"))->id, "x.y");
    CHECK_STR(tr_cap_snapshot_find_cap(s, TR_STR("p_q"))->id, "p_q");
    CHECK_STR(tr_cap_snapshot_find_cap(s, TR_STR("p.q"))->id, "p.q");
    CHECK(tr_cap_snapshot_find_cap(s, TR_STR("a_b_c")) ==
          NULL); /* two have it */
    tr_cap_snapshot_unpin(s);
}

TEST(portable_names_have_underscores_and_must_not_fall_together)
{
    struct tr_cap_builder *b = builder(true);
    struct tr_err err = {0};
    CHECK_OK(add(b, "a.b_c"), NULL);
    const struct tr_cap same = {.id = TR_STR("a_b.c"), .handler = RUN};
    CHECK_INT(tr_cap_registry_add_cap(b, &same, &err), TR_E_CONFLICT);
    CHECK_STR(tr_str_from(err.msg),
              "a_b.c: its tool name a_b_c is already that of a.b_c");
    CHECK_STR(tr_str_from(err.at), "a_b.c");
    const struct tr_cap_snapshot *s = build(b);
    CHECK_STR(tr_cap_snapshot_find_cap(s, TR_STR("a_b_c"))->id, "a.b_c");
    CHECK_STR(tr_cap_snapshot_find_cap(s, TR_STR("a.b_c"))->id, "a.b_c");
    CHECK_STR(tr_cap_snapshot_cap(s, 0)->name, "a_b_c");
    tr_cap_snapshot_unpin(s);
}

TEST(meta_capabilities_have_their_own_names)
{
    struct tr_cap_builder *b = builder(false);
    const struct tr_cap cap = {.id = TR_STR("trails.meta.gen.node-type"),
                               .handler = RUN,
                               .guard.scope = TR_SCOPE_DEV};
    struct tr_err err = {0};
    CHECK_OK(add(b, "u"), NULL);
    CHECK_OK(add(b, "t"), NULL);
    CHECK_OK(tr_cap_registry_add_meta(b, &cap, NULL), NULL);
    CHECK_INT(tr_cap_registry_add_meta(b, &cap, &err), TR_E_CONFLICT);
    const struct tr_cap_snapshot *s = build(b);
    const struct tr_cap *meta =
        tr_cap_snapshot_find_tool(s, TR_STR("trails_meta_gen_node-type"));
    CHECK_STR(meta->name, "trails_meta_gen_node-type");
    CHECK(meta->is_meta);
    CHECK(tr_cap_snapshot_find_tool(s, cap.id) == meta);
    CHECK(!tr_cap_snapshot_find_cap(s, cap.id));
    CHECK(!tr_cap_snapshot_find_cap(s, meta->name));
    CHECK(!tr_cap_snapshot_find_tool(s, TR_STR("t"))->is_meta);
    CHECK_INT(tr_cap_snapshot_counts(s).caps, 2);
    CHECK_INT(tr_cap_snapshot_counts(s).metas, 1);
    CHECK_INT(tr_cap_snapshot_counts(s).tools, 3);
    CHECK_STR(tr_cap_snapshot_tool(s, 0)->name, "t");
    CHECK(tr_cap_snapshot_tool(s, 1) == meta);
    CHECK_STR(tr_cap_snapshot_tool(s, 2)->name, "u");
    tr_cap_snapshot_unpin(s);
}

TEST(meta_capabilities_have_a_namespace_and_an_op)
{
    static const char *const rows[][3] = {
        {"trails.meta.ping", "meta", "ping"},
        {"trails.meta.gen.shape", "gen", "shape"},
        {"trails.meta.gen.node-type", "gen", "node-type"},
        {"trails.meta.a.b.c", "a.b", "c"},
    };
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        const struct tr_cap cap = {.id = tr_str_from(rows[i][0])};
        CHECK_STR(tr_cap_meta_parts(&cap).space, rows[i][1]);
        CHECK_STR(tr_cap_meta_parts(&cap).op, rows[i][2]);
    }
}

TEST(meta_capabilities_are_bounded_in_number)
{
    struct tr_cap_builder *b = builder(false);
    struct tr_err err = {0};
    char id[32];
    for (int i = 0; i <= TR_LIMIT_METAS; i++) {
        (void)snprintf(id, sizeof(id), "trails.meta.op%d", i);
        const struct tr_cap cap = {.id = tr_str_from(id), .handler = RUN};
        CHECK_INT(tr_cap_registry_add_meta(b, &cap, &err),
                  i < TR_LIMIT_METAS ? TR_OK : TR_E_LIMIT);
    }
    CHECK(strstr(err.msg, "at most 64 meta-capabilities"));
    tr_cap_builder_free(b);
}

TEST(defaults_are_filled_in_and_everything_is_copied)
{
    struct tr_cap_builder *b = builder(false);
    char id[] = "greet";
    tr_str graph = TR_STR("default");
    tr_str policy = TR_STR("p.cedar::rule");
    struct tr_cap_precondition condition = {TR_STR("scope"),
                                            json(b, "{\"scope\":\"dev\"}")};
    const struct tr_cap_policy rule = {.name = policy, .handler = RUN};
    struct tr_cap cap = {
        .id = {id, 5},
        .handler = RUN,
        .side_effects = {.graph_writes = {&graph, 1}},
        .guard.policy_required = {&policy, 1},
        .preconditions = &condition,
        .precondition_count = 1,
    };
    CHECK_OK(tr_cap_registry_add_cap(b, &cap, NULL), NULL);
    CHECK_OK(tr_cap_registry_add_policy(b, &rule, NULL), NULL);
    cap.id = TR_STR("regulated");
    cap.side_effects.regulated = true;
    CHECK_OK(tr_cap_registry_add_cap(b, &cap, NULL), NULL);
    cap.id = TR_STR("said");
    cap.assurance = TR_CAP_ASSURANCE_L2;
    CHECK_OK(tr_cap_registry_add_cap(b, &cap, NULL), NULL);
    memset(id, 'x', 5);
    graph = policy = TR_STR("gone");
    condition.kind = TR_STR("gone");
    const struct tr_cap_snapshot *s = build(b);
    const struct tr_cap *greet = tr_cap_snapshot_find_cap(s, TR_STR("greet"));
    CHECK_STR(greet->version, "0.1.0");
    CHECK(greet->assurance == TR_CAP_ASSURANCE_L1);
    CHECK_STR(greet->side_effects.graph_writes.items[0], "default");
    CHECK_STR(greet->guard.policy_required.items[0], "p.cedar::rule");
    CHECK_STR(greet->guard.policies[0]->name, "p.cedar::rule");
    CHECK_STR(greet->preconditions[0].kind, "scope");
    CHECK(greet->conditions[0].scope == TR_SCOPE_DEV);
    CHECK(tr_cap_snapshot_find_cap(s, TR_STR("regulated"))->assurance ==
          TR_CAP_ASSURANCE_L1);
    CHECK(tr_cap_snapshot_find_cap(s, TR_STR("said"))->assurance ==
          TR_CAP_ASSURANCE_L1);
    tr_cap_snapshot_unpin(s);
}

TEST(header_parameters_come_from_the_fields_or_the_schema)
{
    struct tr_cap_builder *b = builder(false);
    struct tr_err err = {0};
    const struct tr_field fields[] = {
        {.name = TR_STR("plain")},
        {.name = TR_STR("region"), .header = TR_STR("Region")}};
    const struct tr_shape draft = {.fields = fields, .count = 2};
    struct tr_cap cap = {.id = TR_STR("a"), .handler = RUN};
    CHECK_OK(tr_shape_register(tr_cap_registry_arena(b),
                               tr_cap_registry_patterns(b), &draft,
                               &cap.input_shape, &err),
             &err);
    CHECK_OK(tr_cap_registry_add_cap(b, &cap, &err), &err);
    struct tr_cap with_schema = {.id = TR_STR("b"), .handler = RUN};
    CHECK_OK(tr_schema_verbatim_register(
                 tr_cap_registry_arena(b), tr_cap_registry_patterns(b),
                 TR_STR("{\"type\":\"object\",\"properties\":{\"q\":{\"type\":"
                        "\"string\",\"x-mcp-header\":\"Q\"}}}"),
                 &with_schema.input_schema, &err),
             &err);
    CHECK_OK(tr_cap_registry_add_cap(b, &with_schema, &err), &err);
    struct tr_cap wrong = {.id = TR_STR("c"), .handler = RUN};
    CHECK_OK(tr_schema_verbatim_register(
                 tr_cap_registry_arena(b), tr_cap_registry_patterns(b),
                 TR_STR("{\"type\":\"object\",\"x-mcp-header\":\"Q\"}"),
                 &wrong.input_schema, &err),
             &err);
    CHECK_INT(tr_cap_registry_add_cap(b, &wrong, &err), TR_E_INVALID);
    const struct tr_cap_snapshot *s = build(b);
    const struct tr_cap *a = tr_cap_snapshot_cap(s, 0);
    CHECK_INT(a->header_count, 1);
    CHECK_STR(a->headers[0].name, "Region");
    CHECK_STR(a->headers[0].pointer, "/region");
    CHECK_STR(tr_cap_snapshot_cap(s, 1)->headers[0].pointer, "/q");
    tr_cap_snapshot_unpin(s);
}

static const tr_str one_empty[] = {TR_STR_INIT("")};
static const tr_str no_graph[] = {TR_STR_INIT("x:*a*")};
static const struct tr_cap_precondition no_kind = {TR_STR_INIT("a b"), NULL};
static const struct tr_json number = {.kind = TR_JSON_NULL};
static const struct tr_cap_precondition wrong_params = {TR_STR_INIT("scope"),
                                                        &number};
static const struct tr_shape some_shape = {0};
#define LONG "a2345678901234567890123456789012345678901234567890123456789012345"

static const struct {
    const char *says;
    struct tr_cap cap;
} refused[] = {
    {"an id is", {.id = TR_STR_INIT("")}},
    {"an id is", {.id = TR_STR_INIT("a b")}},
    {"an id is", {.id = TR_STR_INIT("a/b")}},
    {"an id is", {.id = TR_STR_INIT(LONG)}},
    {"are reserved", {.id = TR_STR_INIT("trails.meta.x")}},
    {"are reserved", {.id = TR_STR_INIT("trails_meta_x")}},
    {"are reserved", {.id = TR_STR_INIT("trails.meta_x")}},
    {"are reserved", {.id = TR_STR_INIT("trails_meta.x")}},
    {"are reserved", {.id = TR_STR_INIT("trails_meta_")}},
    {"of a meta-capability", {.id = TR_STR_INIT("ping"), .is_meta = true}},
    {"of a meta-capability",
     {.id = TR_STR_INIT("trails.meta."), .is_meta = true}},
    {"of a meta-capability",
     {.id = TR_STR_INIT("trails.meta.a_b"), .is_meta = true}},
    {"of a meta-capability",
     {.id = TR_STR_INIT("trails.meta.a..b"), .is_meta = true}},
    {"of a meta-capability",
     {.id = TR_STR_INIT("trails.meta.9"), .is_meta = true}},
    {"of a meta-capability",
     {.id = TR_STR_INIT("trails.meta.gen_a.shape"), .is_meta = true}},
    {"of a meta-capability",
     {.id = TR_STR_INIT("trails.meta.Gen"), .is_meta = true}},
    {"is not major.minor.patch",
     {.id = TR_STR_INIT("a"), .version = TR_STR_INIT("1.0")}},
    {"the description is not UTF-8",
     {.id = TR_STR_INIT("a"), .description = TR_STR_INIT("\xff")}},
    {"the title is not UTF-8",
     {.id = TR_STR_INIT("a"), .title = TR_STR_INIT("\xff")}},
    {"icons is a list", {.id = TR_STR_INIT("a"), .icons = &number}},
    {"_meta is an object", {.id = TR_STR_INIT("a"), .meta = &number}},
    {"costs are not negative",
     {.id = TR_STR_INIT("a"), .cost = {.tokens = -1}}},
    {"costs are not negative", {.id = TR_STR_INIT("a"), .cost = {.usd = -0.1}}},
    {"costs are not negative",
     {.id = TR_STR_INIT("a"), .cost = {.latency_p50_ms = INFINITY}}},
    {"latency_p50_ms is above",
     {.id = TR_STR_INIT("a"),
      .cost = {.latency_p50_ms = 2, .latency_p95_ms = 1}}},
    {"at most 16 policies",
     {.id = TR_STR_INIT("a"), .guard.policy_required = {one_empty, 17}}},
    {"policy_required has an empty text",
     {.id = TR_STR_INIT("a"), .guard.policy_required = {one_empty, 1}}},
    {"graph_writes has an empty text",
     {.id = TR_STR_INIT("a"),
      .side_effects = {.graph_writes = {one_empty, 1}}}},
    {"external_calls has an empty text",
     {.id = TR_STR_INIT("a"),
      .side_effects = {.external_calls = {one_empty, 1}}}},
    {"not 'x:*a*'",
     {.id = TR_STR_INIT("a"), .side_effects = {.graph_writes = {no_graph, 1}}}},
    {"the kind of a precondition is",
     {.id = TR_STR_INIT("a"),
      .preconditions = &no_kind,
      .precondition_count = 1}},
    {"the kind of a postcondition is",
     {.id = TR_STR_INIT("a"),
      .postconditions = &no_kind,
      .postcondition_count = 1}},
    {"the params of a precondition",
     {.id = TR_STR_INIT("a"),
      .preconditions = &wrong_params,
      .precondition_count = 1}},
    {"deprecates names another id",
     {.id = TR_STR_INIT("a"), .deprecates = TR_STR_INIT("a")}},
    {"deprecates names another id",
     {.id = TR_STR_INIT("a"), .deprecates = TR_STR_INIT("b c")}},
    {"until there is a reasoner",
     {.id = TR_STR_INIT("a"), .reasoning = TR_CAP_REASONING_RDFS}},
    {"is not a known one", {.id = TR_STR_INIT("a"), .guard.scope = 7}},
    {"a shape or a schema",
     {.id = TR_STR_INIT("a"),
      .input_shape = &some_shape,
      .input_schema =
          (const struct tr_schema_verbatim *)(const void *)&some_shape}},
    {"nothing to run", {.id = TR_STR_INIT("a")}},
};

TEST(descriptors_that_make_no_sense_are_refused_in_words)
{
    for (size_t i = 0; i < TR_LEN(refused); i++) {
        struct tr_cap_builder *b = builder(false);
        struct tr_err err = {0};
        struct tr_cap cap = refused[i].cap;
        if (strcmp(refused[i].says, "nothing to run") != 0)
            cap.handler.run = run;
        tr_status status = cap.is_meta ? tr_cap_registry_add_meta(b, &cap, &err)
                                       : tr_cap_registry_add_cap(b, &cap, &err);
        CHECK_ROW(status == TR_E_INVALID, refused[i].says);
        CHECK_ROW(strstr(err.msg, refused[i].says) != NULL, err.msg);
        tr_cap_builder_free(b);
    }
}

TEST(icons_and_meta_are_looked_into)
{
    struct tr_cap_builder *b = builder(false);
    struct tr_err err = {0};
    struct tr_cap cap = {.id = TR_STR("a"),
                         .handler = RUN,
                         .icons = json(b, "[{\"src\":\"https://x\"},{\"src\":"
                                          "\"http://x\"}]")};
    CHECK_INT(tr_cap_registry_add_cap(b, &cap, &err), TR_E_INVALID);
    CHECK_STR(
        tr_str_from(err.msg),
        "a: icon 2: src must be https://... or data:image/...;base64,...");
    cap.icons = json(b, "[{\"src\":\"https://x\"}]");
    cap.meta = json(b, "{\"_x\":1}");
    CHECK_INT(tr_cap_registry_add_cap(b, &cap, &err), TR_E_INVALID);
    CHECK_STR(tr_str_from(err.msg), "a: '_x' cannot be a key of _meta");
    cap.meta = json(b, "{\"dev.trails/tool\":1}");
    CHECK_INT(tr_cap_registry_add_cap(b, &cap, &err), TR_E_INVALID);
    CHECK_STR(tr_str_from(err.msg),
              "a: keys of _meta beginning with dev.trails/ are reserved");
    cap.meta = json(b, "{\"ui\":{}}");
    CHECK_OK(tr_cap_registry_add_cap(b, &cap, &err), &err);
    CHECK_INT(tr_cap_registry_add_cap(b, &cap, &err), TR_E_CONFLICT);
    CHECK_STR(tr_str_from(err.msg), "a: this id is already registered");
    tr_cap_builder_free(b);
}

static const struct tr_field city = {.name = TR_STR_INIT("city")};

/* A prompt's input of one field. */
static const struct tr_shape *input_of(struct tr_cap_builder *b,
                                       const struct tr_field *field)
{
    const struct tr_shape draft = {.fields = field, .count = 1};
    const struct tr_shape *input = NULL;
    struct tr_err err = {0};
    CHECK_OK(tr_shape_register(tr_cap_registry_arena(b),
                               tr_cap_registry_patterns(b), &draft, &input,
                               &err),
             &err);
    return input;
}

TEST(resources_templates_and_prompts_are_found)
{
    struct tr_cap_builder *b = builder(false);
    struct tr_arena arena;
    struct tr_cap_uri_vars vars = {0};
    const struct tr_cap_resource_template *found = NULL;
    const struct tr_cap_resource resource = {.uri = TR_STR("app://b"),
                                             .about = {.name = TR_STR("b")},
                                             .handler = RUN};
    const struct tr_cap_resource other = {.uri = TR_STR("app://a"),
                                          .about = {.name = TR_STR("a")},
                                          .handler = RUN};
    const struct tr_cap_resource_template template = {
        .uri_template = TR_STR("app://n/{id}"),
        .about = {.name = TR_STR("n")},
        .handler = RUN};
    const struct tr_cap_prompt prompt = {.about = {.name = TR_STR("p")},
                                         .input = input_of(b, &city),
                                         .handler = RUN};
    tr_arena_init(&arena, TR_MIB(1));
    CHECK_OK(tr_cap_registry_add_resource(b, &resource, NULL), NULL);
    CHECK_OK(tr_cap_registry_add_resource(b, &other, NULL), NULL);
    CHECK_OK(tr_cap_registry_add_template(b, &template, NULL), NULL);
    CHECK_OK(tr_cap_registry_add_prompt(b, &prompt, NULL), NULL);
    CHECK_INT(tr_cap_registry_add_resource(b, &resource, NULL), TR_E_CONFLICT);
    CHECK_INT(tr_cap_registry_add_template(b, &template, NULL), TR_E_CONFLICT);
    CHECK_INT(tr_cap_registry_add_prompt(b, &prompt, NULL), TR_E_CONFLICT);
    const struct tr_cap_snapshot *s = build(b);
    CHECK_INT(tr_cap_snapshot_counts(s).resources, 2);
    CHECK_INT(tr_cap_snapshot_counts(s).templates, 1);
    CHECK_INT(tr_cap_snapshot_counts(s).prompts, 1);
    CHECK_STR(tr_cap_snapshot_resource(s, 0)->uri, "app://a");
    CHECK(tr_cap_snapshot_find_resource(s, TR_STR("app://b")) != NULL);
    CHECK(tr_cap_snapshot_find_resource(s, TR_STR("app://c")) == NULL);
    CHECK_STR(tr_cap_snapshot_prompt(s, 0)->input->fields[0].name, "city");
    CHECK(tr_cap_snapshot_find_prompt(s, TR_STR("p")) != NULL);
    CHECK_OK(tr_cap_snapshot_match_template(s, TR_STR("app://n/7"), &arena,
                                            &found, &vars, NULL),
             NULL);
    CHECK(found == tr_cap_snapshot_template(s, 0));
    CHECK_STR(vars.items[0].value, "7");
    CHECK_OK(tr_cap_snapshot_match_template(s, TR_STR("app://m/7"), &arena,
                                            &found, &vars, NULL),
             NULL);
    CHECK(found == NULL);
    tr_cap_snapshot_unpin(s);
    tr_arena_done(&arena);
}

TEST(resources_that_make_no_sense_are_refused_in_words)
{
    static const struct {
        const char *says;
        struct tr_cap_resource resource;
    } rows[] = {
        {"has a scheme", {.uri = TR_STR_INIT("notes")}},
        {"has a name", {.uri = TR_STR_INIT("app://a")}},
        {"not negative",
         {.uri = TR_STR_INIT("app://a"),
          .about = {.name = TR_STR_INIT("a")},
          .has_size = true,
          .size = -1}},
        {"annotations are an object",
         {.uri = TR_STR_INIT("app://a"),
          .about = {.name = TR_STR_INIT("a")},
          .annotations = &number}},
        {"the mime type is not UTF-8",
         {.uri = TR_STR_INIT("app://a"), .mime_type = TR_STR_INIT("\xff")}},
        {"nothing to run",
         {.uri = TR_STR_INIT("app://a"), .about = {.name = TR_STR_INIT("a")}}},
    };
    struct tr_cap_builder *b = builder(false);
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        struct tr_err err = {0};
        struct tr_cap_resource resource = rows[i].resource;
        if (strcmp(rows[i].says, "nothing to run") != 0)
            resource.handler.run = run;
        CHECK_ROW(tr_cap_registry_add_resource(b, &resource, &err) ==
                      TR_E_INVALID,
                  rows[i].says);
        CHECK_ROW(strstr(err.msg, rows[i].says) != NULL, err.msg);
    }
    tr_cap_builder_free(b);
}

TEST(templates_that_make_no_sense_are_refused_in_words)
{
    static const struct {
        const char *says;
        tr_status status;
        struct tr_cap_resource_template t;
    } rows[] = {
        {"has a name",
         TR_E_INVALID,
         {.uri_template = TR_STR_INIT("app://{a}")}},
        {"expected",
         TR_E_SYNTAX,
         {.uri_template = TR_STR_INIT("app://{a"),
          .about = {.name = TR_STR_INIT("a")}}},
        {"each variable once",
         TR_E_INVALID,
         {.uri_template = TR_STR_INIT("app://{a}{b}"),
          .about = {.name = TR_STR_INIT("a")}}},
        {"nothing to run",
         TR_E_INVALID,
         {.uri_template = TR_STR_INIT("app://{a}"),
          .about = {.name = TR_STR_INIT("a")}}},
    };
    struct tr_cap_builder *b = builder(false);
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        struct tr_err err = {0};
        struct tr_cap_resource_template t = rows[i].t;
        if (strcmp(rows[i].says, "nothing to run") != 0)
            t.handler.run = run;
        CHECK_ROW(tr_cap_registry_add_template(b, &t, &err) == rows[i].status,
                  rows[i].says);
        CHECK_ROW(strstr(err.msg, rows[i].says) != NULL, err.msg);
    }
    tr_cap_builder_free(b);
}

TEST(prompts_that_make_no_sense_are_refused_in_words)
{
    static const struct tr_field many = {.name = TR_STR_INIT("a"),
                                         .many = true};
    static const struct tr_field ref = {
        .name = TR_STR_INIT("a"), .kind = TR_FIELD_REF, .any_type = true};
    static const struct {
        const char *says;
        struct tr_cap_prompt prompt;
        const struct tr_field *field;
    } rows[] = {
        {"a prompt's name", {.about = {.name = TR_STR_INIT("")}}, NULL},
        {"a prompt's name", {.about = {.name = TR_STR_INIT(LONG)}}, NULL},
        {"'a' must be one value", {.about = {.name = TR_STR_INIT("p")}}, &many},
        {"'a' must be one value", {.about = {.name = TR_STR_INIT("p")}}, &ref},
        {"nothing to run", {.about = {.name = TR_STR_INIT("p")}}, NULL},
    };
    struct tr_cap_builder *b = builder(false);
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        struct tr_err err = {0};
        struct tr_cap_prompt prompt = rows[i].prompt;
        prompt.input = rows[i].field ? input_of(b, rows[i].field) : NULL;
        if (strcmp(rows[i].says, "nothing to run") != 0)
            prompt.handler.run = run;
        CHECK_ROW(tr_cap_registry_add_prompt(b, &prompt, &err) == TR_E_INVALID,
                  rows[i].says);
        CHECK_ROW(strstr(err.msg, rows[i].says) != NULL, err.msg);
    }
    tr_cap_builder_free(b);
}

static struct tr_cap_builder *with_targets(void)
{
    struct tr_cap_builder *b = builder(false);
    const struct tr_cap_prompt prompt = {.about = {.name = TR_STR("p")},
                                         .input = input_of(b, &city),
                                         .handler = RUN};
    const struct tr_cap_resource_template t = {.uri_template =
                                                   TR_STR("app://{id}"),
                                               .about = {.name = TR_STR("t")},
                                               .handler = RUN};
    CHECK_OK(tr_cap_registry_add_prompt(b, &prompt, NULL), NULL);
    CHECK_OK(tr_cap_registry_add_template(b, &t, NULL), NULL);
    return b;
}

TEST(completions_are_found_by_argument_and_then_for_all)
{
    struct tr_cap_builder *b = with_targets();
    const struct tr_cap_completion one = {TR_CAP_REF_PROMPT, TR_STR("p"),
                                          TR_STR("city"), RUN, TR_STR("")};
    const struct tr_cap_completion all = {
        TR_CAP_REF_RESOURCE, TR_STR("app://{id}"), TR_STR(""), RUN, TR_STR("")};
    CHECK_OK(tr_cap_registry_add_completion(b, &one, NULL), NULL);
    CHECK_OK(tr_cap_registry_add_completion(b, &all, NULL), NULL);
    CHECK_INT(tr_cap_registry_add_completion(b, &one, NULL), TR_E_CONFLICT);
    const struct tr_cap_snapshot *s = build(b);
    CHECK_INT(tr_cap_snapshot_counts(s).completions, 2);
    CHECK(tr_cap_snapshot_find_completion(s, TR_CAP_REF_PROMPT, TR_STR("p"),
                                          TR_STR("city")) != NULL);
    CHECK(tr_cap_snapshot_find_completion(s, TR_CAP_REF_PROMPT, TR_STR("p"),
                                          TR_STR("land")) == NULL);
    CHECK(tr_cap_snapshot_find_completion(s, TR_CAP_REF_RESOURCE,
                                          TR_STR("app://{id}"),
                                          TR_STR("id")) != NULL);
    CHECK(tr_cap_snapshot_find_completion(s, TR_CAP_REF_PROMPT,
                                          TR_STR("app://{id}"),
                                          TR_STR("id")) == NULL);
    tr_cap_snapshot_unpin(s);
}

TEST(completions_of_nothing_are_refused_when_the_whole_is_known)
{
    static const struct {
        const char *says;
        struct tr_cap_completion completion;
    } rows[] = {
        {"for the prompt 'q', but there is none",
         {TR_CAP_REF_PROMPT, TR_STR_INIT("q"), {NULL, 0}, RUN, {NULL, 0}}},
        {"for the resource_template 'p', but there is none",
         {TR_CAP_REF_RESOURCE, TR_STR_INIT("p"), {NULL, 0}, RUN, {NULL, 0}}},
        {"for the argument 'land' of the prompt 'p', which has no such",
         {TR_CAP_REF_PROMPT,
          TR_STR_INIT("p"),
          TR_STR_INIT("land"),
          RUN,
          {NULL, 0}}},
        {"for the argument 'x' of the resource_template",
         {TR_CAP_REF_RESOURCE,
          TR_STR_INIT("app://{id}"),
          TR_STR_INIT("x"),
          RUN,
          {NULL, 0}}},
    };
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        struct tr_cap_builder *b = with_targets();
        const struct tr_cap_snapshot *s = NULL;
        struct tr_err err = {0};
        CHECK_OK(tr_cap_registry_add_completion(b, &rows[i].completion, &err),
                 &err);
        CHECK_INT(tr_cap_registry_build(b, &s, &err), TR_E_INVALID);
        CHECK_ROW(strstr(err.msg, rows[i].says) != NULL, err.msg);
        tr_cap_builder_free(b);
    }
    struct tr_cap_builder *b = with_targets();
    const struct tr_cap_completion nothing = {.ref = TR_STR("p")};
    CHECK_INT(tr_cap_registry_add_completion(b, &nothing, NULL), TR_E_INVALID);
    tr_cap_builder_free(b);
}

TEST(what_a_capability_replaces_is_there)
{
    struct tr_cap_builder *b = NULL;
    const struct tr_cap_snapshot *s = NULL;
    struct tr_err err = {0};
    const struct tr_cap cap = {.id = TR_STR("a"),
                               .deprecates = TR_STR("b"),
                               .guard.where = TR_STR("app.lua:7"),
                               .handler = RUN};
    CHECK_OK(tr_cap_builder_create(NULL, &b, &err), &err);
    CHECK_OK(tr_cap_registry_add_cap(b, &cap, &err), &err);
    CHECK_INT(tr_cap_registry_build(b, &s, &err), TR_E_INVALID);
    CHECK_STR(tr_str_from(err.msg),
              "app.lua:7: a: deprecates names 'b', and there is no such "
              "capability: keep it, with version_status retired");
    tr_cap_builder_free(b);
}

TEST(an_app_has_a_maximum_of_everything)
{
    struct tr_cap_builder *b = builder(false);
    char id[24];
    for (int i = 0; i < TR_LIMIT_REGISTERED; i++) {
        (void)snprintf(id, sizeof(id), "c%d", i);
        CHECK_OK(add(b, id), NULL);
    }
    CHECK_INT(add(b, "more"), TR_E_LIMIT);
    tr_cap_builder_free(b);
}

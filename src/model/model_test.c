#include "model/model.h"

#include "base/limits.h"
#include "base/test.h"
#include "model/builder.h"
#include "rdf/memory_graph.h"
#include "rdf/reader.h"
#include "shacl/validator.h"

#define FIELDS(list) .fields = (list), .count = TR_LEN(list)

static const struct tr_field thing_fields[] = {
    {.name = TR_STR_INIT("name"), .min_length = 2},
};
static const struct tr_field task_fields[] = {
    {.name = TR_STR_INIT("code"), .unique = true},
    {.name = TR_STR_INIT("owner"),
     .kind = TR_FIELD_REF,
     .target = TR_STR_INIT("Person"),
     .optional = true},
    {.name = TR_STR_INIT("about"),
     .kind = TR_FIELD_REF,
     .any_type = true,
     .many = true,
     .optional = true,
     .iri = TR_STR_INIT("dct:subject")},
};
static const struct tr_field person_fields[] = {
    {.name = TR_STR_INIT("title"), .optional = true},
};

static const tr_str code_name[] = {TR_STR_INIT("name"), TR_STR_INIT("code")};
static const struct tr_shape_unique name_and_code[] = {{code_name, 2}};

static const struct tr_json condition[] = {{.kind = TR_JSON_ARRAY}};
static const struct tr_model_tool_rules find_rules[] = {
    {.tool = TR_MODEL_TOOL_FIND,
     .has_policies = true,
     .guard = {.policies = code_name, .policy_count = 1},
     .preconditions = condition},
};

/* The child first: order must not matter. */
static const struct tr_model_type_draft drafts[] = {
    {.shape = {.name = TR_STR_INIT("Task"),
               FIELDS(task_fields),
               .unique = name_and_code,
               .unique_count = 1},
     .extends = TR_STR_INIT("Thing")},
    {.shape = {.name = TR_STR_INIT("Person"),
               .iri = TR_STR_INIT("foaf:Person"),
               FIELDS(person_fields)},
     .has_strategy = true,
     .strategy = TR_MODEL_IRI_PRESERVE},
    {.shape = {.name = TR_STR_INIT("Thing"), FIELDS(thing_fields)},
     .has_strategy = true,
     .strategy = TR_MODEL_IRI_CONTENT,
     .content_fields = code_name,
     .content_count = 1,
     .tool_rules = find_rules,
     .tool_rules_count = 1,
     .has_guard = true,
     .guard = {TR_SCOPE_BUILDER, code_name, 2}},
};

static const struct {
    tr_str name;
    tr_str iri;
} prefixes[] = {
    {TR_STR_INIT("dct"), TR_STR_INIT("http://purl.org/dc/terms/")},
    {TR_STR_INIT("foaf"), TR_STR_INIT("http://xmlns.com/foaf/0.1/")},
};

static struct tr_model_builder *start(void)
{
    struct tr_model_builder *builder = NULL;
    struct tr_err err = {0};
    CHECK_OK(tr_model_builder_create(TR_STR("team"), &builder, &err), &err);
    for (size_t i = 0; i < TR_LEN(prefixes); i++)
        CHECK_OK(tr_model_builder_add_prefix(builder, prefixes[i].name,
                                             prefixes[i].iri, &err),
                 &err);
    return builder;
}

static void add_all(struct tr_model_builder *builder)
{
    struct tr_err err = {0};
    for (size_t i = 0; i < TR_LEN(drafts); i++)
        CHECK_OK(tr_model_builder_add_type(builder, &drafts[i], &err), &err);
}

static const struct tr_model *finish(struct tr_model_builder *builder)
{
    const struct tr_model *model = NULL;
    struct tr_err err = {0};
    CHECK_OK(tr_model_build(builder, &model, &err), &err);
    tr_model_builder_free(builder);
    return model;
}

static const struct tr_model *make(void)
{
    struct tr_model_builder *builder = start();
    add_all(builder);
    return finish(builder);
}

TEST(model_has_types_in_the_order_of_declaration)
{
    const struct tr_model *model = make();
    CHECK_STR(model->project, "team");
    CHECK_INT(model->count, 3);
    for (size_t i = 0; i < model->count; i++) {
        CHECK(tr_str_eq(model->types[i]->name, drafts[i].shape.name));
        CHECK(tr_model_find(model, model->types[i]->name) == model->types[i]);
        CHECK(tr_model_find_iri(model, model->types[i]->shape->iri) ==
              model->types[i]);
    }
    CHECK(!tr_model_find(model, TR_STR("task")));
    CHECK(!tr_model_find_iri(model, TR_STR("foaf:Person")));
    CHECK_STR(model->types[1]->shape->iri, "http://xmlns.com/foaf/0.1/Person");
    tr_model_free(model);
}

TEST(model_type_has_what_its_parent_has)
{
    const struct tr_model *model = make();
    const struct tr_model_type *task = tr_model_find(model, TR_STR("Task"));
    const struct tr_model_type *thing = tr_model_find(model, TR_STR("Thing"));
    const struct tr_model_type *person = tr_model_find(model, TR_STR("Person"));
    CHECK(task->parent == thing && !thing->parent);
    CHECK_INT(task->shape->count, 4);
    CHECK_STR(task->shape->fields[0].name, "name");
    CHECK_STR(task->shape->fields[0].iri, "trails://team/Thing#name");
    CHECK_STR(task->shape->fields[1].iri, "trails://team/Task#code");
    CHECK_STR(task->shape->fields[3].iri, "http://purl.org/dc/terms/subject");
    CHECK(tr_model_type_is(task, task) && tr_model_type_is(task, thing));
    CHECK(!tr_model_type_is(thing, task) && !tr_model_type_is(person, thing));
    CHECK_INT(task->strategy, TR_MODEL_IRI_CONTENT);
    CHECK_INT(task->content_count, 1);
    CHECK_STR(task->content_fields[0], "name");
    CHECK_INT(person->strategy, TR_MODEL_IRI_PRESERVE);
    tr_model_free(model);
}

/* What is said of a tool is said of the type's own alone. */
TEST(model_family_has_one_guard)
{
    const struct tr_model *model = make();
    const struct tr_model_type *task = tr_model_find(model, TR_STR("Task"));
    const struct tr_model_type *thing = tr_model_find(model, TR_STR("Thing"));
    const struct tr_model_type *person = tr_model_find(model, TR_STR("Person"));
    CHECK_INT(task->guard.scope, TR_SCOPE_BUILDER);
    CHECK_INT(task->guard.policy_count, 2);
    CHECK_STR(task->guard.policies[1], "code");
    CHECK_INT(person->guard.scope, 0);
    CHECK_INT(person->guard.policy_count, 0);
    CHECK_INT(task->tool_rules_count, 0);
    CHECK_INT(thing->tool_rules_count, 1);
    CHECK_STR(thing->tool_rules[0].guard.policies[0], "name");
    tr_model_free(model);
}

/* Task has its parent's label, Person one of the usual names. */
TEST(model_type_has_a_label_and_what_is_unique)
{
    const struct tr_model *model = make();
    const struct tr_model_type *task = tr_model_find(model, TR_STR("Task"));
    CHECK_STR(task->label, "name");
    CHECK_STR(tr_model_find(model, TR_STR("Person"))->label, "title");
    CHECK_INT(task->shape->unique_count, 2);
    CHECK_INT(task->shape->unique[0].count, 2);
    CHECK_STR(task->shape->unique[0].names[1], "code");
    CHECK_INT(task->shape->unique[1].count, 1);
    CHECK_STR(task->shape->unique[1].names[0], "code");
    CHECK_INT(tr_model_find(model, TR_STR("Thing"))->shape->unique_count, 0);
    tr_model_free(model);
}

TEST(model_may_be_empty)
{
    struct tr_model_builder *builder = NULL;
    struct tr_err err = {0};
    CHECK_OK(tr_model_builder_create(TR_STR(""), &builder, &err), &err);
    const struct tr_model *model = finish(builder);
    tr_str iri;
    CHECK_STR(model->project, "local");
    CHECK_INT(model->count, 0);
    CHECK_INT(model->shapes->count, 0);
    CHECK(tr_rdf_prefixes_find(model->prefixes, TR_STR("rdfs"), &iri));
    tr_model_free(model);
    tr_model_free(NULL);
}

/* Validation with a model's shapes. */

static tr_status count_result(void *context,
                              const struct tr_shacl_result *result,
                              struct tr_err *err)
{
    size_t *count = context;
    (void)result;
    (void)err;
    (*count)++;
    return TR_OK;
}

static size_t count_results(const struct tr_model *model, const char *data)
{
    static const char head[] = "@prefix w: <trails://team/> . "
                               "@prefix dct: <http://purl.org/dc/terms/> . "
                               "@prefix foaf: <http://xmlns.com/foaf/0.1/> . "
                               "@prefix t: <trails://team/Task#> . "
                               "@prefix th: <trails://team/Thing#> . ";
    struct tr_rdf_memory_graph *graph = NULL;
    struct tr_shacl_validation *validation = NULL;
    struct tr_buf text;
    struct tr_err err = {0};
    size_t count = 0;
    tr_buf_init(&text, TR_KIB(16));
    tr_buf_putf(&text, "%s%s", head, data);
    tr_str rest = tr_buf_str(&text);
    CHECK_OK(tr_rdf_memory_graph_create(0, &graph, &err), &err);
    struct tr_rdf_source source = tr_rdf_source_text(&rest, TR_STR(""));
    struct tr_rdf_sink sink = tr_rdf_memory_graph_sink(graph);
    CHECK_OK(tr_rdf_read(TR_RDF_TURTLE, &source, &sink, &err), &err);
    CHECK_OK(tr_rdf_memory_graph_index(graph, &err), &err);
    CHECK_OK(tr_shacl_validation_create(model->shapes,
                                        tr_rdf_memory_graph_view(graph), NULL,
                                        &validation, &err),
             &err);
    CHECK_OK(tr_shacl_validation_run(validation, count_result, &count, &err),
             &err);
    tr_shacl_validation_free(validation);
    tr_rdf_memory_graph_free(graph);
    tr_buf_done(&text);
    return count;
}

#define TASK "w:a a w:Task, w:Thing ; th:name \"ab\" ; t:code \"c\" "

static const struct {
    const char *data;
    size_t results;
} verdicts[] = {
    {"w:a a w:Thing ; th:name \"ab\" .", 0},
    {"w:a a w:Thing .", 1},
    {"w:a a w:Thing ; th:name \"ab\" ; w:other 1 .", 1},
    /* An instance is one of the ancestors, too, which are closed. */
    {TASK ".", 0},
    {TASK "; w:other 1 .", 2},
    /* What the parent's shape says is not said twice. */
    {"w:a a w:Task, w:Thing ; th:name \"a\" ; t:code \"c\" .", 1},
    {"w:a a w:Task, w:Thing ; t:code \"c\" .", 1},
    /* An instance that is none of the parent is refused. */
    {"w:a a w:Task ; th:name \"ab\" ; t:code \"c\" .", 1},
    {TASK "; t:owner w:b . w:b a foaf:Person .", 0},
    {TASK "; t:owner w:b .", 1},
    {TASK "; dct:subject w:b, w:c .", 0},
    {TASK "; dct:subject \"x\" .", 1},
};

TEST(model_shapes_judge_instances)
{
    const struct tr_model *model = make();
    for (size_t i = 0; i < TR_LEN(verdicts); i++)
        CHECK_ROW(count_results(model, verdicts[i].data) == verdicts[i].results,
                  verdicts[i].data);
    tr_model_free(model);
}

TEST(model_shape_tables_and_files_judge_too)
{
    static const struct tr_field coded[] = {
        {.name = TR_STR_INIT("code"), .pattern = TR_STR_INIT("^c")},
        {.name = TR_STR_INIT("author"),
         .kind = TR_FIELD_REF,
         .target = TR_STR_INIT("Person"),
         .optional = true,
         .iri = TR_STR_INIT("dct:creator")},
    };
    static const struct tr_model_shape_draft tables[] = {
        {.shape = {.name = TR_STR_INIT("Coded"), FIELDS(coded)},
         .target = TR_STR_INIT("Task")},
        {.shape = {.name = TR_STR_INIT("Made"),
                   .fields = &coded[1],
                   .count = 1},
         .target_subjects_of = TR_STR_INIT("dct:creator")},
        {.shape = {.name = TR_STR_INIT("Agent"),
                   .fields = &coded[1],
                   .count = 1},
         .target = TR_STR_INIT("foaf:Agent")},
    };
    struct tr_model_builder *builder = start();
    struct tr_err err = {0};
    for (size_t i = 0; i < TR_LEN(tables); i++)
        CHECK_OK(tr_model_builder_add_shape(builder, &tables[i], &err), &err);
    add_all(builder);
    CHECK_OK(tr_model_builder_add_turtle(
                 builder,
                 TR_STR("@prefix sh: <http://www.w3.org/ns/shacl#> . <#Old> "
                        "sh:targetClass <../Old> ; sh:maxLength 0 ."),
                 TR_STR("shapes/old.ttl"), &err),
             &err);
    const struct tr_model *model = finish(builder);
    size_t at;
    CHECK(tr_shacl_shapes_find(
        model->shapes, TR_STR("trails://team/shapes/old.ttl#Old"), &at));
    CHECK_INT(count_results(model, "w:a a w:Old ."), 1);
    CHECK_INT(count_results(model, "w:a a w:Task, w:Thing ; th:name \"ab\" ; "
                                   "t:code \"c\" ."),
              0);
    CHECK_INT(count_results(model, "w:a a w:Task, w:Thing ; th:name \"ab\" ; "
                                   "t:code \"d\" ."),
              1);
    CHECK_INT(count_results(model, "w:a dct:creator w:b ."), 1);
    CHECK_INT(count_results(model, "w:a a foaf:Agent ; dct:creator w:b . "
                                   "w:b a foaf:Person ."),
              0);
    tr_model_free(model);
}

/* Refusals. The draft is added, with three good types before it. */

static const struct tr_field text_a[] = {{.name = TR_STR_INIT("a")}};
static const struct tr_field bad_target[] = {{.name = TR_STR_INIT("r"),
                                              .kind = TR_FIELD_REF,
                                              .target = TR_STR_INIT("Persn")}};
static const struct tr_field other_kind[] = {
    {.name = TR_STR_INIT("name"), .kind = TR_FIELD_INTEGER}};
static const struct tr_field other_many[] = {
    {.name = TR_STR_INIT("name"), .many = true}};
static const struct tr_field wider[] = {
    {.name = TR_STR_INIT("name"), .optional = true}};
static const struct tr_field other_iri[] = {
    {.name = TR_STR_INIT("name"), .iri = TR_STR_INIT("foaf:name")}};
static const struct tr_field other_target[] = {
    {.name = TR_STR_INIT("owner"),
     .kind = TR_FIELD_REF,
     .target = TR_STR_INIT("Thing")}};
static const struct tr_field any_target[] = {
    {.name = TR_STR_INIT("owner"), .kind = TR_FIELD_REF, .any_type = true}};
static const struct tr_field bad_iri[] = {
    {.name = TR_STR_INIT("a"), .iri = TR_STR_INIT("nope:a")}};
static const struct tr_field many_unique[] = {
    {.name = TR_STR_INIT("a"), .many = true, .unique = true}};
static const struct tr_field id_field[] = {{.name = TR_STR_INIT("id")}};
static const struct tr_field type_field[] = {{.name = TR_STR_INIT("_type")}};
static const struct tr_field version_field[] = {
    {.name = TR_STR_INIT("_version")}};
static const struct tr_field optional_a[] = {
    {.name = TR_STR_INIT("a"), .optional = true}};
static const struct tr_field bad_pattern[] = {
    {.name = TR_STR_INIT("a"), .pattern = TR_STR_INIT("(")}};
static const tr_str nobody[] = {TR_STR_INIT("b")};
static const tr_str only_a[] = {TR_STR_INIT("a")};
static const struct tr_shape_unique unique_nobody[] = {{nobody, 1}};
static const struct tr_shape_unique unique_nothing[] = {{nobody, 0}};

#define TYPE(type_name, list)                                                  \
    .shape = {.name = TR_STR_INIT(type_name), FIELDS(list)}

static const struct {
    struct tr_model_type_draft draft;
    const char *message;
} bad_types[] = {
    {{TYPE("Bad", bad_target), .where = TR_STR_INIT("app.lua:7")},
     "app.lua:7: node_type 'Bad': field 'r': there is no node_type 'Persn', "
     "did you mean 'Person'?"},
    {{TYPE("Bad", text_a), .extends = TR_STR_INIT("Xyz")},
     "node_type 'Bad': extends: there is no node_type 'Xyz'"},
    {{TYPE("Bad", text_a), .extends = TR_STR_INIT("Bad")},
     "node_type 'Bad': it extends itself"},
    {{TYPE("Task", text_a)}, "there is a node_type 'Task' already"},
    {{TYPE("types", text_a)}, "no type can be called 'types'"},
    {{TYPE("a-b", text_a)}, "a name is letters, digits and _, at most 64"},
    {{TYPE("Bad", id_field)},
     "every node has that already: choose another name"},
    {{TYPE("Bad", type_field)},
     "every node has that already: choose another name"},
    {{TYPE("Bad", version_field)},
     "every node has that already: choose another name"},
    {{TYPE("Bad", bad_pattern)}, NULL},
    {{.shape = {.name = TR_STR_INIT("Bad"),
                .iri = TR_STR_INIT("foaf:Person"),
                FIELDS(text_a)}},
     "node_type 'Bad': 'Person' has the same IRI, "
     "<http://xmlns.com/foaf/0.1/Person>"},
    {{.shape = {.name = TR_STR_INIT("Bad"),
                .iri = TR_STR_INIT("fof:Person"),
                FIELDS(text_a)}},
     "node_type 'Bad': 'fof:Person' has the prefix 'fof', which is not known"},
    {{TYPE("Bad", bad_iri)},
     "node_type 'Bad': field 'a': 'nope:a' has the prefix 'nope', which is not "
     "known"},
    {{TYPE("Bad", other_kind), .extends = TR_STR_INIT("Thing")},
     "node_type 'Bad': field 'name': it is text in 'Thing', and cannot be "
     "integer here"},
    {{TYPE("Bad", other_many), .extends = TR_STR_INIT("Thing")},
     "node_type 'Bad': field 'name': it has one value in 'Thing', and must "
     "have so here"},
    {{TYPE("Bad", wider), .extends = TR_STR_INIT("Thing")},
     "node_type 'Bad': field 'name': it is required in 'Thing', and cannot be "
     "optional here"},
    {{TYPE("Bad", other_iri), .extends = TR_STR_INIT("Thing")},
     "node_type 'Bad': field 'name': it is <trails://team/Thing#name> in "
     "'Thing', and keeps that IRI"},
    {{TYPE("Bad", other_target), .extends = TR_STR_INIT("Task")},
     "node_type 'Bad': field 'owner': it points to 'Person' in 'Task', and "
     "cannot point to others here"},
    {{TYPE("Bad", any_target), .extends = TR_STR_INIT("Task")},
     "node_type 'Bad': field 'owner': it points to 'Person' in 'Task', and "
     "cannot point to others here"},
    {{.shape = {.name = TR_STR_INIT("Bad"), FIELDS(text_a), .open = true},
      .extends = TR_STR_INIT("Thing")},
     "node_type 'Bad': it cannot be open, because 'Thing' is not"},
    {{TYPE("Bad", text_a), .label = TR_STR_INIT("b")},
     "node_type 'Bad': label names 'b', which is not a field"},
    {{TYPE("Bad", other_kind), .label = TR_STR_INIT("name")},
     "node_type 'Bad': label names 'name', which is not one text"},
    {{.shape = {.name = TR_STR_INIT("Bad"),
                FIELDS(text_a),
                .unique = unique_nobody,
                .unique_count = 1}},
     "node_type 'Bad': unique names 'b', which is not a field"},
    {{.shape = {.name = TR_STR_INIT("Bad"),
                FIELDS(text_a),
                .unique = unique_nothing,
                .unique_count = 1}},
     "node_type 'Bad': unique names no field"},
    {{TYPE("Bad", many_unique)},
     "node_type 'Bad': unique names 'a', which has many values"},
    {{TYPE("Bad", text_a), .has_strategy = true,
      .strategy = TR_MODEL_IRI_CONTENT, .content_fields = nobody,
      .content_count = 1},
     "node_type 'Bad': ids_from names 'b', which is not a field"},
    {{TYPE("Bad", optional_a), .has_strategy = true,
      .strategy = TR_MODEL_IRI_CONTENT, .content_fields = only_a,
      .content_count = 1},
     "node_type 'Bad': ids_from names 'a', which is optional"},
    {{TYPE("Bad", text_a), .has_strategy = true,
      .strategy = TR_MODEL_IRI_CONTENT},
     "ids by content need the fields they are made from"},
    {{TYPE("Bad", text_a), .content_fields = only_a, .content_count = 1},
     "only ids by content are made from fields"},
};

/* The message of what adding the last draft, or else building, fails with. */
static void check_refused(struct tr_model_builder *builder, tr_status added,
                          struct tr_err *err, const char *message)
{
    const struct tr_model *model = NULL;
    tr_status st =
        added == TR_OK ? tr_model_build(builder, &model, err) : added;
    CHECK_ROW(st == TR_E_INVALID, message ? message : err->msg);
    if (message)
        CHECK_STR(tr_str_from(err->msg), message);
    tr_model_builder_free(builder);
}

TEST(model_refuses_a_type_that_makes_no_sense)
{
    for (size_t i = 0; i < TR_LEN(bad_types); i++) {
        struct tr_model_builder *builder = start();
        struct tr_err err = {0};
        add_all(builder);
        tr_status st =
            tr_model_builder_add_type(builder, &bad_types[i].draft, &err);
        check_refused(builder, st, &err, bad_types[i].message);
    }
}

TEST(model_refuses_types_that_extend_each_other)
{
    struct tr_model_builder *builder = start();
    struct tr_err err = {0};
    struct tr_model_type_draft draft = {TYPE("A", text_a),
                                        .extends = TR_STR_INIT("B")};
    CHECK_OK(tr_model_builder_add_type(builder, &draft, &err), &err);
    draft.shape.name = TR_STR("B");
    draft.extends = TR_STR("A");
    CHECK_OK(tr_model_builder_add_type(builder, &draft, &err), &err);
    check_refused(builder, TR_OK, &err, "node_type 'A': it extends itself");
}

/* One that leads into a circle is not a part of it. */
TEST(model_refuses_a_tower_of_types)
{
    struct tr_model_builder *builder = start();
    struct tr_err err = {0};
    for (int i = 0; i <= TR_LIMIT_EXTENDS + 1; i++) {
        char name[16];
        char above[16];
        (void)snprintf(name, sizeof(name), "T%d", i);
        (void)snprintf(above, sizeof(above), "T%d", i - 1);
        struct tr_model_type_draft draft = {TYPE("T", text_a)};
        draft.shape.name = tr_str_from(name);
        draft.shape.count = 0;
        draft.extends = i ? tr_str_from(above) : TR_STR("");
        CHECK_OK(tr_model_builder_add_type(builder, &draft, &err), &err);
    }
    check_refused(builder, TR_OK, &err,
                  "node_type 'T33': more than 32 types stand above it");
}

static const struct {
    struct tr_model_shape_draft draft;
    const char *message;
} bad_shapes[] = {
    {{TYPE("Bad", text_a)},
     "shape 'Bad': 'target' or 'target_subjects_of' is needed: no capability "
     "uses it by its name"},
    {{TYPE("Bad", text_a), .target = TR_STR_INIT("Task"),
      .target_subjects_of = TR_STR_INIT("dct:title")},
     "'target' or 'target_subjects_of' is needed, and not both"},
    {{TYPE("Task", text_a), .target = TR_STR_INIT("Task")},
     "there is a node_type 'Task' already"},
    {{TYPE("Bad", text_a), .target = TR_STR_INIT("Taks")},
     "shape 'Bad': there is no node_type 'Taks', did you mean 'Task'?"},
    {{TYPE("Bad", text_a), .target = TR_STR_INIT("x:Task")},
     "shape 'Bad': target: 'x:Task' has the prefix 'x', which is not known"},
    {{TYPE("Bad", text_a), .target_subjects_of = TR_STR_INIT("owner")}, NULL},
    {{TYPE("Bad", text_a), .target = TR_STR_INIT("Task")},
     "shape 'Bad': field 'a': the type has no such field, so it needs an iri"},
    {{TYPE("Bad", text_a), .target = TR_STR_INIT("foaf:Agent")},
     "shape 'Bad': field 'a': it needs an iri"},
    {{TYPE("Bad", bad_iri), .target = TR_STR_INIT("Task")},
     "shape 'Bad': field 'a': 'nope:a' has the prefix 'nope', which is not "
     "known"},
    {{TYPE("Bad", bad_target), .target = TR_STR_INIT("Task")},
     "shape 'Bad': field 'r': there is no node_type 'Persn', did you mean "
     "'Person'?"},
    {{TYPE("Bad", other_kind), .target = TR_STR_INIT("Task")},
     "shape 'Bad': field 'name': it is text in 'Task', and cannot be integer "
     "here"},
    {{.shape = {.name = TR_STR_INIT("Bad"),
                .iri = TR_STR_INIT("foaf:Person"),
                FIELDS(thing_fields)},
      .target = TR_STR_INIT("Task")},
     "shape 'Bad': a node_type has the same IRI, "
     "<http://xmlns.com/foaf/0.1/Person>"},
    {{.shape = {.name = TR_STR_INIT("Bad"),
                .iri = TR_STR_INIT("trails://team/Good"),
                FIELDS(thing_fields)},
      .target = TR_STR_INIT("Task")},
     "shape 'Bad': another shape has the same IRI, <trails://team/Good>"},
    {{TYPE("Good", thing_fields), .target = TR_STR_INIT("Task")},
     "there is a shape 'Good' already"},
};

TEST(model_refuses_a_shape_that_makes_no_sense)
{
    static const struct tr_model_shape_draft good = {
        TYPE("Good", thing_fields), .target = TR_STR_INIT("Task")};
    for (size_t i = 0; i < TR_LEN(bad_shapes); i++) {
        struct tr_model_builder *builder = start();
        struct tr_err err = {0};
        add_all(builder);
        CHECK_OK(tr_model_builder_add_shape(builder, &good, &err), &err);
        tr_status st =
            tr_model_builder_add_shape(builder, &bad_shapes[i].draft, &err);
        check_refused(builder, st, &err, bad_shapes[i].message);
    }
}

TEST(model_refuses_project_names_that_are_taken)
{
    static const char *const names[] = {"kg",     "schema", "shape", "stats",
                                        "doctor", "prov",   "meta"};
    for (size_t i = 0; i < TR_LEN(names); i++) {
        struct tr_model_builder *builder = NULL;
        CHECK_ROW(tr_model_builder_create(tr_str_from(names[i]), &builder,
                                          NULL) == TR_E_INVALID,
                  names[i]);
    }
}

TEST(model_refuses_prefixes_that_mean_nothing_or_two_things)
{
    static const struct {
        tr_str name;
        tr_str iri;
    } bad[] = {
        {TR_STR_INIT("1x"), TR_STR_INIT("http://a/")},
        {TR_STR_INIT(""), TR_STR_INIT("http://a/")},
        {TR_STR_INIT("x"), TR_STR_INIT("a b")},
        {TR_STR_INIT("rdf"), TR_STR_INIT("http://a/")},
        {TR_STR_INIT("foaf"), TR_STR_INIT("http://a/")},
    };
    struct tr_model_builder *builder = start();
    for (size_t i = 0; i < TR_LEN(bad); i++)
        CHECK_ROW(tr_model_builder_add_prefix(builder, bad[i].name, bad[i].iri,
                                              NULL) == TR_E_INVALID,
                  bad[i].name.ptr);
    CHECK_OK(tr_model_builder_add_prefix(builder, prefixes[0].name,
                                         prefixes[0].iri, NULL),
             NULL);
    tr_model_builder_free(builder);
}

/* A document that is broken leaves nothing behind. */
TEST(model_refuses_a_broken_file_and_goes_on)
{
    struct tr_model_builder *builder = start();
    struct tr_err err = {0};
    CHECK_INT(tr_model_builder_add_turtle(
                  builder,
                  TR_STR("@prefix sh: <http://www.w3.org/ns/shacl#> .\n"
                         "<a> sh:targetClass <b> ; sh:maxLength 1 . <"),
                  TR_STR("x.ttl"), &err),
              TR_E_SYNTAX);
    CHECK_INT(err.place.line, 2);
    const struct tr_model *model = finish(builder);
    CHECK_INT(model->shapes->count, 0);
    tr_model_free(model);
}

TEST(model_says_which_shape_of_a_file_is_ill_formed)
{
    struct tr_model_builder *builder = start();
    struct tr_err err = {0};
    const struct tr_model *model = NULL;
    CHECK_OK(tr_model_builder_add_turtle(
                 builder,
                 TR_STR("@prefix sh: <http://www.w3.org/ns/shacl#> .\n"
                        "<#S> sh:targetClass <b> ; sh:minLength \"x\" ."),
                 TR_STR("x.ttl"), &err),
             &err);
    CHECK_INT(tr_model_build(builder, &model, &err), TR_E_INVALID);
    CHECK(strstr(err.msg, "trails://team/x.ttl#S") != NULL);
    tr_model_builder_free(builder);
}

TEST(model_has_limits)
{
    struct tr_model_builder *builder = start();
    struct tr_err err = {0};
    char *large = calloc(1, TR_LIMIT_SHAPE_FILE + 1);
    CHECK(large != NULL);
    CHECK_INT(tr_model_builder_add_turtle(
                  builder, (tr_str){large, TR_LIMIT_SHAPE_FILE + 1},
                  TR_STR("x.ttl"), &err),
              TR_E_LIMIT);
    free(large);
    for (int i = 0; i < TR_LIMIT_SHAPE_FILES; i++)
        CHECK_OK(tr_model_builder_add_turtle(builder, TR_STR(""),
                                             TR_STR("x.ttl"), &err),
                 &err);
    CHECK_INT(
        tr_model_builder_add_turtle(builder, TR_STR(""), TR_STR("x.ttl"), &err),
        TR_E_LIMIT);
    struct tr_model_type_draft draft = {TYPE("T", text_a)};
    for (int i = 0; i <= TR_LIMIT_TYPES; i++) {
        char name[16];
        (void)snprintf(name, sizeof(name), "T%d", i);
        draft.shape.name = tr_str_from(name);
        CHECK_INT(tr_model_builder_add_type(builder, &draft, &err),
                  i < TR_LIMIT_TYPES ? TR_OK : TR_E_INVALID);
    }
    tr_model_builder_free(builder);
}

TEST(model_has_a_limit_of_prefixes)
{
    struct tr_model_builder *builder = start();
    tr_status st = TR_OK;
    int count = 0;
    for (; st == TR_OK && count <= TR_LIMIT_PREFIXES; count++) {
        char name[16];
        (void)snprintf(name, sizeof(name), "p%d", count);
        st = tr_model_builder_add_prefix(builder, tr_str_from(name),
                                         TR_STR("http://a/"), NULL);
    }
    CHECK_INT(st, TR_E_INVALID);
    CHECK(count > TR_LIMIT_PREFIXES / 2);
    tr_model_builder_free(builder);
}

static tr_status build_once(void *context, struct tr_err *err)
{
    static const struct tr_model_shape_draft shape = {
        TYPE("Good", thing_fields), .target = TR_STR_INIT("Task")};
    struct tr_model_builder *builder = NULL;
    const struct tr_model *model = NULL;
    (void)context;
    TR_TRY(tr_model_builder_create(TR_STR("team"), &builder, err));
    tr_status st = TR_OK;
    for (size_t i = 0; st == TR_OK && i < TR_LEN(prefixes); i++)
        st = tr_model_builder_add_prefix(builder, prefixes[i].name,
                                         prefixes[i].iri, err);
    for (size_t i = 0; st == TR_OK && i < TR_LEN(drafts); i++)
        st = tr_model_builder_add_type(builder, &drafts[i], err);
    if (st == TR_OK)
        st = tr_model_builder_add_shape(builder, &shape, err);
    if (st == TR_OK)
        st = tr_model_builder_add_turtle(builder, TR_STR("<a> <b> <c> ."),
                                         TR_STR("x.ttl"), err);
    if (st == TR_OK)
        st = tr_model_build(builder, &model, err);
    tr_model_builder_free(builder);
    if (st == TR_OK)
        tr_model_free(model);
    return st;
}

TEST(model_each_allocation_may_fail)
{
    tr_test_sweep(build_once, NULL);
}

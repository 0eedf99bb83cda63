/*
 * What callers see of a model: the same as if what is hidden from them had
 * never been declared.
 */
#include "base/limits.h"
#include "base/test.h"
#include "fields/pattern.h"
#include "model/builder.h"
#include "model/tool_shape.h"
#include "rdf/memory_graph.h"
#include "rdf/reader.h"

#define FIELDS(list) .fields = (list), .count = TR_LEN(list)
#define P            "trails://team/"

static const struct tr_field note_fields[] = {
    {.name = TR_STR_INIT("title")},
    {.name = TR_STR_INIT("mood"), .scope = TR_SCOPE_BUILDER, .optional = true},
    {.name = TR_STR_INIT("trace"), .scope = TR_SCOPE_DEV, .optional = true},
    {.name = TR_STR_INIT("keeper"),
     .kind = TR_FIELD_REF,
     .target = TR_STR_INIT("Vault"),
     .optional = true},
    {.name = TR_STR_INIT("source"),
     .kind = TR_FIELD_REF,
     .target = TR_STR_INIT("Deep"),
     .optional = true},
};
static const struct tr_field memo_fields[] = {
    {.name = TR_STR_INIT("mood"), .optional = true, .max_length = 5},
};
static const struct tr_field pin[] = {{.name = TR_STR_INIT("pin")}};
static const tr_str both[] = {TR_STR_INIT("title"), TR_STR_INIT("mood")};
static const tr_str first[] = {TR_STR_INIT("title")};
static const struct tr_shape_unique unique[] = {{both, 2}, {first, 1}};

static const struct tr_model_type_draft drafts[] = {
    {.shape = {.name = TR_STR_INIT("Deep"), FIELDS(pin)},
     .extends = TR_STR_INIT("Secret")},
    {.shape = {.name = TR_STR_INIT("Note"),
               FIELDS(note_fields),
               .unique = unique,
               .unique_count = 2},
     .label = TR_STR_INIT("mood")},
    {.shape = {.name = TR_STR_INIT("Memo"), FIELDS(memo_fields)},
     .extends = TR_STR_INIT("Note")},
    {.shape = {.name = TR_STR_INIT("Secret")},
     .extends = TR_STR_INIT("Note"),
     .is_private = true},
    {.shape = {.name = TR_STR_INIT("Vault"), FIELDS(pin)}, .is_private = true},
};

static const struct tr_field mood[] = {
    {.name = TR_STR_INIT("mood"), .optional = true, .max_length = 9}};
static const struct tr_field long_title[] = {
    {.name = TR_STR_INIT("title"), .max_length = 9},
    {.name = TR_STR_INIT("mood"), .optional = true}};

static const struct tr_model_shape_draft tables[] = {
    {.shape = {.name = TR_STR_INIT("Titled"), FIELDS(long_title)},
     .target = TR_STR_INIT("Note")},
    {.shape = {.name = TR_STR_INIT("Moody"), FIELDS(mood)},
     .target = TR_STR_INIT("Note")},
    {.shape = {.name = TR_STR_INIT("Pinned"), FIELDS(pin)},
     .target = TR_STR_INIT(P "Vault")},
};

static const char shapes[] =
    "@prefix sh: <http://www.w3.org/ns/shacl#> .\n"
    "@prefix ex: <http://e/> .\n"
    "ex:Open a sh:NodeShape ; sh:targetClass <" P "Note> ;\n"
    "  sh:property [ sh:path <" P "Note#title> ; sh:maxLength 30 ] .\n"
    "ex:Shut a sh:NodeShape ; sh:targetClass <" P "Secret> .\n"
    "ex:Deeper a sh:NodeShape ; sh:targetClass <" P "Note> ;\n"
    "  sh:property [ sh:path ( <" P "Note#source> <" P "Note#mood> ) ;\n"
    "    sh:maxCount 3 ] .\n"
    "ex:Names a sh:NodeShape ; sh:targetClass <" P "Note> ;\n"
    "  sh:node ex:Deeper .\n";

static tr_status build(const struct tr_model **out, struct tr_err *err)
{
    struct tr_model_builder *builder = NULL;
    TR_TRY(tr_model_builder_create(TR_STR("team"), &builder, err));
    tr_status st = TR_OK;
    for (size_t i = 0; st == TR_OK && i < TR_LEN(drafts); i++)
        st = tr_model_builder_add_type(builder, &drafts[i], err);
    for (size_t i = 0; st == TR_OK && i < TR_LEN(tables); i++)
        st = tr_model_builder_add_shape(builder, &tables[i], err);
    if (st == TR_OK)
        st = tr_model_builder_add_turtle(builder, TR_STR(shapes),
                                         TR_STR("s.ttl"), err);
    if (st == TR_OK)
        st = tr_model_build(builder, out, err);
    tr_model_builder_free(builder);
    return st;
}

static const struct tr_model *make(void)
{
    const struct tr_model *model = NULL;
    struct tr_err err = {0};
    CHECK_OK(build(&model, &err), &err);
    return model;
}

static bool has_shape(const struct tr_model *model, const char *iri)
{
    size_t at;
    return tr_shacl_shapes_find(model->shapes, tr_str_from(iri), &at);
}

static const struct tr_field *field_of(const struct tr_model *model,
                                       const char *type, const char *name)
{
    return tr_shape_find(tr_model_find(model, tr_str_from(type))->shape,
                         tr_str_from(name));
}

TEST(face_has_neither_private_types_nor_what_they_are_named_by)
{
    const struct tr_model *model = make();
    const struct tr_model_face *face = tr_model_face_for(model, TR_SCOPE_ALL);
    CHECK_INT(face->model->count, 2);
    CHECK(!tr_model_find(face->model, TR_STR("Secret")));
    CHECK(!tr_model_find(face->model, TR_STR("Deep")));
    CHECK(tr_model_find(model, TR_STR("Deep"))->is_private);
    CHECK_INT(face->private_count, 2);
    CHECK_STR(face->private_types[0]->name, "Secret");
    CHECK_STR(face->private_types[1]->name, "Vault");
    CHECK(field_of(face->model, "Note", "keeper")->any_type);
    CHECK_STR(field_of(face->model, "Memo", "source")->target, "Note");
    CHECK_STR(field_of(model, "Note", "source")->target, "Deep");
    CHECK(tr_model_face_hides(face, TR_STR(P "Deep")));
    CHECK(!tr_model_face_hides(face, TR_STR(P "Note#mood")));
    CHECK(has_shape(model, P "Pinned") && !has_shape(face->model, P "Pinned"));
    CHECK(has_shape(face->model, P "Moody"));
    CHECK(has_shape(face->model, "http://e/Names"));
    CHECK(!has_shape(face->model, "http://e/Shut"));
    CHECK(!face->has_own_labels);
    tr_model_free(model);
}

TEST(face_has_the_fields_that_the_scopes_show)
{
    static const struct {
        unsigned scopes;
        bool mood;
        bool trace;
    } rows[] = {
        {0, false, false},
        {TR_SCOPE_RUNTIME, false, false},
        {TR_SCOPE_BUILDER, true, false},
        {TR_SCOPE_DEV | TR_SCOPE_RUNTIME, false, true},
        {TR_SCOPE_ALL, true, true},
    };
    const struct tr_model *model = make();
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        const struct tr_model_face *face =
            tr_model_face_for(model, rows[i].scopes);
        const struct tr_model_type *note =
            tr_model_find(face->model, TR_STR("Note"));
        CHECK(!field_of(face->model, "Note", "mood") == !rows[i].mood);
        CHECK(!field_of(face->model, "Memo", "mood") == !rows[i].mood);
        CHECK(!field_of(face->model, "Memo", "trace") == !rows[i].trace);
        CHECK_INT(note->shape->unique_count, rows[i].mood ? 2 : 1);
        CHECK_STR(note->label, rows[i].mood ? "mood" : "title");
        CHECK(face->has_own_labels == !rows[i].mood);
        CHECK(tr_model_face_hides(face, TR_STR(P "Note#trace")) ==
              !rows[i].trace);
        CHECK(has_shape(face->model, P "Titled"));
        CHECK(has_shape(face->model, P "Moody") == rows[i].mood);
        CHECK(has_shape(face->model, "http://e/Open"));
        CHECK(has_shape(face->model, "http://e/Deeper") == rows[i].mood);
        CHECK(has_shape(face->model, "http://e/Names") == rows[i].mood);
    }
    tr_model_free(model);
}

TEST(face_costs_nothing_where_nothing_is_hidden)
{
    struct tr_model_builder *builder = NULL;
    const struct tr_model *model = NULL;
    const struct tr_model_type_draft draft = {
        .shape = {.name = TR_STR_INIT("Plain"), FIELDS(pin)}};
    struct tr_err err = {0};
    CHECK_OK(tr_model_builder_create(TR_STR("team"), &builder, &err), &err);
    CHECK_OK(tr_model_builder_add_type(builder, &draft, &err), &err);
    CHECK_OK(tr_model_build(builder, &model, &err), &err);
    tr_model_builder_free(builder);
    for (unsigned scopes = 0; scopes <= TR_SCOPE_ALL; scopes++)
        CHECK(!tr_model_face_for(model, scopes));
    tr_model_free(model);
}

/* A tool has the field only when it needs that scope itself. */
TEST(face_decides_what_a_tool_takes)
{
    const struct tr_model *model = make();
    struct tr_field_patterns patterns = {0};
    struct tr_arena arena;
    struct tr_err err = {0};
    tr_arena_init(&arena, TR_LIMIT_SNAPSHOT_BYTES);
    for (unsigned scope = TR_SCOPE_RUNTIME; scope <= TR_SCOPE_DEV; scope *= 2) {
        const struct tr_model *seen = tr_model_face_for(model, scope)->model;
        const struct tr_model_tool_shape how = {
            .model = seen,
            .type = tr_model_find(seen, TR_STR("Note")),
            .arena = &arena,
            .patterns = &patterns,
        };
        const struct tr_shape *shape = NULL;
        CHECK_OK(tr_model_tool_shape_create(&how, &shape, &err), &err);
        CHECK(!tr_shape_find(shape, TR_STR("mood")) ==
              (scope != TR_SCOPE_BUILDER));
        CHECK(!tr_shape_find(shape, TR_STR("trace")) ==
              (scope != TR_SCOPE_DEV));
    }
    tr_field_patterns_done(&patterns);
    tr_arena_done(&arena);
    tr_model_free(model);
}

static const char nodes[] =
    "@prefix n: <" P "Note#> .\n"
    "<urn:a> a <" P "Note> ; n:title \"a\" ; n:mood \"m\" ;\n"
    "  n:keeper <urn:v> .\n"
    "<urn:s> a <" P "Note>, <" P "Secret> ; n:title \"s\" .\n"
    "<urn:d> a <" P "Deep>, <" P "Secret>, <" P "Note> .\n"
    "<urn:v> a <" P "Vault> .\n";

static uint64_t count_of(const struct tr_rdf_graph *graph, const char *subject)
{
    tr_rdf_ids pattern = {TR_RDF_ID_ANY, TR_RDF_ID_ANY, TR_RDF_ID_ANY,
                          TR_RDF_ID_ANY};
    uint64_t count = 0;
    struct tr_err err = {0};
    if (subject)
        CHECK_OK(tr_rdf_graph_find_iri(graph, tr_str_from(subject), &pattern.s,
                                       &err),
                 &err);
    CHECK_OK(tr_rdf_graph_count(graph, pattern, &count, &err), &err);
    return count;
}

TEST(graph_of_a_face_leaves_out_what_is_hidden)
{
    const struct tr_model *model = make();
    const struct tr_rdf_graph *seen = NULL;
    struct tr_rdf_memory_graph *graph = NULL;
    struct tr_arena arena;
    struct tr_err err = {0};
    tr_str text = TR_STR(nodes);
    struct tr_rdf_source source = tr_rdf_source_text(&text, TR_STR("urn:x"));
    tr_arena_init(&arena, TR_MIB(1));
    CHECK_OK(tr_rdf_memory_graph_create(0, &graph, &err), &err);
    struct tr_rdf_sink sink = tr_rdf_memory_graph_sink(graph);
    CHECK_OK(tr_rdf_read(TR_RDF_TURTLE, &source, &sink, &err), &err);
    CHECK_OK(tr_rdf_memory_graph_index(graph, &err), &err);
    const struct tr_rdf_graph *below = tr_rdf_memory_graph_view(graph);
    for (unsigned scopes = 0; scopes <= TR_SCOPE_BUILDER; scopes += 2) {
        CHECK_OK(tr_model_face_graph(tr_model_face_for(model, scopes), below,
                                     &arena, &seen, &err),
                 &err);
        uint64_t shown = scopes ? 4 : 3; /* the reference is among them */
        CHECK_INT(count_of(seen, NULL), shown);
        CHECK_INT(count_of(seen, "urn:a"), shown);
        CHECK_INT(count_of(seen, "urn:s"), 0);
        CHECK_INT(count_of(seen, "urn:d"), 0);
        CHECK_INT(count_of(seen, "urn:v"), 0);
    }
    CHECK_INT(count_of(below, NULL), 11);
    tr_rdf_memory_graph_free(graph);
    tr_arena_done(&arena);
    tr_model_free(model);
}

static tr_status build_once(void *context, struct tr_err *err)
{
    const struct tr_model *model = NULL;
    (void)context;
    TR_TRY(build(&model, err));
    tr_model_free(model);
    return TR_OK;
}

TEST(face_each_allocation_may_fail)
{
    tr_test_sweep(build_once, NULL);
}

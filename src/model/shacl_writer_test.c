#include "base/limits.h"
#include "base/test.h"
#include "fields/json_schema.h"
#include "json/reader.h"
#include "model/shacl.h"
#include "shacl/shapes.h"

static const struct tr_field note_fields[] = {
    {.name = TR_STR_INIT("title"),
     .min_length = 2,
     .max_length = 9,
     .description = TR_STR_INIT("What it is about.")},
    {.name = TR_STR_INIT("code"),
     .pattern = TR_STR_INIT("^N-[0-9]+$"),
     .optional = true},
    {.name = TR_STR_INIT("rank"),
     .kind = TR_FIELD_INTEGER,
     .min_value = TR_STR_INIT("1"),
     .max_value = TR_STR_INIT("5"),
     .optional = true},
    {.name = TR_STR_INIT("tags"), .many = true, .min_count = 2, .max_count = 3},
    {.name = TR_STR_INIT("done"), .kind = TR_FIELD_BOOLEAN, .optional = true},
    {.name = TR_STR_INIT("at"), .kind = TR_FIELD_DATETIME, .optional = true},
    {.name = TR_STR_INIT("weight"),
     .kind = TR_FIELD_NUMBER,
     .max_value = TR_STR_INIT("2.5"),
     .min_exclusive = TR_STR_INIT("0"),
     .optional = true},
    {.name = TR_STR_INIT("author"),
     .kind = TR_FIELD_REF,
     .target = TR_STR_INIT("Person"),
     .many = true,
     .optional = true,
     .iri = TR_STR_INIT("dct:creator")},
};

struct world {
    struct tr_arena arena;
    struct tr_field_patterns patterns;
    struct tr_rdf_prefixes prefixes;
    struct tr_model_type_context context;
};

static void start(struct world *world)
{
    *world = (struct world){0};
    tr_arena_init(&world->arena, TR_MIB(4));
    tr_rdf_prefixes_init(&world->prefixes, &world->arena);
    CHECK_OK(tr_rdf_prefixes_set(&world->prefixes, TR_STR("dct"),
                                 TR_STR("http://purl.org/dc/terms/"), NULL),
             NULL);
    world->context.project = TR_STR("blog");
    world->context.prefixes = &world->prefixes;
}

static void end(struct world *world)
{
    tr_field_patterns_done(&world->patterns);
    tr_arena_done(&world->arena);
}

static struct tr_shape note(void)
{
    return (struct tr_shape){.name = TR_STR("Note"),
                             .fields = note_fields,
                             .count = TR_LEN(note_fields)};
}

TEST(types_and_fields_get_iris)
{
    struct world world;
    struct tr_err err = {0};
    struct tr_shape shape = note();
    start(&world);
    CHECK_OK(tr_model_name_shape(&world.arena, &world.context, &shape, &err),
             &err);
    CHECK_STR(shape.iri, "trails://blog/Note");
    CHECK_STR(shape.fields[0].iri, "trails://blog/Note#title");
    CHECK_STR(shape.fields[7].iri, "http://purl.org/dc/terms/creator");
    end(&world);
}

TEST(an_inherited_field_keeps_its_iri)
{
    static const struct tr_field own[] = {
        {.name = TR_STR_INIT("title"), .optional = true},
        {.name = TR_STR_INIT("due"), .kind = TR_FIELD_DATETIME},
    };
    struct world world;
    struct tr_err err = {0};
    struct tr_shape parent = note();
    struct tr_shape child = {
        .name = TR_STR("Task"), .fields = own, .count = TR_LEN(own)};
    start(&world);
    CHECK_OK(tr_model_name_shape(&world.arena, &world.context, &parent, &err),
             &err);
    world.context.parent = &parent;
    CHECK_OK(tr_model_name_shape(&world.arena, &world.context, &child, &err),
             &err);
    CHECK_INT(child.count, TR_LEN(note_fields) + 1);
    CHECK(child.fields[0].optional);
    CHECK_STR(child.fields[0].iri, "trails://blog/Note#title");
    CHECK_STR(child.fields[1].iri, "trails://blog/Note#code");
    CHECK_STR(child.fields[8].iri, "trails://blog/Task#due");
    end(&world);
}

TEST(two_fields_with_one_iri_are_refused)
{
    static const struct tr_field twice[] = {
        {.name = TR_STR_INIT("a"), .iri = TR_STR_INIT("dct:title")},
        {.name = TR_STR_INIT("b"),
         .iri = TR_STR_INIT("http://purl.org/dc/terms/title")},
    };
    static const struct tr_field relative[] = {
        {.name = TR_STR_INIT("a"), .iri = TR_STR_INIT("title")},
    };
    struct world world;
    struct tr_err err = {0};
    struct tr_shape shape = {.name = TR_STR("T"), .fields = twice, .count = 2};
    start(&world);
    CHECK_INT(tr_model_name_shape(&world.arena, &world.context, &shape, &err),
              TR_E_INVALID);
    CHECK_STR(tr_str_from(err.msg), "the fields 'a' and 'b' have the same IRI");
    shape =
        (struct tr_shape){.name = TR_STR("T"), .fields = relative, .count = 1};
    CHECK_INT(tr_model_name_shape(&world.arena, &world.context, &shape, &err),
              TR_E_INVALID);
    CHECK_STR(tr_str_from(err.at), "a");
    end(&world);
}

static void check_class(const struct tr_rdf_memory_graph *graph, tr_str iri)
{
    const struct tr_rdf_graph *view = tr_rdf_memory_graph_view(graph);
    tr_rdf_ids pattern = {TR_RDF_ID_ANY, TR_RDF_ID_NONE, TR_RDF_ID_NONE,
                          TR_RDF_ID_ANY};
    uint64_t count = 0;
    CHECK_OK(tr_rdf_graph_find_iri(view, TR_STR(TR_RDF_NS_SH "class"),
                                   &pattern.p, NULL),
             NULL);
    CHECK_OK(tr_rdf_graph_find_iri(view, iri, &pattern.o, NULL), NULL);
    CHECK_OK(tr_rdf_graph_count(view, pattern, &count, NULL), NULL);
    CHECK_INT(count, 1);
}

TEST(a_ref_points_to_the_iri_of_its_type)
{
    static const struct tr_shape person = {
        .name = TR_STR_INIT("Person"),
        .iri = TR_STR_INIT("http://xmlns.com/foaf/0.1/Person")};
    static const struct tr_shape *const types[] = {&person};
    struct world world;
    struct tr_err err = {0};
    struct tr_shape shape = note();
    start(&world);
    CHECK_OK(tr_model_name_shape(&world.arena, &world.context, &shape, &err),
             &err);
    for (size_t known = 0; known < 2; known++) {
        struct tr_rdf_memory_graph *graph = NULL;
        world.context.types = types;
        world.context.type_count = known;
        CHECK_OK(tr_rdf_memory_graph_create(0, &graph, &err), &err);
        CHECK_OK(tr_model_shape_to_graph(&shape, &world.context, graph, &err),
                 &err);
        CHECK_OK(tr_rdf_memory_graph_index(graph, &err), &err);
        check_class(graph, known ? person.iri : TR_STR("trails://blog/Person"));
        tr_rdf_memory_graph_free(graph);
    }
    end(&world);
}

static void put_schema(const struct tr_shape *shape, struct tr_buf *out)
{
    struct tr_json_writer w;
    tr_jw_init(&w, out);
    tr_shape_write_json_schema(&w, shape, 0);
    CHECK_OK(tr_jw_finish(&w, NULL), NULL);
}

/* Table -> SHACL -> compiled shapes -> table: the same JSON Schema. */
TEST(a_table_survives_the_way_through_shacl)
{
    struct world world;
    struct tr_err err = {0};
    struct tr_shape draft = note();
    const struct tr_shape *before = NULL;
    const struct tr_shape *after = NULL;
    struct tr_rdf_memory_graph *graph = NULL;
    struct tr_shacl_shapes *shapes = NULL;
    const struct tr_json *choices = NULL;
    struct tr_field fields[TR_LEN(note_fields)];
    struct tr_buf texts[2];
    size_t at = 0;
    start(&world);
    CHECK_OK(tr_json_read(&world.arena, TR_STR("[\"aa\",\"bb\"]"), NULL,
                          &choices, &err),
             &err);
    memcpy(fields, note_fields, sizeof(fields));
    fields[0].one_of = choices;
    draft.fields = fields;
    CHECK_OK(tr_model_name_shape(&world.arena, &world.context, &draft, &err),
             &err);
    CHECK_OK(
        tr_shape_register(&world.arena, &world.patterns, &draft, &before, &err),
        &err);
    CHECK_OK(tr_rdf_memory_graph_create(0, &graph, &err), &err);
    CHECK_OK(tr_model_shape_to_graph(before, &world.context, graph, &err),
             &err);
    CHECK_OK(tr_rdf_memory_graph_index(graph, &err), &err);
    CHECK_OK(
        tr_shacl_shapes_read(tr_rdf_memory_graph_view(graph), &shapes, &err),
        &err);
    CHECK_OK(tr_model_find_shacl_type(shapes, TR_STR("Note"), &at, &err), &err);
    CHECK_OK(tr_model_shape_of_shacl(shapes, at, &world.arena, &world.patterns,
                                     &after, &err),
             &err);
    for (int i = 0; i < 2; i++)
        tr_buf_init(&texts[i], TR_MIB(1));
    put_schema(before, &texts[0]);
    put_schema(after, &texts[1]);
    tr_buf_putc(&texts[0], '\0');
    CHECK_STR(tr_buf_str(&texts[1]), texts[0].ptr);
    for (int i = 0; i < 2; i++)
        tr_buf_done(&texts[i]);
    tr_shacl_shapes_free(shapes);
    tr_rdf_memory_graph_free(graph);
    end(&world);
}

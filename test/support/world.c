#include "support/world.h"

#include "base/limits.h"
#include "base/test.h"
#include "db/db.h"
#include "graph/row.h"
#include "graph/schema.h"
#include "json/writer.h"
#include "model/builder.h"
#include "rdf/reader.h"
#include "support/quads.h"
#include "values/build.h"

#define FIELDS(list) .fields = (list), .count = TR_LEN(list)

static const struct tr_field thing_fields[] = {
    {.name = TR_STR_INIT("title"),
     .iri = TR_STR_INIT("w:title"),
     .optional = true,
     .search = true},
    {.name = TR_STR_INIT("size"),
     .iri = TR_STR_INIT("w:size"),
     .kind = TR_FIELD_INTEGER,
     .optional = true},
    {.name = TR_STR_INIT("tag"),
     .iri = TR_STR_INIT("w:tag"),
     .many = true,
     .optional = true,
     .search = true},
};
static const struct tr_field task_fields[] = {
    {.name = TR_STR_INIT("done"),
     .iri = TR_STR_INIT("w:done"),
     .kind = TR_FIELD_BOOLEAN,
     .optional = true},
    {.name = TR_STR_INIT("due"),
     .iri = TR_STR_INIT("w:due"),
     .kind = TR_FIELD_DATETIME,
     .optional = true},
    {.name = TR_STR_INIT("share"),
     .iri = TR_STR_INIT("w:share"),
     .kind = TR_FIELD_NUMBER,
     .optional = true},
    {.name = TR_STR_INIT("owner"),
     .iri = TR_STR_INIT("w:owner"),
     .kind = TR_FIELD_REF,
     .target = TR_STR_INIT("Person"),
     .optional = true},
    {.name = TR_STR_INIT("needs"),
     .iri = TR_STR_INIT("w:needs"),
     .kind = TR_FIELD_REF,
     .target = TR_STR_INIT("Task"),
     .many = true,
     .optional = true},
};
static const struct tr_field person_fields[] = {
    {.name = TR_STR_INIT("name"), .search = true, .optional = true},
    {.name = TR_STR_INIT("owner"),
     .iri = TR_STR_INIT("w:boss"),
     .kind = TR_FIELD_REF,
     .target = TR_STR_INIT("Person"),
     .optional = true},
};

static const struct tr_model_type_draft drafts[] = {
    {.shape = {.name = TR_STR_INIT("Thing"),
               .iri = TR_STR_INIT("w:Thing"),
               FIELDS(thing_fields)},
     .label = TR_STR_INIT("title")},
    {.shape = {.name = TR_STR_INIT("Task"),
               .iri = TR_STR_INIT("w:Task"),
               FIELDS(task_fields)},
     .label = TR_STR_INIT("title"),
     .extends = TR_STR_INIT("Thing")},
    {.shape = {.name = TR_STR_INIT("Person"),
               .iri = TR_STR_INIT("w:Person"),
               FIELDS(person_fields)}},
};

static const char prefixes[] = "PREFIX w: <http://w/>\n"
                               "PREFIX person: <trails://test/Person#>\n"
                               "PREFIX rdfs: <" TR_RDF_NS_RDFS ">\n"
                               "PREFIX xsd: <" TR_RDF_NS_XSD ">\n";

static const struct tr_model *make_model(void)
{
    struct tr_model_builder *builder = NULL;
    const struct tr_model *model = NULL;
    struct tr_err err = {0};
    CHECK_OK(tr_model_builder_create(TR_STR("test"), &builder, &err), &err);
    CHECK_OK(tr_model_builder_add_prefix(builder, TR_STR("w"),
                                         TR_STR("http://w/"), &err),
             &err);
    for (size_t i = 0; i < TR_LEN(drafts); i++)
        CHECK_OK(tr_model_builder_add_type(builder, &drafts[i], &err), &err);
    CHECK_OK(tr_model_build(builder, &model, &err), &err);
    tr_model_builder_free(builder);
    return model;
}

void world_open(struct world *world)
{
    struct tr_err err = {0};
    struct tr_db_opts opts = {.no_sync = true};
    *world = (struct world){.model = make_model()};
    tr_arena_init(&world->arena, TR_MIB(64));
    folder_open(&world->folder);
    CHECK_OK(tr_db_open(folder_path(&world->folder, "a.db"), &opts, &world->db,
                        &err),
             &err);
    CHECK_OK(tr_graph_schema(world->db, &err), &err);
    CHECK_OK(tr_graph_terms_create(world->db, &world->terms, &err), &err);
    tr_graph_stored_graph_init(&world->stored, world->db, world->terms);
    CHECK_OK(tr_db_begin(world->db, TR_DB_WRITE, &err), &err);
}

void world_close(struct world *world)
{
    tr_graph_value_set_free(&world->values);
    tr_graph_terms_free(world->terms);
    tr_db_close(world->db);
    tr_model_free(world->model);
    tr_arena_done(&world->arena);
    folder_close(&world->folder);
}

static tr_status intern(struct world *world, const tr_rdf_term *term,
                        tr_rdf_id *out, struct tr_err *err)
{
    if (term->kind == TR_RDF_TERM_NONE) {
        *out = TR_RDF_ID_DEFAULT_GRAPH;
        return TR_OK;
    }
    return world->overlay
               ? tr_graph_overlay_intern(world->overlay, term, out, err)
               : tr_graph_terms_intern(world->terms, term, out, err);
}

static tr_rdf_ids intern_quad(struct world *world, const tr_rdf_quad *quad)
{
    struct tr_err err = {0};
    tr_rdf_ids ids;
    CHECK_OK(intern(world, &quad->subject, &ids.s, &err), &err);
    CHECK_OK(intern(world, &quad->predicate, &ids.p, &err), &err);
    CHECK_OK(intern(world, &quad->object, &ids.o, &err), &err);
    CHECK_OK(intern(world, &quad->graph, &ids.g, &err), &err);
    return ids;
}

void world_add_quad(struct world *world, const tr_rdf_quad *quad)
{
    struct tr_err err = {0};
    tr_rdf_ids ids = intern_quad(world, quad);
    bool changed;
    if (world->overlay)
        CHECK_OK(tr_graph_overlay_add(world->overlay, ids, &changed, &err),
                 &err);
    else
        CHECK_OK(quads_insert(world->db, ids, &changed, &err), &err);
}

void world_remove_quad(struct world *world, const tr_rdf_quad *quad)
{
    struct tr_err err = {0};
    tr_rdf_ids ids = intern_quad(world, quad);
    bool changed;
    if (world->overlay)
        CHECK_OK(tr_graph_overlay_remove(world->overlay, ids, &changed, &err),
                 &err);
    else
        CHECK_OK(tr_graph_quads_remove(world->db, ids, &changed, &err), &err);
}

static tr_status add_one(void *context, const tr_rdf_quad *quad,
                         struct tr_err *err)
{
    (void)err;
    world_add_quad(context, quad);
    return TR_OK;
}

static tr_status remove_one(void *context, const tr_rdf_quad *quad,
                            struct tr_err *err)
{
    (void)err;
    world_remove_quad(context, quad);
    return TR_OK;
}

static void read_quads(const struct tr_rdf_sink *sink, const char *text)
{
    struct tr_err err = {0};
    struct tr_buf whole;
    tr_buf_init(&whole, TR_MIB(1));
    tr_buf_putf(&whole, "%s%s", prefixes, text);
    tr_str rest = tr_buf_str(&whole);
    struct tr_rdf_source source = tr_rdf_source_text(&rest, TR_STR(""));
    CHECK_OK(tr_rdf_read(TR_RDF_TRIG, &source, sink, &err), &err);
    tr_buf_done(&whole);
}

void world_add(struct world *world, const char *trig)
{
    struct tr_rdf_sink sink = {.context = world, .quad = add_one};
    read_quads(&sink, trig);
}

void world_remove(struct world *world, const char *trig)
{
    struct tr_rdf_sink sink = {.context = world, .quad = remove_one};
    read_quads(&sink, trig);
}

static void run_row(struct world *world, const char *sql, tr_rdf_id id,
                    tr_rdf_id type, tr_str text)
{
    struct tr_db_stmt *stmt;
    struct tr_err err = {0};
    CHECK_OK(tr_db_prepare(world->db, sql, &stmt, &err), &err);
    tr_db_bind_i64(stmt, 1, (int64_t)id);
    if (type != TR_RDF_ID_NONE)
        tr_db_bind_i64(stmt, 3, (int64_t)type);
    if (text.len)
        tr_db_bind_text(stmt, 2, text);
    CHECK_OK(tr_db_stmt_run(stmt, &err), &err);
}

static void land_node(struct world *world, tr_rdf_id id)
{
    struct tr_err err = {0};
    struct tr_graph_node_row row;
    CHECK_OK(tr_graph_row_make(&world->stored.base, world->model, id,
                               &world->arena, &row, &err),
             &err);
    run_row(world,
            "INSERT INTO node (s, label, type, version) VALUES (?1, ?2, ?3, 1)"
            " ON CONFLICT DO UPDATE SET label = excluded.label,"
            " type = excluded.type, version = version + 1",
            id, row.type, row.label);
    run_row(world,
            "INSERT OR REPLACE INTO search (rowid, text) VALUES (?1, ?2)", id,
            TR_RDF_ID_NONE, row.search);
}

void world_index(struct world *world)
{
    struct tr_values_wanted asked = {.model = world->model};
    struct tr_err err = {0};
    CHECK_OK(tr_graph_value_set_drop(world->db, &err), &err);
    CHECK_OK(tr_values_build(world->db, world->terms, &asked, NULL, &err),
             &err);
    CHECK_OK(
        tr_graph_value_set_load(&world->values, world->db, world->terms, &err),
        &err);
}

void world_land(struct world *world)
{
    tr_rdf_id type = TR_RDF_ID_NONE;
    struct tr_err err = {0};
    struct tr_db_stmt *stmt;
    bool row = true;
    CHECK_OK(tr_rdf_graph_find_iri(&world->stored.base,
                                   TR_STR(TR_RDF_IRI_RDF_TYPE), &type, &err),
             &err);
    CHECK_OK(tr_db_prepare(world->db,
                           "SELECT DISTINCT s FROM ops WHERE p = ?1 ORDER BY s",
                           &stmt, &err),
             &err);
    tr_db_bind_i64(stmt, 1, (int64_t)type);
    for (;;) {
        CHECK_OK(tr_db_stmt_step(stmt, &row, &err), &err);
        if (!row)
            break;
        land_node(world, (tr_rdf_id)tr_db_column_i64(stmt, 0));
    }
    run_row(world,
            "INSERT OR REPLACE INTO type_count SELECT o, count(DISTINCT s)"
            " FROM ops WHERE p = ?1 GROUP BY o",
            type, TR_RDF_ID_NONE, TR_STR(""));
    world_index(world);
}

void world_change(struct world *world)
{
    struct tr_err err = {0};
    CHECK_OK(tr_graph_overlay_create(&world->arena, &world->stored.base,
                                     &world->overlay, &err),
             &err);
}

struct tr_graph_read_ctx world_read_ctx(struct world *world)
{
    return (struct tr_graph_read_ctx){
        .db = world->db,
        .terms = world->terms,
        .graph = world->overlay ? tr_graph_overlay_view(world->overlay)
                                : &world->stored.base,
        .changes = world->overlay,
        .model = world->model,
        .arena = &world->arena,
        .values = &world->values,
    };
}

const struct tr_model_type *world_type(const struct world *world,
                                       const char *name)
{
    const struct tr_model_type *type =
        tr_model_find(world->model, tr_str_from(name));
    CHECK(type != NULL);
    return type;
}

void world_check_json(const struct tr_json *value, const char *expected)
{
    struct tr_buf text;
    struct tr_json_writer w;
    tr_buf_init(&text, TR_MIB(1));
    tr_jw_init(&w, &text);
    tr_jw_value(&w, value);
    CHECK_STR(tr_buf_str(&text), expected);
    tr_buf_done(&text);
}

#include "support/store.h"

#include "base/test.h"
#include "graph/schema.h"
#include "model/builder.h"
#include "rdf/reader.h"
#include "rows/verify.h"

void store_open(struct store *store)
{
    struct tr_err err = {0};
    struct tr_db *db = NULL;
    folder_open(&store->folder);
    (void)snprintf(store->path, sizeof(store->path), "%s",
                   folder_path(&store->folder, "graph.db"));
    CHECK_OK(tr_db_open(store->path, NULL, &db, &err), &err);
    CHECK_OK(tr_graph_schema(db, &err), &err);
    tr_db_close(db);
    CHECK_OK(tr_graph_reader_create(store->path, NULL, &store->reader, &err),
             &err);
}

void store_close(struct store *store)
{
    tr_graph_reader_free(store->reader);
    folder_close(&store->folder);
}

const struct tr_model *store_model(void)
{
    static const struct tr_field thing_fields[] = {
        {.name = TR_STR_INIT("title"), .search = true, .min_length = 2},
    };
    static const struct tr_field task_fields[] = {
        {.name = TR_STR_INIT("code"), .unique = true, .optional = true},
    };
    static const struct tr_model_type_draft drafts[] = {
        {.shape = {.name = TR_STR_INIT("Thing"),
                   .fields = thing_fields,
                   .count = TR_LEN(thing_fields)}},
        {.shape = {.name = TR_STR_INIT("Task"),
                   .fields = task_fields,
                   .count = TR_LEN(task_fields)},
         .extends = TR_STR_INIT("Thing")},
    };
    struct tr_model_builder *builder = NULL;
    const struct tr_model *model = NULL;
    struct tr_err err = {0};
    CHECK_OK(tr_model_builder_create(TR_STR("team"), &builder, &err), &err);
    for (size_t i = 0; i < TR_LEN(drafts); i++)
        CHECK_OK(tr_model_builder_add_type(builder, &drafts[i], &err), &err);
    CHECK_OK(tr_model_build(builder, &model, &err), &err);
    tr_model_builder_free(builder);
    return model;
}

tr_status store_load(struct store *store, const struct tr_model *model,
                     const char *text, size_t max_batch, struct tr_err *err)
{
    struct tr_graph_load_opts opts = {.path = store->path,
                                      .db = {.busy_ms = 1},
                                      .model = model,
                                      .project = TR_STR("team"),
                                      .max_batch = max_batch};
    struct tr_graph_load *load = NULL;
    tr_str rest = tr_str_from(text);
    struct tr_rdf_source source = tr_rdf_source_text(&rest, TR_STR(""));
    TR_TRY(tr_graph_load_create(&opts, &load, err));
    struct tr_rdf_sink sink = tr_graph_load_sink(load);
    tr_status status = tr_rdf_read(TR_RDF_TRIG, &source, &sink, err);
    if (status == TR_OK)
        status = tr_graph_load_finish(load, err);
    tr_graph_load_free(load);
    return status;
}

int64_t store_number(struct store *store, const char *sql, int64_t value)
{
    struct tr_err err = {0};
    struct tr_db_stmt *stmt;
    bool row = false;
    CHECK_OK(tr_db_prepare(store->reader->db, sql, &stmt, &err), &err);
    if (strchr(sql, '?'))
        tr_db_bind_i64(stmt, 1, value);
    CHECK_OK(tr_db_stmt_step(stmt, &row, &err), &err);
    int64_t found = row ? tr_db_column_i64(stmt, 0) : -1;
    tr_db_stmt_reset(stmt);
    return found;
}

tr_rdf_id store_id(struct store *store, const char *iri)
{
    struct tr_err err = {0};
    tr_rdf_id id = TR_RDF_ID_NONE;
    CHECK_OK(tr_rdf_graph_find_iri(&store->reader->stored.base,
                                   tr_str_from(iri), &id, &err),
             &err);
    return id;
}

void store_verify(const struct store *store)
{
    static const struct tr_db_opts opts = {.read_only = true};
    struct tr_db *db = NULL;
    struct tr_err err = {0};
    CHECK_OK(tr_db_open(store->path, &opts, &db, &err), &err);
    CHECK_OK(tr_db_begin(db, TR_DB_READ, &err), &err);
    CHECK_OK(tr_rows_verify(db, &err), &err);
    tr_db_close(db);
}

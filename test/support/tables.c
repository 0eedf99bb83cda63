#include "support/tables.h"

#include "base/test.h"
#include "graph/schema.h"

void tables_open(struct tables *tables)
{
    static const struct tr_db_opts opts = {.no_sync = true};
    struct tr_err err = {0};
    folder_open(&tables->folder);
    CHECK_OK(tr_db_open(folder_path(&tables->folder, "graph.db"), &opts,
                        &tables->db, &err),
             &err);
    CHECK_OK(tr_graph_schema(tables->db, &err), &err);
    CHECK_OK(tr_rows_terms_create(tables->db, &tables->terms, &err), &err);
    tr_rows_stored_graph_init(&tables->graph, tables->db, tables->terms);
    tr_arena_init(&tables->arena, TR_MIB(64));
}

void tables_close(struct tables *tables)
{
    tr_arena_done(&tables->arena);
    tr_rows_terms_free(tables->terms);
    tr_db_close(tables->db);
    folder_close(&tables->folder);
}

void tables_begin(struct tables *tables)
{
    struct tr_err err = {0};
    CHECK_OK(tr_db_begin(tables->db, TR_DB_WRITE, &err), &err);
    tr_rows_terms_renew(tables->terms);
}

void tables_commit(struct tables *tables)
{
    struct tr_err err = {0};
    CHECK_OK(tr_db_commit(tables->db, &err), &err);
}

tr_rdf_term tables_iri(struct tables *tables, const char *kind, size_t i)
{
    char text[40];
    tr_str copy;
    (void)snprintf(text, sizeof(text), "http://e/%s%zu", kind, i);
    CHECK(tr_arena_copy(&tables->arena, tr_str_from(text), &copy));
    return tr_rdf_term_iri(copy);
}

tr_rdf_id tables_intern(struct tables *tables, const tr_rdf_term *term)
{
    struct tr_err err = {0};
    tr_rdf_id id = TR_RDF_ID_NONE;
    CHECK_OK(tr_rows_terms_intern(tables->terms, term, &id, &err), &err);
    return id;
}

tr_rdf_ids tables_intern_quad(struct tables *tables, const tr_rdf_quad *quad)
{
    return (tr_rdf_ids){
        tables_intern(tables, &quad->subject),
        tables_intern(tables, &quad->predicate),
        tables_intern(tables, &quad->object),
        quad->graph.kind == TR_RDF_TERM_NONE
            ? TR_RDF_ID_DEFAULT_GRAPH
            : tables_intern(tables, &quad->graph),
    };
}

int64_t tables_number(struct tr_db *db, const char *sql)
{
    struct tr_err err = {0};
    struct tr_db_stmt *stmt;
    bool row = false;
    CHECK_OK(tr_db_prepare(db, sql, &stmt, &err), &err);
    CHECK_OK(tr_db_stmt_step(stmt, &row, &err), &err);
    int64_t value = row ? tr_db_column_i64(stmt, 0) : -1;
    tr_db_stmt_reset(stmt);
    return value;
}

tr_str tables_file(struct tables *tables)
{
    struct tr_err err = {0};
    struct tr_db_log log;
    CHECK_OK(tr_db_checkpoint(tables->db, &log, &err), &err);
    CHECK_INT(log.moved, log.pages);
    return tr_test_read_file(folder_path(&tables->folder, "graph.db"));
}

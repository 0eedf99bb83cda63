/*
 * bench/groups.c - how many nodes have each value, read of an index, against
 * the bare statement that counts its rows.
 */
#include "base/limits.h"
#include "bench.h"
#include "model/builder.h"
#include "query/aggregate.h"
#include "values/build.h"

#include <assert.h>

static const char bare_sql[] =
    "SELECT k, count(*) FROM value_row WHERE x = ?1 GROUP BY k";

/* The status of bench/kg_app, and what has an index beside it. */
static const struct tr_field fields[] = {
    {.name = TR_STR_INIT("status"), .index = TR_FIELD_INDEX_VALUE},
    {.name = TR_STR_INIT("rank"),
     .kind = TR_FIELD_INTEGER,
     .index = TR_FIELD_INDEX_VALUE,
     .optional = true},
};

struct side {
    struct tr_graph_reader *reader;
    const struct tr_model *model;
    int64_t number; /* of the index */
};

static const struct tr_model *make_model(void)
{
    const struct tr_model_type_draft draft = {
        .shape = {
            .name = TR_STR("Task"), .fields = fields, .count = TR_LEN(fields)}};
    struct tr_model_builder *builder = NULL;
    const struct tr_model *model = NULL;
    tr_status status = tr_model_builder_create(TR_STR("bench"), &builder, NULL);
    assert(status == TR_OK);
    status = tr_model_builder_add_type(builder, &draft, NULL);
    assert(status == TR_OK);
    status = tr_model_build(builder, &model, NULL);
    assert(status == TR_OK);
    tr_model_builder_free(builder);
    return model;
}

static uint64_t count_groups(const void *data)
{
    const struct side *side = data;
    struct tr_arena arena;
    struct tr_query_groups groups;
    tr_arena_init(&arena, TR_MIB(1));
    tr_status status = tr_graph_reader_begin(side->reader, NULL);
    assert(status == TR_OK);
    struct tr_graph_read_ctx ctx =
        tr_graph_read_ctx_of(side->reader, NULL, side->model, &arena);
    struct tr_query_aggregate asked = {
        .type = tr_model_find(side->model, TR_STR("Task")),
        .group = TR_STR("status")};
    status = tr_query_aggregate(&ctx, &asked, &groups, NULL);
    assert(status == TR_OK && groups.count == 2);
    uint64_t count = groups.items[0].count + groups.items[1].count;
    tr_graph_reader_end(side->reader);
    tr_arena_done(&arena);
    return count;
}

static uint64_t count_bare(const void *data)
{
    const struct side *side = data;
    struct tr_db *db = side->reader->db;
    struct tr_db_stmt *stmt;
    uint64_t count = 0;
    bool row;
    tr_status status = tr_graph_reader_begin(side->reader, NULL);
    assert(status == TR_OK);
    status = tr_db_prepare(db, bare_sql, &stmt, NULL);
    assert(status == TR_OK);
    tr_db_bind_i64(stmt, 1, side->number);
    status = tr_db_stmt_step(stmt, &row, NULL);
    while (status == TR_OK && row) {
        count += (uint64_t)tr_db_column_i64(stmt, 1);
        status = tr_db_stmt_step(stmt, &row, NULL);
    }
    tr_graph_reader_end(side->reader);
    return count;
}

/* The number of the index that has two values. */
static int64_t find_number(struct tr_db *db)
{
    struct tr_db_stmt *stmt;
    bool row;
    tr_status status =
        tr_db_prepare(db,
                      "SELECT v.x FROM value_part v JOIN term t ON t.id = v.p"
                      " WHERE instr(t.key, CAST('Task#status' AS BLOB))",
                      &stmt, NULL);
    assert(status == TR_OK);
    status = tr_db_stmt_step(stmt, &row, NULL);
    assert(status == TR_OK && row);
    int64_t number = tr_db_column_i64(stmt, 0);
    tr_db_stmt_reset(stmt);
    return number;
}

bool tr_bench_groups(const char *name, const char *store)
{
    char path[TR_BENCH_PATH + 16];
    struct side side = {.model = make_model()};
    struct tr_graph_value_wanted wanted = {.model = side.model};
    struct tr_graph_value_built built;
    struct tr_err err = {0};
    double ours_ns;
    double theirs_ns;
    (void)snprintf(path, sizeof(path), "%s/graph.db", store);
    tr_status status = tr_graph_value_sync(path, NULL, &wanted, &built, &err);
    const struct tr_db_opts opts = {.read_only = true};
    if (status == TR_OK)
        status = tr_graph_reader_create(path, &opts, &side.reader, &err);
    if (status != TR_OK) {
        (void)fprintf(stderr, "bench: %s\n", err.msg);
        return false;
    }
    side.number = find_number(side.reader->db);
    assert(count_groups(&side) == count_bare(&side));
    struct tr_bench_row row = {
        .ours = count_groups, .theirs = count_bare, .data = &side};
    tr_bench_compare(&row, &ours_ns, &theirs_ns);
    struct tr_bench_ratio ratio = {name, "bare SQL", ours_ns, theirs_ns,
                                   1 / 1.5};
    tr_graph_reader_free(side.reader);
    tr_model_free(side.model);
    return tr_bench_report_ratio(&ratio);
}
